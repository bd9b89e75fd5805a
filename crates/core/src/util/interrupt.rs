//! Work that can be called off from outside.
//!
//! Whoever uses the kernel may say how to find out whether the work of a thread is still wanted ([`ask_by`]). Long loops report how far
//! they are; after some work and some time the question is asked, and if the answer is no, the call ends by unwinding, with
//! [`CalledOff`] as what is thrown. Nothing is printed, and no function in between needs a `Result` for it. Threads of the call hear
//! of it at their next report.
//!
//! A report is a subtraction. The count goes on from call to call, so that nothing is set up for a short one.

use std::cell::{Cell, RefCell};
use std::cmp::Ordering as Order;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// Bytes of text, or as much work as a byte makes at most, between two looks at the clock.
const STEP: usize = 1 << 14;
/// The work that an item of a vocabulary counts for.
const ITEM: usize = 64;
/// Time between two questions.
const PAUSE: Duration = Duration::from_millis(50);

/// What is thrown when work was called off.
pub struct CalledOff;

/// Whether the work of this thread is still wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// It is.
    GoOn,
    /// It is, and always will be in this process.
    AskNoMore,
    /// It is not.
    CallOff,
}

/// What the rare look needs.
#[derive(Default)]
struct Slow {
    /// Set when the work was called off; shared with the threads of the call.
    is_off: Option<Arc<AtomicBool>>,
    /// Whether this is a thread of a call, which asks nothing itself.
    is_helper: bool,
    asked: Option<Instant>,
    /// The process that need not ask on this thread any more: a fork may make it another thread.
    silent: Option<u32>,
}

static ASK: OnceLock<fn() -> Answer> = OnceLock::new();

thread_local! {
    /// Work left until the next look. It has nothing to drop, so that getting at it is cheap.
    static LEFT: Cell<usize> = const { Cell::new(STEP) };
    static SLOW: RefCell<Slow> = const { RefCell::new(Slow { is_off: None, is_helper: false, asked: None, silent: None }) };
}

/// Says how to find out whether the work of the thread that asks is still wanted. The first to say so counts.
///
/// Every call of the kernel must then stand in a [`std::panic::catch_unwind`].
pub fn ask_by(ask: fn() -> Answer) {
    ASK.get_or_init(|| ask);
}

/// Reports so many bytes, or as much work.
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
        let is_due = !slow.is_helper && now.duration_since(*slow.asked.get_or_insert(now)) >= PAUSE;
        if is_due {
            slow.asked = Some(now);
        }
        (is_off, is_due && slow.silent != Some(std::process::id()))
    });
    if is_off {
        call_off();
    }
    let Some(ask) = ASK.get().filter(|_| is_due) else { return };
    // Who is asked may call the kernel, whose threads are not those of this call.
    let flag = SLOW.with_borrow_mut(|slow| slow.is_off.take());
    let answer = ask();
    SLOW.with_borrow_mut(|slow| slow.is_off = flag);
    match answer {
        Answer::GoOn => {}
        Answer::AskNoMore => SLOW.with_borrow_mut(|slow| slow.silent = Some(std::process::id())),
        Answer::CallOff => call_off(),
    }
}

/// Tells the threads of the call, and ends it. What comes next on this thread is another call.
fn call_off() -> ! {
    if let Some(is_off) = SLOW.with_borrow_mut(|slow| slow.is_off.take()) {
        is_off.store(true, Ordering::Relaxed);
    }
    std::panic::resume_unwind(Box::new(CalledOff))
}

/// Reports of a loop over places that ascend.
pub struct Pace(usize);

impl Pace {
    /// Before the first place.
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

/// Reports for each of some items, such as the pieces of a vocabulary, as much work as a short string makes.
pub fn paced<I: Iterator>(items: I) -> std::iter::Inspect<I, impl FnMut(&I::Item)> {
    let (mut done, mut pace) = (0, Pace::new());
    items.inspect(move |_| {
        done += ITEM;
        pace.reach(done);
    })
}

/// Sorts with reports; equal items may change places.
pub fn sort_paced<T>(items: &mut [T], mut compare: impl FnMut(&T, &T) -> Order) {
    let (mut done, mut pace) = (0, Pace::new());
    items.sort_unstable_by(|one, other| {
        done += 1;
        pace.reach(done);
        compare(one, other)
    });
}

/// Makes a list as long as wanted, with reports.
pub fn resize_paced<T: Copy>(items: &mut Vec<T>, wanted: usize, value: T) {
    items.reserve(wanted.saturating_sub(items.len()));
    while wanted.saturating_sub(items.len()) > STEP {
        report(STEP);
        items.resize(items.len() + STEP, value);
    }
    items.resize(wanted, value);
}

/// What the threads of a call take with them, so that they hear when it is called off.
#[derive(Clone)]
pub struct Heir(Arc<AtomicBool>);

/// For the threads of this call.
pub fn heir() -> Heir {
    Heir(SLOW.with_borrow_mut(|slow| Arc::clone(slow.is_off.get_or_insert_default())))
}

impl Heir {
    /// Does the work of a thread that was made for it.
    pub fn work<T>(self, work: impl FnOnce() -> T) -> T {
        SLOW.with_borrow_mut(|slow| (slow.is_off, slow.is_helper) = (Some(self.0), true));
        work()
    }
}

/// Waits until all threads have let go of their senders, asking on the way whether the work is still wanted.
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

    /// Does some work that is answered so.
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

    /// Works for some pauses.
    fn some() {
        let begun = Instant::now();
        while begun.elapsed() < PAUSE * 4 {
            report(STEP);
        }
    }

    #[test]
    fn work_ends_when_it_is_called_off() {
        assert_eq!(answered(Answer::CallOff, long), Some(true));
        // Nothing of it is left.
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
