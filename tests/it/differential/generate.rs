//! Random queries over the whole algebra.
//!
//! Left out of the queries for both engines is what the independent engine answers wrongly, so that every difference counts: `a|b` and `!(a|^b)` outside
//! a closure (it drops duplicates), a default graph merged of several (it repeats what
//! they share), paths of length zero from a constant (it wants the constant in the data), and inside
//! `GRAPH ?g` all but triple patterns without `?g` (it lets the inside see `?g`), and `COUNT(DISTINCT *)` (it counts blank
//! nodes of patterns as variables).
//!
//! A few differences in ten thousand queries remain that are the other engine's: it takes it that the subject of a path of
//! length zero is no literal, lets EXISTS in a nested group see the rows outside, and loses duplicates of a negated
//! property set where both ends are bound already (though not where they are free).

use super::data::{GRAPHS, LITERALS, NAMED_NODES, NODES, PREDICATES, is_literal_predicate};
use super::expressions::{condition, number, value};
use super::query::{Element, Form, Group, Query, SortKey};
use super::random::Random;

/// The variables of patterns; few, so that patterns share them. The last two stand for literals, mostly.
const VARIABLES: [&str; 5] = ["?a", "?b", "?c", "?d", "?e"];
const NODE_VARIABLES: usize = 3;

/// Which queries are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Breadth {
    /// Those that the independent engine answers as the standard does.
    Common,
    /// All, with LATERAL.
    Whole,
}

/// A random query.
pub fn generate(random: &mut Random, breadth: Breadth) -> Query {
    let mut generator = Generator {
        random,
        is_whole: breadth == Breadth::Whole,
        defined: 0,
    };
    generator.query()
}

struct Generator<'r> {
    random: &'r mut Random,
    is_whole: bool,
    /// How many variables BIND, VALUES and AS have defined; each gets a name of its own.
    defined: usize,
}

impl Generator<'_> {
    fn query(&mut self) -> Query {
        let depth = self.random.between(1, 3);
        let body = self.group(depth);
        let mut query = match self.random.weighted(&[55, 22, 10, 13]) {
            0 => self.select(body),
            1 => self.aggregate(body),
            2 => return Query::new(Form::Ask, body),
            _ => {
                let template = (0..self.random.between(1, 3))
                    .map(|_| self.template_triple())
                    .collect();
                return Query::new(Form::Construct(template), body);
            }
        };
        if self.random.chance(8) {
            query.dataset = self.dataset();
        }
        if self.random.chance(40) {
            self.sort(&mut query);
        }
        if self.random.chance(20) {
            query.limit = Some(self.random.between(0, 10));
            query.offset = self.random.chance(40).then(|| self.random.between(0, 5));
        }
        query
    }

    fn select(&mut self, body: Group) -> Query {
        let modifier = *self.random.pick(&["", "", "", "DISTINCT"]);
        let mut columns: Vec<String> = VARIABLES.iter().map(|v| (*v).to_owned()).collect();
        if self.random.chance(30) {
            columns.truncate(self.random.between(1, 4));
        }
        if self.random.chance(25) {
            let expression = value(self.random, &columns, 2);
            let name = self.fresh();
            columns.push(format!("({expression} AS {name})"));
        }
        Query::new(Form::Select(modifier, columns), body)
    }

    fn aggregate(&mut self, body: Group) -> Query {
        let keys: Vec<String> = VARIABLES[..self.random.between(0, 2)]
            .iter()
            .map(|v| (*v).to_owned())
            .collect();
        let mut columns = keys.clone();
        for _ in 0..self.random.between(1, 2) {
            let (expression, name) = (self.aggregate_expression(), self.fresh());
            columns.push(format!("({expression} AS {name})"));
        }
        let mut query = Query::new(Form::Select("", columns), body);
        query.group_by = keys;
        if self.random.chance(20) {
            query.having = Some(format!("COUNT(*) > {}", self.random.between(0, 3)));
        }
        query
    }

    /// Aggregates whose value does not depend on the order of rows, nor on how unlike terms compare.
    fn aggregate_expression(&mut self) -> String {
        let distinct = if self.random.chance(35) {
            "DISTINCT "
        } else {
            ""
        };
        let variable = *self.random.pick(&VARIABLES);
        match self.random.weighted(&[20, 25, 20, 10, 15, 10]) {
            0 if self.is_whole => format!("COUNT({distinct}*)"),
            0 => "COUNT(*)".to_owned(),
            1 => format!("COUNT({distinct}{variable})"),
            2 => format!("SUM({distinct}{})", number(self.random, &variables(), 1)),
            3 => format!("FLOOR(AVG({distinct}{variable}))"),
            4 => format!(
                "{}(COALESCE(STR({variable}), \"\"))",
                self.random.pick(&["MIN", "MAX"])
            ),
            _ => format!("STRLEN(GROUP_CONCAT({distinct}STR({variable}); SEPARATOR=\"\"))"),
        }
    }

    fn dataset(&mut self) -> Vec<String> {
        let mut clauses = Vec::new();
        for kind in ["", "NAMED "] {
            // The default graph of common queries is never merged of two.
            let is_one = kind.is_empty() && !self.is_whole;
            let graphs = match self.random.between(usize::from(is_one), 3) {
                0 => &GRAPHS[..],
                1 => &GRAPHS[..1],
                2 => &GRAPHS[1..],
                _ => &[],
            };
            clauses.extend(graphs.iter().map(|graph| format!("FROM {kind}{graph}")));
        }
        clauses
    }

    /// Sorts by projected variables, so that the order can be checked in the answer.
    fn sort(&mut self, query: &mut Query) {
        let Form::Select(_, columns) = &query.form else {
            return;
        };
        for column in columns.iter().take(self.random.between(1, 2)) {
            let name = column
                .rsplit(' ')
                .next()
                .unwrap_or(column)
                .trim_end_matches(')');
            query.order_by.push(SortKey {
                variable: name.to_owned(),
                is_descending: self.random.chance(40),
            });
        }
    }

    fn group(&mut self, depth: usize) -> Group {
        let mut group = Group::new();
        for _ in 0..1 + self.random.weighted(&[50, 38, 12]) {
            group.push(Element::Plain(self.pattern()));
        }
        for _ in 0..self.random.weighted(&[25, 50, 25]) {
            let element = self.element(depth);
            let place = self.random.between(0, group.len());
            group.insert(place, element);
        }
        group
    }

    fn element(&mut self, depth: usize) -> Element {
        let kind = if depth == 0 {
            self.random.weighted(&[50, 30, 20])
        } else {
            let lateral = if self.is_whole { 5 } else { 0 };
            self.random
                .weighted(&[22, 9, 8, 17, 12, 8, 7, 8, 6, 7, 4, lateral])
        };
        match kind {
            0 => Element::Plain(format!(
                "FILTER({})",
                condition(self.random, &variables(), 2)
            )),
            1 => {
                let (expression, name) = (value(self.random, &variables(), 2), self.fresh());
                Element::Plain(format!("BIND({expression} AS {name})"))
            }
            2 => Element::Plain(self.values()),
            3 => Element::Nested("OPTIONAL".into(), self.group(depth - 1)),
            4 => {
                let branches = self.random.between(2, 3);
                Element::Union((0..branches).map(|_| self.group(depth - 1)).collect())
            }
            5 => Element::Nested("MINUS".into(), self.group(depth - 1)),
            6 => self.graph(depth),
            7 => {
                let not = *self.random.pick(&["", "NOT "]);
                let group = match self.is_whole {
                    true => self.group(depth - 1),
                    false => self.exists_group(),
                };
                Element::Nested(format!("FILTER {not}EXISTS"), group)
            }
            8 => Element::Nested(String::new(), self.group(depth - 1)),
            9 => Element::Sub(Box::new(self.sub_select(depth))),
            11 => Element::Nested("LATERAL".into(), self.group(depth - 1)),
            _ => Element::Plain(self.path()),
        }
    }

    fn graph(&mut self, depth: usize) -> Element {
        if self.random.chance(50) {
            let name = *self.random.pick(&[":g1", ":g2", ":g3"]);
            return Element::Nested(format!("GRAPH {name}"), self.group(depth - 1));
        }
        if self.is_whole {
            let name = *self.random.pick(&["?g", "?g", "?a"]);
            return Element::Nested(format!("GRAPH {name}"), self.group(depth - 1));
        }
        let patterns = self.random.between(1, 2);
        let group = (0..patterns)
            .map(|_| Element::Plain(self.pattern()))
            .collect();
        Element::Nested("GRAPH ?g".into(), group)
    }

    /// Triple patterns and filters: what EXISTS means for the rest is under discussion.
    fn exists_group(&mut self) -> Group {
        let mut group: Group = vec![Element::Plain(self.triple())];
        if self.random.chance(40) {
            group.push(Element::Plain(self.triple()));
        }
        if self.random.chance(40) {
            group.push(Element::Plain(format!(
                "FILTER({})",
                condition(self.random, &variables(), 1)
            )));
        }
        group
    }

    fn sub_select(&mut self, depth: usize) -> Query {
        let body = self.group(depth - 1);
        if self.random.chance(50) {
            self.aggregate(body)
        } else {
            self.select(body)
        }
    }

    fn values(&mut self) -> String {
        let term = |g: &mut Self| match g.random.weighted(&[45, 35, 20]) {
            0 => g.random.pick(&NODES[..NAMED_NODES]).to_string(),
            1 => g.random.pick(&LITERALS).to_string(),
            _ => "UNDEF".to_owned(),
        };
        let names = [
            *self.random.pick(&VARIABLES[..2]),
            *self.random.pick(&VARIABLES[2..]),
        ];
        let rows: Vec<_> = (0..self.random.between(0, 3))
            .map(|_| format!("({} {})", term(self), term(self)))
            .collect();
        format!(
            "VALUES ({} {}) {{ {} }}",
            names[0],
            names[1],
            rows.join(" ")
        )
    }

    fn pattern(&mut self) -> String {
        if self.random.chance(10) {
            return self.path();
        }
        self.triple()
    }

    fn triple(&mut self) -> String {
        let subject = self.node();
        if self.random.chance(10) {
            return format!(
                "{subject} {} {} .",
                self.any_variable(),
                self.any_variable()
            );
        }
        let predicate = *self.random.pick(&PREDICATES);
        let has_literal = is_literal_predicate(predicate) != self.random.chance(6);
        let object = match (self.random.weighted(&[80, 9, 5, 6]), has_literal) {
            (0, true) => self.random.pick(&VARIABLES[NODE_VARIABLES..]).to_string(),
            (0, false) => self.node_variable(),
            (1, true) => self.random.pick(&LITERALS).to_string(),
            (1, false) => self.random.pick(&NODES[..NAMED_NODES]).to_string(),
            (2, _) => "[]".to_owned(),
            _ => self.any_variable(),
        };
        format!("{subject} {predicate} {object} .")
    }

    fn path(&mut self) -> String {
        let (subject, object) = match self.is_whole {
            true => (self.node(), self.node()),
            false => (self.node_variable(), self.node_variable()),
        };
        let depth = self.random.between(1, 2);
        let path = self.path_expression(depth, self.is_whole);
        format!("{subject} {path} {object} .")
    }

    /// Alternatives of common queries only inside a closure.
    fn path_expression(&mut self, depth: usize, in_closure: bool) -> String {
        let predicate = *self.random.pick(&PREDICATES[..3]);
        if depth == 0 {
            return predicate.to_owned();
        }
        match self
            .random
            .weighted(&[25, 15, 30, 12, if in_closure { 20 } else { 0 }])
        {
            0 => {
                let (a, b) = (
                    self.path_expression(depth - 1, in_closure),
                    self.path_expression(depth - 1, in_closure),
                );
                format!("({a}/{b})")
            }
            1 => format!("^({})", self.path_expression(depth - 1, in_closure)),
            2 => {
                let inner = self.path_expression(depth - 1, true);
                format!("({inner}){}", self.random.pick(&["*", "+", "?"]))
            }
            3 => {
                let other = *self.random.pick(&PREDICATES);
                match self
                    .random
                    .weighted(&[60, 25, if in_closure { 15 } else { 0 }])
                {
                    0 => format!("!({predicate}|{other})"),
                    1 => format!("!(^{predicate}|^{other})"),
                    _ => format!("!({predicate}|^{other})"),
                }
            }
            _ => {
                let (a, b) = (
                    self.path_expression(depth - 1, true),
                    self.path_expression(depth - 1, true),
                );
                format!("({a}|{b})")
            }
        }
    }

    fn template_triple(&mut self) -> String {
        let subject = if self.random.chance(15) {
            "_:n".to_owned()
        } else {
            self.any_variable()
        };
        let predicate = if self.random.chance(15) {
            self.any_variable()
        } else {
            self.random.pick(&PREDICATES).to_string()
        };
        format!("{subject} {predicate} {}", self.any_variable())
    }

    fn node(&mut self) -> String {
        if self.random.chance(8) {
            self.random.pick(&NODES[..NAMED_NODES]).to_string()
        } else {
            self.node_variable()
        }
    }

    fn node_variable(&mut self) -> String {
        (*self.random.pick(&VARIABLES[..NODE_VARIABLES])).to_owned()
    }

    fn any_variable(&mut self) -> String {
        (*self.random.pick(&VARIABLES)).to_owned()
    }

    fn fresh(&mut self) -> String {
        self.defined += 1;
        format!("?n{}", self.defined)
    }
}

fn variables() -> Vec<String> {
    VARIABLES.iter().map(|v| (*v).to_owned()).collect()
}
