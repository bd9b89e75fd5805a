//! The BPE and BytePiece trainers; see the stub for their contracts.

use anypiece_core::training::bpe::Merge;
use anypiece_core::training::{byte_bpe, bytepiece, read_options, score_bpe, spelled_bpe};
use anypiece_core::util::column::Column;
use anypiece_guarded::guarded;
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::error::{fail, raise};
use crate::training::{watched, Words};

type Merges<'py> = (Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<u64>>);

/// Trains a merge list over bytes.
#[guarded]
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

/// Continues BPE training on top of a vocabulary: from words as ids, and the bytes of all pieces.
#[guarded]
#[pyfunction]
#[pyo3(signature = (ids, offsets, counts, pieces, config, report=None))]
pub fn train_more_bpe<'py>(
    py: Python<'py>,
    ids: &[u8],
    offsets: &[u8],
    counts: &[u8],
    pieces: Vec<Bound<'py, PyBytes>>,
    config: &str,
    report: Option<Py<PyAny>>,
) -> PyResult<Merges<'py>> {
    let options: byte_bpe::Options = read_options(config).map_err(raise)?;
    let (Some(ids), Some(offsets), Some(counts)) =
        (Column::<u32>::copy_of(ids), Column::<u64>::copy_of(offsets), Column::<u64>::copy_of(counts))
    else {
        return Err(fail("words-table", "a column's length is no multiple of its numbers' size"));
    };
    let pieces: Vec<&[u8]> = pieces.iter().map(|piece| piece.as_bytes()).collect();
    let rows = byte_bpe::Rows { ids: &ids, offsets: &offsets, counts: &counts };
    let merges = watched(py, report, |watch| byte_bpe::train_more(rows, &pieces, &options, watch))?;
    Ok(columns(py, &merges))
}

/// Trains score BPE: pieces of characters, in the order of their scores.
#[guarded]
#[pyfunction]
#[pyo3(signature = (words, config, report=None))]
pub fn train_score_bpe<'py>(
    py: Python<'py>,
    words: &Words,
    config: &str,
    report: Option<Py<PyAny>>,
) -> PyResult<Vec<Bound<'py, PyBytes>>> {
    let options: score_bpe::Options = read_options(config).map_err(raise)?;
    let pieces = watched(py, report, |watch| score_bpe::train(&words.inner, &options, watch))?;
    Ok(pieces.iter().map(|piece| PyBytes::new(py, piece)).collect())
}

/// Trains a vocabulary that distinguishes word starts from the rest; pieces by id.
#[guarded]
#[pyfunction]
#[pyo3(signature = (words, config, report=None))]
pub fn train_spelled_bpe<'py>(
    py: Python<'py>,
    words: &Words,
    config: &str,
    report: Option<Py<PyAny>>,
) -> PyResult<Vec<Bound<'py, PyBytes>>> {
    let options: spelled_bpe::Options = read_options(config).map_err(raise)?;
    let pieces = watched(py, report, |watch| spelled_bpe::train(&words.inner, &options, watch))?;
    Ok(pieces.iter().map(|piece| PyBytes::new(py, piece)).collect())
}

type Counts<'py> = Vec<(Bound<'py, PyBytes>, u64)>;

/// BytePiece's vocabularies, the largest first.
#[guarded]
#[pyfunction]
#[pyo3(signature = (words, config, report=None))]
pub fn train_bytepiece<'py>(
    py: Python<'py>,
    words: &Words,
    config: &str,
    report: Option<Py<PyAny>>,
) -> PyResult<Vec<Counts<'py>>> {
    let options: bytepiece::Options = read_options(config).map_err(raise)?;
    let made = watched(py, report, |watch| bytepiece::train(&words.inner, &options, watch))?;
    Ok(made.iter().map(|pieces| counts(py, pieces)).collect())
}

fn counts<'py>(py: Python<'py>, pieces: &[(Vec<u8>, u64)]) -> Counts<'py> {
    pieces.iter().map(|(piece, count)| (PyBytes::new(py, piece), *count)).collect()
}

fn columns<'py>(py: Python<'py>, merges: &[Merge]) -> Merges<'py> {
    let rows: Vec<u32> = merges.iter().flat_map(|merge| [merge.left, merge.right, merge.made]).collect();
    let counts: Vec<u64> = merges.iter().map(|merge| merge.count).collect();
    (rows.into_pyarray(py), counts.into_pyarray(py))
}
