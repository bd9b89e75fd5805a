//! Arrays of strings, each behind its length in eight bytes.

use std::collections::HashSet;

use crate::cast::{u32_of, us, us64};
use crate::error::{Error, Result};
use crate::index::names::Names;

/// The strings of an array as columns, and where the array ends.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Strings {
    /// All strings, one after the other.
    pub blob: Vec<u8>,
    /// One more than there are strings.
    pub offsets: Vec<u32>,
    /// The place behind the last one.
    pub end: usize,
}

/// Bytes of a length.
const WIDTH: usize = 8;

/// Reads `count` strings from `data[at..]`; `big` says which end of a length comes first. Nothing is allocated that the data
/// does not pay for.
pub fn string_array(data: &[u8], at: usize, count: u64, big: bool) -> Result<Strings> {
    let rest = data.len().saturating_sub(at);
    let count = us64(count);
    if count > rest / WIDTH {
        return Err(truncated(at));
    }
    if rest > 0xFFFF_0000 {
        return Err(Error::new("file-corrupt", "an array of strings is looked for in more than 4 GiB"));
    }
    let mut found = Strings { blob: Vec::new(), offsets: Vec::with_capacity(count + 1), end: at };
    found.offsets.push(0);
    for _ in 0..count {
        let start = found.end + WIDTH;
        let head = data.get(found.end..start).ok_or_else(|| truncated(found.end))?;
        let length = length_of(head, big);
        let text = start.checked_add(length).and_then(|end| data.get(start..end)).ok_or_else(|| truncated(start))?;
        found.blob.extend_from_slice(text);
        found.offsets.push(u32_of(found.blob.len()));
        found.end = start + length;
    }
    Ok(found)
}

/// A column of strings, borrowed: string `i` is `blob[offsets[i]..offsets[i + 1]]`.
#[derive(Clone, Copy)]
pub struct Column<'a> {
    blob: &'a [u8],
    offsets: &'a [u32],
}

impl<'a> Column<'a> {
    /// Borrows columns that belong together; `None` if they do not.
    #[must_use]
    pub fn new(blob: &'a [u8], offsets: &'a [u32]) -> Option<Self> {
        let ascending = offsets.windows(2).all(|pair| pair[0] <= pair[1]);
        let bounded = offsets.last().is_some_and(|&end| us(end) <= blob.len());
        (ascending && bounded).then_some(Self { blob, offsets })
    }

    fn get(self, index: u32) -> &'a [u8] {
        &self.blob[us(self.offsets[us(index)])..us(self.offsets[us(index) + 1])]
    }

    fn count(self) -> u32 {
        u32_of(self.offsets.len() - 1)
    }
}

/// Two names with a space between them, in each string: their numbers, and that of the name they are together. The space is the
/// first that is not the first character. Of equal pairs the first counts; strings without such a space are passed over. Also the
/// first string that names something else.
#[must_use]
pub fn joined_names(names: Column<'_>, pairs: Column<'_>) -> (Vec<[u32; 3]>, Option<u32>) {
    let table = Names::build(0..names.count(), |id| names.get(id)).0;
    let find = |name: &[u8]| table.find(name, |id| names.get(id));
    let mut seen = HashSet::with_capacity(us(pairs.count()));
    let (mut rows, mut odd) = (Vec::with_capacity(us(pairs.count())), None);
    let mut joined = Vec::new();
    for index in 0..pairs.count() {
        let pair = pairs.get(index);
        let Some(space) = pair.iter().skip(1).position(|&byte| byte == b' ') else { continue };
        let (left, right) = (&pair[..=space], &pair[space + 2..]);
        joined.clear();
        joined.extend_from_slice(left);
        joined.extend_from_slice(right);
        match (find(left), find(right), find(&joined)) {
            (Some(left), Some(right), Some(both)) => {
                if seen.insert((left, right)) {
                    rows.push([left, right, both]);
                }
            }
            _ => odd = odd.or(Some(index)),
        }
    }
    (rows, odd)
}

fn length_of(head: &[u8], big: bool) -> usize {
    let mut bytes = [0; WIDTH];
    bytes.copy_from_slice(head);
    us64(if big { u64::from_be_bytes(bytes) } else { u64::from_le_bytes(bytes) })
}

fn truncated(at: usize) -> Error {
    let message = format!("a string at byte {at} runs past the end; the file is damaged or was not copied whole");
    Error::new("file-truncated", message).with("offset", at)
}

#[cfg(test)]
mod tests {
    use super::{joined_names, string_array, Column, Strings};

    fn array(texts: &[&str], big: bool) -> Vec<u8> {
        let mut out = vec![0xAA];
        for text in texts {
            let length = crate::cast::u64_of(text.len());
            out.extend(if big { length.to_be_bytes() } else { length.to_le_bytes() });
            out.extend(text.as_bytes());
        }
        out
    }

    #[test]
    fn both_orders_give_the_columns() {
        for big in [false, true] {
            let data = array(&["ab", "", "c"], big);
            let found = string_array(&data, 1, 3, big).ok();
            let wanted = Strings { blob: b"abc".to_vec(), offsets: vec![0, 2, 2, 3], end: data.len() };
            assert_eq!(found, Some(wanted));
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

    #[test]
    fn names_are_joined_by_their_numbers() {
        let names = Column::new(b"ababc ", &[0, 1, 2, 4, 5, 6]);
        let pairs = Column::new(b"a bab cnoa b  a x", &[0, 3, 7, 9, 12, 13, 17]);
        let (Some(names), Some(pairs)) = (names, pairs) else { unreachable!() };
        assert_eq!(joined_names(names, pairs), (vec![[0, 1, 2]], Some(1)));
        assert!(Column::new(b"ab", &[0, 3]).is_none());
        assert!(Column::new(b"ab", &[]).is_none());
    }
}
