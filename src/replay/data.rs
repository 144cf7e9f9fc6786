//! Which data a server held: the triples of its default graph, as a count and a checksum that do not depend on its make.
//!
//! They are asked for once, after the last run, so that reading them disturbs nothing that was measured.

use super::answers::Answers;
use super::checksum::Answer;
use super::pace::Load;
use super::run::{Runner, Service};
use super::schedule::Slot;
use super::state::State;
use super::workload::Workload;
use super::{Plan, Subject, Target};
use crate::diagnostics::Result;
use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Duration;

const ALL_TRIPLES: &str = "SELECT ?s ?p ?o { ?s ?p ?o }";
/// Reading all may take longer than any query.
const TIMEOUT: Duration = Duration::from_secs(600);

/// The triples of a server, or why they are not known.
pub type DataSet = Result<Answer, String>;

impl Plan {
    /// The data of each target, in their order. A store that several own servers serve is read once.
    ///
    /// # Errors
    /// An own server does not start.
    pub fn read_data(&self) -> Result<Vec<DataSet>> {
        let mut known = HashMap::<PathBuf, DataSet>::new();
        let mut all = Vec::new();
        for target in &self.targets {
            let location = match &target.service {
                Service::Own(command) => Some(&command.location),
                Service::Foreign(..) => None,
            };
            let found = match location.and_then(|location| known.get(location)) {
                Some(data) => data.clone(),
                None => read(target)?,
            };
            if let Some(location) = location {
                known.insert(location.clone(), found.clone());
            }
            all.push(found);
        }
        Ok(all)
    }
}

fn read(target: &Target) -> Result<DataSet> {
    let load = Load::closed(1);
    let plan = Plan {
        workload: Workload::of_text(ALL_TRIPLES)?,
        updates: None,
        state: State::default(),
        subject: Subject::Servers,
        targets: vec![target.clone()],
        loads: vec![load],
        rounds: 1,
        duration: None,
        seed: 0,
        timeout: TIMEOUT,
    };
    let answers = Answers::default();
    let runner = Runner {
        plan: &plan,
        answers: &answers,
    };
    let slot = Slot {
        round: 0,
        target: 0,
        load,
    };
    let run = runner.run(slot, target)?;
    let outcome = run
        .requests
        .into_iter()
        .map(|request| request.outcome)
        .next();
    Ok(match outcome {
        Some(Ok(answer)) => Ok(answer),
        Some(Err(failure)) => Err(format!("{}: {}", failure.class.name(), failure.detail)),
        None => Err("it was not asked".to_owned()),
    })
}
