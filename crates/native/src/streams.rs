//! Streams: each has its own state behind a mutex that only its own callers share.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anypiece_core::Permit;
use anypiece_core::StreamEncoder as EncoderState;
use anypiece_core::{Error, Tokenizer as Kernel};
use anypiece_core::{StreamDecoder as DecoderState, StreamDecoders as DecoderStates};
use anypiece_guarded::guarded;
use pyo3::prelude::*;

use crate::error::{fail, raise};
use crate::scratch_guard::{run, SHORT};
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

/// Decodes many sequences of ids that arrive in parts.
#[pyclass(frozen, module = "anypiece._native")]
pub struct BatchStreamDecoder {
    kernel: Arc<Kernel>,
    state: Mutex<DecoderStates>,
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
    pub fn new(kernel: Arc<Kernel>) -> Self {
        let state = Mutex::new(kernel.stream_decoder());
        Self { kernel, state }
    }
}

impl BatchStreamDecoder {
    pub fn new(kernel: Arc<Kernel>) -> Self {
        let state = Mutex::new(DecoderStates::new(kernel.stream_decoder()));
        Self { kernel, state }
    }
}

#[guarded]
#[pymethods]
impl StreamEncoder {
    /// Adds text; returns the ids that it makes final.
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

    /// The caller's replacement of a lone surrogate.
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

#[guarded]
#[pymethods]
impl StreamDecoder {
    /// Adds ids; returns the text that they make final.
    fn push(&self, py: Python<'_>, ids: &Bound<'_, PyAny>) -> PyResult<String> {
        let ids = ids_of(ids)?;
        self.kernel.check_ids(&ids).map_err(raise)?;
        let text = run(py, ids.len() < SHORT, || lock(&self.state).push(self.kernel.spec(), &ids))?;
        Ok(shown(text))
    }

    /// Ends the stream; returns the remaining text.
    fn flush(&self) -> PyResult<String> {
        Ok(shown(lock(&self.state).finish(self.kernel.spec()).map_err(raise)?))
    }
}

/// Decoded text, which is UTF-8.
fn shown(text: Vec<u8>) -> String {
    String::from_utf8(text).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

#[guarded]
#[pymethods]
impl BatchStreamDecoder {
    /// Adds a sequence that begins with some ids, whose text is not returned; returns its number.
    fn add(&self, py: Python<'_>, ids: &Bound<'_, PyAny>) -> PyResult<u64> {
        let ids = ids_of(ids)?;
        self.kernel.check_ids(&ids).map_err(raise)?;
        run(py, ids.len() < SHORT, || lock(&self.state).add(self.kernel.spec(), &ids))
    }

    /// Adds ids to sequences: `ids[ends[i - 1]..ends[i]]` to the i-th named one, else of all.
    fn push(
        &self,
        py: Python<'_>,
        ids: &Bound<'_, PyAny>,
        ends: Vec<usize>,
        sequences: Option<Vec<u64>>,
    ) -> PyResult<Vec<String>> {
        let ids = ids_of(ids)?;
        self.kernel.check_ids(&ids).map_err(raise)?;
        let starts = std::iter::once(0).chain(ends.iter().copied());
        let rows: Option<Vec<&[u32]>> = starts.zip(&ends).map(|(start, &end)| ids.get(start..end)).collect();
        let rows = rows.ok_or_else(|| fail("argument-value", "the ends of rows ascend and are within the ids"))?;
        run(py, ids.len() < SHORT, || {
            let mut state = lock(&self.state);
            let numbers = sequences.unwrap_or_else(|| state.numbers().collect());
            if numbers.len() != rows.len() {
                let message = format!("{} rows of ids for {} sequences; give one for each", rows.len(), numbers.len());
                return Err(Error::new("argument-value", message));
            }
            let texts = state.push(self.kernel.spec(), &numbers, &rows)?;
            Ok(texts.into_iter().map(shown).collect())
        })
    }

    /// Ends a sequence and removes it; returns its remaining text.
    fn flush(&self, sequence: u64) -> PyResult<String> {
        Ok(shown(lock(&self.state).finish(self.kernel.spec(), sequence).map_err(raise)?))
    }

    /// The numbers of the sequences.
    #[getter]
    fn sequences(&self) -> Vec<u64> {
        lock(&self.state).numbers().collect()
    }

    fn __len__(&self) -> usize {
        lock(&self.state).numbers().len()
    }
}
