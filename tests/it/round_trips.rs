//! Documents that are loaded, written and loaded again: the same data, in every format that is written.
//!
//! For JSON-LD, which has no suite among those of the W3C that are run here, this is the test.

use crate::compare::{Order, compare};
use crate::kaluta::Kaluta;
use crate::store::{Answer, Document, Store};
use crate::tally::{Outcome, Tally};
use libtest_mimic::Trial;
use oxrdf::GraphName;
use oxrdfio::{JsonLdProfileSet, RdfFormat};
use std::sync::Arc;

const JSON_LD: RdfFormat = RdfFormat::JsonLd {
    profile: JsonLdProfileSet::empty(),
};

/// What every format carries.
const PLAIN: &str = r#"<http://e/s> <http://e/p> <http://e/o> .
<http://e/s> <http://e/p> _:a .
_:a <http://e/p> _:b .
_:b <http://e/p> _:a .
<http://e/s> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://e/C> .
<http://e/t> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://e/1> .
<http://e/é> <http://e/p> "é😀 <&>\"'\\ \t\n\r end " .
<http://e/s> <http://e/p> "" .
<http://e/s> <http://e/p> "chat"@fr .
<http://e/s> <http://e/p> "chat"@en-GB .
<http://e/s> <http://e/v> "01"^^<http://www.w3.org/2001/XMLSchema#integer> .
<http://e/s> <http://e/v> "1"^^<http://www.w3.org/2001/XMLSchema#integer> .
<http://e/s> <http://e/v> "1.0E0"^^<http://www.w3.org/2001/XMLSchema#double> .
<http://e/s> <http://e/v> "1e0"^^<http://www.w3.org/2001/XMLSchema#double> .
<http://e/s> <http://e/v> "1.50"^^<http://www.w3.org/2001/XMLSchema#decimal> .
<http://e/s> <http://e/v> "true"^^<http://www.w3.org/2001/XMLSchema#boolean> .
<http://e/s> <http://e/v> "1"^^<http://www.w3.org/2001/XMLSchema#boolean> .
<http://e/s> <http://e/v> "2009?"^^<http://www.w3.org/2001/XMLSchema#gYear> .
<http://e/s> <http://e/v> "x"^^<http://e/datatype> .
<http://e/list> <http://e/p> _:l1 .
_:l1 <http://www.w3.org/1999/02/22-rdf-syntax-ns#first> "one" .
_:l1 <http://www.w3.org/1999/02/22-rdf-syntax-ns#rest> _:l2 .
_:l2 <http://www.w3.org/1999/02/22-rdf-syntax-ns#first> _:a .
_:l2 <http://www.w3.org/1999/02/22-rdf-syntax-ns#rest> <http://www.w3.org/1999/02/22-rdf-syntax-ns#nil> .
"#;

/// What only formats with graphs carry.
const GRAPHS: &str = r#"<http://e/s> <http://e/p> "in a graph" <http://e/g> .
<http://e/s> <http://e/p> "in another" _:g .
_:a <http://e/p> _:g <http://e/g> .
"#;

/// What came with RDF 1.2.
const TRIPLE_TERMS: &str = r#"<http://e/r> <http://www.w3.org/1999/02/22-rdf-syntax-ns#reifies> <<( _:a <http://e/p> "x"@en )>> .
<http://e/s> <http://e/p> <<( <http://e/s> <http://e/p> <<( <http://e/s> <http://e/p> "1" )>> )>> .
<http://e/s> <http://e/p> "shalom"@he--rtl .
"#;

/// What XML cannot carry.
const CONTROLS: &str = "<http://e/s> <http://e/p> \"\\u0000\\u0001\\uFFFE\" .\n";

/// A predicate that ends in no XML name.
const NO_NAME: &str = "<http://e/s> <http://e/1> \"x\" .\n";

/// A trial for each format, each a row of the table of suites.
pub fn trials(tally: &Arc<Tally>) -> Vec<Trial> {
    let formats: [(&str, RdfFormat, &[&str]); 6] = [
        (
            "n_triples",
            RdfFormat::NTriples,
            &[PLAIN, TRIPLE_TERMS, CONTROLS],
        ),
        (
            "n_quads",
            RdfFormat::NQuads,
            &[PLAIN, GRAPHS, TRIPLE_TERMS, CONTROLS],
        ),
        (
            "turtle",
            RdfFormat::Turtle,
            &[PLAIN, TRIPLE_TERMS, CONTROLS],
        ),
        (
            "trig",
            RdfFormat::TriG,
            &[PLAIN, GRAPHS, TRIPLE_TERMS, CONTROLS],
        ),
        ("rdf_xml", RdfFormat::RdfXml, &[PLAIN]),
        ("json_ld", JSON_LD, &[PLAIN, GRAPHS, CONTROLS]),
    ];
    let trial = |(name, format, parts): (&str, RdfFormat, &[&str])| {
        let (text, tally) = (parts.concat(), Arc::clone(tally));
        Trial::test(format!("round_trips::{name}"), move || {
            let outcome = returns(format, &text);
            let counted = match outcome {
                Ok(()) => Outcome::Passed,
                Err(_) => Outcome::Failed,
            };
            tally.count(&format!("round trip {}", format.name()), counted);
            Ok(outcome?)
        })
    };
    let mut trials: Vec<_> = formats.into_iter().map(trial).collect();
    trials.push(Trial::test(
        "round_trips::what_does_not_fit_is_refused",
        || {
            let refused = [
                (JSON_LD, TRIPLE_TERMS),
                (RdfFormat::RdfXml, CONTROLS),
                (RdfFormat::RdfXml, NO_NAME),
            ];
            for (format, text) in refused {
                if let Ok(bytes) = store_of(RdfFormat::NQuads, text.as_bytes())?.dump_as(format) {
                    let text = String::from_utf8_lossy(&bytes).into_owned();
                    return Err(format!("{format} cannot carry this:\n{text}").into());
                }
            }
            Ok(())
        },
    ));
    trials
}

fn store_of(format: RdfFormat, bytes: &[u8]) -> Result<Kaluta, String> {
    let mut store = Kaluta::open()?;
    store.load(vec![Document {
        bytes: bytes.to_vec(),
        format,
        base: None,
        graph: GraphName::DefaultGraph,
    }])?;
    Ok(store)
}

/// N-Quads come back from a format as they went in.
fn returns(format: RdfFormat, text: &str) -> Result<(), String> {
    let store = store_of(RdfFormat::NQuads, text.as_bytes())?;
    let written = store.dump_as(format)?;
    let again = store_of(format, &written);
    let shown = || String::from_utf8_lossy(&written).into_owned();
    let again = again.map_err(|e| format!("{e}\n{}", shown()))?;
    let (before, after) = (Answer::Graph(store.dump()?), Answer::Graph(again.dump()?));
    compare(&before, &after, Order::Free).map_err(|e| format!("{e}\n{}", shown()))
}
