//! Escaping: copying text, with some bytes replaced.
//!
//! Each syntax has a table of the 256 bytes; bytes of its class 0 are copied in one piece up to the next other one,
//! so text without anything to escape costs one look at each byte and one copy.

use crate::diagnostics::{Error, ErrorKind, Result};

/// A class for each byte: 0 is copied, others are replaced by the caller.
type Classes = [bool; 256];

const fn classes(special: &[u8], controls: bool) -> Classes {
    let mut table = [false; 256];
    let mut i = 0;
    while i < special.len() {
        table[special[i] as usize] = true;
        i += 1;
    }
    let mut control = 0;
    while controls && control < 0x20 {
        table[control] = true;
        control += 1;
    }
    table
}

static JSON: Classes = classes(b"\"\\", true);
// The byte 0xEF begins U+FFFE and U+FFFF.
static TURTLE_STRING: Classes = classes(b"\"\\\x7f\xef", true);
static TURTLE_IRI: Classes = classes(b"<>\"{}|^`\\ ", true);
// XML has no way to write U+FFFE and U+FFFF.
static XML: Classes = classes(b"&<>\"\xef", true);

/// Copies `text`, handing each byte of a class other than 0 to `replace` with its place, which tells how many bytes it
/// has replaced: of those, none but the first may be of such a class.
#[inline]
fn copy(
    text: &[u8],
    classes: &Classes,
    out: &mut Vec<u8>,
    mut replace: impl FnMut(u8, usize, &mut Vec<u8>) -> usize,
) {
    let mut copied = 0;
    for (place, &byte) in text.iter().enumerate() {
        if classes[byte as usize] {
            out.extend_from_slice(&text[copied..place]);
            copied = place + replace(byte, place, out);
        }
    }
    out.extend_from_slice(&text[copied..]);
}

const HEX: &[u8; 16] = b"0123456789ABCDEF";

/// Appends what one byte is replaced by.
fn put(replacement: &[u8], out: &mut Vec<u8>) -> usize {
    out.extend_from_slice(replacement);
    1
}

fn push_unicode_escape(byte: u8, out: &mut Vec<u8>) -> usize {
    let digits = [HEX[(byte >> 4) as usize], HEX[(byte & 15) as usize]];
    out.extend_from_slice(b"\\u00");
    put(&digits, out)
}

/// The inside of a JSON string (RFC 8259, section 7).
pub fn json(text: &str, out: &mut Vec<u8>) {
    copy(text.as_bytes(), &JSON, out, |byte, _, out| match byte {
        b'"' => put(b"\\\"", out),
        b'\\' => put(b"\\\\", out),
        b'\n' => put(b"\\n", out),
        b'\r' => put(b"\\r", out),
        b'\t' => put(b"\\t", out),
        other => push_unicode_escape(other, out),
    });
}

/// The inside of a short string in N-Triples, Turtle or TSV, escaped as in canonical N-Triples (RDF 1.2 N-Triples,
/// section "A Canonical form of N-Triples").
pub fn turtle_string(text: &str, out: &mut Vec<u8>) {
    let bytes = text.as_bytes();
    let replace = |byte, place: usize, out: &mut Vec<u8>| match byte {
        b'"' => put(b"\\\"", out),
        b'\\' => put(b"\\\\", out),
        b'\n' => put(b"\\n", out),
        b'\r' => put(b"\\r", out),
        b'\t' => put(b"\\t", out),
        0x08 => put(b"\\b", out),
        0x0c => put(b"\\f", out),
        0xef => match bytes[place..] {
            [_, 0xbf, last @ (0xbe | 0xbf), ..] => {
                out.extend_from_slice(b"\\uFFF");
                put(&[HEX[(last & 15) as usize]], out) + 2
            }
            _ => put(&[byte], out),
        },
        other => push_unicode_escape(other, out),
    };
    copy(bytes, &TURTLE_STRING, out, replace);
}

/// The inside of an IRI in N-Triples or Turtle.
pub fn turtle_iri(text: &str, out: &mut Vec<u8>) {
    copy(text.as_bytes(), &TURTLE_IRI, out, |byte, _, out| {
        push_unicode_escape(byte, out)
    });
}

/// The inside of an XML element or attribute (XML 1.0, sections 2.2, 2.4 and 2.11).
///
/// A carriage return is written by number, else a reader makes it a line feed; so is white space at either end, which
/// readers like to trim.
///
/// # Errors
/// The text holds a character that XML 1.0 cannot carry.
pub fn xml(text: &str, out: &mut Vec<u8>) -> Result<()> {
    let bytes = text.as_bytes();
    let first = bytes
        .iter()
        .position(|b| !b" \t\r\n".contains(b))
        .unwrap_or(bytes.len());
    let last = bytes
        .iter()
        .rposition(|b| !b" \t\r\n".contains(b))
        .unwrap_or(0)
        .max(first);
    for &byte in &bytes[..first] {
        push_reference(byte, out);
    }
    let middle = &bytes[first..bytes.len().min(last + 1)];
    let mut forbidden = false;
    copy(middle, &XML, out, |byte, place, out| match byte {
        b'&' => put(b"&amp;", out),
        b'<' => put(b"&lt;", out),
        b'>' => put(b"&gt;", out),
        b'"' => put(b"&quot;", out),
        b'\r' => push_reference(byte, out),
        b'\n' | b'\t' => put(&[byte], out),
        0xef => {
            forbidden |= matches!(middle[place..], [_, 0xbf, 0xbe | 0xbf, ..]);
            put(&[byte], out)
        }
        _ => {
            forbidden = true;
            1
        }
    });
    for &byte in &bytes[first + middle.len()..] {
        push_reference(byte, out);
    }
    if forbidden {
        return Err(Error::new(
            ErrorKind::NotAcceptable,
            "the answer holds a control character, which XML cannot carry; ask for JSON or TSV",
        ));
    }
    Ok(())
}

fn push_reference(byte: u8, out: &mut Vec<u8>) -> usize {
    let reference: &[u8] = match byte {
        b'\r' => b"&#xD;",
        b'\n' => b"&#xA;",
        b'\t' => b"&#x9;",
        _ => b"&#x20;",
    };
    put(reference, out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_syntax_escapes_its_own() {
        let check = |escape: fn(&str, &mut Vec<u8>), text: &str, expected: &str| {
            let mut out = Vec::new();
            escape(text, &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), expected);
        };
        check(
            json,
            "say \"hi\"\t\r\n\u{1}é",
            "say \\\"hi\\\"\\t\\r\\n\\u0001é",
        );
        check(
            turtle_string,
            "a\\b\"\r\u{8}\u{c}\u{7f}\u{FFFE}ï\u{FFFF}\u{FFFD}",
            "a\\\\b\\\"\\r\\b\\f\\u007F\\uFFFEï\\uFFFF\u{FFFD}",
        );
        check(turtle_iri, "http://e/a b>", "http://e/a\\u0020b\\u003E");
        let xml = |text: &str, out: &mut Vec<u8>| xml(text, out).unwrap();
        check(xml, "a<b>&\"c\"", "a&lt;b&gt;&amp;&quot;c&quot;");
        check(xml, "a\r\nb", "a&#xD;\nb");
        check(xml, " a b\n", "&#x20;a b&#xA;");
        check(xml, " \t", "&#x20;&#x9;");
        check(xml, "", "");
        check(xml, "\u{FFFD}ï", "\u{FFFD}ï");
    }

    #[test]
    fn xml_refuses_what_it_cannot_carry() {
        for text in ["\u{1}", "a\u{FFFE}", "\u{FFFF}b", "\u{0}"] {
            assert!(xml(text, &mut Vec::new()).is_err(), "{text:?}");
        }
    }
}
