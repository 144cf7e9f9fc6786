//! What may be asked: the list of endpoints in the settings, and the addresses that their hosts may have.
//!
//! An entry is the URL of an endpoint; one that ends in `*` is the beginning of URLs, with the whole host in it; `*`
//! alone is every endpoint. Whatever the entry, an address that is not public is contacted only when it is listed by
//! name: as an address in an entry's URL, as `localhost` there, or through the host's name in the list of private hosts.
//! So neither a name server nor a redirect can lead a query into the network that this machine stands in.

use super::address::is_public;
use super::failure::Failure;
use crate::diagnostics::{Error, ErrorKind, Result};
use hyper::Uri;
use percent_encoding::percent_decode_str;
use std::net::IpAddr;

/// The endpoints that queries may ask.
#[derive(Debug, Default)]
pub struct Guard {
    entries: Vec<Entry>,
    private_hosts: Vec<String>,
}

#[derive(Debug)]
enum Entry {
    /// Every endpoint with a public address.
    Everything,
    /// This endpoint.
    Endpoint(Endpoint),
    /// Every endpoint of this host and port whose path begins so.
    Below(Endpoint),
}

/// An `http` URL taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    /// The host, in lower case, an IPv6 address without brackets.
    pub host: String,
    /// The port.
    pub port: u16,
    /// The `Host` header.
    pub authority: String,
    /// Path and query string, the target of a request.
    pub target: String,
}

impl Endpoint {
    /// Takes a URL apart; says why it cannot be asked.
    fn parse(url: &str) -> Result<Self, &'static str> {
        let uri: Uri = url.parse().map_err(|_| "it is no URL")?;
        match uri.scheme_str() {
            Some("http") => {}
            Some("https") => {
                return Err(
                    "https:// is not spoken by this version; ask it through a proxy that speaks http://",
                );
            }
            _ => return Err("only http:// endpoints can be asked"),
        }
        let authority = uri.authority().ok_or("it has no host")?;
        if authority.as_str().contains('@') {
            return Err("user names and passwords in URLs are not sent");
        }
        let host = authority.host().to_ascii_lowercase();
        Ok(Self {
            host: host.trim_matches(['[', ']']).to_owned(),
            port: authority.port_u16().unwrap_or(80),
            authority: authority.as_str().to_ascii_lowercase(),
            target: uri.path_and_query().map_or("/", |p| p.as_str()).to_owned(),
        })
    }

    fn is_same_server(&self, other: &Self) -> bool {
        (&self.host, self.port) == (&other.host, other.port)
    }

    /// Whether its path climbs or stays with `.` or `..`, so that its beginning does not say where it leads.
    fn has_dots(&self) -> bool {
        let path = self.target.split('?').next().unwrap_or_default();
        path.split(['/', '\\']).any(|segment| {
            let decoded = percent_decode_str(segment).decode_utf8_lossy();
            decoded
                .split(['/', '\\'])
                .any(|part| matches!(part, "." | ".."))
        })
    }
}

impl Entry {
    fn parse(text: &str, setting: &str) -> Result<Self> {
        let refuse = |why: &str| {
            Error::new(
                ErrorKind::Settings,
                format!(
                    "{setting}: {text:?} is no endpoint: {why}; write http://HOST:PORT/PATH, with * at the end for all that begins so"
                ),
            )
        };
        if text == "*" {
            return Ok(Self::Everything);
        }
        let Some(start) = text.strip_suffix('*') else {
            return Endpoint::parse(text).map(Self::Endpoint).map_err(refuse);
        };
        let whole_host = start
            .split_once("://")
            .is_some_and(|(_, rest)| rest.contains('/'));
        if !whole_host {
            return Err(refuse("a / must end the host before the *"));
        }
        Endpoint::parse(start).map(Self::Below).map_err(refuse)
    }

    fn admits(&self, endpoint: &Endpoint) -> bool {
        match self {
            Self::Everything => true,
            Self::Endpoint(listed) => {
                listed.is_same_server(endpoint) && listed.target == endpoint.target
            }
            Self::Below(listed) => {
                listed.is_same_server(endpoint)
                    && endpoint.target.starts_with(&listed.target)
                    && !endpoint.has_dots()
            }
        }
    }

    /// Whether the entry itself says the host.
    fn names_host(&self, host: &str) -> bool {
        match self {
            Self::Everything => false,
            Self::Endpoint(listed) | Self::Below(listed) => listed.host == host,
        }
    }
}

impl Guard {
    /// The guard of a list of entries, which the setting of this name holds, and of hosts that may have private addresses.
    ///
    /// # Errors
    /// An entry is no endpoint.
    pub fn new(setting: &str, allow: &[String], private_hosts: &[String]) -> Result<Self> {
        let lower = |host: &String| host.trim_matches(['[', ']']).to_ascii_lowercase();
        Ok(Self {
            entries: allow
                .iter()
                .map(|text| Entry::parse(text, setting))
                .collect::<Result<_>>()?,
            private_hosts: private_hosts.iter().map(lower).collect(),
        })
    }

    /// The endpoint of a URL, if it may be asked; `setting` is where it would have to be listed.
    ///
    /// # Errors
    /// It cannot be asked, or it is not in the list.
    pub fn permit(&self, url: &str, setting: &str) -> Result<Endpoint, Failure> {
        let refuse = |why: &str| Failure::forbidden(format_args!("<{url}> is not asked: {why}"));
        let endpoint = Endpoint::parse(url).map_err(refuse)?;
        match self.entries.iter().any(|entry| entry.admits(&endpoint)) {
            true => Ok(endpoint),
            false => Err(refuse(&format!(
                "it is not in the setting {setting}; add it there if requests may ask it"
            ))),
        }
    }

    /// Whether a permitted endpoint may be contacted at an address of its host.
    pub fn admits(&self, endpoint: &Endpoint, address: IpAddr) -> bool {
        let host = &endpoint.host;
        let is_the_name = match host.parse::<IpAddr>() {
            Ok(named) => named == address,
            Err(_) => host == "localhost" && address.is_loopback(),
        };
        is_public(address)
            || self.private_hosts.contains(host)
            || is_the_name && self.entries.iter().any(|entry| entry.names_host(host))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guard(allow: &[&str], private_hosts: &[&str]) -> Guard {
        let owned = |list: &[&str]| list.iter().map(ToString::to_string).collect::<Vec<_>>();
        Guard::new("service.allow", &owned(allow), &owned(private_hosts)).unwrap()
    }

    #[test]
    fn only_what_is_listed_is_permitted() {
        let check = |allow: &[&str], permitted: &str, refused: &str| {
            let guard = guard(allow, &[]);
            for url in permitted.split_whitespace() {
                assert!(
                    guard.permit(url, "service.allow").is_ok(),
                    "{allow:?} {url}"
                );
            }
            for url in refused.split_whitespace() {
                assert!(
                    guard.permit(url, "service.allow").is_err(),
                    "{allow:?} {url}"
                );
            }
        };
        check(
            &[],
            "",
            "http://e.org/sparql http://127.0.0.1/ https://e.org/",
        );
        check(
            &["http://e.org/sparql"],
            "http://e.org/sparql http://E.org:80/sparql",
            "http://e.org/sparql2 http://e.org/ http://e.org:81/sparql http://e.org/sparql?x=y https://e.org/sparql",
        );
        check(
            &["http://e.org:3030/ds/*"],
            "http://e.org:3030/ds/a http://e.org:3030/ds/a/b?c",
            "http://e.org:3030/d http://e.org:3030/ds/../admin http://e.org:3030/ds/%2e%2E/x http://e.org:3030/ds/..%2fx http://e.org.evil/ds/a",
        );
        check(
            &["*"],
            "http://e.org/a http://10.0.0.1/",
            "http://user:word@e.org/a file:///etc/passwd ftp://e.org/ e.org gopher://e.org/",
        );
    }

    #[test]
    fn private_addresses_have_to_be_named() {
        let check = |allow: &str, private: &str, url: &str, address: &str, wanted: bool| {
            let guard = guard(&[allow], &[private]);
            let endpoint = guard.permit(url, "service.allow").unwrap();
            let admitted = guard.admits(&endpoint, address.parse().unwrap());
            assert_eq!(admitted, wanted, "{allow} {private} {url} {address}");
        };
        check("*", "", "http://e.org/", "93.184.216.34", true);
        check("*", "", "http://e.org/", "127.0.0.1", false);
        check("*", "", "http://127.0.0.1/", "127.0.0.1", false);
        check("*", "", "http://localhost/", "127.0.0.1", false);
        check("http://e.org/*", "", "http://e.org/", "10.0.0.1", false);
        check("http://e.org/*", "e.org", "http://e.org/", "10.0.0.1", true);
        check(
            "http://127.0.0.1/*",
            "",
            "http://127.0.0.1/",
            "127.0.0.1",
            true,
        );
        check("http://[::1]/*", "", "http://[::1]/", "::1", true);
        check("http://localhost/*", "", "http://localhost/", "::1", true);
        check(
            "http://localhost/*",
            "",
            "http://localhost/",
            "10.0.0.1",
            false,
        );
        check("http://127.1/*", "", "http://127.1/", "127.0.0.1", false);
    }

    #[test]
    fn entries_that_make_no_sense_are_told() {
        for entry in [
            "http://e.org*",
            "e.org",
            "https://e.org/",
            "ftp://e.org/",
            "",
        ] {
            let error = Guard::new("service.allow", &[entry.to_owned()], &[]).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Settings, "{entry}");
            assert!(error.to_string().contains("service.allow"), "{error}");
        }
    }
}
