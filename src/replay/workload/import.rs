//! From a log to a workload: decoded, without what does not parse and without its clients, in the order of the log.

use super::log::{Dropped, LoggedRequest};
use super::structure::Structure;
use super::{RECORDED_FILE, parse_query, recognised_lines};
use crate::diagnostics::{Error, ErrorKind, Result};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;
use std::fmt;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;

/// What an import did.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Imported {
    /// Lines that record something.
    pub lines: usize,
    /// Requests written.
    pub kept: usize,
    /// Lines dropped, by reason.
    pub dropped: BTreeMap<Dropped, usize>,
    /// Requests that a sample left out.
    pub left_out: usize,
    /// Different templates among the requests.
    pub templates: usize,
}

/// A request of a log, with its template.
struct Candidate {
    request: LoggedRequest,
    template: usize,
}

impl Imported {
    /// Reads a log and writes a workload into a folder, which must not hold one yet; a sample of so many requests, or all.
    pub fn from_log(log: &Path, folder: &Path, sample: Option<usize>, seed: u64) -> Result<Self> {
        let path = folder.join(RECORDED_FILE);
        if path.exists() {
            return Err(Error::new(
                ErrorKind::Settings,
                format!("{} exists already; name another folder", path.display()),
            ));
        }
        let mut imported = Self::default();
        let mut candidates = imported.read(log)?;
        if let Some(size) = sample {
            imported.left_out = candidates.len().saturating_sub(size);
            candidates = draw(candidates, size, seed);
        }
        imported.kept = candidates.len();
        let failed = |e| Error::user_file(format_args!("writing {}", path.display()), e);
        fs::create_dir_all(folder).map_err(failed)?;
        let mut out = BufWriter::new(File::create_new(&path).map_err(failed)?);
        write(&candidates, &mut out).map_err(failed)?;
        Ok(imported)
    }

    fn read(&mut self, log: &Path) -> Result<Vec<Candidate>> {
        let mut candidates = Vec::new();
        let mut templates = BTreeMap::new();
        let (format, lines) = recognised_lines(log)?;
        for line in lines {
            let line = line?;
            self.lines += 1;
            let structured = format.parse(&line).and_then(|request| {
                let structure = request.as_ref().map(|request| {
                    let algebra = parse_query(&request.query).map_err(|_| Dropped::Syntax)?;
                    Ok(Structure::of(&algebra).template)
                });
                Ok(request.zip(structure.transpose()?))
            });
            match structured {
                Ok(None) => self.lines -= 1,
                Ok(Some((request, template))) => {
                    let next = templates.len();
                    let template = *templates.entry(template).or_insert(next);
                    candidates.push(Candidate { request, template });
                }
                Err(dropped) => *self.dropped.entry(dropped).or_default() += 1,
            }
        }
        self.templates = templates.len();
        Ok(candidates)
    }
}

/// Draws by template: one request of each, the most frequent templates first, then any of the rest. The order stays.
fn draw(candidates: Vec<Candidate>, size: usize, seed: u64) -> Vec<Candidate> {
    let mut order: Vec<_> = (0..candidates.len()).collect();
    order.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
    let mut frequencies = BTreeMap::<_, usize>::new();
    for candidate in &candidates {
        *frequencies.entry(candidate.template).or_default() += 1;
    }
    let mut seen = BTreeMap::<_, usize>::new();
    let mut ranked: Vec<_> = (order.into_iter())
        .map(|position| {
            let template = candidates[position].template;
            let earlier = seen.entry(template).or_default();
            *earlier += 1;
            // Whatever is not the first of its template has one rank; the shuffled order decides among them.
            let is_repeated = *earlier > 1;
            let frequency = if is_repeated {
                0
            } else {
                frequencies[&template]
            };
            (is_repeated, std::cmp::Reverse(frequency), position)
        })
        .collect();
    ranked.sort_by_key(|&(is_repeated, frequency, _)| (is_repeated, frequency));
    let mut is_drawn = vec![false; candidates.len()];
    for (_, _, position) in ranked.into_iter().take(size) {
        is_drawn[position] = true;
    }
    let both = candidates.into_iter().zip(is_drawn);
    both.filter_map(|(candidate, is_drawn)| is_drawn.then_some(candidate))
        .collect()
}

/// Times count from the first request, so that the workload does not tell when it was recorded.
fn write(candidates: &[Candidate], out: &mut impl Write) -> std::io::Result<()> {
    let times = candidates.iter().filter_map(|c| c.request.time_s);
    let first_s = times.fold(f64::INFINITY, f64::min);
    for Candidate { request, .. } in candidates {
        let request = LoggedRequest {
            time_s: request.time_s.map(|time_s| time_s - first_s),
            ..request.clone()
        };
        serde_json::to_writer(&mut *out, &request)?;
        out.write_all(b"\n")?;
    }
    out.flush()
}

impl fmt::Display for Imported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dropped: usize = self.dropped.values().sum();
        writeln!(
            f,
            "{} lines: {} requests of {} templates kept, {dropped} dropped, {} left out by the sample",
            self.lines, self.kept, self.templates, self.left_out
        )?;
        for (reason, count) in &self.dropped {
            writeln!(f, "    dropped {count}: {}", reason.name())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Phase, Workload};
    use super::*;
    use std::time::Duration;

    fn access(second: usize, request: &str) -> String {
        format!(
            "192.0.2.7 - ann [10/Oct/2000:13:55:{second:02} +0000] \"{request}\" 200 9 \"-\" \"A/1\"\n"
        )
    }

    fn query(second: usize, text: &str) -> String {
        let query: String = form_urlencoded::byte_serialize(text.as_bytes()).collect();
        access(second, &format!("GET /sparql?query={query} HTTP/1.1"))
    }

    #[test]
    fn a_log_becomes_a_workload_that_can_be_replayed() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("access.log.gz");
        let lines = [
            query(3, "ASK { ?a ?b 1 }"),
            access(4, "GET /favicon.ico HTTP/1.1"),
            query(4, "SELECT nonsense"),
            query(5, "ASK { ?a ?b 2 }"),
            "garbage\n".to_owned(),
            query(9, "ASK { ?a ?b 1 }"),
        ];
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(lines.concat().as_bytes()).unwrap();
        fs::write(&log, gzip.finish().unwrap()).unwrap();
        let out = folder.path().join("workload");
        let imported = Imported::from_log(&log, &out, None, 1).unwrap();
        assert_eq!(
            (imported.lines, imported.kept, imported.templates),
            (6, 3, 1)
        );
        let dropped: Vec<_> = imported.dropped.into_iter().collect();
        let wanted = [Dropped::NotOfTheFormat, Dropped::NoQuery, Dropped::Syntax];
        assert_eq!(dropped, wanted.map(|reason| (reason, 1)));
        let written = fs::read_to_string(out.join(RECORDED_FILE)).unwrap();
        assert!(
            !written.contains("192") && !written.contains("ann"),
            "{written}"
        );
        let workload = Workload::read(&out, 0).unwrap();
        assert_eq!(workload.queries().len(), 2);
        assert_eq!(workload.requests(Phase::Timed), [0, 1, 0]);
        assert_eq!(
            workload.recorded(Phase::Timed),
            [0, 2, 6].map(Duration::from_secs)
        );
        assert!(Imported::from_log(&log, &out, None, 1).is_err());
    }

    #[test]
    fn a_sample_keeps_rare_templates_and_the_order() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("queries.txt");
        let mut lines: Vec<_> = (0..200).map(|n| format!("ASK {{ ?a ?b {n} }}\n")).collect();
        lines.insert(120, "SELECT * { ?a ?b ?c } LIMIT 1\n".to_owned());
        lines.insert(30, "DESCRIBE <http://e/>\n".to_owned());
        fs::write(&log, lines.concat()).unwrap();
        let sampled = |size, seed| {
            let out = folder.path().join(format!("{size}-{seed}"));
            let imported = Imported::from_log(&log, &out, Some(size), seed).unwrap();
            assert_eq!((imported.kept, imported.left_out), (size, 202 - size));
            fs::read_to_string(out.join(RECORDED_FILE)).unwrap()
        };
        let text = sampled(10, 1);
        let position = |word: &str| text.lines().position(|line| line.contains(word));
        assert!(
            position("DESCRIBE").unwrap() < position("LIMIT").unwrap(),
            "{text}"
        );
        assert!(sampled(1, 1).contains("ASK"));
        assert_ne!(sampled(10, 2), text);
    }
}
