//! SERVICE: asks other endpoints and hands on their solutions (SPARQL 1.1 Federated Query, section 4).
//!
//! The distinct bindings that a join hands in are sent as VALUES, many with each request. A binding to a blank node is
//! not sent: no endpoint knows this store's nodes, so it has no solution there; the nodes of an answer are new ones. What
//! fails ends the query, unless the clause is SILENT: then the endpoint counts as giving the one empty solution for all
//! that was handed in at once, and solutions that came before the failure are forgotten.

use super::context::{Charge, ExecContext, distinct_rows};
use super::{Operator, places};
use crate::batch::{BATCH_ROWS, Batch};
use crate::diagnostics::Result;
use crate::federation::{AskError, Failure, Reply, Watch};
use crate::plan::{SeedSlot, ServicePattern, Slot, VarId};
use crate::term::{Tag, TermId};
use oxrdf::Term;
use sparesults::{QueryResultsFormat, QueryResultsParser, SliceQueryResultsParserOutput};
use spargebra::Query;
use spargebra::algebra::GraphPattern;
use spargebra::term::GroundTerm;
use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};
use std::rc::Rc;
use std::sync::Arc;

/// The running clause.
pub struct Service {
    cx: Rc<ExecContext>,
    service: Arc<ServicePattern>,
    seed: Option<(SeedSlot, Vec<VarId>)>,
    schema: Vec<VarId>,
    calls: Option<VecDeque<Call>>,
    ready: VecDeque<Batch>,
    /// The bytes of what is ready.
    charge: Charge,
}

/// What one endpoint is to be asked.
struct Call {
    /// The endpoint; unbound where nobody said which.
    endpoint: TermId,
    /// The variables whose bindings are sent.
    sent: Vec<VarId>,
    /// The bindings, each once.
    rows: Batch,
    /// Which of them can be sent.
    sendable: Vec<u32>,
}

impl Service {
    /// The clause of a plan node.
    ///
    /// # Errors
    /// The query is out of memory already.
    pub fn new(
        service: &Arc<ServicePattern>,
        seed: Option<&(SeedSlot, Vec<VarId>)>,
        schema: &[VarId],
        cx: &Rc<ExecContext>,
    ) -> Result<Self> {
        Ok(Self {
            cx: Rc::clone(cx),
            service: Arc::clone(service),
            seed: seed.cloned(),
            schema: schema.to_vec(),
            calls: None,
            ready: VecDeque::new(),
            charge: cx.charge(0)?,
        })
    }

    /// One call for each endpoint, in the order in which the bindings name them.
    fn prepare(&self) -> Result<VecDeque<Call>> {
        let Some((slot, seeds)) = &self.seed else {
            let endpoint = match self.service.endpoint {
                Slot::Const(id) => id,
                Slot::Var(_) => TermId::UNBOUND,
            };
            let call = self.call(endpoint, Vec::new(), Batch::unit())?;
            return Ok(VecDeque::from([call]));
        };
        let table = self.cx.seed(*slot)?;
        let seed_places = places(seeds, &table.variables);
        // Seeds are bound in all rows of a table, or in none.
        let is_bound = |place: usize| {
            table
                .rows
                .column(place)
                .first()
                .is_some_and(|id| id.is_bound())
        };
        let (sent, sent_places): (Vec<VarId>, Vec<usize>) = seeds
            .iter()
            .copied()
            .zip(seed_places.iter().copied())
            .filter(|&(v, place)| self.service.is_sent(v) && is_bound(place))
            .unzip();
        let mut calls = VecDeque::new();
        for (endpoint, rows) in self.by_endpoint(&table.variables, &table.rows) {
            let rows = distinct_rows(&[table.rows.select(&rows)], &sent_places);
            calls.push_back(self.call(endpoint, sent.clone(), rows)?);
        }
        Ok(calls)
    }

    /// The rows for each endpoint.
    fn by_endpoint(&self, variables: &[VarId], rows: &Batch) -> Vec<(TermId, Vec<u32>)> {
        let all = || (0..rows.rows() as u32).collect();
        let variable = match self.service.endpoint {
            Slot::Const(id) => return vec![(id, all())],
            Slot::Var(v) => v,
        };
        let Some(place) = variables.iter().position(|&v| v == variable) else {
            return vec![(TermId::UNBOUND, all())];
        };
        let mut places: HashMap<TermId, usize> = HashMap::new();
        let mut groups: Vec<(TermId, Vec<u32>)> = Vec::new();
        for (row, &endpoint) in rows.column(place).iter().enumerate() {
            let group = *places.entry(endpoint).or_insert_with(|| {
                groups.push((endpoint, Vec::new()));
                groups.len() - 1
            });
            groups[group].1.push(row as u32);
        }
        groups
    }

    fn call(&self, endpoint: TermId, sent: Vec<VarId>, rows: Batch) -> Result<Call> {
        let mut sendable = Vec::new();
        for row in 0..rows.rows() {
            let mut can_be_sent = true;
            for column in rows.columns() {
                can_be_sent &= self.is_ground(column[row])?;
            }
            if can_be_sent {
                sendable.push(row as u32);
            }
        }
        Ok(Call {
            endpoint,
            sent,
            rows,
            sendable,
        })
    }

    /// Whether a term holds no blank node.
    fn is_ground(&self, id: TermId) -> Result<bool> {
        Ok(match id.tag() {
            Tag::Blank => false,
            Tag::Triple => GroundTerm::try_from(self.cx.expressions.terms.to_term(id)?).is_ok(),
            _ => true,
        })
    }

    /// Asks an endpoint; `false` says that there are more bindings to send. One that is SILENT gets all of them first.
    fn perform(&mut self, call: &mut Call) -> Result<bool, AskError> {
        let url = self.url(call.endpoint)?;
        self.charge = self.cx.charge(0)?;
        let bindings_max = self.cx.control.services().bindings_max();
        loop {
            let end = call.sendable.len().min(bindings_max);
            let rows: Vec<u32> = call.sendable.drain(..end).collect();
            if rows.is_empty() {
                return Ok(true);
            }
            let query = self.query(call, &rows)?;
            let watch = Waiting {
                cx: &self.cx,
                charge: RefCell::new(self.cx.charge(0)?),
            };
            let reply = self.cx.ask(&url, &query, &watch)?;
            self.read(call.endpoint, &reply)?;
            if !self.service.silent {
                return Ok(call.sendable.is_empty());
            }
        }
    }

    fn url(&self, endpoint: TermId) -> Result<String, AskError> {
        if !endpoint.is_bound() {
            return Err(Failure::unanswered(
                "the variable is not bound to an endpoint; bind it before the SERVICE, as with VALUES",
            )
            .into());
        }
        match self.cx.expressions.terms.to_term(endpoint)? {
            Term::NamedNode(iri) => Ok(iri.into_string()),
            other => Err(Failure::unanswered(format_args!("{other} is no IRI")).into()),
        }
    }

    /// The endpoint as errors name it.
    fn name(&self, endpoint: TermId) -> Result<String> {
        Ok(match (endpoint.is_bound(), self.service.endpoint) {
            (false, Slot::Var(v)) => self.cx.variables.name(v).to_string(),
            _ => self.cx.expressions.terms.to_term(endpoint)?.to_string(),
        })
    }

    /// The query that asks for the wanted variables, with some of the bindings.
    fn query(&self, call: &Call, rows: &[u32]) -> Result<String> {
        let pattern = match call.sent.is_empty() {
            true => self.service.pattern.clone(),
            false => {
                let terms = &self.cx.expressions.terms;
                let value = |&id: &TermId| Ok(GroundTerm::try_from(terms.to_term(id)?).ok());
                let rows = call.rows.select(rows);
                let bindings = (0..rows.rows()).map(|row| {
                    let values = rows.columns().iter().map(|column| value(&column[row]));
                    values.collect::<Result<Vec<_>>>()
                });
                let names = self.cx.variables.names(&call.sent);
                let bindings = bindings.collect::<Result<Vec<_>>>()?;
                self.service.with_bindings(&call.sent, names, bindings)
            }
        };
        let mut wanted: Vec<VarId> = self.schema.clone();
        wanted.retain(|&v| self.service.outputs.contains(v));
        if wanted.is_empty() {
            // SELECT wants a variable, even where only the number of solutions counts.
            wanted.extend(self.service.outputs.iter().next());
        }
        let pattern = match wanted.is_empty() {
            true => pattern,
            false => GraphPattern::Project {
                inner: Box::new(pattern),
                variables: self.cx.variables.names(&wanted),
            },
        };
        let query = Query::Select {
            dataset: None,
            pattern,
            base_iri: None,
        };
        Ok(query.to_string())
    }

    /// Reads the solutions of an answer.
    fn read(&mut self, endpoint: TermId, reply: &Reply) -> Result<(), AskError> {
        let format = match QueryResultsFormat::from_media_type(&reply.media_type) {
            Some(format @ (QueryResultsFormat::Json | QueryResultsFormat::Xml)) => format,
            _ => {
                return Err(Failure::unanswered(format_args!(
                    "it answers with {:?}, which is neither SPARQL results in JSON nor in XML",
                    reply.media_type
                ))
                .into());
            }
        };
        let unreadable = |e: &dyn std::fmt::Display| {
            Failure::unanswered(format_args!("its answer is damaged: {e}"))
        };
        let parser = QueryResultsParser::from_format(format);
        let SliceQueryResultsParserOutput::Solutions(solutions) =
            parser.for_slice(&reply.body).map_err(|e| unreadable(&e))?
        else {
            return Err(Failure::unanswered("it answers a SELECT with a boolean").into());
        };
        let names = self.cx.variables.names(&self.schema);
        let terms = &self.cx.expressions.terms;
        let mut labels = HashMap::new();
        let mut batch = Batch::empty(self.schema.len());
        let mut row = Vec::new();
        for solution in solutions {
            let solution = solution.map_err(|e| unreadable(&e))?;
            for (&v, name) in self.schema.iter().zip(&names) {
                row.push(match solution.get(name) {
                    _ if self.service.endpoint == Slot::Var(v) => endpoint,
                    Some(term) => terms.from_document_term(term, &mut labels)?,
                    None => TermId::UNBOUND,
                });
            }
            batch.push_row(row.drain(..));
            if batch.rows() == BATCH_ROWS {
                self.cx.control.check()?;
                self.charge.grow(batch.bytes())?;
                let full = std::mem::replace(&mut batch, Batch::empty(self.schema.len()));
                self.ready.push_back(full);
            }
        }
        if !batch.is_empty() {
            self.charge.grow(batch.bytes())?;
            self.ready.push_back(batch);
        }
        Ok(())
    }

    /// What was handed in, as the join of it with the one empty solution.
    fn given_back(&self, call: &Call) -> Batch {
        let column = |v: &VarId| match call.sent.iter().position(|s| s == v) {
            Some(place) => call.rows.column(place).to_vec(),
            None if self.service.endpoint == Slot::Var(*v) => {
                vec![call.endpoint; call.rows.rows()]
            }
            None => vec![TermId::UNBOUND; call.rows.rows()],
        };
        Batch::new(self.schema.iter().map(column).collect(), call.rows.rows())
    }
}

/// The query that waits for an answer, and the answer's bytes.
struct Waiting<'a> {
    cx: &'a ExecContext,
    charge: RefCell<Charge>,
}

impl Watch for Waiting<'_> {
    fn check(&self) -> Result<()> {
        self.cx.control.check()
    }

    fn charge(&self, bytes: usize) -> Result<()> {
        self.charge.borrow_mut().grow(bytes)
    }
}

impl Operator for Service {
    fn next(&mut self) -> Result<Option<Batch>> {
        let mut calls = match self.calls.take() {
            Some(calls) => calls,
            None => self.prepare()?,
        };
        while self.ready.is_empty() {
            self.cx.control.check()?;
            let Some(mut call) = calls.pop_front() else {
                break;
            };
            match self.perform(&mut call) {
                Ok(true) => {}
                Ok(false) => calls.push_front(call),
                Err(AskError::Query(error)) => return Err(error),
                Err(AskError::Service(_)) if self.service.silent => {
                    self.ready = VecDeque::from([self.given_back(&call)]);
                }
                Err(AskError::Service(failure)) => {
                    return Err(failure.into_error("SERVICE", &self.name(call.endpoint)?));
                }
            }
        }
        self.calls = Some(calls);
        Ok(self.ready.pop_front())
    }
}
