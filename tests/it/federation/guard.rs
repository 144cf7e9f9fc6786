//! What is never contacted: anything that the settings do not list, private addresses, and redirects out of the list.

use super::{count, failure, store};
use crate::endpoint::{Endpoint, Response};
use kaluta::diagnostics::ErrorKind;

pub(super) fn only_the_list_is_contacted() {
    let far = Endpoint::with_data(":a :q 1 .");
    let port = far.url().rsplit(':').next().unwrap().to_owned();
    let check = |allow: &[&str], private: &[&str], url: &str, wanted: Result<(), &str>| {
        let owned = |list: &[&str]| list.iter().map(ToString::to_string).collect();
        let near = store("", &[], |s| {
            s.allow = owned(allow);
            s.private_hosts = owned(private);
        });
        let before = far.queries().len();
        let query = format!("SELECT * {{ SERVICE <{url}> {{ ?s :q ?n }} }}");
        match wanted {
            Ok(()) => assert_eq!(count(&near, &query), 1, "{allow:?} {url}"),
            Err(words) => {
                let error = failure(&near, &query);
                assert_eq!(error.kind(), ErrorKind::Forbidden, "{error}");
                assert!(error.to_string().contains(words), "{error}");
                assert!(error.to_string().contains(url), "{error}");
                assert_eq!(far.queries().len(), before, "{url} was contacted");
                let query = query.replace("SERVICE", "SERVICE SILENT");
                assert_eq!(count(&near, &query), 1, "{allow:?} {url}");
                assert_eq!(far.queries().len(), before, "{url} was contacted");
            }
        }
    };
    let number = far.url();
    let name = format!("http://localhost:{port}");
    let all = number.replace("sparql", "*");
    check(&[], &[], &number, Err("service.allow"));
    check(&[&number], &[], &number, Ok(()));
    check(&[&all], &[], &number, Ok(()));
    check(&[&number], &[], &name, Err("service.allow"));
    check(&[&name], &[], &name, Ok(()));
    check(
        &[&number],
        &[],
        &format!("{number}?x=y"),
        Err("service.allow"),
    );
    // An entry for everything, and one of another name, open no private address.
    check(&["*"], &[], &number, Err("service.private_hosts"));
    check(&["*"], &[], &name, Err("service.private_hosts"));
    check(&["*"], &["localhost"], &name, Ok(()));
    check(&["*"], &["127.0.0.1"], &number, Ok(()));
    check(
        &["*"],
        &[],
        &number.replace("127.0.0.1", "2130706433"),
        Err("service.private_hosts"),
    );
    check(&["*"], &[], "https://example.org/sparql", Err("https"));
    check(&["*"], &[], "ftp://example.org/a", Err("only http://"));
    check(&["*"], &[], "file:///etc/hosts", Err("no URL"));
}

pub(super) fn redirects_stay_within_the_list() {
    let last = Endpoint::with_data(":a :q 1 .");
    for status in [301, 302, 307, 308] {
        let target = last.url();
        let first = Endpoint::start(move |_| Response::Redirect(status, target.clone()));
        let query = format!("SELECT * {{ SERVICE <{}> {{ ?s :q ?n }} }}", first.url());
        let before = last.queries().len();
        let near = store("", &[&first], |_| {});
        let error = failure(&near, &query);
        assert_eq!(error.kind(), ErrorKind::Forbidden, "{error}");
        assert!(error.to_string().contains(&last.url()), "{error}");
        assert_eq!(last.queries().len(), before);
        let near = store("", &[&first, &last], |_| {});
        assert_eq!(count(&near, &query), 1);
        assert_eq!(last.queries().len(), before + 1);
    }
    let round = Endpoint::start(|_| Response::Redirect(307, "/sparql".to_owned()));
    let near = store("", &[&round], |_| {});
    let error = failure(
        &near,
        &format!("SELECT * {{ SERVICE <{}> {{ ?s :q ?n }} }}", round.url()),
    );
    assert!(error.to_string().contains("redirects"), "{error}");
    assert!(
        round.queries().len() <= 5,
        "{} requests",
        round.queries().len()
    );
}
