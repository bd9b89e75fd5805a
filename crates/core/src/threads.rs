//! Two things at a time, where they are worth a thread.

/// Does both, the second on a thread of its own if `parted` and one can be had.
pub fn beside<A, B: Send>(parted: bool, one: impl FnOnce() -> A, other: impl Fn() -> B + Sync) -> (A, B) {
    if !parted {
        return (one(), other());
    }
    std::thread::scope(|scope| {
        let worker = std::thread::Builder::new().spawn_scoped(scope, &other).ok();
        let first = one();
        // What went wrong there goes wrong here again, and is then the caller's.
        let second = worker.and_then(|worker| worker.join().ok()).unwrap_or_else(&other);
        (first, second)
    })
}
