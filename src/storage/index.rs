//! One permutation of a run: a file of blocks with a directory.
//!
//! ```text
//!  0        magic "KALUTAIX"
//!  8        format version (32 bits) | permutation (32 bits)
//!  16       the blocks, one after the other, see `block`; every block but the last has 1024 rows
//!  D        the directory, six words a block:
//!             first row (4 words) | offset of the block | words of the block (32 bits) and its crc32c (32 bits)
//!  end-40   the footer: rows | blocks | D | crc32c of the directory | crc32c of head and footer up to here
//! ```
//!
//! All numbers are little-endian words of eight bytes. Opening verifies head, footer and directory; a block is
//! verified whenever it is read. The rows are distinct and sorted by the columns in the order of the permutation.

use super::block::{BLOCK_ROWS, BlockView, encode_block};
use super::files::{FileSystem, NewFile};
use super::gallop::gallop;
use super::mapped::{Mapped, words};
use super::permutation::Permutation;
use crate::diagnostics::{Error, ErrorKind, Result};
use crate::term::TermId;
use std::ops::Range;
use std::path::Path;

const MAGIC: u64 = u64::from_le_bytes(*b"KALUTAIX");
const VERSION: u64 = 1;
const ENTRY_WORDS: usize = 6;
const FOOTER_WORDS: u64 = 5;

const fn second_word(permutation: Permutation) -> u64 {
    VERSION | (permutation as u64) << 32
}

fn bytes_of(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Writes the file of one permutation from its sorted rows.
pub struct IndexWriter {
    file: NewFile,
    permutation: Permutation,
    pending: [Vec<TermId>; 4],
    words: Vec<u64>,
    directory: Vec<u64>,
    offset: u64,
    rows: u64,
}

impl IndexWriter {
    /// Begins a new file.
    ///
    /// # Errors
    /// The file exists already or cannot be made.
    pub fn create(files: &dyn FileSystem, path: &Path, permutation: Permutation) -> Result<Self> {
        let mut writer = Self {
            file: NewFile::create(files, path)?,
            permutation,
            pending: std::array::from_fn(|_| Vec::with_capacity(BLOCK_ROWS)),
            words: Vec::new(),
            directory: Vec::new(),
            offset: 0,
            rows: 0,
        };
        writer.write(&[MAGIC, second_word(permutation)])?;
        Ok(writer)
    }

    /// Adds a row, its columns in the order of the permutation, larger than all before.
    ///
    /// # Errors
    /// Writing failed.
    #[inline]
    pub fn push(&mut self, row: [TermId; 4]) -> Result<()> {
        for (column, id) in self.pending.iter_mut().zip(row) {
            column.push(id);
        }
        if self.pending[0].len() == BLOCK_ROWS {
            self.write_block()?;
        }
        Ok(())
    }

    /// Completes the file and makes it durable.
    ///
    /// # Errors
    /// Writing failed.
    pub fn finish(mut self) -> Result<()> {
        if !self.pending[0].is_empty() {
            self.write_block()?;
        }
        let directory = std::mem::take(&mut self.directory);
        let directory_offset = self.offset;
        self.write(&directory)?;
        let mut footer = vec![
            self.rows,
            (directory.len() / ENTRY_WORDS) as u64,
            directory_offset,
            u64::from(crc32c::crc32c(&bytes_of(&directory))),
        ];
        footer.push(footer_checksum(self.permutation, &footer));
        self.write(&footer)?;
        self.file.finish()
    }

    fn write_block(&mut self) -> Result<()> {
        let mut words = std::mem::take(&mut self.words);
        words.clear();
        encode_block(&self.pending, &mut words);
        let first_row = self.pending.each_ref().map(|column| column[0].to_bits());
        let checksum = u64::from(crc32c::crc32c(&bytes_of(&words)));
        self.directory.extend(first_row);
        self.directory
            .extend([self.offset, words.len() as u64 | checksum << 32]);
        self.rows += self.pending[0].len() as u64;
        self.pending.iter_mut().for_each(Vec::clear);
        self.write(&words)?;
        self.words = words;
        Ok(())
    }

    fn write(&mut self, words: &[u64]) -> Result<()> {
        let bytes = bytes_of(words);
        self.offset += bytes.len() as u64;
        self.file.write(&bytes)
    }
}

fn footer_checksum(permutation: Permutation, footer: &[u64]) -> u64 {
    let head = crc32c::crc32c(&bytes_of(&[MAGIC, second_word(permutation)]));
    u64::from(crc32c::crc32c_append(head, &bytes_of(footer)))
}

/// The file of one permutation, open for reading.
#[derive(Debug)]
pub struct IndexFile {
    mapped: Mapped,
    permutation: Permutation,
    rows: u64,
    directory: Range<usize>,
}

impl IndexFile {
    /// Opens the file of a permutation and verifies its directory.
    ///
    /// # Errors
    /// The file cannot be read, is damaged, or is of another version.
    pub fn open(files: &dyn FileSystem, path: &Path, permutation: Permutation) -> Result<Self> {
        let mapped = Mapped::open(files, path)?;
        let len = mapped.bytes().len() as u64;
        let all = words(mapped.bytes())
            .ok_or_else(|| mapped.corruption(len, "its length is not a number of words"))?;
        let footer_start = (len / 8)
            .checked_sub(FOOTER_WORDS)
            .filter(|&start| start >= 2)
            .ok_or_else(|| mapped.corruption(len, "it is too short"))?;
        check_head(&mapped, all, permutation)?;
        let footer = &all[footer_start as usize..];
        let [rows, blocks, offset, directory_checksum, checksum] = *footer else {
            return Err(mapped.corruption(len, "it has no footer"));
        };
        if checksum != footer_checksum(permutation, &footer[..4]) {
            return Err(mapped.corruption(footer_start * 8, "the footer fails its checksum"));
        }
        let directory = (offset / 8) as usize..footer_start as usize;
        let fits = directory.len() as u64 == blocks * ENTRY_WORDS as u64
            && blocks == rows.div_ceil(BLOCK_ROWS as u64);
        let bytes = mapped.slice(offset, footer_start * 8 - offset)?;
        if !fits || u64::from(crc32c::crc32c(bytes)) != directory_checksum {
            return Err(mapped.corruption(offset, "the directory fails its checksum"));
        }
        Ok(Self {
            mapped,
            permutation,
            rows,
            directory,
        })
    }

    /// The permutation of its rows.
    pub fn permutation(&self) -> Permutation {
        self.permutation
    }

    /// Its rows.
    #[inline]
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// The bytes on disk.
    pub fn bytes(&self) -> u64 {
        self.mapped.bytes().len() as u64
    }

    #[inline]
    fn words(&self) -> &[u64] {
        words(self.mapped.bytes()).unwrap_or_default()
    }

    #[inline]
    fn directory(&self) -> &[[u64; ENTRY_WORDS]] {
        self.words()[self.directory.clone()].as_chunks().0
    }

    /// The number of blocks from `from` on whose first row is below `key` (or equal to it, with `after`), found by
    /// steps that double, so that near ones are found quickly.
    fn blocks_below(&self, key: &[TermId], after: bool, from: usize) -> usize {
        let below = |entry: &[u64; ENTRY_WORDS]| {
            let first = entry[..key.len()]
                .iter()
                .map(|&bits| TermId::from_bits(bits));
            first.cmp(key.iter().copied()).is_lt() || (after && first_equals(entry, key))
        };
        let blocks = self.directory().get(from..).unwrap_or_default();
        gallop(0, blocks.len(), |block| below(&blocks[block]))
    }

    /// The block, at or after `from`, in which the first row lies that is not below `key` (with `after`: that is
    /// above it); it may also be the first row of the next block.
    pub fn block_for(&self, key: &[TermId], after: bool, from: usize) -> usize {
        from + self.blocks_below(key, after, from).saturating_sub(1)
    }

    /// The rows whose leading columns are these.
    ///
    /// # Errors
    /// A block is damaged.
    pub fn range(&self, key: &[TermId]) -> Result<Range<u64>> {
        if key.is_empty() || self.rows == 0 {
            return Ok(0..self.rows);
        }
        let low_block = self.block_for(key, false, 0);
        let high_block = self.block_for(key, true, low_block);
        let low = self.range_in_block(low_block, key)?;
        let high = if high_block == low_block {
            low.end
        } else {
            self.range_in_block(high_block, key)?.end
        };
        Ok(low.start..high)
    }

    /// The rows of a block whose leading columns are these.
    fn range_in_block(&self, block: usize, key: &[TermId]) -> Result<Range<u64>> {
        let places = self.verified_block(block)?.range(key);
        let places = places.ok_or_else(|| self.nonsense(block))?;
        let start = (block * BLOCK_ROWS) as u64;
        Ok(start + places.start as u64..start + places.end as u64)
    }

    /// The id in the first column of a row; `None` past the last.
    ///
    /// # Errors
    /// The block is damaged.
    pub fn first_id(&self, row: u64) -> Result<Option<TermId>> {
        if row >= self.rows {
            return Ok(None);
        }
        let (block, place) = (row as usize / BLOCK_ROWS, row as usize % BLOCK_ROWS);
        let mut ids = [TermId::UNBOUND; BLOCK_ROWS];
        let column = self.verified_block(block)?.column(0);
        column
            .and_then(|column| column.decode(place..place + 1, &mut ids))
            .ok_or_else(|| self.nonsense(block))?;
        Ok(Some(ids[place]))
    }

    /// Reads all of a block, its columns in the order of the permutation, and gives the number of its rows.
    ///
    /// # Errors
    /// The block is damaged.
    pub fn decode_block(&self, block: usize, ids: &mut [[TermId; BLOCK_ROWS]; 4]) -> Result<usize> {
        let view = self.verified_block(block)?;
        let rows = BLOCK_ROWS.min(self.rows as usize - block * BLOCK_ROWS);
        for (place, ids) in ids.iter_mut().enumerate() {
            let column = view.column(place);
            column
                .and_then(|column| column.decode(0..rows, ids))
                .ok_or_else(|| self.nonsense(block))?;
        }
        Ok(rows)
    }

    /// A block whose checksum has just been verified.
    ///
    /// # Errors
    /// The checksum fails.
    pub fn verified_block(&self, block: usize) -> Result<BlockView<'_>> {
        let [.., offset, len_and_checksum] = self.directory()[block];
        let len = len_and_checksum & u64::from(u32::MAX);
        let bytes = self.mapped.slice(offset, len * 8)?;
        if u64::from(crc32c::crc32c(bytes)) != len_and_checksum >> 32 {
            return Err(self
                .mapped
                .corruption(offset, format_args!("block {block} fails its checksum")));
        }
        Ok(self.view(block))
    }

    /// A block that was verified before.
    #[inline]
    pub fn view(&self, block: usize) -> BlockView<'_> {
        let [.., offset, len_and_checksum] = self.directory()[block];
        let start = (offset / 8) as usize;
        let len = (len_and_checksum & u64::from(u32::MAX)) as usize;
        let rows = (self.rows as usize - block * BLOCK_ROWS).min(BLOCK_ROWS);
        let words = self.words().get(start..start + len).unwrap_or_default();
        BlockView::new(words, rows)
    }

    /// The error for a block that passes its checksum and still makes no sense.
    #[cold]
    pub fn nonsense(&self, block: usize) -> Error {
        let [.., offset, _] = self.directory()[block];
        self.mapped
            .corruption(offset, format_args!("block {block} contradicts itself"))
    }
}

fn first_equals(entry: &[u64; ENTRY_WORDS], key: &[TermId]) -> bool {
    entry
        .iter()
        .zip(key)
        .all(|(&bits, id)| bits == id.to_bits())
}

fn check_head(mapped: &Mapped, all: &[u64], permutation: Permutation) -> Result<()> {
    if all[0] != MAGIC || all[1] >> 32 != permutation as u64 {
        return Err(mapped.corruption(0, "it is no index of this permutation"));
    }
    if all[1] != second_word(permutation) {
        return Err(Error::new(
            ErrorKind::FormatVersion,
            format!(
                "{} has format version {}, this program reads {VERSION}; load the data again",
                mapped.path().display(),
                all[1] as u32
            ),
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::files::OperatingSystem;

    fn rows() -> Vec<[TermId; 4]> {
        let id = TermId::from_bits;
        (0..5000_u64)
            .map(|i| [id(i / 700), id(i / 10), id(i * 3), id(1)])
            .collect()
    }

    fn write(path: &Path) {
        let mut writer = IndexWriter::create(&OperatingSystem, path, Permutation::Psog).unwrap();
        rows().into_iter().for_each(|row| writer.push(row).unwrap());
        writer.finish().unwrap();
    }

    #[test]
    fn ranges_agree_with_a_naive_search() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.psog");
        write(&path);
        let index = IndexFile::open(&OperatingSystem, &path, Permutation::Psog).unwrap();
        let rows = rows();
        let id = TermId::from_bits;
        for key in [
            vec![],
            vec![id(0)],
            vec![id(3)],
            vec![id(7)],
            vec![id(8)],
            vec![id(3), id(245)],
            vec![id(3), id(1)],
            vec![id(3), id(245), id(7353), id(1)],
            vec![id(1), id(102), id(3072)],
        ] {
            let low = rows.iter().filter(|row| row[..key.len()] < key[..]).count();
            let high = rows
                .iter()
                .filter(|row| row[..key.len()] <= key[..])
                .count();
            assert_eq!(
                index.range(&key).unwrap(),
                low as u64..high as u64,
                "{key:?}"
            );
        }
    }

    #[test]
    fn every_flipped_byte_is_found_and_nothing_panics() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.psog");
        write(&path);
        let good = std::fs::read(&path).unwrap();
        let read_all = |path: &Path| -> Result<()> {
            let index = IndexFile::open(&OperatingSystem, path, Permutation::Psog)?;
            (0..index.directory().len()).try_for_each(|b| index.verified_block(b).map(drop))
        };
        read_all(&path).unwrap();
        for place in (0..good.len())
            .step_by(97)
            .chain(good.len() - 41..good.len())
        {
            let mut bad = good.clone();
            bad[place] ^= 0x10;
            let path = dir.path().join("bad");
            std::fs::write(&path, &bad).unwrap();
            let error = read_all(&path).expect_err(&format!("byte {place} is flipped"));
            assert!(matches!(
                error.kind(),
                ErrorKind::Corruption | ErrorKind::FormatVersion
            ));
        }
        for len in [0, 8, 16, 39, 56, good.len() - 8] {
            std::fs::write(&path, &good[..len]).unwrap();
            assert!(read_all(&path).is_err(), "cut at {len}");
        }
    }
}
