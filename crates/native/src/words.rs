//! Tokens of many texts as columns: ids, spans in characters, and the index of each token's pre-token.

use anypiece_core::util::cast::{i64_of, u32_of};
use anypiece_core::{CharCounter, Result};
use anypiece_guarded::guarded;
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;

use crate::text::{hold, Held, Permitted};
use crate::tokenizer::{Permission, Tokenizer};

/// Ids, offsets, starts, ends and words.
type WordColumns<'py> = (
    Bound<'py, PyArray1<u32>>,
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<u32>>,
    Bound<'py, PyArray1<u32>>,
    Bound<'py, PyArray1<u32>>,
);

/// Encodes texts with spans and words; see the stub for the contract.
#[guarded]
#[pyfunction]
#[pyo3(signature = (tokenizer, texts, permit = None))]
pub fn encode_words<'py>(
    py: Python<'py>,
    tokenizer: &Tokenizer,
    texts: &Bound<'py, PyAny>,
    permit: Permission<'_, 'py>,
) -> PyResult<WordColumns<'py>> {
    let (held, permitted) = (hold(texts)?, Permitted::of(permit)?);
    let bytes = held.iter().map(|text| text.bytes().len()).sum();
    let [mut ids, mut starts, mut ends, mut words]: [Vec<u32>; 4] = Default::default();
    let mut offsets = vec![0];
    tokenizer.with_scratch(py, bytes, |kernel, scratch| -> Result<()> {
        let whole = kernel.spec().has_byte_pieces();
        for text in held.iter().map(Held::bytes) {
            let (mut first, mut last) = (CharCounter::new(text), CharCounter::new(text));
            for (token, _, word) in kernel.word_spans(text, permitted.view(), scratch)? {
                ids.push(token.id);
                starts.push(u32_of(first.at(token.span.0)));
                // A byte piece that ends within a character extends to its end.
                ends.push(u32_of(if whole { last.at_or_after(token.span.1) } else { last.at(token.span.1) }));
                words.push(word);
            }
            offsets.push(i64_of(ids.len()));
        }
        Ok(())
    })?;
    Ok((
        ids.into_pyarray(py),
        offsets.into_pyarray(py),
        starts.into_pyarray(py),
        ends.into_pyarray(py),
        words.into_pyarray(py),
    ))
}
