//! Normalization rules: the named ones, and their compiled map; see the stub for the contracts.

use anypiece_core::scan::strings::Column;
use anypiece_core::util::cast::u32_of;
use anypiece_core::util::column::Column as Values;
use anypiece_core::{charsmap_build, rules};
use anypiece_guarded::guarded;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::error::{fail, raise};

type Bytes<'py> = Bound<'py, PyBytes>;

/// Compiles rules to a character map.
#[guarded]
#[pyfunction]
pub fn compile_charsmap<'py>(
    py: Python<'py>,
    keys: &[u8],
    key_offsets: &[u8],
    targets: &[u8],
    target_offsets: &[u8],
) -> PyResult<Bytes<'py>> {
    let columns = (Values::<u32>::copy_of(key_offsets), Values::<u32>::copy_of(target_offsets));
    let (Some(key_offsets), Some(target_offsets)) = columns else {
        return Err(fail("rule-invalid", "a column's length is not a multiple of four"));
    };
    let (Some(keys), Some(targets)) = (Column::new(keys, &key_offsets), Column::new(targets, &target_offsets)) else {
        return Err(fail("rule-invalid", "the columns of the rules do not fit together"));
    };
    if key_offsets.len() != target_offsets.len() {
        return Err(fail("rule-invalid", "there are not as many targets as keys"));
    }
    let blob = py.detach(|| charsmap_build::compile(&keys.iter().zip(targets.iter()).collect::<Vec<_>>()));
    Ok(PyBytes::new(py, &blob.map_err(raise)?))
}

/// The rules of a name as the columns that `compile_charsmap` takes.
#[guarded]
#[pyfunction]
pub fn normalization_rules<'py>(
    py: Python<'py>,
    name: &str,
) -> Option<(Bytes<'py>, Bytes<'py>, Bytes<'py>, Bytes<'py>)> {
    let rows = py.detach(|| rules::named(name))?;
    let (keys, key_offsets) = column(rows.iter().map(|row| row.0.as_str()));
    let (targets, target_offsets) = column(rows.iter().map(|row| row.1.as_str()));
    Some((
        PyBytes::new(py, keys.as_bytes()),
        PyBytes::new(py, key_offsets.as_bytes()),
        PyBytes::new(py, targets.as_bytes()),
        PyBytes::new(py, target_offsets.as_bytes()),
    ))
}

fn column<'a>(texts: impl Iterator<Item = &'a str>) -> (String, Values<u32>) {
    let (mut joined, mut offsets) = (String::new(), vec![0]);
    for text in texts {
        joined.push_str(text);
        offsets.push(u32_of(joined.len()));
    }
    (joined, offsets.into())
}
