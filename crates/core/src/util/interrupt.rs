//! Cooperative cancellation of long calls.
//!
//! The host registers how to find out whether the work of a thread is still wanted ([`ask_by`]). Long loops report
//! their progress; after some work and some time the host is asked, and if the answer is no, the call ends by unwinding
//! with [`CalledOff`] as the payload. Nothing is printed, and no function in between needs a `Result` for it. Worker
//! threads of the call see it at their next report.
//!
//! A report is a subtraction. The counter carries over from call to call, so a short call has no set-up cost.

use std::cell::{Cell, RefCell};
use std::cmp::Ordering as Order;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// Work between two reads of the clock, in bytes of text or their equivalent.
const STEP: usize = 1 << 14;
/// Work that one vocabulary item counts for, in bytes.
const ITEM: usize = 64;
/// Time between two questions to the host.
const PAUSE: Duration = Duration::from_millis(50);

/// The panic payload of cancelled work.
pub struct CalledOff;

/// Whether the work of this thread is still wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// Still wanted.
    GoOn,
    /// Still wanted, and always will be in this process.
    AskNoMore,
    /// No longer wanted.
    CallOff,
}

/// State of the slow path.
#[derive(Default)]
struct Slow {
    /// Set when the work was cancelled; shared with the worker threads of the call.
    is_off: Option<Arc<AtomicBool>>,
    /// Whether this is a worker thread of a call, which does not ask the host itself.
    is_helper: bool,
    polled: Option<Instant>,
    /// The id of the process that answered [`Answer::AskNoMore`]; after a fork the id differs and the host is asked
    /// again.
    silent: Option<u32>,
}

static ASK: OnceLock<fn() -> Answer> = OnceLock::new();

thread_local! {
    /// Work left until the next read of the clock. It has no destructor, so that access is cheap.
    static LEFT: Cell<usize> = const { Cell::new(STEP) };
    static SLOW: RefCell<Slow> = const { RefCell::new(Slow { is_off: None, is_helper: false, polled: None, silent: None }) };
}

/// Registers how to find out whether the work of the current thread is still wanted. Only the first registration
/// counts.
///
/// Every call of the kernel must then be wrapped in a [`std::panic::catch_unwind`].
pub fn ask_by(ask: fn() -> Answer) {
    ASK.get_or_init(|| ask);
}

/// Reports work, in bytes or their equivalent.
#[inline]
pub fn report(work: usize) {
    let is_due = LEFT.with(|place| {
        let left = place.get();
        place.set(left.saturating_sub(work));
        left < work
    });
    if is_due {
        look();
    }
}

#[cold]
fn look() {
    LEFT.set(STEP);
    let now = Instant::now();
    let (is_off, is_due) = SLOW.with_borrow_mut(|slow| {
        let is_off = slow.is_off.as_ref().is_some_and(|is_off| is_off.load(Ordering::Relaxed));
        let is_due = !slow.is_helper && now.duration_since(*slow.polled.get_or_insert(now)) >= PAUSE;
        if is_due {
            slow.polled = Some(now);
        }
        (is_off, is_due && slow.silent != Some(std::process::id()))
    });
    if is_off {
        call_off();
    }
    let Some(ask) = ASK.get().filter(|_| is_due) else { return };
    // The host may call the kernel from its answer; the workers of that call are not those of this one.
    let flag = SLOW.with_borrow_mut(|slow| slow.is_off.take());
    let answer = ask();
    SLOW.with_borrow_mut(|slow| slow.is_off = flag);
    match answer {
        Answer::GoOn => {}
        Answer::AskNoMore => SLOW.with_borrow_mut(|slow| slow.silent = Some(std::process::id())),
        Answer::CallOff => call_off(),
    }
}

/// Signals the worker threads of the call, and unwinds. The next work on this thread belongs to another call.
fn call_off() -> ! {
    if let Some(is_off) = SLOW.with_borrow_mut(|slow| slow.is_off.take()) {
        is_off.store(true, Ordering::Relaxed);
    }
    std::panic::resume_unwind(Box::new(CalledOff))
}

/// Reports of a loop over ascending positions.
pub struct Pace(usize);

impl Pace {
    /// A pace at position 0.
    pub const fn new() -> Self {
        Self(STEP / 4)
    }

    /// Reports a position.
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

/// Reports the work of a short string for each item, such as the pieces of a vocabulary.
pub fn paced<I: Iterator>(items: I) -> std::iter::Inspect<I, impl FnMut(&I::Item)> {
    let (mut done, mut pace) = (0, Pace::new());
    items.inspect(move |_| {
        done += ITEM;
        pace.reach(done);
    })
}

/// Sorts with reports; not stable.
pub fn sort_paced<T>(items: &mut [T], mut compare: impl FnMut(&T, &T) -> Order) {
    let (mut done, mut pace) = (0, Pace::new());
    items.sort_unstable_by(|one, other| {
        done += 1;
        pace.reach(done);
        compare(one, other)
    });
}

/// Grows a list to `wanted` items, with reports.
pub fn resize_paced<T: Copy>(items: &mut Vec<T>, wanted: usize, value: T) {
    items.reserve(wanted.saturating_sub(items.len()));
    while wanted.saturating_sub(items.len()) > STEP {
        report(STEP);
        items.resize(items.len() + STEP, value);
    }
    items.resize(wanted, value);
}

/// The cancellation flag that the worker threads of a call share.
#[derive(Clone)]
pub struct Heir(Arc<AtomicBool>);

/// The flag for the worker threads of the current call.
pub fn heir() -> Heir {
    Heir(SLOW.with_borrow_mut(|slow| Arc::clone(slow.is_off.get_or_insert_default())))
}

impl Heir {
    /// Runs the work of a worker thread under the flag.
    pub fn work<T>(self, work: impl FnOnce() -> T) -> T {
        SLOW.with_borrow_mut(|slow| (slow.is_off, slow.is_helper) = (Some(self.0), true));
        work()
    }
}

/// Waits until all workers have dropped their senders, asking the host meanwhile whether the work is still wanted.
pub fn wait(done: &Receiver<()>) {
    while let Err(RecvTimeoutError::Timeout) = done.recv_timeout(PAUSE) {
        look();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{catch_unwind, AssertUnwindSafe};

    thread_local! {
        static ANSWER: Cell<Answer> = const { Cell::new(Answer::GoOn) };
        static ASKED: Cell<usize> = const { Cell::new(0) };
    }

    /// Runs some work under a host that gives one answer.
    fn answered(answer: Answer, work: impl FnOnce()) -> Option<bool> {
        ask_by(|| {
            ASKED.set(ASKED.get() + 1);
            ANSWER.get()
        });
        ANSWER.set(answer);
        let thrown = catch_unwind(AssertUnwindSafe(work)).err();
        ANSWER.set(Answer::GoOn);
        thrown.map(|thrown| thrown.is::<CalledOff>())
    }

    fn long() {
        let mut pace = Pace::new();
        for place in 0..usize::MAX {
            pace.reach(place);
        }
    }

    /// Works for several pauses.
    fn some() {
        let begun = Instant::now();
        while begun.elapsed() < PAUSE * 4 {
            report(STEP);
        }
    }

    #[test]
    fn work_ends_when_it_is_called_off() {
        assert_eq!(answered(Answer::CallOff, long), Some(true));
        // The cancellation left no state behind.
        assert_eq!(answered(Answer::GoOn, some), None);
    }

    #[test]
    fn threads_hear_of_it() {
        let threaded = |work: fn()| {
            let (heir, (sender, done)) = (heir(), std::sync::mpsc::channel());
            std::thread::scope(|scope| {
                scope.spawn(move || {
                    let _sender = sender;
                    heir.work(work);
                });
                wait(&done);
            });
        };
        assert_eq!(answered(Answer::CallOff, || threaded(long)), Some(true));
        assert_eq!(answered(Answer::GoOn, || threaded(some)), None);
    }

    #[test]
    fn who_says_so_is_not_asked_again() {
        assert_eq!(answered(Answer::AskNoMore, some), None);
        assert_eq!(ASKED.get(), 1);
        assert_eq!(answered(Answer::CallOff, some), None);
        assert_eq!(ASKED.get(), 1);
    }
}
