//! The cells of an answer: terms by id, with a memo of those written lately.
//!
//! Answers repeat themselves (the same predicate, subject or class over and over), and looking a term up and escaping
//! it costs many times what copying its bytes does. The memo is a direct-mapped table of ids over one arena of bytes;
//! it starts empty, so that an answer of a few rows pays nothing for it, and it is bounded.

use crate::diagnostics::Result;
use crate::term::{ResolveTerm, TermId, TermView};

/// Writes one term in some syntax.
pub type WriteTerm = fn(TermView<'_>, &dyn ResolveTerm, &mut Vec<u8>) -> Result<()>;

const SLOTS_LOG2: u32 = 12;
/// Cells written before the memo is made.
const WARM_UP: u32 = 512;
/// Longer cells are not remembered.
const CELL_BYTES_MAX: usize = 512;
/// When the arena is this full, everything is forgotten.
const ARENA_BYTES_MAX: usize = 1 << 20;

/// Writes cells in one syntax.
pub struct Cells {
    write: WriteTerm,
    scratch: Vec<u8>,
    written: u32,
    slots: Vec<Slot>,
    arena: Vec<u8>,
}

#[derive(Clone, Copy, Default)]
struct Slot {
    id: TermId,
    start: u32,
    len: u32,
}

impl Cells {
    /// Cells that are written by `write`.
    pub fn new(write: WriteTerm) -> Self {
        Self {
            write,
            scratch: Vec::new(),
            written: 0,
            slots: Vec::new(),
            arena: Vec::new(),
        }
    }

    /// Appends the cell of a bound id to `out`.
    #[inline]
    pub fn write(&mut self, id: TermId, terms: &dyn ResolveTerm, out: &mut Vec<u8>) -> Result<()> {
        let place = slot_of(id);
        if let Some(slot) = self.slots.get(place)
            && slot.id == id
        {
            let start = slot.start as usize;
            out.extend_from_slice(&self.arena[start..start + slot.len as usize]);
            return Ok(());
        }
        self.write_new(id, place, terms, out)
    }

    fn write_new(
        &mut self,
        id: TermId,
        place: usize,
        terms: &dyn ResolveTerm,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let start = out.len();
        (self.write)(terms.resolve(id, &mut self.scratch)?, terms, out)?;
        if self.written < WARM_UP {
            self.written += 1;
            return Ok(());
        }
        let cell = &out[start..];
        if cell.len() > CELL_BYTES_MAX {
            return Ok(());
        }
        if self.slots.is_empty() || self.arena.len() + cell.len() > ARENA_BYTES_MAX {
            self.slots.clear();
            self.slots.resize(1 << SLOTS_LOG2, Slot::default());
            self.arena.clear();
        }
        self.slots[place] = Slot {
            id,
            start: self.arena.len() as u32,
            len: cell.len() as u32,
        };
        self.arena.extend_from_slice(cell);
        Ok(())
    }
}

#[inline]
fn slot_of(id: TermId) -> usize {
    // Fibonacci hashing: the high bits of the product depend on every bit of the id.
    (id.to_bits().wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - SLOTS_LOG2)) as usize
}

/// Writes the three parts of a triple term, `between` them what the syntax wants before each part.
pub fn write_parts(
    parts: [TermId; 3],
    before: [&[u8]; 3],
    after: &[u8],
    write: WriteTerm,
    terms: &dyn ResolveTerm,
    out: &mut Vec<u8>,
) -> Result<()> {
    let mut buffer = Vec::new();
    for (part, before) in parts.into_iter().zip(before) {
        out.extend_from_slice(before);
        write(terms.resolve(part, &mut buffer)?, terms, out)?;
    }
    out.extend_from_slice(after);
    Ok(())
}

/// Writes the label of a blank node, without any syntax around it.
pub fn write_blank_label(number: u64, local: bool, out: &mut Vec<u8>) {
    out.push(if local { b'c' } else { b'b' });
    let mut digits = [0; 20];
    let mut start = digits.len();
    let mut rest = number;
    loop {
        start -= 1;
        digits[start] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[start..]);
}
