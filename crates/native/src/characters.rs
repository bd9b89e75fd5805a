//! Non-ASCII `str` input read as code points instead of UTF-8.

use anypiece_core::util::cast::{signed, us};
use anypiece_core::CodePoint;
use anypiece_core::Input;
use anypiece_core::Permit;
use anypiece_core::WChar;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::arrow::TextColumn;
use crate::scratch_guard::SHORT;
use crate::text::{hold_each, hold_known, hold_one, is_long_ascii, Held};
use crate::tokenizer::Tokenizer;

/// Minimum characters of a `str` that is read as code points.
const MIN_CHARACTERS: usize = 16;
/// Maximum characters: beyond, a copy of four bytes per character takes too much memory.
const MAX_CHARACTERS: usize = 1 << 22;
/// If fewer than one character in this many is wide, UTF-8 is faster.
const SHARE: usize = 8;
/// First code point that counts as wide: text below it is mostly ASCII and faster as UTF-8.
const WIDE: u32 = 0x0370;

/// Number of parts between which a text is sampled, fewer for a short one.
const PARTS: usize = 16;
const PARTS_OF_SHORT: usize = 4;

/// First code point outside the code-point table.
const BEYOND: u32 = 0x1_0000;

/// A `str` that seems to have many wide characters, and its length. `is_ascii` is the result of [`is_long_ascii`].
fn wide_text<'a, 'py>(
    object: &'a Bound<'py, PyAny>,
    is_ascii: Option<bool>,
) -> Option<(&'a Bound<'py, PyString>, usize)> {
    if is_ascii == Some(true) {
        return None;
    }
    let text = object.cast::<PyString>().ok()?;
    let length = text.len().ok()?;
    let looks_wide = match is_ascii {
        Some(_) => looks_wide::<PARTS>,
        None => looks_wide::<PARTS_OF_SHORT>,
    };
    ((MIN_CHARACTERS..=MAX_CHARACTERS).contains(&length) && looks_wide(text, length)).then_some((text, length))
}

/// Whether a character sampled between two of `N` parts is wide.
fn looks_wide<const N: usize>(text: &Bound<'_, PyString>, length: usize) -> bool {
    (1..N).any(|part| is_wide(text, length / N * part))
}

/// Copies the characters of such a `str`, if enough are wide and none is beyond the basic plane.
fn copy_characters<'c>(
    (text, length): (&Bound<'_, PyString>, usize),
    characters: &'c mut Vec<WChar>,
) -> Option<&'c [WChar]> {
    if characters.len() < length {
        characters.resize(length, 0);
    }
    let characters = &mut characters[..length];
    if !copy_wide(text, characters) {
        return None;
    }
    // The bitwise OR of all code points shows whether one is beyond the basic plane, and is faster than the maximum.
    let wide: u32 = characters.iter().map(|&code| u32::from(signed(code.number()) >= signed(WIDE))).sum();
    let bits = characters.iter().fold(0, |bits, &code| bits | code.number());
    (us(wide) * SHARE >= length && bits < BEYOND).then_some(characters)
}

/// A text held during a batch, which may be read as code points.
pub enum HeldInput {
    /// As bytes.
    Bytes(Held),
    /// The characters of a `str`.
    Characters(Vec<WChar>),
}

impl HeldInput {
    fn of(text: Bound<'_, PyAny>) -> PyResult<Self> {
        let mut characters = Vec::new();
        let is_ascii = is_long_ascii(&text);
        let copied = wide_text(&text, is_ascii).and_then(|text| copy_characters(text, &mut characters));
        // A lone surrogate is reported where the text is converted to bytes.
        if copied.is_some_and(|copied| !copied.iter().any(|code| (0xD800..0xE000).contains(code))) {
            return Ok(Self::Characters(characters));
        }
        hold_known(text, is_ascii).map(Self::Bytes)
    }

    /// The text for the kernel.
    pub fn input(&self) -> Input<'_> {
        match self {
            Self::Bytes(held) => Input::Bytes(held.bytes()),
            Self::Characters(characters) => Input::Characters(characters),
        }
    }
}

/// Whether the character at a position is wide.
#[allow(unsafe_code)]
fn is_wide(text: &Bound<'_, PyString>, at: usize) -> bool {
    let Ok(at) = isize::try_from(at) else { return false };
    // SAFETY: the object is a `str` that is borrowed; an index out of range returns an error.
    let code = unsafe { ffi::PyUnicode_ReadChar(text.as_ptr(), at) };
    if code == u32::MAX {
        drop(PyErr::take(text.py()));
    }
    code != u32::MAX && code >= WIDE
}

/// Copies all characters; false if their number differs from the room.
#[allow(unsafe_code)]
fn copy_wide(text: &Bound<'_, PyString>, characters: &mut [WChar]) -> bool {
    let Ok(room) = isize::try_from(characters.len()) else { return false };
    // SAFETY: the object is a `str` that is borrowed, and no more than `room` characters of the system's size are written.
    let copied = unsafe { ffi::PyUnicode_AsWideChar(text.as_ptr(), characters.as_mut_ptr().cast(), room) };
    if copied < 0 {
        drop(PyErr::take(text.py()));
    }
    copied == room
}

impl Tokenizer {
    /// The texts of a batch: those of a column, or each of a sequence, which `held` holds.
    pub fn inputs<'a>(
        &self,
        texts: &'a Bound<'_, PyAny>,
        permit: Permit<'_>,
        held: &'a mut Vec<HeldInput>,
    ) -> PyResult<Vec<Input<'a>>> {
        if let Ok(column) = texts.cast::<TextColumn>() {
            return column.get().inputs();
        }
        *held = self.hold(texts, permit)?;
        Ok(held.iter().map(HeldInput::input).collect())
    }

    /// Holds the texts of a batch, as code points where these can be read.
    fn hold(&self, texts: &Bound<'_, PyAny>, permit: Permit<'_>) -> PyResult<Vec<HeldInput>> {
        if self.kernel().reads_code_points(permit) {
            hold_each(texts, HeldInput::of)
        } else {
            hold_each(texts, |text| hold_one(text).map(HeldInput::Bytes))
        }
    }

    /// Encodes a `str` by its code points, and passes the ids to `receive`; returns it if that is not faster, or not
    /// possible. `is_ascii` is the result of [`is_long_ascii`].
    pub fn by_code_points<T, R: FnOnce(&[u32]) -> T>(
        &self,
        py: Python<'_>,
        text: &Bound<'_, PyAny>,
        is_ascii: Option<bool>,
        permit: Permit<'_>,
        receive: R,
    ) -> Result<T, R> {
        let wide = if self.kernel().reads_code_points(permit) { wide_text(text, is_ascii) } else { None };
        let Some(wide) = wide else { return Err(receive) };
        let mut scratch = self.kernel().scratch();
        let mut result = Err(receive);
        let mut characters = std::mem::take(&mut scratch.code_points);
        if let Some(copied) = copy_characters(wide, &mut characters) {
            let mut encode = || self.kernel().encode_code_points(copied, permit, &mut scratch);
            let count = if copied.len() < SHORT { encode() } else { py.detach(encode) };
            if let Some(count) = count {
                result = result.or_else(|receive| Ok(receive(&scratch.engine.ids[..count])));
            }
        }
        scratch.code_points = characters;
        self.kernel().give_back(scratch);
        result
    }
}
