//! Hash functions: hexadecimal digests of simple strings (SPARQL 1.2 Query, section 17.4.7).

use super::At;
use super::arguments::{only, simple};
use crate::expr::node::Node;
use crate::expr::raise::Outcome;
use crate::expr::value::Value;
use md5::{Digest, Md5};
use sha1::Sha1;
use sha2::{Sha256, Sha384, Sha512};
use spargebra::algebra::Function;
use std::borrow::Cow;
use std::fmt::Write;

/// MD5, SHA1, SHA256, SHA384 and SHA512.
pub(super) fn digest(
    function: &Function,
    args: &mut [Node],
    at: At<'_>,
) -> Outcome<Value<'static>> {
    let text = simple(only(args, at)?, at)?;
    let bytes = text.as_bytes();
    let hex = match function {
        Function::Md5 => hex(&Md5::digest(bytes)),
        Function::Sha1 => hex(&Sha1::digest(bytes)),
        Function::Sha256 => hex(&Sha256::digest(bytes)),
        Function::Sha384 => hex(&Sha384::digest(bytes)),
        _ => hex(&Sha512::digest(bytes)),
    };
    Ok(Value::String(Cow::Owned(hex)))
}

fn hex(digest: &[u8]) -> String {
    let mut text = String::with_capacity(digest.len() * 2);
    for byte in digest {
        let _ = write!(text, "{byte:02x}");
    }
    text
}
