//! Streams: each has its own state behind a mutex that only its own callers share.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anypiece_core::decode::StreamDecoder as DecoderState;
use anypiece_core::specials::Permit;
use anypiece_core::stream::StreamEncoder as EncoderState;
use anypiece_core::Tokenizer as Kernel;
use pyo3::prelude::*;

use crate::error::raise;
use crate::text::{ids as ids_of, lone_surrogate, Text};

/// Encodes a text that arrives in parts.
#[pyclass(frozen, module = "anypiece._native")]
pub struct StreamEncoder {
    kernel: Arc<Kernel>,
    state: Mutex<EncoderState>,
}

/// Decodes ids that arrive in parts.
#[pyclass(frozen, module = "anypiece._native")]
pub struct StreamDecoder {
    kernel: Arc<Kernel>,
    state: Mutex<DecoderState>,
}

fn lock<T>(state: &Mutex<T>) -> MutexGuard<'_, T> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl StreamEncoder {
    pub fn new(kernel: Arc<Kernel>, permit: Permit<'_>) -> Self {
        Self { kernel, state: Mutex::new(EncoderState::new(permit)) }
    }
}

impl StreamDecoder {
    pub const fn new(kernel: Arc<Kernel>) -> Self {
        Self { kernel, state: Mutex::new(DecoderState::new()) }
    }
}

#[pymethods]
impl StreamEncoder {
    /// Adds text; returns the ids that are settled by it.
    fn push(&self, py: Python<'_>, text: &Bound<'_, PyAny>) -> PyResult<Vec<u32>> {
        let text = Text::borrow(text)?;
        let text = text.bytes();
        py.detach(|| {
            let mut scratch = self.kernel.scratch();
            let ids = lock(&self.state).push(&self.kernel, text, &mut scratch);
            self.kernel.give_back(scratch);
            ids
        })
        .map_err(raise)
    }

    /// Ends the text; returns the remaining ids.
    fn flush(&self, py: Python<'_>) -> PyResult<Vec<u32>> {
        py.detach(|| {
            let mut scratch = self.kernel.scratch();
            let ids = lock(&self.state).finish(&self.kernel, &mut scratch);
            self.kernel.give_back(scratch);
            ids
        })
        .map_err(raise)
    }

    /// What the caller puts in the place of a lone surrogate.
    #[getter]
    fn lone_surrogate(&self) -> &'static [u8] {
        lone_surrogate(&self.kernel)
    }

    /// Bytes held back.
    #[getter]
    fn pending_bytes(&self) -> usize {
        lock(&self.state).pending()
    }
}

#[pymethods]
impl StreamDecoder {
    /// Adds ids; returns the text that is settled by them.
    fn push(&self, ids: &Bound<'_, PyAny>) -> PyResult<String> {
        let ids = ids_of(ids)?;
        self.kernel.check_ids(&ids).map_err(raise)?;
        let text = lock(&self.state).push(self.kernel.spec(), self.kernel.denormalizer(), &ids).map_err(raise)?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    /// Ends the stream; returns the remaining text.
    fn flush(&self) -> PyResult<String> {
        let text = lock(&self.state).finish(self.kernel.spec(), self.kernel.denormalizer()).map_err(raise)?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }
}
