//! Panics as errors with their place, so that a query which ends in one can be made smaller.

use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe};

thread_local! {
    /// Where the last panic of this thread came from, while panics are caught here.
    static CAUGHT: RefCell<Option<String>> = const { RefCell::new(None) };
    static CATCHES: RefCell<bool> = const { RefCell::new(false) };
}

/// Has panics that are caught here say nothing; all others are reported as before.
pub fn install() {
    let report = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        if CATCHES.with_borrow(|catches| *catches) {
            CAUGHT.set(Some(info.to_string()));
        } else {
            report(info);
        }
    }));
}

/// What `run` returns, or the message and place of its panic.
pub fn caught<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    CATCHES.set(true);
    let outcome = panic::catch_unwind(AssertUnwindSafe(run));
    CATCHES.set(false);
    outcome.map_err(|_| CAUGHT.take().unwrap_or_default())
}
