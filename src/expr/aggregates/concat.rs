//! GROUP_CONCAT, in the order in which values arrive (SPARQL 1.1 Query, section 18.5.1.7).
//!
//! That section defines it by CONCAT, whose arguments are string literals, those with a language among them
//! (section 17.4.3.12): any other term, like an error, leaves the group without a result. Who wants IRIs or numbers in
//! the list writes STR. The result is always a simple string, since the definition adds one to the values.

use super::make_room;
use crate::diagnostics::Result;
use crate::expr::context::ExprContext;
use crate::expr::raise::{ExprErrorKind, Place, raise};
use crate::term::{LiteralSort, TermId, TermView};

pub(super) struct Concat {
    separator: String,
    groups: Vec<Text>,
    text_bytes: usize,
    place: Place,
    buffer: Vec<u8>,
}

#[derive(Clone, Default)]
enum Text {
    #[default]
    Empty,
    Some(String),
    Failed,
}

impl Concat {
    pub(super) fn new(separator: &str, place: Place) -> Self {
        Self {
            separator: separator.to_owned(),
            groups: Vec::new(),
            text_bytes: 0,
            place,
            buffer: Vec::new(),
        }
    }

    pub(super) fn add(
        &mut self,
        values: &[TermId],
        groups: &[u32],
        cx: &ExprContext,
    ) -> Result<()> {
        make_room(&mut self.groups, groups);
        for (&value, &group) in values.iter().zip(groups) {
            let text = &mut self.groups[group as usize];
            if matches!(text, Text::Failed) {
                continue;
            }
            if !value.is_bound() {
                *text = Text::Failed;
                continue;
            }
            let added = match cx.terms.resolve(value, &mut self.buffer)? {
                TermView::Literal {
                    lexical,
                    sort: LiteralSort::String | LiteralSort::Lang(..),
                } => lexical,
                _ => {
                    raise(ExprErrorKind::Type, self.place, cx);
                    *text = Text::Failed;
                    continue;
                }
            };
            self.text_bytes += added.len() + self.separator.len();
            match text {
                Text::Some(text) => {
                    text.push_str(&self.separator);
                    text.push_str(added);
                }
                text => *text = Text::Some(added.to_owned()),
            }
        }
        Ok(())
    }

    pub(super) fn finish(&mut self, groups: usize, cx: &ExprContext) -> Result<Vec<TermId>> {
        self.groups.resize(groups, Text::Empty);
        let results = std::mem::take(&mut self.groups).into_iter().map(|text| {
            let lexical = match &text {
                Text::Empty => "",
                Text::Some(text) => text,
                Text::Failed => return Ok(TermId::UNBOUND),
            };
            let sort = LiteralSort::String;
            cx.terms.intern(&TermView::Literal { lexical, sort })
        });
        results.collect()
    }

    pub(super) fn bytes_held(&self) -> usize {
        self.groups.capacity() * size_of::<Text>() + self.text_bytes
    }
}
