//! What all operators of one query share: the snapshot, the terms, the limits, and the seeds that joins hand down.

use super::profile::Profiler;
use super::row_set::RowSet;
use crate::batch::Batch;
use crate::diagnostics::{Error, ErrorKind, Result};
use crate::expr::ExprContext;
use crate::federation::{AskError, Client, Reply, Services, Watch};
use crate::plan::{PlannedQuery, SeedSlot, VarId, Variables};
use crate::storage::Snapshot;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The limits of one query, other services among them, and the flag that ends it early. Clones share the flag.
#[derive(Clone, Debug)]
pub struct QueryControl {
    cancelled: Arc<AtomicBool>,
    deadline: Option<Instant>,
    timeout: Option<Duration>,
    memory_bytes_max: Option<u64>,
    services: Arc<Services>,
}

impl QueryControl {
    /// Limits that count from now; `None` is no limit.
    pub fn new(timeout: Option<Duration>, memory_bytes_max: Option<u64>) -> Self {
        Self {
            cancelled: Arc::default(),
            deadline: timeout.and_then(|t| Instant::now().checked_add(t)),
            timeout,
            memory_bytes_max,
            services: Arc::default(),
        }
    }

    /// The same query with other services that it may ask; without it there are none.
    #[must_use]
    pub fn with_services(mut self, services: &Arc<Services>) -> Self {
        self.services = Arc::clone(services);
        self
    }

    /// The other services that the query may ask.
    pub(super) fn services(&self) -> &Arc<Services> {
        &self.services
    }

    /// Ends the query: its operators notice at their next batch.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Whether somebody ended it.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// Fails when a request holds more bytes than it may.
    ///
    /// # Errors
    /// [`ErrorKind::MemoryLimit`].
    pub fn check_memory(&self, held_bytes: u64) -> Result<()> {
        match self.memory_bytes_max {
            Some(max) if held_bytes > max => Err(Error::new(
                ErrorKind::MemoryLimit,
                format!(
                    "the request needs more memory than its limit of {max} bytes; narrow or split it, or raise query.memory_bytes_max"
                ),
            )),
            _ => Ok(()),
        }
    }

    /// Fails when the query was cancelled or is past its deadline. Operators ask once per batch.
    ///
    /// # Errors
    /// [`ErrorKind::Cancelled`] or [`ErrorKind::Deadline`].
    pub fn check(&self) -> Result<()> {
        if self.is_cancelled() {
            return Err(Error::new(ErrorKind::Cancelled, "the query was cancelled"));
        }
        match self.deadline {
            Some(deadline) if Instant::now() >= deadline => Err(Error::new(
                ErrorKind::Deadline,
                format!(
                    "the query ran past its time limit of {} ms; narrow it, or raise query.timeout_ms",
                    self.timeout.unwrap_or_default().as_millis()
                ),
            )),
            _ => Ok(()),
        }
    }
}

/// The distinct bindings that a join hands down.
pub struct SeedTable {
    /// The variables of the columns.
    pub variables: Vec<VarId>,
    /// The rows.
    pub rows: Batch,
}

/// What the operators of one query share.
pub struct ExecContext {
    /// The data.
    pub snapshot: Arc<Snapshot>,
    /// The terms, and what expressions share.
    pub expressions: ExprContext,
    /// The variables by name.
    pub variables: Variables,
    /// The limits.
    pub control: QueryControl,
    /// What is measured, for explain analyze.
    pub profiler: Option<Profiler>,
    seeds: RefCell<Vec<Option<Rc<SeedTable>>>>,
    memory_bytes: Cell<u64>,
    client: RefCell<Option<Client>>,
}

impl ExecContext {
    /// The context of one run of a planned query.
    pub fn new(
        snapshot: Arc<Snapshot>,
        expressions: ExprContext,
        query: &PlannedQuery,
        control: QueryControl,
        analyze: bool,
    ) -> Rc<Self> {
        Rc::new(Self {
            snapshot,
            expressions,
            variables: query.variables.clone(),
            control,
            profiler: analyze.then(|| Profiler::new(&query.plan)),
            seeds: RefCell::new(vec![None; query.slots]),
            memory_bytes: Cell::new(0),
            client: RefCell::new(None),
        })
    }

    /// Hands bindings down through a slot.
    pub fn set_seed(&self, slot: SeedSlot, table: SeedTable) {
        self.seeds.borrow_mut()[slot.0] = Some(Rc::new(table));
    }

    /// The bindings of a slot.
    ///
    /// # Errors
    /// Nobody handed any: a bug of the planner.
    pub fn seed(&self, slot: SeedSlot) -> Result<Rc<SeedTable>> {
        self.seeds.borrow()[slot.0]
            .clone()
            .ok_or_else(|| Error::internal("a seed was read before its join handed it down"))
    }

    /// Asks another service, with the one client that all operators of the query share.
    ///
    /// # Errors
    /// The query has to end, or the service gives no answer.
    pub fn ask(&self, url: &str, query: &str, watch: &dyn Watch) -> Result<Reply, AskError> {
        let mut client = self.client.borrow_mut();
        let client = match &mut *client {
            Some(client) => client,
            none => none.insert(Client::new(Arc::clone(self.control.services()))?),
        };
        client.ask(url, query, watch)
    }

    /// Counts bytes to the query until the charge is dropped.
    ///
    /// # Errors
    /// [`ErrorKind::MemoryLimit`] when the query then holds more than it may.
    pub fn charge(self: &Rc<Self>, bytes: usize) -> Result<Charge> {
        let mut charge = Charge {
            cx: Rc::clone(self),
            bytes: 0,
        };
        charge.grow(bytes)?;
        Ok(charge)
    }
}

/// Bytes counted to a query.
pub struct Charge {
    cx: Rc<ExecContext>,
    bytes: u64,
}

impl Charge {
    /// Counts more bytes.
    ///
    /// # Errors
    /// [`ErrorKind::MemoryLimit`] when the query then holds more than it may.
    pub fn grow(&mut self, bytes: usize) -> Result<()> {
        let bytes = bytes as u64;
        self.bytes += bytes;
        self.cx.memory_bytes.set(self.cx.memory_bytes.get() + bytes);
        let held = self.cx.memory_bytes.get() + self.cx.expressions.terms.local_bytes() as u64;
        self.cx.control.check_memory(held)
    }

    /// Counts up to a total that something has grown to.
    ///
    /// # Errors
    /// As [`Self::grow`].
    pub fn grow_to(&mut self, bytes: usize) -> Result<()> {
        self.grow((bytes as u64).saturating_sub(self.bytes) as usize)
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.cx
            .memory_bytes
            .set(self.cx.memory_bytes.get() - self.bytes);
    }
}

/// The distinct rows of some columns.
pub fn distinct_rows(batches: &[Batch], columns: &[usize]) -> Batch {
    let mut set = RowSet::new(columns.len());
    for batch in batches {
        let columns: Vec<&[_]> = columns.iter().map(|&c| batch.column(c)).collect();
        for row in 0..batch.rows() {
            set.insert(&columns, row);
        }
    }
    set.into_batch()
}
