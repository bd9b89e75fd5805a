//! The bindings between Python and the kernel: borrow input, release the GIL, call, return a buffer or an error. No
//! algorithms.

mod arrays;
mod arrow;
mod characters;
mod counting;
mod documents;
mod error;
mod guard;
mod laying;
mod merging;
mod numbers;
mod patterns;
mod sample;
mod scan;
mod scratch_guard;
mod spans;
mod specials;
mod streams;
mod text;
mod tokenizer;
mod training;
mod words;

use pyo3::prelude::*;
use pyo3::types::PyBytes;

use anypiece_core::util::column::Column as Values;
use anypiece_guarded::guarded;
use error::{raise, NativeError};

type Columns<'py> = (
    Bound<'py, PyBytes>,
    Bound<'py, PyBytes>,
    Bound<'py, PyBytes>,
    Bound<'py, PyBytes>,
    Vec<(usize, Bound<'py, PyBytes>)>,
    Vec<(u32, usize, usize, usize)>,
);

/// Splits protobuf-wire bytes into columns; see the stub for the contract.
#[guarded]
#[pyfunction]
fn scan_wire_records<'py>(py: Python<'py>, data: &[u8], field: u32) -> PyResult<Columns<'py>> {
    let found = py.detach(|| anypiece_core::scan::wire_records(data, field)).map_err(raise)?;
    let offsets: Vec<u8> = found.offsets.iter().flat_map(|value| value.to_le_bytes()).collect();
    let floats: Vec<u8> = found.floats.iter().flat_map(|value| value.to_le_bytes()).collect();
    let ints: Vec<u8> = found.ints.iter().flat_map(|value| value.to_le_bytes()).collect();
    let strays =
        found.strays.iter().map(|&(record, start, end)| (record, PyBytes::new(py, &data[start..end]))).collect();
    Ok((
        PyBytes::new(py, &found.blob),
        PyBytes::new(py, &offsets),
        PyBytes::new(py, &floats),
        PyBytes::new(py, &ints),
        strays,
        found.rest,
    ))
}

/// Reads an array of length-prefixed strings; see the stub for the contract.
#[guarded]
#[pyfunction]
fn scan_strings<'py>(
    py: Python<'py>,
    data: &[u8],
    at: usize,
    count: u64,
    big: bool,
) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyBytes>, usize)> {
    let found = py.detach(|| anypiece_core::scan::strings::string_array(data, at, count, big)).map_err(raise)?;
    let blob = PyBytes::new_with(py, found.size(), |blob| {
        found.copy_into(blob);
        Ok(())
    })?;
    Ok((blob, PyBytes::new(py, Values::from(found.offsets).as_bytes()), found.end))
}

/// The number of a character's script, as in the rule `unicode-scripts`; 0 is compatible with every other.
#[guarded]
#[pyfunction]
fn script(character: char) -> u8 {
    anypiece_core::script(character)
}

/// The module.
#[guarded]
#[pymodule(gil_used = false)]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    guard::set_up();
    // Arrays need NumPy, and it cannot be imported while a signal is pending.
    module.py().import("numpy")?;
    drop(numpy::PyArray1::<u32>::zeros(module.py(), 0, false));
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("CACHE_SLOTS", tokenizer::CACHE_SLOTS)?;
    module.add("NativeError", module.py().get_type::<NativeError>())?;
    module.add_class::<tokenizer::Tokenizer>()?;
    module.add_class::<sample::Lattice>()?;
    module.add_class::<arrow::TextColumn>()?;
    module.add_class::<arrow::ArrowColumn>()?;
    module.add_function(wrap_pyfunction!(arrow::arrow_lists, module)?)?;
    module.add_class::<documents::Literals>()?;
    module.add_function(wrap_pyfunction!(documents::json_lines, module)?)?;
    module.add_function(wrap_pyfunction!(documents::text_lines, module)?)?;
    module.add_function(wrap_pyfunction!(documents::text_sizes, module)?)?;
    module.add_function(wrap_pyfunction!(documents::texts_not_utf8, module)?)?;
    module.add_function(wrap_pyfunction!(documents::texts_replaced, module)?)?;
    module.add_function(wrap_pyfunction!(documents::texts_taken, module)?)?;
    module.add_class::<patterns::Pattern>()?;
    module.add_class::<training::Words>()?;
    module.add_class::<counting::Counter>()?;
    module.add_function(wrap_pyfunction!(training::count_characters, module)?)?;
    module.add_function(wrap_pyfunction!(training::train_unigram, module)?)?;
    module.add_function(wrap_pyfunction!(training::unigram_memory, module)?)?;
    module.add_class::<streams::StreamEncoder>()?;
    module.add_class::<streams::StreamDecoder>()?;
    module.add_class::<streams::BatchStreamDecoder>()?;
    module.add_function(wrap_pyfunction!(counting::load_words, module)?)?;
    module.add_function(wrap_pyfunction!(counting::merge_words, module)?)?;
    module.add_function(wrap_pyfunction!(counting::count_newlines, module)?)?;
    module.add_function(wrap_pyfunction!(counting::save_words, module)?)?;
    module.add_function(wrap_pyfunction!(merging::train_byte_bpe, module)?)?;
    module.add_function(wrap_pyfunction!(merging::train_bytepiece, module)?)?;
    module.add_function(wrap_pyfunction!(merging::train_more_bpe, module)?)?;
    module.add_function(wrap_pyfunction!(merging::train_score_bpe, module)?)?;
    module.add_function(wrap_pyfunction!(merging::train_spelled_bpe, module)?)?;
    module.add_function(wrap_pyfunction!(scan_strings, module)?)?;
    module.add_function(wrap_pyfunction!(sample::lattice, module)?)?;
    module.add_function(wrap_pyfunction!(sample::nbest, module)?)?;
    module.add_function(wrap_pyfunction!(sample::sample, module)?)?;
    module.add_function(wrap_pyfunction!(sample::sample_ordinary, module)?)?;
    module.add_function(wrap_pyfunction!(sample::sample_batch, module)?)?;
    module.add_function(wrap_pyfunction!(sample::sample_spans, module)?)?;
    module.add_function(wrap_pyfunction!(script, module)?)?;
    module.add_function(wrap_pyfunction!(guard::fail_inside, module)?)?;
    module.add_function(wrap_pyfunction!(specials::forbidden, module)?)?;
    module.add_function(wrap_pyfunction!(specials::spelled, module)?)?;
    module.add_function(wrap_pyfunction!(laying::lay_tokens, module)?)?;
    module.add_function(wrap_pyfunction!(words::encode_words, module)?)?;
    module.add_function(wrap_pyfunction!(scan_wire_records, module)?)?;
    module.add_function(wrap_pyfunction!(scan::scan_lines, module)?)?;
    module.add_function(wrap_pyfunction!(scan::scan_json, module)?)?;
    module.add_function(wrap_pyfunction!(scan::json_integers, module)?)?;
    module.add_function(wrap_pyfunction!(scan::json_long_strings, module)?)?;
    module.add_function(wrap_pyfunction!(scan::numbers_of_strings, module)?)?;
    module.add_function(wrap_pyfunction!(scan::strings_by_number, module)?)?;
    module.add_function(wrap_pyfunction!(scan::strings_unmapped, module)?)?;
    module.add_function(wrap_pyfunction!(scan::merge_ids, module)?)
}
