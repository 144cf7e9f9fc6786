//! Queries as trees that print as SPARQL, so that parts can be taken away.

use std::fmt;

/// A query of any form.
#[derive(Clone, Debug)]
pub struct Query {
    pub form: Form,
    /// `FROM` and `FROM NAMED` clauses.
    pub dataset: Vec<String>,
    pub body: Group,
    pub group_by: Vec<String>,
    pub having: Option<String>,
    pub order_by: Vec<SortKey>,
    pub offset: Option<usize>,
    pub limit: Option<usize>,
}

/// What comes before the body.
#[derive(Clone, Debug)]
pub enum Form {
    /// A modifier (DISTINCT, REDUCED or nothing) and what is projected: variables, or `(expression AS ?v)`.
    Select(&'static str, Vec<String>),
    Ask,
    /// The triples of the template.
    Construct(Vec<String>),
}

/// A sort key: a projected variable.
#[derive(Clone, Debug)]
pub struct SortKey {
    pub variable: String,
    pub is_descending: bool,
}

/// A group graph pattern.
pub type Group = Vec<Element>;

/// An element of a group.
#[derive(Clone, Debug)]
pub enum Element {
    /// A triple or path pattern, FILTER, BIND or VALUES, as text.
    Plain(String),
    /// OPTIONAL, MINUS, GRAPH, FILTER EXISTS or nothing, and a group.
    Nested(String, Group),
    Union(Vec<Group>),
    Sub(Box<Query>),
}

impl Query {
    /// Asks for all solutions of a body.
    pub fn new(form: Form, body: Group) -> Self {
        Self {
            form,
            dataset: Vec::new(),
            body,
            group_by: Vec::new(),
            having: None,
            order_by: Vec::new(),
            offset: None,
            limit: None,
        }
    }

    /// The query without one of its parts, for each part in turn, large ones first.
    pub fn reductions(&self) -> Vec<Self> {
        let mut reduced = Vec::new();
        let mut with = |change: &dyn Fn(&mut Self)| {
            let mut query = self.clone();
            change(&mut query);
            reduced.push(query);
        };
        for body in reduced_groups(&self.body) {
            with(&|q| q.body = body.clone());
        }
        if self.limit.is_some() || self.offset.is_some() {
            with(&|q| (q.limit, q.offset) = (None, None));
        }
        if !self.order_by.is_empty() {
            with(&|q| drop(q.order_by.pop()));
        }
        if self.having.is_some() {
            with(&|q| q.having = None);
        }
        if !self.dataset.is_empty() {
            with(&|q| q.dataset.clear());
        }
        if let Form::Select(modifier, columns) = &self.form {
            if !modifier.is_empty() {
                with(&|q| q.form = Form::Select("", columns.clone()));
            }
            for i in 0..columns.len() {
                let is_key = self
                    .order_by
                    .iter()
                    .any(|k| columns[i].contains(&k.variable));
                if columns.len() > 1 && !is_key {
                    let mut fewer = columns.clone();
                    fewer.remove(i);
                    with(&|q| q.form = Form::Select(modifier, fewer.clone()));
                }
            }
        }
        reduced
    }
}

/// The group with one element less, or with one element reduced.
fn reduced_groups(group: &Group) -> Vec<Group> {
    let mut reduced = Vec::new();
    for i in 0..group.len() {
        let mut fewer = group.clone();
        fewer.remove(i);
        reduced.push(fewer);
    }
    for (i, element) in group.iter().enumerate() {
        for element in reduced_elements(element) {
            let mut other = group.clone();
            other[i] = element;
            reduced.push(other);
        }
    }
    reduced
}

fn reduced_elements(element: &Element) -> Vec<Element> {
    match element {
        Element::Plain(_) => Vec::new(),
        Element::Nested(keyword, group) => reduced_groups(group)
            .into_iter()
            .map(|g| Element::Nested(keyword.clone(), g))
            .collect(),
        Element::Union(branches) => {
            let mut reduced: Vec<_> = branches
                .iter()
                .map(|b| Element::Nested(String::new(), b.clone()))
                .collect();
            for (i, branch) in branches.iter().enumerate() {
                for group in reduced_groups(branch) {
                    let mut other = branches.clone();
                    other[i] = group;
                    reduced.push(Element::Union(other));
                }
            }
            reduced
        }
        Element::Sub(query) => query
            .reductions()
            .into_iter()
            .map(|q| Element::Sub(Box::new(q)))
            .collect(),
    }
}

impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.form {
            Form::Select(modifier, columns) => {
                write!(f, "SELECT {modifier} {}", columns.join(" "))?
            }
            Form::Ask => f.write_str("ASK")?,
            Form::Construct(template) => write!(f, "CONSTRUCT {{ {} }}", template.join(" . "))?,
        }
        for clause in &self.dataset {
            write!(f, " {clause}")?;
        }
        f.write_str(" WHERE ")?;
        write_group(f, &self.body)?;
        if !self.group_by.is_empty() {
            write!(f, " GROUP BY {}", self.group_by.join(" "))?;
        }
        if let Some(condition) = &self.having {
            write!(f, " HAVING ({condition})")?;
        }
        if !self.order_by.is_empty() {
            f.write_str(" ORDER BY")?;
        }
        for key in &self.order_by {
            write!(
                f,
                " {}({})",
                if key.is_descending { "DESC" } else { "ASC" },
                key.variable
            )?;
        }
        if let Some(limit) = self.limit {
            write!(f, " LIMIT {limit}")?;
        }
        if let Some(offset) = self.offset {
            write!(f, " OFFSET {offset}")?;
        }
        Ok(())
    }
}

fn write_group(f: &mut fmt::Formatter<'_>, group: &Group) -> fmt::Result {
    f.write_str("{ ")?;
    for element in group {
        match element {
            Element::Plain(text) => write!(f, "{text} ")?,
            Element::Nested(keyword, group) => {
                write!(f, "{keyword} ")?;
                write_group(f, group)?;
            }
            Element::Union(branches) => {
                for (i, branch) in branches.iter().enumerate() {
                    f.write_str(if i > 0 { "UNION " } else { "" })?;
                    write_group(f, branch)?;
                }
            }
            Element::Sub(query) => write!(f, "{{ {query} }} ")?,
        }
    }
    f.write_str("} ")
}
