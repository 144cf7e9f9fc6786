//! A segment of the dictionary: for each tag, terms in the byte order of their keys, or in the order in which they came.
//!
//! ```text
//!  0     magic "KALUTATM" | format version
//!  then  a section for each tag that is stored, in the order of `Tag::STORED`:
//!          heap of compressed keys | symbol table | padding
//!          low 32 bits of each key's offset in the heap, and of its end (4 bytes each) | padding
//!          the numbers of the keys at which the offset passes a multiple of 4 GiB (8 bytes each)
//!          the ends of the section's sorted pieces (8 bytes each); in a section in the order of arrival, which has
//!          none, instead the numbers of its keys in the order of the keys (4 bytes each) | padding
//!  T     the table of sections, six words each: heap | offsets | keys | passes | pieces | symbols
//!        (byte offset, byte offset, number, number, number, byte offset)
//!  then  T (8 bytes), and the page checksums of `pages`
//! ```
//!
//! A triple term's key holds ids, so one within another must get its id first: a section of triples is a row of
//! sorted pieces, one for each depth. Every other section is one piece. Triples are not compressed; their keys are of
//! one length and have no offsets.
//!
//! Bulk load writes sorted pieces. Terms of commits have got their ids as they came, so theirs is the other order.

use super::filter::Filter;
use super::key::TRIPLE_KEY_BYTES;
use super::pages::{PageWriter, PagedFile};
use super::symbols::{StringCompressor, SymbolTable, TABLE_BYTES};
use crate::diagnostics::{Error, ErrorKind, Result};
use crate::storage::files::{Directory, FileSystem};
use crate::storage::layout::{self, FileNumber, Numbered};
use crate::storage::spool::Spool;
use crate::term::Tag;
use std::cmp::Ordering;
use std::ops::Range;
use std::path::Path;
use std::sync::OnceLock;

const MAGIC: u64 = u64::from_le_bytes(*b"KALUTATM");
const VERSION: u64 = 1;
const SECTION_WORDS: usize = 6;
const TABLE_LEN: u64 = (Tag::STORED.len() * SECTION_WORDS * 8) as u64;

/// The keys of a section in the order of arrival on which its symbol table is trained.
const SAMPLE_KEYS: usize = 2048;

/// The place of a tag in [`Tag::STORED`].
pub fn section_of(tag: Tag) -> Option<usize> {
    Tag::STORED.iter().position(|&t| t == tag)
}

/// Writes a segment: for each tag in order, [`Self::begin`], then the keys, with [`Self::end_piece`] after each
/// sorted piece.
pub struct SegmentWriter {
    file: PageWriter,
    location: std::path::PathBuf,
    table: Vec<u64>,
    section: Option<SectionWriter>,
}

struct SectionWriter {
    heap: u64,
    compressor: Option<StringCompressor>,
    offsets: Spool,
    keys: u64,
    passes: Vec<u64>,
    pieces: Vec<u64>,
    order: Vec<u32>,
}

impl SegmentWriter {
    /// Begins a new file.
    ///
    /// # Errors
    /// The file exists already or cannot be made.
    pub fn create(files: &dyn FileSystem, path: &Path) -> Result<Self> {
        let mut file = PageWriter::create(files, path)?;
        file.write(&MAGIC.to_le_bytes())?;
        file.write(&VERSION.to_le_bytes())?;
        Ok(Self {
            file,
            location: path.parent().unwrap_or(path).to_path_buf(),
            table: Vec::new(),
            section: None,
        })
    }

    /// Begins the section of the next tag, with a sample of its keys.
    ///
    /// # Errors
    /// Writing failed.
    pub fn begin(&mut self, tag: Tag, sample: &[Vec<u8>]) -> Result<()> {
        self.end_section()?;
        self.section = Some(SectionWriter {
            heap: self.file.offset(),
            compressor: (tag != Tag::Triple).then(|| StringCompressor::train(sample)),
            offsets: Spool::new(&self.location, 1 << 22),
            keys: 0,
            passes: Vec::new(),
            pieces: Vec::new(),
            order: Vec::new(),
        });
        Ok(())
    }

    /// Adds a section of keys in the order in which they came.
    ///
    /// # Errors
    /// Writing failed.
    pub fn write_arrivals(&mut self, tag: Tag, keys: &[&[u8]]) -> Result<()> {
        let step = keys.len().div_ceil(SAMPLE_KEYS).max(1);
        let sample: Vec<_> = keys.iter().step_by(step).map(|key| key.to_vec()).collect();
        self.begin(tag, &sample)?;
        keys.iter().try_for_each(|key| self.push(key))?;
        if let Some(section) = &mut self.section {
            section.order = (0..keys.len() as u32).collect();
            section.order.sort_unstable_by_key(|&n| keys[n as usize]);
        }
        Ok(())
    }

    /// Adds a key to the section, larger than those before it in its piece.
    ///
    /// # Errors
    /// Writing failed.
    pub fn push(&mut self, key: &[u8]) -> Result<()> {
        let section = self.section.as_mut();
        let section = section.ok_or_else(|| Error::internal("a key before its section"))?;
        section.keys += 1;
        let Some(compressor) = &section.compressor else {
            return self.file.write(key);
        };
        let start = self.file.offset() - section.heap;
        section.offsets.write(&(start as u32).to_le_bytes())?;
        self.file.write(&compressor.compress(key))?;
        let end = self.file.offset() - section.heap;
        let passed = (end >> 32) - (start >> 32);
        section.passes.extend((0..passed).map(|_| section.keys));
        Ok(())
    }

    /// Ends a sorted piece of the section.
    pub fn end_piece(&mut self) {
        if let Some(section) = &mut self.section {
            section.pieces.push(section.keys);
        }
    }

    /// The number of keys in the section so far.
    pub fn keys(&self) -> u64 {
        self.section.as_ref().map_or(0, |section| section.keys)
    }

    fn end_section(&mut self) -> Result<()> {
        let Some(mut section) = self.section.take() else {
            return Ok(());
        };
        let end = self.file.offset() - section.heap;
        let symbols = self.file.offset();
        if let Some(compressor) = &section.compressor {
            self.file.write(&compressor.table())?;
            section.offsets.write(&(end as u32).to_le_bytes())?;
        }
        self.file.align()?;
        let offsets = self.file.offset();
        let mut reader = section.offsets.read()?;
        while let Some(bytes) = reader.next_chunk()? {
            self.file.write(bytes)?;
        }
        self.file.align()?;
        for number in section.passes.iter().chain(&section.pieces) {
            self.file.write(&number.to_le_bytes())?;
        }
        for number in &section.order {
            self.file.write(&number.to_le_bytes())?;
        }
        self.file.align()?;
        self.table.extend([
            section.heap,
            offsets,
            section.keys,
            section.passes.len() as u64,
            section.pieces.len() as u64,
            symbols,
        ]);
        Ok(())
    }

    /// Completes the file and makes it durable.
    ///
    /// # Errors
    /// Writing failed.
    pub fn finish(mut self) -> Result<()> {
        self.end_section()?;
        let start = self.file.offset();
        for number in self.table.iter().chain([&start]) {
            self.file.write(&number.to_le_bytes())?;
        }
        self.file.finish()
    }
}

/// A segment, open for reading.
#[derive(Debug)]
pub struct Segment {
    file: PagedFile,
    /// What it is called in the directory of a store.
    name: Option<Numbered>,
    sections: Vec<Section>,
}

#[derive(Debug)]
struct Section {
    heap: u64,
    offsets: u64,
    keys: u64,
    passes: Vec<u64>,
    pieces: Vec<u64>,
    /// Where the order of the keys stands, when the places are in the order of arrival.
    order: Option<u64>,
    /// `None` in the section of triples, whose keys are not compressed.
    symbols: Option<SymbolTable>,
    /// Which keys are not there, once that is known; only where the places are in the order of arrival.
    filter: OnceLock<Filter>,
}

impl Segment {
    /// Opens a segment and reads its tables, not its terms.
    ///
    /// # Errors
    /// The file cannot be read, is damaged, or is of another version.
    pub fn open(files: &dyn FileSystem, path: &Path) -> Result<Self> {
        let file = PagedFile::open(files, path)?;
        let head = read_words(&file, 0, 2)?;
        if head[0] != MAGIC {
            return Err(file.corruption(0, "it is no segment of a dictionary"));
        }
        if head[1] != VERSION {
            return Err(Error::new(
                ErrorKind::FormatVersion,
                format!(
                    "{} has format version {}, this program reads {VERSION}; load the data again",
                    path.display(),
                    head[1]
                ),
            ));
        }
        let end = file.content_bytes().saturating_sub(8);
        let table = read_words(&file, end, 1)?[0];
        if table.checked_add(TABLE_LEN) != Some(end) {
            return Err(file.corruption(end, "the table of sections is not where it should be"));
        }
        let words = read_words(&file, table, TABLE_LEN / 8)?;
        let (entries, _) = words.as_chunks::<SECTION_WORDS>();
        let sections = entries
            .iter()
            .zip(Tag::STORED)
            .map(|(entry, tag)| Section::open(&file, entry, tag))
            .collect::<Result<_>>()?;
        Ok(Self {
            file,
            name: None,
            sections,
        })
    }

    /// Opens a segment of a store, which is removed when it is retired and nobody reads it any more.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn open_numbered(directory: &Directory, number: FileNumber) -> Result<Self> {
        let path = layout::terms_path(directory.location(), number);
        let mut segment = Self::open(directory.files(), &path)?;
        segment.name = Some(Numbered::new(directory, number));
        Ok(segment)
    }

    /// The bytes on disk.
    pub fn bytes(&self) -> u64 {
        self.file.bytes()
    }

    /// Reads every page.
    ///
    /// # Errors
    /// One is damaged.
    pub fn verify(&self) -> Result<()> {
        self.file.read(0, self.file.content_bytes()).map(drop)
    }

    /// Whether it holds terms of commits, and none of a bulk load.
    pub fn is_of_commits(&self) -> bool {
        self.sections
            .iter()
            .all(|s| s.keys == 0 || s.order.is_some())
    }

    /// Makes lookups of terms quick that sections in the order of arrival do not hold; reads all of these.
    ///
    /// # Errors
    /// A page is damaged.
    pub fn prepare_filters(&self) -> Result<()> {
        let mut key = Vec::new();
        for section in self.sections.iter().filter(|s| s.order.is_some()) {
            if section.filter.get().is_none() {
                let mut filter = Filter::new(section.keys);
                for place in 0..section.keys {
                    section.key(&self.file, place, &mut key)?;
                    filter.add(&key);
                }
                section.filter.get_or_init(|| filter);
            }
        }
        Ok(())
    }

    /// The number of its terms of a tag.
    pub fn len(&self, tag: Tag) -> u64 {
        self.section(tag).map_or(0, |section| section.keys)
    }

    fn section(&self, tag: Tag) -> Option<&Section> {
        self.sections.get(section_of(tag)?)
    }

    /// The place of the term of a tag that has so many below it; `None` past the last.
    ///
    /// # Errors
    /// A page is damaged.
    pub fn place_of_rank(&self, tag: Tag, rank: u64) -> Result<Option<u64>> {
        match self.section(tag).filter(|section| rank < section.keys) {
            Some(section) => section.place_of_rank(&self.file, rank).map(Some),
            None => Ok(None),
        }
    }

    /// Says that no manifest names it any more.
    pub fn retire(&self) {
        if let Some(name) = &self.name {
            name.retire();
        }
    }

    /// Whether the terms of a tag are in the order of their keys, all in one piece.
    pub fn is_sorted(&self, tag: Tag) -> bool {
        self.section(tag)
            .is_some_and(|section| section.pieces.len() == 1)
    }

    /// Writes the key at a place of a tag over `key`.
    ///
    /// # Errors
    /// There is no such place, or the page is damaged.
    #[inline]
    pub fn key(&self, tag: Tag, place: u64, key: &mut Vec<u8>) -> Result<()> {
        let section = self.section(tag).filter(|section| place < section.keys);
        let section = section.ok_or_else(|| {
            self.file
                .corruption(0, format_args!("it has no {tag:?} with the number {place}"))
        })?;
        section.key(&self.file, place, key)
    }

    /// The place of a key among those of a tag.
    ///
    /// # Errors
    /// A page is damaged.
    pub fn find(&self, tag: Tag, key: &[u8]) -> Result<Option<u64>> {
        let Some(section) = self.section(tag) else {
            return Ok(None);
        };
        if section.filter.get().is_some_and(|f| !f.may_hold(key)) {
            return Ok(None);
        }
        if section.order.is_some() {
            return section.find_among(&self.file, 0..section.keys, key);
        }
        let mut start = 0;
        for &end in &section.pieces {
            if let Some(place) = section.find_among(&self.file, start..end, key)? {
                return Ok(Some(place));
            }
            start = end;
        }
        Ok(None)
    }

    /// The places of the keys of a tag that begin with a prefix; the tag must be of one sorted piece.
    ///
    /// # Errors
    /// A page is damaged.
    pub fn prefix_range(&self, tag: Tag, prefix: &[u8]) -> Result<Range<u64>> {
        let Some(section) = self.section(tag) else {
            return Ok(0..0);
        };
        let mut buffer = Vec::new();
        let below = |key: &[u8]| key < prefix;
        let start = section.partition(&self.file, 0..section.keys, &mut buffer, below)?;
        let inside = |key: &[u8]| key.starts_with(prefix);
        let end = section.partition(&self.file, start..section.keys, &mut buffer, inside)?;
        Ok(start..end)
    }
}

impl Section {
    fn open(file: &PagedFile, entry: &[u64; SECTION_WORDS], tag: Tag) -> Result<Self> {
        let [heap, offsets, keys, passes, pieces, symbols] = *entry;
        let damaged = || file.corruption(symbols, "the section contradicts itself");
        let is_triple = tag == Tag::Triple;
        let offset_bytes = match is_triple {
            true => 0,
            false => (keys + 1).checked_mul(4).ok_or_else(damaged)?,
        };
        let lists = offsets.checked_add(offset_bytes).ok_or_else(damaged)?;
        let lists_start = lists.next_multiple_of(8);
        let lists = read_words(file, lists_start, passes.saturating_add(pieces))?;
        let order = (pieces == 0 && keys > 0).then_some(lists_start + lists.len() as u64 * 8);
        let (passes, pieces) = lists.split_at(passes as usize);
        if pieces.last().is_some_and(|&end| end != keys) || !pieces.is_sorted() {
            return Err(damaged());
        }
        let symbols = match is_triple {
            true => None,
            false => {
                let table = file.read(symbols, TABLE_BYTES as u64)?;
                Some(SymbolTable::parse(table).ok_or_else(damaged)?)
            }
        };
        Ok(Self {
            heap,
            offsets,
            keys,
            passes: passes.to_vec(),
            pieces: pieces.to_vec(),
            order,
            symbols,
            filter: OnceLock::new(),
        })
    }

    #[inline]
    fn key(&self, file: &PagedFile, place: u64, key: &mut Vec<u8>) -> Result<()> {
        let stored = self.stored_key(file, place)?;
        match &self.symbols {
            None => {
                key.clear();
                key.extend_from_slice(stored);
            }
            Some(symbols) => {
                if !symbols.decompress(stored, key) {
                    return Err(file.corruption(self.heap, format_args!("term {place} is cut off")));
                }
            }
        }
        Ok(())
    }

    /// A key as it lies in the heap.
    #[inline]
    fn stored_key<'a>(&self, file: &'a PagedFile, place: u64) -> Result<&'a [u8]> {
        if self.symbols.is_none() {
            let len = TRIPLE_KEY_BYTES as u64;
            return file.read(self.heap + place * len, len);
        }
        let pair = file.read(self.offsets + place * 4, 8)?;
        let low = |i: usize| {
            let bytes = pair[i * 4..].first_chunk().copied().unwrap_or_default();
            u64::from(u32::from_le_bytes(bytes))
        };
        let start = low(0) + self.passed(place);
        let end = low(1) + self.passed(place + 1);
        let len = end
            .checked_sub(start)
            .ok_or_else(|| file.corruption(self.offsets + place * 4, "offsets fall"))?;
        file.read(self.heap + start, len)
    }

    /// How the key at a place compares with another.
    #[inline]
    fn compare(&self, file: &PagedFile, place: u64, key: &[u8]) -> Result<Ordering> {
        let stored = self.stored_key(file, place)?;
        Ok(match &self.symbols {
            None => stored.cmp(key),
            Some(symbols) => symbols.compare(stored, key),
        })
    }

    /// The place of a key among those of some ranks, whose keys are sorted.
    fn find_among(&self, file: &PagedFile, ranks: Range<u64>, key: &[u8]) -> Result<Option<u64>> {
        let (mut low, mut high) = (ranks.start, ranks.end);
        while low < high {
            let middle = low.midpoint(high);
            let place = self.place_of_rank(file, middle)?;
            match self.compare(file, place, key)? {
                Ordering::Less => low = middle + 1,
                Ordering::Equal => return Ok(Some(place)),
                Ordering::Greater => high = middle,
            }
        }
        Ok(None)
    }

    /// The place of the key that has so many keys below it.
    fn place_of_rank(&self, file: &PagedFile, rank: u64) -> Result<u64> {
        let Some(order) = self.order else {
            return Ok(rank);
        };
        let bytes = file.read(order + rank * 4, 4)?.first_chunk();
        let place = u64::from(u32::from_le_bytes(bytes.copied().unwrap_or_default()));
        match place < self.keys {
            true => Ok(place),
            false => Err(file.corruption(order + rank * 4, "there is no such key")),
        }
    }

    /// What the high bits of a key's offset are worth.
    #[inline]
    fn passed(&self, place: u64) -> u64 {
        if self.passes.is_empty() {
            return 0;
        }
        (self.passes.partition_point(|&key| key <= place) as u64) << 32
    }

    /// The first of some places whose key fails a test that the keys before it pass.
    fn partition(
        &self,
        file: &PagedFile,
        places: Range<u64>,
        buffer: &mut Vec<u8>,
        test: impl Fn(&[u8]) -> bool,
    ) -> Result<u64> {
        let (mut low, mut high) = (places.start, places.end);
        while low < high {
            let middle = low.midpoint(high);
            self.key(file, middle, buffer)?;
            if test(buffer) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        Ok(low)
    }
}

fn read_words(file: &PagedFile, offset: u64, count: u64) -> Result<Vec<u64>> {
    let len = count
        .checked_mul(8)
        .ok_or_else(|| file.corruption(offset, "a table is too long"))?;
    let (words, _) = file.read(offset, len)?.as_chunks::<8>();
    Ok(words
        .iter()
        .map(|bytes| u64::from_le_bytes(*bytes))
        .collect())
}
