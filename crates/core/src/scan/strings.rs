//! Arrays of strings, each behind its length in eight bytes.

use std::collections::HashSet;

use xxhash_rust::xxh3::xxh3_64;

use crate::cast::{u32_of, us, us64};
use crate::error::{Error, Result};
use crate::index::pairs::Pairs;

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
    let room = rest - WIDTH * count;
    let mut found = Strings { blob: Vec::with_capacity(room), offsets: Vec::with_capacity(count + 1), end: at };
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

/// From the hash of a name to its number. Two names of one hash are told apart by whoever uses the numbers.
struct Numbers {
    slots: Vec<(u64, u32)>,
}

/// No name has it.
const FREE: u32 = u32::MAX;

impl Numbers {
    fn new(names: Column<'_>) -> Self {
        let mut numbers = Self { slots: vec![(0, FREE); (2 * us(names.count()) + 1).next_power_of_two()] };
        for id in 0..names.count() {
            let hash = xxh3_64(names.get(id));
            let slot = numbers.slot(hash);
            if numbers.slots[slot].1 == FREE {
                numbers.slots[slot] = (hash, id);
            }
        }
        numbers
    }

    /// The slot of a hash, or the free one where it belongs.
    #[inline]
    fn slot(&self, hash: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = us64(hash) & mask;
        while self.slots[slot].1 != FREE && self.slots[slot].0 != hash {
            slot = (slot + 1) & mask;
        }
        slot
    }

    #[inline]
    fn find(&self, name: &[u8]) -> Option<u32> {
        let (_, id) = self.slots[self.slot(xxh3_64(name))];
        (id != FREE).then_some(id)
    }
}

/// Two names with a space between them, in each string: their numbers, and that of the name they are together. The space is the
/// first that is not the first character. Of equal pairs the first counts; strings without such a space are passed over. Also the
/// first string that names something else. Names are found by 64 bits of hash: whether a row is right is for its user to check.
#[must_use]
pub fn joined_names(names: Column<'_>, pairs: Column<'_>) -> (Vec<[u32; 3]>, Option<u32>) {
    let numbers = Numbers::new(names);
    let (mut rows, mut odd) = (Vec::with_capacity(us(pairs.count())), None);
    let (mut joined, mut last) = (Vec::new(), 0);
    for index in 0..pairs.count() {
        let pair = pairs.get(index);
        let Some(space) = pair.iter().skip(1).position(|&byte| byte == b' ') else { continue };
        let (left, right) = (&pair[..=space], &pair[space + 2..]);
        joined.clear();
        joined.extend_from_slice(left);
        joined.extend_from_slice(right);
        // Lists name all ways to a result one after the other.
        let again = last < names.count() && names.get(last) == joined;
        let both = if again { Some(last) } else { numbers.find(&joined) };
        match (numbers.find(left), numbers.find(right), both) {
            (Some(left), Some(right), Some(both)) => {
                last = both;
                rows.push([left, right, both]);
            }
            _ => odd = odd.or(Some(index)),
        }
    }
    if Pairs::build(&rows).1.is_some() {
        let mut seen = HashSet::with_capacity(rows.len());
        rows.retain(|&[left, right, _]| seen.insert((left, right)));
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
