//! Arrays for what is handed over, in memory whose pages are made many at a time.
//!
//! A fresh page costs a fault when it is first touched. Who keeps the ids of all documents touches one for every thousand ids, since the
//! system's allocator enlarges its heap by small parts. When it did, all pages of the new part are asked for by one call: 12,000
//! arrays of 2.3 kB took 52 instead of 64 ms, and 88 instead of 97 in another minute (17 Nov 2026).
//!
//! Unsafe because an array is filled that nobody filled before, and because the system is called.
#![allow(unsafe_code)]

use anypiece_core::util::interrupt::report;
use numpy::{Element, PyArray1, PyArrayMethods};
use pyo3::prelude::*;

/// Values that are copied between two reports.
const SOME: usize = 1 << 16;

/// An array with a copy of some values.
pub fn array<'py, T: Element + Copy>(py: Python<'py>, values: &[T]) -> Bound<'py, PyArray1<T>> {
    joined(py, [values])
}

/// An array with copies of some values, one after the other.
pub fn joined<'py, T: Element + Copy, const N: usize>(py: Python<'py>, parts: [&[T]; N]) -> Bound<'py, PyArray1<T>> {
    // SAFETY: the array has room for as many values, and all are written before anybody else has it.
    unsafe {
        let array = PyArray1::<T>::new(py, parts.iter().map(|part| part.len()).sum::<usize>(), false);
        make_pages();
        let mut place = array.data();
        // Whoever calls the work off lets go of the array.
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

/// Makes the pages of the heap's last part, if it is new.
#[cfg(target_os = "linux")]
#[inline]
fn make_pages() {
    use std::sync::atomic::{AtomicUsize, Ordering};

    const PAGE: usize = 4096;
    /// Twice what the heap grows by where nobody asks for much at once.
    const MOST: usize = 1 << 18;
    /// Where the heap ended when it was last looked at.
    static END: AtomicUsize = AtomicUsize::new(0);

    // SAFETY: with 0 it only says where the heap ends.
    let end = unsafe { libc::sbrk(0) }.addr() / PAGE * PAGE;
    let before = END.load(Ordering::Relaxed);
    if end != before {
        END.store(end, Ordering::Relaxed);
        if end > before && end - before <= MOST {
            let place = std::ptr::without_provenance_mut(before);
            // SAFETY: pages that were touched stay as they are, others are made as if they were. Where the system does not know the
            // advice, nothing happens.
            let _ = unsafe { libc::madvise(place, end - before, libc::MADV_POPULATE_WRITE) };
        }
    }
}

#[cfg(not(target_os = "linux"))]
const fn make_pages() {}
