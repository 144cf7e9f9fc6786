//! What the planner knows of the data without reading them: counts made when a run is written.
//!
//! ```text
//!  magic "KALUTAST" | format version | totals (4 words) | number of predicates
//!  for each predicate: id | quads | distinct subjects | distinct objects
//!  crc32c of all before
//! ```

use super::files::{FileSystem, NewFile};
use super::mapped::{Mapped, words};
use crate::diagnostics::{Error, ErrorKind, Result};
use crate::term::TermId;
use std::collections::HashMap;
use std::path::Path;

const MAGIC: u64 = u64::from_le_bytes(*b"KALUTAST");
const VERSION: u64 = 1;

/// Counts over the quads of one predicate, in all graphs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PredicateStatistics {
    /// The number of quads, exact.
    pub quads: u64,
    /// The number of distinct subjects; with several runs an upper bound.
    pub distinct_subjects: u64,
    /// The number of distinct objects; with several runs an upper bound.
    pub distinct_objects: u64,
}

impl PredicateStatistics {
    /// Adds the counts over other quads of the predicate.
    pub fn add(&mut self, other: &Self) {
        self.quads += other.quads;
        self.distinct_subjects += other.distinct_subjects;
        self.distinct_objects += other.distinct_objects;
    }
}

/// Counts over all quads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StoreStatistics {
    /// The number of quads, exact.
    pub quads: u64,
    /// The number of distinct subjects; with several runs an upper bound.
    pub distinct_subjects: u64,
    /// The number of distinct predicates, exact.
    pub distinct_predicates: u64,
    /// The number of distinct objects; with several runs an upper bound.
    pub distinct_objects: u64,
}

/// The statistics of one set of quads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunStatistics {
    totals: StoreStatistics,
    predicates: HashMap<TermId, PredicateStatistics>,
}

impl RunStatistics {
    /// These counts; the number of predicates in `totals` is worked out.
    pub fn new(totals: StoreStatistics, predicates: HashMap<TermId, PredicateStatistics>) -> Self {
        let totals = StoreStatistics {
            distinct_predicates: predicates.len() as u64,
            ..totals
        };
        Self { totals, predicates }
    }

    /// Counts over all quads.
    pub fn totals(&self) -> StoreStatistics {
        self.totals
    }

    /// Counts over the quads of a predicate.
    pub fn predicate(&self, predicate: TermId) -> Option<PredicateStatistics> {
        self.predicates.get(&predicate).copied()
    }

    /// The predicates that have quads.
    pub fn predicates(&self) -> impl Iterator<Item = TermId> {
        self.predicates.keys().copied()
    }

    /// Writes them to a new file and makes it durable.
    ///
    /// # Errors
    /// Writing failed.
    pub fn write(&self, files: &dyn FileSystem, path: &Path) -> Result<()> {
        let t = &self.totals;
        let mut words = vec![MAGIC, VERSION];
        words.extend([
            t.quads,
            t.distinct_subjects,
            t.distinct_predicates,
            t.distinct_objects,
        ]);
        words.push(self.predicates.len() as u64);
        for (id, p) in &self.predicates {
            words.extend([
                id.to_bits(),
                p.quads,
                p.distinct_subjects,
                p.distinct_objects,
            ]);
        }
        let mut bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        bytes.extend(u64::from(crc32c::crc32c(&bytes)).to_le_bytes());
        let mut file = NewFile::create(files, path)?;
        file.write(&bytes)?;
        file.finish()
    }

    /// Reads them from a file.
    ///
    /// # Errors
    /// The file cannot be read, is damaged, or is of another version.
    pub fn read(files: &dyn FileSystem, path: &Path) -> Result<Self> {
        let mapped = Mapped::open(files, path)?;
        let damaged = |what: &str| mapped.corruption(0, what);
        let all = words(mapped.bytes()).ok_or_else(|| damaged("it is no row of words"))?;
        let (&checksum, body) = all.split_last().ok_or_else(|| damaged("it is empty"))?;
        let covered = &mapped.bytes()[..body.len() * 8];
        if u64::from(crc32c::crc32c(covered)) != checksum {
            return Err(damaged("it fails its checksum"));
        }
        let [
            MAGIC,
            version,
            quads,
            subjects,
            _,
            objects,
            count,
            rest @ ..,
        ] = body
        else {
            return Err(damaged("it holds no statistics"));
        };
        if *version != VERSION {
            return Err(Error::new(
                ErrorKind::FormatVersion,
                format!(
                    "{} has format version {version}, this program reads {VERSION}",
                    path.display()
                ),
            ));
        }
        let (entries, []) = rest.as_chunks::<4>() else {
            return Err(damaged("a predicate is cut off"));
        };
        if entries.len() as u64 != *count {
            return Err(damaged("predicates are missing"));
        }
        let predicates = entries.iter().map(|&[id, quads, subjects, objects]| {
            let counts = PredicateStatistics {
                quads,
                distinct_subjects: subjects,
                distinct_objects: objects,
            };
            (TermId::from_bits(id), counts)
        });
        let totals = StoreStatistics {
            quads: *quads,
            distinct_subjects: *subjects,
            distinct_predicates: *count,
            distinct_objects: *objects,
        };
        Ok(Self::new(totals, predicates.collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::files::OperatingSystem;

    fn sample() -> RunStatistics {
        let predicate = |n| PredicateStatistics {
            quads: n * 3,
            distinct_subjects: n * 2,
            distinct_objects: n,
        };
        let totals = StoreStatistics {
            quads: 18,
            distinct_subjects: 9,
            distinct_predicates: 0,
            distinct_objects: 5,
        };
        let predicates = (1..=3).map(|n| (TermId::from_bits(n), predicate(n)));
        RunStatistics::new(totals, predicates.collect())
    }

    #[test]
    fn statistics_come_back_and_add_up() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("1.statistics");
        let statistics = sample();
        statistics.write(&OperatingSystem, &path).unwrap();
        assert_eq!(
            RunStatistics::read(&OperatingSystem, &path).unwrap(),
            statistics
        );
        assert_eq!(statistics.totals().quads, 18);
        assert_eq!(statistics.totals().distinct_predicates, 3);
        let mut two = statistics.predicate(TermId::from_bits(2)).unwrap();
        two.add(&two.clone());
        assert_eq!(
            (two.quads, two.distinct_subjects, two.distinct_objects),
            (12, 8, 4)
        );
        assert_eq!(statistics.predicate(TermId::from_bits(9)), None);
    }

    #[test]
    fn every_flipped_byte_is_found() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("1.statistics");
        sample().write(&OperatingSystem, &path).unwrap();
        let good = std::fs::read(&path).unwrap();
        for place in 0..good.len() {
            let mut bad = good.clone();
            bad[place] ^= 1;
            std::fs::write(&path, bad).unwrap();
            let error =
                RunStatistics::read(&OperatingSystem, &path).expect_err("a byte is flipped");
            assert_eq!(error.kind(), ErrorKind::Corruption, "byte {place}");
        }
    }
}
