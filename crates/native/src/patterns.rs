//! Patterns as standalone objects, for the reference; see the stub for the contract.

use anypiece_core::{Matcher, Pattern as Source, Room, Stretch};
use anypiece_guarded::guarded;
use pyo3::prelude::*;

use crate::error::{fail, raise};

/// A compiled pattern.
#[pyclass(frozen, module = "anypiece._native")]
pub struct Pattern {
    matcher: Matcher,
}

#[guarded]
#[pymethods]
impl Pattern {
    #[new]
    fn new(py: Python<'_>, kind: &str, source: String) -> PyResult<Self> {
        let pattern = match kind {
            "literal" => Source::Literal(source),
            "regex" => Source::Regex(source),
            "regex-15.1" => Source::Dated(source),
            "fancy-regex" => Source::Own(source),
            _ => return Err(fail("spec-pattern", format!("there is no kind of pattern {kind:?}"))),
        };
        let matcher = py.detach(|| pattern.compile(&mut Room::default())).map_err(raise)?;
        Ok(Self { matcher })
    }

    fn stretches(&self, py: Python<'_>, text: &str) -> PyResult<Vec<(usize, usize, bool)>> {
        let found = py.detach(|| {
            let mut found = Vec::new();
            self.matcher.stretches(text, &mut found).map(|()| found)
        });
        Ok(in_characters(text, &found.map_err(raise)?))
    }
}

/// Contiguous stretches, in characters instead of bytes.
fn in_characters(text: &str, found: &[Stretch]) -> Vec<(usize, usize, bool)> {
    let (mut at, mut character) = (0, 0);
    let rows = found.iter().map(|stretch| {
        let start = character;
        character += text[at..stretch.end].chars().count();
        at = stretch.end;
        (start, character, stretch.matched)
    });
    rows.collect()
}
