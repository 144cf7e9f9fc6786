//! Bodies of several documents: `multipart/form-data` (RFC 7578, and RFC 2046 section 5.1 for what lies between).

use super::protocol::bad;
use crate::diagnostics::Result;

/// One part: the media type that it says, and its bytes.
#[derive(Debug, PartialEq, Eq)]
pub struct Part<'b> {
    /// The media type with its parameters; empty where none is said.
    pub content_type: &'b str,
    /// The document.
    pub bytes: &'b [u8],
}

/// The parts of a body with this boundary.
///
/// # Errors
/// The body is not made of parts with this boundary.
pub fn parts<'b>(body: &'b [u8], boundary: &str) -> Result<Vec<Part<'b>>> {
    let cut_short = || bad("the multipart body ends before its last boundary");
    // A delimiter stands at the beginning of a line, and the line end before it belongs to it.
    let delimiter = format!("\r\n--{boundary}").into_bytes();
    let mut rest = match body.strip_prefix(&delimiter[2..]) {
        Some(rest) => rest,
        None => cut(body, &delimiter).ok_or_else(cut_short)?.1,
    };
    let mut parts = Vec::new();
    while !rest.starts_with(b"--") {
        let start = find(rest, b"\r\n").ok_or_else(cut_short)? + 2;
        let (text, after) = cut(&rest[start..], &delimiter).ok_or_else(cut_short)?;
        parts.push(part(text)?);
        rest = after;
    }
    Ok(parts)
}

/// What is before the next delimiter, and what is after it.
fn cut<'b>(text: &'b [u8], delimiter: &[u8]) -> Option<(&'b [u8], &'b [u8])> {
    let mut start = 0;
    loop {
        let end = start + find(&text[start..], delimiter)?;
        let after = &text[end + delimiter.len()..];
        // A longer boundary is another one.
        if [&b"\r\n"[..], b"--", b" ", b"\t"]
            .iter()
            .any(|end| after.starts_with(end))
        {
            return Some((&text[..end], after));
        }
        start = end + delimiter.len();
    }
}

fn part(text: &[u8]) -> Result<Part<'_>> {
    let (head, bytes) = match text.strip_prefix(b"\r\n") {
        Some(bytes) => (&b""[..], bytes),
        None => match find(text, b"\r\n\r\n") {
            Some(end) => (&text[..end], &text[end + 4..]),
            None => {
                return Err(bad(
                    "a part of the multipart body has no empty line after its head",
                ));
            }
        },
    };
    let head = std::str::from_utf8(head)
        .map_err(|_| bad("the head of a part of the multipart body is not UTF-8"))?;
    let fields = head.split("\r\n").filter_map(|line| line.split_once(':'));
    let content_type = fields
        .filter(|(name, _)| name.trim().eq_ignore_ascii_case("content-type"))
        .map(|(_, value)| value.trim())
        .next();
    Ok(Part {
        content_type: content_type.unwrap_or_default(),
        bytes,
    })
}

fn find(text: &[u8], words: &[u8]) -> Option<usize> {
    text.windows(words.len()).position(|window| window == words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(body: &str, expected: Option<&[(&str, &str)]>) {
        let found = parts(body.as_bytes(), "x");
        match expected {
            None => assert!(found.is_err(), "{found:?}"),
            Some(expected) => {
                let expected: Vec<_> = expected
                    .iter()
                    .map(|(content_type, text)| Part {
                        content_type,
                        bytes: text.as_bytes(),
                    })
                    .collect();
                assert_eq!(found.unwrap(), expected);
            }
        }
    }

    #[test]
    fn parts_are_cut_at_their_boundary() {
        check(
            "--x\r\nA: b\r\nContent-Type: text/turtle; charset=utf-8\r\n\r\n<a>\r\n--xy\r\n--x\r\n\r\n\r\n--x--\r\n",
            Some(&[("text/turtle; charset=utf-8", "<a>\r\n--xy"), ("", "")]),
        );
        check(
            "--x\r\nA: b\r\nContent-Type: text/turtle\r\n\r\n<a>\r\n\r\n--x\r\n\r\n<b>\r\n--x--\r\n",
            Some(&[("text/turtle", "<a>\r\n"), ("", "<b>")]),
        );
        check("preamble\r\n--x--", Some(&[]));
        check("--x\r\n\r\n<b>\r\n", None);
        check("--x\r\nA: b\r\n--x--", None);
        check("", None);
    }
}
