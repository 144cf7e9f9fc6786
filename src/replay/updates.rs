//! Updates beside the queries: sent at times of their own, and looked for until a new query sees what they did.
//!
//! The updates are the `.ru` files of the workload's folder, in the order of their names and over again. Each request also
//! inserts a mark of its own into the graph [`MARKS`], within the same transaction; once the server has said that the
//! change is made, another client asks for that mark on a connection of its own, again and again, until it is there. The
//! time from the one to the other is the age that an answer may have: next to nothing for a server whose answer means
//! that the change is visible, and the delay of the copy that is asked for one that answers before.
//!
//! Marks are inserted into what the server holds, so own servers are given a copy of their store.

use super::checksum::Expected;
use super::client::Client;
use super::course::Course;
use super::failure::{Failure, FailureClass};
use super::pace::Milli;
use super::workload::QueryForm;
use super::world::World;
use crate::diagnostics::{Error, ErrorKind, Result};
use bytes::Bytes;
use hyper::Method;
use spargebra::SparqlParser;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// The graph of the marks.
pub const MARKS: &str = "urn:kaluta:replay:marks";

/// How often a client that waits for its next update looks whether the queries have come to their end.
const LOOK_INTERVAL: Duration = Duration::from_millis(5);

/// The updates of a replay.
#[derive(Clone, Debug)]
pub struct Updates {
    /// Their names and texts, each ready to be followed by another operation.
    texts: Vec<(String, String)>,
    /// How many are sent in a second, at equal distances.
    pub rate: Milli,
}

/// One update. Times count from the start of the run.
#[derive(Clone, Debug)]
pub struct UpdateTrace {
    /// The name of its file.
    pub name: String,
    /// When it was to be sent.
    pub intended_start: Duration,
    /// When it was sent.
    pub start: Duration,
    /// When the server had said that it was made.
    pub committed: Duration,
    /// When the first answer that knows of it was there; none if it failed.
    pub seen: Option<Duration>,
    /// How many queries asked for it.
    pub asked: usize,
    /// Why it was not made, or not seen.
    pub failure: Option<Failure>,
}

impl UpdateTrace {
    /// From the intended start to the word of the server, in milliseconds; none if it failed.
    pub fn commit_ms(&self) -> Option<f64> {
        self.seen?;
        Some((self.committed - self.intended_start).as_secs_f64() * 1e3)
    }

    /// From the word of the server to the first answer that knows of it, in milliseconds.
    pub fn unseen_ms(&self) -> Option<f64> {
        Some((self.seen? - self.committed).as_secs_f64() * 1e3)
    }
}

impl Updates {
    /// Reads the `.ru` files of a folder.
    pub fn read(folder: &Path, rate: Milli) -> Result<Self> {
        let mut texts = Vec::new();
        for path in super::workload::files(folder, "ru")? {
            let text = std::fs::read_to_string(&path)
                .map_err(|e| Error::user_file(format_args!("reading {}", path.display()), e))?;
            let text = open_ended(&text).map_err(|e| e.context(path.display()))?;
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            texts.push((name.into_owned(), text));
        }
        if texts.is_empty() {
            let folder = folder.display();
            let message = format!("{folder} holds no updates (*.ru), so there are none to send");
            return Err(Error::new(ErrorKind::Settings, message));
        }
        Ok(Self { texts, rate })
    }

    /// Sends updates to one client's endpoint, and looks for them with another, until the queries have come to their end.
    pub async fn follow<W: World>(
        &self,
        course: &Course<'_>,
        mut updater: Client<W>,
        mut asker: Client<W>,
    ) -> Vec<UpdateTrace> {
        course.await_warm().await;
        course.start_clock().await;
        let start = Instant::now();
        let mut traces = Vec::new();
        for number in 0.. {
            let moment = start + Duration::from_secs_f64(number as f64 / self.rate.get());
            while !course.is_over() && Instant::now() < moment {
                let next_look = Instant::now() + LOOK_INTERVAL;
                updater.sleep_until(moment.min(next_look)).await;
            }
            if course.is_over() && number > 0 {
                break;
            }
            let trace = self.update(course, number, moment, &mut updater, &mut asker);
            traces.push(trace.await);
        }
        course.await_end().await;
        // A server that stays gets its graph back as it was; where that fails, the marks are all that is left.
        let run = course.id();
        let unmark = format!("DELETE WHERE {{ GRAPH <{MARKS}> {{ <urn:uuid:{run}> ?p ?o }} }}");
        updater.post_update(&form("update", &unmark)).await;
        traces
    }

    async fn update<W: World>(
        &self,
        course: &Course<'_>,
        number: usize,
        intended: Instant,
        updater: &mut Client<W>,
        asker: &mut Client<W>,
    ) -> UpdateTrace {
        let (name, text) = &self.texts[number % self.texts.len()];
        let update = format!("{text} INSERT DATA {{ {} }}", mark(course, number));
        let exchange = updater.post_update(&form("update", &update)).await;
        let (asked, seen) = match &exchange.failure {
            None => look(course, number, asker).await,
            Some(failure) => {
                course.see_to_server(failure, updater);
                course.see_to_server(failure, asker);
                (0, Err(failure.clone()))
            }
        };
        UpdateTrace {
            name: name.clone(),
            intended_start: course.since_origin(intended),
            start: course.since_origin(exchange.start),
            committed: course.since_origin(exchange.last_byte),
            asked,
            seen: seen
                .as_ref()
                .ok()
                .map(|&moment| course.since_origin(moment)),
            failure: seen.err(),
        }
    }
}

/// Asks for a mark until it is there: how often, and when the answer was here. Gives up after the time-out of a request.
async fn look<W: World>(
    course: &Course<'_>,
    number: usize,
    asker: &mut Client<W>,
) -> (usize, Result<Instant, Failure>) {
    let expected = Arc::new(Expected::of_form(QueryForm::Ask));
    let query = form("query", &format!("ASK {{ {} }}", mark(course, number)));
    let deadline = Instant::now() + course.timeout();
    let mut asked = 0;
    loop {
        asked += 1;
        let exchange = asker.query(&Method::POST, &query, &expected).await;
        if let Some(failure) = exchange.failure {
            return (asked, Err(failure));
        }
        if is_true(&exchange.body.kept) {
            return (asked, Ok(exchange.last_byte));
        }
        if exchange.last_byte > deadline {
            let limit_s = course.timeout().as_secs_f64();
            let words = format_args!("no query saw the update within {limit_s} s of its commit");
            return (asked, Err(Failure::new(FailureClass::Timeout, words)));
        }
    }
}

/// The mark of an update. Runs have marks of their own, as they may share a server.
fn mark(course: &Course<'_>, number: usize) -> String {
    let run = course.id();
    format!("GRAPH <{MARKS}> {{ <urn:uuid:{run}> <urn:kaluta:replay:update> {number} }}")
}

fn is_true(body: &[u8]) -> bool {
    let document: Option<serde_json::Value> = serde_json::from_slice(body).ok();
    document.is_some_and(|document| document["boolean"] == true)
}

fn form(name: &str, value: &str) -> Bytes {
    let mut form = form_urlencoded::Serializer::new(String::new());
    form.append_pair(name, value).finish().into()
}

/// The text of an update so that another operation can follow it, whether or not it ends with a separator (SPARQL 1.1
/// Update, section 3.1.3). A line break ends a comment.
fn open_ended(text: &str) -> Result<String> {
    let parse = |text: &str| SparqlParser::new().parse_update(text);
    parse(text).map_err(|e| {
        let message = format!("this is not a SPARQL update: {e}");
        Error::new(ErrorKind::Syntax, message).caused_by(e)
    })?;
    let closed = format!("{text}\n");
    let opened = format!("{text}\n;");
    Ok(match parse(&format!("{closed} CLEAR DEFAULT")) {
        Ok(_) => closed,
        Err(_) => opened,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_operation_can_follow_any_update() {
        for text in [
            "CLEAR ALL",
            "CLEAR ALL;",
            "CLEAR ALL ; # the end",
            "PREFIX : <http://e/> INSERT DATA { :a :b \";\" } # the end;",
            "",
        ] {
            let longer = format!("{} CLEAR DEFAULT", open_ended(text).unwrap());
            let found = SparqlParser::new().parse_update(&longer);
            let operations = usize::from(!text.is_empty()) + 1;
            assert_eq!(found.unwrap().operations.len(), operations, "{longer}");
        }
        assert!(open_ended("SELECT * {}").is_err());
    }
}
