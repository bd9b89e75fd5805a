//! Work that can be called off from outside.
//!
//! Whoever calls the kernel may say how to find out whether the work is still wanted. Loops over long texts report how far they
//! are; after some work and some time the question is asked, and if the answer is no, the call ends by unwinding, with
//! [`CalledOff`] as what is thrown. Nothing is printed, and no function in between needs a `Result` for it. Threads of the call hear
//! of it at their next report.
//!
//! A report is a subtraction; a call that is short asks nothing and looks at no clock.

use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Bytes of text, or as much work as a byte makes at most, between two looks at the clock.
const STEP: usize = 1 << 14;
/// Time between two questions.
const PAUSE: Duration = Duration::from_millis(80);

/// What is thrown when work was called off.
pub struct CalledOff;

/// Whether work is still wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// It is.
    GoOn,
    /// It is, and always will be.
    AskNoMore,
    /// It is not.
    CallOff,
}

#[derive(Clone, Default)]
struct Watch {
    ask: Option<fn() -> Answer>,
    /// Set when the work was called off; shared with the threads of the call.
    is_off: Option<Arc<AtomicBool>>,
    asked: Option<Instant>,
}

thread_local! {
    /// Work left until the next look.
    static LEFT: Cell<usize> = const { Cell::new(usize::MAX) };
    static WATCH: RefCell<Watch> = const { RefCell::new(Watch { ask: None, is_off: None, asked: None }) };
}

/// The watch of this thread for as long as this lives; then the one from before.
struct Watching(Watch, usize);

impl Watching {
    fn begin(watch: Watch) -> Self {
        Self(WATCH.replace(watch), LEFT.replace(STEP))
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        WATCH.replace(std::mem::take(&mut self.0));
        LEFT.set(self.1);
    }
}

/// Does some work, and asks from time to time whether it is still wanted.
pub fn watched<T>(ask: fn() -> Answer, work: impl FnOnce() -> T) -> T {
    let _watching = Watching::begin(Watch { ask: Some(ask), ..Watch::default() });
    work()
}

/// Reports so many bytes, or as much work.
#[inline]
pub fn report(work: usize) {
    match LEFT.get().checked_sub(work) {
        Some(left) => LEFT.set(left),
        None => look(),
    }
}

#[cold]
fn look() {
    LEFT.set(STEP);
    let now = Instant::now();
    let ask = WATCH.with_borrow_mut(|watch| {
        if watch.is_off.as_ref().is_some_and(|is_off| is_off.load(Ordering::Relaxed)) {
            return Some(None);
        }
        let asked = *watch.asked.get_or_insert(now);
        let is_due = watch.ask.is_some() && now.duration_since(asked) >= PAUSE;
        is_due.then(|| {
            watch.asked = Some(now);
            watch.ask
        })
    });
    match ask {
        None => {}
        Some(None) => call_off(),
        Some(Some(ask)) => match ask() {
            Answer::GoOn => {}
            Answer::AskNoMore => WATCH.with_borrow_mut(|watch| watch.ask = None),
            Answer::CallOff => call_off(),
        },
    }
}

fn call_off() -> ! {
    WATCH.with_borrow(|watch| {
        if let Some(is_off) = &watch.is_off {
            is_off.store(true, Ordering::Relaxed);
        }
    });
    std::panic::resume_unwind(Box::new(CalledOff))
}

/// Reports of a loop over places that ascend.
pub struct Pace(usize);

impl Pace {
    /// Before the first place.
    #[must_use]
    pub const fn new() -> Self {
        Self(STEP / 4)
    }

    /// Reports a place.
    #[inline(always)]
    pub fn reach(&mut self, place: usize) {
        if place >= self.0 {
            self.0 = place + STEP / 4;
            report(STEP / 4);
        }
    }
}

impl Default for Pace {
    fn default() -> Self {
        Self::new()
    }
}

/// What the threads of a call take with them, so that they hear when it is called off.
#[derive(Clone)]
pub struct Heir(Option<Arc<AtomicBool>>);

/// For the threads of this call.
#[must_use]
pub fn heir() -> Heir {
    Heir(WATCH.with_borrow_mut(|watch| {
        watch.ask?;
        Some(Arc::clone(watch.is_off.get_or_insert_default()))
    }))
}

impl Heir {
    /// Does the work of a thread.
    pub fn work<T>(self, work: impl FnOnce() -> T) -> T {
        let _watching = self.0.map(|is_off| Watching::begin(Watch { is_off: Some(is_off), ..Watch::default() }));
        work()
    }
}

/// Waits until all threads have let go of their senders, asking on the way whether the work is still wanted.
pub fn wait(done: &Receiver<()>) {
    while let Err(RecvTimeoutError::Timeout) = done.recv_timeout(PAUSE) {
        if WATCH.with_borrow(|watch| watch.ask.is_some()) {
            LEFT.set(0);
            report(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{catch_unwind, AssertUnwindSafe};

    fn long() {
        let mut pace = Pace::new();
        for place in 0..usize::MAX {
            pace.reach(place);
        }
    }

    #[test]
    fn work_ends_when_it_is_called_off() {
        let thrown = catch_unwind(|| watched(|| Answer::CallOff, long)).err();
        assert!(thrown.is_some_and(|thrown| thrown.is::<CalledOff>()));
        // Nothing of it is left.
        report(usize::MAX);
        report(usize::MAX);
    }

    #[test]
    fn threads_hear_of_it() {
        let thrown = catch_unwind(AssertUnwindSafe(|| {
            watched(
                || Answer::CallOff,
                || {
                    let (heir, (sender, done)) = (heir(), std::sync::mpsc::channel());
                    std::thread::scope(|scope| {
                        scope.spawn(move || {
                            let _sender = sender;
                            heir.work(long);
                        });
                        wait(&done);
                    });
                },
            );
        }));
        assert!(thrown.is_err());
    }

    #[test]
    fn who_says_so_is_not_asked_again() {
        thread_local! { static ASKED: Cell<usize> = const { Cell::new(0) } }
        fn ask() -> Answer {
            ASKED.set(ASKED.get() + 1);
            Answer::AskNoMore
        }
        watched(ask, || {
            let begun = Instant::now();
            while begun.elapsed() < PAUSE * 4 {
                report(STEP);
            }
        });
        assert_eq!(ASKED.get(), 1);
    }
}
