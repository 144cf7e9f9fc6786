//! Latencies by what is in the queries: their forms and operators, as `describe` names them.

use super::Report;
use crate::replay::statistics::{GEOMETRIC_MEAN_FLOOR_MS, Samples};
use crate::replay::summary::QueryMedians;
use crate::replay::table::{Table, decimals, figures, words};
use crate::replay::workload::parse_query;
use crate::replay::workload::structure::Structure;
use std::collections::BTreeMap;
use std::fmt;

/// What has no operator but the join of its triple patterns.
const PATTERNS_ONLY: &str = "triple patterns only";

impl Report<'_> {
    pub(super) fn write_features(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "by form and operator, geometric means of the queries' median ms with {} {}",
            self.first_load(),
            self.load_title()
        )?;
        writeln!(f, "{}", self.features())
    }

    /// A row for each form and operator; a query counts in all of its rows if every target answered it.
    pub(super) fn features(&self) -> Table {
        let targets = &self.outcome.plan.targets;
        let names = targets.iter().map(|target| figures(&target.name));
        let base = self.name(0);
        let ratios = (targets.iter().skip(1)).map(|t| figures(format!("{}/{base}", t.name)));
        let first = [words("feature"), figures("queries")];
        let mut table = Table::new(first.into_iter().chain(names).chain(ratios));
        for (feature, medians) in self.medians_by_feature() {
            let means: Vec<_> = (0..targets.len())
                .map(|target| {
                    let of_target = medians.iter().filter_map(|m| m.by_target[target]);
                    let samples: Samples = of_target.collect();
                    samples.geometric_mean(GEOMETRIC_MEAN_FLOOR_MS)
                })
                .collect();
            let ratio = |mean: &Option<f64>| decimals(mean.zip(means[0]).map(|(m, b)| m / b), 2);
            let cells = means.iter().map(|&mean| decimals(mean, 3));
            let names = [feature.to_owned(), medians.len().to_string()];
            let ratios = means.iter().skip(1).map(ratio);
            table.push(names.into_iter().chain(cells).chain(ratios));
        }
        table
    }

    fn medians_by_feature(&self) -> BTreeMap<&'static str, Vec<&QueryMedians>> {
        let mut by_feature = BTreeMap::<_, Vec<_>>::new();
        for medians in &self.medians {
            let query = &self.outcome.plan.workload.queries()[medians.query];
            let is_answered = medians.by_target.iter().all(Option::is_some);
            let Some(algebra) = parse_query(&query.text).ok().filter(|_| is_answered) else {
                continue;
            };
            let Structure {
                form, operators, ..
            } = Structure::of(&algebra);
            let plain = operators.is_empty().then_some(PATTERNS_ONLY);
            for feature in operators.into_iter().chain(plain).chain([form.name()]) {
                by_feature.entry(feature).or_default().push(medians);
            }
        }
        by_feature
    }
}
