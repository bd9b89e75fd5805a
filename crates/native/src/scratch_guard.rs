//! Runs work with a pooled scratch, and releases the GIL where that pays off.

use anypiece_core::{Result, Scratch, Tokenizer as Kernel};
use pyo3::prelude::*;

use crate::error::raise;
use crate::tokenizer::Tokenizer;

/// Below this many bytes the GIL is kept: releasing and reacquiring it costs more than the work.
pub const SHORT: usize = 512;

/// A pooled scratch of a kernel, returned on drop; but not after a panic, which may leave it inconsistent.
pub struct ScratchGuard<'k> {
    kernel: &'k Kernel,
    scratch: Option<Box<Scratch>>,
}

impl ScratchGuard<'_> {
    /// The scratch.
    pub fn scratch(&mut self) -> &mut Scratch {
        self.scratch.get_or_insert_with(|| self.kernel.scratch())
    }
}

impl Drop for ScratchGuard<'_> {
    fn drop(&mut self) {
        if let Some(scratch) = self.scratch.take().filter(|_| !std::thread::panicking()) {
            self.kernel.give_back(scratch);
        }
    }
}

/// Runs some work, with the GIL or without it.
#[inline(always)]
pub fn run<T: Send>(py: Python<'_>, is_short: bool, work: impl FnOnce() -> Result<T> + Send) -> PyResult<T> {
    if is_short { work() } else { py.detach(work) }.map_err(raise)
}

impl Tokenizer {
    /// A scratch that is used while the GIL is released, and read when it is held again.
    pub fn checkout(&self) -> ScratchGuard<'_> {
        ScratchGuard { kernel: self.kernel(), scratch: None }
    }

    /// Runs `work` with a scratch, without the GIL where that pays off.
    pub fn with_scratch<T: Send>(
        &self,
        py: Python<'_>,
        bytes: usize,
        work: impl FnOnce(&Kernel, &mut Scratch) -> Result<T> + Send,
    ) -> PyResult<T> {
        let mut guard = self.checkout();
        let scratch = guard.scratch();
        run(py, bytes < SHORT, || work(self.kernel(), scratch))
    }
}
