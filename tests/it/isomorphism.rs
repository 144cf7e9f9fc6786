//! Whether two answers are the same up to the names of blank nodes.
//!
//! Rows stand for solutions and for triples alike. Blank nodes get colours from the rows that they stand in, refined until
//! nothing changes; rows are then paired by search, which colours keep short.

use crate::store::Row;
use libtest_mimic::Trial;
use oxrdf::{BlankNode, Literal, NamedOrBlankNode, Term, Triple};
use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};

/// The steps after which the search gives up; real answers need about one a row.
const STEPS_MAX: usize = 1_000_000;

/// Whether the rows are the same multiset, under one bijection of blank nodes.
pub fn is_same_multiset(left: &[Row], right: &[Row]) -> bool {
    left.len() == right.len() && {
        let (left, right) = (normalize(left), normalize(right));
        let groups = (by_colour(&left), by_colour(&right));
        let sizes =
            |g: &BTreeMap<u64, Vec<&Row>>| g.iter().map(|(c, r)| (*c, r.len())).collect::<Vec<_>>();
        sizes(&groups.0) == sizes(&groups.1) && pair_groups(groups.0, &groups.1)
    }
}

/// Whether the rows are the same sequence, under one bijection of blank nodes.
pub fn is_same_sequence(left: &[Row], right: &[Row]) -> bool {
    let (left, right) = (normalize(left), normalize(right));
    let mut bijection = Bijection::default();
    left.len() == right.len()
        && left
            .iter()
            .zip(&right)
            .all(|(l, r)| bijection.extend_rows(l, r))
}

/// Language tags are equal in whatever case (RDF 1.1 Concepts, section 3.3).
fn normalize(rows: &[Row]) -> Vec<Row> {
    let row = |row: &Row| row.iter().map(|t| t.as_ref().map(normalize_term)).collect();
    rows.iter().map(row).collect()
}

fn normalize_term(term: &Term) -> Term {
    match term {
        Term::Literal(literal) => match (literal.language(), literal.direction()) {
            (Some(language), None) => Literal::new_language_tagged_literal_unchecked(
                literal.value(),
                language.to_ascii_lowercase(),
            )
            .into(),
            _ => term.clone(),
        },
        Term::Triple(triple) => Triple::new(
            triple.subject.clone(),
            triple.predicate.clone(),
            normalize_term(&triple.object),
        )
        .into(),
        _ => term.clone(),
    }
}

/// Every blank node of a term, in order.
fn blank_nodes<'t>(term: &'t Term, found: &mut Vec<&'t BlankNode>) {
    match term {
        Term::BlankNode(node) => found.push(node),
        Term::Triple(triple) => {
            if let NamedOrBlankNode::BlankNode(node) = &triple.subject {
                found.push(node);
            }
            blank_nodes(&triple.object, found);
        }
        _ => {}
    }
}

fn row_blank_nodes(row: &Row) -> Vec<&BlankNode> {
    let mut found = Vec::new();
    for term in row.iter().flatten() {
        blank_nodes(term, &mut found);
    }
    found
}

type Colours<'t> = HashMap<&'t BlankNode, u64>;

/// A hash of a row in which blank nodes count by colour, and `own` by a mark.
fn hash_row(row: &Row, colours: &Colours<'_>, own: Option<&BlankNode>) -> u64 {
    let mut hasher = DefaultHasher::new();
    for value in row {
        match value {
            Some(term) => hash_term(term, colours, own, &mut hasher),
            None => 0u8.hash(&mut hasher),
        }
    }
    hasher.finish()
}

fn hash_term(
    term: &Term,
    colours: &Colours<'_>,
    own: Option<&BlankNode>,
    hasher: &mut DefaultHasher,
) {
    match term {
        Term::BlankNode(node) => hash_node(node, colours, own, hasher),
        Term::Triple(triple) => {
            match &triple.subject {
                NamedOrBlankNode::BlankNode(node) => hash_node(node, colours, own, hasher),
                NamedOrBlankNode::NamedNode(node) => node.hash(hasher),
            }
            triple.predicate.hash(hasher);
            hash_term(&triple.object, colours, own, hasher);
        }
        _ => term.hash(hasher),
    }
}

fn hash_node(
    node: &BlankNode,
    colours: &Colours<'_>,
    own: Option<&BlankNode>,
    hasher: &mut DefaultHasher,
) {
    let colour = if own == Some(node) { 1 } else { colours[node] };
    (2u8, colour).hash(hasher);
}

fn colour(rows: &[Row]) -> Colours<'_> {
    let nodes_of: Vec<_> = rows.iter().map(row_blank_nodes).collect();
    let mut colours: Colours<'_> = nodes_of.iter().flatten().map(|n| (*n, 0)).collect();
    let mut kinds = 0;
    for _ in 0..colours.len() {
        let mut next: Colours<'_> = colours.keys().map(|n| (*n, 0)).collect();
        for (row, nodes) in rows.iter().zip(&nodes_of) {
            for node in nodes {
                let share = hash_row(row, &colours, Some(node));
                if let Some(sum) = next.get_mut(node) {
                    *sum = sum.wrapping_add(share);
                }
            }
        }
        colours = next;
        let mut distinct: Vec<_> = colours.values().collect();
        distinct.sort_unstable();
        distinct.dedup();
        if distinct.len() == std::mem::replace(&mut kinds, distinct.len()) {
            break;
        }
    }
    colours
}

fn by_colour(rows: &[Row]) -> BTreeMap<u64, Vec<&Row>> {
    let colours = colour(rows);
    let mut groups: BTreeMap<u64, Vec<&Row>> = BTreeMap::new();
    for row in rows {
        groups
            .entry(hash_row(row, &colours, None))
            .or_default()
            .push(row);
    }
    groups
}

/// A mapping of blank nodes that is one to one.
#[derive(Clone, Default)]
struct Bijection<'t> {
    to_right: HashMap<&'t BlankNode, &'t BlankNode>,
    to_left: HashMap<&'t BlankNode, &'t BlankNode>,
}

impl<'t> Bijection<'t> {
    fn extend_rows(&mut self, left: &'t Row, right: &'t Row) -> bool {
        left.len() == right.len()
            && left.iter().zip(right).all(|pair| match pair {
                (None, None) => true,
                (Some(l), Some(r)) => self.extend(l, r),
                _ => false,
            })
    }

    fn extend(&mut self, left: &'t Term, right: &'t Term) -> bool {
        match (left, right) {
            (Term::BlankNode(l), Term::BlankNode(r)) => self.extend_nodes(l, r),
            (Term::Triple(l), Term::Triple(r)) => {
                let is_subject_same = match (&l.subject, &r.subject) {
                    (NamedOrBlankNode::BlankNode(l), NamedOrBlankNode::BlankNode(r)) => {
                        self.extend_nodes(l, r)
                    }
                    (l, r) => l == r,
                };
                is_subject_same && l.predicate == r.predicate && self.extend(&l.object, &r.object)
            }
            _ => left == right,
        }
    }

    fn extend_nodes(&mut self, left: &'t BlankNode, right: &'t BlankNode) -> bool {
        *self.to_right.entry(left).or_insert(right) == right
            && *self.to_left.entry(right).or_insert(left) == left
    }
}

/// Pairs the rows of equal colours, those with the fewest choices first.
fn pair_groups<'t>(left: BTreeMap<u64, Vec<&'t Row>>, right: &BTreeMap<u64, Vec<&'t Row>>) -> bool {
    let mut groups: Vec<_> = left
        .into_iter()
        .map(|(colour, rows)| (rows, right[&colour].clone()))
        .collect();
    groups.sort_by_key(|(rows, _)| rows.len());
    let (mut rows, mut choices) = (Vec::new(), Vec::new());
    for (group, (lefts, rights)) in groups.into_iter().enumerate() {
        rows.extend(lefts.into_iter().map(|row| (row, group)));
        choices.push(rights);
    }
    let mut search = Search { choices, steps: 0 };
    search.pair(&rows, &Bijection::default())
}

struct Search<'t> {
    choices: Vec<Vec<&'t Row>>,
    steps: usize,
}

impl<'t> Search<'t> {
    fn pair(&mut self, rows: &[(&'t Row, usize)], bijection: &Bijection<'t>) -> bool {
        let mut bijection = bijection.clone();
        for (place, (row, group)) in rows.iter().enumerate() {
            self.steps += 1;
            assert!(
                self.steps < STEPS_MAX,
                "the search for a bijection of blank nodes took too long"
            );
            // Without a choice there is nothing to come back to.
            let is_forced = row_blank_nodes(row)
                .iter()
                .all(|n| bijection.to_right.contains_key(n));
            if !is_forced && self.choices[*group].len() > 1 {
                return self.try_each(&rows[place..], &bijection);
            }
            let fits = |r: &&Row| bijection.clone().extend_rows(row, r);
            let Some(i) = self.choices[*group].iter().position(fits) else {
                return false;
            };
            let partner = self.choices[*group].swap_remove(i);
            bijection.extend_rows(row, partner);
        }
        true
    }

    fn try_each(&mut self, rows: &[(&'t Row, usize)], bijection: &Bijection<'t>) -> bool {
        let (row, group) = rows[0];
        for i in 0..self.choices[group].len() {
            let mut extended = bijection.clone();
            if !extended.extend_rows(row, self.choices[group][i]) {
                continue;
            }
            let before = self.choices.clone();
            self.choices[group].swap_remove(i);
            if self.pair(&rows[1..], &extended) {
                return true;
            }
            self.choices = before;
        }
        false
    }
}

/// Trials of the comparison itself: what it must tell apart, and what it must not.
pub fn trials() -> Vec<Trial> {
    let cases: [(&str, &str, &str, bool); 9] = [
        ("labels_do_not_matter", "_:a 1;_:b 2", "_:x 2;_:y 1", true),
        ("values_do", "_:a 1;_:b 2", "_:x 1;_:y 3", false),
        ("one_node_is_not_two", "_:a 1;_:a 2", "_:x 1;_:y 2", false),
        ("two_nodes_are_not_one", "_:a 1;_:b 2", "_:x 1;_:x 2", false),
        ("duplicates_count", "1 1;1 1", "1 1", false),
        (
            "duplicates_with_nodes_count",
            "_:a 1;_:a 1;_:b 1",
            "_:a 1;_:b 1;_:b 1",
            true,
        ),
        (
            "cycles_of_other_length_differ",
            "_:a _:b;_:b _:c;_:c _:a;_:d _:e;_:e _:f;_:f _:d",
            "_:a _:b;_:b _:c;_:c _:d;_:d _:e;_:e _:f;_:f _:a",
            false,
        ),
        (
            "cycles_of_one_length_are_the_same",
            "_:a _:b;_:b _:c;_:c _:a",
            "_:z _:y;_:y _:x;_:x _:z",
            true,
        ),
        ("unbound_is_no_value", "- 1", "1 -", false),
    ];
    let trial = |(name, left, right, is_same): (&str, &'static str, &'static str, bool)| {
        Trial::test(format!("isomorphism::{name}"), move || {
            let outcome = is_same_multiset(&rows(left), &rows(right));
            if outcome == is_same {
                Ok(())
            } else {
                Err(format!("{left} against {right}: {outcome}").into())
            }
        })
    };
    cases.into_iter().map(trial).collect()
}

/// Rows apart by semicolons, values by blanks.
fn rows(text: &str) -> Vec<Row> {
    let value = |word: &str| match word.strip_prefix("_:") {
        Some(label) => Some(BlankNode::new_unchecked(label).into()),
        None => (word != "-").then(|| Literal::from(word).into()),
    };
    text.split(';')
        .map(|row| row.split(' ').map(value).collect())
        .collect()
}
