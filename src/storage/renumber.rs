//! A dictionary written anew: the terms that some quads use, sorted, and what each id becomes.
//!
//! The keys of all segments are merged in order, so no key is held but the next one of each; what is held in memory is
//! the new number of each term (8 bytes), and the triple terms while they are sorted.

use super::dictionary::{Dictionary, SegmentWriter, encode_key, section_of};
use super::files::Directory;
use super::layout::{self, FileNumber};
use super::permutation::{ColumnMask, Permutation, QuadColumn};
use super::snapshot::Snapshot;
use crate::diagnostics::{Error, Result};
use crate::term::{Tag, TermId, TermView};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

/// The keys of a section on which its symbol table is trained.
const SAMPLE_KEYS: u64 = 2048;

/// A term that no quad uses.
const UNUSED: u64 = u64::MAX;
/// A term that is used and has no new number yet.
const USED: u64 = u64::MAX - 1;

/// The new numbers of the terms of a dictionary.
#[derive(Debug)]
pub struct Renumbering {
    numbers: [Vec<u64>; Tag::STORED.len()],
}

impl Renumbering {
    /// The new id of an old one; `None` for a term that is not in the new dictionary. Ids that need no dictionary stay.
    pub fn id(&self, old: TermId) -> Option<TermId> {
        let Some(section) = section_of(old.tag()) else {
            return Some(old);
        };
        let number = *self.numbers[section].get(old.number() as usize)?;
        (number < USED).then(|| TermId::new(old.tag(), number))
    }

    fn slot(&mut self, id: TermId) -> Option<&mut u64> {
        let section = section_of(id.tag())?;
        self.numbers[section].get_mut(id.number() as usize)
    }

    fn is_used(&self, id: TermId) -> bool {
        let section = section_of(id.tag());
        section.is_some_and(|s| {
            let number = self.numbers[s].get(id.number() as usize);
            number.is_some_and(|&number| number != UNUSED)
        })
    }

    fn mark(&mut self, id: TermId) {
        if let Some(slot) = self.slot(id) {
            *slot = USED;
        }
    }

    fn set(&mut self, id: TermId, number: u64) {
        if let Some(slot) = self.slot(id) {
            *slot = number;
        }
    }

    /// Marks the terms that the quads of a state use, and those within triple terms.
    fn of_used(snapshot: &Arc<Snapshot>) -> Result<Self> {
        let dictionary = snapshot.dictionary();
        let numbers = Tag::STORED.map(|tag| vec![UNUSED; dictionary.len(tag) as usize]);
        let mut used = Self { numbers };
        let mut scan = snapshot.scan(Permutation::Spog, &[], ColumnMask::ALL)?;
        while let Some(block) = scan.next_block()? {
            for column in QuadColumn::ALL {
                block.column(column).iter().for_each(|&id| used.mark(id));
            }
        }
        // A triple term comes after those within it.
        for number in (0..dictionary.len(Tag::Triple)).rev() {
            let id = TermId::new(Tag::Triple, number);
            if used.is_used(id) {
                parts(dictionary, id)?
                    .into_iter()
                    .for_each(|part| used.mark(part));
            }
        }
        Ok(used)
    }
}

fn parts(dictionary: &Dictionary, id: TermId) -> Result<[TermId; 3]> {
    match dictionary.resolve(id, &mut Vec::new())? {
        TermView::Triple(parts) => Ok(parts),
        _ => Err(Error::internal(format!("{id:?} is no triple term"))),
    }
}

/// Writes the terms that the quads of a state use to a new segment, sorted.
///
/// # Errors
/// The store is damaged, or writing failed.
pub fn write_sorted(
    directory: &Directory,
    number: FileNumber,
    snapshot: &Arc<Snapshot>,
) -> Result<Renumbering> {
    let dictionary = snapshot.dictionary();
    let mut numbers = Renumbering::of_used(snapshot)?;
    let path = layout::terms_path(directory.location(), number);
    let mut writer = SegmentWriter::create(directory.files(), &path)?;
    for tag in Tag::STORED.into_iter().filter(|&tag| tag != Tag::Triple) {
        writer.begin(tag, &sample(dictionary, tag, &numbers)?)?;
        write_section(dictionary, tag, &mut numbers, &mut writer)?;
        writer.end_piece();
    }
    writer.begin(Tag::Triple, &[])?;
    write_triples(dictionary, &mut numbers, &mut writer)?;
    writer.finish()?;
    Ok(numbers)
}

fn sample(dictionary: &Dictionary, tag: Tag, used: &Renumbering) -> Result<Vec<Vec<u8>>> {
    let len = dictionary.len(tag);
    let step = len.div_ceil(SAMPLE_KEYS).max(1) as usize;
    let ids = (0..len)
        .step_by(step)
        .map(|number| TermId::new(tag, number));
    ids.filter(|&id| used.is_used(id))
        .map(|id| {
            let mut key = Vec::new();
            dictionary.key(id, &mut key).map(|()| key)
        })
        .collect()
}

/// The next key of a segment, in the order of keys.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Head {
    key: Vec<u8>,
    layer: usize,
    rank: u64,
    id: TermId,
}

impl Head {
    /// The first used key from a rank on; `None` at the end.
    fn from_rank(
        dictionary: &Dictionary,
        tag: Tag,
        layer: usize,
        mut rank: u64,
        used: &Renumbering,
        mut key: Vec<u8>,
    ) -> Result<Option<Self>> {
        while let Some(id) = dictionary.id_of_rank(layer, tag, rank)? {
            if used.is_used(id) {
                dictionary.key(id, &mut key)?;
                return Ok(Some(Self {
                    key,
                    layer,
                    rank,
                    id,
                }));
            }
            rank += 1;
        }
        Ok(None)
    }
}

fn write_section(
    dictionary: &Dictionary,
    tag: Tag,
    numbers: &mut Renumbering,
    writer: &mut SegmentWriter,
) -> Result<()> {
    let mut heads = BinaryHeap::new();
    for layer in 0..dictionary.layers().len() {
        let head = Head::from_rank(dictionary, tag, layer, 0, numbers, Vec::new())?;
        heads.extend(head.map(Reverse));
    }
    while let Some(Reverse(head)) = heads.pop() {
        numbers.set(head.id, writer.keys());
        writer.push(&head.key)?;
        let Head {
            key, layer, rank, ..
        } = head;
        let next = Head::from_rank(dictionary, tag, layer, rank + 1, numbers, key)?;
        heads.extend(next.map(Reverse));
    }
    Ok(())
}

/// Writes triple terms, those that hold no other first; each depth is a sorted piece.
fn write_triples(
    dictionary: &Dictionary,
    numbers: &mut Renumbering,
    writer: &mut SegmentWriter,
) -> Result<()> {
    let mut waiting = Vec::new();
    for number in 0..dictionary.len(Tag::Triple) {
        let id = TermId::new(Tag::Triple, number);
        if numbers.is_used(id) {
            waiting.push((id, parts(dictionary, id)?));
        }
    }
    while !waiting.is_empty() {
        let mut keys = Vec::new();
        let mut deeper = Vec::new();
        for (id, old) in waiting {
            match old.map(|part| numbers.id(part)) {
                [Some(s), Some(p), Some(o)] => keys.push((triple_key([s, p, o]), id)),
                _ => deeper.push((id, old)),
            }
        }
        if keys.is_empty() {
            return Err(Error::corruption(
                "a triple term of the dictionary holds one that came after it; restore the store from a backup",
            ));
        }
        keys.sort_unstable();
        for (key, id) in &keys {
            numbers.set(*id, writer.keys());
            writer.push(key)?;
        }
        writer.end_piece();
        waiting = deeper;
    }
    Ok(())
}

fn triple_key(parts: [TermId; 3]) -> Vec<u8> {
    let mut key = Vec::new();
    encode_key(&TermView::Triple(parts), &mut key);
    key
}
