//! Operations on columns of strings: reorder by number, map characters, look up.

use crate::index::string_index::StringIndex;
use crate::scan::strings::Column;
use crate::util::{low8, paced, u32_of, us, Error, Result};

/// Marks a string that is not in the vocabulary.
pub const ABSENT: u32 = u32::MAX;

/// An owned column of strings.
pub type Owned = (Vec<u8>, Vec<u32>);

/// Puts each string at its number; numbers without a string become empty strings. Of equal strings the last wins.
///
/// Refuses a number above `limit`, and one of two strings.
pub fn by_number(strings: Column<'_>, numbers: &[u32], limit: u32) -> Result<Owned> {
    if numbers.len() != strings.count() {
        return Err(Error::new("spec-pieces", "the columns of a table have different lengths"));
    }
    let shown = |row: usize| String::from_utf8_lossy(strings.get(u32_of(row))).into_owned();
    if let Some(row) = numbers.iter().position(|&number| number > limit) {
        let message = format!("{:?} has the id {}, far beyond the size of the vocabulary", shown(row), numbers[row]);
        return Err(Error::new("file-corrupt", message).with("id", numbers[row]));
    }
    let last_first = (0..u32_of(strings.count())).rev();
    let (names, repeated) = StringIndex::build(last_first, |row| strings.get(row));
    let counts = |row: usize| {
        repeated.is_none() || names.find(strings.get(u32_of(row)), |row| strings.get(row)) == Some(u32_of(row))
    };
    let size = numbers.iter().max().map_or(0, |&largest| us(largest) + 1);
    let mut rows: Vec<Option<u32>> = vec![None; size];
    for (row, &number) in paced(numbers.iter().enumerate()).filter(|(row, _)| counts(*row)) {
        if let Some(other) = rows[us(number)].replace(u32_of(row)) {
            let message = format!("{:?} and {:?} have the same id {number}", shown(us(other)), shown(row));
            return Err(Error::new("file-corrupt", message).with("id", number));
        }
    }
    let mut blob = Vec::with_capacity(strings.size());
    let mut offsets = Vec::with_capacity(size + 1);
    offsets.push(0);
    for row in paced(rows.into_iter()) {
        blob.extend_from_slice(row.map_or(&[], |row| strings.get(row)));
        offsets.push(u32_of(blob.len()));
    }
    Ok((blob, offsets))
}

/// The bytes of strings in which byte `b` is written as the character `characters[b]`. A string with any other
/// character is unchanged; the last column is 1 for those that were mapped.
pub fn unmapped(strings: Column<'_>, characters: &[u32; 256]) -> (Vec<u8>, Vec<u32>, Vec<u8>) {
    let top = characters.iter().max().map_or(0, |&top| us(top.min(0xFFFF)));
    let mut bytes: Vec<Option<u8>> = vec![None; top + 1];
    for (byte, &character) in (0u32..).zip(characters) {
        if let Some(slot) = bytes.get_mut(us(character)) {
            *slot = Some(low8(byte));
        }
    }
    let mut blob = Vec::with_capacity(strings.size());
    let mut offsets = Vec::with_capacity(strings.count() + 1);
    let mut mapped = Vec::with_capacity(strings.count());
    offsets.push(0);
    for string in paced(strings.iter()) {
        let start = blob.len();
        let whole = std::str::from_utf8(string).is_ok_and(|string| {
            string.chars().all(|character| {
                let byte = bytes.get(us(u32::from(character))).copied().flatten();
                blob.extend(byte);
                byte.is_some()
            })
        });
        if !whole {
            blob.truncate(start);
            blob.extend_from_slice(string);
        }
        mapped.push(u8::from(whole));
        offsets.push(u32_of(blob.len()));
    }
    (blob, offsets, mapped)
}

/// The number of each wanted string in a vocabulary, or [`ABSENT`].
pub fn numbers_of(vocabulary: Column<'_>, wanted: Column<'_>) -> Vec<u32> {
    let index = vocabulary.index();
    paced(wanted.iter()).map(|name| index.find(name, |id| vocabulary.get(id)).unwrap_or(ABSENT)).collect()
}
