//! The dictionary both ways, with keys that are hard to get right, and with damaged files.

use super::*;
use crate::diagnostics::ErrorKind;
use crate::storage::files::OperatingSystem;
use crate::term::LiteralSort;
use std::collections::BTreeSet;
use std::path::Path;

/// Keys that are hard to get right: empty, prefixes of each other, with zeros and high bytes, long.
fn nasty_keys(tag: Tag) -> BTreeSet<Vec<u8>> {
    if tag == Tag::Triple {
        let id = |n: u64| TermId::new(Tag::Iri, n).to_bits().to_be_bytes();
        return (0..50)
            .map(|n| [id(n), id(n % 3), id(n * 7)].concat())
            .collect();
    }
    let mut lexicals: Vec<String> = [
        "",
        "a",
        "ab",
        "abc",
        "a\0",
        "a\0b",
        "\0",
        "\u{1}",
        "ÿ",
        "日本",
        "\u{10FFFF}",
    ]
    .map(String::from)
    .into();
    lexicals.extend((0..300).map(|i| format!("http://example.com/path/{i}")));
    lexicals.push("x".repeat(1_000_000));
    lexicals.push("x".repeat(1_000_000) + "y");
    let sorts: &[LiteralSort<'_>] = match tag {
        Tag::LangString => &[
            LiteralSort::Lang("en", None),
            LiteralSort::Lang("de-AT", None),
        ],
        Tag::Typed => &[
            LiteralSort::Typed("http://example.com/t"),
            LiteralSort::Typed("urn:t"),
        ],
        _ => &[LiteralSort::String],
    };
    let mut keys = BTreeSet::new();
    for lexical in &lexicals {
        for &sort in sorts {
            let mut key = Vec::new();
            encode_key(&TermView::Literal { lexical, sort }, &mut key);
            keys.insert(key);
        }
    }
    keys
}

fn write(path: &Path, keys: impl Fn(Tag) -> BTreeSet<Vec<u8>>) {
    let mut writer = SegmentWriter::create(&OperatingSystem, path).unwrap();
    for tag in Tag::STORED {
        let keys = keys(tag);
        writer
            .begin(tag, &keys.iter().cloned().collect::<Vec<_>>())
            .unwrap();
        keys.iter().for_each(|key| writer.push(key).unwrap());
        writer.end_piece();
    }
    writer.finish().unwrap();
}

fn open(paths: &[&Path]) -> Result<Dictionary> {
    let segments = paths
        .iter()
        .map(|path| Segment::open(&OperatingSystem, path).map(|s| Layer::File(Arc::new(s))));
    Ok(Dictionary::new(segments.collect::<Result<_>>()?))
}

#[test]
fn terms_are_found_both_ways_in_a_stack_of_segments() {
    let dir = tempfile::tempdir().unwrap();
    let (first, second) = (dir.path().join("1"), dir.path().join("2"));
    // Every third key stands in the second segment.
    let part = |tag, second: bool| -> BTreeSet<Vec<u8>> {
        let keys = nasty_keys(tag).into_iter().enumerate();
        keys.filter(|(i, _)| (i % 3 == 0) == second)
            .map(|(_, key)| key)
            .collect()
    };
    write(&first, |tag| part(tag, false));
    write(&second, |tag| part(tag, true));
    let dictionary = open(&[&first, &second]).unwrap();
    for tag in Tag::STORED {
        let expected: Vec<_> = part(tag, false)
            .into_iter()
            .chain(part(tag, true))
            .collect();
        assert_eq!(dictionary.len(tag), expected.len() as u64);
        for (number, key) in expected.iter().enumerate() {
            let id = TermId::new(tag, number as u64);
            assert_eq!(dictionary.find(tag, key).unwrap(), Some(id));
            let mut buffer = Vec::new();
            let term = dictionary.resolve(id, &mut buffer).unwrap();
            let mut again = Vec::new();
            if tag != Tag::Iri {
                assert_eq!(encode_key(&term, &mut again), Some(tag));
                assert_eq!(&again, key);
            }
        }
        assert_eq!(dictionary.find(tag, b"\xFFnot there").unwrap(), None);
        let past = TermId::new(tag, expected.len() as u64);
        assert_eq!(
            dictionary
                .resolve(past, &mut Vec::new())
                .unwrap_err()
                .kind(),
            ErrorKind::Internal
        );
        let sorted = if tag == Tag::Triple {
            0
        } else {
            part(tag, false).len()
        };
        assert_eq!(dictionary.sorted_len(tag), sorted as u64);
    }
}

#[test]
fn prefixes_are_ranges_of_the_sorted_ids() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("1");
    write(&path, nasty_keys);
    let dictionary = open(&[&path]).unwrap();
    for tag in [Tag::Iri, Tag::String, Tag::LangString, Tag::Typed] {
        for prefix in [
            "",
            "a",
            "a\0",
            "http://example.com/path/1",
            "x",
            "zz",
            "\u{10FFFF}",
        ] {
            let range = dictionary.prefix_range(tag, prefix).unwrap();
            let mut buffer = Vec::new();
            for number in 0..dictionary.len(tag) {
                let text = match dictionary
                    .resolve(TermId::new(tag, number), &mut buffer)
                    .unwrap()
                {
                    TermView::Iri(text) | TermView::Literal { lexical: text, .. } => text,
                    other => panic!("{other:?}"),
                };
                assert_eq!(
                    range.contains(&number),
                    text.starts_with(prefix),
                    "{tag:?} {prefix:?} {number}"
                );
            }
        }
    }
}

#[test]
fn every_flipped_byte_is_an_error_and_never_a_panic_or_a_wrong_term() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("1");
    let few = |tag| {
        nasty_keys(tag)
            .into_iter()
            .filter(|key| key.len() < 100)
            .collect::<BTreeSet<_>>()
    };
    write(&path, few);
    let good = std::fs::read(&path).unwrap();
    let read_all = |path: &Path| -> Result<()> {
        let dictionary = open(&[path])?;
        for tag in Tag::STORED {
            for number in 0..dictionary.len(tag) {
                dictionary.resolve(TermId::new(tag, number), &mut Vec::new())?;
            }
        }
        Ok(())
    };
    read_all(&path).unwrap();
    for place in (0..good.len())
        .step_by(211)
        .chain(good.len() - 300..good.len())
    {
        let mut bad = good.clone();
        bad[place] ^= 0x20;
        std::fs::write(&path, bad).unwrap();
        let error = read_all(&path).expect_err(&format!("byte {place} is flipped"));
        assert_eq!(error.kind(), ErrorKind::Corruption);
    }
    for len in [0, 10, 16, 100, good.len() - 1] {
        std::fs::write(&path, &good[..len]).unwrap();
        assert!(read_all(&path).is_err(), "cut at {len}");
    }
}
