//! A plan as text and as JSON, with what was measured while it ran.

use super::logical::{GraphScope, Slot};
use super::physical::{GraphFilter, JoinKind, Node, Plan, ScanPlan};
use super::variables::{VarId, Variables};
use crate::term::TermId;
use serde::Serialize;
use std::fmt;

/// What was measured of one operator, over all its runs.
#[derive(Clone, Debug, Default, Serialize)]
pub struct NodeProfile {
    /// The rows that it handed on.
    pub rows: u64,
    /// The batches that it handed on.
    pub batches: u64,
    /// The time spent in it and its inputs, in microseconds.
    pub time_us: u64,
    /// The rows that it read from the index itself.
    pub rows_read: u64,
    /// The blocks that it decoded.
    pub blocks_decoded: u64,
}

/// A plan told to people and programs.
#[derive(Clone, Debug, Serialize)]
pub struct Explanation {
    /// The name of the algorithm.
    pub operator: &'static str,
    /// What it works on.
    pub detail: String,
    /// The expected number of rows.
    pub estimated_rows: f64,
    /// The variables by which its rows are sorted.
    pub sorted_by: Vec<String>,
    /// What was measured, if the plan was run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measured: Option<NodeProfile>,
    /// The plans that it draws from.
    pub inputs: Vec<Explanation>,
}

impl Explanation {
    /// Tells a plan. `profiles` has one entry for each node in pre-order, or is empty; `term` writes an id as text.
    pub fn new(
        plan: &Plan,
        variables: &Variables,
        profiles: &[NodeProfile],
        term: &dyn Fn(TermId) -> String,
    ) -> Self {
        let mut rest = profiles.iter();
        Teller { variables, term }.tell(plan, &mut rest)
    }

    fn write(&self, f: &mut fmt::Formatter<'_>, depth: usize) -> fmt::Result {
        write!(f, "{:indent$}{}", "", self.operator, indent = depth * 2)?;
        if !self.detail.is_empty() {
            write!(f, " {}", self.detail)?;
        }
        write!(f, "  [about {:.0} rows", self.estimated_rows)?;
        if !self.sorted_by.is_empty() {
            write!(f, ", sorted by {}", self.sorted_by.join(" "))?;
        }
        if let Some(m) = &self.measured {
            write!(f, "; {} rows in {} us", m.rows, m.time_us)?;
            if m.blocks_decoded > 0 {
                write!(f, ", {} read in {} blocks", m.rows_read, m.blocks_decoded)?;
            }
        }
        writeln!(f, "]")?;
        self.inputs
            .iter()
            .try_for_each(|input| input.write(f, depth + 1))
    }

    /// The sum of the rows that all operators read from the index.
    pub fn rows_read_total(&self) -> u64 {
        let own = self.measured.as_ref().map_or(0, |m| m.rows_read);
        own + self.inputs.iter().map(Self::rows_read_total).sum::<u64>()
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, 0)
    }
}

struct Teller<'a> {
    variables: &'a Variables,
    term: &'a dyn Fn(TermId) -> String,
}

impl Teller<'_> {
    fn tell(&self, plan: &Plan, profiles: &mut std::slice::Iter<'_, NodeProfile>) -> Explanation {
        let measured = profiles.next().cloned();
        let (operator, detail) = self.describe(plan);
        Explanation {
            operator,
            detail: self.variables.stable(detail),
            estimated_rows: plan.rows.round(),
            sorted_by: (plan.sorted.iter())
                .map(|&v| self.variables.stable(self.name(v)))
                .collect(),
            measured,
            inputs: plan
                .inputs()
                .into_iter()
                .map(|input| self.tell(input, profiles))
                .collect(),
        }
    }

    fn describe(&self, plan: &Plan) -> (&'static str, String) {
        match &plan.node {
            Node::Scan(scan) => ("Scan", self.scan(scan)),
            Node::ScanCount(scan) => ("ScanCount", self.scan(scan)),
            Node::Table(table) => (
                "Table",
                format!("{} ({} rows)", self.names(&plan.schema), table.rows()),
            ),
            Node::Seed(slot) => ("Seed", format!("#{} {}", slot.0, self.names(&plan.schema))),
            Node::MergeJoin {
                key,
                others,
                optional,
                ..
            } => (
                if *optional {
                    "MergeLeftJoin"
                } else {
                    "MergeJoin"
                },
                format!("on {} {}", self.name(*key), self.names(others))
                    .trim_end()
                    .to_owned(),
            ),
            Node::IndexJoin {
                scan,
                keys,
                optional,
                ..
            } => (
                if *optional {
                    "IndexLeftJoin"
                } else {
                    "IndexJoin"
                },
                format!("on {} with {}", self.names(keys), self.scan(scan)),
            ),
            Node::HashJoin { join, .. } => (
                match join.kind {
                    JoinKind::Inner => "HashJoin",
                    JoinKind::Left => "HashLeftJoin",
                    JoinKind::Semi => "HashSemiJoin",
                    JoinKind::Anti => "HashAntiJoin",
                    JoinKind::Minus => "HashMinus",
                    JoinKind::Mark(_) => "HashMarkJoin",
                },
                self.join(&join.keys, &join.loose, join.conditions.len()),
            ),
            Node::SeededJoin {
                join,
                slot,
                row_by_row,
                ..
            } => (
                match join.kind {
                    JoinKind::Inner => "SeededJoin",
                    JoinKind::Left => "SeededLeftJoin",
                    JoinKind::Semi => "SeededSemiJoin",
                    JoinKind::Anti => "SeededAntiJoin",
                    JoinKind::Minus => "SeededMinus",
                    JoinKind::Mark(_) => "SeededMarkJoin",
                },
                format!(
                    "#{} {}{}",
                    slot.0,
                    self.join(&join.keys, &join.loose, join.conditions.len()),
                    if *row_by_row { " row by row" } else { "" }
                ),
            ),
            Node::Service(service, seed) => {
                let seeds = seed.as_ref().map_or(&[][..], |(_, seeds)| seeds);
                let sent: Vec<VarId> = seeds
                    .iter()
                    .copied()
                    .filter(|&v| service.is_sent(v))
                    .collect();
                let mut detail = self.slot(service.endpoint);
                if !sent.is_empty() {
                    detail += &format!(" for {}", self.names(&sent));
                }
                (
                    match service.silent {
                        true => "ServiceSilent",
                        false => "Service",
                    },
                    detail,
                )
            }
            Node::Closure(c) => (
                "Closure",
                format!(
                    "{} to {}{}{}",
                    self.slot(c.start),
                    self.slot(c.end),
                    if c.backwards { ", backwards" } else { "" },
                    match &c.nodes_of {
                        Some(GraphScope::One(_) | GraphScope::Merge(_) | GraphScope::Union)
                        | None => "",
                        Some(GraphScope::Named(..)) => ", by graph",
                    }
                ),
            ),
            Node::Union(_) => ("Union", String::new()),
            Node::Filter(_, tests) => {
                let tests: Vec<String> = tests.iter().map(ToString::to_string).collect();
                ("Filter", tests.join(" && "))
            }
            Node::Extend(_, v, e) => ("Extend", format!("{} = {e}", self.name(*v))),
            Node::Destructure(_, v, _) => ("Destructure", self.name(*v)),
            Node::RowNumber(_, v) => ("RowNumber", self.name(*v)),
            Node::Project(_) => ("Project", self.names(&plan.schema)),
            Node::Distinct(_) => ("Distinct", String::new()),
            Node::Slice(_, start, length) => (
                "Slice",
                match length {
                    Some(length) => format!("offset {start} limit {length}"),
                    None => format!("offset {start}"),
                },
            ),
            Node::OrderBy(_, keys, limit) => {
                let keys: Vec<String> = keys
                    .iter()
                    .map(|k| {
                        format!(
                            "{}{}",
                            if k.descending { "desc " } else { "" },
                            k.expression
                        )
                    })
                    .collect();
                let limit = limit.map_or(String::new(), |l| format!(", first {l}"));
                ("OrderBy", format!("{}{limit}", keys.join(", ")))
            }
            Node::Group(_, keys, aggregates) => {
                let outputs: Vec<_> = (aggregates.iter())
                    .map(|a| format!("{} = {}", self.name(a.output), a.expression))
                    .collect();
                let by = match keys.is_empty() {
                    true => String::new(),
                    false => format!("by {}: ", self.names(keys)),
                };
                ("Group", by + &outputs.join(", "))
            }
        }
    }

    fn join(&self, keys: &[VarId], loose: &[VarId], conditions: usize) -> String {
        let mut text = format!("on {}", self.names(keys));
        if !loose.is_empty() {
            text += &format!(", compatible on {}", self.names(loose));
        }
        if conditions > 0 {
            text += &format!(", {conditions} conditions");
        }
        text
    }

    fn scan(&self, scan: &ScanPlan) -> String {
        let mut parts: Vec<String> = scan.prefix.iter().map(|&id| (self.term)(id)).collect();
        parts.extend(scan.outputs.iter().map(|&(_, v)| self.name(v)));
        let filter = match &scan.graph {
            GraphFilter::All => "",
            GraphFilter::Equal(_) => ", one graph",
            GraphFilter::OneOf(_) => ", some graphs",
            GraphFilter::Named => ", named graphs",
        };
        format!("{:?} {}{filter}", scan.permutation, parts.join(" "))
    }

    fn slot(&self, slot: Slot) -> String {
        match slot {
            Slot::Const(id) => (self.term)(id),
            Slot::Var(v) => self.name(v),
        }
    }

    fn name(&self, v: VarId) -> String {
        self.variables.name(v).to_string()
    }

    fn names(&self, ids: &[VarId]) -> String {
        let names: Vec<String> = ids.iter().map(|&v| self.name(v)).collect();
        names.join(" ")
    }
}
