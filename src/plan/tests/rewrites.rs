//! When steps of a group move, which bindings may be handed in, and what must be substituted.

use super::fixture::{Data, names, set};
use crate::plan::VarSet;
use crate::plan::group::{Group, Step};
use crate::plan::seeds::{is_correlated, runs_row_by_row, seedable};

#[test]
fn steps_move_behind_joins_only_where_both_mean_the_same() {
    let data = Data::new(":a :p :b .");
    // Relations, conditions on them, and steps.
    let cases = [
        ("?a :p ?b . ?b :q ?c", "2 0"),
        ("?a :p ?b OPTIONAL { ?b :q ?c } ?a :r ?d", "2 0 Optional"),
        ("?a :p ?b OPTIONAL { ?b :q ?c } ?c :r ?d", "2 0"),
        (
            "?a :p ?b OPTIONAL { ?b :q ?c FILTER(?d > 1) } ?a :r ?d",
            "2 0",
        ),
        ("OPTIONAL { ?a :p ?b } ?a :q ?c", "2 0"),
        ("?a :p ?b MINUS { ?a :q ?c } ?b :r ?d", "2 0 Minus"),
        ("?a :p ?b MINUS { ?a :q ?c } ?b :r ?c", "2 0"),
        ("?a :p ?b BIND(?b + 1 AS ?c) ?a :q ?d", "2 0 Extend"),
        ("?a :p ?b BIND(?b + 1 AS ?c) ?d :q ?c", "2 0"),
        ("?a :p ?b BIND(?d + 1 AS ?c) ?a :q ?d", "2 0"),
        ("?a :p ?b BIND(?b + RAND() AS ?c)", "1 0 Extend"),
        ("?a :p ?b BIND(?b + RAND() AS ?c) ?a :q ?d", "2 0"),
        ("?a :p ?b { BIND(UUID() AS ?c) }", "2 0"),
        ("?a :p ?b LATERAL { BIND(UUID() AS ?c) } ?a :q ?d", "2 0"),
        ("?a :p ?b FILTER(?b > RAND())", "1 0 Filter"),
        ("{ ?a :p ?b FILTER(?b > RAND()) } ?a :q ?d", "2 0"),
        ("?a :p ?b FILTER(?b > 1)", "1 1"),
        (
            "?a :p ?b OPTIONAL { ?b :q ?c } FILTER(?b > 1)",
            "1 1 Optional",
        ),
        (
            "?a :p ?b OPTIONAL { ?b :q ?c } FILTER(?c > 1)",
            "1 0 Optional Filter",
        ),
        ("?a :p ?b FILTER(?c > 1)", "1 0 Filter"),
        ("{ ?a :p ?b FILTER(?c > 1) } ?a :q ?c", "2 0"),
        ("{ ?a :p ?b FILTER(?b > 1) } ?a :q ?c", "2 1"),
        (
            "?a :p ?b FILTER EXISTS { ?a :q ?c } FILTER(1 > 2)",
            "1 0 Filter Filter",
        ),
        (
            "{ ?a :p ?b FILTER NOT EXISTS { ?a :q ?c } } ?b :q ?c",
            "2 0",
        ),
        (
            "?a :p ?b LATERAL { SELECT ?b ?c { ?b :q ?c } LIMIT 1 } ?a :r ?d",
            "2 0 Lateral",
        ),
        ("{ ?a :p ?b } UNION { ?a :q ?b } ?b :r ?c", "2 0"),
        ("?a :p ?b SERVICE :e { ?a :q ?c } ?c :r ?d", "3 0"),
        (
            "SERVICE ?e { ?a :q ?c } ?a :p ?e FILTER(?c > 1)",
            "1 0 Service Filter",
        ),
    ];
    for (body, expected) in cases {
        let (logical, _) = data.group(body);
        let group = Group::flatten(&logical, &VarSet::EMPTY);
        let steps = group.steps.iter().map(|step| match step {
            Step::Filter(_) => " Filter",
            Step::Optional(..) => " Optional",
            Step::Minus(_) => " Minus",
            Step::Extend(..) => " Extend",
            Step::Lateral(_) => " Lateral",
            Step::Destructure(..) => " Destructure",
            Step::Service(_) => " Service",
        });
        let steps: String = steps.collect();
        let actual = format!(
            "{} {}{steps}",
            group.relations.len(),
            group.conditions.len()
        );
        assert_eq!(actual, expected, "{body}");
    }
}

#[test]
fn only_what_every_solution_binds_is_seedable() {
    let data = Data::new(":a :p :b .");
    let cases = [
        ("?a :p ?b", "a b"),
        ("?a :p ?b OPTIONAL { ?b :q ?c }", "a b"),
        ("?a :p ?b BIND(?b + 1 AS ?c)", "a b"),
        ("?a :p ?b BIND(?b + RAND() AS ?c)", ""),
        ("?a :p ?b { SELECT (COUNT(UUID()) AS ?c) {} }", ""),
        ("{ ?a :p ?b } UNION { ?a :q ?c }", "a"),
        ("VALUES (?a ?b) { (1 2) (UNDEF 3) }", "b"),
        (
            "{ VALUES (?a ?b) { (1 2) (UNDEF 3) } FILTER(!BOUND(?a)) }",
            "b",
        ),
        ("?a :p+ ?b", "a b"),
        ("{ SELECT ?a { ?a :p ?b } }", "a"),
        ("{ SELECT ?a { ?a :p ?b } LIMIT 1 }", ""),
        (
            "{ SELECT ?a (COUNT(*) AS ?n) { ?a :p ?b } GROUP BY ?a }",
            "a",
        ),
        ("{ SELECT (COUNT(*) AS ?n) { ?a :p ?b } }", ""),
        ("{ SELECT DISTINCT ?b { ?a :p ?b } }", "b"),
        ("?a :p ?b MINUS { ?a :q ?c }", "a b"),
        ("GRAPH ?g { ?a :p ?b }", "a b g"),
    ];
    for (body, expected) in cases {
        let (logical, variables) = data.group(body);
        assert_eq!(names(&seedable(&logical), &variables), expected, "{body}");
    }
}

#[test]
fn correlated_patterns_look_outside() {
    let data = Data::new(":a :p :b .");
    // What stands within EXISTS, the variables outside, whether they must be substituted, and row by row.
    let cases = [
        ("?a :p ?b", "a b", false, false),
        ("?a :p ?b FILTER(?b > 1)", "a b", false, false),
        ("?a :p ?b FILTER(?n > ?b)", "a n", true, false),
        ("?a :p ?b FILTER(?n > ?b)", "a", false, false),
        ("?a :p ?b OPTIONAL { ?b :q ?c }", "a", false, false),
        ("?a :p ?b OPTIONAL { ?b :q ?c }", "c", true, false),
        (
            "?a :p ?b OPTIONAL { ?b :q ?c FILTER(?c > ?n) }",
            "a n",
            true,
            false,
        ),
        ("?a :p ?b { ?b :q ?c FILTER(?c > ?n) }", "n", true, false),
        (
            "?a :p ?b MINUS { ?b :q ?c FILTER(?c > ?n) }",
            "n",
            true,
            false,
        ),
        (
            "?a :p ?b FILTER EXISTS { ?b :q ?c FILTER(?c > ?n) }",
            "n",
            true,
            false,
        ),
        ("BIND(?n + 1 AS ?b) ?a :p ?b", "n", true, false),
        ("?a :p* ?b", "a", true, false),
        ("?a :p+ ?b", "a", false, false),
        (
            "{ SELECT ?a { ?a :p ?b FILTER(?n > ?b) } }",
            "a n",
            false,
            false,
        ),
        ("{ SELECT ?a { ?a :p ?b } LIMIT 1 }", "a", true, true),
        ("{ SELECT ?a { ?a :p ?b } LIMIT 1 }", "b", false, true),
        (
            "{ SELECT ?a (COUNT(*) AS ?n) { ?a :p ?b } GROUP BY ?a }",
            "a",
            true,
            true,
        ),
        (
            "{ ?a :p ?b } UNION { ?a :q ?c FILTER(?n = 1) }",
            "n",
            true,
            false,
        ),
        ("VALUES ?n { 1 }", "n", false, false),
        ("BIND(UUID() AS ?b)", "n", false, true),
    ];
    for (body, outer, correlated, row_by_row) in cases {
        let (logical, mut variables) = data.group(body);
        let outer = set(outer, &mut variables);
        let actual = (is_correlated(&logical, &outer), runs_row_by_row(&logical));
        assert_eq!(actual, (correlated, row_by_row), "{body}");
    }
}
