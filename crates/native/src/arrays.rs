//! NumPy arrays that results are copied into.
//!
//! Unsafe because an array is made uninitialized and then filled.
#![allow(unsafe_code)]

use anypiece_core::util::interrupt::report;
use numpy::{Element, PyArray1, PyArrayMethods};
use pyo3::prelude::*;

/// Values that are copied between two progress reports.
const SOME: usize = 1 << 16;

/// An array with a copy of some values.
pub fn array<'py, T: Element + Copy>(py: Python<'py>, values: &[T]) -> Bound<'py, PyArray1<T>> {
    joined(py, [values])
}

/// An array with the concatenation of some slices.
pub fn joined<'py, T: Element + Copy, const N: usize>(py: Python<'py>, parts: [&[T]; N]) -> Bound<'py, PyArray1<T>> {
    // SAFETY: the array has room for as many values, and all are written before it is shared.
    unsafe {
        let array = PyArray1::<T>::new(py, parts.iter().map(|part| part.len()).sum::<usize>(), false);
        let mut place = array.data();
        // Cancelled work drops the array.
        for part in parts.into_iter().flat_map(|part| part.chunks(SOME)) {
            if part.len() == SOME {
                report(SOME);
            }
            place.copy_from_nonoverlapping(part.as_ptr(), part.len());
            place = place.add(part.len());
        }
        array
    }
}
