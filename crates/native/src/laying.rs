//! Spans of tokens that cover their text: they follow from the lengths of pieces, without a second segmentation.

use anypiece_core::util::cast::{i64_of, us};
use anypiece_core::util::utf8::decode;
use anypiece_guarded::guarded;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;

use crate::error::fail;
use crate::text::{hold, Held};

const DROPPED: u8 = 0;
const KEPT: u8 = 1;
const UNCLEAR: u8 = 2;

/// Starts, ends, and whether the tokens of a text cover it exactly.
type Laid<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<bool>>);

/// How tokens lie along a text.
struct Rule<'a> {
    /// Bytes or characters by id; 0 where an id does not determine its length.
    lengths: &'a [u32],
    /// The class of each code point; those beyond the end are unclear. Empty if every character is kept.
    classes: &'a [u8],
    /// Whether lengths are in bytes.
    by_bytes: bool,
    /// Whether spans are in characters.
    chars: bool,
}

impl Rule<'_> {
    fn class(&self, code: u32) -> u8 {
        self.classes.get(us(code)).copied().unwrap_or(UNCLEAR)
    }

    fn length(&self, id: u32) -> Option<usize> {
        self.lengths.get(us(id)).map(|&length| us(length)).filter(|&length| length > 0)
    }

    /// Appends the spans of tokens; None if they do not cover the text.
    fn lay(&self, text: &Held, ids: &[u32], spans: &mut Spans) -> Option<()> {
        let (raw, is_str) = (text.bytes(), matches!(text, Held::Str(_)));
        let is_ascii = raw.is_ascii();
        // Bytes that may not be UTF-8 have no characters to count.
        if !is_ascii && !is_str && (self.chars || !self.by_bytes || !self.classes.is_empty()) {
            return None;
        }
        if !self.by_bytes {
            return if is_ascii { self.lay_ascii(raw, ids, spans) } else { self.lay_characters(raw, ids, spans) };
        }
        // In normalized text every byte of a character has the span of all of it, also in bytes.
        if !(is_ascii || self.classes.is_empty() || self.chars && self.keeps_all(raw)) {
            return None;
        }
        let counts = self.chars && !is_ascii;
        let (mut at, mut character) = (0, 0);
        for &id in ids {
            let end = at + self.length(id)?;
            let part = raw.get(at..end)?;
            if counts {
                // A piece that begins or ends within a character has all of it.
                let inside = usize::from(is_inside(part[0]));
                let next = character + part.iter().filter(|&&byte| !is_inside(byte)).count();
                spans.push(character - inside, next);
                character = next;
            } else {
                spans.push(at, end);
            }
            at = end;
        }
        (at == raw.len()).then_some(())
    }

    fn keeps_all(&self, raw: &[u8]) -> bool {
        let mut at = 0;
        while at < raw.len() {
            let (code, length) = decode(raw, at);
            if self.class(code) != KEPT {
                return false;
            }
            at += length;
        }
        true
    }

    /// Lays pieces whose lengths are in characters along ASCII text. `None` where they do not cover it.
    fn lay_ascii(&self, raw: &[u8], ids: &[u32], spans: &mut Spans) -> Option<()> {
        let mut table = [UNCLEAR; 256];
        let known = self.classes.len().min(128);
        table[..known].copy_from_slice(&self.classes[..known]);
        let class = |byte: u8| table[usize::from(byte)];
        let mut at = 0;
        for &id in ids {
            let length = self.length(id)?;
            while class(*raw.get(at)?) == DROPPED {
                at += 1;
            }
            let (start, mut left) = (at, length);
            while left > 0 {
                match class(*raw.get(at)?) {
                    KEPT => left -= 1,
                    DROPPED => {}
                    _ => return None,
                }
                at += 1;
            }
            spans.push(start, at);
        }
        raw[at..].iter().all(|&byte| class(byte) == DROPPED).then_some(())
    }

    /// Lays pieces whose lengths are in characters along any UTF-8. `None` where they do not cover it.
    fn lay_characters(&self, raw: &[u8], ids: &[u32], spans: &mut Spans) -> Option<()> {
        let (mut at, mut character) = (0, 0);
        // Advances by one character, and returns its class.
        let next = |at: &mut usize, character: &mut usize| {
            let (code, length) = decode(raw.get(*at..).filter(|rest| !rest.is_empty())?, 0);
            (*at, *character) = (*at + length, *character + 1);
            Some(self.class(code))
        };
        for &id in ids {
            let (mut left, mut start) = (self.length(id)?, None);
            while left > 0 {
                let here = (at, character);
                match next(&mut at, &mut character)? {
                    KEPT => {
                        start = start.or(Some(here));
                        left -= 1;
                    }
                    DROPPED => {}
                    _ => return None,
                }
            }
            let start = start?;
            if self.chars {
                spans.push(start.1, character);
            } else {
                spans.push(start.0, at);
            }
        }
        while at < raw.len() {
            if next(&mut at, &mut character)? != DROPPED {
                return None;
            }
        }
        Some(())
    }
}

fn is_inside(byte: u8) -> bool {
    byte & 0xC0 == 0x80
}

/// Columns of starts and ends.
#[derive(Default)]
struct Spans {
    starts: Vec<i64>,
    ends: Vec<i64>,
}

impl Spans {
    fn push(&mut self, start: usize, end: usize) {
        self.starts.push(i64_of(start));
        self.ends.push(i64_of(end));
    }

    fn resize(&mut self, length: usize) {
        self.starts.resize(length, 0);
        self.ends.resize(length, 0);
    }
}

/// Lays tokens along texts; see the stub for the contract.
#[guarded]
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub fn lay_tokens<'py>(
    py: Python<'py>,
    texts: &Bound<'py, PyAny>,
    ids: PyReadonlyArray1<'py, u32>,
    bounds: PyReadonlyArray1<'py, i64>,
    lengths: PyReadonlyArray1<'py, u32>,
    classes: &[u8],
    by_bytes: bool,
    chars: bool,
) -> PyResult<Laid<'py>> {
    let held = hold(texts)?;
    let (Ok(ids), Ok(bounds), Ok(lengths)) = (ids.as_slice(), bounds.as_slice(), lengths.as_slice()) else {
        return Err(fail("argument-value", "the columns of tokens must be contiguous"));
    };
    let rule = Rule { lengths, classes, by_bytes, chars };
    let (mut spans, mut fits) = (Spans::default(), Vec::with_capacity(held.len()));
    spans.starts.reserve(ids.len());
    spans.ends.reserve(ids.len());
    let laid = py.detach(|| {
        for (number, text) in held.iter().enumerate() {
            let edge = |at: usize| bounds.get(at).and_then(|&value| usize::try_from(value).ok());
            let (start, end) = (edge(number)?, edge(number + 1)?);
            let own = ids.get(start..end)?;
            fits.push(rule.lay(text, own, &mut spans).is_some());
            spans.resize(end);
        }
        (spans.starts.len() == ids.len()).then_some(())
    });
    if laid.is_none() {
        return Err(fail("argument-value", "the tokens do not fit the texts"));
    }
    Ok((spans.starts.into_pyarray(py), spans.ends.into_pyarray(py), fits.into_pyarray(py)))
}
