//! The slow path for tests: a pattern planned as it is written.
//!
//! Inputs are joined in the order written, by hash tables alone; filters, OPTIONAL, MINUS and BIND stay where they
//! stand; EXISTS and LATERAL run their pattern once for each solution outside, which every group within starts from
//! (SPARQL 1.2 Query, evaluation semantics, ContextSolution). No counts are asked but whether a pattern can match at
//! all. The differential test compares its answers with those of the optimized plans: both share the operators, the
//! conversion and what is planned node by node, but none of the choices.

use super::build;
use super::group::Group;
use super::join_order::Source;
use super::logical::Logical;
use super::physical::{JoinKind, Plan};
use super::planner::Planner;
use super::seeds::Seed;
use super::variables::VarSet;
use crate::diagnostics::Result;

impl Planner<'_> {
    /// The plan of a pattern that the optimizer would look at; `None` for those that are planned node by node anyway.
    /// The bindings of a seed are columns of it.
    ///
    /// # Errors
    /// Reading the directory failed.
    pub(super) fn as_written(
        &mut self,
        logical: &Logical,
        seed: Option<&Seed>,
    ) -> Result<Option<Plan>> {
        let start = || seed.map_or_else(build::unit, build::seed_plan);
        Ok(Some(match logical {
            Logical::Pattern(_) | Logical::Values(..) => {
                let leaf = match self.relation(logical, None)?.source {
                    Source::Planned(plan) => plan,
                    Source::Pattern(_, accesses) => build::scan(&accesses[0]),
                };
                build::hash(start(), leaf, JoinKind::Inner, Vec::new())
            }
            Logical::Closure(path) => {
                let walked = self.closure(path, seed)?;
                build::hash(start(), walked, JoinKind::Inner, Vec::new())
            }
            Logical::Service(service) => self.service_step(start(), service),
            Logical::Join(inputs) => {
                // An endpoint that is a variable can be asked only when the rest has bound it.
                let (mut inputs, asked): (Vec<_>, Vec<_>) = inputs
                    .iter()
                    .partition(|i| !matches!(i, Logical::Service(_)));
                inputs.extend(asked);
                let mut plan = start();
                for input in inputs {
                    plan = match input {
                        Logical::Service(service) => self.service_step(plan, service),
                        _ => self.join(plan, input, JoinKind::Inner, Vec::new(), seed)?,
                    };
                }
                plan
            }
            _ => match Group::step(logical, &VarSet::EMPTY) {
                Some((input, step)) => {
                    let narrowed = seed.map(|seed| seed.narrowed(|v| !step.extends(v)));
                    let seed = narrowed.as_ref().filter(|s| !s.variables.is_empty());
                    let start = seed.map_or_else(build::unit, build::seed_plan);
                    let input = self.join(start, input, JoinKind::Inner, Vec::new(), seed)?;
                    self.step(input, &step, seed)?
                }
                None => return Ok(None),
            },
        }))
    }
}
