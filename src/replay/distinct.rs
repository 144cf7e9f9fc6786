//! The distinct triples of a graph of any size, in memory of a fixed size.
//!
//! Servers may repeat triples, and a graph is a set. Triples are told apart by a hash with their labels of blank nodes, and
//! added by a digest without them. Past a bound the pairs are sorted and written to a file without a name, and all such
//! files are merged in the end.

use super::checksum::Answer;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, Write};

/// A hash that tells triples apart, and the digest that is added.
type Entry = (u64, u64);

const ENTRY_BYTES: usize = 16;

/// A set that is being filled.
pub struct Distinct {
    pending: Vec<Entry>,
    pending_max: usize,
    runs: Vec<File>,
}

impl Default for Distinct {
    fn default() -> Self {
        Self::with_pending_max(1 << 18)
    }
}

impl Distinct {
    fn with_pending_max(pending_max: usize) -> Self {
        Self {
            pending: Vec::new(),
            pending_max,
            runs: Vec::new(),
        }
    }

    /// Adds a triple.
    pub fn add(&mut self, identity: u64, digest: u64) -> io::Result<()> {
        self.pending.push((identity, digest));
        if self.pending.len() < self.pending_max {
            return Ok(());
        }
        self.sort();
        // Where most were repetitions there is room again.
        match self.pending.len() > self.pending_max / 2 {
            true => self.spill(),
            false => Ok(()),
        }
    }

    /// The number of distinct triples and the sum of their digests.
    pub fn finish(mut self) -> io::Result<Answer> {
        self.sort();
        let mut answer = Answer::default();
        if self.runs.is_empty() {
            self.pending
                .iter()
                .for_each(|&(_, digest)| answer.add(digest));
            return Ok(answer);
        }
        self.spill()?;
        let mut readers: Vec<_> = self.runs.into_iter().map(BufReader::new).collect();
        let mut heads = BinaryHeap::new();
        for (position, reader) in readers.iter_mut().enumerate() {
            heads.extend(next(reader)?.map(|entry| Reverse((entry, position))));
        }
        let mut last = None;
        while let Some(Reverse((entry, position))) = heads.pop() {
            if last != Some(entry) {
                answer.add(entry.1);
                last = Some(entry);
            }
            heads.extend(next(&mut readers[position])?.map(|entry| Reverse((entry, position))));
        }
        Ok(answer)
    }

    fn sort(&mut self) {
        self.pending.sort_unstable();
        self.pending.dedup();
    }

    fn spill(&mut self) -> io::Result<()> {
        let mut out = BufWriter::new(tempfile::tempfile()?);
        for (identity, digest) in self.pending.drain(..) {
            out.write_all(&identity.to_le_bytes())?;
            out.write_all(&digest.to_le_bytes())?;
        }
        let mut run = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        run.rewind()?;
        self.runs.push(run);
        Ok(())
    }
}

fn next(reader: &mut BufReader<File>) -> io::Result<Option<Entry>> {
    if reader.fill_buf()?.is_empty() {
        return Ok(None);
    }
    let mut bytes = [0; ENTRY_BYTES];
    reader.read_exact(&mut bytes)?;
    let both = u128::from_le_bytes(bytes);
    Ok(Some((both as u64, (both >> 64) as u64)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_change_nothing() {
        let of = |pending_max| {
            let mut distinct = Distinct::with_pending_max(pending_max);
            for number in 0..1000_u64 {
                let identity = (number * 7919) % 300;
                distinct.add(identity, identity * identity).unwrap();
            }
            (distinct.runs.len(), distinct.finish().unwrap())
        };
        let (no_runs, wanted) = of(2000);
        assert_eq!((no_runs, wanted.rows), (0, 300));
        assert_eq!(wanted.checksum, (0..300).map(|n| n * n).sum::<u64>());
        for pending_max in [7, 100, 400, 700] {
            let (runs, found) = of(pending_max);
            assert_eq!(found, wanted);
            assert_eq!(runs > 0, pending_max < 700, "{pending_max}: {runs}");
        }
    }
}
