//! Sorting many strings that begin alike.
//!
//! A multikey sort that compares seven bytes at once as one number: strings of a data set share long beginnings, and
//! each comparison of whole strings would wait for memory twice.

/// Groups as small as this are sorted by comparing what is left of the strings.
const GROUP_SMALL: usize = 12;
const BYTES_AT_ONCE: usize = 7;

/// The numbers `0..len` in the byte order of the distinct strings that `string` gives for them.
pub fn sorted_order<'s>(len: u32, string: impl Fn(u32) -> &'s [u8]) -> Vec<u32> {
    let mut items: Vec<(u64, u32)> = (0..len).map(|number| (0, number)).collect();
    let mut groups = vec![(0, items.len(), 0)];
    while let Some((start, end, depth)) = groups.pop() {
        let group = &mut items[start..end];
        if group.len() <= GROUP_SMALL {
            group.sort_unstable_by(|a, b| string(a.1)[depth..].cmp(&string(b.1)[depth..]));
            continue;
        }
        for (part, number) in group.iter_mut() {
            *part = part_at(string(*number), depth);
        }
        group.sort_unstable_by_key(|&(part, _)| part);
        let mut place = start;
        for same in group.chunk_by(|a, b| a.0 == b.0) {
            if same.len() > 1 {
                groups.push((place, place + same.len(), depth + BYTES_AT_ONCE));
            }
            place += same.len();
        }
    }
    items.into_iter().map(|(_, number)| number).collect()
}

/// The next seven bytes as a number, and below them how many bytes are left, at most eight: a string that ends sorts
/// before one that goes on with zeros, and only strings that go on can be equal here without being the same.
fn part_at(string: &[u8], depth: usize) -> u64 {
    let rest = &string[depth..];
    if let Some(bytes) = rest.first_chunk::<8>() {
        return u64::from_be_bytes(*bytes) & !0xFF | 8;
    }
    let mut bytes = [0; 8];
    bytes[..rest.len()].copy_from_slice(rest);
    u64::from_be_bytes(bytes) | rest.len() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(strings: &[Vec<u8>]) {
        let order = sorted_order(strings.len() as u32, |n| &strings[n as usize]);
        let sorted: Vec<_> = order.iter().map(|&n| &strings[n as usize]).collect();
        assert!(sorted.is_sorted());
        assert_eq!(
            order
                .iter()
                .collect::<std::collections::BTreeSet<_>>()
                .len(),
            strings.len()
        );
    }

    #[test]
    fn strings_that_share_long_beginnings_are_sorted() {
        let long = |i: usize| [vec![b'x'; 100_000], i.to_be_bytes().to_vec()].concat();
        check(&(0..40).rev().map(long).collect::<Vec<_>>());
        check(&(0..40).map(|i| vec![0; i]).rev().collect::<Vec<_>>());
        check(&(0..40).map(|i| vec![255; i]).collect::<Vec<_>>());
        check(&[]);
    }

    proptest! {
        #[test]
        fn any_strings_are_sorted(
            strings in proptest::collection::btree_set(
                proptest::collection::vec(prop_oneof![Just(0_u8), Just(1), Just(255), any::<u8>()], 0..24), 0..200)
        ) {
            let mut strings: Vec<_> = strings.into_iter().collect();
            strings.reverse();
            check(&strings);
        }
    }
}
