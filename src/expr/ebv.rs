//! Effective boolean values and the logic of three values (SPARQL 1.1 Query, sections 17.2 and 17.2.2).

use super::raise::ExprErrorKind;
use super::value::Value;
use crate::term::{Tag, TermId};

/// True, false, or an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Truth {
    False,
    True,
    Error,
}

impl From<bool> for Truth {
    #[inline]
    fn from(value: bool) -> Self {
        if value { Self::True } else { Self::False }
    }
}

impl Truth {
    /// Logical-and: false wins over an error, an error over true.
    #[inline]
    pub(super) const fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::False, _) | (_, Self::False) => Self::False,
            (Self::True, Self::True) => Self::True,
            _ => Self::Error,
        }
    }

    /// Logical-or: true wins over an error, an error over false.
    #[inline]
    pub(super) const fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::True, _) | (_, Self::True) => Self::True,
            (Self::False, Self::False) => Self::False,
            _ => Self::Error,
        }
    }

    /// Logical-not: an error stays one.
    #[inline]
    pub(super) const fn not(self) -> Self {
        match self {
            Self::True => Self::False,
            Self::False => Self::True,
            Self::Error => Self::Error,
        }
    }

    /// The boolean's id, unbound for an error.
    #[inline]
    pub(super) const fn to_id(self) -> TermId {
        match self {
            Self::True => TermId::from_boolean(true),
            Self::False => TermId::from_boolean(false),
            Self::Error => TermId::UNBOUND,
        }
    }
}

/// The effective boolean value.
pub(super) fn effective(value: &Value<'_>) -> Result<bool, ExprErrorKind> {
    match value {
        Value::Boolean(b) => Ok(*b),
        Value::Number(n) => Ok(!n.is_zero_or_nan()),
        Value::String(text) => Ok(!text.is_empty()),
        Value::Opaque(literal) if literal.is_ill_typed() => Err(ExprErrorKind::IllTyped),
        _ => Err(ExprErrorKind::Type),
    }
}

/// The effective boolean value of an id that tells it: inline booleans and integers.
#[inline]
pub(super) fn effective_inline(id: TermId) -> Option<bool> {
    match id.tag() {
        Tag::Boolean => id.as_boolean(),
        Tag::Integer => id.as_integer().map(|i| i != 0),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::Truth::{self, Error, False, True};

    #[test]
    fn the_table_is_that_of_the_specification() {
        let rows: [(Truth, Truth, Truth, Truth); 9] = [
            (True, True, True, True),
            (True, False, True, False),
            (False, True, True, False),
            (False, False, False, False),
            (True, Error, True, Error),
            (Error, True, True, Error),
            (False, Error, Error, False),
            (Error, False, Error, False),
            (Error, Error, Error, Error),
        ];
        for (a, b, or, and) in rows {
            assert_eq!((a.or(b), a.and(b)), (or, and), "{a:?} {b:?}");
        }
    }
}
