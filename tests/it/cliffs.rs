//! Queries whose time must not jump when they are written in another way or when the data grows.
//!
//! Work is counted, not time: the rows that all operators together read from the index. Each data set is made here.

use crate::compare::{Order, compare};
use crate::kaluta::Kaluta;
use crate::store::{Document, Request, Store};
use libtest_mimic::Trial;
use oxrdf::GraphName;
use oxrdfio::RdfFormat;
use std::fmt::Write;

const PREFIX: &str = "PREFIX : <http://e/>\n";

/// Rows that do not count: the price of starting.
const FREE_ROWS: u64 = 3_000;

/// One trial for each cliff.
pub fn trials() -> Vec<Trial> {
    let trial = |name: &str, run: fn() -> Result<(), String>| {
        Trial::test(format!("cliffs::{name}"), move || run().map_err(Into::into))
    };
    vec![
        trial(
            "counting_over_optional_is_linear",
            counting_over_optional_is_linear,
        ),
        trial(
            "a_required_pattern_may_stand_last",
            a_required_pattern_may_stand_last,
        ),
        trial(
            "triples_of_a_branch_may_be_swapped",
            triples_of_a_branch_may_be_swapped,
        ),
        trial("a_path_ends_in_a_constant", a_path_ends_in_a_constant),
        trial("a_path_ends_in_values", a_path_ends_in_values),
        trial(
            "a_prefix_is_found_in_the_dictionary",
            a_prefix_is_found_in_the_dictionary,
        ),
        trial("a_limit_stops_its_input", a_limit_stops_its_input),
        trial("counting_reads_the_directory", counting_reads_the_directory),
        trial(
            "an_optional_that_asks_runs_its_left_once",
            an_optional_that_asks_runs_its_left_once,
        ),
    ]
}

fn store(data: &str) -> Result<Kaluta, String> {
    let mut store = Kaluta::open()?;
    store.load(vec![Document {
        bytes: format!("{PREFIX}{data}").into_bytes(),
        format: RdfFormat::Turtle,
        base: None,
        graph: GraphName::DefaultGraph,
    }])?;
    Ok(store)
}

/// A query's cost in rows, and its plan.
struct Cost {
    rows: u64,
    plan: String,
}

fn cost(store: &Kaluta, query: &str) -> Result<Cost, String> {
    let (rows, plan) = store.rows_read(&format!("{PREFIX}{query}"))?;
    Ok(Cost { rows, plan })
}

/// A query reads at most so many rows, and a few for free.
fn reads_at_most(cost: &Cost, rows_max: u64) -> Result<(), String> {
    if cost.rows <= rows_max + FREE_ROWS {
        return Ok(());
    }
    Err(format!(
        "it reads {} rows, where {rows_max} are enough:\n{}",
        cost.rows, cost.plan
    ))
}

/// Two ways to write a query have one answer, and neither reads more than three times as much as the other.
fn are_alike(store: &Kaluta, one: &str, other: &str) -> Result<(), String> {
    let ask = |query: &str| store.query(&Request::new(format!("{PREFIX}{query}")));
    compare(&ask(one)?, &ask(other)?, Order::Free)?;
    let (one, other) = (cost(store, one)?, cost(store, other)?);
    reads_at_most(&one, 3 * other.rows)?;
    reads_at_most(&other, 3 * one.rows)
}

/// Rooms and ten devices in each.
fn rooms(rooms: usize) -> String {
    let mut data = String::new();
    for room in 0..rooms {
        let _ = writeln!(data, ":room{room} a :Room .");
        for device in 0..10 {
            let _ = writeln!(
                data,
                ":device{} a :Device ; :in :room{room} .",
                room * 10 + device
            );
        }
    }
    data
}

/// The optional part is not read again for each row of the required one, in whatever order its triples stand.
fn counting_over_optional_is_linear() -> Result<(), String> {
    let query = |first: &str, second: &str| {
        format!(
            "SELECT ?room (COUNT(?dev) AS ?n) {{ ?room a :Room OPTIONAL {{ {first} . {second} }} }} GROUP BY ?room"
        )
    };
    let (class, place) = ("?dev a :Device", "?dev :in ?room");
    let (small, large) = (store(&rooms(300))?, store(&rooms(600))?);
    for text in [query(class, place), query(place, class)] {
        let (less, more) = (cost(&small, &text)?, cost(&large, &text)?);
        reads_at_most(&more, less.rows * 5 / 2)?;
        reads_at_most(&more, 2 * 13_200)?;
    }
    are_alike(&large, &query(class, place), &query(place, class))
}

/// A selective pattern after OPTIONALs that do not concern it is used as if it stood before them.
fn a_required_pattern_may_stand_last() -> Result<(), String> {
    let mut data = String::new();
    for i in 0..8_000 {
        let key = if i % 800 == 0 { 1 } else { 2 + i };
        let _ = writeln!(data, ":s{i} a :T ; :key :k{key} ; :a {i} ; :b {} .", i % 7);
    }
    let optionals = "OPTIONAL { ?s :a ?a } OPTIONAL { ?s :b ?b } OPTIONAL { ?s :c ?c }";
    are_alike(
        &store(&data)?,
        &format!("SELECT * {{ ?s :key :k1 {optionals} ?s a :T }}"),
        &format!("SELECT * {{ ?s a :T . ?s :key :k1 {optionals} }}"),
    )
}

/// A branch of a UNION that the row outside narrows is not computed whole for each such row.
fn triples_of_a_branch_may_be_swapped() -> Result<(), String> {
    let mut data = String::new();
    for i in 0..1_000 {
        let _ = writeln!(
            data,
            ":order{i} :item :product{i} . :review{i} :stars {} ; :about :product{i} .",
            i % 5
        );
    }
    let query = |first: &str, second: &str| {
        format!(
            "SELECT * {{ ?order :item ?prod {{ {first} . {second} }} UNION {{ ?prod :stars ?n }} }}"
        )
    };
    let (stars, about) = ("?rev :stars ?n", "?rev :about ?prod");
    let store = store(&data)?;
    let cost = cost(&store, &query(stars, about))?;
    reads_at_most(&cost, 3 * 4_000)?;
    are_alike(&store, &query(stars, about), &query(about, stars))
}

/// A chain of classes, each with its subclasses, and instances of all of them.
fn classes() -> String {
    let mut data = String::new();
    for class in 0..200 {
        let _ = writeln!(data, ":C{class} :sub :C{} .", class / 2);
    }
    for instance in 0..8_000 {
        let _ = writeln!(data, ":i{instance} a :C{} .", instance % 200);
    }
    data
}

/// A closure is walked from its constant end.
fn a_path_ends_in_a_constant() -> Result<(), String> {
    let store = store(&classes())?;
    are_alike(
        &store,
        "SELECT DISTINCT ?i { ?i a/:sub* :C40 }",
        "SELECT DISTINCT ?i { { SELECT ?k { ?k :sub* :C40 } } ?i a ?k }",
    )?;
    let none = cost(&store, "SELECT ?i { ?i a/:sub* :Nothing }")?;
    reads_at_most(&none, 0)
}

fn a_path_ends_in_values() -> Result<(), String> {
    are_alike(
        &store(&classes())?,
        "SELECT DISTINCT ?i ?c { VALUES ?c { :C40 :C41 :C42 } ?i a/:sub* ?c }",
        "SELECT DISTINCT ?i ?c { { SELECT ?k ?c { VALUES ?c { :C40 :C41 :C42 } ?k :sub* ?c } } ?i a ?k }",
    )
}

/// Tests on the beginning of a string are ranges of a sorted dictionary, however they are written.
fn a_prefix_is_found_in_the_dictionary() -> Result<(), String> {
    let mut data = String::new();
    for i in 0..20_000 {
        let _ = writeln!(
            data,
            ":s{i} :label \"{} {i}\" .",
            ["Mount Everest", "River", "Lake"][usize::from(i % 700 != 0) + i % 2]
        );
    }
    let store = store(&data)?;
    let query = |test: &str| format!("SELECT ?s {{ ?s :label ?l FILTER({test}) }}");
    let starts = query("STRSTARTS(STR(?l), \"Mount Ev\")");
    are_alike(&store, &query("REGEX(STR(?l), \"^Mount Ev\")"), &starts)?;
    reads_at_most(&cost(&store, &starts)?, 20_000)?;
    let exact = [
        "River 1", "River 3", "River 5", "River 7", "River 9", "Lake 2", "Lake 4", "Nothing",
        "River",
    ];
    let regexes: Vec<_> = exact
        .iter()
        .map(|text| format!("REGEX(STR(?l), \"^{text}$\")"))
        .collect();
    let list: Vec<_> = exact.iter().map(|text| format!("\"{text}\"")).collect();
    are_alike(
        &store,
        &query(&regexes.join(" || ")),
        &query(&format!("STR(?l) IN ({})", list.join(", "))),
    )
}

fn numbers() -> String {
    (0..20_000).fold(String::new(), |mut data, i| {
        let _ = writeln!(data, ":s{i} :n {} ; :m {i} .", i % 100);
        data
    })
}

/// LIMIT and ASK end the work below them.
fn a_limit_stops_its_input() -> Result<(), String> {
    let store = store(&numbers())?;
    for query in [
        "SELECT * { ?s :n ?n } LIMIT 5",
        "SELECT * { ?s :n ?n ; :m ?m } LIMIT 5",
        "SELECT * { { ?s :n ?n } UNION { ?s :m ?n } } LIMIT 5",
        "ASK { ?s :n ?n ; :m ?m }",
    ] {
        reads_at_most(&cost(&store, query)?, 10_000).map_err(|e| format!("{query}\n{e}"))?;
    }
    Ok(())
}

/// COUNT over one pattern is a difference of two places in the index.
fn counting_reads_the_directory() -> Result<(), String> {
    let store = store(&numbers())?;
    for query in [
        "SELECT (COUNT(*) AS ?c) { ?s :n ?o }",
        "SELECT (COUNT(*) AS ?c) { ?s ?p ?o }",
    ] {
        reads_at_most(&cost(&store, query)?, 2_000).map_err(|e| format!("{query}\n{e}"))?;
    }
    Ok(())
}

/// The condition of an OPTIONAL may ask EXISTS: the rows that it is asked of are not computed anew for the answer.
fn an_optional_that_asks_runs_its_left_once() -> Result<(), String> {
    let query = "SELECT * { ?s :n ?n OPTIONAL { ?s :o ?o FILTER(EXISTS { ?s :q ?q } || ?n > 3) } }";
    reads_at_most(&cost(&store(&numbers())?, query)?, 20_000)
}
