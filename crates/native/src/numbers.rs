//! Lists of ids for Python, with a cache of `int` objects.
//!
//! Above 256 Python allocates a new `int` each time: a third of the cost of a list of a dozen ids. Here each id has one
//! object that all lists share, created on first use. They live as long as the process: at most 48 bytes for each id
//! below a bound, and only for ids that occurred.

use anypiece_core::util::cast::us;
use anypiece_core::util::lazy::Lazy;
use pyo3::prelude::*;
use pyo3::types::{PyInt, PyList};

/// Ids of one page, which is created as a whole.
const PAGE: usize = 256;
/// Maximum number of pages; ids beyond them are not cached.
const PAGES: usize = 1024;

type Page = [Lazy<Py<PyInt>>; PAGE];

static KEPT: [Lazy<Box<Page>>; PAGES] = [const { Lazy::new() }; PAGES];

/// Whether objects are shared. On free-threaded builds threads would contend for their reference counts; those builds
/// have no stable ABI.
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
