//! A TCP connection that neither holds back small writes nor delays acknowledgements.
//!
//! A server that writes its head and its body apart waits, under Nagle's algorithm, for the acknowledgement of the head,
//! which a client's kernel may hold back for 40 ms. `TCP_NODELAY` ends the first, `TCP_QUICKACK` the second; Linux forgets
//! the latter whenever data flows, so it is set again after each read and write that moved some.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

/// The connection.
pub struct Prompt(TcpStream);

impl Prompt {
    /// Takes over a connection.
    pub fn new(stream: TcpStream) -> io::Result<Self> {
        stream.set_nodelay(true)?;
        let prompt = Self(stream);
        prompt.acknowledge()?;
        Ok(prompt)
    }

    #[cfg(target_os = "linux")]
    fn acknowledge(&self) -> io::Result<()> {
        self.0.set_quickack(true)
    }

    #[cfg(not(target_os = "linux"))]
    fn acknowledge(&self) -> io::Result<()> {
        Ok(())
    }
}

impl AsyncRead for Prompt {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let filled = buffer.filled().len();
        let polled = Pin::new(&mut self.0).poll_read(context, buffer);
        if buffer.filled().len() > filled {
            self.acknowledge()?;
        }
        polled
    }
}

impl AsyncWrite for Prompt {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &[u8],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.0).poll_write(context, buffer);
        if let Poll::Ready(Ok(1..)) = polled {
            self.acknowledge()?;
        }
        polled
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}
