//! The values of options: how their texts are read, and what they may be.

use crate::diagnostics::Result;
use crate::replay::pace::Milli;
use std::str::FromStr;

/// How the requests of an open loop arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Arrivals {
    /// Independently of each other
    Poisson,
    /// At equal distances
    Fixed,
}

/// A value under a name: `NAME=VALUE`.
#[derive(Clone, Debug)]
pub struct Named<T> {
    /// The name.
    pub name: String,
    /// What stands under it.
    pub value: T,
}

impl<T: FromStr<Err: std::fmt::Display>> FromStr for Named<T> {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, value) = text.split_once('=').ok_or("write NAME=VALUE")?;
        if name.is_empty() {
            return Err("the name is empty".to_owned());
        }
        Ok(Self {
            name: name.to_owned(),
            value: value.parse().map_err(|e: T::Err| e.to_string())?,
        })
    }
}

/// A number above zero.
pub fn positive(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("it must be at least 1".to_owned()),
        Ok(number) => Ok(number),
        Err(e) => Err(format!("{e}")),
    }
}

/// `5%` or `5`.
pub fn percent(text: &str) -> Result<f64, String> {
    match text.strip_suffix('%').unwrap_or(text).parse::<f64>() {
        Ok(percent) if percent.is_finite() && percent >= 0.0 => Ok(percent),
        Ok(_) => Err("it must be at least 0".to_owned()),
        Err(e) => Err(e.to_string()),
    }
}

/// A time above zero, exact to a thousandth.
pub fn seconds(text: &str) -> Result<f64, String> {
    Milli::from_str(text).map(Milli::get)
}
