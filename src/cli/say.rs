//! What commands say: results on standard output, everything for people on standard error. Whoever reads may stop to read;
//! that is no error.

use crate::diagnostics::{Error, Result};
use std::fmt::Display;
use std::io::{self, ErrorKind, Write};

/// Writes to standard output.
///
/// # Errors
/// Writing failed, for another reason than that nobody reads any more.
pub fn print(text: impl Display) -> Result<()> {
    match write!(io::stdout().lock(), "{text}") {
        Err(e) if e.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => written.map_err(|e| Error::io("writing to standard output", e)),
    }
}

/// Writes a line to standard error. Where that is closed, there is nobody to tell, either.
pub fn tell(line: impl Display) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}
