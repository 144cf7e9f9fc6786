//! What is in a workload, as tables: forms, operators, numbers of triple patterns, shapes, repetition.

use super::structure::{Shape, Structure};
use super::{Workload, parse_query};
use crate::diagnostics::Result;
use crate::replay::table::{Table, figures, words};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// The description of a workload; every request counts, repeated ones as often as they come.
pub struct Description {
    requests: usize,
    queries: usize,
    span_s: f64,
    most_frequent: usize,
    templates: usize,
    forms: BTreeMap<&'static str, usize>,
    shapes: BTreeMap<Shape, usize>,
    triple_patterns: BTreeMap<usize, usize>,
    operators: BTreeMap<&'static str, usize>,
}

const TRIPLE_PATTERNS_SHOWN: usize = 10;

impl Description {
    /// Of a workload.
    pub fn of(workload: &Workload) -> Result<Self> {
        let mut counts = vec![0; workload.queries().len()];
        for &query in &workload.sequence {
            counts[query] += 1;
        }
        let first = workload.recorded.iter().min().copied().unwrap_or_default();
        let last = workload.recorded.iter().max().copied().unwrap_or_default();
        let mut described = Self {
            requests: workload.sequence.len(),
            queries: counts.len(),
            span_s: (last - first).as_secs_f64(),
            most_frequent: counts.iter().copied().max().unwrap_or_default(),
            templates: 0,
            forms: BTreeMap::new(),
            shapes: BTreeMap::new(),
            triple_patterns: BTreeMap::new(),
            operators: BTreeMap::new(),
        };
        let mut templates = BTreeSet::new();
        for (query, count) in workload.queries().iter().zip(counts) {
            let structure = Structure::of(&parse_query(&query.text)?);
            *described.forms.entry(structure.form.name()).or_default() += count;
            *described.shapes.entry(structure.shape).or_default() += count;
            let patterns = structure.triple_patterns.min(TRIPLE_PATTERNS_SHOWN);
            *described.triple_patterns.entry(patterns).or_default() += count;
            for operator in structure.operators {
                *described.operators.entry(operator).or_default() += count;
            }
            templates.insert(structure.template);
        }
        described.templates = templates.len();
        Ok(described)
    }

    fn write<K>(
        &self,
        f: &mut fmt::Formatter<'_>,
        title: &str,
        counts: impl IntoIterator<Item = (K, usize)>,
        name: impl Fn(K) -> String,
    ) -> fmt::Result {
        let mut table = Table::new([words(title), figures("requests"), figures("%")]);
        for (key, count) in counts {
            let percent = count as f64 / self.requests as f64 * 100.0;
            table.push([name(key), count.to_string(), format!("{percent:.1}")]);
        }
        writeln!(f, "{table}")
    }
}

impl fmt::Display for Description {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} requests over {:.0} s: {} different queries of {} templates, the most frequent query {} times\n",
            self.requests, self.span_s, self.queries, self.templates, self.most_frequent
        )?;
        let pairs = |counts: &BTreeMap<&'static str, usize>| {
            let mut pairs: Vec<_> = counts.iter().map(|(&name, &count)| (name, count)).collect();
            pairs.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
            pairs
        };
        self.write(f, "form", pairs(&self.forms), str::to_owned)?;
        self.write(f, "operator", pairs(&self.operators), str::to_owned)?;
        let shapes = self.shapes.iter().map(|(&shape, &count)| (shape, count));
        self.write(f, "shape", shapes, |shape| shape.name().to_owned())?;
        let patterns = self
            .triple_patterns
            .iter()
            .map(|(&number, &count)| (number, count));
        self.write(f, "triple patterns", patterns, |number| match number {
            TRIPLE_PATTERNS_SHOWN => format!("{number} or more"),
            number => number.to_string(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_counts_requests() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("queries.txt");
        let text = "ASK { ?a ?b 1 }\nASK { ?a ?b 1 }\nASK { ?a ?b 2 }\nSELECT * { ?a ?b ?c ; ?d ?e } LIMIT 1\n";
        std::fs::write(&path, text).unwrap();
        let workload = Workload::read(&path, 0).unwrap();
        let found = Description::of(&workload).unwrap().to_string();
        let wanted = "\
4 requests over 0 s: 3 different queries of 2 templates, the most frequent query 2 times

form    requests     %
ASK            3  75.0
SELECT         1  25.0

operator         requests     %
LIMIT or OFFSET         1  25.0

shape           requests     %
single pattern         3  75.0
star                   1  25.0

triple patterns  requests     %
1                       3  75.0
2                       1  25.0

";
        assert_eq!(
            found.replace("  ", " "),
            wanted.replace("  ", " "),
            "{found}"
        );
    }
}
