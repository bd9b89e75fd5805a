//! The scanners as Python functions; see the stub for their contracts.

use anypiece_core::scan::bodies::{integers, long_strings};
use anypiece_core::scan::json::{document, Shape};
use anypiece_core::scan::lines::base64_lines;
use anypiece_core::scan::merges::{merge_rows, Listing, Merges};
use anypiece_core::scan::strings::Column as Strings;
use anypiece_core::scan::table::{by_number, numbers_of, unmapped};
use anypiece_core::util::column::{Column, Pod};
use anypiece_guarded::guarded;
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::error::{fail, raise};

type Bytes<'py> = Bound<'py, PyBytes>;
type Table<'py> = (&'static str, Bytes<'py>, Bytes<'py>, Bytes<'py>);

fn words(bytes: &[u8]) -> PyResult<Column<u32>> {
    Column::copy_of(bytes).ok_or_else(|| fail("spec-pieces", "a column's length is not a multiple of four"))
}

fn packed<T: Pod>(py: Python<'_>, values: Vec<T>) -> Bytes<'_> {
    PyBytes::new(py, Column::from(values).as_bytes())
}

const fn name(shape: Shape) -> &'static str {
    match shape {
        Shape::Ints => "ints",
        Shape::Floats => "floats",
        Shape::Strings => "strings",
        Shape::Pairs => "pairs",
    }
}

/// Parses lines of base64 and a number.
#[guarded]
#[pyfunction]
pub fn scan_lines<'py>(py: Python<'py>, data: &[u8]) -> Option<(Bytes<'py>, Bytes<'py>, Bytes<'py>)> {
    let found = py.detach(|| base64_lines(data))?;
    Some((PyBytes::new(py, &found.blob), packed(py, found.offsets), packed(py, found.numbers)))
}

/// Extracts tables of strings from a JSON document.
#[guarded]
#[pyfunction]
#[pyo3(signature = (data, places, nearest=false))]
pub fn scan_json<'py>(
    py: Python<'py>,
    data: &[u8],
    places: Vec<String>,
    nearest: bool,
) -> PyResult<(Bytes<'py>, Vec<Option<Table<'py>>>)> {
    let names: Vec<&str> = places.iter().map(String::as_str).collect();
    let found = py.detach(|| document(data, &names, nearest)).map_err(raise)?;
    let columns = found.tables.into_iter().map(|table| {
        table.map(|table| {
            let values = match table.shape {
                Shape::Floats => packed(py, table.floats),
                _ => packed(py, table.ints),
            };
            (name(table.shape), PyBytes::new(py, &table.blob), packed(py, table.offsets), values)
        })
    });
    Ok((PyBytes::new(py, &found.rest), columns.collect()))
}

/// Puts each string at its number.
#[guarded]
#[pyfunction]
pub fn strings_by_number<'py>(
    py: Python<'py>,
    blob: &[u8],
    offsets: &[u8],
    numbers: &[u8],
    limit: u32,
) -> PyResult<(Bytes<'py>, Bytes<'py>)> {
    let (offsets, numbers) = (words(offsets)?, words(numbers)?);
    let work = || Strings::new(blob, &offsets).and_then(|strings| by_number(strings, &numbers, limit));
    let (blob, offsets) = py.detach(work).map_err(raise)?;
    Ok((PyBytes::new(py, &blob), packed(py, offsets)))
}

/// The bytes of strings of mapped characters.
#[guarded]
#[pyfunction]
pub fn strings_unmapped<'py>(
    py: Python<'py>,
    blob: &[u8],
    offsets: &[u8],
    characters: [u32; 256],
) -> PyResult<(Bytes<'py>, Bytes<'py>, Bytes<'py>)> {
    let offsets = words(offsets)?;
    let work = || Ok(unmapped(Strings::new(blob, &offsets)?, &characters));
    let (blob, offsets, mapped) = py.detach(work).map_err(raise)?;
    Ok((PyBytes::new(py, &blob), packed(py, offsets), PyBytes::new(py, &mapped)))
}

/// The number of each wanted string.
#[guarded]
#[pyfunction]
pub fn numbers_of_strings<'py>(
    py: Python<'py>,
    vocabulary: (Bytes<'py>, Bytes<'py>),
    wanted: (Bytes<'py>, Bytes<'py>),
) -> PyResult<Bytes<'py>> {
    let (names, offsets) = (vocabulary.0.as_bytes(), words(vocabulary.1.as_bytes())?);
    let (blob, ends) = (wanted.0.as_bytes(), words(wanted.1.as_bytes())?);
    let work = || Ok(numbers_of(Strings::new(names, &offsets)?, Strings::new(blob, &ends)?));
    Ok(packed(py, py.detach(work).map_err(raise)?))
}

/// The ids of the pieces of each merge.
#[guarded]
#[pyfunction]
#[pyo3(signature = (vocabulary, merges, listing, prefix = 0, keeps_last = true))]
pub fn merge_ids<'py>(
    py: Python<'py>,
    vocabulary: (Bytes<'py>, Bytes<'py>),
    merges: (Bytes<'py>, Bytes<'py>),
    listing: &str,
    prefix: usize,
    keeps_last: bool,
) -> PyResult<(Bytes<'py>, Option<u32>)> {
    let listing = match listing {
        "pairs" => Listing::Pairs,
        "one-space" => Listing::OneSpace,
        _ => Listing::FirstSpace,
    };
    let (names, offsets) = (vocabulary.0.as_bytes(), words(vocabulary.1.as_bytes())?);
    let (blob, ends) = (merges.0.as_bytes(), words(merges.1.as_bytes())?);
    let work = || {
        let strings = Strings::new(blob, &ends)?;
        Ok(merge_rows(Strings::new(names, &offsets)?, Merges { strings, listing, prefix, keeps_last }))
    };
    let (rows, odd) = py.detach(work).map_err(raise)?;
    Ok((packed(py, rows), odd))
}

/// Takes the long strings out of a JSON document.
#[guarded]
#[pyfunction]
pub fn json_long_strings<'py>(py: Python<'py>, document: &[u8], longest: usize) -> Option<(Bytes<'py>, Vec<String>)> {
    let found = py.detach(|| long_strings(document, longest))?;
    Some((PyBytes::new(py, &found.rest), found.strings))
}

/// Writes integers as a JSON list.
#[guarded]
#[pyfunction]
pub fn json_integers<'py>(py: Python<'py>, numbers: &Bound<'py, PyAny>) -> PyResult<Bytes<'py>> {
    let written = if let Ok(ids) = numbers.extract::<PyReadonlyArray1<'py, u32>>() {
        let ids = ids.as_slice()?;
        py.detach(|| integers(ids))
    } else {
        let places = numbers.extract::<PyReadonlyArray1<'py, i64>>()?;
        let places = places.as_slice()?;
        py.detach(|| integers(places))
    };
    Ok(PyBytes::new(py, &written))
}
