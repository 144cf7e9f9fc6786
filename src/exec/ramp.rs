//! How much is taken in at a time: little at first, so that a query which needs few rows reads few, then more.

/// The rows of the first helping.
const FIRST_ROWS: usize = 64;

/// Helpings that grow eightfold up to a largest one.
pub struct Ramp {
    next: usize,
    max: usize,
}

impl Ramp {
    /// Helpings of at most about `rows_max` rows.
    pub fn up_to(rows_max: usize) -> Self {
        Self {
            next: FIRST_ROWS,
            max: rows_max,
        }
    }

    /// The rows of the present helping.
    pub fn rows(&self) -> usize {
        self.next
    }

    /// Makes the next helping larger.
    pub fn grow(&mut self) {
        self.next = (self.next * 8).min(self.max);
    }
}

#[cfg(test)]
mod tests {
    use super::Ramp;

    #[test]
    fn helpings_grow_to_the_largest() {
        let mut ramp = Ramp::up_to(1_000);
        let mut rows = || {
            let rows = ramp.rows();
            ramp.grow();
            rows
        };
        assert_eq!([rows(), rows(), rows(), rows()], [64, 512, 1_000, 1_000]);
    }
}
