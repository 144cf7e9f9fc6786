//! A random graph that is large enough for every algorithm to pay: chains, hubs, cycles, values, and two named graphs.

use crate::differential::random::Random;
use std::fmt::Write;

/// The nodes `:n0`, `:n1`, ...
pub const NODES: usize = 500;
/// The classes `:C0`, `:C1`, ..., the first much larger than the last.
pub const CLASSES: usize = 5;
/// The predicates between nodes.
pub const LINKS: [&str; 3] = [":p", ":q", ":r"];
/// The predicates with literals.
pub const VALUES: [&str; 2] = [":v", ":name"];
/// The named graphs.
pub const GRAPHS: [&str; 2] = [":g0", ":g1"];

/// The data as TriG.
pub fn generate(random: &mut Random) -> String {
    let mut text = String::from("PREFIX : <http://e/>\n");
    for node in 0..NODES {
        let class = (0..CLASSES - 1)
            .find(|_| random.chance(50))
            .unwrap_or(CLASSES - 1);
        let mut line = format!(":n{node} a :C{class}");
        for _ in 0..random.between(0, 3) {
            let _ = write!(line, " ; :p :n{}", random.between(0, NODES - 1));
        }
        if random.chance(60) {
            // Few ends, so that many nodes share one.
            let _ = write!(line, " ; :q :n{}", random.between(0, 15));
        }
        if random.chance(30) {
            let _ = write!(line, " ; :r :n{}", (node + random.between(0, 2)) % NODES);
        }
        if random.chance(70) {
            let _ = write!(line, " ; :v {}", random.between(0, 60));
        }
        if random.chance(40) {
            let _ = write!(line, " ; :name \"name {}\"", random.between(0, 200));
        }
        let graph = random.chance(30).then(|| *random.pick(&GRAPHS));
        let _ = match graph {
            Some(graph) => writeln!(text, "{graph} {{ {line} . }}\n{line} ."),
            None => writeln!(text, "{line} ."),
        };
    }
    text
}
