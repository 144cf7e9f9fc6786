//! Results of an expression over one variable, by the variable's id.
//!
//! Columns repeat ids, so such an expression is worked out once per distinct id and not once per row. Errors are
//! results too: a hit raises again what working out would raise, also what a functional form caught on the way, so that
//! counts and the backtrace policy do not depend on the memo.

use super::context::ExprContext;
use super::raise::{ExprError, Fault, Outcome, catch, raise_again};
use super::value::Value;
use crate::term::TermId;
use foldhash::fast::RandomState;
use hashbrown::HashMap;

/// The number of entries at which a memo is emptied.
const ENTRIES_MAX: usize = 1 << 20;
/// The bytes of text at which a memo is emptied.
const TEXT_BYTES_MAX: usize = 64 << 20;

/// What a memo keeps for an id.
pub(super) trait Remembered {
    /// The bytes outside the entry.
    fn text_bytes(&self) -> usize;
}

impl Remembered for TermId {
    fn text_bytes(&self) -> usize {
        0
    }
}

impl Remembered for Value<'static> {
    fn text_bytes(&self) -> usize {
        Value::text_bytes(self)
    }
}

struct Entry<R> {
    result: Result<R, ExprError>,
    raised: Option<(ExprError, u32)>,
}

/// Results by id.
pub(super) struct Memo<R> {
    numbers: HashMap<TermId, u32, RandomState>,
    entries: Vec<Entry<R>>,
    /// The id asked for last and the number of its entry: neighbouring rows often have one id.
    last: Option<(TermId, u32)>,
    text_bytes: usize,
    worked: u64,
}

impl<R> Default for Memo<R> {
    fn default() -> Self {
        Self {
            numbers: HashMap::default(),
            entries: Vec::new(),
            last: None,
            text_bytes: 0,
            worked: 0,
        }
    }
}

impl<R: Remembered> Memo<R> {
    /// The result for an id, from memory or by `work`.
    pub(super) fn get(
        &mut self,
        id: TermId,
        cx: &ExprContext,
        work: impl FnOnce() -> Outcome<R>,
    ) -> Outcome<&R> {
        let number = match self.find(id) {
            Some(number) => {
                if let Some((error, times)) = self.entries[number as usize].raised {
                    raise_again(error, times, cx);
                }
                number
            }
            None => self.fill(id, cx, work)?,
        };
        self.last = Some((id, number));
        let entry = &self.entries[number as usize];
        entry.result.as_ref().map_err(|error| (*error).into())
    }

    #[inline]
    fn find(&self, id: TermId) -> Option<u32> {
        match self.last {
            Some((last, number)) if last == id => Some(number),
            _ => self.numbers.get(&id).copied(),
        }
    }

    fn fill(
        &mut self,
        id: TermId,
        cx: &ExprContext,
        work: impl FnOnce() -> Outcome<R>,
    ) -> Outcome<u32> {
        if self.entries.len() >= ENTRIES_MAX || self.text_bytes >= TEXT_BYTES_MAX {
            self.entries.clear();
            self.numbers.clear();
            self.last = None;
            self.text_bytes = 0;
        }
        self.worked += 1;
        let before = cx.errors.raised();
        let result = catch(work()).map_err(Fault::Query)?;
        let times = (cx.errors.raised() - before) as u32;
        let raised = cx.errors.last().filter(|_| times > 0).map(|e| (e, times));
        self.text_bytes += result.as_ref().map_or(0, R::text_bytes);
        let number = self.entries.len() as u32;
        self.entries.push(Entry { result, raised });
        self.numbers.insert(id, number);
        Ok(number)
    }

    /// How often the expression was worked out.
    pub(super) fn worked(&self) -> u64 {
        self.worked
    }

    /// The bytes of memory that it takes.
    pub(super) fn bytes_held(&self) -> usize {
        let entries = self.entries.capacity() * size_of::<Entry<R>>();
        self.numbers.allocation_size() + entries + self.text_bytes
    }
}
