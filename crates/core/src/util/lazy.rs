//! A value that is made when it is first asked for, by whoever asks.
//!
//! Unlike [`OnceLock::get_or_init`] nobody waits while it is made: two threads may both make it, and one of the two is kept.
//! So a fork in the middle of it leaves the child with nothing to wait for.

use std::sync::OnceLock;

/// The value, or nothing yet.
#[derive(Default)]
pub struct Lazy<T>(OnceLock<T>);

impl<T> Lazy<T> {
    /// Nothing yet.
    pub const fn new() -> Self {
        Self(OnceLock::new())
    }

    /// The value; `make` must give equal ones whenever it is called.
    #[inline(always)]
    pub fn get(&self, make: impl FnOnce() -> T) -> &T {
        self.0.get().unwrap_or_else(|| self.make(make))
    }

    #[cold]
    fn make(&self, make: impl FnOnce() -> T) -> &T {
        let made = make();
        self.0.get_or_init(|| made)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_may_make_it_and_all_get_the_same() {
        let lazy = Lazy::new();
        let gate = std::sync::Barrier::new(4);
        let make = || {
            // All are inside at once, so none waits for another.
            gate.wait();
            String::from("made")
        };
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..4).map(|_| scope.spawn(|| lazy.get(make).as_ptr().addr())).collect();
            let found: Vec<usize> = workers.into_iter().filter_map(|worker| worker.join().ok()).collect();
            assert!(found.len() == 4 && found.iter().all(|&place| place == found[0]));
        });
    }
}
