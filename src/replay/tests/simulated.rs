//! A world in memory: clients and servers in one runtime, whose clock stands still until all of them wait.
//!
//! So a request takes exactly as long as its server says, rounded up to the millisecond of the runtime's timer.

use super::fake::{self, Reaction, Seen};
use crate::replay::answers::Answers;
use crate::replay::client::Client;
use crate::replay::course::Course;
use crate::replay::endpoint::Endpoint;
use crate::replay::run::{Run, Runner, Usage};
use crate::replay::schedule::Slot;
use crate::replay::world::World;
use crate::replay::{Outcome, Plan};
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, DuplexStream};
use tokio::time::Instant;

/// A server, told the time since the start of the run: how long it takes for a request, and what it does then.
pub type Behaviour = Box<dyn FnMut(Duration, &Seen) -> (Duration, Reaction) + Send>;

/// Makes the runs of a plan, each against a new server.
pub fn replay(plan: Plan, mut server: impl FnMut() -> Behaviour) -> Outcome {
    let answers = Answers::default();
    plan.replay(|plan, slot| Ok(run(plan, slot, &answers, server())))
        .unwrap()
}

/// Makes one run.
pub fn run(plan: &Plan, slot: Slot, answers: &Answers, server: Behaviour) -> Run {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_time().start_paused(true).build().unwrap();
    runtime.block_on(async {
        let endpoint = Endpoint {
            addresses: Vec::new(),
            ..Endpoint::parse("http://127.0.0.1/query").unwrap()
        };
        let world = Simulated {
            start: Instant::now(),
            server: Arc::new(Mutex::new(server)),
        };
        let course = Course::new(plan, &slot, answers, None);
        let clients = (0..slot.load.threads).map(|thread| {
            let client = Client::new(world.clone(), endpoint.clone(), plan.timeout);
            course.follow(thread, client)
        });
        let updates = async {
            let client = || Client::new(world.clone(), endpoint.clone(), plan.timeout);
            match &plan.updates {
                Some(updates) => updates.follow(&course, client(), client()).await,
                None => Vec::new(),
            }
        };
        let watch = async {
            course.await_warm().await;
            course.start_clock().await;
            course.await_end().await;
        };
        let (laps, updates, ()) = tokio::join!(all(clients), updates, watch);
        let runner = Runner { plan, answers };
        Run {
            updates,
            settled: course.settled(),
            ..runner.finish(slot, &endpoint, Usage::default(), laps)
        }
    })
}

#[derive(Clone)]
struct Simulated {
    start: Instant,
    server: Arc<Mutex<Behaviour>>,
}

impl World for Simulated {
    type Stream = DuplexStream;

    async fn connect(&self, _: &Endpoint) -> io::Result<DuplexStream> {
        let (client, server) = tokio::io::duplex(1 << 16);
        tokio::spawn(self.clone().serve(server));
        Ok(client)
    }

    async fn sleep_until(&self, moment: Instant) {
        tokio::time::sleep_until(moment).await;
    }
}

impl Simulated {
    async fn serve(self, stream: DuplexStream) {
        let mut stream = BufReader::new(stream);
        while let Some(seen) = read_request(&mut stream).await {
            let since_start = self.start.elapsed();
            let (delay, reaction) = (self.server.lock().unwrap())(since_start, &seen);
            tokio::time::sleep(delay).await;
            let (Reaction::Send(bytes) | Reaction::SendAndClose(bytes) | Reaction::Stall(bytes)) =
                &reaction;
            if stream.write_all(bytes).await.is_err()
                || matches!(reaction, Reaction::SendAndClose(_))
            {
                return;
            }
            if matches!(reaction, Reaction::Stall(_)) {
                let _ = stream.read_to_end(&mut Vec::new()).await;
            }
        }
    }
}

async fn read_request(stream: &mut BufReader<DuplexStream>) -> Option<Seen> {
    let mut text = String::new();
    while !text.ends_with("\r\n\r\n") {
        let length = stream.read_line(&mut text).await.ok()?;
        (length > 0).then_some(())?;
    }
    let mut body = vec![0; fake::body_bytes(&text)];
    stream.read_exact(&mut body).await.ok()?;
    Some(Seen::new(&text, &body))
}

/// What all futures come to, polled side by side.
async fn all<F: Future>(futures: impl Iterator<Item = F>) -> Vec<F::Output> {
    let mut pending: Vec<Pin<Box<F>>> = futures.map(Box::pin).collect();
    let mut outputs = Vec::new();
    std::future::poll_fn(|context| {
        pending.retain_mut(|future| match future.as_mut().poll(context) {
            Poll::Ready(output) => {
                outputs.push(output);
                false
            }
            Poll::Pending => true,
        });
        match pending.is_empty() {
            true => Poll::Ready(()),
            false => Poll::Pending,
        }
    })
    .await;
    outputs
}
