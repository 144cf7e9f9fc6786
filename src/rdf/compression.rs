//! Compressed input, told by the last extension of a file's name and read as it is.

use std::io::{self, BufReader, Read};
use std::path::Path;

/// How a file is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// Not at all.
    None,
    /// gzip (RFC 1952), of one member or several.
    Gzip,
    /// Zstandard (RFC 8878), of one frame or several.
    Zstd,
    /// bzip2, of one stream or several.
    Bzip2,
}

impl Compression {
    /// The compression that a path's extension tells.
    pub fn of_path(path: &Path) -> Self {
        let extension = path.extension().unwrap_or_default().to_string_lossy();
        match extension.to_ascii_lowercase().as_str() {
            "gz" => Self::Gzip,
            "zst" => Self::Zstd,
            "bz2" => Self::Bzip2,
            _ => Self::None,
        }
    }

    /// A reader of the bytes that a reader of compressed bytes stands for.
    ///
    /// # Errors
    /// The decompressor cannot be set up.
    pub fn reader<'r>(self, inner: impl Read + Send + 'r) -> io::Result<Box<dyn Read + Send + 'r>> {
        let inner = BufReader::with_capacity(1 << 16, inner);
        Ok(match self {
            Self::None => Box::new(inner),
            Self::Gzip => Box::new(flate2::bufread::MultiGzDecoder::new(inner)),
            Self::Zstd => Box::new(zstd::stream::read::Decoder::with_buffer(inner)?),
            Self::Bzip2 => Box::new(bzip2::bufread::MultiBzDecoder::new(inner)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn several_members_are_read_as_one() {
        let mut gzip = Vec::new();
        let mut bzip2 = Vec::new();
        let mut zstd = Vec::new();
        for part in ["one\n", "two\n"] {
            let mut encoder = flate2::write::GzEncoder::new(&mut gzip, flate2::Compression::fast());
            encoder.write_all(part.as_bytes()).unwrap();
            encoder.finish().unwrap();
            let mut encoder = bzip2::write::BzEncoder::new(&mut bzip2, bzip2::Compression::fast());
            encoder.write_all(part.as_bytes()).unwrap();
            encoder.finish().unwrap();
            zstd.extend(zstd::encode_all(part.as_bytes(), 1).unwrap());
        }
        for (name, bytes) in [
            ("a.nt.gz", gzip),
            ("a.nt.BZ2", bzip2),
            ("a.nt.zst", zstd),
            ("a.nt", b"one\ntwo\n".to_vec()),
        ] {
            let mut text = String::new();
            let compression = Compression::of_path(Path::new(name));
            let mut reader = compression.reader(&bytes[..]).unwrap();
            reader.read_to_string(&mut text).unwrap();
            assert_eq!(text, "one\ntwo\n", "{name}");
        }
    }
}
