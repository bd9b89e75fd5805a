//! Input from Python: texts borrowed as bytes, ids copied to `u32`.

use numpy::{PyReadonlyArray1, PyUntypedArrayMethods};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::{PyBytes, PyString, PyTuple};

use crate::error::fail;
use anypiece_core::Permit;
use anypiece_core::Tokenizer as Kernel;

/// A text borrowed during one call.
pub enum Text<'a, 'py> {
    /// A `str` whose UTF-8 Python caches.
    Str(&'a str),
    /// The UTF-8 of a long non-ASCII `str`, for this call only: Python would cache it as long as the `str` lives.
    Encoded(Bound<'py, PyBytes>),
    /// `bytes`: anything.
    Bytes(&'a [u8]),
}

/// Minimum characters of a `str` whose UTF-8 is not cached in it.
const LONG: usize = 256;

impl<'a, 'py> Text<'a, 'py> {
    /// Borrows from a `str` or `bytes`. A lone surrogate raises `UnicodeEncodeError`, which the caller repairs.
    pub fn borrow(object: &'a Bound<'py, PyAny>) -> PyResult<Self> {
        Self::borrow_known(object, is_long_ascii(object))
    }

    /// Borrows a text whose [`is_long_ascii`] is already known.
    pub fn borrow_known(object: &'a Bound<'py, PyAny>, is_ascii: Option<bool>) -> PyResult<Self> {
        if let Ok(text) = object.cast::<PyString>() {
            if is_ascii == Some(false) {
                return text.encode_utf8().map(Self::Encoded);
            }
            return text.to_str().map(Self::Str);
        }
        if let Ok(bytes) = object.cast::<PyBytes>() {
            return Ok(Self::Bytes(bytes.as_bytes()));
        }
        let kind = object.get_type().name().map_or_else(|_| "?".to_owned(), |name| name.to_string());
        Err(fail("input-type", format!("a text must be str or bytes, not {kind}; decode or convert it first")))
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Str(text) => text.as_bytes(),
            Self::Encoded(bytes) => bytes.as_bytes(),
            Self::Bytes(bytes) => bytes,
        }
    }
}

/// Whether a long `str` is ASCII, which it records: then its UTF-8 is its own buffer. `None` for other objects.
#[inline]
pub fn is_long_ascii(object: &Bound<'_, PyAny>) -> Option<bool> {
    let text = object.cast::<PyString>().ok()?;
    if text.len().ok()? < LONG {
        return None;
    }
    text.call_method0(intern!(text.py(), "isascii")).ok()?.extract().ok()
}

/// The replacement of a lone surrogate: an invalid byte, which becomes U+FFFD, or U+FFFD itself where bytes stay as
/// they are.
pub fn lone_surrogate(kernel: &Kernel) -> &'static [u8] {
    if kernel.spec().has_byte_pieces() {
        "\u{FFFD}".as_bytes()
    } else {
        b"\xFF"
    }
}

/// A text held during a batch.
pub enum Held {
    /// A `str` whose UTF-8 Python caches.
    Str(PyBackedStr),
    /// The UTF-8 of another `str`.
    Encoded(PyBackedBytes),
    /// `bytes`: anything.
    Bytes(PyBackedBytes),
}

impl Held {
    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Str(text) => text.as_bytes(),
            Self::Encoded(bytes) | Self::Bytes(bytes) => bytes,
        }
    }

    /// Whether it is a `str`, so that its bytes are UTF-8.
    pub const fn is_str(&self) -> bool {
        !matches!(self, Self::Bytes(_))
    }
}

/// Holds every text of a sequence.
pub fn hold(texts: &Bound<'_, PyAny>) -> PyResult<Vec<Held>> {
    hold_each(texts, hold_one)
}

/// Holds a text.
pub fn hold_one(text: Bound<'_, PyAny>) -> PyResult<Held> {
    let is_ascii = is_long_ascii(&text);
    hold_known(text, is_ascii)
}

/// Holds a text whose [`is_long_ascii`] is already known.
pub fn hold_known(text: Bound<'_, PyAny>, is_ascii: Option<bool>) -> PyResult<Held> {
    // The check raises the error of a single text.
    Ok(match Text::borrow_known(&text, is_ascii)? {
        Text::Str(_) => Held::Str(text.extract()?),
        Text::Encoded(bytes) => Held::Encoded(bytes.into()),
        Text::Bytes(_) => Held::Bytes(text.extract()?),
    })
}

/// Calls `hold` for every text of a sequence.
pub fn hold_each<T>(texts: &Bound<'_, PyAny>, hold: impl Fn(Bound<'_, PyAny>) -> PyResult<T>) -> PyResult<Vec<T>> {
    if texts.is_instance_of::<PyString>() || texts.is_instance_of::<PyBytes>() {
        return Err(fail("input-type", "a batch must be a list of texts, not one text; put it into a list"));
    }
    let mut held = Vec::with_capacity(texts.len().unwrap_or(0));
    for item in texts.try_iter()? {
        held.push(hold(item?)?);
    }
    Ok(held)
}

/// Which special tokens a call permits: `None` for none, `True` for all, a list of their ids, or a tuple of ranges of bytes.
pub enum Permitted {
    /// None of them.
    Text,
    /// All of them.
    All,
    /// The special tokens with these ids, ascending.
    Some(Vec<u32>),
    /// The special tokens within these ranges of bytes.
    Within(Vec<(usize, usize)>),
}

impl Permitted {
    /// Reads the argument of a call.
    pub fn of(object: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let Some(object) = object else { return Ok(Self::Text) };
        if let Ok(all) = object.extract::<bool>() {
            return Ok(if all { Self::All } else { Self::Text });
        }
        if let Ok(ranges) = object.cast::<PyTuple>() {
            return ranges.extract().map(Self::Within);
        }
        let mut ids = ids(object)?;
        ids.sort_unstable();
        Ok(Self::Some(ids))
    }

    /// The permit as the kernel takes it.
    pub fn view(&self) -> Permit<'_> {
        match self {
            Self::Text => Permit::Text,
            Self::All => Permit::All,
            Self::Some(ids) => Permit::Some(ids),
            Self::Within(ranges) => Permit::Within(ranges),
        }
    }
}

/// Ids from a `uint32` array or a sequence of ints.
pub fn ids(object: &Bound<'_, PyAny>) -> PyResult<Vec<u32>> {
    if let Ok(array) = object.extract::<PyReadonlyArray1<'_, u32>>() {
        return Ok(match array.as_slice() {
            Ok(values) => values.to_vec(),
            Err(_) => (0..array.len()).filter_map(|index| array.get(index).copied()).collect(),
        });
    }
    object.extract::<Vec<u32>>()
}
