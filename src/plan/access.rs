//! The ways to read the quads of one pattern: permutations, prefixes and exact counts.

use super::logical::{GraphScope, QuadPattern, Slot};
use super::physical::{GraphFilter, ScanPlan};
use super::variables::VarId;
use crate::diagnostics::Result;
use crate::storage::{Permutation, QuadColumn, Snapshot};
use crate::term::TermId;
use std::sync::Arc;

/// The expected share of a range that a graph filter lets through, where nothing better is known.
const GRAPH_SHARE: f64 = 0.5;

/// One way to read a pattern.
#[derive(Clone, Debug)]
pub struct Access {
    /// The range and what is taken from it.
    pub scan: ScanPlan,
    /// The variables by which its rows come sorted.
    pub sorted: Vec<VarId>,
    /// The quads in the range.
    pub range_rows: u64,
    /// The rows expected after filters within the scan.
    pub rows: f64,
}

/// The ways to read a pattern: one for each permutation whose first columns are the pattern's terms. None when the
/// pattern can match nothing.
///
/// # Errors
/// Reading the directory failed.
pub fn accesses(pattern: &QuadPattern, snapshot: &Snapshot) -> Result<Vec<Access>> {
    let Some(graph) = resolve_graph(&pattern.graph, snapshot) else {
        return Ok(Vec::new());
    };
    let mut found = Vec::new();
    let mut counted: Option<u64> = None;
    for permutation in Permutation::ALL {
        let Some(scan) = scan(pattern, &graph, permutation) else {
            continue;
        };
        let bound_only = scan.prefix.len() == constants(pattern);
        let range_rows = match counted {
            Some(rows) if bound_only => rows,
            _ => snapshot.count(permutation, &scan.prefix)?,
        };
        if bound_only {
            counted = Some(range_rows);
        }
        let sorted = sorted_by(&scan);
        let rows = expected_rows(&scan, range_rows);
        found.push(Access {
            scan,
            sorted,
            range_rows,
            rows,
        });
    }
    Ok(found)
}

/// The plan to look a pattern up by some of its variables: a permutation that has the pattern's terms first, then
/// these variables in some order. Gives the variables in that order.
pub fn lookup(
    pattern: &QuadPattern,
    keys: &[VarId],
    snapshot: &Snapshot,
) -> Option<(ScanPlan, Vec<VarId>)> {
    let graph = resolve_graph(&pattern.graph, snapshot)?;
    Permutation::ALL.into_iter().find_map(|permutation| {
        let scan = scan(pattern, &graph, permutation)?;
        let next = sorted_by(&scan);
        let order = next.get(..keys.len())?;
        let fits = order.iter().all(|v| keys.contains(v)) && scan.equal.is_empty();
        fits.then(|| (scan.clone(), order.to_vec()))
    })
}

fn constants(pattern: &QuadPattern) -> usize {
    [pattern.subject, pattern.predicate, pattern.object]
        .iter()
        .filter(|slot| slot.var().is_none())
        .count()
}

/// What the scope of a pattern means in this store; `None` when no quad can match.
fn resolve_graph(scope: &GraphScope, snapshot: &Snapshot) -> Option<GraphAccess> {
    let single = snapshot.single_graph();
    let access = match scope {
        GraphScope::One(graph) => match single {
            Some(only) if only == *graph => GraphAccess::filter(GraphFilter::All),
            Some(_) => return None,
            None => GraphAccess {
                prefix: Some(*graph),
                ..GraphAccess::filter(GraphFilter::Equal(*graph))
            },
        },
        GraphScope::Merge(graphs) => match single {
            Some(only) if graphs.contains(&only) => GraphAccess::filter(GraphFilter::All),
            Some(_) => return None,
            None if graphs.is_empty() => return None,
            None => GraphAccess::filter(GraphFilter::OneOf(graphs.clone())).merged(),
        },
        GraphScope::Union => match single {
            Some(_) => GraphAccess::filter(GraphFilter::All),
            None => GraphAccess::filter(GraphFilter::All).merged(),
        },
        GraphScope::Named(variable, names) => {
            if single == Some(TermId::DEFAULT_GRAPH) {
                return None;
            }
            let filter = match names {
                Some(names) => GraphFilter::OneOf(names.clone()),
                None => GraphFilter::Named,
            };
            GraphAccess {
                variable: Some(*variable),
                ..GraphAccess::filter(filter)
            }
        }
    };
    Some(access)
}

/// How a pattern meets the graph column.
struct GraphAccess {
    filter: GraphFilter,
    merge: bool,
    variable: Option<VarId>,
    prefix: Option<TermId>,
}

impl GraphAccess {
    fn filter(filter: GraphFilter) -> Self {
        Self {
            filter,
            merge: false,
            variable: None,
            prefix: None,
        }
    }

    fn merged(mut self) -> Self {
        self.merge = true;
        self
    }
}

/// The scan of a pattern in a permutation, if the pattern's terms are the permutation's first columns.
fn scan(pattern: &QuadPattern, graph: &GraphAccess, permutation: Permutation) -> Option<ScanPlan> {
    let columns = permutation.columns();
    let graph_first = columns[0] == QuadColumn::Graph;
    if graph_first && graph.prefix.is_none() {
        return None;
    }
    let slot = |column| match column {
        QuadColumn::Subject => pattern.subject,
        QuadColumn::Predicate => pattern.predicate,
        QuadColumn::Object => pattern.object,
        QuadColumn::Graph => match (graph.prefix, graph.variable) {
            (Some(id), _) if graph_first => Slot::Const(id),
            (_, Some(variable)) => Slot::Var(variable),
            _ => Slot::Const(TermId::UNBOUND),
        },
    };
    let triple_only = |column: &QuadColumn| graph_first || *column != QuadColumn::Graph;
    let wanted = constants(pattern) + usize::from(graph_first);
    let prefix: Vec<TermId> = columns
        .iter()
        .filter(|c| triple_only(c))
        .map_while(|&c| match slot(c) {
            Slot::Const(id) => Some(id),
            Slot::Var(_) => None,
        })
        .collect();
    if prefix.len() != wanted {
        return None;
    }
    let mut outputs: Vec<(QuadColumn, VarId)> = Vec::new();
    let mut equal = Vec::new();
    for &column in &columns[prefix.len()..] {
        let Slot::Var(variable) = slot(column) else {
            continue;
        };
        match outputs.iter().find(|(_, v)| *v == variable) {
            Some(&(first, _)) => equal.push((first, column)),
            None => outputs.push((column, variable)),
        }
    }
    Some(ScanPlan {
        permutation,
        prefix,
        outputs,
        graph: if graph_first {
            GraphFilter::All
        } else {
            graph.filter.clone()
        },
        merge_graphs: graph.merge,
        equal,
        excluded: Arc::clone(&pattern.excluded),
    })
}

/// The variables by which the rows of a scan are sorted: those of the columns after the prefix.
fn sorted_by(scan: &ScanPlan) -> Vec<VarId> {
    scan.permutation.columns()[scan.prefix.len()..]
        .iter()
        .map_while(|column| {
            scan.outputs
                .iter()
                .find(|(c, _)| c == column)
                .map(|&(_, v)| v)
        })
        .collect()
}

fn expected_rows(scan: &ScanPlan, range_rows: u64) -> f64 {
    let mut rows = range_rows as f64;
    if !matches!(scan.graph, GraphFilter::All) {
        rows *= GRAPH_SHARE;
    }
    if !scan.equal.is_empty() {
        rows *= 0.01;
    }
    rows
}
