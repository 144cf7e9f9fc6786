//! What the parser of RDF/XML does not tell: where in the document it is, and whether the document is whole.
//!
//! The parser takes a document that ends within an element, or has none, for a whole one. So its bytes pass through here,
//! a tag or a line at a time, which the parser asks for one after the other as it needs them; the tags are counted, and
//! the place of the last piece is where an error is. That tags match is the parser's own business.

use std::cell::Cell;
use std::io::{self, BufRead, BufReader, Read};
use std::rc::Rc;

/// How far the parser of a document is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Progress {
    line: u64,
    column: u64,
    is_whole: bool,
}

/// Watches the parser of a document.
#[derive(Clone, Debug)]
pub struct XmlWatch(Rc<Cell<Progress>>);

impl XmlWatch {
    /// The line and the column, both from 1, of the tag or the line of text that was read last.
    pub fn place(&self) -> (u64, u64) {
        let Progress { line, column, .. } = self.0.get();
        (line, column)
    }

    /// Whether what was read is a document whose root element is closed.
    pub fn is_whole(&self) -> bool {
        self.0.get().is_whole
    }
}

/// A document on its way to the parser.
pub struct XmlReader<R> {
    inner: BufReader<R>,
    watch: XmlWatch,
    /// Where the next byte stands.
    line: u64,
    column: u64,
    /// Whether the next byte begins a piece.
    begins: bool,
    markup: Markup,
    /// The elements that are open.
    depth: u64,
    has_root: bool,
}

/// What the next byte is in.
#[derive(Clone, Copy, Debug)]
enum Markup {
    Text,
    /// Behind `<`.
    Open,
    /// In a tag: whether it closes an element, the quotation mark of the value it is in, and the byte before.
    Tag {
        closes: bool,
        quote: Option<u8>,
        last: u8,
    },
    /// Behind `<!`.
    Declaration,
    /// In what two equal bytes and `>` end, so many of which were there: a comment, or a section of characters.
    Until {
        mark: u8,
        marks: u8,
    },
    /// In an instruction, behind a `?` or not.
    Instruction {
        question: bool,
    },
    /// In a document type, so many angle brackets deep.
    Type {
        brackets: u32,
    },
}

impl<R: Read> XmlReader<R> {
    /// A document, and who watches its parser.
    pub fn new(document: R) -> (Self, XmlWatch) {
        let watch = XmlWatch(Rc::new(Cell::new(Progress {
            line: 1,
            column: 1,
            is_whole: false,
        })));
        let reader = Self {
            inner: BufReader::new(document),
            watch: watch.clone(),
            line: 1,
            column: 1,
            begins: true,
            markup: Markup::Text,
            depth: 0,
            has_root: false,
        };
        (reader, watch)
    }

    /// Takes note of a piece that goes to the parser.
    fn pass(&mut self, piece: &[u8]) {
        for &byte in piece {
            if self.begins && !byte.is_ascii_whitespace() {
                self.begins = false;
                self.tell();
            }
            self.step(byte);
            match byte {
                b'\n' => (self.line, self.column) = (self.line + 1, 1),
                // Columns count characters, of which the other bytes of UTF-8 are no beginnings.
                0x80..=0xBF => {}
                _ => self.column += 1,
            }
        }
        self.begins |= piece.last().is_some_and(|byte| is_end(*byte));
        let is_whole = self.has_root && self.depth == 0 && matches!(self.markup, Markup::Text);
        let progress = self.watch.0.get();
        self.watch.0.set(Progress {
            is_whole,
            ..progress
        });
    }

    fn tell(&self) {
        self.watch.0.set(Progress {
            line: self.line,
            column: self.column,
            is_whole: false,
        });
    }

    fn step(&mut self, byte: u8) {
        self.markup = match (self.markup, byte) {
            (Markup::Text, b'<') => Markup::Open,
            (Markup::Text, _) => Markup::Text,
            (Markup::Open, b'?') => Markup::Instruction { question: false },
            (Markup::Open, b'!') => Markup::Declaration,
            (Markup::Open, _) => Markup::Tag {
                closes: byte == b'/',
                quote: None,
                last: 0,
            },
            (Markup::Tag { closes, quote, .. }, b'"' | b'\'') => Markup::Tag {
                closes,
                quote: match quote {
                    None => Some(byte),
                    Some(open) if open == byte => None,
                    open => open,
                },
                last: byte,
            },
            (
                Markup::Tag {
                    closes,
                    quote: None,
                    last,
                },
                b'>',
            ) => {
                self.has_root = true;
                match (closes, last) {
                    (true, _) => self.depth = self.depth.saturating_sub(1),
                    (false, b'/') => {}
                    (false, _) => self.depth += 1,
                }
                Markup::Text
            }
            (Markup::Tag { closes, quote, .. }, last) => Markup::Tag {
                closes,
                quote,
                last,
            },
            (Markup::Declaration, b'-') => Markup::Until {
                mark: b'-',
                marks: 0,
            },
            (Markup::Declaration, b'[') => Markup::Until {
                mark: b']',
                marks: 0,
            },
            (Markup::Declaration, _) => Markup::Type { brackets: 1 },
            (Markup::Until { marks: 2.., .. }, b'>') => Markup::Text,
            (Markup::Until { mark, marks }, byte) => Markup::Until {
                mark,
                marks: if byte == mark { (marks + 1).min(2) } else { 0 },
            },
            (Markup::Instruction { question: true }, b'>') => Markup::Text,
            (Markup::Instruction { .. }, byte) => Markup::Instruction {
                question: byte == b'?',
            },
            (Markup::Type { brackets: 1 }, b'>') => Markup::Text,
            (Markup::Type { brackets }, b'>') => Markup::Type {
                brackets: brackets - 1,
            },
            (Markup::Type { brackets }, b'<') => Markup::Type {
                brackets: brackets.saturating_add(1),
            },
            (Markup::Type { brackets }, _) => Markup::Type { brackets },
        };
    }
}

/// Whether a piece ends with a byte.
fn is_end(byte: u8) -> bool {
    matches!(byte, b'>' | b'\n')
}

impl<R: Read> Read for XmlReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let ready = self.inner.fill_buf()?;
        let end = ready.iter().position(|byte| is_end(*byte));
        let length = end.map_or(ready.len(), |end| end + 1).min(buffer.len());
        buffer[..length].copy_from_slice(&ready[..length]);
        self.inner.consume(length);
        self.pass(&buffer[..length]);
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(document: &str) -> XmlWatch {
        let (mut reader, watch) = XmlReader::new(document.as_bytes());
        let mut copy = String::new();
        reader.read_to_string(&mut copy).unwrap();
        assert_eq!(copy, document);
        watch
    }

    const DOCUMENT: &str = "<?xml version='1.0'?>\n<!DOCTYPE r [<!ENTITY e '<x>'>]>\n<!-- <a> -- > -->\
        <r a='>' b=\"'/>\"><e/><e x='/'>]]<![CDATA[</e></r>]]]>é</e\n></r>\n<!-- end -->\n";

    #[test]
    fn a_document_is_whole_from_the_end_of_its_root_on() {
        let root = DOCUMENT.rfind("</r>").unwrap() + "</r>".len();
        for end in (0..=DOCUMENT.len()).filter(|&end| DOCUMENT.is_char_boundary(end)) {
            let rest = &DOCUMENT[root.min(end)..end];
            let expected = end >= root && (rest.trim().is_empty() || rest.contains("-->"));
            assert_eq!(
                read(&DOCUMENT[..end]).is_whole(),
                expected,
                "{}",
                &DOCUMENT[..end]
            );
        }
        assert!(read("<r/>").is_whole());
        assert!(!read("").is_whole());
        assert!(!read("text").is_whole());
    }

    #[test]
    fn the_place_is_that_of_the_last_piece() {
        for (document, place) in [
            ("", (1, 1)),
            ("<r>", (1, 1)),
            ("<r><e>", (1, 4)),
            ("<r>é<e>", (1, 4)),
            ("<r>\n  <e>", (2, 3)),
            ("<r>\n  text\n  more", (3, 3)),
            ("<r\n  a='1'\n  b='2'>\n", (3, 3)),
        ] {
            assert_eq!(read(document).place(), place, "{document}");
        }
    }
}
