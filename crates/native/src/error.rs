//! Kernel errors as one Python exception that carries code, message and facts; `tokenizer.py` maps it to the public
//! ones.

use pyo3::create_exception;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

create_exception!(anypiece._native, NativeError, PyValueError, "Args: code, message, facts as a JSON object.");

/// A kernel error as the Python exception.
pub fn raise(error: anypiece_core::Error) -> PyErr {
    NativeError::new_err((error.code(), error.message().to_owned(), error.facts_json()))
}

/// An error raised by the bindings.
pub fn fail(code: &'static str, message: impl Into<String>) -> PyErr {
    raise(anypiece_core::Error::new(code, message))
}
