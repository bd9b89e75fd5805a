//! Text that is not ASCII, read as the characters that Python has and not as UTF-8.

use anypiece_core::normalize::code_points::CodePoint;
use anypiece_core::scratch::WideCharacter;
use anypiece_core::specials::Permit;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::text::{hold, hold_inputs, Held};
use crate::tokenizer::{Tokenizer, SHORT};

/// From so many characters on a `str` is read as code points, if it looks like it.
const FEW: usize = 16;
/// Up to so many: beyond, a copy of four bytes a character is too much.
const MANY: usize = 1 << 22;
/// A text of which less than one character in so many is wide is faster as UTF-8.
const SHARE: usize = 8;
/// Most of what comes before has one byte in UTF-8, and is faster there.
const WIDE: u32 = 0x0370;

/// Characters from here on are not looked up by their number.
const BEYOND: u32 = 0x1_0000;

/// Copies a `str` as code points if many of them are such that UTF-8 makes long, and none is beyond the basic plane;
/// returns how many there are.
pub fn copy_code_points(object: &Bound<'_, PyAny>, characters: &mut Vec<WideCharacter>) -> Option<usize> {
    let text = object.cast::<PyString>().ok()?;
    let length = text.len().ok()?;
    if !(FEW..=MANY).contains(&length) || ![length / 2, length / 4, length / 4 * 3].iter().any(|&at| is_wide(text, at))
    {
        return None;
    }
    if characters.len() < length {
        characters.resize(length, 0);
    }
    if !copy_wide(text, &mut characters[..length]) {
        return None;
    }
    let characters = &characters[..length];
    let wide: usize = characters.iter().map(|&code| usize::from(code.number() >= WIDE)).sum();
    let highest = characters.iter().map(|&code| code.number()).max().unwrap_or(0);
    (wide * SHARE >= length && highest < BEYOND).then_some(length)
}

/// Whether the character at a place is one that UTF-8 makes long.
#[allow(unsafe_code)]
fn is_wide(text: &Bound<'_, PyString>, at: usize) -> bool {
    let Ok(at) = isize::try_from(at) else { return false };
    // SAFETY: the object is a `str` that is borrowed; a place outside of it is answered with an error.
    let code = unsafe { ffi::PyUnicode_ReadChar(text.as_ptr(), at) };
    if code == u32::MAX {
        drop(PyErr::take(text.py()));
    }
    code != u32::MAX && code >= WIDE
}

/// Copies all characters; false if there are not as many as there is room for.
#[allow(unsafe_code)]
fn copy_wide(text: &Bound<'_, PyString>, characters: &mut [WideCharacter]) -> bool {
    let Ok(room) = isize::try_from(characters.len()) else { return false };
    // SAFETY: the object is a `str` that is borrowed, and no more than `room` characters of the system's size are written.
    let copied = unsafe { ffi::PyUnicode_AsWideChar(text.as_ptr(), characters.as_mut_ptr().cast(), room) };
    if copied < 0 {
        drop(PyErr::take(text.py()));
    }
    copied == room
}

impl Tokenizer {
    /// Holds the texts of a batch, as characters where these can be read.
    pub fn hold(&self, texts: &Bound<'_, PyAny>, permit: Permit<'_>) -> PyResult<Vec<Held>> {
        if self.kernel().reads_code_points(permit) {
            hold_inputs(texts)
        } else {
            hold(texts)
        }
    }

    /// Encodes a `str` by its code points, and hands the ids to `receive`; gives it back if that is not worth it, or not possible.
    pub fn by_code_points<T, R: FnOnce(&[u32]) -> T>(
        &self,
        py: Python<'_>,
        text: &Bound<'_, PyAny>,
        permit: Permit<'_>,
        receive: R,
    ) -> Result<T, R> {
        if !self.kernel().reads_code_points(permit) {
            return Err(receive);
        }
        let mut scratch = self.kernel().scratch();
        let mut result = Err(receive);
        let mut characters = std::mem::take(&mut scratch.code_points);
        if let Some(length) = copy_code_points(text, &mut characters) {
            let mut encode = || self.kernel().encode_code_points(&characters[..length], permit, &mut scratch);
            let count = if length < SHORT { encode() } else { py.detach(encode) };
            if let Some(count) = count {
                result = result.or_else(|receive| Ok(receive(&scratch.ids[..count])));
            }
        }
        scratch.code_points = characters;
        self.kernel().give_back(scratch);
        result
    }
}
