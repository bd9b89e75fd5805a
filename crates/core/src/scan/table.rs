//! Operations on columns of strings: reorder by number, map characters, resolve merges.

use xxhash_rust::xxh3::xxh3_64;

use crate::index::string_index::StringIndex;
use crate::util::cast::{low32, low8, u32_of, us, us64};
use crate::util::error::{Error, Result};
use crate::util::interrupt::{paced, sort_paced};

/// A borrowed column of strings: string `i` is `blob[offsets[i]..offsets[i + 1]]`.
#[derive(Clone, Copy)]
pub struct Strings<'a> {
    blob: &'a [u8],
    offsets: &'a [u32],
}

/// Marks a string that is not in the vocabulary.
pub const ABSENT: u32 = u32::MAX;

/// An owned column of strings.
pub type Owned = (Vec<u8>, Vec<u32>);

impl<'a> Strings<'a> {
    /// Borrows consistent columns.
    pub fn new(blob: &'a [u8], offsets: &'a [u32]) -> Result<Self> {
        let ascending = offsets.windows(2).all(|pair| pair[0] <= pair[1]);
        let bounded = offsets.last().is_some_and(|&end| us(end) <= blob.len());
        match ascending && bounded {
            true => Ok(Self { blob, offsets }),
            false => Err(Error::new("spec-pieces", "the columns of a table do not fit together")),
        }
    }

    /// Number of strings.
    fn count(self) -> usize {
        self.offsets.len() - 1
    }

    fn at(self, index: u32) -> &'a [u8] {
        &self.blob[us(self.offsets[us(index)])..us(self.offsets[us(index) + 1])]
    }

    fn all(self) -> impl ExactSizeIterator<Item = &'a [u8]> {
        self.offsets.windows(2).map(move |pair| &self.blob[us(pair[0])..us(pair[1])])
    }
}

/// Puts each string at its number; numbers without a string become empty strings. Of equal strings the last wins.
///
/// Refuses a number above `limit`, and one of two strings.
pub fn by_number(strings: Strings<'_>, numbers: &[u32], limit: u32) -> Result<Owned> {
    if numbers.len() != strings.count() {
        return Err(Error::new("spec-pieces", "the columns of a table have different lengths"));
    }
    let shown = |row: usize| String::from_utf8_lossy(strings.at(u32_of(row))).into_owned();
    if let Some(row) = numbers.iter().position(|&number| number > limit) {
        let message = format!("{:?} has the id {}, far beyond the size of the vocabulary", shown(row), numbers[row]);
        return Err(Error::new("file-corrupt", message).with("id", numbers[row]));
    }
    let last_first = (0..u32_of(strings.count())).rev();
    let (names, repeated) = StringIndex::build(last_first, |row| strings.at(row));
    let counts = |row: usize| {
        repeated.is_none() || names.find(strings.at(u32_of(row)), |row| strings.at(row)) == Some(u32_of(row))
    };
    let size = numbers.iter().max().map_or(0, |&largest| us(largest) + 1);
    let mut rows: Vec<Option<u32>> = vec![None; size];
    for (row, &number) in paced(numbers.iter().enumerate()).filter(|(row, _)| counts(*row)) {
        if let Some(other) = rows[us(number)].replace(u32_of(row)) {
            let message = format!("{:?} and {:?} have the same id {number}", shown(us(other)), shown(row));
            return Err(Error::new("file-corrupt", message).with("id", number));
        }
    }
    let mut blob = Vec::with_capacity(strings.blob.len());
    let mut offsets = Vec::with_capacity(size + 1);
    offsets.push(0);
    for row in paced(rows.into_iter()) {
        blob.extend_from_slice(row.map_or(&[], |row| strings.at(row)));
        offsets.push(u32_of(blob.len()));
    }
    Ok((blob, offsets))
}

/// The bytes of strings in which byte `b` is written as the character `characters[b]`. A string with any other
/// character is unchanged; the last column is 1 for those that were mapped.
pub fn unmapped(strings: Strings<'_>, characters: &[u32; 256]) -> (Vec<u8>, Vec<u32>, Vec<u8>) {
    let top = characters.iter().max().map_or(0, |&top| us(top.min(0xFFFF)));
    let mut bytes: Vec<Option<u8>> = vec![None; top + 1];
    for (byte, &character) in (0u32..).zip(characters) {
        if let Some(slot) = bytes.get_mut(us(character)) {
            *slot = Some(low8(byte));
        }
    }
    let mut blob = Vec::with_capacity(strings.blob.len());
    let mut offsets = Vec::with_capacity(strings.offsets.len());
    let mut mapped = Vec::with_capacity(strings.count());
    offsets.push(0);
    for string in paced(strings.all()) {
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

/// Cuts each string at its only space, which doubles their number.
pub fn halves(strings: Strings<'_>) -> Result<Owned> {
    let mut blob = Vec::with_capacity(strings.blob.len());
    let mut offsets = Vec::with_capacity(2 * strings.count() + 1);
    offsets.push(0);
    for (row, string) in paced(strings.all()).enumerate() {
        let mut parts = string.split(|&byte| byte == b' ');
        let (Some(left), Some(right), None) = (parts.next(), parts.next(), parts.next()) else {
            let shown = String::from_utf8_lossy(string).into_owned();
            let message = format!("merge {row} ({shown:?}) is not two pieces with one space between them");
            return Err(Error::new("file-corrupt", message).with("merge", row));
        };
        for part in [left, right] {
            blob.extend_from_slice(part);
            offsets.push(u32_of(blob.len()));
        }
    }
    Ok((blob, offsets))
}

/// A map from strings to their ids, optimized for many more look-ups than strings.
struct Ids<'a> {
    vocabulary: Strings<'a>,
    /// Part of the hash `<< 32`, and the id plus one; 0 is free.
    slots: Vec<u64>,
}

impl<'a> Ids<'a> {
    /// Empty strings represent ids without a string.
    fn new(vocabulary: Strings<'a>) -> Self {
        let mut ids = Self { vocabulary, slots: vec![0; (2 * vocabulary.count() + 1).next_power_of_two()] };
        for (id, name) in (1..).zip(paced(vocabulary.all())).filter(|(_, name)| !name.is_empty()) {
            let hash = xxh3_64(name);
            let mut slot = us64(hash) & (ids.slots.len() - 1);
            while ids.slots[slot] != 0 {
                slot = (slot + 1) & (ids.slots.len() - 1);
            }
            ids.slots[slot] = hash & !0xFFFF_FFFF | id;
        }
        ids
    }

    /// The id of a string; `guess` is tried first.
    #[inline]
    fn find(&self, name: &[u8], guess: u32) -> Option<u32> {
        if name.is_empty() {
            return None;
        }
        if us(guess) < self.vocabulary.count() && self.vocabulary.at(guess) == name {
            return Some(guess);
        }
        let hash = xxh3_64(name);
        let mut slot = us64(hash) & (self.slots.len() - 1);
        loop {
            let held = self.slots[slot];
            if held == 0 {
                return None;
            }
            let id = low32(held).wrapping_sub(1);
            if (held ^ hash) >> 32 == 0 && self.vocabulary.at(id) == name {
                return Some(id);
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
    }
}

/// The number of each wanted string in a vocabulary, or [`ABSENT`].
pub fn numbers_of(vocabulary: Strings<'_>, wanted: Strings<'_>) -> Vec<u32> {
    let ids = Ids::new(vocabulary);
    paced(wanted.all()).map(|name| ids.find(name, ABSENT).unwrap_or(ABSENT)).collect()
}

/// For each pair of strings the ids of its left side, its right side and of their concatenation, without the first
/// `prefix` bytes of the right side. Of equal pairs the last wins, at its own position.
pub fn merge_rows(vocabulary: Strings<'_>, pairs: Strings<'_>, prefix: usize) -> Result<Vec<[u32; 3]>> {
    let ids = Ids::new(vocabulary);
    let find = |name: &[u8], guess: u32, row: usize| {
        ids.find(name, guess).ok_or_else(|| {
            let shown = String::from_utf8_lossy(name).into_owned();
            let message = format!("merge {row} needs the piece {shown:?}, which is not in the vocabulary");
            Error::new("file-corrupt", message).with("merge", row).with("piece", shown)
        })
    };
    let mut joined = Vec::new();
    let mut rows: Vec<[u32; 3]> = Vec::with_capacity(pairs.count() / 2);
    let mut last = [0; 3];
    for row in paced(0..pairs.count() / 2) {
        let (left, right) = (pairs.at(u32_of(2 * row)), pairs.at(u32_of(2 * row + 1)));
        joined.clear();
        joined.extend_from_slice(left);
        joined.extend_from_slice(right.get(prefix..).unwrap_or(&[]));
        // Results mostly come in the order of ids, and often repeatedly.
        let again = us(last[2]) < vocabulary.count() && vocabulary.at(last[2]) == joined;
        let guess = if again { last[2] } else { last[2].wrapping_add(1) };
        last = [find(left, last[0], row)?, find(right, last[1], row)?, find(&joined, guess, row)?];
        rows.push(last);
    }
    keep_last(&mut rows);
    Ok(rows)
}

/// Drops rows whose pair occurs again.
fn keep_last(rows: &mut Vec<[u32; 3]>) {
    let mut order: Vec<(u32, u32, usize)> = rows.iter().enumerate().map(|(at, row)| (row[0], row[1], at)).collect();
    sort_paced(&mut order, Ord::cmp);
    let repeated = order.windows(2).filter(|two| (two[0].0, two[0].1) == (two[1].0, two[1].1));
    let mut dropped: Vec<usize> = repeated.map(|two| two[0].2).collect();
    if dropped.is_empty() {
        return;
    }
    sort_paced(&mut dropped, Ord::cmp);
    let mut at = 0;
    rows.retain(|_| {
        at += 1;
        dropped.binary_search(&(at - 1)).is_err()
    });
}
