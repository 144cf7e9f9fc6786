//! Few numbers for many: median, spread, percentiles, geometric mean.
//!
//! Percentiles are taken by nearest rank, and only where at least ten samples lie beyond them; with fewer a single stall
//! decides the figure.

/// Latencies below this count as this much in a geometric mean, which a figure near zero would rule otherwise.
pub const GEOMETRIC_MEAN_FLOOR_MS: f64 = 0.01;

const SAMPLES_BEYOND_MIN: usize = 10;

/// Samples in ascending order.
#[derive(Clone, Debug, Default)]
pub struct Samples(Vec<f64>);

impl FromIterator<f64> for Samples {
    fn from_iter<I: IntoIterator<Item = f64>>(samples: I) -> Self {
        let mut samples: Vec<f64> = samples.into_iter().collect();
        samples.sort_by(f64::total_cmp);
        Self(samples)
    }
}

impl Samples {
    /// The middle sample, or the mean of the two in the middle.
    pub fn median(&self) -> Option<f64> {
        let middle = self.0.len() / 2;
        match self.0.len() {
            0 => None,
            n if n % 2 == 1 => Some(self.0[middle]),
            _ => Some(f64::midpoint(self.0[middle - 1], self.0[middle])),
        }
    }

    /// The sum.
    pub fn sum(&self) -> Option<f64> {
        (!self.0.is_empty()).then(|| self.0.iter().sum())
    }

    /// The arithmetic mean.
    pub fn mean(&self) -> Option<f64> {
        Some(self.sum()? / self.0.len() as f64)
    }

    /// The smallest sample.
    pub fn min(&self) -> Option<f64> {
        self.0.first().copied()
    }

    /// The largest sample.
    pub fn max(&self) -> Option<f64> {
        self.0.last().copied()
    }

    /// How far the largest lies above the smallest.
    pub fn spread(&self) -> Option<f64> {
        Some(self.max()? - self.min()?)
    }

    /// The share of samples above a bound.
    pub fn share_above(&self, bound: f64) -> Option<f64> {
        let above = self.0.len() - self.0.partition_point(|&sample| sample <= bound);
        (!self.0.is_empty()).then(|| above as f64 / self.0.len() as f64)
    }

    /// The smallest sample that at least so many thousandths of all do not exceed, if enough lie beyond it.
    pub fn percentile(&self, per_mille: usize) -> Option<f64> {
        let rank = (self.0.len() * per_mille).div_ceil(1000);
        let beyond = self.0.len() - rank.min(self.0.len());
        (rank > 0 && beyond >= SAMPLES_BEYOND_MIN).then(|| self.0[rank - 1])
    }

    /// The geometric mean, each sample taken as the floor at least.
    pub fn geometric_mean(&self, floor: f64) -> Option<f64> {
        let logarithms: Self = self.0.iter().map(|sample| sample.max(floor).ln()).collect();
        logarithms.mean().map(f64::exp)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(figure: &str, found: Option<f64>, wanted: Option<f64>) {
        match (found, wanted) {
            (None, None) => {}
            (Some(found), Some(wanted)) if (found - wanted).abs() < 1e-9 => {}
            _ => panic!("{figure}: {found:?} is not {wanted:?}"),
        }
    }

    fn samples(numbers: &[f64]) -> Samples {
        numbers.iter().copied().collect()
    }

    #[test]
    fn figures_worked_by_hand() {
        let odd = samples(&[3.0, 1.0, 8.0]);
        check("median of three", odd.median(), Some(3.0));
        check("mean of three", odd.mean(), Some(4.0));
        check("spread of three", odd.spread(), Some(7.0));
        let even = samples(&[4.0, 1.0, 2.0, 9.0]);
        check("median of four", even.median(), Some(3.0));
        check("min", even.min(), Some(1.0));
        check("max", even.max(), Some(9.0));
        check(
            "geometric mean",
            samples(&[1.0, 4.0, 16.0]).geometric_mean(0.01),
            Some(4.0),
        );
        check(
            "with floor",
            samples(&[0.0, 4.0]).geometric_mean(1.0),
            Some(2.0),
        );
    }

    #[test]
    fn nothing_has_no_figures() {
        let nothing = samples(&[]);
        let figures = [
            nothing.median(),
            nothing.mean(),
            nothing.spread(),
            nothing.percentile(500),
            nothing.geometric_mean(1.0),
        ];
        figures
            .into_iter()
            .for_each(|figure| check("nothing", figure, None));
    }

    #[test]
    fn percentiles_need_ten_samples_beyond() {
        let to = |n: u32| (1..=n).map(f64::from).collect::<Samples>();
        check("p90 of 100", to(100).percentile(900), Some(90.0));
        check("p90 of 99", to(99).percentile(900), None);
        check("p99 of 999", to(999).percentile(990), None);
        check("p99 of 1000", to(1000).percentile(990), Some(990.0));
        check("p50 of 25", to(25).percentile(500), Some(13.0));
    }
}
