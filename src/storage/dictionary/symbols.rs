//! Strings made small with a table of frequent substrings, each readable without the others.
//!
//! This is FSST (Boncz, Neumann and Leis, PVLDB 13, 2020): a code of one byte stands for up to eight. The table of a
//! heap is trained on a sample and stored beside it, as 255 words of symbols and 255 bytes of lengths.

use fsst::{Compressor, Decompressor, Symbol};
use std::cmp::Ordering;

const SYMBOLS: usize = 255;
/// The code that says that the next byte stands for itself.
const ESCAPE: u8 = 255;

/// The bytes that a table takes on disk.
pub const TABLE_BYTES: usize = SYMBOLS * 9;

/// Makes strings small.
pub struct StringCompressor(Compressor);

impl StringCompressor {
    /// Trains a table on some strings.
    pub fn train(sample: &[Vec<u8>]) -> Self {
        let sample = sample.iter().filter(|s| !s.is_empty()).map(Vec::as_slice);
        Self(Compressor::train(&sample.collect()))
    }

    /// A string made small.
    pub fn compress(&self, string: &[u8]) -> Vec<u8> {
        self.0.compress(string)
    }

    /// The table, as it is stored.
    pub fn table(&self) -> Vec<u8> {
        let mut bytes = vec![0; TABLE_BYTES];
        let (symbols, lengths) = bytes.split_at_mut(SYMBOLS * 8);
        for (slot, symbol) in symbols.chunks_exact_mut(8).zip(self.0.symbol_table()) {
            slot.copy_from_slice(&symbol.to_u64().to_le_bytes());
        }
        lengths[..self.0.n_symbols()].copy_from_slice(self.0.symbol_lengths());
        bytes
    }
}

/// Brings small strings back.
pub struct SymbolTable {
    symbols: Box<[Symbol; SYMBOLS]>,
    lengths: Box<[u8; SYMBOLS]>,
}

impl SymbolTable {
    /// Reads a stored table; `None` when it is none.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let (symbols, lengths) = bytes.split_at_checked(SYMBOLS * 8)?;
        let mut table = Self {
            symbols: Box::new([Symbol::ZERO; SYMBOLS]),
            lengths: Box::new(*lengths.first_chunk()?),
        };
        for (symbol, bytes) in table.symbols.iter_mut().zip(symbols.as_chunks().0) {
            *symbol = Symbol::from_slice(bytes);
        }
        // Eight bytes of room for each code are enough only as long as no symbol claims to be longer.
        table.lengths.iter().all(|&len| len <= 8).then_some(table)
    }

    /// Writes the string that was made small over `out`; `false` when it is cut off.
    #[inline]
    #[must_use]
    pub fn decompress(&self, compressed: &[u8], out: &mut Vec<u8>) -> bool {
        out.clear();
        if ends_in_escape(compressed) {
            return false;
        }
        let decompressor = Decompressor::new(&self.symbols, &self.lengths);
        out.reserve(decompressor.max_decompression_capacity(compressed));
        let len = decompressor.decompress_into(compressed, out.spare_capacity_mut());
        // SAFETY: the vector was cleared, and the call above has written its first `len` bytes within the room that
        // was reserved for the longest possible answer.
        unsafe { out.set_len(len) };
        true
    }

    /// How the string that was made small compares with another, which is read only as far as they agree. A string that
    /// is cut off ends there.
    #[inline]
    pub fn compare(&self, compressed: &[u8], mut other: &[u8]) -> Ordering {
        let mut codes = compressed.iter().copied();
        while let Some(code) = codes.next() {
            let (symbol, len) = match code {
                ESCAPE => match codes.next() {
                    Some(byte) => (u64::from(byte), 1),
                    None => break,
                },
                _ => {
                    let code = usize::from(code);
                    (self.symbols[code].to_u64(), usize::from(self.lengths[code]))
                }
            };
            // As numbers with the first byte on top, both compare as their bytes do; what `other` lacks is zeros.
            let mask = u64::MAX.checked_shl(64 - 8 * len as u32).unwrap_or(0);
            match (symbol.swap_bytes() & mask).cmp(&(leading_bytes(other) & mask)) {
                Ordering::Equal => match other.get(len..) {
                    Some(rest) => other = rest,
                    None => return Ordering::Greater,
                },
                unequal => return unequal,
            }
        }
        match other.is_empty() {
            true => Ordering::Equal,
            false => Ordering::Less,
        }
    }
}

/// The first eight bytes, the first one on top; zeros where there are fewer.
#[inline]
fn leading_bytes(bytes: &[u8]) -> u64 {
    match bytes.first_chunk() {
        Some(eight) => u64::from_be_bytes(*eight),
        None => {
            let mut eight = [0; 8];
            eight[..bytes.len()].copy_from_slice(bytes);
            u64::from_be_bytes(eight)
        }
    }
}

/// Whether the byte that an escape announces is missing. Of the escapes in a row at the end, every second one is a
/// byte that the one before it announces.
fn ends_in_escape(compressed: &[u8]) -> bool {
    let escapes = compressed.iter().rev().take_while(|&&code| code == ESCAPE);
    escapes.count() % 2 == 1
}

impl std::fmt::Debug for SymbolTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SymbolTable")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_of_all_sorts_come_back() {
        let mut strings: Vec<Vec<u8>> = (0..500)
            .map(|i| format!("http://example.com/thing/{i}").into_bytes())
            .collect();
        strings.extend([
            vec![],
            vec![0],
            vec![0; 100],
            (0..=255).collect(),
            vec![255; 9],
            "é".repeat(500_000).into_bytes(),
        ]);
        for sample in [&strings[..], &[], &[vec![]]] {
            let compressor = StringCompressor::train(sample);
            let table = SymbolTable::parse(&compressor.table()).unwrap();
            let mut out = b"left over".to_vec();
            for string in &strings {
                assert!(table.decompress(&compressor.compress(string), &mut out));
                assert_eq!(&out, string);
            }
        }
    }

    #[test]
    fn small_strings_compare_as_they_would_in_full() {
        let strings: Vec<Vec<u8>> = [
            &b""[..],
            b"\0",
            b"\0\0",
            b"a",
            b"a\0",
            b"ab",
            b"abc",
            b"abcabcab",
            b"abcabcabc",
            b"abcabcabd",
            b"abd\xFF",
            b"http://example.com/1",
            b"http://example.com/12",
            b"http://example.com/2",
            b"\xFF",
            b"\xFF\xFF",
        ]
        .map(<[u8]>::to_vec)
        .to_vec();
        for sample in [&strings[..], &[]] {
            let compressor = StringCompressor::train(sample);
            let table = SymbolTable::parse(&compressor.table()).unwrap();
            for a in &strings {
                let compressed = compressor.compress(a);
                for b in &strings {
                    assert_eq!(table.compare(&compressed, b), a.cmp(b), "{a:?} {b:?}");
                }
            }
        }
    }

    #[test]
    fn bytes_that_are_no_string_do_no_harm() {
        let table = SymbolTable::parse(&StringCompressor::train(&[b"abc".to_vec()]).table());
        let table = table.unwrap();
        let mut out = Vec::new();
        for (bytes, is_whole) in [
            (&[255][..], false),
            (&[7, 255], false),
            (&[255, 7, 255], false),
            (&[255, 255, 255], false),
            (&[255, 255], true),
            (&[254; 40], true),
            (&[], true),
        ] {
            assert_eq!(table.decompress(bytes, &mut out), is_whole, "{bytes:?}");
            assert_eq!(table.compare(bytes, b"\xFF\xFF"), Ordering::Less);
        }
        assert!(SymbolTable::parse(&[9; TABLE_BYTES]).is_none());
        assert!(SymbolTable::parse(&[0; 100]).is_none());
    }
}
