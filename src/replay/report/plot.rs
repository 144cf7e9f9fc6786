//! Plots as SVG, drawn without scripts: axes, lines, points, and a legend in words.
//!
//! Colours and weights are classes, so that the page decides them for light and for dark. The drawing is small and grows
//! with its place, so that its letters stay legible on a narrow screen.

use std::fmt::{self, Write};

const WIDTH: f64 = 400.0;
const HEIGHT: f64 = 250.0;
const LEFT: f64 = 46.0;
const RIGHT: f64 = 388.0;
const TOP: f64 = 10.0;
const BOTTOM: f64 = 210.0;
const TICKS: usize = 5;
/// Lines are thinned to so many points, which is more than a screen shows.
const POINTS_MAX: usize = 400;

/// A direction of a plot.
pub struct Axis {
    /// What it measures, with its unit.
    pub title: &'static str,
    /// Whether equal distances are equal ratios.
    pub is_logarithmic: bool,
}

/// Points that belong together.
pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// Its colour, from zero.
    pub colour: usize,
    /// Whether its line is dashed.
    pub is_dashed: bool,
    /// Whether its points are marked.
    pub has_marks: bool,
    /// Its points from left to right.
    pub points: Vec<(f64, f64)>,
}

/// A plot.
pub struct Plot {
    /// What it shows, for those who do not see it.
    pub title: String,
    /// From left to right.
    pub x: Axis,
    /// From bottom to top.
    pub y: Axis,
    /// A value of the vertical axis at which a line is drawn across.
    pub level: Option<f64>,
    /// What is drawn.
    pub series: Vec<Series>,
}

/// An axis with its ends, and the place of each value on the page.
struct Scale {
    is_logarithmic: bool,
    low: f64,
    high: f64,
    start: f64,
    end: f64,
}

impl Scale {
    fn new(axis: &Axis, values: impl Iterator<Item = f64>, start: f64, end: f64) -> Self {
        let shown = values.filter(|v| v.is_finite() && (!axis.is_logarithmic || *v > 0.0));
        let (low, high) = shown.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
            (low.min(value), high.max(value))
        });
        let (low, high) = match (axis.is_logarithmic, low <= high) {
            (_, false) => (1.0, 10.0),
            (true, true) => (low / 1.1, high * 1.1),
            (false, true) => (
                low.min(0.0),
                if high > low.min(0.0) { high } else { low + 1.0 },
            ),
        };
        Self {
            is_logarithmic: axis.is_logarithmic,
            low,
            high,
            start,
            end,
        }
    }

    fn place(&self, value: f64) -> f64 {
        let share = match self.is_logarithmic {
            true => (value.max(self.low) / self.low).ln() / (self.high / self.low).ln(),
            false => (value - self.low) / (self.high - self.low),
        };
        self.start + share.clamp(0.0, 1.0) * (self.end - self.start)
    }

    /// Round values within the ends.
    fn ticks(&self) -> Vec<f64> {
        let within = |value: &f64| (self.low..=self.high).contains(value);
        if self.is_logarithmic {
            let decades = self.low.log10().floor() as i32..=self.high.log10().ceil() as i32;
            let steps: &[f64] = match self.high / self.low {
                ..=500.0 => &[1.0, 2.0, 5.0],
                _ => &[1.0],
            };
            let all = decades.flat_map(|decade| steps.iter().map(move |s| s * 10_f64.powi(decade)));
            return all.filter(within).collect();
        }
        let rough = (self.high - self.low) / TICKS as f64;
        let decade = 10_f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0]
            .into_iter()
            .map(|s| s * decade)
            .find(|s| *s >= rough);
        let step = step.unwrap_or(rough);
        let first = (self.low / step).ceil() as i64;
        let all = (first..)
            .map(|n| n as f64 * step)
            .take_while(|v| *v <= self.high * (1.0 + 1e-9));
        all.collect()
    }
}

impl fmt::Display for Plot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let points = || self.series.iter().flat_map(|series| &series.points);
        let x = Scale::new(&self.x, points().map(|point| point.0), LEFT, RIGHT);
        let y_values = points().map(|point| point.1).chain(self.level);
        let y = Scale::new(&self.y, y_values, BOTTOM, TOP);
        writeln!(
            f,
            "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{}\">",
            Escaped(&self.title)
        )?;
        self.write_axes(f, &x, &y)?;
        for series in &self.series {
            series.write(f, &x, &y)?;
        }
        writeln!(f, "</svg>")?;
        self.write_legend(f)
    }
}

impl Plot {
    fn write_axes(&self, f: &mut fmt::Formatter<'_>, x: &Scale, y: &Scale) -> fmt::Result {
        for tick in y.ticks() {
            let place = y.place(tick);
            writeln!(f, "<path class=\"grid\" d=\"M{LEFT} {place:.1}H{RIGHT}\"/>")?;
            let (left, base) = (LEFT - 5.0, place + 3.5);
            writeln!(
                f,
                "<text class=\"end\" x=\"{left}\" y=\"{base:.1}\">{}</text>",
                Short(tick)
            )?;
        }
        for tick in x.ticks() {
            let place = x.place(tick);
            writeln!(f, "<path class=\"grid\" d=\"M{place:.1} {TOP}V{BOTTOM}\"/>")?;
            let base = BOTTOM + 14.0;
            writeln!(
                f,
                "<text class=\"mid\" x=\"{place:.1}\" y=\"{base}\">{}</text>",
                Short(tick)
            )?;
        }
        if let Some(level) = self.level {
            let place = y.place(level);
            writeln!(
                f,
                "<path class=\"level\" d=\"M{LEFT} {place:.1}H{RIGHT}\"/>"
            )?;
        }
        let (middle, base) = (f64::midpoint(LEFT, RIGHT), HEIGHT - 8.0);
        writeln!(
            f,
            "<text class=\"mid\" x=\"{middle}\" y=\"{base}\">{}</text>",
            self.x.title
        )?;
        let middle = f64::midpoint(TOP, BOTTOM);
        writeln!(
            f,
            "<text class=\"mid\" transform=\"translate(11 {middle}) rotate(-90)\">{}</text>",
            self.y.title
        )
    }

    fn write_legend(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "<ul class=\"legend\">")?;
        for series in &self.series {
            let (colour, dashed) = (series.colour(), series.dashed());
            writeln!(
                f,
                "<li><svg viewBox=\"0 0 24 8\"><path class=\"{colour}{dashed}\" d=\"M1 4H23\"/></svg>{}</li>",
                Escaped(&series.name)
            )?;
        }
        writeln!(f, "</ul>")
    }
}

impl Series {
    fn colour(&self) -> String {
        format!("line c{}", self.colour % 6)
    }

    /// After the colours are used up, lines are told apart by dashes, too.
    fn dashed(&self) -> &'static str {
        match self.is_dashed != (self.colour / 6 % 2 == 1) {
            true => " dashed",
            false => "",
        }
    }

    fn write(&self, f: &mut fmt::Formatter<'_>, x: &Scale, y: &Scale) -> fmt::Result {
        let (colour, dashed) = (self.colour(), self.dashed());
        let mut path = String::new();
        let stride = self.points.len().div_ceil(POINTS_MAX).max(1);
        let last = self.points.len().saturating_sub(1);
        let thinned = self
            .points
            .iter()
            .enumerate()
            .filter(|(i, _)| i % stride == 0 || *i == last);
        for (_, point) in thinned {
            let command = if path.is_empty() { 'M' } else { 'L' };
            let (left, top) = (x.place(point.0), y.place(point.1));
            write!(path, "{command}{left:.1} {top:.1}")?;
            if self.has_marks {
                let name = Escaped(&self.name);
                writeln!(
                    f,
                    "<circle class=\"{colour}\" cx=\"{left:.1}\" cy=\"{top:.1}\" r=\"2.6\"><title>{name}: {}, {}</title></circle>",
                    Short(point.0),
                    Short(point.1)
                )?;
            }
        }
        writeln!(f, "<path class=\"{colour}{dashed}\" d=\"{path}\"/>")
    }
}

/// A number with three digits that matter.
pub struct Short(pub f64);

impl fmt::Display for Short {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let magnitude = self.0.abs();
        if magnitude >= 1e6 {
            return write!(f, "{}M", Self(self.0 / 1e6));
        }
        let decimals = match magnitude {
            m if m == 0.0 || m >= 100.0 => 0,
            m => (2 - m.log10().floor() as i32).max(0) as usize,
        };
        let text = format!("{:.decimals$}", self.0);
        match text.contains('.') {
            true => f.write_str(text.trim_end_matches('0').trim_end_matches('.')),
            false => f.write_str(&text),
        }
    }
}

/// Text within HTML, also within quotes.
pub struct Escaped<'a>(pub &'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.chars() {
            match c {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_within() {
        let check = |is_logarithmic, low: f64, high: f64, wanted: &[f64]| {
            let axis = Axis {
                title: "",
                is_logarithmic,
            };
            let scale = Scale::new(&axis, [low, high].into_iter(), 0.0, 100.0);
            let found: Vec<_> = scale
                .ticks()
                .iter()
                .map(|tick| Short(*tick).to_string())
                .collect();
            let wanted: Vec<_> = wanted.iter().map(|tick| Short(*tick).to_string()).collect();
            assert_eq!(found, wanted, "{low} to {high}");
        };
        check(false, 0.0, 10.0, &[0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
        check(false, 3.0, 3.0, &[0.0, 1.0, 2.0, 3.0]);
        check(true, 1.0, 10.0, &[1.0, 2.0, 5.0, 10.0]);
        check(true, 0.5, 9000.0, &[1.0, 10.0, 100.0, 1000.0]);
    }

    #[test]
    fn numbers_are_short() {
        let check = |number: f64, wanted: &str| assert_eq!(Short(number).to_string(), wanted);
        check(0.0, "0");
        check(0.012_34, "0.0123");
        check(1.5, "1.5");
        check(20.0, "20");
        check(1234.5, "1234");
        check(2_500_000.0, "2.5M");
    }

    #[test]
    fn a_plot_without_points_and_one_with_odd_names_are_drawn() {
        let plot = |points: Vec<(f64, f64)>| Plot {
            title: "a \"plot\"".to_owned(),
            x: Axis {
                title: "x",
                is_logarithmic: true,
            },
            y: Axis {
                title: "y",
                is_logarithmic: false,
            },
            level: Some(1.0),
            series: vec![Series {
                name: "<b>".to_owned(),
                colour: 0,
                is_dashed: false,
                has_marks: true,
                points,
            }],
        };
        for points in [vec![], vec![(1.0, 1.0)], vec![(0.0, 0.0), (5.0, 2.0)]] {
            let text = plot(points).to_string();
            assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
            assert!(
                text.contains("&lt;b&gt;") && text.contains("a &quot;plot&quot;"),
                "{text}"
            );
        }
    }
}
