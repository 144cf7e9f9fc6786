//! The orders in which quads are stored, as a strong type.
//!
//! A [`Permutation`] is a column order. Six begin with a triple column and end with the graph, two begin with the
//! graph, so every quad pattern is one contiguous range of some permutation.

use crate::term::TermId;

/// A quad by id, its columns in the order subject, predicate, object, graph.
pub type Quad = [TermId; 4];

/// A column of a quad.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum QuadColumn {
    /// The subject.
    Subject = 0,
    /// The predicate.
    Predicate = 1,
    /// The object.
    Object = 2,
    /// The graph; [`TermId::DEFAULT_GRAPH`] for quads of the default graph.
    Graph = 3,
}

impl QuadColumn {
    /// Every column, in the order of a [`Quad`].
    pub const ALL: [Self; 4] = [Self::Subject, Self::Predicate, Self::Object, Self::Graph];
}

/// An order of the columns of a quad.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Permutation {
    /// Subject, predicate, object, graph.
    Spog,
    /// Subject, object, predicate, graph.
    Sopg,
    /// Predicate, subject, object, graph.
    Psog,
    /// Predicate, object, subject, graph.
    Posg,
    /// Object, subject, predicate, graph.
    Ospg,
    /// Object, predicate, subject, graph.
    Opsg,
    /// Graph, subject, predicate, object.
    Gspo,
    /// Graph, predicate, object, subject.
    Gpos,
}

impl Permutation {
    /// Every permutation.
    pub const ALL: [Self; 8] = [
        Self::Spog,
        Self::Sopg,
        Self::Psog,
        Self::Posg,
        Self::Ospg,
        Self::Opsg,
        Self::Gspo,
        Self::Gpos,
    ];

    /// Its columns, in its order.
    pub const fn columns(self) -> [QuadColumn; 4] {
        use QuadColumn::{Graph as G, Object as O, Predicate as P, Subject as S};
        match self {
            Self::Spog => [S, P, O, G],
            Self::Sopg => [S, O, P, G],
            Self::Psog => [P, S, O, G],
            Self::Posg => [P, O, S, G],
            Self::Ospg => [O, S, P, G],
            Self::Opsg => [O, P, S, G],
            Self::Gspo => [G, S, P, O],
            Self::Gpos => [G, P, O, S],
        }
    }

    /// Its name, which is also the extension of its files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Spog => "spog",
            Self::Sopg => "sopg",
            Self::Psog => "psog",
            Self::Posg => "posg",
            Self::Ospg => "ospg",
            Self::Opsg => "opsg",
            Self::Gspo => "gspo",
            Self::Gpos => "gpos",
        }
    }

    /// For an order that begins with the graph: the order of the same rows where there is one graph only.
    pub const fn within_one_graph(self) -> Option<Self> {
        match self {
            Self::Gspo => Some(Self::Spog),
            Self::Gpos => Some(Self::Posg),
            _ => None,
        }
    }

    /// The columns of a quad in this order.
    #[inline]
    pub const fn arrange(self, quad: &Quad) -> [TermId; 4] {
        let [a, b, c, d] = self.columns();
        [
            quad[a as usize],
            quad[b as usize],
            quad[c as usize],
            quad[d as usize],
        ]
    }
}

/// A set of quad columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ColumnMask(u8);

impl ColumnMask {
    /// No column.
    pub const NONE: Self = Self(0);
    /// All four columns.
    pub const ALL: Self = Self(0b1111);

    /// The same set with one column more.
    #[must_use]
    pub const fn with(self, column: QuadColumn) -> Self {
        Self(self.0 | 1 << column as u8)
    }

    /// Whether a column is in it.
    #[inline]
    pub const fn contains(self, column: QuadColumn) -> bool {
        self.0 & (1 << column as u8) != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_permutation_holds_every_column_once_and_is_named_after_them() {
        for permutation in Permutation::ALL {
            let columns = permutation.columns();
            let mask = columns.iter().fold(ColumnMask::NONE, |m, &c| m.with(c));
            assert_eq!(mask, ColumnMask::ALL);
            let letters: String = columns
                .iter()
                .map(|&c| b"spog"[c as usize] as char)
                .collect();
            assert_eq!(letters, permutation.name());
        }
    }
}
