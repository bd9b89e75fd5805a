//! Runs two closures in parallel, where they are worth a thread.

use crate::util::interrupt::{heir, wait};

/// Runs both, the second on a thread of its own if `parted` is true and a thread can be started.
pub fn join_if<A, B: Send>(parted: bool, one: impl FnOnce() -> A, other: impl Fn() -> B + Sync) -> (A, B) {
    if !parted {
        return (one(), other());
    }
    std::thread::scope(|scope| {
        let (heir, (sender, done)) = (heir(), std::sync::mpsc::channel::<()>());
        let worker = std::thread::Builder::new().spawn_scoped(scope, || {
            let _sender = sender;
            heir.work(&other)
        });
        let worker = worker.ok();
        let first = one();
        wait(&done);
        // If the worker failed, its closure runs again here, so that the failure reaches the caller.
        let second = worker.and_then(|worker| worker.join().ok()).unwrap_or_else(&other);
        (first, second)
    })
}
