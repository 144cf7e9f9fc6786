//! A sealed chunk: the distinct terms of a part of the input, sorted, and the quads that use them.
//!
//! Sealing renumbers the terms by their place in the sorted order. Terms and quads wait in spools, which the first
//! chunks keep in memory and later ones on disk. Triple terms keep the order in which they came, in which one within
//! another comes first.

use super::intern::{Interner, SECTIONS, TRIPLE_SECTION, chunk_section};
use super::string_sort::sorted_order;
use crate::diagnostics::Result;
use crate::storage::dictionary::TermTable;
use crate::storage::permutation::Quad;
use crate::storage::spool::Spool;
use crate::term::TermId;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The keys that a chunk gives as a sample of a section, and the bytes of each.
const SAMPLE_KEYS: usize = 2048;
const SAMPLE_KEY_BYTES: usize = 512;

/// A part of the input, sorted.
pub struct SealedChunk {
    /// Section by section, that of triples left out: the keys in order, each after its length (32 bits).
    pub terms: Spool,
    /// The number of terms of each section.
    pub terms_len: [u32; SECTIONS],
    /// Some of the keys of each section.
    pub samples: [Vec<Vec<u8>>; SECTIONS],
    /// The triple terms, in the order in which they came: three ids each.
    pub triples: Spool,
    /// The quads.
    pub quads: SealedQuads,
}

/// The quads of a chunk: in memory where there is room, else in a spool, four ids each.
pub enum SealedQuads {
    Memory(Vec<Quad>),
    Spool(Spool),
}

/// Where chunks keep what they hold: in memory up to a limit, which all of them share.
pub struct ChunkRoom<'a> {
    location: &'a Path,
    memory_bytes_max: usize,
    memory_bytes: AtomicUsize,
}

impl<'a> ChunkRoom<'a> {
    /// Room of this many bytes in memory, and on disk beyond.
    pub fn new(location: &'a Path, memory_bytes_max: usize) -> Self {
        Self {
            location,
            memory_bytes_max,
            memory_bytes: AtomicUsize::new(0),
        }
    }

    /// Sorts what an interner holds and writes it to spools.
    ///
    /// # Errors
    /// Writing failed.
    pub fn seal(&self, interner: Interner) -> Result<SealedChunk> {
        let bytes = interner.memory_bytes();
        let before = self.memory_bytes.fetch_add(bytes, Ordering::Relaxed);
        let in_memory = before + bytes <= self.memory_bytes_max;
        let spool = || Spool::new(self.location, if in_memory { usize::MAX } else { 0 });
        let (tables, mut quads) = interner.into_parts();
        let terms_len = tables.each_ref().map(TermTable::len);
        let mut terms = spool();
        let mut samples = [const { Vec::new() }; SECTIONS];
        let mut ranks = [const { Vec::new() }; SECTIONS];
        let mut tables = tables.map(Some);
        for section in (0..SECTIONS).filter(|&section| section != TRIPLE_SECTION) {
            // Each table is dropped as soon as it is written.
            let table = tables[section].take().unwrap_or_default();
            (ranks[section], samples[section]) = write_sorted(&table, &mut terms)?;
        }
        let rank = |id: TermId| match chunk_section(id.tag()) {
            Some(section) if section != TRIPLE_SECTION => {
                TermId::new(id.tag(), u64::from(ranks[section][id.number() as usize]))
            }
            _ => id,
        };
        let triple_table = tables[TRIPLE_SECTION].take().unwrap_or_default();
        let triples = write_triples(&triple_table, spool(), rank)?;
        quads.iter_mut().for_each(|quad| *quad = quad.map(rank));
        let quads = if in_memory {
            SealedQuads::Memory(quads)
        } else {
            let mut out = spool();
            for quad in quads {
                out.write(&ids_to_bytes(&quad))?;
            }
            SealedQuads::Spool(out)
        };
        Ok(SealedChunk {
            terms,
            terms_len,
            samples,
            triples,
            quads,
        })
    }
}

/// Writes the keys of a table in order; gives each key's rank and a sample.
fn write_sorted(table: &TermTable, out: &mut Spool) -> Result<(Vec<u32>, Vec<Vec<u8>>)> {
    let order = sorted_order(table.len(), |number| table.key(number));
    let mut ranks = vec![0; order.len()];
    let mut sample = Vec::new();
    let step = order.len().div_ceil(SAMPLE_KEYS).max(1);
    for (rank, &number) in order.iter().enumerate() {
        ranks[number as usize] = rank as u32;
        let key = table.key(number);
        out.write(&(key.len() as u32).to_le_bytes())?;
        out.write(key)?;
        if rank % step == 0 {
            sample.push(key[..key.len().min(SAMPLE_KEY_BYTES)].to_vec());
        }
    }
    Ok((ranks, sample))
}

fn write_triples(
    table: &TermTable,
    mut out: Spool,
    rank: impl Fn(TermId) -> TermId,
) -> Result<Spool> {
    for number in 0..table.len() {
        let (parts, _) = table.key(number).as_chunks::<8>();
        for bytes in parts {
            let id = rank(TermId::from_bits(u64::from_be_bytes(*bytes)));
            out.write(&id.to_bits().to_le_bytes())?;
        }
    }
    Ok(out)
}

/// Ids as bytes, for a spool.
pub fn ids_to_bytes(ids: &[TermId; 4]) -> [u8; 32] {
    let mut bytes = [0; 32];
    for (slot, id) in bytes.as_chunks_mut::<8>().0.iter_mut().zip(ids) {
        *slot = id.to_bits().to_le_bytes();
    }
    bytes
}

/// Ids from the bytes of a spool.
pub fn ids_from_bytes<const N: usize>(bytes: &[u8]) -> [TermId; N] {
    let (words, _) = bytes.as_chunks::<8>();
    std::array::from_fn(|i| TermId::from_bits(u64::from_le_bytes(words[i])))
}
