//! Arrays of strings, each preceded by its length in eight bytes.

use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::index::key_map::{find_slot, first_slot};
use crate::util::cast::{low32, low64, u32_of, u64_of, us, us64};
use crate::util::error::{Error, Result};
use crate::util::interrupt::paced;
use crate::util::join::join_if;
use crate::util::prefetch::prefetch;

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
    /// Borrows consistent columns; `None` if they are not.
    pub fn new(blob: &'a [u8], offsets: &'a [u32]) -> Option<Self> {
        let ascending = offsets.windows(2).all(|pair| pair[0] <= pair[1]);
        let bounded = offsets.last().is_some_and(|&end| us(end) <= blob.len());
        (ascending && bounded).then_some(Self { blob, offsets })
    }

    /// The strings in order.
    pub fn iter(self) -> impl ExactSizeIterator<Item = &'a [u8]> {
        self.offsets.windows(2).map(move |pair| &self.blob[us(pair[0])..us(pair[1])])
    }

    /// One of the strings.
    #[inline]
    pub(crate) fn get(self, index: u32) -> &'a [u8] {
        &self.blob[us(self.offsets[us(index)])..us(self.offsets[us(index) + 1])]
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

/// Maximum bytes of a short string.
const SHORT: usize = 16;

/// A short string as an integer; bytes after it are masked out. `None` for a long one, and for the last few of a blob.
#[inline(always)]
fn short(blob: &[u8], start: usize, length: usize) -> Option<u128> {
    let bytes = blob.get(start..)?.first_chunk::<SHORT>()?;
    (length <= SHORT).then(|| masked(u128::from_le_bytes(*bytes), length))
}

/// Keeps the first `length` bytes.
#[inline(always)]
fn masked(bytes: u128, length: usize) -> u128 {
    let bits = 8 * u32_of(SHORT - length.min(SHORT));
    bytes & u128::MAX.checked_shr(bits).unwrap_or(0)
}

/// The hash of a short string.
#[inline(always)]
fn short_hash(bytes: u128, length: usize, seed: u64) -> u64 {
    let (low, high) = (low64(bytes) ^ seed, low64(bytes >> 64));
    let mixed =
        u128::from(low ^ 0x9E37_79B9_7F4A_7C15) * u128::from(high ^ 0xD6E8_FEB8_6659_FD93 ^ u64_of(length) << 56);
    let folded = low64(mixed) ^ low64(mixed >> 64) ^ low.rotate_left(23);
    folded.wrapping_mul(0xBF58_476D_1CE4_E5B9) ^ folded >> 31
}

/// The hash of a string.
#[inline]
fn hash_of(text: &[u8], seed: u64) -> u64 {
    if text.len() > SHORT {
        return xxh3_64_with_seed(text, seed);
    }
    let mut bytes = [0; SHORT];
    bytes[..text.len()].copy_from_slice(text);
    short_hash(u128::from_le_bytes(bytes), text.len(), seed)
}

/// A map from names to numbers. A slot has 32 bits of the name's hash, so that the table is small; it is rebuilt with
/// another seed until no two names on one probe sequence share these bits. So each name is found correctly; a string
/// that is no name may be a false positive.
struct Numbers {
    /// The hash bits, and one more than the number.
    slots: Vec<(u32, u32)>,
    seed: u64,
}

impl Numbers {
    fn new(names: Column<'_>) -> Self {
        (0..).find_map(|seed| Self::with_seed(names, seed)).unwrap_or(Self { slots: vec![(0, 0)], seed: 0 })
    }

    fn with_seed(names: Column<'_>, seed: u64) -> Option<Self> {
        let count = names.count();
        let mut numbers = Self { slots: vec![(0, 0); count + count / 3 + 1], seed };
        let mut hashes = [0; BATCH];
        let ids: Vec<u32> = (0..u32_of(count)).collect();
        for batch in ids.chunks(BATCH) {
            for (hash, &id) in hashes.iter_mut().zip(batch) {
                let (start, end) = (us(names.offsets[us(id)]), us(names.offsets[us(id) + 1]));
                *hash = match short(names.blob, start, end - start) {
                    Some(bytes) => short_hash(bytes, end - start, seed),
                    None => hash_of(&names.blob[start..end], seed),
                };
                numbers.prefetch(*hash);
            }
            for (&hash, &id) in hashes.iter().zip(batch) {
                let slot = numbers.slot(hash);
                match numbers.slots[slot].1 {
                    0 => numbers.slots[slot] = (low32(hash), id + 1),
                    // Of equal names the first wins.
                    other if names.get(other - 1) == names.get(id) => {}
                    _ => return None,
                }
            }
        }
        Some(numbers)
    }

    /// Prefetches the slot of a hash.
    #[inline]
    fn prefetch(&self, hash: u64) {
        prefetch(&self.slots, first_slot(hash, self.slots.len()));
    }

    /// The slot of a hash, or the free one for it.
    #[inline]
    fn slot(&self, hash: u64) -> usize {
        let first = first_slot(hash, self.slots.len());
        find_slot(&self.slots, first, |slot| slot.1 == 0 || slot.0 == low32(hash))
    }

    #[inline]
    fn find(&self, hash: u64) -> Option<u32> {
        self.slots[self.slot(hash)].1.checked_sub(1)
    }
}

/// More strings are looked up by two threads.
const MANY: usize = 100_000;

/// Number of names that are looked up together, so that their cache misses overlap.
const BATCH: usize = 32;

/// The hashes of both names of a string, and of their concatenation; of the previous string where that is equal.
#[derive(Clone, Copy, Default)]
struct Asked {
    index: u32,
    left: u64,
    right: u64,
    both: Option<u64>,
}

/// The concatenation of the two names of the last string.
#[derive(Default)]
struct Reader {
    /// If the concatenation is short.
    short: Option<(u128, usize)>,
    long: Vec<u8>,
    seed: u64,
}

impl Reader {
    /// The look-up of a string of two names with a space at `space`. Lists have all merges of one result in succession,
    /// so an unchanged result is not looked up again.
    #[inline]
    fn read(&mut self, pairs: Column<'_>, index: u32, space: usize) -> Asked {
        let start = us(pairs.offsets[us(index)]);
        let length = us(pairs.offsets[us(index) + 1]) - start;
        let (left, right) = (space, length - space - 1);
        let (one, other) = (short(pairs.blob, start, left), short(pairs.blob, start + space + 1, right));
        if let (Some(one), Some(other), true) = (one, other, left + right <= SHORT && right > 0) {
            let both = one | other << (8 * left);
            let is_new = self.short != Some((both, left + right));
            self.short = Some((both, left + right));
            return Asked {
                index,
                left: short_hash(one, left, self.seed),
                right: short_hash(other, right, self.seed),
                both: is_new.then(|| short_hash(both, left + right, self.seed)),
            };
        }
        let pair = pairs.get(index);
        let (one, other) = (&pair[..space], &pair[space + 1..]);
        let is_new = self.short.take().is_some() || self.long.strip_prefix(one) != Some(other);
        if is_new {
            self.long.clear();
            self.long.extend_from_slice(one);
            self.long.extend_from_slice(other);
        }
        let hash = |text: &[u8]| hash_of(text, self.seed);
        Asked { index, left: hash(one), right: hash(other), both: is_new.then(|| hash(&self.long)) }
    }
}

/// The rows whose pair occurred before, with rows visited in the order of `numbers`. Equal pairs have equal results, and
/// few rows share a result: so each row is compared with the earlier ones of its result.
pub(crate) fn repeats(
    numbers: impl ExactSizeIterator<Item = u32>,
    row: impl Fn(u32) -> [u32; 3],
    names: usize,
) -> Vec<u32> {
    // By result one more than its last row, and by row the same for the previous row.
    let (mut last, mut before) = (vec![0; names], vec![0; numbers.len()]);
    let mut repeats = Vec::new();
    for number in paced(numbers) {
        let [left, right, result] = row(number);
        let mut at = last[us(result)];
        while at > 0 && row(at - 1)[..2] != [left, right] {
            at = before[us(at) - 1];
        }
        if at > 0 {
            repeats.push(number);
            continue;
        }
        before[us(number)] = last[us(result)];
        last[us(result)] = number + 1;
    }
    repeats
}

/// Drops rows by their numbers, which are sorted; the first row has the number `first`.
pub(crate) fn drop_rows(rows: &mut Rows, first: usize, dropped: &[u32]) {
    let mut number = u32_of(first);
    if !dropped.is_empty() {
        rows.retain(|_| {
            number += 1;
            dropped.binary_search(&(number - 1)).is_err()
        });
    }
}

/// The numbers of two names, and of their concatenation.
type Rows = Vec<[u32; 3]>;

/// Resolves strings of two names separated by a space: their numbers, and that of their concatenation, in two parts in
/// the order of the strings. The space is the first that is not the first character. Of equal pairs the first wins;
/// strings without such a space are skipped. Also returns the first string with an unknown name. A string that is no
/// name may be a false positive: the caller must verify the rows.
pub fn joined_names(names: Column<'_>, pairs: Column<'_>) -> ([Rows; 2], Option<u32>) {
    let numbers = Numbers::new(names);
    let (half, whole) = (u32_of(pairs.count() / 2), u32_of(pairs.count()));
    let parted = pairs.count() > MANY;
    let (one, other) = join_if(parted, || rows_of(&numbers, pairs, 0..half), || rows_of(&numbers, pairs, half..whole));
    let ((mut one, first_odd), (mut other, odd)) = (one, other);
    let behind = one.len();
    let row = |number: u32| if us(number) < behind { one[us(number)] } else { other[us(number) - behind] };
    let dropped = repeats(0..u32_of(behind + other.len()), row, names.count());
    drop_rows(&mut one, 0, &dropped);
    drop_rows(&mut other, behind, &dropped);
    ([one, other], first_odd.or(odd))
}

/// The rows of some strings, and the first of these with an unknown name.
fn rows_of(numbers: &Numbers, pairs: Column<'_>, range: Range<u32>) -> (Rows, Option<u32>) {
    let mut rows = Rows::with_capacity(range.len());
    let (mut odd, mut last) = (None, None);
    let mut reader = Reader { seed: numbers.seed, ..Reader::default() };
    let mut batch: Vec<Asked> = Vec::with_capacity(BATCH);
    let mut index = range.start;
    while index < range.end {
        batch.clear();
        while index < range.end && batch.len() < BATCH {
            let pair = pairs.get(index);
            index += 1;
            let Some(space) = pair.iter().skip(1).position(|&byte| byte == b' ') else { continue };
            let asked = reader.read(pairs, index - 1, space + 1);
            numbers.prefetch(asked.left);
            numbers.prefetch(asked.right);
            if let Some(both) = asked.both {
                numbers.prefetch(both);
            }
            batch.push(asked);
        }
        for asked in &batch {
            if let Some(hash) = asked.both {
                last = numbers.find(hash);
            }
            match (numbers.find(asked.left), numbers.find(asked.right), last) {
                (Some(left), Some(right), Some(both)) => rows.push([left, right, both]),
                _ => odd = odd.or(Some(asked.index)),
            }
        }
    }
    (rows, odd)
}

fn truncated(at: usize) -> Error {
    let message = format!("a string at byte {at} runs past the end; the file is damaged or was not copied whole");
    Error::new("file-truncated", message).with("offset", at)
}

#[cfg(test)]
mod tests {
    use crate::scan::strings::{joined_names, string_array, Column, Strings};
    use crate::util::cast::{u32_of, us};

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

    /// Short and long names, in random order, and every concatenation of two; some pairs occur twice, some have no
    /// result.
    #[test]
    fn rows_are_those_of_a_plain_search() {
        let (mut names, mut state) = (Vec::new(), 7u32);
        let mut draw = |below: usize| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            us(state >> 8) % below
        };
        for _ in 0..400 {
            let length = 1 + draw(24);
            let name: String = (0..length).map(|_| ["a", "b", "\u{e9}"][draw(3)]).collect();
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let mut pairs = Vec::new();
        for _ in 0..3000 {
            let (one, other) = (names[draw(names.len())].clone(), names[draw(names.len())].clone());
            let both = format!("{one}{other}");
            if names.len() < 1500 && draw(2) == 0 && !names.contains(&both) {
                names.push(both);
            }
            pairs.push(format!("{one} {other}"));
        }
        let find = |name: &str| names.iter().position(|other| other == name).map(u32_of);
        let (mut wanted, mut odd): (super::Rows, Option<u32>) = (Vec::new(), None);
        for (index, pair) in (0u32..).zip(&pairs) {
            let Some((one, other)) = pair.split_once(' ') else { continue };
            match (find(one), find(other), find(&format!("{one}{other}"))) {
                (Some(one), Some(other), Some(both)) => {
                    if !wanted.iter().any(|row| row[..2] == [one, other]) {
                        wanted.push([one, other, both]);
                    }
                }
                _ => odd = odd.or(Some(index)),
            }
        }
        let columns = |texts: &[String]| {
            let ends = texts.iter().scan(0, |end, text| {
                *end += u32_of(text.len());
                Some(*end)
            });
            (texts.concat().into_bytes(), std::iter::once(0).chain(ends).collect::<Vec<u32>>())
        };
        let (names, pairs) = (columns(&names), columns(&pairs));
        let (Some(names), Some(pairs)) = (Column::new(&names.0, &names.1), Column::new(&pairs.0, &pairs.1)) else {
            unreachable!()
        };
        assert!(wanted.len() > 500 && odd.is_some());
        let (parts, found) = joined_names(names, pairs);
        assert_eq!((parts.concat(), found), (wanted, odd));
    }

    #[test]
    fn names_are_joined_by_their_numbers() {
        let names = Column::new(b"ababc ", &[0, 1, 2, 4, 5, 6]);
        let pairs = Column::new(b"a bab cnoa b  a x", &[0, 3, 7, 9, 12, 13, 17]);
        let (Some(names), Some(pairs)) = (names, pairs) else { unreachable!() };
        let (parts, odd) = joined_names(names, pairs);
        assert_eq!((parts.concat(), odd), (vec![[0, 1, 2]], Some(1)));
        assert!(Column::new(b"ab", &[0, 3]).is_none());
        assert!(Column::new(b"ab", &[]).is_none());
    }
}
