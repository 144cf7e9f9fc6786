//! The order of the runs: every setting under every load once per round, shuffled anew for each round.
//!
//! So what changes slowly on the machine (heat, neighbours, page cache) meets all settings alike. Equal seeds give equal
//! schedules.

use super::pace::Load;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

/// One run to be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Slot {
    /// The round, from zero.
    pub round: usize,
    /// The position of the target.
    pub target: usize,
    /// How the server is loaded.
    pub load: Load,
}

/// The runs in the order in which they are made.
pub fn schedule(targets: usize, loads: &[Load], rounds: usize, seed: u64) -> Vec<Slot> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut slots = Vec::with_capacity(targets * loads.len() * rounds);
    for round in 0..rounds {
        let start = slots.len();
        for target in 0..targets {
            slots.extend(loads.iter().map(|&load| Slot {
                round,
                target,
                load,
            }));
        }
        slots[start..].shuffle(&mut random);
    }
    slots
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn equal_seeds_give_equal_schedules() {
        let of = |seed| schedule(3, &[1, 2, 3].map(Load::closed), 3, seed);
        assert_eq!(of(7), of(7));
        assert!((0..20).any(|seed| of(seed) != of(7)));
    }

    #[test]
    fn each_round_holds_every_run_once_and_is_shuffled() {
        let rounds = 20;
        let slots = schedule(3, &[1, 2].map(Load::closed), rounds, 1);
        let sorted: BTreeSet<_> = slots.iter().collect();
        assert_eq!(sorted.len(), 3 * 2 * rounds);
        let orders: BTreeSet<Vec<_>> = slots
            .chunks(6)
            .enumerate()
            .map(|(round, block)| {
                assert!(block.iter().all(|slot| slot.round == round));
                block.iter().map(|slot| (slot.target, slot.load)).collect()
            })
            .collect();
        assert!(
            orders.len() > 10,
            "rounds have orders of their own: {}",
            orders.len()
        );
    }
}
