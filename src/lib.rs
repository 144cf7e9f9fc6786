//! Kaluta: an RDF triple store and SPARQL server.
//!
//! It loads RDF into an index on disk, answers SPARQL over HTTP from it, and replays folders of queries against any
//! SPARQL server. It is one package: this library, and a binary that is a thin shell around [`cli`]. It is no framework:
//! nothing here is meant to be swapped out at run time, and there is one way to do each thing.
//!
//! # The ways through the house
//!
//! ```text
//! query   http -> sparql (parse) -> plan (rewrite, order joins, choose operators) -> exec (+ expr) -> results -> http
//! update  http -> sparql -> update (+ plan, exec for WHERE) -> storage: one transaction, publish
//! load    files -> rdf (parse in parallel) -> storage: dictionary, sort, write runs, publish
//! replay  queries/*.rq -> replay (client threads, clocks, statistics) -> report
//! ```
//!
//! A request enters by one door, moves forward only, and leaves at the end. Nothing calls back up.
//!
//! # The rooms, from the bottom up
//!
//! - [`diagnostics`]: errors, lazily captured backtraces, the log. Knows nothing of RDF.
//! - [`term`], [`batch`]: the eight bytes that stand for a term, and columns of them. Everything below the writers of
//!   results works on these numbers.
//! - [`rdf`]: formats, media types and compressed files around the parsers of the `oxrdfio` family.
//! - [`storage`]: dictionary, permutations, blocks, runs, snapshots, statistics, bulk load, transactions, the log, flush and
//!   compaction. Knows no SPARQL.
//! - [`sparql`]: text to algebra around `spargebra`, with limits and errors that point at the place.
//! - [`expr`]: SPARQL expressions and aggregates over batches; the small errors that expressions raise.
//! - [`plan`]: algebra to physical plan. It asks the storage for counts, never for rows.
//! - [`federation`]: which other services a query may ask, and the client that asks them.
//! - [`exec`]: the physical operators, pulled for batches.
//! - [`update`]: SPARQL Update and the writing half of the Graph Store Protocol; one request is one transaction.
//! - [`engine`]: the facade over all of these, and the only door for the two rooms that follow.
//! - [`results`], [`http`]: bytes in every format, and the server.
//! - [`settings`], [`cli`]: defaults < file < environment < flags; one file for each command.
//! - [`sample`]: the deterministic data set that the repository's queries were written for.
//! - [`replay`]: speaks to servers over HTTP alone, so that it measures any of them alike.
//!
//! Who may use whom is checked by a test (`tests/it/tidy.rs`).
//!
//! # Invariants
//!
//! - Two ids of one query are equal exactly when their terms are ([`term::TermId`]).
//! - A store's state is the sum of its runs: for each quad, insertions less deletions are one when it is alive and nothing
//!   otherwise, so counts of ranges add up, and neighbouring runs can be summed into one.
//! - A checksum that fails is an error that names file and offset, never a wrong answer.
//! - An error carries a backtrace only when the log will print it; it is captured once and logged once.
//! - `Err` from an operator ends the query; an expression error is the unbound id and one count, never an `Err`.
//! - A query runs on one thread of its own pool; async threads never run queries.
//! - Operators are asked once per batch whether the query is still wanted; memory that grows with the data is charged
//!   to the query.
//!
//! # Where this differs from the first design
//!
//! - A run of one single graph stores six orders, not eight: those that begin with the graph are the same rows.
//! - Instead of a multiway join there is the seeded join: it hands the distinct bindings of one side down into the other
//!   side's plan, whatever that is, and serves OPTIONAL, EXISTS, MINUS, sub-queries, paths and LATERAL alike.

pub mod batch;
pub mod cli;
pub mod diagnostics;
pub mod engine;
pub mod exec;
pub mod expr;
pub mod federation;
pub mod http;
pub mod plan;
pub mod rdf;
pub mod replay;
pub mod results;
pub mod sample;
pub mod settings;
pub mod sparql;
pub mod storage;
pub mod term;
pub mod update;
