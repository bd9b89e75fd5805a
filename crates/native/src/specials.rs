//! Forbidden special tokens of a call. Policy is in `specials.py`.

use anypiece_core::Result;
use anypiece_guarded::guarded;
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;

use crate::arrow::TextColumn;
use crate::error::raise;
use crate::text::{hold, ids, Held};
use crate::tokenizer::Tokenizer;

/// Numbers of special tokens by their spelling.
#[guarded]
#[pyfunction]
pub fn spelled<'py>(
    py: Python<'py>,
    tokenizer: &Tokenizer,
    names: Vec<PyBackedStr>,
) -> PyResult<Bound<'py, PyArray1<u32>>> {
    let numbers = py.detach(|| -> Result<Vec<u32>> {
        let spellings = tokenizer.kernel().spellings()?;
        let mut numbers: Vec<u32> = names.iter().filter_map(|name| spellings.number(name.as_bytes())).collect();
        numbers.sort_unstable();
        Ok(numbers)
    });
    Ok(numbers.map_err(raise)?.into_pyarray(py))
}

/// The first special token of some texts that is not allowed: index of the text, spelling, position in bytes.
#[guarded]
#[pyfunction]
pub fn forbidden(
    py: Python<'_>,
    tokenizer: &Tokenizer,
    texts: &Bound<'_, PyAny>,
    allowed: &Bound<'_, PyAny>,
) -> PyResult<Option<(usize, String, usize)>> {
    let column = texts.cast::<TextColumn>().ok();
    let held = if column.is_none() { hold(texts)? } else { Vec::new() };
    let texts = match column {
        Some(column) => column.get().texts()?,
        None => held.iter().map(Held::bytes).collect(),
    };
    let mut allowed = ids(allowed)?;
    allowed.sort_unstable();
    let bytes = texts.iter().map(|text| text.len()).sum();
    tokenizer.with_scratch(py, bytes, |kernel, scratch| {
        for (row, text) in texts.into_iter().enumerate() {
            if let Some((number, start)) = kernel.forbidden(text, &allowed, scratch)? {
                return Ok(Some((row, String::from_utf8_lossy(kernel.spelling(number)).into_owned(), start)));
            }
        }
        Ok(None)
    })
}
