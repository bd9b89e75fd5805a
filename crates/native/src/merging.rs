//! Trainers of merges and of what is looked up; see the stub for their contracts.

use anypiece_core::training::bpe::Merge;
use anypiece_core::training::{byte_bpe, read_options};
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;

use crate::error::raise;
use crate::training::{watched, Words};

type Merges<'py> = (Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<u64>>);

/// Merges of bytes.
#[pyfunction]
#[pyo3(signature = (words, config, report=None))]
pub fn train_byte_bpe<'py>(
    py: Python<'py>,
    words: &Words,
    config: &str,
    report: Option<Py<PyAny>>,
) -> PyResult<Merges<'py>> {
    let options: byte_bpe::Options = read_options(config).map_err(raise)?;
    let merges = watched(py, report, |watch| byte_bpe::train(&words.inner, &options, watch))?;
    Ok(columns(py, &merges))
}

fn columns<'py>(py: Python<'py>, merges: &[Merge]) -> Merges<'py> {
    let rows: Vec<u32> = merges.iter().flat_map(|merge| [merge.left, merge.right, merge.made]).collect();
    let counts: Vec<u64> = merges.iter().map(|merge| merge.count).collect();
    (rows.into_pyarray(py), counts.into_pyarray(py))
}
