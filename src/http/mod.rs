//! SPARQL over HTTP: SPARQL 1.1 Protocol and Graph Store HTTP Protocol on axum and hyper.
//!
//! A request enters through [`exchange`], which names it, finds its resource ([`resources`]), and is the one place
//! where an error becomes a response and a log record. Queries go through [`protocol`] (what is asked) to a thread of
//! the [`pool`], where [`answer`] prepares, negotiates ([`negotiation`]), runs and serializes; bytes come back through
//! an [`outlet`], which holds small answers back, streams long ones and breaks the transfer when an error comes late.
//! Updates and documents for the [`graph_store`] run on threads of their own ([`update`]), the latter by way of an
//! [`upload`]. The async threads only move bytes and never run a query, wait for a lock or write a log; what was asked is
//! written by the [`request_log`], if that is wanted.

mod admin;
mod answer;
mod body;
mod cors;
mod description;
mod encoding;
mod endpoint;
mod entity_tag;
mod error_log;
mod exchange;
mod graph_store;
mod metrics;
mod multipart;
mod negotiation;
mod outlet;
mod pages;
mod pool;
mod problem;
mod protocol;
mod query;
mod request_log;
mod resources;
mod server;
mod update;
mod upload;

pub use server::Server;
