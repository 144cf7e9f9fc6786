//! Statements to N-Triples bytes, up to a wanted number (RDF 1.1 N-Triples, clauses 2 and 4).
//!
//! Knows how records, blank nodes and literals are spelt; guarantees that no line is written past the wanted number.
//! That no statement is written twice is left to those who make them.

use super::calendar::Day;
use super::record::{Class, Record};
use super::vocabulary::{DATA, xsd};
use std::borrow::Cow;
use std::io::{self, Write};

/// So many bytes are collected before they are handed on.
const BUFFER_BYTES: usize = 1 << 16;

/// A blank node: what it is, whose it is, and which of several.
#[derive(Clone, Copy, Debug)]
pub struct Blank {
    /// A word that begins the label.
    pub kind: &'static str,
    /// The number of the record it belongs to.
    pub owner: u64,
    /// Which one of that record.
    pub index: u64,
}

/// The object of a statement.
#[derive(Clone, Debug)]
pub enum Object<'a> {
    /// A record.
    Record(Record),
    /// A blank node.
    Blank(Blank),
    /// An IRI, already valid.
    Iri(Cow<'a, str>),
    /// A plain string.
    Plain(Cow<'a, str>),
    /// A text with its language.
    Lang(Cow<'a, str>, &'static str),
    /// A lexical form, well-formed or not, with its datatype.
    Typed(Cow<'a, str>, &'static str),
    /// An `xsd:integer`.
    Integer(i64),
    /// An `xsd:decimal` of so many hundredths, written without needless zeros.
    Hundredths(i64),
    /// An `xsd:decimal` of so many hundredths, written like a price, always with two places.
    Price(i64),
    /// An `xsd:double`.
    Double(f64),
    /// An `xsd:boolean`.
    Boolean(bool),
    /// An `xsd:gYear`.
    Year(u64),
    /// An `xsd:date`.
    Date(Day),
    /// An `xsd:dateTime` in UTC: the day and the second of the day.
    DateTime(Day, u64),
}

impl<'a> Object<'a> {
    /// An IRI that stands in the program.
    pub fn iri(iri: &'a str) -> Self {
        Self::Iri(Cow::Borrowed(iri))
    }

    /// A record.
    pub fn record(class: Class, number: u64) -> Self {
        Self::Record(Record::new(class, number))
    }

    /// A plain string.
    pub fn plain(text: impl Into<Cow<'a, str>>) -> Self {
        Self::Plain(text.into())
    }

    /// A text with its language.
    pub fn lang(text: impl Into<Cow<'a, str>>, language: &'static str) -> Self {
        Self::Lang(text.into(), language)
    }
}

/// The statements written so far, and those about to leave.
pub struct Statements<'p, W> {
    out: W,
    buffer: Vec<u8>,
    subject: Vec<u8>,
    written: u64,
    wanted: u64,
    progress: &'p mut dyn FnMut(u64),
}

impl<'p, W: Write> Statements<'p, W> {
    /// Writes to `out` at most `wanted` statements, and tells `progress` now and then how many there are.
    pub fn new(out: W, wanted: u64, progress: &'p mut dyn FnMut(u64)) -> Self {
        let buffer = Vec::with_capacity(2 * BUFFER_BYTES);
        Self {
            out,
            buffer,
            subject: Vec::new(),
            written: 0,
            wanted,
            progress,
        }
    }

    /// True when the wanted number is reached; what is added from then on is left out.
    pub fn is_full(&self) -> bool {
        self.written >= self.wanted
    }

    /// The statements that follow are about `record`.
    pub fn about(&mut self, record: Record) {
        self.subject.clear();
        write_record(&mut self.subject, record);
    }

    /// The statements that follow are about `blank`.
    pub fn about_blank(&mut self, blank: Blank) {
        self.subject.clear();
        write_blank(&mut self.subject, blank);
    }

    /// Adds the statement that the current subject has `object` for `predicate`.
    pub fn add(&mut self, predicate: &str, object: Object<'_>) -> io::Result<()> {
        if self.is_full() {
            return Ok(());
        }
        self.buffer.extend_from_slice(&self.subject);
        self.buffer.extend_from_slice(b" <");
        self.buffer.extend_from_slice(predicate.as_bytes());
        self.buffer.extend_from_slice(b"> ");
        write_object(&mut self.buffer, object)?;
        self.buffer.extend_from_slice(b" .\n");
        self.written += 1;
        if self.buffer.len() >= BUFFER_BYTES {
            self.hand_on()?;
        }
        Ok(())
    }

    /// Hands on what is still collected; returns the number of statements written.
    pub fn finish(mut self) -> io::Result<u64> {
        self.hand_on()?;
        self.out.flush()?;
        Ok(self.written)
    }

    fn hand_on(&mut self) -> io::Result<()> {
        self.out.write_all(&self.buffer)?;
        self.buffer.clear();
        (self.progress)(self.written);
        Ok(())
    }
}

fn write_object(to: &mut Vec<u8>, object: Object<'_>) -> io::Result<()> {
    match object {
        Object::Record(record) => write_record(to, record),
        Object::Blank(blank) => write_blank(to, blank),
        Object::Iri(iri) => write!(to, "<{iri}>")?,
        Object::Plain(text) => write_string(to, &text),
        Object::Lang(text, language) => {
            write_string(to, &text);
            write!(to, "@{language}")?;
        }
        Object::Typed(lexical, datatype) => {
            write_string(to, &lexical);
            write!(to, "^^<{datatype}>")?;
        }
        Object::Integer(value) => write!(to, "\"{value}\"^^<{}>", xsd::INTEGER)?,
        Object::Hundredths(value) => write!(to, "\"{}\"^^<{}>", hundredths(value), xsd::DECIMAL)?,
        Object::Price(value) => write!(
            to,
            "\"{}.{:02}\"^^<{}>",
            value / 100,
            value % 100,
            xsd::DECIMAL
        )?,
        Object::Double(value) => write!(to, "\"{value:E}\"^^<{}>", xsd::DOUBLE)?,
        Object::Boolean(value) => write!(to, "\"{value}\"^^<{}>", xsd::BOOLEAN)?,
        Object::Year(year) => write!(to, "\"{year}\"^^<{}>", xsd::G_YEAR)?,
        Object::Date(day) => write!(to, "\"{}\"^^<{}>", date(day), xsd::DATE)?,
        Object::DateTime(day, second) => {
            write!(to, "\"{}\"^^<{}>", date_time(day, second), xsd::DATE_TIME)?
        }
    }
    Ok(())
}

fn write_record(to: &mut Vec<u8>, record: Record) {
    to.push(b'<');
    to.extend_from_slice(DATA.as_bytes());
    to.extend_from_slice(record.class.path().as_bytes());
    to.push(b'/');
    to.extend_from_slice(record.number.to_string().as_bytes());
    to.push(b'>');
}

fn write_blank(to: &mut Vec<u8>, blank: Blank) {
    to.extend_from_slice(format!("_:{}{}x{}", blank.kind, blank.owner, blank.index).as_bytes());
}

fn write_string(to: &mut Vec<u8>, text: &str) {
    to.push(b'"');
    for byte in text.bytes() {
        match byte {
            b'"' => to.extend_from_slice(b"\\\""),
            b'\\' => to.extend_from_slice(b"\\\\"),
            b'\n' => to.extend_from_slice(b"\\n"),
            b'\r' => to.extend_from_slice(b"\\r"),
            byte => to.push(byte),
        }
    }
    to.push(b'"');
}

/// A decimal of so many hundredths in canonical form.
pub fn hundredths(value: i64) -> String {
    match (value / 100, value % 100) {
        (whole, 0) => whole.to_string(),
        (whole, part) if part % 10 == 0 => format!("{whole}.{}", part / 10),
        (whole, part) => format!("{whole}.{part:02}"),
    }
}

/// A day as `xsd:date` writes it.
pub fn date(day: Day) -> String {
    let (year, month, day) = day.civil();
    format!("{year:04}-{month:02}-{day:02}")
}

/// A second of a day as `xsd:dateTime` writes it, in UTC.
pub fn date_time(day: Day, second: u64) -> String {
    let (hour, minute, second) = (second / 3600 % 24, second / 60 % 60, second % 60);
    format!("{}T{hour:02}:{minute:02}:{second:02}Z", date(day))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(object: Object<'_>, expected: &str) {
        let mut bytes = Vec::new();
        write_object(&mut bytes, object).unwrap();
        assert_eq!(
            String::from_utf8(bytes)
                .unwrap()
                .replace("http://www.w3.org/2001/XMLSchema#", "xsd:"),
            expected
        );
    }

    #[test]
    fn objects() {
        check(
            Object::record(Class::Article, 3),
            "<http://kaluta.example/article/3>",
        );
        check(
            Object::Blank(Blank {
                kind: "p",
                owner: 3,
                index: 1,
            }),
            "_:p3x1",
        );
        check(Object::plain("a \"b\"\n\\"), r#""a \"b\"\n\\""#);
        check(Object::lang("ä", "de"), "\"ä\"@de");
        check(Object::Hundredths(350), "\"3.5\"^^<xsd:decimal>");
        check(Object::Hundredths(1205), "\"12.05\"^^<xsd:decimal>");
        check(Object::Price(1200), "\"12.00\"^^<xsd:decimal>");
        check(Object::Double(12.5), "\"1.25E1\"^^<xsd:double>");
        check(Object::Date(Day(0)), "\"1990-01-01\"^^<xsd:date>");
        check(
            Object::DateTime(Day(1), 3661),
            "\"1990-01-02T01:01:01Z\"^^<xsd:dateTime>",
        );
    }

    #[test]
    fn stops_at_the_wanted_number() {
        let mut bytes = Vec::new();
        let mut ignore = |_| ();
        let mut statements = Statements::new(&mut bytes, 2, &mut ignore);
        statements.about(Record::new(Class::User, 1));
        for n in 0..5 {
            statements.add("http://e/p", Object::Integer(n)).unwrap();
        }
        assert_eq!(statements.finish().unwrap(), 2);
        assert_eq!(bytes.iter().filter(|b| **b == b'\n').count(), 2);
    }
}
