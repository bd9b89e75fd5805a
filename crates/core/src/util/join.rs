//! Runs closures in parallel.

use std::thread::{scope, Builder, Result};

use crate::util::interrupt::{heir, wait};

/// Runs `own` here and each of the others on a thread, as far as threads can be started; returns their results in order.
pub fn join_all<A, B: Send>(
    own: impl FnOnce() -> A,
    others: impl Iterator<Item = impl FnOnce() -> B + Send>,
) -> (A, Vec<Result<B>>) {
    scope(|scope| {
        let (heir, (sender, done)) = (heir(), std::sync::mpsc::channel::<()>());
        let workers = others.map_while(|work| {
            let (heir, sender) = (heir.clone(), sender.clone());
            let worker = Builder::new().spawn_scoped(scope, move || {
                let _sender = sender;
                heir.work(work)
            });
            worker.ok()
        });
        let workers: Vec<_> = workers.collect();
        drop(sender);
        let own = own();
        wait(&done);
        (own, workers.into_iter().map(|worker| worker.join()).collect())
    })
}

/// Runs both, the second on a thread of its own if `parted` is true and a thread can be started.
pub fn join_if<A, B: Send>(parted: bool, one: impl FnOnce() -> A, other: impl Fn() -> B + Sync) -> (A, B) {
    if !parted {
        return (one(), other());
    }
    let (first, mut others) = join_all(one, [&other].into_iter());
    // If the worker failed, its closure runs again here, so that the failure reaches the caller.
    let second = others.pop().and_then(Result::ok).unwrap_or_else(&other);
    (first, second)
}
