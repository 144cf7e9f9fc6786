//! From arguments to a plan; what makes no plan is wrong usage, an error of kind `Settings`.

use super::ReplayArgs;
use super::values::{Arrivals, Named};
use crate::diagnostics::{BacktracePolicy, Error, ErrorKind, Result};
use crate::replay::endpoint::Endpoint;
use crate::replay::pace::{Load, Pace};
use crate::replay::process::is_running;
use crate::replay::run::Service;
use crate::replay::server::{ServerCommand, policy_name};
use crate::replay::state::State;
use crate::replay::updates::Updates;
use crate::replay::workload::{Phase, Workload};
use crate::replay::{Plan, Subject, Target};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long each step of a sweep lasts where nothing is said.
const SWEEP_DURATION_S: f64 = 5.0;

/// The times of all requests of an open loop are held in memory.
const REQUESTS_MAX: usize = 10_000_000;
/// No run has to wait longer than a year for its last request.
const RUN_MAX_S: f64 = 365.0 * 86_400.0;

impl ReplayArgs {
    /// The plan that the arguments ask for.
    pub fn plan(&self) -> Result<Plan> {
        let (subject, targets) = self.targets()?;
        if self.state == State::Cold && self.location.is_none() {
            return Err(usage(
                "--state cold: only own servers can be started anew; name a store with --location"
                    .to_owned(),
            ));
        }
        if self.state == State::Steady && self.warm == 0 {
            return Err(usage(
                "--state steady: there are no warm queries whose times could become steady; give --warm N".to_owned(),
            ));
        }
        let updates = (self.update_rate).map(|rate| Updates::read(&self.queries, rate));
        let workload = Workload::read(&self.queries, self.warm)?;
        let loads = self.loads()?;
        for pace in loads.iter().filter_map(|load| load.pace) {
            check_pace(pace, &workload, self.duration())?;
        }
        Ok(Plan {
            workload,
            updates: updates.transpose()?,
            state: self.state,
            subject,
            targets,
            loads,
            duration: self.duration(),
            rounds: self.repeats,
            seed: self.seed,
            timeout: Duration::from_secs(self.timeout_s),
        })
    }

    /// A rate is held or not only over some time, so a sweep has runs of some length in any case.
    fn duration(&self) -> Option<Duration> {
        let of_sweep = self.sweep.map(|_| SWEEP_DURATION_S);
        self.duration_s.or(of_sweep).map(Duration::from_secs_f64)
    }

    fn loads(&self) -> Result<Vec<Load>> {
        let open = |pace| Load {
            pace: Some(pace),
            threads: self.in_flight,
        };
        let pace = |rate| match self.arrivals {
            Arrivals::Poisson => Pace::Poisson(rate),
            Arrivals::Fixed => Pace::Fixed(rate),
        };
        let rates = self.rate.iter().map(|&rate| open(pace(rate)));
        let speeds = (self.speed.iter()).map(|&speed| open(Pace::Recorded(speed)));
        let mut loads: Vec<_> = rates.chain(speeds).collect();
        if loads.is_empty() {
            loads = self.threads.iter().copied().map(Load::closed).collect();
        }
        let distinct: HashSet<_> = loads.iter().collect();
        if distinct.len() < loads.len() {
            return Err(usage(
                "--threads, --rate or --speed names a number twice".to_owned(),
            ));
        }
        Ok(loads)
    }

    /// What the targets differ in, and the targets.
    fn targets(&self) -> Result<(Subject, Vec<Target>)> {
        let Some(location) = &self.location else {
            return Ok((Subject::Servers, self.foreign_targets()?));
        };
        check_store(location)?;
        if self.servers.is_empty() {
            return Ok((
                Subject::StackTraces,
                targets_by_policy(location, self.timeout_s)?,
            ));
        }
        by_name("--server", &self.servers)?;
        let targets = self.servers.iter().map(|Named { name, value }| {
            let (binary, options) = command_words(name, value)?;
            Ok(own_target(name.clone(), &binary, location, options))
        });
        Ok((Subject::Servers, targets.collect::<Result<_>>()?))
    }

    fn foreign_targets(&self) -> Result<Vec<Target>> {
        let mut pids = by_name("--pid", &self.pids)?;
        let mut updates = by_name("--update-endpoint", &self.update_endpoints)?;
        by_name("--endpoint", &self.endpoints)?;
        let mut targets = Vec::new();
        for Named { name, value: url } in &self.endpoints {
            let update_url = updates.remove(name.as_str());
            if self.update_rate.is_some() && update_url.is_none() {
                return Err(usage(format!(
                    "--update-rate: say where {name} takes updates, with --update-endpoint {name}=URL"
                )));
            }
            let pid = pids.remove(name.as_str());
            check_process(name, pid)?;
            targets.push(Target {
                name: name.clone(),
                service: Service::Foreign(Endpoint::parse(url)?, pid),
                updates: update_url.as_deref().map(Endpoint::parse).transpose()?,
            });
        }
        let pids = pids.into_keys().map(|name| ("--pid", name));
        let updates = updates.into_keys().map(|name| ("--update-endpoint", name));
        match pids.chain(updates).next() {
            Some((option, name)) => Err(usage(format!(
                "{option} {name}=...: there is no --endpoint {name}=..."
            ))),
            None => Ok(targets),
        }
    }
}

/// Fails where a run would have more requests than fit, or where its last request would come after longer than anybody
/// waits.
fn check_pace(pace: Pace, workload: &Workload, duration: Option<Duration>) -> Result<()> {
    let recorded = workload.recorded(Phase::Timed);
    let (option, count, last_s) = match pace {
        Pace::Fixed(rate) | Pace::Poisson(rate) => {
            let count = duration.and_then(|duration| pace.count_in(duration));
            let count = count.unwrap_or(recorded.len());
            ("--rate", count, count as f64 / rate.get())
        }
        Pace::Recorded(speed) => {
            let first_and_last = recorded.iter().min().zip(recorded.iter().max());
            let span = first_and_last.map_or(Duration::ZERO, |(first, last)| *last - *first);
            if span.is_zero() && recorded.len() > 1 {
                return Err(usage(
                    "--speed: this workload does not say when its requests were made; give a --rate".to_owned(),
                ));
            }
            ("--speed", recorded.len(), span.as_secs_f64() / speed.get())
        }
    };
    let number = pace.number();
    if count > REQUESTS_MAX {
        return Err(usage(format!(
            "{option} {number}: these are {count} requests in one run, and at most {REQUESTS_MAX} are possible; give \
             a shorter --duration-s"
        )));
    }
    if last_s > RUN_MAX_S {
        return Err(usage(format!(
            "{option} {number}: the last request would be sent after {:.0} days, and at most 365 are possible",
            last_s / 86_400.0
        )));
    }
    Ok(())
}

/// Fails where an endpoint's process is not there. Where the system tells nothing of processes, nothing is asked of it.
fn check_process(name: &str, pid: Option<u32>) -> Result<()> {
    match pid {
        Some(pid) if is_running(std::process::id()) && !is_running(pid) => Err(usage(format!(
            "--pid {name}={pid}: there is no such process on this machine"
        ))),
        _ => Ok(()),
    }
}

fn check_store(location: &Path) -> Result<()> {
    if !location.is_dir() {
        return Err(usage(format!(
            "--location {}: there is no such store; make one with `kaluta load --location {0} FILE`, or run \
             `cargo bench --bench replay`, which makes the sample",
            location.display()
        )));
    }
    Ok(())
}

/// One target for each backtrace setting. The saving is shown against a server that always captures, so that is the base.
/// The servers end a query when the client does not wait for it any more.
fn targets_by_policy(location: &Path, timeout_s: u64) -> Result<Vec<Target>> {
    let binary = own_binary()?;
    let policies = [
        BacktracePolicy::Always,
        BacktracePolicy::Never,
        BacktracePolicy::WhenLogged,
    ];
    let target = |policy| {
        let name = policy_name(policy).to_owned();
        let timeout_s = timeout_s.to_string();
        let options = ["--backtrace", &name, "--timeout-s", &timeout_s];
        let options = options.map(str::to_owned).to_vec();
        own_target(name, &binary, location, options)
    };
    Ok(policies.map(target).into())
}

fn own_target(name: String, binary: &Path, location: &Path, options: Vec<String>) -> Target {
    Target {
        name,
        service: Service::Own(ServerCommand {
            binary: binary.to_owned(),
            location: location.to_owned(),
            options,
        }),
        updates: None,
    }
}

/// The program and the options in a value of `--server`, whose words are those of a shell: options alone are for this
/// program.
fn command_words(name: &str, line: &str) -> Result<(PathBuf, Vec<String>)> {
    let words = shlex::split(line).ok_or_else(|| {
        usage(format!(
            "--server {name}={line}: a quotation mark is not closed"
        ))
    })?;
    match words.split_first() {
        Some((binary, options)) if !binary.starts_with('-') => {
            Ok((binary.into(), options.to_vec()))
        }
        _ => Ok((own_binary()?, words)),
    }
}

fn own_binary() -> Result<PathBuf> {
    std::env::current_exe().map_err(|e| Error::io("finding this program's own file", e))
}

fn by_name<'a, T: Clone>(option: &str, values: &'a [Named<T>]) -> Result<HashMap<&'a str, T>> {
    let mut names = HashMap::new();
    for Named { name, value } in values {
        if names.insert(name.as_str(), value.clone()).is_some() {
            return Err(usage(format!("{option} {name}=... is given twice")));
        }
    }
    Ok(names)
}

fn usage(message: String) -> Error {
    Error::new(ErrorKind::Settings, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Debug, Parser)]
    struct Command {
        #[command(flatten)]
        replay: ReplayArgs,
    }

    /// The plan that arguments lead to, or why they lead to none.
    fn plan(arguments: &str) -> Result<Plan, String> {
        let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
        let query = folder.path().join("1.rq");
        std::fs::write(query, "ASK {}").map_err(|e| e.to_string())?;
        let location = folder.path().to_string_lossy();
        let arguments = arguments.replace("STORE", &location);
        let queries = ["replay", "--warm", "0", "--queries", &location];
        Command::try_parse_from(queries.into_iter().chain(arguments.split_whitespace()))
            .map_err(|e| e.to_string())?
            .replay
            .plan()
            .map_err(|e| e.to_string())
    }

    #[test]
    fn a_store_is_measured_with_each_setting_and_endpoints_as_they_are_named() {
        let check = |arguments: &str, subject, names: &[&str]| {
            let plan = plan(arguments).unwrap();
            let found: Vec<_> = plan
                .targets
                .iter()
                .map(|target| target.name.as_str())
                .collect();
            assert_eq!((plan.subject, &*found), (subject, names), "{arguments}");
            assert_eq!(
                (&*plan.loads, plan.rounds),
                (&[1, 2, 3].map(Load::closed)[..], 3),
                "{arguments}"
            );
        };
        let settings = ["always", "never", "when-logged"];
        check("--location STORE", Subject::StackTraces, &settings);
        let endpoints = "--endpoint b=http://127.0.0.1:1/ --endpoint a=http://127.0.0.1:2/s?x=y";
        check(endpoints, Subject::Servers, &["b", "a"]);
    }

    #[test]
    fn wrong_usage_is_refused_with_its_reason() {
        let check = |arguments: &str, reason: &str| {
            let error = plan(arguments).unwrap_err();
            assert!(error.contains(reason), "{arguments}: {error}");
        };
        let endpoint = "--endpoint a=http://127.0.0.1:1/";
        check("", "--location <DIR>");
        check("--location STORE/none", "kaluta load --location");
        check(
            &format!("--location STORE {endpoint}"),
            "cannot be used with",
        );
        check(&format!("{endpoint} {endpoint}"), "given twice");
        check("--endpoint http://127.0.0.1:1/", "NAME=VALUE");
        check("--endpoint a=https://127.0.0.1:1/", "only http");
        check(&format!("{endpoint} --pid b=1"), "no --endpoint b");
        check(&format!("{endpoint} --pid a=x"), "invalid digit");
        check(&format!("{endpoint} --threads 1,0"), "at least 1");
        check(&format!("{endpoint} --threads 2,2"), "twice");
        check(&format!("{endpoint} --repeats 0"), "at least 1");
        check(&format!("{endpoint} --rate 0"), "above 0");
        check(&format!("{endpoint} --rate 5,5"), "twice");
        check(
            &format!("{endpoint} --rate 1e12 --duration-s 1"),
            "1000000000000 requests",
        );
        check(&format!("{endpoint} --rate 0.001 --duration-s 1e9"), "days");
        check(
            &format!("{endpoint} --rate 5 --threads 1"),
            "cannot be used with",
        );
        check(&format!("{endpoint} --arrivals fixed"), "--rate");
        check(&format!("{endpoint} --sweep x"), "invalid float");
        check(&format!("{endpoint} --timeout-s 0"), "0 is not in");
        check(&format!("{endpoint} --state cold"), "--location");
        check(
            &format!("{endpoint} --update-rate 1"),
            "where a takes updates",
        );
        check("--location STORE --update-rate 1", "no updates (*.ru)");
        check(
            "--location STORE --update-endpoint a=http://127.0.0.1:1/",
            "--endpoint",
        );
    }
}
