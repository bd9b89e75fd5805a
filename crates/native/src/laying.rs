//! Spans of tokens that cover their text: they follow from the lengths of pieces, without a second segmentation.

use anypiece_core::util::cast::{i64_of, us};
use anypiece_core::util::simd::{places, printable, read, BLOCK};
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
    /// Whether all printable ASCII but the space is kept.
    prints: bool,
}

impl<'a> Rule<'a> {
    fn new(lengths: &'a [u32], classes: &'a [u8], by_bytes: bool, chars: bool) -> Self {
        let prints = classes
            .get(usize::from(b'!')..=usize::from(b'~'))
            .is_some_and(|some| some.iter().all(|&class| class == KEPT));
        Self { lengths, classes, by_bytes, chars, prints }
    }
}

impl Rule<'_> {
    fn class(&self, code: u32) -> u8 {
        self.classes.get(us(code)).copied().unwrap_or(UNCLEAR)
    }

    fn length(&self, id: u32) -> Option<usize> {
        self.lengths.get(us(id)).map(|&length| us(length)).filter(|&length| length > 0)
    }

    /// Appends the spans of tokens; None if they do not cover the text.
    fn lay(&self, text: &Held, ids: &[u32], kept: &mut Vec<u64>, spans: &mut Spans) -> Option<()> {
        let (raw, is_str) = (text.bytes(), text.is_str());
        let is_ascii = raw.is_ascii();
        // Bytes that may not be UTF-8 have no characters to count.
        if !is_ascii && !is_str && (self.chars || !self.by_bytes || !self.classes.is_empty()) {
            return None;
        }
        if !self.by_bytes {
            if !is_ascii {
                return self.lay_characters(raw, ids, spans);
            }
            self.read_kept(raw, kept)?;
            return self.lay_ascii(kept, ids, spans);
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

    /// Which bytes of ASCII text are kept, as bits; the others are dropped. `None` if one is unclear.
    fn read_kept(&self, raw: &[u8], kept: &mut Vec<u64>) -> Option<()> {
        kept.clear();
        for at in (0..raw.len()).step_by(BLOCK) {
            let mut padded = [0; BLOCK];
            let block = read(raw, at, &mut padded);
            let mut bits = if self.prints { printable(block) } else { 0 };
            let own = u64::MAX >> BLOCK.saturating_sub(raw.len() - at);
            for place in places(!bits & own) {
                match self.class(u32::from(block[us(place)])) {
                    KEPT => bits |= 1 << place,
                    DROPPED => {}
                    _ => return None,
                }
            }
            kept.push(bits);
        }
        Some(())
    }

    /// As [`Rule::lay_characters`] along ASCII text, by the bits of what is kept: runs of it at once.
    fn lay_ascii(&self, kept: &[u64], ids: &[u32], spans: &mut Spans) -> Option<()> {
        let mut at = 0;
        for &id in ids {
            let mut left = self.length(id)?;
            at = next_kept(kept, at)?;
            let start = at;
            loop {
                let run = us(bits_from(kept, at).trailing_ones());
                if run >= left {
                    break;
                }
                left -= run;
                at = next_kept(kept, at + run)?;
            }
            at += left;
            spans.push(start, at);
        }
        next_kept(kept, at).is_none().then_some(())
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

/// 64 bits from a place on; zeros behind the last.
#[inline(always)]
fn bits_from(bits: &[u64], at: usize) -> u64 {
    let word = |number: usize| bits.get(number).copied().unwrap_or(0);
    let (number, shift) = (at / 64, at % 64);
    // Shifted in two steps, as a shift by 64 is none.
    word(number) >> shift | word(number + 1) << 1 << (63 - shift)
}

/// The place of the first set bit from a place on.
#[inline(always)]
fn next_kept(bits: &[u64], mut at: usize) -> Option<usize> {
    loop {
        match bits_from(bits, at) {
            0 if at >= 64 * bits.len() => return None,
            0 => at += 64,
            some => return Some(at + us(some.trailing_zeros())),
        }
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
    let (rule, mut kept) = (Rule::new(lengths, classes, by_bytes, chars), Vec::new());
    let (mut spans, mut fits) = (Spans::default(), Vec::with_capacity(held.len()));
    spans.starts.reserve(ids.len());
    spans.ends.reserve(ids.len());
    let laid = py.detach(|| {
        for (number, text) in held.iter().enumerate() {
            let edge = |at: usize| bounds.get(at).and_then(|&value| usize::try_from(value).ok());
            let (start, end) = (edge(number)?, edge(number + 1)?);
            let own = ids.get(start..end)?;
            fits.push(rule.lay(text, own, &mut kept, &mut spans).is_some());
            spans.resize(end);
        }
        (spans.starts.len() == ids.len()).then_some(())
    });
    if laid.is_none() {
        return Err(fail("argument-value", "the tokens do not fit the texts"));
    }
    Ok((spans.starts.into_pyarray(py), spans.ends.into_pyarray(py), fits.into_pyarray(py)))
}
