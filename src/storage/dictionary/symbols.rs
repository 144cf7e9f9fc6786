//! Strings made small with a table of frequent substrings, each readable without the others.
//!
//! This is FSST (Boncz, Neumann and Leis, PVLDB 13, 2020): a code of one byte stands for up to eight. The table of a
//! heap is trained on a sample and stored beside it, as 255 words of symbols and 255 bytes of lengths.

use fsst::{Compressor, Decompressor, Symbol};

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
        }
        assert!(SymbolTable::parse(&[9; TABLE_BYTES]).is_none());
        assert!(SymbolTable::parse(&[0; 100]).is_none());
    }
}
