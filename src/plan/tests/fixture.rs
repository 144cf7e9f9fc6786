//! A small store, and plans of queries over it as text.

use crate::expr::QueryTerms;
use crate::plan::convert::Converter;
use crate::plan::logical::Logical;
use crate::plan::{
    Dataset, Explanation, GraphScope, Options, PlannedQuery, VarSet, Variables, plan,
};
use crate::storage::{LoadOptions, LoadSource, Snapshot, Store};
use crate::term::{TermId, TermStore};
use oxrdf::Variable;
use oxrdfio::RdfFormat;
use spargebra::algebra::GraphPattern;
use spargebra::{Query, SparqlParser};
use std::sync::Arc;
use tempfile::TempDir;

/// The data that plans are made for.
pub struct Data {
    snapshot: Arc<Snapshot>,
    terms: QueryTerms,
    dataset: Dataset,
    _folder: TempDir,
}

impl Data {
    pub fn new(trig: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        let text = format!("PREFIX : <http://e/> {trig}").into_bytes();
        let source = LoadSource::bytes("test", text, RdfFormat::TriG);
        store
            .bulk_load(vec![source], &LoadOptions::default(), &())
            .unwrap();
        let snapshot = store.snapshot();
        Self {
            terms: QueryTerms::new(Arc::clone(&snapshot) as Arc<dyn TermStore>),
            snapshot,
            dataset: Dataset {
                default: GraphScope::One(TermId::DEFAULT_GRAPH),
                named: None,
            },
            _folder: folder,
        }
    }

    /// A thousand people with names and ages, a few of whom know each other, and ten towns to live in.
    pub fn people() -> Self {
        let mut text = String::new();
        for n in 0..1_000 {
            text += &format!(
                ":n{n} :name \"{n}\" ; :age {} ; :town :t{} .\n",
                n % 90,
                n % 10
            );
            if n % 50 == 0 {
                text += &format!(
                    ":n{n} :knows :n{} , :n{} .\n",
                    (n + 7) % 1_000,
                    (n + 8) % 1_000
                );
            }
        }
        (0..10).for_each(|t| text += &format!(":t{t} :label \"Town {t}\" .\n"));
        Self::new(&text)
    }

    pub fn plan(&self, query: &str) -> PlannedQuery {
        let (pattern, _) = parse(query);
        let wanted = match &pattern {
            GraphPattern::Project { variables, .. } => Some(variables.clone()),
            _ => None,
        };
        plan(
            &pattern,
            wanted.as_deref(),
            &self.dataset,
            &self.terms,
            &self.snapshot,
            Options::default(),
        )
        .unwrap()
    }

    /// The plan of a query as indented text, without estimates.
    pub fn explain(&self, query: &str) -> String {
        let planned = self.plan(query);
        let term = |id: TermId| {
            self.terms
                .to_term(id)
                .unwrap()
                .to_string()
                .replace("http://e/", "")
        };
        let explanation = Explanation::new(&planned.plan, &planned.variables, &[], &term);
        let lines = explanation.to_string();
        let lines = lines
            .lines()
            .map(|line| line.split("  [about").next().unwrap_or(line));
        lines.collect::<Vec<_>>().join("\n")
    }

    /// The group pattern of a query in the logical algebra, its projection taken off.
    pub fn group(&self, body: &str) -> (Logical, Variables) {
        let mut variables = Variables::default();
        let (pattern, _) = parse(&format!("SELECT * {{ {body} }}"));
        let logical = Converter {
            variables: &mut variables,
            terms: &self.terms,
            dataset: &self.dataset,
            snapshot: &self.snapshot,
        }
        .convert(&pattern)
        .unwrap();
        match logical {
            Logical::Project(group, _) => (*group, variables),
            other => (other, variables),
        }
    }
}

fn parse(query: &str) -> (GraphPattern, String) {
    let text = format!("PREFIX : <http://e/> {query}");
    match SparqlParser::new().parse_query(&text).unwrap() {
        Query::Select { pattern, .. } => (pattern, text),
        _ => panic!("the tests of plans ask for solutions"),
    }
}

/// The named variables of a set, as text.
pub fn names(set: &VarSet, variables: &Variables) -> String {
    let named = set.iter().filter(|&v| variables.is_named(v));
    let mut names: Vec<&str> = named.map(|v| variables.name(v).as_str()).collect();
    names.sort_unstable();
    names.join(" ")
}

/// A set of variables that are named in text.
pub fn set(names: &str, variables: &mut Variables) -> VarSet {
    let names = names.split_whitespace();
    names
        .map(|name| variables.id(&Variable::new_unchecked(name)))
        .collect()
}
