//! What a client meets outside of itself: the way to a server, and the moment for which it waits.
//!
//! In the real world these are TCP and the machine's clock. A test may supply another world, in which the whole of a run
//! (clients, servers and time-outs) takes place in one runtime of which the clock stands still until nobody has anything
//! left to do; so what a test says about latencies holds to the tick, however busy the machine is.

use super::endpoint::Endpoint;
use super::prompt::Prompt;
use std::future::Future;
use std::io;
use std::thread;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::Instant;

/// The surroundings of a client. Its clock is that of the runtime, [`Instant::now`].
pub trait World {
    /// A connection.
    type Stream: AsyncRead + AsyncWrite + Send + Unpin + 'static;

    /// Connects to the server of an endpoint.
    fn connect(&self, endpoint: &Endpoint) -> impl Future<Output = io::Result<Self::Stream>>;

    /// Waits for a moment, or not at all if it has passed.
    fn sleep_until(&self, moment: Instant) -> impl Future<Output = ()>;
}

/// TCP, and the machine's clock.
#[derive(Clone, Copy, Debug)]
pub struct RealWorld;

impl World for RealWorld {
    type Stream = Prompt;

    async fn connect(&self, endpoint: &Endpoint) -> io::Result<Prompt> {
        Prompt::new(TcpStream::connect(&*endpoint.addresses).await?)
    }

    /// Each client has a thread of its own, which nothing else waits for; so the thread itself may sleep, and wakes to
    /// some microseconds where the runtime's timer counts in milliseconds.
    async fn sleep_until(&self, moment: Instant) {
        thread::sleep(moment.saturating_duration_since(Instant::now()));
    }
}
