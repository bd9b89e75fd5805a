//! Catches panics, including those of worker threads, and records where they were.

use std::panic::{catch_unwind, set_hook, AssertUnwindSafe};
use std::sync::Mutex;
use std::time::Duration;

static LAST_PANIC: Mutex<Option<String>> = Mutex::new(None);
/// The current check, for the watchdog.
static RUNNING: Mutex<&str> = Mutex::new("");
/// The check that took longest.
static SLOWEST: Mutex<(Duration, &str)> = Mutex::new((Duration::ZERO, ""));
/// Processor time of a check of one text above which it is not linear. The slowest take 10 s: many segmentations of a long
/// run of one character, with a piece of thousands of them.
const SLOW: Duration = Duration::from_secs(15);

/// A check that does not hold.
#[derive(Clone, Debug)]
pub struct Finding {
    /// Which check.
    pub check: &'static str,
    /// What was seen.
    pub what: String,
    /// The location of the panic, if any: it identifies the finding.
    pub place: Option<String>,
}

/// Silences panics and records the first one.
pub fn install() {
    set_hook(Box::new(|info| {
        let message = info.payload().downcast_ref::<&str>().map(|text| (*text).to_owned());
        let message = message.or_else(|| info.payload().downcast_ref::<String>().cloned()).unwrap_or_default();
        let place = info.location().map(ToString::to_string).unwrap_or_default();
        if let Ok(mut last) = LAST_PANIC.lock() {
            last.get_or_insert(format!("{place}\n{message}"));
        }
    }));
}

/// Runs a check. A panic on any thread is a finding, even if the caller of that thread swallowed it.
pub fn guarded<T>(check: &'static str, work: impl FnOnce() -> Result<T, String>) -> Result<T, Finding> {
    if let Ok(mut running) = RUNNING.lock() {
        *running = check;
    }
    let start = processor_time();
    let result = catch_unwind(AssertUnwindSafe(work));
    let time = processor_time().saturating_sub(start);
    if let Ok(mut slowest) = SLOWEST.lock() {
        *slowest = (*slowest).max((time, check));
    }
    let panic = LAST_PANIC.lock().ok().and_then(|mut last| last.take());
    if let Some(panic) = panic {
        let (place, message) = panic.split_once('\n').unwrap_or((&panic, ""));
        return Err(Finding { check, what: format!("panicked at {place}: {message}"), place: Some(place.to_owned()) });
    }
    match result {
        Ok(Ok(_)) if time > SLOW => {
            Err(Finding { check, what: format!("took {:.0} s", time.as_secs_f32()), place: Some("slow".to_owned()) })
        }
        Ok(Ok(value)) => Ok(value),
        Ok(Err(what)) => Err(Finding { check, what, place: None }),
        Err(_) => Err(Finding { check, what: "panicked".to_owned(), place: None }),
    }
}

/// Processor time of this process and of its threads; none where the system does not tell it as Linux does, whose clock
/// ticks a hundred times a second.
pub fn processor_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name of the program, in brackets, may have spaces; after it, user and system time are the 12th and 13th field.
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace().skip(11).take(2);
    let ticks: u64 = fields.filter_map(|field| field.parse::<u64>().ok()).sum();
    Duration::from_millis(10).saturating_mul(u32::try_from(ticks).unwrap_or(u32::MAX))
}

/// The name of the current check.
pub fn running() -> &'static str {
    RUNNING.lock().map_or("", |running| *running)
}

/// The check that took longest, and how long.
pub fn slowest() -> (Duration, &'static str) {
    SLOWEST.lock().map_or((Duration::ZERO, ""), |slowest| *slowest)
}
