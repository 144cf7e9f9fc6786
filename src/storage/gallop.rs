//! The search in sorted rows of which the wanted one is mostly near: steps that double, then halving.

/// The first place from `start` on where a test that holds, then does not, stops to hold; `end` when it never does.
#[inline]
pub fn gallop(start: usize, end: usize, holds: impl Fn(usize) -> bool) -> usize {
    let mut step = 1;
    let mut low = start;
    while low + step - 1 < end && holds(low + step - 1) {
        low += step;
        step *= 2;
    }
    let mut high = end.min(low + step - 1);
    while low < high {
        let middle = low.midpoint(high);
        match holds(middle) {
            true => low = middle + 1,
            false => high = middle,
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::gallop;

    #[test]
    fn gallop_finds_where_a_test_stops_to_hold() {
        for end in 0..40 {
            for stop in 0..=end {
                for start in 0..=stop {
                    assert_eq!(
                        gallop(start, end, |i| i < stop),
                        stop,
                        "{start} {stop} {end}"
                    );
                }
            }
        }
    }
}
