//! One column of a block, in the encoding that takes the fewest words.
//!
//! ```text
//!  word 0   encoding (8 bits) | width (8) | offset width (8) | 0 (8) | number of frames (16) | 0 (16)
//!  Constant  [id]                                         every row has this id
//!  Delta     [first id] [packed differences]              ids that never fall; differences of `width` bits
//!  Frames    [base of each frame] [packed codes]          code = frame << offset width | (id - base)
//! ```
//!
//! A frame is a range of ids `2^(offset width)` long that begins at an id which occurs. One frame is plain frame of
//! reference; a few catch the several tags and clusters of a mixed column; with an offset width of zero the bases
//! are a sorted dictionary of the column and a code is a place in it. Packed numbers lie as in [`super::packing`].

use super::block::BLOCK_ROWS;
use super::packing::{bits_needed, pack, packed_words, unpack, unpack_one};
use crate::term::TermId;
use std::cmp::Ordering;
use std::ops::Range;

/// The most frames of a column.
const FRAMES_MAX: usize = 256;

/// Rows that are read one by one sooner than by unpacking the whole column.
const FEW_ROWS: usize = 96;

const CONSTANT: u64 = 0;
const DELTA: u64 = 1;
const FRAMES: u64 = 2;

const fn head(encoding: u64, width: u8, offset_width: u8, frames: usize) -> u64 {
    encoding | (width as u64) << 8 | (offset_width as u64) << 16 | (frames as u64) << 32
}

/// Appends the words of a column of 1 to 1024 ids.
pub fn encode_column(ids: &[TermId], out: &mut Vec<u64>) {
    let first = ids[0].to_bits();
    if ids.iter().all(|id| id.to_bits() == first) {
        out.extend([head(CONSTANT, 0, 0, 0), first]);
        return;
    }
    let delta_width = delta_width(ids);
    let frames = Frames::choose(ids);
    match delta_width {
        Some(width) if packed_words(width) < frames.words() => {
            let mut differences = [0; BLOCK_ROWS];
            for (difference, pair) in differences[1..].iter_mut().zip(ids.windows(2)) {
                *difference = pair[1].to_bits() - pair[0].to_bits();
            }
            out.extend([head(DELTA, width, 0, 0), first]);
            pack(width, &differences, out);
        }
        _ => frames.encode(ids, out),
    }
}

/// The width of the differences of ids that never fall; `None` for others.
fn delta_width(ids: &[TermId]) -> Option<u8> {
    let mut union = 0;
    for pair in ids.windows(2) {
        union |= pair[1].to_bits().checked_sub(pair[0].to_bits())?;
    }
    Some(bits_needed(union))
}

/// Ranges of equal length that hold every id of a column.
struct Frames {
    bases: Vec<u64>,
    offset_width: u8,
}

impl Frames {
    /// The frames that make the column smallest.
    fn choose(ids: &[TermId]) -> Self {
        let mut sorted: Vec<u64> = ids.iter().map(|id| id.to_bits()).collect();
        sorted.sort_unstable();
        sorted.dedup();
        let mut offset_width = bits_needed(sorted[sorted.len() - 1] - sorted[0]);
        let mut best = Self {
            bases: vec![sorted[0]],
            offset_width,
        };
        while offset_width > 0 {
            offset_width -= 1;
            let Some(bases) = cover(&sorted, offset_width) else {
                break;
            };
            let frames = Self {
                bases,
                offset_width,
            };
            if frames.words() < best.words() {
                best = frames;
            }
        }
        best
    }

    fn width(&self) -> u8 {
        bits_needed(self.bases.len() as u64 - 1) + self.offset_width
    }

    /// The words that the column takes after its head.
    fn words(&self) -> usize {
        self.bases.len() + packed_words(self.width())
    }

    fn encode(&self, ids: &[TermId], out: &mut Vec<u64>) {
        let mut codes = [0; BLOCK_ROWS];
        for (code, id) in codes.iter_mut().zip(ids) {
            let id = id.to_bits();
            let frame = self.bases.partition_point(|&base| base <= id) - 1;
            *code = (frame as u64) << (self.offset_width % 64) | (id - self.bases[frame]);
        }
        out.push(head(
            FRAMES,
            self.width(),
            self.offset_width,
            self.bases.len(),
        ));
        out.extend_from_slice(&self.bases);
        pack(self.width(), &codes, out);
    }
}

/// The bases of the fewest frames of this offset width that hold all of some distinct, sorted ids; `None` when there
/// would be too many, or a code would not fit a word.
fn cover(sorted: &[u64], offset_width: u8) -> Option<Vec<u64>> {
    let mut bases = Vec::new();
    let mut rest = sorted;
    while let Some(&base) = rest.first() {
        if bases.len() == FRAMES_MAX {
            return None;
        }
        bases.push(base);
        let inside = rest.partition_point(|&id| (id - base) >> offset_width == 0);
        rest = &rest[inside..];
    }
    (bits_needed(bases.len() as u64 - 1) + offset_width <= 64).then_some(bases)
}

/// A column of a block, its head read, its rows not yet.
pub enum Column<'a> {
    /// Every row has this id.
    Constant(TermId),
    /// Ids that never fall.
    Delta {
        /// The id of the first row.
        first: u64,
        /// The bits of a difference.
        width: u8,
        /// The packed differences to the row before.
        packed: &'a [u64],
    },
    /// Codes of a frame and an offset.
    Frames {
        /// The first id of each frame.
        bases: &'a [u64],
        /// The bits of an offset.
        offset_width: u8,
        /// The bits of a code.
        width: u8,
        /// The packed codes.
        packed: &'a [u64],
    },
}

impl<'a> Column<'a> {
    /// Reads the head of a column; `None` when it makes no sense.
    #[inline]
    pub fn parse(words: &'a [u64]) -> Option<Self> {
        let (&head, body) = words.split_first()?;
        let width = (head >> 8) as u8;
        match head & 0xFF {
            CONSTANT => Some(Self::Constant(TermId::from_bits(*body.first()?))),
            DELTA => {
                let (&first, packed) = body.split_first()?;
                (packed.len() == packed_words(width)).then_some(Self::Delta {
                    first,
                    width,
                    packed,
                })
            }
            FRAMES => {
                let frames = usize::from((head >> 32) as u16);
                let (bases, packed) = body.split_at_checked(frames)?;
                let offset_width = (head >> 16) as u8;
                let fits = frames > 0
                    && width <= 64
                    && offset_width <= width
                    && packed.len() == packed_words(width);
                fits.then_some(Self::Frames {
                    bases,
                    offset_width,
                    width,
                    packed,
                })
            }
            _ => None,
        }
    }

    /// Writes the ids of some rows to their places; what the other places then hold is of no meaning. `None` when the
    /// data make no sense.
    pub fn decode(&self, rows: Range<usize>, ids: &mut [TermId; BLOCK_ROWS]) -> Option<()> {
        match *self {
            Self::Constant(id) => ids.get_mut(rows)?.fill(id),
            Self::Frames { .. } if rows.len() <= FEW_ROWS => {
                for row in rows {
                    *ids.get_mut(row)? = self.get(row)?;
                }
            }
            Self::Frames {
                bases,
                offset_width,
                width,
                packed,
            } => {
                let mut codes = [0; BLOCK_ROWS];
                unpack(width, packed, &mut codes).then_some(())?;
                decode_codes(bases, offset_width, &codes, ids);
            }
            Self::Delta {
                first,
                width,
                packed,
            } => {
                let mut differences = [0; BLOCK_ROWS];
                unpack(width, packed, &mut differences).then_some(())?;
                let mut id = first;
                for (out, difference) in ids.get_mut(..rows.end)?.iter_mut().zip(&differences) {
                    id = id.wrapping_add(*difference);
                    *out = TermId::from_bits(id);
                }
            }
        }
        Some(())
    }

    /// The rows between `low` and `high`, among which the column is sorted, that have this id. `None` when the data
    /// make no sense.
    pub fn equal_range(&self, id: TermId, low: usize, high: usize) -> Option<(usize, usize)> {
        match *self {
            Self::Constant(constant) => Some(match constant.cmp(&id) {
                Ordering::Less => (high, high),
                Ordering::Equal => (low, high),
                Ordering::Greater => (low, low),
            }),
            Self::Delta {
                first,
                width,
                packed,
            } => {
                let mut differences = [0; BLOCK_ROWS];
                unpack(width, packed, &mut differences).then_some(())?;
                let differences = differences.get(..high)?;
                let (start, end) = equal_range_of_deltas(first, differences, id.to_bits());
                Some((start.max(low), end.max(low)))
            }
            Self::Frames { .. } => {
                let start = partition(low, high, |row| Some(self.get(row)? < id))?;
                let end = partition(start, high, |row| Some(self.get(row)? <= id))?;
                Some((start, end))
            }
        }
    }

    /// The id of one row without decoding the others; `None` for deltas, which cannot be read so, and for data that
    /// make no sense.
    #[inline]
    pub fn get(&self, row: usize) -> Option<TermId> {
        match *self {
            Self::Constant(id) => Some(id),
            Self::Delta { .. } => None,
            Self::Frames {
                bases,
                offset_width,
                width,
                packed,
            } => {
                let code = unpack_one(width, packed, row)?;
                let frame = code.checked_shr(u32::from(offset_width)).unwrap_or(0);
                let base = bases.get(frame as usize)?;
                let offset = code & !u64::MAX.checked_shl(u32::from(offset_width)).unwrap_or(0);
                Some(TermId::from_bits(base.wrapping_add(offset)))
            }
        }
    }
}

/// The rows that have this id, found by adding up no more differences than needed.
fn equal_range_of_deltas(first: u64, differences: &[u64], id: u64) -> (usize, usize) {
    let mut row = first;
    let mut start = None;
    for (place, difference) in differences.iter().enumerate() {
        row = row.wrapping_add(*difference);
        if row > id {
            return (start.unwrap_or(place), place);
        }
        if row == id && start.is_none() {
            start = Some(place);
        }
    }
    let end = differences.len();
    (start.unwrap_or(end), end)
}

/// The first place between two at which a test that is true up to there fails.
fn partition(
    mut low: usize,
    mut high: usize,
    test: impl Fn(usize) -> Option<bool>,
) -> Option<usize> {
    while low < high {
        let middle = low.midpoint(high);
        if test(middle)? {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    Some(low)
}

fn decode_codes(
    bases: &[u64],
    offset_width: u8,
    codes: &[u64; BLOCK_ROWS],
    ids: &mut [TermId; BLOCK_ROWS],
) {
    if let [base] = bases {
        for (id, code) in ids.iter_mut().zip(codes) {
            *id = TermId::from_bits(base.wrapping_add(*code));
        }
        return;
    }
    // A table as long as any frame number of eight bits makes the look-up free of a bounds check.
    let mut table = [0; FRAMES_MAX];
    for (slot, base) in table.iter_mut().zip(bases) {
        *slot = *base;
    }
    let mask = !u64::MAX.checked_shl(u32::from(offset_width)).unwrap_or(0);
    for (id, code) in ids.iter_mut().zip(codes) {
        let frame = (code >> (offset_width % 64)) as u8;
        *id = TermId::from_bits(table[usize::from(frame)].wrapping_add(code & mask));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(bits: &[u64]) -> &'static str {
        let ids: Vec<TermId> = bits.iter().map(|&b| TermId::from_bits(b)).collect();
        let mut words = Vec::new();
        encode_column(&ids, &mut words);
        let column = Column::parse(&words).expect("what was encoded parses");
        let mut out = [TermId::UNBOUND; BLOCK_ROWS];
        for rows in [
            0..ids.len(),
            ids.len() / 3..ids.len() / 3 + 1,
            ids.len() / 2..ids.len(),
        ] {
            out.fill(TermId::UNBOUND);
            column
                .decode(rows.clone(), &mut out)
                .expect("what was encoded decodes");
            assert_eq!(out[rows.clone()], ids[rows]);
        }
        for row in [0, ids.len() / 2, ids.len() - 1] {
            if !matches!(column, Column::Delta { .. }) {
                assert_eq!(column.get(row), Some(ids[row]));
            }
        }
        match column {
            Column::Constant(_) => "constant",
            Column::Delta { .. } => "delta",
            Column::Frames {
                offset_width: 0, ..
            } => "dictionary",
            Column::Frames { bases: [_], .. } => "frame",
            Column::Frames { .. } => "frames",
        }
    }

    #[test]
    fn each_kind_of_column_gets_its_encoding() {
        let iri = 2_u64 << 60;
        let date = 8_u64 << 60;
        let spread = |i: u64| i.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 44;
        let rows = 0..1024_u64;
        assert_eq!(check(&[7; 1000]), "constant");
        assert_eq!(
            check(&rows.clone().map(|i| iri + i * 3).collect::<Vec<_>>()),
            "delta"
        );
        assert_eq!(
            check(&rows.clone().map(|i| iri + spread(i)).collect::<Vec<_>>()),
            "frame"
        );
        let mixed = |i: u64| {
            if i.is_multiple_of(9) {
                date + spread(i)
            } else {
                iri + spread(i)
            }
        };
        assert_eq!(
            check(&rows.clone().map(mixed).collect::<Vec<_>>()),
            "frames"
        );
        assert_eq!(
            check(&rows.map(|i| iri + spread(i % 5) * 1000).collect::<Vec<_>>()),
            "dictionary"
        );
        check(&[u64::MAX, 0]);
        check(&[0, u64::MAX]);
    }

    fn any_id() -> impl Strategy<Value = u64> {
        prop_oneof![
            any::<u64>(),
            (0..16_u64, 0..2000_u64).prop_map(|(tag, number)| tag << 60 | number),
            0..4_u64,
        ]
    }

    proptest! {
        #[test]
        fn any_column_comes_back(
            mut ids in proptest::collection::vec(any_id(), 1..=BLOCK_ROWS),
            sorted in any::<bool>(),
        ) {
            if sorted {
                ids.sort_unstable();
            }
            check(&ids);
        }

        #[test]
        fn damaged_words_never_panic(words in proptest::collection::vec(any::<u64>(), 0..200), head in 0..3_u64) {
            let mut words = words;
            if let Some(first) = words.first_mut() {
                *first = *first & !0xFF | head;
            }
            if let Some(column) = Column::parse(&words) {
                let _ = column.decode(0..BLOCK_ROWS, &mut [TermId::UNBOUND; BLOCK_ROWS]);
                let _ = column.get(3);
            }
        }
    }
}
