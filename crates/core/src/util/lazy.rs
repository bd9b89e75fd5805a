//! A lazily initialized value that never blocks.
//!
//! Unlike [`OnceLock::get_or_init`], no thread waits for another: two threads may both compute the value, and one
//! result is kept. A fork during initialization therefore leaves the child with nothing to wait for.

use std::sync::OnceLock;

/// The value, once it was computed.
#[derive(Default)]
pub struct Lazy<T>(OnceLock<T>);

impl<T> Lazy<T> {
    /// Not yet computed.
    pub const fn new() -> Self {
        Self(OnceLock::new())
    }

    /// The value; `make` must return equal values whenever it is called.
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
            // All threads are inside `make` at once, so none waits for another.
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
