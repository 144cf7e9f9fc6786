//! Random groups within groups, in which the same few variables meet in every way, against the independent engine.

use super::fixture::{Store, expected};
use crate::settings::DefaultGraph;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::panic::AssertUnwindSafe;

const VARIABLES: [&str; 5] = ["?a", "?b", "?c", "?d", "?e"];
/// The queries of one data set.
const QUERIES: u64 = 60;
/// Larger answers come from products, and are not compared.
const ROWS_MAX: usize = 2_000;

struct Generator {
    random: ChaCha8Rng,
}

/// Where a group stands.
#[derive(Clone, Copy)]
struct Place {
    depth: usize,
    /// Whether bindings are substituted into it; there the engines read MINUS and BIND differently.
    is_substituted: bool,
}

impl Generator {
    fn below(&mut self, end: usize) -> usize {
        self.random.random_range(0..end)
    }

    fn variable(&mut self) -> &'static str {
        VARIABLES[self.below(VARIABLES.len())]
    }

    fn term(&mut self) -> String {
        match self.below(4) {
            0 => format!(":n{}", self.below(4)),
            _ => self.variable().to_owned(),
        }
    }

    fn pattern(&mut self) -> String {
        let (subject, predicate) = (self.term(), ["p", "q", "r"][self.below(3)]);
        match self.below(12) {
            0 => format!("{subject} :{predicate}+ {}", self.term()),
            1 => format!("{subject} :v {}", self.below(4)),
            2 | 3 => format!("{subject} :v {}", self.variable()),
            4 => format!("{subject} :p/:q {}", self.term()),
            _ => format!("{subject} :{predicate} {}", self.term()),
        }
    }

    fn expression(&mut self) -> String {
        let (x, y) = (self.variable(), self.variable());
        match self.below(7) {
            0 => format!("BOUND({x})"),
            1 => format!("!BOUND({x})"),
            2 => format!("{x} = {y}"),
            3 => format!("{x} != {y}"),
            4 => format!("COALESCE({x}, 1) = COALESCE({y}, 1)"),
            5 => format!("{x} = :n{} || BOUND({y})", self.below(4)),
            _ => format!("{x} != {}", self.below(4)),
        }
    }

    fn values(&mut self) -> String {
        let (x, y) = (self.variable(), self.variable());
        if x == y {
            return format!("VALUES {x} {{ :n1 2 }}");
        }
        let cell = |this: &mut Self| match this.below(4) {
            0 => "UNDEF".to_owned(),
            1 => this.below(4).to_string(),
            _ => format!(":n{}", this.below(4)),
        };
        let rows: String = (0..1 + self.below(3))
            .map(|_| format!("({} {}) ", cell(self), cell(self)))
            .collect();
        format!("VALUES ({x} {y}) {{ {rows}}}")
    }

    fn element(&mut self, before: &str, place: Place) -> String {
        let inner = Place {
            depth: place.depth.saturating_sub(1),
            ..place
        };
        let substituted = Place {
            is_substituted: true,
            ..inner
        };
        match self.below(if place.depth == 0 { 8 } else { 20 }) {
            0..=4 => format!("{} . ", self.pattern()),
            5 => format!("FILTER({}) ", self.expression()),
            6 => format!("{} ", self.values()),
            7 => {
                let target = self.variable();
                let value = self.expression();
                match before.contains(target) || place.is_substituted {
                    true => format!("FILTER({value}) "),
                    false => format!("BIND(COALESCE({value}, {}) AS {target}) ", self.variable()),
                }
            }
            8..=10 => format!("OPTIONAL {{ {}}} ", self.group(inner)),
            11 if !place.is_substituted => format!("MINUS {{ {}}} ", self.group(inner)),
            11 | 12 => format!(
                "{{ {}}} UNION {{ {}}} ",
                self.group(inner),
                self.group(inner)
            ),
            13 => format!("{{ {}}} ", self.group(inner)),
            14 | 15 => format!("FILTER EXISTS {{ {}}} ", self.group(substituted)),
            16 => format!("FILTER NOT EXISTS {{ {}}} ", self.group(substituted)),
            17 => format!(
                "FILTER({} || EXISTS {{ {}}}) ",
                self.expression(),
                self.group(substituted)
            ),
            // Whether substitution reaches what a sub-query hides is open.
            _ if place.is_substituted => format!("{{ {}}} ", self.group(inner)),
            18 => format!("{{ SELECT DISTINCT ?a ?b {{ {}}} }} ", self.group(inner)),
            _ => format!(
                "{{ SELECT ?c (COUNT(*) AS ?n) {{ {}}} GROUP BY ?c }} ",
                self.group(inner)
            ),
        }
    }

    fn group(&mut self, place: Place) -> String {
        let mut text = String::new();
        for _ in 0..1 + self.below(3) {
            text += &self.element(&text.clone(), place);
        }
        text
    }

    fn data(&mut self) -> String {
        let mut text = String::new();
        let (nodes, statements) = [(4, 24), (40, 300)][self.below(2)];
        for _ in 0..statements / 2 + self.below(statements / 2) {
            let (s, o) = (self.below(nodes), self.below(nodes));
            text += &match self.below(4) {
                0 => format!(":n{s} :v {o} . "),
                p => format!(":n{s} :{} :n{o} . ", ["p", "q", "r"][p - 1]),
            };
        }
        text
    }
}

#[test]
fn groups_within_groups() {
    let mut wrong = String::new();
    for seed in [0, 1, 2, 3, 49, 86] {
        let mut generator = Generator {
            random: ChaCha8Rng::seed_from_u64(seed),
        };
        let data = generator.data();
        let store = Store::new(&data, DefaultGraph::Default);
        for _ in 0..QUERIES {
            let place = Place {
                depth: 3,
                is_substituted: false,
            };
            let query = format!("SELECT ?a ?b ?c ?d ?e {{ {}}}", generator.group(place));
            let expected = expected(&data, &query);
            if expected.len() > ROWS_MAX {
                continue;
            }
            let asked = std::panic::catch_unwind(AssertUnwindSafe(|| store.ask(&query)));
            let actual = asked.unwrap_or_else(|_| vec!["a panic".into()]);
            if actual != expected {
                let rows =
                    |list: &[String]| list.iter().take(8).cloned().collect::<Vec<_>>().join(", ");
                wrong += &format!(
                    "seed {seed}: {query}\n  data {data}\n  expected {}: {}\n  got {}: {}\n",
                    expected.len(),
                    rows(&expected),
                    actual.len(),
                    rows(&actual)
                );
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
