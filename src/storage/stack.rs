//! The runs and the segments of the dictionary that make up a state, and what is put on top of them.
//!
//! What commits bring is small, so the newest runs and segments, which are in memory, are joined while that pays: a
//! stack of `n` rows has about `log n` runs, and each row was copied about as often.

use super::dictionary::{Dictionary, Layer, MemorySegment};
use super::run::Run;
use super::snapshot::Snapshot;
use std::sync::Arc;

/// The runs and segments of a state, oldest first.
#[derive(Clone, Debug)]
pub struct Stack {
    /// The runs.
    pub runs: Vec<Arc<Run>>,
    /// The segments.
    pub layers: Vec<Layer>,
}

/// How high a stack is, or where in it something ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Height {
    /// The number of runs.
    pub runs: usize,
    /// The number of segments.
    pub layers: usize,
}

impl Stack {
    /// The stack of a state.
    pub fn of(snapshot: &Snapshot) -> Self {
        Self {
            runs: snapshot.runs().to_vec(),
            layers: snapshot.dictionary().layers().to_vec(),
        }
    }

    /// How high it is.
    pub fn height(&self) -> Height {
        Height {
            runs: self.runs.len(),
            layers: self.layers.len(),
        }
    }

    /// The state that it makes up.
    pub fn snapshot(&self, sequence: u64) -> Arc<Snapshot> {
        let dictionary = Dictionary::new(self.layers.clone());
        Arc::new(Snapshot::new(dictionary, self.runs.clone(), sequence))
    }

    /// Puts a run and a segment in memory on top. What lies below `fixed` stays as it is.
    pub fn push(&mut self, fixed: Height, run: Run, terms: MemorySegment) {
        self.push_run(fixed.runs, run);
        if !terms.is_empty() {
            self.push_terms(fixed.layers, terms);
        }
    }

    fn push_run(&mut self, fixed: usize, run: Run) {
        if run.rows() == 0 {
            return;
        }
        self.runs.push(Arc::new(run));
        while let [.., older, newer] = &self.runs[fixed..] {
            if newer.rows() * 2 < older.rows() {
                break;
            }
            let sum = Run::sum(older, newer);
            self.runs.truncate(self.runs.len() - 2);
            if sum.rows() > 0 {
                self.runs.push(Arc::new(sum));
            }
        }
    }

    fn push_terms(&mut self, fixed: usize, terms: MemorySegment) {
        self.layers.push(Layer::Memory(Arc::new(terms)));
        while let [.., Layer::Memory(older), Layer::Memory(newer)] = &self.layers[fixed..] {
            if newer.memory_bytes() * 2 < older.memory_bytes() {
                break;
            }
            let joined = Layer::Memory(Arc::new(MemorySegment::join(older, newer)));
            self.layers.truncate(self.layers.len() - 2);
            self.layers.push(joined);
        }
    }

    /// What lies above a height, all of it in memory, as one run and one segment.
    pub fn above(&self, height: Height) -> (Run, MemorySegment) {
        let runs = self.runs[height.runs..].iter().rev();
        let run = runs.fold(Run::default(), |newer, older| match newer.rows() {
            0 => Run::clone(older),
            _ => Run::sum(older, &newer),
        });
        let mut terms = MemorySegment::default();
        for layer in &self.layers[height.layers..] {
            if let Layer::Memory(segment) = layer {
                terms.append(segment);
            }
        }
        (run, terms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::permutation::Quad;
    use crate::storage::run::QuadSet;
    use crate::term::{Tag, TermId};

    fn run(inserted: &[u64], deleted: &[u64]) -> Run {
        let set = |numbers: &[u64]| {
            let quads = numbers
                .iter()
                .map(|&n| -> Quad { [TermId::from_bits(n); 4] });
            QuadSet::in_memory(quads.collect())
        };
        Run {
            inserted: set(inserted),
            deleted: set(deleted),
        }
    }

    fn terms(n: u64) -> MemorySegment {
        let mut terms = MemorySegment::default();
        terms.add(Tag::Iri, n.to_string().as_bytes());
        terms
    }

    #[test]
    fn a_stack_stays_low_and_what_is_fixed_stays_as_it_is() {
        let mut stack = Stack {
            runs: Vec::new(),
            layers: Vec::new(),
        };
        stack.push(Height::default(), run(&[0], &[]), terms(0));
        let fixed = stack.height();
        for n in 1..=1000 {
            stack.push(fixed, run(&[n], &[]), terms(n));
            let height = stack.height();
            assert!(height.runs <= 12 && height.layers <= 12, "{height:?}");
        }
        assert_eq!(stack.runs[0].rows(), 1);
        let (above, new_terms) = stack.above(fixed);
        assert_eq!((above.rows(), new_terms.len(Tag::Iri)), (1000, 1000));
        for n in 0..1000 {
            let id = stack
                .snapshot(0)
                .dictionary()
                .find(Tag::Iri, n.to_string().as_bytes());
            assert_eq!(id.unwrap(), Some(TermId::new(Tag::Iri, n)));
        }
        for n in (1..=1000).rev() {
            stack.push(fixed, run(&[], &[n]), MemorySegment::default());
        }
        assert_eq!(stack.above(fixed).0.rows(), 0);
        assert_eq!(stack.snapshot(0).quad_count(), 1);
    }
}
