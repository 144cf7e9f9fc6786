//! Small documents as updates: ten triples each, the same in every run.

use std::fmt::Write;

/// The triples of a document.
pub const TRIPLES: usize = 10;

const WORDS: [&str; 32] = [
    "amber", "basalt", "cedar", "delta", "ember", "fjord", "glacier", "harbour", "island",
    "juniper", "kelp", "lagoon", "meadow", "nectar", "orchard", "pebble", "quarry", "river",
    "summit", "tundra", "umbra", "valley", "willow", "xylem", "yarrow", "zenith", "arch", "bridge",
    "canal", "dune", "estuary", "forest",
];

const PROLOGUE: &str = "PREFIX d: <http://example.org/document/>
PREFIX a: <http://example.org/author/>
PREFIX t: <http://example.org/topic/>
PREFIX v: <http://example.org/vocabulary/>
PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>
INSERT DATA {
";

/// The update that inserts the documents with these numbers.
pub fn insert(numbers: std::ops::Range<u64>) -> String {
    let mut text = String::from(PROLOGUE);
    for number in numbers {
        push_document(number, &mut text);
    }
    text.push_str("}\n");
    text
}

fn push_document(number: u64, out: &mut String) {
    let mut state = number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mut next = |below: u64| {
        state = (state ^ state >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        state = (state ^ state >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        (state >> 33) % below
    };
    let words = |len: u64, next: &mut dyn FnMut(u64) -> u64| {
        let words: Vec<_> = (0..len).map(|_| WORDS[next(32) as usize]).collect();
        words.join(" ")
    };
    let title = words(5, &mut next);
    let summary = words(14, &mut next);
    let (author, second, topic) = (next(5000), next(5000), next(300));
    let (year, month, day) = (1990 + next(30), 1 + next(12), 1 + next(28));
    let (pages, price) = (1 + next(400), next(10_000));
    // Writing to a string does not fail.
    let _ = write!(
        out,
        "d:{number} a v:Document ;
  v:title \"{title} {number}\" ;
  v:summary \"{summary}\"@en ;
  v:author a:{author} , a:s{second} ;
  v:topic t:{topic} ;
  v:issued \"{year}-{month:02}-{day:02}\"^^xsd:date ;
  v:pages {pages} ;
  v:price {}.{:02} ;
  v:identifier \"urn:document:{number:08}\" .
",
        price / 100,
        price % 100
    );
}
