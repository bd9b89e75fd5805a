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

/// What a report looks at. It has nothing to drop, so that getting at it is cheap.
struct Now {
    /// Work left until the next look.
    left: Cell<usize>,
    ask: Cell<Option<fn() -> Answer>>,
    /// Whether nothing of [`Slow`] is about this watch yet.
    is_new: Cell<bool>,
}

/// What the rare look needs besides.
#[derive(Default)]
struct Slow {
    /// Set when the work was called off; shared with the threads of the call.
    is_off: Option<Arc<AtomicBool>>,
    asked: Option<Instant>,
}

thread_local! {
    static NOW: Now = const { Now { left: Cell::new(usize::MAX), ask: Cell::new(None), is_new: Cell::new(true) } };
    static SLOW: RefCell<Slow> = const { RefCell::new(Slow { is_off: None, asked: None }) };
}

/// The watch of this thread for as long as this lives; then the one from before.
struct Watching {
    left: usize,
    ask: Option<fn() -> Answer>,
    is_new: bool,
}

impl Watching {
    #[inline]
    fn begin(ask: Option<fn() -> Answer>) -> Self {
        NOW.with(|now| Self {
            left: now.left.replace(STEP),
            ask: now.ask.replace(ask),
            is_new: now.is_new.replace(true),
        })
    }
}

impl Drop for Watching {
    #[inline]
    fn drop(&mut self) {
        NOW.with(|now| {
            now.left.set(self.left);
            now.ask.set(self.ask);
            now.is_new.set(self.is_new);
        });
    }
}

/// Does some work, and asks from time to time whether it is still wanted.
#[inline]
pub fn watched<T>(ask: fn() -> Answer, work: impl FnOnce() -> T) -> T {
    let _watching = Watching::begin(Some(ask));
    work()
}

/// Reports so many bytes, or as much work.
#[inline]
pub fn report(work: usize) {
    let is_due = NOW.with(|now| {
        let left = now.left.get();
        now.left.set(left.saturating_sub(work));
        left < work
    });
    if is_due {
        look();
    }
}

/// Whether this thread has a watch: a question, or a flag from the call that it is a thread of.
fn is_watched() -> bool {
    let (asks, is_new) = NOW.with(|now| (now.ask.get().is_some(), now.is_new.get()));
    asks || !is_new && SLOW.with_borrow(|slow| slow.is_off.is_some())
}

/// What belongs to the watch of this thread.
fn with_slow<T>(work: impl FnOnce(&mut Slow) -> T) -> T {
    SLOW.with_borrow_mut(|slow| {
        if NOW.with(|now| now.is_new.replace(false)) {
            *slow = Slow::default();
        }
        work(slow)
    })
}

#[cold]
fn look() {
    let ask = NOW.with(|now| {
        now.left.set(STEP);
        now.ask.get()
    });
    let now = Instant::now();
    let (is_off, is_due) = with_slow(|slow| {
        let is_off = slow.is_off.as_ref().is_some_and(|is_off| is_off.load(Ordering::Relaxed));
        let is_due = now.duration_since(*slow.asked.get_or_insert(now)) >= PAUSE;
        if is_due {
            slow.asked = Some(now);
        }
        (is_off, is_due)
    });
    if is_off {
        call_off();
    }
    let Some(ask) = ask.filter(|_| is_due) else { return };
    // Who is asked may call the kernel, and have a watch meanwhile.
    let kept = SLOW.take();
    let answer = ask();
    SLOW.replace(kept);
    match answer {
        Answer::GoOn => {}
        Answer::AskNoMore => NOW.with(|now| now.ask.set(None)),
        Answer::CallOff => call_off(),
    }
}

fn call_off() -> ! {
    SLOW.with_borrow(|slow| {
        if let Some(is_off) = &slow.is_off {
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
    Heir(is_watched().then(|| with_slow(|slow| Arc::clone(slow.is_off.get_or_insert_default()))))
}

impl Heir {
    /// Does the work of a thread.
    pub fn work<T>(self, work: impl FnOnce() -> T) -> T {
        let _watching = self.0.map(|is_off| {
            let watching = Watching::begin(None);
            with_slow(|slow| slow.is_off = Some(is_off));
            watching
        });
        work()
    }
}

/// Waits until all threads have let go of their senders, asking on the way whether the work is still wanted.
pub fn wait(done: &Receiver<()>) {
    while let Err(RecvTimeoutError::Timeout) = done.recv_timeout(PAUSE) {
        if is_watched() {
            look();
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
