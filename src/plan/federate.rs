//! Planning SERVICE: when the bindings of the other side are handed in, so that an endpoint gets them in few requests,
//! and what a request and its solutions are expected to cost.
//!
//! An endpoint that is a variable is asked behind everything that may bind it; one that is known is an input of the
//! joins like any other, and its cost decides.

use super::build;
use super::physical::{JoinKind, Node, Plan};
use super::planner::Planner;
use super::seeds::Seed;
use super::service::ServicePattern;
use super::variables::VarSet;
use std::sync::Arc;

/// A request and the first byte of its answer.
const ROUND_TRIP_NS: f64 = 2e6;
/// One solution written, sent and read.
const SOLUTION_NS: f64 = 2e3;
/// Bindings that are sent with a request, about.
const BINDINGS: f64 = 100.0;
/// Solutions for each binding that is sent, about.
const SOLUTIONS: f64 = 2.0;
/// The cost of asking an endpoint that nobody has bound: it cannot be done.
const UNBOUND_NS: f64 = 1e18;

impl Planner<'_> {
    /// The plan of a SERVICE clause, the bindings of a seed handed in.
    pub(super) fn service(&self, service: &Arc<ServicePattern>, seed: Option<&Seed>) -> Plan {
        let allowed = service.handed_in();
        let handed_in = |seed: &Seed| -> Vec<_> {
            let variables = seed.variables.iter().copied();
            variables.filter(|&v| allowed.contains(v)).collect()
        };
        let seeds = seed.map(handed_in).unwrap_or_default();
        let seed = seed.filter(|_| !seeds.is_empty());
        let is_sent = seeds.iter().any(|&v| service.is_sent(v));
        let (requests, rows) = match seed {
            Some(seed) if is_sent => (
                (seed.rows / BINDINGS).ceil().max(1.0),
                service.rows.min(seed.rows * SOLUTIONS),
            ),
            _ => (1.0, service.rows),
        };
        let is_bound = service.endpoint.var().is_none_or(|v| seeds.contains(&v));
        let mut certain = service.certain();
        if let Some(seed) = seed {
            certain.extend(&seed.certain.intersection(&seeds.iter().copied().collect()));
        }
        Plan {
            number: 0,
            schema: service.variables().iter().collect(),
            certain,
            sorted: Vec::new(),
            rows,
            cost: match is_bound {
                true => requests * ROUND_TRIP_NS + rows * SOLUTION_NS,
                false => UNBOUND_NS,
            },
            node: Node::Service(Arc::clone(service), seed.map(|s| (s.slot, seeds))),
        }
    }

    /// The plan with a SERVICE clause behind it whose endpoint it binds.
    pub(super) fn service_step(&mut self, left: Plan, service: &Arc<ServicePattern>) -> Plan {
        let shared = left.variables().intersection(&service.handed_in());
        let endpoint: VarSet = service.endpoint.var().into_iter().collect();
        let variables = shared.intersection(&left.certain.union(&endpoint));
        if variables.is_empty() {
            let right = self.service(service, None);
            return build::hash(left, right, JoinKind::Inner, Vec::new());
        }
        let seed = Seed {
            slot: self.slot(),
            certain: variables.intersection(&left.certain),
            variables: variables.iter().collect(),
            rows: left.rows,
            substituted: false,
            row_by_row: false,
        };
        let right = self.service(service, Some(&seed));
        build::seeded(left, right, &seed, JoinKind::Inner, Vec::new())
    }
}
