//! The search for a join order ends soon, whatever is joined.

use super::fixture::Data;

/// Seeded plans are the part of the search that could grow without bound; each uses a slot.
fn check(data: &Data, body: &str, slots_max: usize) {
    let planned = data.plan(&format!("SELECT * {{ {body} }}"));
    assert!(
        planned.slots <= slots_max,
        "{} slots for {body}",
        planned.slots
    );
}

#[test]
fn many_patterns() {
    let data = Data::people();
    let repeat = |n: usize, part: &dyn Fn(usize) -> String| (0..n).map(part).collect::<String>();
    let star = repeat(20, &|i| format!("?s :name ?n{i} . "));
    let chain = repeat(20, &|i| format!("?v{i} :knows ?v{} . ", i + 1));
    let clique = repeat(20, &|i| {
        format!("?v{} :knows ?v{} . ", i % 5, (i / 5 + i + 1) % 5)
    });
    let apart = repeat(8, &|i| format!("?a{i} :label ?b{i} . "));
    let closed = repeat(12, &|i| format!(":n{i} :name \"{i}\" . "));
    for body in [star, chain, clique, apart, closed] {
        check(&data, &body, 0);
    }
}

#[test]
fn many_patterns_of_other_kinds() {
    let data = Data::people();
    let repeat = |n: usize, part: &dyn Fn(usize) -> String| (0..n).map(part).collect::<String>();
    let optionals = repeat(20, &|i| {
        format!("OPTIONAL {{ ?s :knows ?f{i} . ?f{i} :age ?a{i} }} ")
    });
    let unions = repeat(8, &|i| {
        format!("{{ ?s :name ?n{i} }} UNION {{ ?s :age ?n{i} }} ")
    });
    let paths = repeat(8, &|i| format!("?v{i} :knows+ ?v{} . ", i + 1));
    check(&data, &format!("?s :age ?a {optionals}"), 100);
    check(&data, &unions, 300);
    check(&data, &paths, 600);
    // Unions in unions in unions, each joined with more.
    let nested = (0..4).fold("?s :name ?n".to_owned(), |inner, i| {
        format!("?s :age ?a{i} . ?s :town ?t{i} . {{ {inner} }} UNION {{ ?s :knows ?k{i} }}")
    });
    check(&data, &nested, 2_000);
}
