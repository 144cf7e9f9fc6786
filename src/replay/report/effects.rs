//! Comparisons as rows of a table, and the single queries behind them.

use crate::replay::comparison::{Comparison, FALSE_ALARMS_MAX};
use crate::replay::table::{Column, Table, decimals, figures, words};
use std::fmt;

const QUERIES_SHOWN: usize = 10;

/// The columns of [`cells`].
pub fn columns() -> [Column; 7] {
    [
        figures("pairs"),
        figures("queries"),
        figures("geomean"),
        figures("total"),
        figures("median"),
        figures("server CPU"),
        words("verdict"),
    ]
}

/// The effects in percent, each with its interval.
pub fn cells(comparison: &Comparison<'_>) -> [String; 7] {
    let server_cpu = comparison.server_cpu.map(|effect| effect.to_string());
    [
        comparison.pairs.to_string(),
        comparison.queries.len().to_string(),
        comparison.geometric_mean.to_string(),
        comparison.total.to_string(),
        comparison.median.to_string(),
        server_cpu.unwrap_or_else(|| "-".to_owned()),
        comparison.geometric_mean.verdict().name().to_owned(),
    ]
}

/// Says which single queries differ, the largest effects first.
pub fn write_different_queries(
    f: &mut fmt::Formatter<'_>,
    comparison: &Comparison<'_>,
    name: &str,
    base: &str,
) -> fmt::Result {
    let found = comparison.different_queries();
    let chance = FALSE_ALARMS_MAX * 100.0;
    if found.is_empty() {
        return writeln!(
            f,
            "no single query of {name} differs from {base}, with {chance:.0}% risk of a false alarm for all together\n"
        );
    }
    writeln!(
        f,
        "{} queries of {name} differ from {base}, with {chance:.0}% risk of a false alarm for all together; the largest",
        found.len()
    )?;
    let mut table = Table::new([words("query"), figures("percent"), figures("adjusted p")]);
    for query in found.into_iter().take(QUERIES_SHOWN) {
        table.push([
            query.query.to_owned(),
            format!("{:+.1}", (query.ratio - 1.0) * 100.0),
            decimals(query.adjusted_p, 4),
        ]);
    }
    writeln!(f, "{table}")
}
