//! Documents of blocks of a corpus as columns, without a Python object for each. Policy is in `corpus/shards/documents.py`.

use anypiece_core::scan::documents::{json_lines as read_objects, lines as read_lines, Documents, Kind};
use anypiece_core::scan::literals::Literals as Searcher;
use anypiece_core::util::cast::i64_of;
use anypiece_core::util::interrupt::report;
use anypiece_guarded::guarded;
use arrow_buffer::NullBuffer;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::PyBytes;

use crate::arrow::TextColumn;
use crate::error::{fail, raise};

type Lines<'py> = (TextColumn, Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<u8>>);

fn column<'py>(py: Python<'py>, found: Documents) -> PyResult<Lines<'py>> {
    let is_valid: NullBuffer = found.kinds.iter().map(|&kind| kind == Kind::Text.code()).collect();
    let is_valid = Some(is_valid).filter(|valid| valid.null_count() > 0);
    let column = TextColumn::of_bytes(found.blob, found.offsets, is_valid)?;
    Ok((column, found.places.into_pyarray(py), found.kinds.into_pyarray(py)))
}

/// Each line of a block as a text.
#[guarded]
#[pyfunction]
pub fn text_lines<'py>(py: Python<'py>, block: &Bound<'py, PyBytes>) -> PyResult<Lines<'py>> {
    let block = block.as_bytes();
    column(py, py.detach(|| read_lines(block)))
}

/// A field of the JSON object on each line of a block.
#[guarded]
#[pyfunction]
#[pyo3(signature = (block, path, threads = 1))]
pub fn json_lines<'py>(
    py: Python<'py>,
    block: &Bound<'py, PyBytes>,
    path: Vec<PyBackedStr>,
    threads: usize,
) -> PyResult<Lines<'py>> {
    let block = block.as_bytes();
    let path: Vec<&str> = path.iter().map(|name| -> &str { name }).collect();
    column(py, py.detach(|| read_objects(block, &path, threads)))
}

/// The sizes of the texts in bytes; 0 for null.
#[guarded]
#[pyfunction]
pub fn text_sizes<'py>(py: Python<'py>, texts: &TextColumn) -> PyResult<Bound<'py, PyArray1<i64>>> {
    let sizes: Vec<i64> = texts.texts()?.into_iter().map(|text| i64_of(text.len())).collect();
    Ok(sizes.into_pyarray(py))
}

/// The rows whose texts are not UTF-8.
#[guarded]
#[pyfunction]
pub fn texts_not_utf8<'py>(py: Python<'py>, texts: &TextColumn) -> PyResult<Bound<'py, PyArray1<i64>>> {
    let rows = texts.texts()?;
    let odd: Vec<i64> = py.detach(|| {
        let is_odd = |text: &[u8]| {
            report(text.len());
            std::str::from_utf8(text).is_err()
        };
        rows.into_iter().enumerate().filter(|(_, text)| is_odd(text)).map(|(row, _)| i64_of(row)).collect()
    });
    Ok(odd.into_pyarray(py))
}

/// Some rows of a column, in the order of their numbers in `rows`.
#[guarded]
#[pyfunction]
pub fn texts_taken(py: Python<'_>, texts: &TextColumn, rows: PyReadonlyArray1<'_, i64>) -> PyResult<TextColumn> {
    let (all, wanted) = (texts.rows()?, rows.as_slice()?);
    let beyond = || fail("argument-value", "a row is beyond the column");
    let found: Option<Vec<Option<&[u8]>>> =
        wanted.iter().map(|&row| usize::try_from(row).ok().and_then(|row| all.get(row).copied())).collect();
    let found = found.ok_or_else(beyond)?;
    gathered(py, &found)
}

/// A column with other texts in some rows; `None` for null.
#[guarded]
#[pyfunction]
pub fn texts_replaced(
    py: Python<'_>,
    texts: &TextColumn,
    others: Vec<(usize, Option<PyBackedBytes>)>,
) -> PyResult<TextColumn> {
    let mut all = texts.rows()?;
    for (row, other) in &others {
        let place = all.get_mut(*row).ok_or_else(|| fail("argument-value", "a row is beyond the column"))?;
        *place = other.as_ref().map(|bytes| -> &[u8] { bytes });
    }
    gathered(py, &all)
}

fn gathered(py: Python<'_>, rows: &[Option<&[u8]>]) -> PyResult<TextColumn> {
    let (blob, offsets) = py.detach(|| {
        let size = rows.iter().map(|row| row.map_or(0, <[u8]>::len)).sum();
        let (mut blob, mut offsets) = (Vec::with_capacity(size), Vec::with_capacity(rows.len() + 1));
        offsets.push(0);
        for row in rows {
            let row = row.unwrap_or_default();
            report(row.len());
            blob.extend_from_slice(row);
            offsets.push(i64_of(blob.len()));
        }
        (blob, offsets)
    });
    let is_valid: NullBuffer = rows.iter().map(Option::is_some).collect();
    TextColumn::of_bytes(blob, offsets, Some(is_valid).filter(|valid| valid.null_count() > 0))
}

/// Strings that texts are searched for.
#[pyclass(frozen, module = "anypiece._native")]
pub struct Literals(Searcher);

#[guarded]
#[pymethods]
impl Literals {
    #[new]
    fn new(strings: Vec<PyBackedBytes>) -> PyResult<Self> {
        let strings: Vec<&[u8]> = strings.iter().map(|string| -> &[u8] { string }).collect();
        Ok(Self(Searcher::new(&strings).map_err(raise)?))
    }

    /// Whether each text of a column contains one.
    fn are_in<'py>(&self, py: Python<'py>, texts: &TextColumn) -> PyResult<Bound<'py, PyArray1<bool>>> {
        let rows = texts.texts()?;
        let marks: Vec<bool> = py.detach(|| rows.into_iter().map(|text| self.0.is_in(text)).collect());
        Ok(marks.into_pyarray(py))
    }
}
