//! Entity tags of graphs, and the conditions that clients make with them (RFC 9110, sections 8.8.3 and 13.1).
//!
//! A tag is the number of the store's state and the format, `"42-ttl"`, with the content coding behind it where there
//! is one. It is another one after every commit, whichever graph it touched.

use super::negotiation::{Coding, elements};
use super::protocol::bad;
use crate::diagnostics::Result;
use crate::engine::Precondition;
use axum::http::{HeaderMap, HeaderValue, header};

/// A tag, but for the content coding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EntityTag {
    /// The number of the state.
    pub sequence: u64,
    /// The extension of the format.
    pub format: &'static str,
}

impl EntityTag {
    /// The header value for an answer in a coding.
    pub fn header_value(self, coding: Coding) -> Option<HeaderValue> {
        let Self { sequence, format } = self;
        let text = match coding.name() {
            None => format!("\"{sequence}-{format}\""),
            Some(coding) => format!("\"{sequence}-{format}-{coding}\""),
        };
        HeaderValue::try_from(text).ok()
    }

    /// Whether one of these tags names the same state in the same format.
    pub fn is_among(self, tags: &[String]) -> bool {
        let start = format!("\"{}-{}", self.sequence, self.format);
        let is_same = |tag: &String| {
            let tag = tag.strip_prefix("W/").unwrap_or(tag);
            let rest = tag.strip_prefix(&start);
            rest.is_some_and(|rest| rest.starts_with('"') || rest.starts_with('-'))
        };
        tags.iter().any(is_same)
    }
}

/// The tags that a client has already.
pub fn if_none_match(headers: &HeaderMap) -> Vec<String> {
    elements(headers, &header::IF_NONE_MATCH)
        .map(str::to_owned)
        .collect()
}

/// What must hold before something is changed.
///
/// # Errors
/// It is not a condition that can be looked at.
pub fn precondition(headers: &HeaderMap) -> Result<Precondition> {
    let required: Vec<_> = elements(headers, &header::IF_MATCH).collect();
    let forbidden: Vec<_> = elements(headers, &header::IF_NONE_MATCH).collect();
    match (required.as_slice(), forbidden.as_slice()) {
        ([], []) => Ok(Precondition::None),
        (["*"], []) => Ok(Precondition::Exists),
        ([], ["*"]) => Ok(Precondition::IsMissing),
        (tags, []) => Ok(Precondition::IsAt(
            tags.iter().filter_map(|tag| sequence_of(tag)).collect(),
        )),
        _ => Err(bad(
            "what is changed may depend on If-Match or on If-None-Match: *, and on nothing else",
        )),
    }
}

/// The state that a strong tag names; a weak one matches nothing here.
fn sequence_of(tag: &str) -> Option<u64> {
    let (sequence, _) = tag.strip_prefix('"')?.split_once('-')?;
    sequence.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions() {
        let check = |name, value: &'static str, expected: Option<Precondition>| {
            let mut headers = HeaderMap::new();
            headers.insert(name, HeaderValue::from_static(value));
            assert_eq!(precondition(&headers).ok(), expected, "{value}");
        };
        check(header::IF_MATCH, "*", Some(Precondition::Exists));
        check(header::IF_NONE_MATCH, "*", Some(Precondition::IsMissing));
        check(
            header::IF_MATCH,
            "\"7-ttl\", W/\"8-ttl\", \"9-nt-gzip\", \"x\"",
            Some(Precondition::IsAt(vec![7, 9])),
        );
        check(header::IF_NONE_MATCH, "\"7-ttl\"", None);
        assert_eq!(
            precondition(&HeaderMap::new()).ok(),
            Some(Precondition::None)
        );
    }

    #[test]
    fn tags_are_of_a_state_a_format_and_a_coding() {
        let tag = EntityTag {
            sequence: 7,
            format: "nt",
        };
        assert_eq!(tag.header_value(Coding::Identity).unwrap(), "\"7-nt\"");
        assert_eq!(tag.header_value(Coding::Gzip).unwrap(), "\"7-nt-gzip\"");
        for (known, expected) in [
            ("\"7-nt\"", true),
            ("W/\"7-nt-gzip\"", true),
            ("\"7-ntx\"", false),
            ("\"17-nt\"", false),
        ] {
            assert_eq!(tag.is_among(&[known.to_owned()]), expected, "{known}");
        }
    }
}
