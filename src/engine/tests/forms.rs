//! ASK, CONSTRUCT and DESCRIBE.

use super::fixture::{Store, check, check_given};
use crate::settings::DefaultGraph;

const DATA: &str = "
    :a :p :b , \"l\" ; :knows _:x ; :name \"A\" .
    _:x :knows _:y ; :name \"X\" .
    _:y :knows _:x , _:y ; :name \"Y\" ; :knows :b .
    :b :name \"B\" .
    :c :p _:z .";

#[test]
fn construct_and_ask() {
    check(
        DATA,
        &[
            "CONSTRUCT { ?s :is ?o } { ?s :p ?o }",
            "CONSTRUCT { ?o :of ?s } { ?s :p ?o }",
            "CONSTRUCT { ?s ?o ?s } { ?s :p ?o }",
            "EMPTY CONSTRUCT { ?s :is ?nothing } { ?s :p ?o OPTIONAL { ?s :nosuch ?nothing } }",
            "EMPTY CONSTRUCT { ?s :is ?never } { ?s :p ?o }",
            "CONSTRUCT { _:n :of ?s . _:n :to ?o } { ?s :p ?o }",
            "CONSTRUCT { _:n :of \"same\" } { ?s :p ?o }",
            "CONSTRUCT { :k :is :k . ?s :p :q } { ?s :name \"A\" }",
            "CONSTRUCT WHERE { ?s :name ?n }",
            "CONSTRUCT { ?s :is ?o } { ?s :name ?o } ORDER BY ?o LIMIT 2",
            "ASK { ?s :name \"A\" }",
            "ASK { ?s :name \"Z\" }",
            "ASK { }",
            "ASK { SELECT (COUNT(*) AS ?c) { ?s :nosuch ?o } }",
        ],
    );
}

#[test]
fn equal_triples_come_once() {
    let store = Store::new(DATA, DefaultGraph::Default);
    check_given(
        &store,
        &[("CONSTRUCT { :k :is :k } { ?s :name ?o }", &["<k> <is> <k>"])],
    );
}

#[test]
fn describe_follows_blank_nodes_around_cycles() {
    let store = Store::new(DATA, DefaultGraph::Default);
    let of_a = [
        "<a> <knows> _:",
        "<a> <name> \"A\"",
        "<a> <p> \"l\"",
        "<a> <p> <b>",
        "_: <knows> <b>",
        "_: <knows> _:",
        "_: <knows> _:",
        "_: <knows> _:",
        "_: <name> \"X\"",
        "_: <name> \"Y\"",
    ];
    check_given(
        &store,
        &[
            ("DESCRIBE :a", &of_a),
            ("DESCRIBE ?s { ?s :name \"A\" . ?s :p ?o }", &of_a),
            ("DESCRIBE :nosuch", &[]),
            ("DESCRIBE ?n { :a :name ?n }", &[]),
            ("DESCRIBE :c :b", &["<b> <name> \"B\"", "<c> <p> _:"]),
        ],
    );
}
