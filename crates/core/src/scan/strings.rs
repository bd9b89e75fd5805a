//! Arrays of strings, each behind its length in eight bytes.

use crate::cast::{u32_of, us64};
use crate::error::{Error, Result};

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
    use super::{string_array, Strings};

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
}
