//! A watch over the parser of a document: when it complains, what it complains of, where that is, and the line it stands in.
//!
//! The document passes through here on its way to the parser, and its last part is remembered; an error is never far behind
//! what was read last.

use super::xml::{XmlReader, XmlWatch};
use oxrdfio::{RdfFormat, RdfSyntaxError};
use std::cell::RefCell;
use std::io::{self, Read};
use std::rc::Rc;

/// So much of a document is remembered at least.
const REMEMBERED_BYTES: usize = 64 << 10;
/// How many characters of a line are shown.
const EXCERPT_CHARACTERS: usize = 120;
/// The words with which parsers begin to say the place of an error, which [`SyntaxFault::place`] has.
const PLACE_BEGINS: &str = "Parser error ";
const NOT_WHOLE: &str = "the document ends before its root element is closed";

/// What is wrong with a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxFault {
    /// What it is.
    pub message: String,
    /// The line and the column, both from 1, where they are known.
    pub place: Option<(u64, u64)>,
    /// The line with a caret below the place; empty where it is not known.
    pub excerpt: String,
}

/// Watches the parser of one document.
pub struct ParserWatch {
    tail: Rc<RefCell<Tail>>,
    xml: Option<XmlWatch>,
}

/// A document on its way to the parser of its format, and the watch over that parser.
pub fn watched<'d>(
    format: RdfFormat,
    document: Box<dyn Read + 'd>,
) -> (Box<dyn Read + 'd>, ParserWatch) {
    let tail = Rc::new(RefCell::new(Tail::default()));
    let document = Remembered {
        document,
        tail: Rc::clone(&tail),
    };
    match format {
        RdfFormat::RdfXml => {
            let (document, xml) = XmlReader::new(document);
            let xml = Some(xml);
            (Box::new(document), ParserWatch { tail, xml })
        }
        _ => (Box::new(document), ParserWatch { tail, xml: None }),
    }
}

impl ParserWatch {
    /// What the parser complained of.
    pub fn fault(&self, cause: &RdfSyntaxError) -> SyntaxFault {
        let told = cause.location().map(|range| range.start);
        let told = told.map(|start| (start.line + 1, start.column + 1));
        let place = told.or_else(|| self.xml.as_ref().map(XmlWatch::place));
        let message = cause.to_string();
        let behind_place = message
            .strip_prefix(PLACE_BEGINS)
            .and_then(|rest| rest.split_once(": "));
        let message = behind_place.map_or(&*message, |(_, message)| message);
        self.at(message, place)
    }

    /// What is wrong with the document though the parser took it as it is: that it is not whole.
    pub fn fault_of_end(&self) -> Option<SyntaxFault> {
        let xml = self.xml.as_ref().filter(|xml| !xml.is_whole())?;
        Some(self.at(NOT_WHOLE, Some(xml.place())))
    }

    fn at(&self, message: &str, place: Option<(u64, u64)>) -> SyntaxFault {
        let tail = self.tail.borrow();
        let line = place.and_then(|(line, column)| Some((tail.line(line)?, column)));
        SyntaxFault {
            message: message.to_owned(),
            place,
            excerpt: line.map_or_else(String::new, |(line, column)| excerpt(line, column)),
        }
    }
}

/// The part of a line around a column, which counts from 1, and a caret below it.
pub fn excerpt(line: &[u8], column: u64) -> String {
    let line = String::from_utf8_lossy(line);
    let column = column.saturating_sub(1) as usize;
    let start = column.saturating_sub(EXCERPT_CHARACTERS / 2);
    let shown: String = line
        .trim_end()
        .chars()
        .skip(start)
        .take(EXCERPT_CHARACTERS)
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    format!("{shown}\n{}^", " ".repeat(column - start))
}

/// A document whose last part is remembered.
struct Remembered<'d> {
    document: Box<dyn Read + 'd>,
    tail: Rc<RefCell<Tail>>,
}

impl Read for Remembered<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.document.read(buffer)?;
        self.tail.borrow_mut().push(&buffer[..read]);
        Ok(read)
    }
}

/// The last lines of what was read.
#[derive(Default)]
struct Tail {
    bytes: Vec<u8>,
    /// How many lines end before them.
    lines_before: u64,
    /// Whether they begin within a line.
    is_cut: bool,
}

impl Tail {
    fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        if self.bytes.len() > 2 * REMEMBERED_BYTES {
            let gone = self.bytes.len() - REMEMBERED_BYTES;
            let gone = self.bytes.drain(..gone);
            let gone = gone.as_slice();
            self.is_cut = gone.last() != Some(&b'\n');
            self.lines_before += gone.iter().filter(|&&byte| byte == b'\n').count() as u64;
        }
    }

    /// A line by its number, from 1, if it is there from its beginning.
    fn line(&self, number: u64) -> Option<&[u8]> {
        let position = number.checked_sub(self.lines_before + 1)?;
        let mut lines = self.bytes.split(|&byte| byte == b'\n');
        let line = lines.nth(usize::try_from(position).ok()?)?;
        (position > 0 || !self.is_cut).then_some(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use oxrdfio::{RdfParseError, RdfParser};

    fn fault(format: RdfFormat, document: &str) -> SyntaxFault {
        let (reader, watch) = watched(format, Box::new(document.as_bytes()));
        for quad in RdfParser::from_format(format).for_reader(reader) {
            match quad {
                Ok(_) => {}
                Err(RdfParseError::Syntax(cause)) => return watch.fault(&cause),
                Err(RdfParseError::Io(cause)) => panic!("{cause}"),
            }
        }
        watch.fault_of_end().unwrap()
    }

    #[test]
    fn a_place_is_told_once_with_its_line() {
        let turtle = fault(
            RdfFormat::Turtle,
            "@prefix : <http://e/> .\n:a :b .\n:c :d :e .\n",
        );
        assert_eq!(turtle.place, Some((2, 7)));
        assert_eq!(turtle.excerpt, ":a :b .\n      ^");
        let json = fault(
            RdfFormat::JsonLd {
                profile: Default::default(),
            },
            "{\n \"@id\": ]\n}",
        );
        assert_eq!(json.place, Some((2, 9)));
        assert_eq!(json.excerpt, " \"@id\": ]\n        ^");
        for fault in [turtle, json] {
            assert!(!fault.message.contains("line"), "{}", fault.message);
        }
    }

    #[test]
    fn a_document_that_is_not_whole_ends_somewhere() {
        let fault = fault(RdfFormat::RdfXml, "<a:b xmlns:a=\"http://e/\">\n  <a:c>");
        assert_eq!(fault.place, Some((2, 3)));
        assert_eq!(fault.excerpt, "  <a:c>\n  ^");
    }

    #[test]
    fn a_line_far_into_a_document_is_shown() {
        let document = "<http://e/a> <http://e/b> <http://e/c> .\n".repeat(20_000) + "<x\n";
        let fault = fault(RdfFormat::TriG, &document);
        assert_eq!(fault.place.map(|(line, _)| line), Some(20_001));
        assert!(fault.excerpt.starts_with("<x\n"), "{}", fault.excerpt);
    }

    #[test]
    fn a_line_without_its_beginning_is_not_shown() {
        let mut tail = Tail::default();
        for _ in 0..40 {
            tail.push(&[b'x'; 4096]);
        }
        tail.push(b"\nabc\n");
        assert_eq!(
            (tail.line(1), tail.line(2), tail.line(9)),
            (None, Some(&b"abc"[..]), None)
        );
    }

    #[test]
    fn an_excerpt_points_at_the_column() {
        assert_eq!(excerpt(b"<a> b\n", 5), "<a> b\n    ^");
        let long = format!("{}!{}", "x".repeat(500), "y".repeat(500));
        let shown = excerpt(long.as_bytes(), 501);
        let (text, caret) = shown.split_once('\n').unwrap();
        assert_eq!(text.chars().nth(caret.len() - 1), Some('!'));
    }
}
