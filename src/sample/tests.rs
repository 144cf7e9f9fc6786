//! What the sample promises, checked on samples of several sizes.

use super::vocabulary::{bibo, dcterms, own, rdf, sioc, xsd};
use super::*;
use oxrdf::{NamedOrBlankNode, Term, Triple};
use oxsdatatypes::{Boolean, Date, DateTime, Decimal, Double, GYear, Integer};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};

fn sample(triples: u64, seed: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    let written = Sample { triples, seed }
        .write(&mut bytes, &mut |_| ())
        .unwrap();
    assert_eq!(written, triples);
    bytes
}

fn parse(bytes: &[u8]) -> Vec<Triple> {
    let parser = oxttl::NTriplesParser::new().for_slice(bytes);
    parser.collect::<Result<_, _>>().unwrap()
}

#[test]
fn the_same_on_every_machine() {
    let digest = |seed| {
        let digest = Sha256::digest(sample(20_000, seed));
        digest
            .iter()
            .take(8)
            .map(|byte| format!("{byte:02x}"))
            .collect::<String>()
    };
    assert_eq!(digest(SAMPLE_SEED), "e6bb7ad984bf9045");
    assert_ne!(digest(SAMPLE_SEED), digest(SAMPLE_SEED + 1));
}

#[test]
fn every_size_has_exactly_its_number_of_different_valid_triples() {
    for triples in [0, 1, 300, 1_000, 5_000, 40_000] {
        let parsed = parse(&sample(triples, 7));
        assert_eq!(parsed.len() as u64, triples);
        let different = parsed
            .iter()
            .map(Triple::to_string)
            .collect::<BTreeSet<_>>();
        assert_eq!(different.len() as u64, triples);
    }
}

#[test]
fn small_samples_have_all_predicates_and_classes() {
    let words = |triples| {
        let parsed = parse(&sample(triples, SAMPLE_SEED));
        let words = parsed.into_iter().map(|t| match t.object {
            Term::NamedNode(class) if t.predicate.as_str() == rdf::TYPE => class.into_string(),
            _ => t.predicate.into_string(),
        });
        words.collect::<BTreeSet<_>>()
    };
    assert_eq!(words(5_000), words(60_000));
}

#[test]
fn shapes_stay_with_the_size() {
    let share_of_citations = |triples| {
        let parsed = parse(&sample(triples, 3));
        let citations = parsed
            .iter()
            .filter(|t| t.predicate.as_str() == bibo::CITES)
            .count();
        citations as u64 * 1000 / triples
    };
    for triples in [20_000, 60_000] {
        let per_mille = share_of_citations(triples);
        assert!(
            (70..130).contains(&per_mille),
            "{per_mille} citations in 1000 triples"
        );
    }
}

#[test]
fn popularity_is_skewed() {
    let mut citations = BTreeMap::<String, u64>::new();
    for triple in parse(&sample(100_000, 3)) {
        if triple.predicate.as_str() == bibo::CITES {
            *citations.entry(triple.object.to_string()).or_default() += 1;
        }
    }
    let mut counts = citations.into_values().collect::<Vec<_>>();
    counts.sort_unstable_by(|a, b| b.cmp(a));
    let total = counts.iter().sum::<u64>();
    let top = counts.iter().take(counts.len() / 10).sum::<u64>();
    assert!(
        top * 100 / total > 25,
        "the most cited tenth has {top} of {total} citations"
    );
}

#[test]
fn about_one_value_in_a_hundred_is_dirty() {
    let usual: BTreeMap<&str, &[&str]> = BTreeMap::from([
        (own::VIEWS, &[xsd::INTEGER][..]),
        (own::DOWNLOADS, &[xsd::INTEGER]),
        (own::LIKES, &[xsd::INTEGER]),
        (own::YEAR, &[xsd::INTEGER]),
        (own::STARS, &[xsd::INTEGER, xsd::DECIMAL, xsd::DOUBLE]),
        (own::SCORE, &[xsd::DECIMAL]),
        (own::FEE, &[xsd::DECIMAL]),
        (own::ALTMETRIC, &[xsd::DOUBLE]),
        (own::OPEN_ACCESS, &[xsd::BOOLEAN]),
        (own::ACCEPTED, &[xsd::DATE]),
        (dcterms::ISSUED, &[xsd::DATE, xsd::G_YEAR, xsd::DATE_TIME]),
        (dcterms::CREATED, &[xsd::DATE_TIME, xsd::DATE]),
    ]);
    let (mut values, mut dirty) = (0, 0);
    for triple in parse(&sample(60_000, SAMPLE_SEED)) {
        if let Some(datatypes) = usual.get(triple.predicate.as_str()) {
            values += 1;
            dirty += u64::from(!is_clean(&triple.object, datatypes));
        }
    }
    let per_mille = dirty * 1000 / values;
    assert!(
        (8..16).contains(&per_mille),
        "{dirty} of {values} are dirty"
    );
}

fn is_clean(value: &Term, datatypes: &[&str]) -> bool {
    let Term::Literal(literal) = value else {
        return false;
    };
    let (lexical, datatype) = (literal.value(), literal.datatype().as_str());
    datatypes.contains(&datatype)
        && match datatype {
            xsd::INTEGER => lexical.parse::<Integer>().is_ok(),
            xsd::DECIMAL => lexical.parse::<Decimal>().is_ok(),
            xsd::DOUBLE => lexical.parse::<Double>().is_ok(),
            xsd::BOOLEAN => lexical.parse::<Boolean>().is_ok(),
            xsd::DATE => lexical.parse::<Date>().is_ok(),
            xsd::DATE_TIME => lexical.parse::<DateTime>().is_ok(),
            xsd::G_YEAR => lexical.parse::<GYear>().is_ok(),
            _ => false,
        }
}

#[test]
fn blank_nodes_are_described() {
    let parsed = parse(&sample(20_000, SAMPLE_SEED));
    let described = parsed.iter().filter_map(|t| match &t.subject {
        NamedOrBlankNode::BlankNode(node) => Some(node.as_str()),
        NamedOrBlankNode::NamedNode(_) => None,
    });
    let described = described.collect::<BTreeSet<_>>();
    let named = parsed.iter().filter_map(|t| match &t.object {
        Term::BlankNode(node) => Some(node.as_str()),
        _ => None,
    });
    assert_eq!(named.collect::<BTreeSet<_>>(), described);
    assert!(described.len() > 300);
}

#[test]
fn citations_have_cycles_and_threads_run_deep() {
    let parsed = parse(&sample(20_000, SAMPLE_SEED));
    let pairs = |predicate: &'static str| {
        let with = parsed
            .iter()
            .filter(move |t| t.predicate.as_str() == predicate);
        with.map(|t| (t.subject.to_string(), t.object.to_string()))
    };
    let cites = pairs(bibo::CITES).collect::<BTreeSet<_>>();
    assert!(
        cites
            .iter()
            .any(|(a, b)| cites.contains(&(b.clone(), a.clone())))
    );
    let answers = pairs(sioc::REPLY_OF).collect::<BTreeMap<_, _>>();
    let depth =
        |comment: &String| std::iter::successors(answers.get(comment), |c| answers.get(*c)).count();
    assert!(answers.keys().map(depth).max() >= Some(50));
}
