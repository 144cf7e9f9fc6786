//! Each operator against a naive twin over small random inputs, and the limits that end every one of them.

mod closure;
mod fixture;
mod index_join;
mod joins;
mod limits;
mod loose;
mod rows;
mod seeded;
