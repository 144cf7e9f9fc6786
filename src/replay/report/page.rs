//! A replay as one page of HTML: the tables of the text, and plots with the figures beside them. It needs no network and no
//! scripts, and has the whole text report at its end.

use super::plot::{Axis, Escaped, Plot, Series, Short};
use super::{Report, Row};
use crate::replay::statistics::Samples;
use crate::replay::table::{Table, decimals, figures, words};
use std::fmt;

const STYLE: &str = include_str!("page.css");
const QUERIES_SHOWN: usize = 8;

/// The page of a report.
pub struct Page<'r, 'o>(pub &'r Report<'o>);

impl fmt::Display for Page<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let report = self.0;
        writeln!(
            f,
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <title>Replay: {}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>",
            Escaped(&report.names())
        )?;
        writeln!(f, "<h1>Replay: {}</h1>", Escaped(&report.names()))?;
        for line in report.circumstances().lines() {
            writeln!(f, "<p class=\"faint\">{}</p>", Escaped(line))?;
        }
        self.write_attention(f)?;
        section(
            f,
            "Times",
            "Seconds for all timed queries, one figure for each round; percentages of the first row.",
        )?;
        wide(f, &report.times())?;
        self.write_differences(f)?;
        self.write_failures(f)?;
        section(
            f,
            "Latencies",
            "The share of requests that took no longer than this. Further left is faster.",
        )?;
        plot(f, &report.distribution(), &report.quantiles())?;
        self.write_ratios(f)?;
        section(
            f,
            "By feature",
            "Geometric means of the queries' median ms, by form and operator. A query counts in each of its rows.",
        )?;
        wide(f, &report.features())?;
        self.write_loads(f)?;
        self.write_freshness(f)?;
        section(
            f,
            "Behind the times",
            "Figures of the servers are means over the runs, peak memory is the largest.",
        )?;
        wide(f, &report.behind())?;
        wide(f, &report.resources())?;
        section(
            f,
            "The whole report as text",
            "With what went wrong, if anything did.",
        )?;
        writeln!(
            f,
            "<pre tabindex=\"0\">{}</pre>\n</body>\n</html>",
            Escaped(&report.to_string())
        )
    }
}

impl Page<'_, '_> {
    /// What must be known before a figure is believed.
    fn write_attention(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines = [self.0.warnings(), self.0.problems()].concat();
        if lines.is_empty() {
            return Ok(());
        }
        writeln!(f, "<ul class=\"attention\">")?;
        for line in lines {
            writeln!(f, "<li>{}</li>", Escaped(&line))?;
        }
        writeln!(f, "</ul>")
    }

    fn write_differences(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.outcome.plan.targets.len() < 2 {
            return Ok(());
        }
        let base = self.0.name(0);
        let about = format!(
            "Percent more or less than {base}, with 99% intervals over pairs of runs. The geometric mean decides."
        );
        section(f, "Differences", &about)?;
        wide(f, &self.0.differences())
    }

    fn write_failures(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(table) = self.0.penalties() else {
            return Ok(());
        };
        let about = "Timed requests that failed, by class, and mean latencies with each of them counted as 2 and as 10 \
                     times the time-out. Where the ranks agree, the factor does not decide.";
        section(f, "Failures", about)?;
        wide(f, &table)
    }

    fn write_freshness(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(table) = self.0.freshness() else {
            return Ok(());
        };
        let about = "Milliseconds from the intended start of an update to the word that it is made, and from there to the \
                     first answer that knows of it.";
        section(f, "Updates", about)?;
        wide(f, &table)
    }

    fn write_ratios(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.outcome.plan.targets.len() < 2 {
            return Ok(());
        }
        let base = self.0.name(0);
        let about = format!(
            "Each query's time as a multiple of that of {base}, sorted. Below the dotted line a server is faster. \
             Only queries are compared that both answered alike in every pair of runs."
        );
        section(f, "Query by query", &about)?;
        let (drawing, table) = self.0.query_ratios();
        plot(f, &drawing, &table)
    }

    fn write_loads(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.pace() {
            None => {
                section(
                    f,
                    "Throughput",
                    "Answers a second by number of client threads.",
                )?;
                plot(f, &self.0.throughput(), &self.0.throughputs())
            }
            Some(_) => {
                let about = "From the intended start: the middle of all, and dashed the slowest hundredth (or the \
                             slowest of all, where fewer than a thousand requests were sent).";
                section(f, "Latency under load", about)?;
                plot(f, &self.0.latency_by_rate(), &self.0.open_loop())
            }
        }
    }
}

fn section(f: &mut fmt::Formatter<'_>, title: &str, about: &str) -> fmt::Result {
    writeln!(f, "<h2>{title}</h2>\n<p>{}</p>", Escaped(about))
}

fn wide(f: &mut fmt::Formatter<'_>, table: &Table) -> fmt::Result {
    writeln!(
        f,
        "<div class=\"wide\" tabindex=\"0\">{}</div>",
        Html(table)
    )
}

fn plot(f: &mut fmt::Formatter<'_>, plot: &Plot, table: &Table) -> fmt::Result {
    writeln!(
        f,
        "<div class=\"plot\"><div>\n{plot}</div><div class=\"beside\" tabindex=\"0\">{}</div></div>",
        Html(table)
    )
}

/// A table as HTML.
struct Html<'a>(&'a Table);

impl fmt::Display for Html<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let class = |is_figure| if is_figure { " class=\"figure\"" } else { "" };
        write!(f, "<table>\n<tr>")?;
        for column in self.0.columns() {
            write!(
                f,
                "<th{}>{}</th>",
                class(column.is_figure),
                Escaped(&column.title)
            )?;
        }
        writeln!(f, "</tr>")?;
        for row in self.0.rows() {
            write!(f, "<tr>")?;
            for (column, cell) in self.0.columns().iter().zip(row) {
                write!(f, "<td{}>{}</td>", class(column.is_figure), Escaped(cell))?;
            }
            writeln!(f, "</tr>")?;
        }
        write!(f, "</table>")
    }
}

impl Report<'_> {
    fn names(&self) -> String {
        let names: Vec<_> = self.outcome.plan.targets.iter().map(|t| &*t.name).collect();
        names.join(", ")
    }

    /// The rows under the first load.
    fn first_rows(&self) -> impl Iterator<Item = &Row<'_>> {
        let first = self.outcome.plan.loads.first().copied();
        self.rows.iter().filter(move |row| Some(row.load) == first)
    }

    fn series(&self, row: &Row<'_>, points: Vec<(f64, f64)>) -> Series {
        Series {
            name: self.name(row.target).to_owned(),
            colour: row.target,
            is_dashed: false,
            has_marks: false,
            points,
        }
    }

    fn distribution(&self) -> Plot {
        let series = self.first_rows().map(|row| {
            let latencies = row.latencies_ms();
            let all = latencies.ascending();
            let share = |position: usize| (position + 1) as f64 / all.len() as f64 * 100.0;
            let points = all.iter().enumerate().map(|(i, &ms)| (ms, share(i)));
            self.series(row, points.collect())
        });
        Plot {
            title: "Distribution of latencies".to_owned(),
            x: Axis {
                title: "milliseconds",
                is_logarithmic: true,
            },
            y: Axis {
                title: "percent of requests",
                is_logarithmic: false,
            },
            level: None,
            series: series.collect(),
        }
    }

    fn quantiles(&self) -> Table {
        let mut table = Table::new([
            words(self.subject()),
            figures("requests"),
            figures("p50 ms"),
            figures("p90"),
            figures("p99"),
            figures("p99.9"),
            figures("max"),
        ]);
        for row in self.first_rows() {
            let latencies = row.latencies_ms();
            let figure = |value: Option<f64>| decimals(value, 2);
            table.push([
                self.name(row.target).to_owned(),
                latencies.ascending().len().to_string(),
                figure(latencies.median()),
                figure(latencies.percentile(900)),
                figure(latencies.percentile(990)),
                figure(latencies.percentile(999)),
                figure(latencies.max()),
            ]);
        }
        table
    }

    fn query_ratios(&self) -> (Plot, Table) {
        let mut series = Vec::new();
        let mut table = Table::new([words(self.subject()), words("query"), figures("ratio")]);
        for target in 1..self.outcome.plan.targets.len() {
            let Some(comparison) = self.comparison(target, None) else {
                continue;
            };
            let mut ratios: Vec<_> = comparison
                .queries
                .iter()
                .map(|q| (q.ratio, q.query))
                .collect();
            ratios.sort_by(|a, b| f64::total_cmp(&a.0, &b.0));
            let ends = ratios.len().saturating_sub(QUERIES_SHOWN / 2);
            let is_shown = |i: usize| i < QUERIES_SHOWN / 2 || i >= ends;
            for (_, (ratio, query)) in ratios.iter().enumerate().filter(|(i, _)| is_shown(*i)) {
                let cells = [self.name(target), query].map(str::to_owned);
                table.push(cells.into_iter().chain([Short(*ratio).to_string()]));
            }
            series.push(Series {
                name: self.name(target).to_owned(),
                colour: target,
                is_dashed: false,
                has_marks: false,
                points: (ratios.iter().enumerate())
                    .map(|(position, (ratio, _))| ((position + 1) as f64, *ratio))
                    .collect(),
            });
        }
        let plot = Plot {
            title: format!("Ratio of each query's time to that of {}", self.name(0)),
            x: Axis {
                title: "queries, by ratio",
                is_logarithmic: false,
            },
            y: Axis {
                title: "ratio",
                is_logarithmic: true,
            },
            level: Some(1.0),
            series,
        };
        (plot, table)
    }

    /// A figure of each row by its load, a series for each target.
    fn by_load(
        &self,
        is_dashed: bool,
        of_name: &str,
        figure: impl Fn(&Row<'_>) -> Option<(f64, f64)>,
    ) -> Vec<Series> {
        (0..self.outcome.plan.targets.len())
            .map(|target| {
                let rows = self.rows.iter().filter(|row| row.target == target);
                let mut points: Vec<_> = rows.filter_map(&figure).collect();
                points.sort_by(|a, b| f64::total_cmp(&a.0, &b.0));
                Series {
                    name: format!("{}{of_name}", self.name(target)),
                    colour: target,
                    is_dashed,
                    has_marks: true,
                    points,
                }
            })
            .collect()
    }

    fn throughput(&self) -> Plot {
        Plot {
            title: "Throughput by number of client threads".to_owned(),
            x: Axis {
                title: "client threads",
                is_logarithmic: false,
            },
            y: Axis {
                title: "answers a second",
                is_logarithmic: false,
            },
            level: None,
            series: self.by_load(false, "", |row| {
                Some((row.load.threads as f64, row.throughput_per_s()?))
            }),
        }
    }

    fn throughputs(&self) -> Table {
        let mut table = Table::new([
            words(self.subject()),
            figures("threads"),
            figures("answers/s"),
            figures("server CPU s"),
            figures("client CPU%"),
        ]);
        for row in &self.rows {
            table.push([
                self.name(row.target).to_owned(),
                row.load.to_string(),
                decimals(row.throughput_per_s(), 1),
                decimals(row.server_cpu_s(), 2),
                decimals(row.client_share().map(|share| share * 100.0), 1),
            ]);
        }
        table
    }

    fn latency_by_rate(&self) -> Plot {
        let of = |figure: fn(&Samples) -> Option<f64>| {
            move |row: &Row<'_>| Some((row.load.pace?.number(), figure(&row.latencies_ms())?))
        };
        let mut series = self.by_load(false, ", p50", of(Samples::median));
        series.extend(self.by_load(true, ", p99", of(|s| s.percentile(990).or(s.max()))));
        Plot {
            title: "Latency by rate".to_owned(),
            x: Axis {
                title: "requests a second, or speed",
                is_logarithmic: false,
            },
            y: Axis {
                title: "milliseconds",
                is_logarithmic: true,
            },
            level: None,
            series,
        }
    }
}
