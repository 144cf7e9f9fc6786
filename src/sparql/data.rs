//! INSERT DATA of one graph, the usual way to bring in documents, read as what it nearly is: TriG.
//!
//! The default graph of a TriG document may stand in braces, and its prologue may be that of SPARQL, so that such an
//! update without its two words is a document, which is read several times as fast as a grammar for all of SPARQL can.
//! Whatever might differ between the two languages is left to the grammar: more braces than these two, escapes that SPARQL
//! allows outside strings, triple terms and reifiers, and every text that does not parse.

use super::Prologue;
use super::tokens::{Token, TokenKind, tokenize};
use oxttl::TriGParser;
use spargebra::term::{GraphName, Quad};
use spargebra::{GraphUpdateOperation, Update};

/// Reads an update that inserts the data of one graph; `None` when it is another one, or no update at all.
pub fn parse(text: &str, prologue: Prologue<'_>) -> Option<Update> {
    let document = document(text).filter(|_| !prologue.has_default_prefixes)?;
    let mut parser = TriGParser::new();
    if let Some(base) = prologue.base {
        parser = parser.with_base_iri(base).ok()?;
    }
    let mut data = Vec::new();
    for quad in parser.for_slice(&document) {
        let quad = quad.ok()?;
        data.push(Quad {
            subject: quad.subject,
            predicate: quad.predicate,
            object: quad.object,
            graph_name: GraphName::DefaultGraph,
        });
    }
    Some(Update {
        base_iri: None,
        operations: vec![GraphUpdateOperation::InsertData { data }],
    })
}

/// The document in TriG that an update is without its two words.
fn document(text: &str) -> Option<String> {
    let text = text.trim_end();
    let text = text.strip_suffix(';').unwrap_or(text).trim_end();
    let brace = text.find('{')?;
    let (head, body) = text.split_at(brace);
    let is_plain = body.ends_with('}')
        && body[1..body.len() - 1].find(['{', '}']).is_none()
        && ["\\u", "\\U", "<<", "~"]
            .iter()
            .all(|other| !body.contains(other));
    let tokens = tokenize(head);
    let [declarations @ .., insert, data] = tokens.as_slice() else {
        return None;
    };
    let is_insert = insert.is_word(head, "INSERT") && data.is_word(head, "DATA");
    if !is_plain || !is_insert || !declares(head, declarations) {
        return None;
    }
    Some([&head[..insert.range.start], body].concat())
}

/// Whether tokens are declarations of prefixes and bases, and nothing else.
fn declares(text: &str, mut tokens: &[Token]) -> bool {
    loop {
        tokens = match tokens {
            [] => return true,
            [word, iri, rest @ ..] if word.is_word(text, "BASE") && iri.kind == TokenKind::Iri => {
                rest
            }
            [word, name, iri, rest @ ..]
                if word.is_word(text, "PREFIX")
                    && name.text(text).ends_with(':')
                    && iri.kind == TokenKind::Iri =>
            {
                rest
            }
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use spargebra::SparqlParser;

    /// Texts that both read, and alike.
    #[test]
    fn what_is_read_quickly_is_what_the_grammar_reads() {
        for text in [
            "INSERT DATA {}",
            "insert data { <a:s> <a:p> 1, -2.5, 1e3, +.5, true, false ; a <a:C> . <a:s> <a:q> 'x' }",
            "PREFIX : <a:> prefix p: <a:b/>\nBASE <http://e/x/> # two\nINSERT DATA { :s p:q <y> , <../z> . } ;",
            "PREFIX : <a:> INSERT DATA { :s :p \"x\"@EN-gb, '''a\n'b' ''', \"\\t\\\\\\\"\", \"1\"^^:d, \"1\"^^<a:e> ;; . }",
            "PREFIX xsd: <http://www.w3.org/2001/XMLSchema#> INSERT DATA { <a:s> <a:p> \"x\"^^xsd:string, 01, \"01\"^^xsd:integer }",
            "PREFIX : <a:> INSERT DATA { :a.b :c%41 :d\\,e . :1 :2 :3 # a comment\n}",
            "INSERT DATA { <a:s> <a:p> _:b . _:b <a:p> () . }",
        ] {
            let quick = parse(text, Prologue::default()).expect(text);
            let whole = SparqlParser::new().parse_update(text).expect(text);
            assert_eq!(quick.operations, whole.operations, "{text}");
        }
        let text = "INSERT DATA { <s> <p> (1 [ <q> 2 ]) . [ <p> 3 ] <p> [] }";
        let quick = parse(text, Some("http://e/").into()).expect(text);
        let [GraphUpdateOperation::InsertData { data }] = quick.operations.as_slice() else {
            panic!("{quick:?}");
        };
        assert_eq!(data.len(), 8);
    }

    /// Texts that are left to the grammar, though TriG might read them.
    #[test]
    fn what_is_no_plain_data_is_left_to_the_grammar() {
        for text in [
            "",
            "{ <a:s> <a:p> 1 }",
            "INSERT DATA { GRAPH <a:g> { <a:s> <a:p> 1 } }",
            "INSERT DATA { <a:s> <a:p> 1 } ; CLEAR ALL",
            "INSERT DATA { <a:s> <a:p> 1 } <a:g> { <a:s> <a:p> 1 }",
            "INSERT DATA { <a:s> <a:p> 1 } <a:s> <a:p> <a:o> .",
            "<a:g> INSERT DATA { <a:s> <a:p> 1 }",
            "@prefix a: <b:> . INSERT DATA { <a:s> <a:p> 1 }",
            "INSERT DATA { PREFIX a: <b:> a:s a:p 1 }",
            "INSERT DATA { @prefix a: <b:> . a:s a:p 1 }",
            "INSERT DATA { BASE <b:> <s> <p> 1 }",
            "INSERT DATA { <a:s> <a:p> ?x }",
            "INSERT DATA { <a:s> <a:p> \"\\u0041\" }",
            "INSERT DATA { <a:s> <a:p> <<( <a:s> <a:p> 1 )>> }",
            "INSERT DATA { <s> <p> 1 }",
            "INSERT DATA { a:s a:p 1 }",
            "INSERT DATA { <a:s> <a:p> TRUE }",
            "INSERT DATA { <a:s> <a:p> 1 # }",
            "INSERT { <a:s> <a:p> 1 }",
            "DELETE DATA { <a:s> <a:p> 1 }",
            "INSERT DATA { \"a\" <a:p> 1 }",
            "INSERT DATA { <a:s> <a:p> 1 . <a:s> }",
        ] {
            assert_eq!(parse(text, Prologue::default()), None, "{text}");
        }
    }
}
