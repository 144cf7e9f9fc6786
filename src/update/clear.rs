//! CLEAR and DROP: taking all quads of some graphs away (SPARQL 1.1 Update, sections 3.1.5 and 3.2.2).

use super::GraphChoice;
use super::changes::Changes;
use crate::diagnostics::Result;
use crate::storage::{ColumnMask, Permutation, QuadColumn};
use crate::term::TermId;

/// Deletes every quad of some graphs.
///
/// # Errors
/// The request is over a limit, or the store failed.
pub fn clear(changes: &mut Changes, choice: &GraphChoice) -> Result<()> {
    let state = changes.state()?;
    let prefix = match choice {
        GraphChoice::All | GraphChoice::AllNamed => Vec::new(),
        GraphChoice::Default => vec![TermId::DEFAULT_GRAPH],
        GraphChoice::Named(iri) => match super::terms::lookup_iri(changes, iri)? {
            Some(graph) => vec![graph],
            None => return Ok(()),
        },
    };
    let mut scan = state.scan(Permutation::Gspo, &prefix, ColumnMask::ALL)?;
    while let Some(block) = scan.next_block()? {
        for row in 0..block.rows() {
            let quad = QuadColumn::ALL.map(|column| block.column(column)[row]);
            let is_kept = *choice == GraphChoice::AllNamed && quad[3] == TermId::DEFAULT_GRAPH;
            if !is_kept {
                changes.delete(quad)?;
            }
        }
    }
    Ok(())
}
