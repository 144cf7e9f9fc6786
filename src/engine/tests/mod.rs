//! Answers of the engine against those of an independent one, in small tables.

mod correlation;
mod data_sets;
mod fixture;
mod forms;
mod fresh;
mod groups;
mod limits;
mod literals;
mod paths;
mod random;
mod scope;
mod tails;
