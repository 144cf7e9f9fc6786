//! Choosing a media type and a content coding (RFC 9110, sections 12.4 and 12.5).
//!
//! A type's quality is that of the most specific range which matches it. Among types of the best quality, one that
//! the client named wins over one that a wildcard matched, then the client's order, then the server's. Parts of the
//! header that do not parse are skipped, and a header without any part is as if it were missing.

use crate::diagnostics::{Error, ErrorKind, Result};
use crate::results::formats::Offer;
use axum::http::{HeaderMap, HeaderName, header};

/// What a client accepts as media types.
#[derive(Clone, Debug, Default)]
pub struct Accept(Vec<Range>);

/// One element of the header; qualities are in thousandths.
#[derive(Clone, Debug)]
struct Range {
    main: String,
    sub: String,
    quality: u16,
    /// Whether it has `version=1.2`: what RDF 1.2 and SPARQL 1.2 added is understood.
    announces_1_2: bool,
}

/// The media types that have the parameter `version` (RDF 1.2 Concepts, section on version announcement).
const VERSIONED: [&str; 7] = [
    "application/sparql-results+json",
    "application/sparql-results+xml",
    "application/n-triples",
    "application/n-quads",
    "application/trig",
    "application/rdf+xml",
    "text/turtle",
];

impl Range {
    fn parse(element: &str) -> Option<Self> {
        let (name, quality) = split_quality(element)?;
        let (main, sub) = name.split_once('/')?;
        let is_range = !main.is_empty() && !sub.is_empty() && (main != "*" || sub == "*");
        is_range.then(|| Self {
            main: main.to_ascii_lowercase(),
            sub: sub.to_ascii_lowercase(),
            quality,
            announces_1_2: parameter(element, "version").is_some_and(|v| v == "1.2"),
        })
    }

    /// How specifically it matches a media type: 0 for `*/*`, 1 for `text/*`, 2 for the type itself.
    fn specificity(&self, media_type: &str) -> Option<u8> {
        let (main, sub) = media_type.split_once('/')?;
        match (self.main.as_str(), self.sub.as_str()) {
            ("*", "*") => Some(0),
            (m, "*") if m == main => Some(1),
            (m, s) if m == main && s == sub => Some(2),
            _ => None,
        }
    }
}

impl Accept {
    /// What the request's `Accept` headers say, all of them together.
    pub fn of(headers: &HeaderMap) -> Self {
        Self(
            elements(headers, &header::ACCEPT)
                .filter_map(Range::parse)
                .collect(),
        )
    }

    /// Whether an answer of a media type is to say that it is of version 1.2, because the client asked for that version
    /// of that type. All answers may hold what 1.2 added; only who asks for 1.2 is promised to be told so.
    pub fn announces_1_2(&self, media_type: &str) -> bool {
        let mut named = self
            .0
            .iter()
            .filter(|r| r.specificity(media_type) == Some(2));
        VERSIONED.contains(&media_type) && named.any(|range| range.announces_1_2)
    }

    /// The best of the offers, which are in the order of the server's preference.
    ///
    /// # Errors
    /// The client accepts none; the message lists them.
    pub fn choose<F: Copy>(&self, offers: &[Offer<F>]) -> Result<Offer<F>> {
        if self.0.is_empty() {
            return offers.first().copied().ok_or_else(nothing_to_offer);
        }
        let rank = |offer: &Offer<F>| {
            let matches = self.0.iter().enumerate();
            matches
                .filter_map(|(place, r)| Some((r.specificity(offer.media_type)?, place, r.quality)))
                .max_by_key(|&(specificity, place, _)| (specificity, usize::MAX - place))
                .filter(|&(_, _, quality)| quality > 0)
                .map(|(specificity, place, quality)| (quality, specificity, usize::MAX - place))
        };
        let ranked = offers.iter().filter_map(|o| Some((rank(o)?, o)));
        ranked
            .reduce(|best, next| if next.0 > best.0 { next } else { best })
            .map(|(_, offer)| *offer)
            .ok_or_else(|| not_acceptable(offers))
    }
}

fn nothing_to_offer() -> Error {
    Error::internal("a negotiation without offers")
}

fn not_acceptable<F>(offers: &[Offer<F>]) -> Error {
    let types: Vec<_> = offers.iter().map(|o| o.media_type).collect();
    Error::new(
        ErrorKind::NotAcceptable,
        format!(
            "none of the media types in Accept can be produced for this query; offered are {}",
            types.join(", ")
        ),
    )
}

/// A content coding of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coding {
    /// As it is.
    Identity,
    /// RFC 1952.
    Gzip,
    /// RFC 8878.
    Zstd,
}

impl Coding {
    /// The best coding that the request's `Accept-Encoding` headers ask for; zstd wins a tie, being quicker.
    pub fn of(headers: &HeaderMap) -> Self {
        let mut best = (0, Self::Identity);
        for (name, quality) in elements(headers, &header::ACCEPT_ENCODING).filter_map(split_quality)
        {
            let coding = match name.to_ascii_lowercase().as_str() {
                "zstd" => Self::Zstd,
                "gzip" | "x-gzip" => Self::Gzip,
                "identity" => Self::Identity,
                _ => continue,
            };
            if quality > best.0 || (quality == best.0 && quality > 0 && coding == Self::Zstd) {
                best = (quality, coding);
            }
        }
        best.1
    }

    /// The header value, where there is one.
    pub const fn name(self) -> Option<&'static str> {
        match self {
            Self::Identity => None,
            Self::Gzip => Some("gzip"),
            Self::Zstd => Some("zstd"),
        }
    }
}

/// The elements of a list header, over all of its lines.
pub fn elements<'h>(headers: &'h HeaderMap, name: &HeaderName) -> impl Iterator<Item = &'h str> {
    let values = headers.get_all(name).iter().filter_map(|v| v.to_str().ok());
    values.flat_map(|v| v.split(',')).map(str::trim)
}

/// A parameter of an element, without quotes.
fn parameter<'e>(element: &'e str, name: &str) -> Option<&'e str> {
    let parameters = element.split(';').skip(1).filter_map(|p| p.split_once('='));
    let mut values = parameters.filter(|(key, _)| key.trim().eq_ignore_ascii_case(name));
    values
        .next()
        .map(|(_, value)| value.trim().trim_matches('"'))
}

/// An element without its parameters, and its quality in thousandths.
fn split_quality(element: &str) -> Option<(&str, u16)> {
    let name = element.split(';').next()?.trim();
    let quality = match parameter(element, "q") {
        None => 1.0,
        Some(value) => value.parse::<f32>().ok()?,
    };
    let is_valid = !name.is_empty() && (0.0..=1.0).contains(&quality);
    is_valid.then_some((name, (quality * 1000.0).round() as u16))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::formats::{GRAPHS, SOLUTIONS};

    fn headers(name: HeaderName, values: &[&'static str]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(&name, value.parse().unwrap());
        }
        headers
    }

    fn check<F: Copy>(offers: &[Offer<F>], accept: &[&'static str], expected: Option<&str>) {
        let accept = Accept::of(&headers(header::ACCEPT, accept));
        let chosen = accept.choose(offers).ok().map(|o| o.media_type);
        assert_eq!(chosen, expected, "{accept:?}");
    }

    #[test]
    fn solutions() {
        let json = Some("application/sparql-results+json");
        let xml = Some("application/sparql-results+xml");
        let check = |accept: &[&'static str], expected| check(&SOLUTIONS, accept, expected);
        check(&[], json);
        check(&[""], json);
        check(&["*/*"], json);
        check(&["text/html, */*"], json);
        check(&["text/html,application/xhtml+xml,*/*;q=0.8"], json);
        check(&["application/json, */*;q=0.1"], Some("application/json"));
        check(&["application/sparql-results+xml"], xml);
        check(&["APPLICATION/Sparql-Results+XML;Q=0.5"], xml);
        check(
            &["application/sparql-results+xml, application/sparql-results+json"],
            xml,
        );
        check(
            &["application/sparql-results+xml;q=0.5", "text/csv"],
            Some("text/csv"),
        );
        check(&["text/*"], Some("text/csv"));
        check(
            &["text/*;q=0.2, text/tab-separated-values"],
            Some("text/tab-separated-values"),
        );
        check(
            &[
                "application/n-triples;q=0.9, text/turtle;q=0.8, application/sparql-results+xml;q=0.6, \
               application/sparql-results+json;q=0.7",
            ],
            json,
        );
        check(&["image/png"], None);
        check(&["application/sparql-results+json;q=0, */*"], xml);
        check(&["*/*;q=0"], None);
        check(
            &["nonsense, text/csv;q=high, application/sparql-results+xml;q=0.1"],
            xml,
        );
        check(&["text/csv;header=present"], Some("text/csv"));
    }

    #[test]
    fn graphs() {
        let check = |accept: &[&'static str], expected| check(&GRAPHS, accept, expected);
        check(&[], Some("application/n-triples"));
        check(&["application/n-triples"], Some("application/n-triples"));
        check(
            &["text/turtle, application/rdf+xml;q=0.9"],
            Some("text/turtle"),
        );
        check(&["application/ld+json"], Some("application/ld+json"));
        check(&["application/sparql-results+json"], None);
    }

    #[test]
    fn a_version_is_announced_to_who_asks_for_it() {
        let check = |accept: &'static str, media_type: &str, expected: bool| {
            let accept = Accept::of(&headers(header::ACCEPT, &[accept]));
            assert_eq!(accept.announces_1_2(media_type), expected, "{accept:?}");
        };
        let json = "application/sparql-results+json";
        check("application/sparql-results+json;version=1.2", json, true);
        check(
            "text/csv, application/sparql-results+json; q=0.1; Version=\"1.2\"",
            json,
            true,
        );
        check("application/sparql-results+json;version=1.1", json, false);
        check(
            "application/sparql-results+json, text/turtle;version=1.2",
            json,
            false,
        );
        check("*/*;version=1.2", json, false);
        check("text/csv;version=1.2", "text/csv", false);
    }

    #[test]
    fn the_refusal_lists_what_there_is() {
        let accept = Accept::of(&headers(header::ACCEPT, &["image/png"]));
        let error = accept.choose(&SOLUTIONS).unwrap_err();
        assert!(error.message().contains("text/csv"), "{error}");
    }

    #[test]
    fn codings() {
        let check = |values: &[&'static str], expected| {
            assert_eq!(
                Coding::of(&headers(header::ACCEPT_ENCODING, values)),
                expected
            );
        };
        check(&[], Coding::Identity);
        check(&["gzip, deflate, br"], Coding::Gzip);
        check(&["gzip, deflate, br, zstd"], Coding::Zstd);
        check(&["zstd;q=0.5, gzip"], Coding::Gzip);
        check(&["gzip;q=0"], Coding::Identity);
        check(&["identity, gzip;q=0.5"], Coding::Identity);
        check(&["br"], Coding::Identity);
    }
}
