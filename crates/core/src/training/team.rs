//! A thread pool for numbered tasks, in which the caller's thread works too and reports progress.
//!
//! The assignment of tasks to threads is nondeterministic, and no result may depend on it. Sums over tasks are
//! integers, or are added in the order of the tasks when all are done.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::training::{Progress, Watch};
use crate::util::join::join_all;
use crate::util::Result;

/// Minimum time between two reports, which tasks should stay below.
const PAUSE: Duration = Duration::from_millis(150);

/// A number of threads and a receiver of reports.
pub struct Team<'w> {
    threads: usize,
    watch: Watch<'w>,
    reported: Option<Instant>,
}

impl<'w> Team<'w> {
    /// A team of up to `threads` threads.
    pub fn new(threads: usize, watch: Watch<'w>) -> Self {
        Self { threads: threads.max(1), watch, reported: None }
    }

    /// Reports, if the last report is long enough ago.
    pub fn report(&mut self, now: Progress) -> Result<()> {
        if self.reported.is_none_or(|before| before.elapsed() >= PAUSE) {
            (self.watch)(now)?;
            self.reported = Some(Instant::now());
        }
        Ok(())
    }

    /// Runs all tasks and returns the state of each thread. `now` is reported meanwhile.
    pub fn run<S: Send>(
        &mut self,
        now: Progress,
        tasks: usize,
        state: impl Fn() -> S + Sync,
        work: impl Fn(&mut S, usize) + Sync,
    ) -> Result<Vec<S>> {
        self.report(now)?;
        let next = AtomicUsize::new(0);
        let stop = AtomicBool::new(false);
        let take = || {
            let task = next.fetch_add(1, Ordering::Relaxed);
            (task < tasks && !stop.load(Ordering::Relaxed)).then_some(task)
        };
        let helper = || {
            let mut own = state();
            while let Some(task) = take() {
                work(&mut own, task);
            }
            own
        };
        // If no other thread can be started, this one does all tasks.
        let wanted = self.threads.min(tasks).saturating_sub(1);
        let lead = || {
            let (mut own, mut heard) = (state(), Ok(()));
            while let Some(task) = take() {
                work(&mut own, task);
                heard = self.report(now);
                stop.fetch_or(heard.is_err(), Ordering::Relaxed);
            }
            heard.map(|()| own)
        };
        let (own, others) = join_all(lead, std::iter::repeat_n(helper, wanted));
        let others = others.into_iter().map(|other| other.unwrap_or_else(|panic| resume_unwind(panic)));
        Ok([own?].into_iter().chain(others).collect())
    }
}

/// The sums of equally long lists, place by place; they saturate.
pub fn added(mut lists: impl Iterator<Item = Vec<u64>>) -> Vec<u64> {
    let mut sums = lists.next().unwrap_or_default();
    for (sum, more) in lists.flat_map(|list| list.into_iter().enumerate()) {
        sums[sum] = sums[sum].saturating_add(more);
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::error::Error;

    const NOW: Progress = Progress { stage: "test", done: 0, total: 0 };

    #[test]
    fn every_task_is_done_once() {
        for threads in [1, 2, 8] {
            let mut watch = |_| Ok(());
            let done = Team::new(threads, &mut watch).run(NOW, 1000, Vec::new, |own, task| own.push(task));
            let mut all = done.unwrap_or_default().concat();
            all.sort_unstable();
            assert!(all.into_iter().eq(0..1000));
        }
    }

    #[test]
    fn who_listens_can_end_it() {
        let mut watch = |_| Err(Error::new("train-interrupted", "enough"));
        let done = Team::new(2, &mut watch).run(NOW, 1000, || (), |(), _| ());
        assert!(done.is_err());
    }
}
