//! The data set of a query: which graphs are its default graph, and which are named.
//!
//! SPARQL 1.1 Query, section 13; SPARQL 1.1 Protocol, section 2.1.4: graphs given with the request win over the query's.

use super::logical::GraphScope;
use crate::diagnostics::Result;
use crate::expr::QueryTerms;
use crate::term::{TermId, TermView};
use spargebra::algebra::QueryDataset;
use std::sync::Arc;

/// The graphs that a query sees.
#[derive(Clone, Debug)]
pub struct Dataset {
    /// What patterns outside GRAPH are matched against.
    pub default: GraphScope,
    /// What GRAPH can name; `None` is every named graph of the store.
    pub named: Option<Arc<[TermId]>>,
}

impl Dataset {
    /// The graphs of a request's parameters, else those of the query's FROM clauses, else those of the store, with
    /// `otherwise` as the default graph.
    ///
    /// # Errors
    /// Reading the dictionary failed.
    pub fn resolve(
        request_default: &[String],
        request_named: &[String],
        query: Option<&QueryDataset>,
        otherwise: GraphScope,
        terms: &QueryTerms,
    ) -> Result<Self> {
        if !request_default.is_empty() || !request_named.is_empty() {
            return Self::explicit(request_default, request_named, terms);
        }
        let Some(dataset) = query else {
            return Ok(Self {
                default: otherwise,
                named: None,
            });
        };
        let names = |list: &[oxrdf::NamedNode]| -> Vec<String> {
            list.iter().map(|n| n.as_str().to_owned()).collect()
        };
        let named = dataset.named.as_deref().map(names);
        let explicit = Self::explicit(
            &names(&dataset.default),
            named.as_deref().unwrap_or_default(),
            terms,
        )?;
        Ok(Self {
            // WITH names a default graph and leaves all named graphs where they are.
            named: explicit.named.filter(|_| named.is_some()),
            ..explicit
        })
    }

    fn explicit(default: &[String], named: &[String], terms: &QueryTerms) -> Result<Self> {
        let default = intern(default, terms)?;
        Ok(Self {
            default: match *default {
                [graph] => GraphScope::One(graph),
                _ => GraphScope::Merge(default),
            },
            named: Some(intern(named, terms)?),
        })
    }
}

fn intern(names: &[String], terms: &QueryTerms) -> Result<Arc<[TermId]>> {
    let mut ids = names
        .iter()
        .map(|name| terms.intern(&TermView::Iri(name)))
        .collect::<Result<Vec<_>>>()?;
    ids.sort_unstable();
    ids.dedup();
    Ok(ids.into())
}
