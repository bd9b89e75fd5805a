//! Arrays of strings, each preceded by its length in eight bytes.

use crate::index::string_index::StringIndex;
use crate::util::{u32_of, us, us64, Error, Result};

/// The strings of an array that is read in place, and where the array ends.
#[derive(Debug)]
pub struct Strings<'a> {
    data: &'a [u8],
    /// The start of the array.
    at: usize,
    /// Offsets of the strings in their concatenation; one more than there are strings.
    pub offsets: Vec<u32>,
    /// The position after the last one.
    pub end: usize,
}

/// Bytes of a length.
const WIDTH: usize = 8;
/// Strings of up to as many bytes are copied by a constant number.
const SHORT: usize = 16;

/// Finds `count` strings in `data[at..]`; `big` selects big-endian lengths. Allocations are bounded by the size of the
/// data.
pub fn string_array(data: &[u8], at: usize, count: u64, big: bool) -> Result<Strings<'_>> {
    let rest = data.len().saturating_sub(at);
    let count = us64(count);
    if count > rest / WIDTH {
        return Err(truncated(at));
    }
    if rest > 0xFFFF_0000 {
        return Err(Error::new("file-corrupt", "an array of strings is looked for in more than 4 GiB"));
    }
    let mut found = Strings { data, at, offsets: Vec::with_capacity(count + 1), end: at };
    found.offsets.push(0);
    let mut size = 0;
    for _ in 0..count {
        let start = found.end + WIDTH;
        let head = data.get(found.end..).and_then(<[u8]>::first_chunk).ok_or_else(|| truncated(found.end))?;
        let length = us64(if big { u64::from_be_bytes(*head) } else { u64::from_le_bytes(*head) });
        found.end = start.checked_add(length).filter(|&end| end <= data.len()).ok_or_else(|| truncated(start))?;
        size += length;
        found.offsets.push(u32_of(size));
    }
    Ok(found)
}

impl Strings<'_> {
    /// Bytes of all strings.
    pub fn size(&self) -> usize {
        self.end - self.at - WIDTH * (self.offsets.len() - 1)
    }

    /// Concatenates all strings into `blob`, which has [`size`](Self::size) bytes.
    pub fn copy_into(&self, blob: &mut [u8]) {
        let mut from = self.at;
        for pair in self.offsets.windows(2) {
            let (to, length) = (us(pair[0]), us(pair[1] - pair[0]));
            from += WIDTH;
            let (source, room) = (self.data.get(from..from + SHORT), blob.get_mut(to..to + SHORT));
            match (source, room) {
                // Bytes written past a short one are overwritten by the next.
                (Some(source), Some(room)) if length <= SHORT => room.copy_from_slice(source),
                _ => blob[to..to + length].copy_from_slice(&self.data[from..from + length]),
            }
            from += length;
        }
    }
}

/// A column of strings, borrowed: string `i` is `blob[offsets[i]..offsets[i + 1]]`.
#[derive(Clone, Copy)]
pub struct Column<'a> {
    blob: &'a [u8],
    offsets: &'a [u32],
}

impl<'a> Column<'a> {
    /// Borrows columns; refuses inconsistent ones.
    pub fn new(blob: &'a [u8], offsets: &'a [u32]) -> Result<Self> {
        if offsets.is_sorted() && offsets.last().is_some_and(|&end| us(end) <= blob.len()) {
            return Ok(Self { blob, offsets });
        }
        Err(Error::new("spec-pieces", "the columns of a table do not fit together"))
    }

    /// The index of the strings that are not empty; of equal ones the first.
    pub(crate) fn index(self) -> StringIndex {
        let named: Vec<u32> = (0..).zip(self.iter()).filter(|(_, name)| !name.is_empty()).map(|row| row.0).collect();
        StringIndex::build(named.into_iter(), |number| self.get(number)).0
    }

    /// The strings in order.
    pub fn iter(self) -> impl ExactSizeIterator<Item = &'a [u8]> {
        self.offsets.windows(2).map(move |pair| &self.blob[us(pair[0])..us(pair[1])])
    }

    /// One of the strings.
    pub(crate) fn get(self, index: u32) -> &'a [u8] {
        &self.blob[us(self.offsets[us(index)])..us(self.offsets[us(index) + 1])]
    }

    /// Whether a string is this one, which is not empty.
    pub(crate) fn is(self, index: u32, text: &[u8]) -> bool {
        us(index) < self.count() && !text.is_empty() && self.get(index) == text
    }

    /// Number of strings.
    pub(crate) const fn count(self) -> usize {
        self.offsets.len() - 1
    }

    /// Bytes of the blob.
    pub(crate) const fn size(self) -> usize {
        self.blob.len()
    }
}

fn truncated(at: usize) -> Error {
    let message = format!("a string at byte {at} runs past the end; the file is damaged or was not copied whole");
    Error::new("file-truncated", message).with("offset", at)
}

#[cfg(test)]
mod tests {
    use crate::scan::strings::{string_array, Strings};

    fn array(texts: &[&str], big: bool) -> Vec<u8> {
        let mut out = vec![0xAA];
        for text in texts {
            let length = crate::util::cast::u64_of(text.len());
            out.extend(if big { length.to_be_bytes() } else { length.to_le_bytes() });
            out.extend(text.as_bytes());
        }
        out
    }

    #[test]
    fn both_orders_give_the_columns() {
        for big in [false, true] {
            let data = array(&["ab", "", "c"], big);
            let Ok(found) = string_array(&data, 1, 3, big) else { unreachable!() };
            assert_eq!((&found.offsets[..], found.end), (&[0, 2, 2, 3][..], data.len()));
            assert_eq!(blob(&found), b"abc");
        }
    }

    fn blob(found: &Strings<'_>) -> Vec<u8> {
        let mut blob = vec![0xAA; found.size()];
        found.copy_into(&mut blob);
        blob
    }

    /// Lengths around the short limit, at the end too; the array is followed by other data, or by nothing.
    #[test]
    fn strings_of_all_lengths_are_copied_whole() {
        let texts: Vec<String> =
            (0..40).chain([15, 16, 17, 0, 1]).map(|length| "abcdefgh".repeat(5)[..length].into()).collect();
        for count in 0..=texts.len() {
            let shown: Vec<&str> = texts[..count].iter().map(String::as_str).collect();
            for behind in [&b""[..], b"something else, longer than a short one"] {
                let data = [&array(&shown, false), behind].concat();
                let Ok(found) = string_array(&data, 1, crate::util::cast::u64_of(count), false) else { unreachable!() };
                assert_eq!(blob(&found), shown.concat().into_bytes());
                assert_eq!(found.end, data.len() - behind.len());
            }
        }
    }

    #[test]
    fn lengths_and_counts_past_the_end_are_refused() {
        let data = array(&["ab", "c"], false);
        for count in [3, 1 << 40, u64::MAX] {
            assert_eq!(string_array(&data, 1, count, false).err().map(|error| error.code()), Some("file-truncated"));
        }
        let huge = [&[0u8][..], &u64::MAX.to_le_bytes()].concat();
        assert!(string_array(&huge, 1, 1, false).is_err());
        assert!(string_array(&data, data.len() + 5, 1, false).is_err());
        assert!(string_array(&data, data.len(), 0, false).is_ok());
    }
}
