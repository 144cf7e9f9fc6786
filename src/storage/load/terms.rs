//! The terms of all chunks, merged into the dictionary.
//!
//! The chunks' sorted keys are merged; a key that the dictionary holds already has its id, a new one gets the next and
//! goes to the new segment. What comes out for each chunk is the final id of each of its terms. Triple terms follow
//! when the ids of their parts are known, depth by depth; they are held in memory while this is done.

use super::chunk::{SealedChunk, SealedQuads, ids_from_bytes};
use super::intern::{BLANK_SECTION, SECTIONS, TRIPLE_SECTION, chunk_section};
use crate::diagnostics::Result;
use crate::storage::dictionary::{Dictionary, SegmentWriter};
use crate::storage::files::Directory;
use crate::storage::permutation::Quad;
use crate::storage::spool::{Spool, SpoolReader};
use crate::term::{Tag, TermId};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::path::Path;

/// The memory that the final ids of a chunk may take before they go to a file.
const MAP_MEMORY_BYTES: usize = 8 << 20;

/// The terms, merged.
pub struct Merged {
    /// The chunks, their terms replaced by final ids.
    pub chunks: Vec<MappedChunk>,
    /// The number of the next blank node.
    pub next_blank: u64,
    /// The number of terms in the new segment; when it is zero the segment is not needed.
    pub new_terms: u64,
}

/// The quads of a chunk, and the final ids of its terms.
pub struct MappedChunk {
    ids: SpoolReader,
    ids_len: [u32; SECTIONS],
    triples: Vec<TermId>,
    quads: SealedQuads,
}

impl MappedChunk {
    /// Reads the final ids.
    fn map(&mut self) -> Result<ChunkMap> {
        self.ids.rewind()?;
        let mut sections = [const { Vec::new() }; SECTIONS];
        for section in text_sections() {
            let len = self.ids_len[section] as usize;
            sections[section].reserve_exact(len);
            let mut bytes = [0; 8];
            for _ in 0..len {
                self.ids.read_exact(&mut bytes)?;
                sections[section].push(TermId::from_bits(u64::from_le_bytes(bytes)));
            }
        }
        sections[TRIPLE_SECTION].clone_from(&self.triples);
        Ok(ChunkMap(sections))
    }

    /// Hands on each quad with its final ids.
    ///
    /// # Errors
    /// Reading failed, or `each` did.
    pub fn for_each_quad(mut self, mut each: impl FnMut(Quad) -> Result<()>) -> Result<()> {
        let map = self.map()?;
        match self.quads {
            SealedQuads::Memory(quads) => quads
                .iter()
                .try_for_each(|quad| each(quad.map(|id| map.id(id)))),
            SealedQuads::Spool(spool) => {
                let mut reader = spool.read()?;
                let mut bytes = [0; 32];
                while reader.read_exact(&mut bytes)? {
                    each(ids_from_bytes::<4>(&bytes).map(|id| map.id(id)))?;
                }
                Ok(())
            }
        }
    }
}

/// The final ids of a chunk's terms, by section and local number.
struct ChunkMap([Vec<TermId>; SECTIONS]);

impl ChunkMap {
    #[inline]
    fn id(&self, local: TermId) -> TermId {
        match chunk_section(local.tag()) {
            Some(section) => self.0[section][local.number() as usize],
            None => local,
        }
    }
}

/// The sections whose keys are text, in the order in which a chunk's spool holds them.
fn text_sections() -> impl Iterator<Item = usize> {
    (0..SECTIONS).filter(|&section| section != TRIPLE_SECTION)
}

/// A chunk's next key of a section.
struct Head {
    key: Vec<u8>,
    chunk: usize,
    left: u32,
}

impl Head {
    /// Reads the next key; `false` when there is none.
    fn advance(&mut self, terms: &mut SpoolReader) -> Result<bool> {
        let Some(left) = self.left.checked_sub(1) else {
            return Ok(false);
        };
        self.left = left;
        let mut len = [0; 4];
        terms.read_exact(&mut len)?;
        self.key.resize(u32::from_le_bytes(len) as usize, 0);
        if !self.key.is_empty() {
            terms.read_exact(&mut self.key)?;
        }
        Ok(true)
    }
}

impl PartialEq for Head {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Head {}

impl PartialOrd for Head {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Head {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key.cmp(&other.key).then(self.chunk.cmp(&other.chunk))
    }
}

/// Gives final ids.
struct Assigner<'d> {
    dictionary: &'d Dictionary,
    segment: SegmentWriter,
    next_blank: u64,
    new_terms: u64,
}

impl Assigner<'_> {
    fn assign(&mut self, section: usize, key: &[u8]) -> Result<TermId> {
        if section == BLANK_SECTION {
            self.next_blank += 1;
            return Ok(TermId::new(Tag::Blank, self.next_blank - 1));
        }
        let tag = Tag::STORED[section];
        if self.dictionary.len(tag) > 0
            && let Some(id) = self.dictionary.find(tag, key)?
        {
            return Ok(id);
        }
        let number = self.dictionary.len(tag) + self.segment.keys();
        self.segment.push(key)?;
        self.new_terms += 1;
        Ok(TermId::new(tag, number))
    }
}

/// Merges the terms of chunks into a new segment.
///
/// # Errors
/// Reading or writing failed, or the dictionary is damaged.
pub fn merge(
    segment_path: &Path,
    directory: &Directory,
    dictionary: &Dictionary,
    next_blank: u64,
    chunks: Vec<SealedChunk>,
) -> Result<Merged> {
    let mut assigner = Assigner {
        dictionary,
        segment: SegmentWriter::create(directory.files(), segment_path)?,
        next_blank,
        new_terms: 0,
    };
    let mut inputs = chunks
        .into_iter()
        .map(|c| Input::new(c, directory.location()))
        .collect::<Result<Vec<_>>>()?;
    for section in text_sections() {
        if section != BLANK_SECTION {
            let sample: Vec<_> = inputs
                .iter_mut()
                .flat_map(|i| i.samples[section].drain(..))
                .collect();
            assigner.segment.begin(Tag::STORED[section], &sample)?;
        }
        merge_section(section, &mut inputs, &mut assigner)?;
        if section != BLANK_SECTION {
            assigner.segment.end_piece();
        }
    }
    let (mut mapped, triples): (Vec<_>, Vec<_>) = inputs
        .into_iter()
        .map(Input::finish)
        .collect::<Result<Vec<_>>>()?
        .into_iter()
        .unzip();
    assigner.segment.begin(Tag::Triple, &[])?;
    merge_triples(&mut mapped, triples, &mut assigner)?;
    assigner.segment.finish()?;
    Ok(Merged {
        chunks: mapped,
        next_blank: assigner.next_blank,
        new_terms: assigner.new_terms,
    })
}

/// A chunk while its terms are merged.
struct Input {
    terms: SpoolReader,
    terms_len: [u32; SECTIONS],
    samples: [Vec<Vec<u8>>; SECTIONS],
    ids: Spool,
    triples: SpoolReader,
    quads: SealedQuads,
}

impl Input {
    fn new(chunk: SealedChunk, location: &Path) -> Result<Self> {
        Ok(Self {
            terms: chunk.terms.read()?,
            terms_len: chunk.terms_len,
            samples: chunk.samples,
            ids: Spool::new(location, MAP_MEMORY_BYTES),
            triples: chunk.triples.read()?,
            quads: chunk.quads,
        })
    }

    /// The chunk with its map, and its triple terms with local ids.
    fn finish(mut self) -> Result<(MappedChunk, Vec<[TermId; 3]>)> {
        let mut triples = Vec::new();
        let mut bytes = [0; 24];
        while self.triples.read_exact(&mut bytes)? {
            triples.push(ids_from_bytes(&bytes));
        }
        let chunk = MappedChunk {
            ids: self.ids.read()?,
            ids_len: self.terms_len,
            triples: vec![TermId::UNBOUND; triples.len()],
            quads: self.quads,
        };
        Ok((chunk, triples))
    }
}

fn merge_section(section: usize, inputs: &mut [Input], assigner: &mut Assigner<'_>) -> Result<()> {
    let mut heads = BinaryHeap::new();
    for (chunk, input) in inputs.iter_mut().enumerate() {
        let mut head = Head {
            key: Vec::new(),
            chunk,
            left: input.terms_len[section],
        };
        if head.advance(&mut input.terms)? {
            heads.push(Reverse(head));
        }
    }
    let mut last: Option<(Vec<u8>, TermId)> = None;
    while let Some(mut top) = heads.peek_mut() {
        let head = &mut top.0;
        let id = match &mut last {
            Some((key, id)) if *key == head.key => *id,
            _ => {
                let id = assigner.assign(section, &head.key)?;
                let (key, last_id) = last.get_or_insert_with(Default::default);
                key.clone_from(&head.key);
                *last_id = id;
                id
            }
        };
        let input = &mut inputs[head.chunk];
        input.ids.write(&id.to_bits().to_le_bytes())?;
        if !head.advance(&mut input.terms)? {
            PeekMut::pop(top);
        }
    }
    Ok(())
}

/// Gives ids to triple terms, those of depth one first; each depth is a sorted piece of the segment.
fn merge_triples(
    chunks: &mut [MappedChunk],
    triples: Vec<Vec<[TermId; 3]>>,
    assigner: &mut Assigner<'_>,
) -> Result<()> {
    let depths: Vec<Vec<u32>> = triples.iter().map(|triples| depths(triples)).collect();
    let deepest = depths.iter().flatten().max().copied().unwrap_or(0);
    for depth in 1..=deepest {
        let mut keys = Vec::new();
        for (chunk, of_chunk) in chunks.iter_mut().enumerate() {
            let map = chunk_map_if(of_chunk, &depths[chunk], depth)?;
            let Some(map) = map else { continue };
            for (number, triple) in triples[chunk].iter().enumerate() {
                if depths[chunk][number] == depth {
                    keys.push((triple.map(|id| map.id(id)), chunk, number));
                }
            }
        }
        keys.sort_unstable();
        for same in keys.chunk_by(|a, b| a.0 == b.0) {
            let key: Vec<u8> = same[0]
                .0
                .iter()
                .flat_map(|id| id.to_bits().to_be_bytes())
                .collect();
            let id = assigner.assign(TRIPLE_SECTION, &key)?;
            for &(_, chunk, number) in same {
                chunks[chunk].triples[number] = id;
            }
        }
        assigner.segment.end_piece();
    }
    Ok(())
}

/// The map of a chunk that has triple terms of a depth.
fn chunk_map_if(chunk: &mut MappedChunk, depths: &[u32], depth: u32) -> Result<Option<ChunkMap>> {
    if depths.contains(&depth) {
        chunk.map().map(Some)
    } else {
        Ok(None)
    }
}

/// How deep each triple term goes, one for those that hold no other. One within another comes before it.
fn depths(triples: &[[TermId; 3]]) -> Vec<u32> {
    let mut depths = Vec::with_capacity(triples.len());
    for triple in triples {
        let inner = |id: &TermId| match id.tag() {
            Tag::Triple => depths[id.number() as usize],
            _ => 0,
        };
        depths.push(1 + triple.iter().map(inner).max().unwrap_or(0));
    }
    depths
}
