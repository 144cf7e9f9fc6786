//! A thousand and twenty-four numbers in as few bits each as the largest needs.
//!
//! The layout is that of FastLanes (Afroozeh and Boncz, PVLDB 16, 2023): the numbers lie interleaved, so that plain
//! loops unpack several at once. A width of `w` bits takes `16 * w` words.

use super::block::BLOCK_ROWS;
use fastlanes::BitPacking;

/// The words that a column packed to this width takes.
pub const fn packed_words(width: u8) -> usize {
    BLOCK_ROWS * width as usize / 64
}

/// The bits that a number needs.
pub const fn bits_needed(number: u64) -> u8 {
    (64 - number.leading_zeros()) as u8
}

/// Calls a generic function of the width and of the number of packed words, which the library wants as constants.
macro_rules! for_width {
    ($width:expr, $w:ident, $call:expr, [$($n:literal)*]) => {
        match $width {
            $($n => { const $w: usize = $n; $call })*
            _ => unreachable!("a width is checked before it comes here"),
        }
    };
    ($width:expr, $w:ident, $call:expr) => {
        for_width!($width, $w, $call, [
            1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32
            33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64
        ])
    };
}

/// Packs numbers that need at most `width` bits, and appends their words.
///
/// # Panics
/// When the width is over 64.
pub fn pack(width: u8, numbers: &[u64; BLOCK_ROWS], out: &mut Vec<u64>) {
    if width == 0 {
        return;
    }
    for_width!(width, W, {
        let mut packed = [0; BLOCK_ROWS * W / 64];
        u64::pack::<W, { BLOCK_ROWS * W / 64 }>(numbers, &mut packed);
        out.extend_from_slice(&packed);
    });
}

/// Unpacks numbers; `false` when there are too few words, or the width is over 64.
#[must_use]
pub fn unpack(width: u8, packed: &[u64], numbers: &mut [u64; BLOCK_ROWS]) -> bool {
    if width == 0 {
        numbers.fill(0);
        return true;
    }
    if width > 64 {
        return false;
    }
    for_width!(width, W, {
        let Some(packed) = packed.first_chunk::<{ BLOCK_ROWS * W / 64 }>() else {
            return false;
        };
        u64::unpack::<W, { BLOCK_ROWS * W / 64 }>(packed, numbers);
    });
    true
}

/// The number at one place, without unpacking the others; `None` when there are too few words.
#[inline]
pub fn unpack_one(width: u8, packed: &[u64], place: usize) -> Option<u64> {
    if width == 0 {
        return Some(0);
    }
    if width > 64 || place >= BLOCK_ROWS {
        return None;
    }
    for_width!(width, W, {
        let packed = packed.first_chunk::<{ BLOCK_ROWS * W / 64 }>()?;
        Some(u64::unpack_single::<W, { BLOCK_ROWS * W / 64 }>(
            packed, place,
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_width_comes_back() {
        for width in 0..=64_u8 {
            let mask = if width == 64 {
                u64::MAX
            } else {
                (1 << width) - 1
            };
            let numbers: [u64; BLOCK_ROWS] =
                std::array::from_fn(|i| (i as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) & mask);
            let mut packed = Vec::new();
            pack(width, &numbers, &mut packed);
            assert_eq!(packed.len(), packed_words(width));
            let mut out = [0; BLOCK_ROWS];
            assert!(unpack(width, &packed, &mut out));
            assert_eq!(out, numbers, "width {width}");
            for place in [0, 1, 63, 64, 1000, 1023] {
                assert_eq!(unpack_one(width, &packed, place), Some(numbers[place]));
            }
            if width > 0 {
                assert!(!unpack(width, &packed[1..], &mut out));
                assert_eq!(unpack_one(width, &packed[1..], 5), None);
            }
        }
        assert!(!unpack(65, &[0; 2000], &mut [0; BLOCK_ROWS]));
    }
}
