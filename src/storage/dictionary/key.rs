//! A stored term as the bytes by which the dictionary finds and sorts it.
//!
//! ```text
//!  IRI          its text
//!  string       its lexical form
//!  lang string  lexical form, escaped | 0x00 | language | "--ltr" or "--rtl", where it has a direction
//!  typed        lexical form, escaped | 0x00 | datatype IRI
//!  triple       the three ids, most significant byte first
//! ```
//!
//! Escaping writes 0x00 as 0x01 0x01 and 0x01 as 0x01 0x02, so the separator occurs once and the byte order of keys is
//! the order of lexical forms, then of languages or datatypes. Neither a language tag nor an IRI holds 0x00, and no
//! language tag holds "--" (RDF 1.2 N-Triples, production LANG_DIR).

use crate::term::{LiteralSort, Tag, TermId, TermView};
use oxrdf::BaseDirection;

const SEPARATOR: u8 = 0;
const ESCAPE: u8 = 1;
const LTR: &str = "--ltr";
const RTL: &str = "--rtl";

/// The bytes of a triple term's key.
pub const TRIPLE_KEY_BYTES: usize = 24;

/// Writes the key of a term over `key`, and says under which tag it is stored; `None` for blank nodes, which are not.
pub fn encode_key(term: &TermView<'_>, key: &mut Vec<u8>) -> Option<Tag> {
    key.clear();
    match *term {
        TermView::Iri(iri) => {
            key.extend_from_slice(iri.as_bytes());
            Some(Tag::Iri)
        }
        TermView::Blank { .. } => None,
        TermView::Literal { lexical, sort } => Some(encode_literal(lexical, sort, key)),
        TermView::Triple(ids) => {
            for id in ids {
                key.extend_from_slice(&id.to_bits().to_be_bytes());
            }
            Some(Tag::Triple)
        }
    }
}

fn encode_literal(lexical: &str, sort: LiteralSort<'_>, key: &mut Vec<u8>) -> Tag {
    match sort {
        LiteralSort::String => {
            key.extend_from_slice(lexical.as_bytes());
            Tag::String
        }
        LiteralSort::Lang(language, direction) => {
            escape(lexical, key);
            key.push(SEPARATOR);
            key.extend_from_slice(language.as_bytes());
            key.extend_from_slice(match direction {
                None => b"",
                Some(BaseDirection::Ltr) => LTR.as_bytes(),
                Some(BaseDirection::Rtl) => RTL.as_bytes(),
            });
            Tag::LangString
        }
        LiteralSort::Typed(datatype) => {
            escape(lexical, key);
            key.push(SEPARATOR);
            key.extend_from_slice(datatype.as_bytes());
            Tag::Typed
        }
    }
}

/// Writes, over `key`, what the keys of all terms of this tag begin with whose text begins with `prefix`.
pub fn encode_prefix(tag: Tag, prefix: &str, key: &mut Vec<u8>) {
    key.clear();
    match tag {
        Tag::LangString | Tag::Typed => escape(prefix, key),
        _ => key.extend_from_slice(prefix.as_bytes()),
    }
}

fn escape(lexical: &str, key: &mut Vec<u8>) {
    let bytes = lexical.as_bytes();
    if !bytes.iter().any(|&b| b <= ESCAPE) {
        key.extend_from_slice(bytes);
        return;
    }
    for &byte in bytes {
        if byte <= ESCAPE {
            key.extend([ESCAPE, byte + 1]);
        } else {
            key.push(byte);
        }
    }
}

/// The term of a key; the key is taken apart where it lies. `None` when it is no key of this tag.
pub fn decode_key(tag: Tag, key: &mut [u8]) -> Option<TermView<'_>> {
    match tag {
        Tag::Iri => Some(TermView::Iri(std::str::from_utf8(key).ok()?)),
        Tag::String => Some(TermView::Literal {
            lexical: std::str::from_utf8(key).ok()?,
            sort: LiteralSort::String,
        }),
        Tag::LangString | Tag::Typed => decode_literal(tag, key),
        Tag::Triple => {
            let (ids, []) = key.as_chunks::<8>() else {
                return None;
            };
            let id = |bytes: &[u8; 8]| TermId::from_bits(u64::from_be_bytes(*bytes));
            let ids: [TermId; 3] = ids.iter().map(id).collect::<Vec<_>>().try_into().ok()?;
            Some(TermView::Triple(ids))
        }
        _ => None,
    }
}

fn decode_literal(tag: Tag, key: &mut [u8]) -> Option<TermView<'_>> {
    let separator = key.iter().rposition(|&b| b == SEPARATOR)?;
    let (lexical, rest) = key.split_at_mut(separator);
    let len = unescape(lexical)?;
    let lexical = std::str::from_utf8(&lexical[..len]).ok()?;
    let rest = std::str::from_utf8(&rest[1..]).ok()?;
    let sort = if tag == Tag::Typed {
        LiteralSort::Typed(rest)
    } else if let Some(language) = rest.strip_suffix(LTR) {
        LiteralSort::Lang(language, Some(BaseDirection::Ltr))
    } else if let Some(language) = rest.strip_suffix(RTL) {
        LiteralSort::Lang(language, Some(BaseDirection::Rtl))
    } else {
        LiteralSort::Lang(rest, None)
    };
    Some(TermView::Literal { lexical, sort })
}

/// Undoes [`escape`] where the bytes lie, and gives the number of bytes that are left.
fn unescape(bytes: &mut [u8]) -> Option<usize> {
    if !bytes.contains(&ESCAPE) {
        return Some(bytes.len());
    }
    let (mut from, mut to) = (0, 0);
    while from < bytes.len() {
        if bytes[from] == ESCAPE {
            from += 1;
            bytes[to] = bytes.get(from)?.checked_sub(1)?;
        } else {
            bytes[to] = bytes[from];
        }
        from += 1;
        to += 1;
    }
    Some(to)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(term: TermView<'_>) {
        let mut key = Vec::new();
        let tag = encode_key(&term, &mut key).expect("the term is stored");
        assert_eq!(decode_key(tag, &mut key), Some(term));
    }

    #[test]
    fn every_sort_of_term_comes_back() {
        let literal = |lexical, sort| TermView::Literal { lexical, sort };
        check(TermView::Iri("http://example.com/é"));
        check(literal("", LiteralSort::String));
        check(literal("a\0b\u{1}", LiteralSort::String));
        for lexical in ["", "chat", "\0", "\u{1}", "a\0b\u{1}\u{2}c\0"] {
            check(literal(lexical, LiteralSort::Typed("http://example.com/t")));
            check(literal(lexical, LiteralSort::Lang("en-GB", None)));
            check(literal(lexical, LiteralSort::Lang("ltr", None)));
            check(literal(
                lexical,
                LiteralSort::Lang("he", Some(BaseDirection::Rtl)),
            ));
            check(literal(
                lexical,
                LiteralSort::Lang("en", Some(BaseDirection::Ltr)),
            ));
        }
        check(TermView::Triple([
            TermId::new(Tag::Iri, 1),
            TermId::new(Tag::Iri, 2),
            TermId::new(Tag::Triple, 3),
        ]));
    }

    #[test]
    fn bytes_that_are_no_key_are_refused() {
        for (tag, bytes) in [
            (Tag::Iri, &b"\xFF"[..]),
            (Tag::Typed, b"no separator"),
            (Tag::LangString, b"x\x01\x00en"),
            (Tag::Triple, b"short"),
            (Tag::Integer, b"1"),
        ] {
            assert_eq!(decode_key(tag, &mut bytes.to_vec()), None, "{tag:?}");
        }
    }

    proptest! {
        #[test]
        fn keys_sort_as_lexical_forms_and_prefixes_are_exact(
            a in "[\0\u{1}\u{2}ab]{0,6}", b in "[\0\u{1}\u{2}ab]{0,6}", prefix in "[\0\u{1}a]{0,3}",
        ) {
            let key = |lexical: &str| {
                let mut key = Vec::new();
                let sort = LiteralSort::Typed("http://example.com/t");
                encode_key(&TermView::Literal { lexical, sort }, &mut key);
                key
            };
            prop_assert_eq!(key(&a).cmp(&key(&b)), a.cmp(&b));
            let mut start = Vec::new();
            encode_prefix(Tag::Typed, &prefix, &mut start);
            prop_assert_eq!(key(&a).starts_with(&start), a.starts_with(&prefix));
        }
    }
}
