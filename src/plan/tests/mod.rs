//! What plans look like over a small store, and the questions that the rewrites ask of the algebra.

mod explain;
mod fixture;
mod rewrites;
mod search;
