//! A small query inside the server, without HTTP: parsing, planning, running.

use crate::fixture::{Fixture, SUBJECTS};
use crate::measure::Component;
use kaluta::diagnostics::Result;
use kaluta::engine::{Engine, QueryAnswer, QueryControl, QueryRequest};
use kaluta::settings::Settings;
use std::rc::Rc;

/// The components of this group.
///
/// # Errors
/// The store cannot be copied or opened.
pub fn components(fixture: &Fixture) -> Result<Vec<Component<'_>>> {
    let settings = Settings::default();
    let store = fixture.copy("queries")?;
    let engine = Engine::open(&store, &settings.query, &settings.store)?;
    let engine = Rc::new(engine);
    let run = {
        let (engine, mut requests) = (Rc::clone(&engine), requests());
        move || {
            let query = engine.prepare(&requests()).expect("the query parses");
            let control = QueryControl::new(None, None);
            let answer = engine.execute(&query, &control).expect("it can be run");
            let QueryAnswer::Solutions(mut rows) = answer else {
                panic!("a SELECT has solutions");
            };
            let batch = rows.next_batch().expect("it can be run");
            assert_eq!(batch.map(|batch| batch.rows()), Some(4));
        }
    };
    let parse = |engine: Rc<Engine>| {
        let mut requests = requests();
        move || {
            engine
                .prepare(&requests())
                .expect("the query parses")
                .form()
        }
    };
    Ok(vec![
        Component::new("parse a small query", parse(Rc::clone(&engine)))
            .note("a look-up of one resource, its text made and its limits checked"),
        Component::new("plan and run a small query", run).less(
            "less parsing it; four rows, terms not looked up",
            1,
            parse(engine),
        ),
    ])
}

/// A look-up of another resource each time.
fn requests() -> impl FnMut() -> QueryRequest {
    let mut next = 0;
    move || {
        next = (next + 7_919) % SUBJECTS;
        QueryRequest {
            text: format!("SELECT ?p ?o {{ <http://example.org/article/{next}> ?p ?o }}"),
            ..QueryRequest::default()
        }
    }
}
