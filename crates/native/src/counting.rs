//! Word counting, and word tables as files; see the stub for the contracts.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use anypiece_core::training::count::{count, count_lines, newlines, Cutter, Cutting};
use anypiece_core::training::tables::Tables;
use anypiece_core::training::word_file::{load, Merge, Writer};
use anypiece_core::util::column::Column;
use anypiece_core::Result;
use anypiece_guarded::guarded;
use pyo3::prelude::*;

use crate::error::{fail, raise};
use crate::text::{hold, Held};
use crate::tokenizer::Tokenizer;
use crate::training::Words;

/// Counts the words of texts.
#[pyclass(frozen, module = "anypiece._native")]
pub struct Counter {
    cutter: Cutter,
    tables: Mutex<Tables>,
}

impl Counter {
    fn tables(&self) -> MutexGuard<'_, Tables> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn cutting_of(name: &str) -> Option<Cutting> {
    Some(match name {
        "chunks" => Cutting::Chunks,
        "texts" => Cutting::Texts,
        "prefix" => Cutting::Spaces { suffix: false, runs: false },
        "words" => Cutting::Words,
        "prefix-runs" => Cutting::Spaces { suffix: false, runs: true },
        "suffix" => Cutting::Spaces { suffix: true, runs: false },
        "suffix-runs" => Cutting::Spaces { suffix: true, runs: true },
        _ => return None,
    })
}

#[guarded]
#[pymethods]
impl Counter {
    #[new]
    #[pyo3(signature = (tokenizer, cutting, breaks, threads, ordered = false))]
    fn new(
        tokenizer: &Tokenizer,
        cutting: &str,
        breaks: Vec<Vec<u8>>,
        threads: usize,
        ordered: bool,
    ) -> PyResult<Self> {
        let Some(cutting) = cutting_of(cutting) else {
            return Err(fail("argument-value", format!("there is no way of cutting named {cutting:?}")));
        };
        let cutter = Cutter::new(tokenizer.kernel().clone(), cutting, &breaks).map_err(raise)?;
        Ok(Self { cutter, tables: Mutex::new(Tables::new(threads, ordered)) })
    }

    #[pyo3(signature = (texts, times = None))]
    fn add(&self, py: Python<'_>, texts: &Bound<'_, PyAny>, times: Option<&[u8]>) -> PyResult<()> {
        let held = hold(texts)?;
        let times = Column::<u64>::copy_of(times.unwrap_or(&[]));
        let Some(times) = times.filter(|times| times.is_empty() || times.len() == held.len()) else {
            return Err(fail("argument-value", "there must be one number for each text"));
        };
        let texts: Vec<&[u8]> = held.iter().map(Held::bytes).collect();
        py.detach(|| count(&self.cutter, &texts, &times, &mut self.tables())).map_err(raise)
    }

    fn add_lines(&self, py: Python<'_>, block: &[u8], keep_ends: bool) -> PyResult<(usize, Vec<usize>)> {
        py.detach(|| count_lines(&self.cutter, block, keep_ends, &mut self.tables())).map_err(raise)
    }

    #[getter]
    fn memory(&self) -> usize {
        self.tables().bytes()
    }

    fn take(&self, py: Python<'_>) -> PyResult<Words> {
        py.detach(|| self.tables().take(self.cutter.escapes())).map(|inner| Words { inner }).map_err(raise)
    }
}

/// The number of newlines.
#[guarded]
#[pyfunction]
pub fn count_newlines(py: Python<'_>, block: &[u8]) -> usize {
    py.detach(|| newlines(block))
}

/// Writes a table of words.
#[guarded]
#[pyfunction]
pub fn save_words(py: Python<'_>, words: &Words, path: PathBuf, header: &[u8]) -> PyResult<()> {
    py.detach(|| -> Result<()> {
        let mut writer = Writer::create(&path, header, words.inner.read())?;
        writer.push_all(&words.inner)?;
        writer.finish().map(|_| ())
    })
    .map_err(raise)
}

/// The words, and what was left out.
type Loaded = (Words, (u64, u64, u64));

/// Reads a table of words.
#[guarded]
#[pyfunction]
pub fn load_words(py: Python<'_>, path: PathBuf, limit: u64) -> PyResult<Loaded> {
    let (words, left) = py.detach(|| load(&path, limit)).map_err(raise)?;
    Ok((Words { inner: words }, (left.least, left.words, left.count)))
}

/// Merges word tables.
#[guarded]
#[pyfunction]
pub fn merge_words(py: Python<'_>, paths: Vec<PathBuf>, out: PathBuf, header: &[u8]) -> PyResult<(u64, u64)> {
    py.detach(|| -> Result<_> {
        let paths: Vec<&Path> = paths.iter().map(PathBuf::as_path).collect();
        let merge = Merge::open(&paths)?;
        let mut writer = Writer::create(&out, header, merge.read())?;
        merge.each(|word, count, first| writer.push(word, count, first))?;
        let totals = writer.finish()?;
        Ok((totals.words, totals.count))
    })
    .map_err(raise)
}
