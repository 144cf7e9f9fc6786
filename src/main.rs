//! Kaluta.
fn main() {}
