//! Lists of ids for Python.
//!
//! Above 256 Python makes an `int` anew each time it is asked for one: a third of what a list of a dozen ids costs. Here each id
//! has one that all lists share, made when it first comes up. They are kept as long as the process: at most 48 bytes for each
//! of the ids below a bound, and only for ids that occurred.

use anypiece_core::util::cast::us;
use anypiece_core::util::lazy::Lazy;
use pyo3::prelude::*;
use pyo3::types::{PyInt, PyList};

/// Ids of one page, which is made as a whole.
const PAGE: usize = 256;
/// Pages; an id beyond them is made each time.
const PAGES: usize = 1024;

type Page = [Lazy<Py<PyInt>>; PAGE];

static KEPT: [Lazy<Box<Page>>; PAGES] = [const { Lazy::new() }; PAGES];

/// Where threads run Python side by side they would wait for each other at the counters of numbers that they share. Those
/// builds have no stable ABI.
const SHARES: bool = cfg!(feature = "abi3");

/// The ids as a list.
pub fn list<'py>(py: Python<'py>, ids: &[u32]) -> PyResult<Bound<'py, PyList>> {
    if SHARES {
        PyList::new(py, ids.iter().map(|&id| number(py, id)))
    } else {
        PyList::new(py, ids)
    }
}

#[inline]
fn number(py: Python<'_>, id: u32) -> Bound<'_, PyInt> {
    let make = || {
        let Ok(made) = id.into_pyobject(py);
        made
    };
    let Some(page) = KEPT.get(us(id) / PAGE) else { return make() };
    let page = page.get(|| Box::new([const { Lazy::new() }; PAGE]));
    page[us(id) % PAGE].get(|| make().unbind()).bind(py).clone()
}
