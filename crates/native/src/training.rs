//! Word tables and the trainers that read them; see the stub for their contracts.

use std::collections::HashMap;

use anypiece_core::training::{alphabet, read_options, unigram, words, Progress};
use anypiece_core::util::column::Column;
use anypiece_guarded::guarded;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::error::{fail, raise};

type Bytes<'py> = Bound<'py, PyBytes>;

/// Distinct words with counts.
#[pyclass(frozen, module = "anypiece._native")]
pub struct Words {
    pub inner: words::Words,
}

#[guarded]
#[pymethods]
impl Words {
    #[new]
    #[pyo3(signature = (blob, offsets, counts, ordered = false))]
    fn new(py: Python<'_>, blob: &[u8], offsets: &[u8], counts: &[u8], ordered: bool) -> PyResult<Self> {
        let (Some(offsets), Some(counts)) = (Column::<u64>::copy_of(offsets), Column::<u64>::copy_of(counts)) else {
            return Err(fail("words-table", "a column's length is not a multiple of eight"));
        };
        let inner = py.detach(|| words::Words::from_columns(blob, &offsets, &counts, ordered)).map_err(raise)?;
        Ok(Self { inner })
    }

    fn __len__(&self) -> usize {
        self.inner.len()
    }

    /// Bytes that the table takes in memory.
    #[getter]
    fn size(&self) -> usize {
        self.inner.bytes()
    }

    /// Whether the order in which the words were read is recorded.
    #[getter]
    fn ordered(&self) -> bool {
        self.inner.read().is_some()
    }

    /// The sum of all counts.
    fn total(&self) -> PyResult<u64> {
        self.inner.total().map_err(raise)
    }

    /// The columns that the constructor takes.
    fn columns<'py>(&self, py: Python<'py>) -> (Bytes<'py>, Bytes<'py>, Bytes<'py>) {
        let ends = self.inner.ends().iter().map(|&end| anypiece_core::util::cast::u64_of(end));
        let offsets: Column<u64> = std::iter::once(0).chain(ends).collect::<Vec<u64>>().into();
        (
            PyBytes::new(py, self.inner.text()),
            PyBytes::new(py, offsets.as_bytes()),
            PyBytes::new(py, Column::from(self.inner.counts().to_vec()).as_bytes()),
        )
    }

    /// The number of words before each word's first occurrence.
    fn firsts<'py>(&self, py: Python<'py>) -> Option<Bytes<'py>> {
        self.inner.firsts().map(|firsts| PyBytes::new(py, Column::from(firsts.to_vec()).as_bytes()))
    }
}

/// How often each character is seen in words.
#[guarded]
#[pyfunction]
pub fn count_characters(py: Python<'_>, words: &Words) -> PyResult<HashMap<char, u64>> {
    py.detach(|| alphabet::counted(&words.inner)).map_err(raise)
}

/// Runs a trainer without the GIL; `report` is called with (stage, done, total) and cancels the work by raising.
pub fn watched<T: Send>(
    py: Python<'_>,
    report: Option<Py<PyAny>>,
    work: impl FnOnce(&mut dyn FnMut(Progress) -> anypiece_core::Result<()>) -> anypiece_core::Result<T> + Send,
) -> PyResult<T> {
    let mut raised: Option<PyErr> = None;
    let result = py.detach(|| {
        work(&mut |now: Progress| {
            let heard = Python::attach(|py| {
                py.check_signals()?;
                report.as_ref().map_or(Ok(()), |report| report.call1(py, (now.stage, now.done, now.total)).map(|_| ()))
            });
            heard.map_err(|error| {
                raised = Some(error);
                anypiece_core::Error::new("train-interrupted", "training was interrupted")
            })
        })
    });
    match raised {
        Some(error) => Err(error),
        None => result.map_err(raise),
    }
}

/// Pieces, concatenated, their offsets, their scores, and statistics as JSON.
type Columns<'py> = (Bytes<'py>, Bytes<'py>, Bytes<'py>, String);

/// Trains a unigram vocabulary.
#[guarded]
#[pyfunction]
#[pyo3(signature = (words, options, threads, report=None))]
pub fn train_unigram<'py>(
    py: Python<'py>,
    words: &Words,
    options: &str,
    threads: usize,
    report: Option<Py<PyAny>>,
) -> PyResult<Columns<'py>> {
    let options: unigram::Options = read_options(options).map_err(raise)?;
    let trained = watched(py, report, |watch| unigram::train(&words.inner, &options, threads, watch))?;
    let ends = trained.pieces.iter().scan(0, |end, piece| {
        *end += anypiece_core::util::cast::u32_of(piece.len());
        Some(*end)
    });
    let offsets: Column<u32> = std::iter::once(0).chain(ends).collect::<Vec<u32>>().into();
    Ok((
        PyBytes::new(py, trained.pieces.concat().as_bytes()),
        PyBytes::new(py, offsets.as_bytes()),
        PyBytes::new(py, Column::from(trained.scores).as_bytes()),
        trained.facts.to_string(),
    ))
}

/// Upper bound of the bytes that training needs.
#[guarded]
#[pyfunction]
pub fn unigram_memory(py: Python<'_>, words: &Words, options: &str, threads: usize) -> PyResult<u64> {
    let options: unigram::Options = read_options(options).map_err(raise)?;
    watched(py, None, |watch| unigram::memory(&words.inner, &options, threads, watch))
}
