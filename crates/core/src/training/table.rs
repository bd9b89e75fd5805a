//! Word counts: an open-addressing table for words of up to 15 bytes, which are inline keys, and a map of longer words.
//!
//! Most words of most texts have at most 15 bytes. They are stored in the table next to their count, so that counting
//! one touches one cache line and compares 16 bytes at once; see `docs/decisions/counting.md`. An ordered table has an
//! extra column that is only touched where a word is new, with the position of its first occurrence.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use crate::index::table::{shift_of, slot, Key, MAX_KEY};
use crate::training::words::SORTING;
use crate::util::{prefetch, u64_of, us};

const FIRST_SLOTS: usize = 1 << 12;
/// Maximum number of words in one table: indices are 32-bit.
pub const MAX_WORDS: usize = 0xFFFF_FFF0;
/// Bytes that a long word takes besides its text: in the table, and for its allocation.
const LONG_ENTRY: usize = size_of::<(Box<[u8]>, (u64, u64))>() + 1;
const ALLOCATION: usize = 16;
/// Number of words whose slots are prefetched together.
const WINDOW: usize = 64;

#[derive(Clone, Copy, Default)]
#[repr(C)]
struct Entry {
    /// A [`Key`]; all zero in a free slot.
    key: [u8; 16],
    count: u64,
}

/// Counts by word.
pub struct Table {
    /// A power of two of slots, at least a third of them free.
    slots: Vec<Entry>,
    shift: u32,
    used: usize,
    /// The counts of longer words, with the position of their first occurrence.
    long: HashMap<Box<[u8]>, (u64, u64), FixedState>,
    /// Bytes of these words.
    long_bytes: usize,
    /// The position of the next word, and of the first word of the current share; see [`Table::begin`].
    next: u64,
    begun: u64,
    /// The position of the first occurrence of the word in each slot, if recorded.
    firsts: Option<Vec<u64>>,
}

/// Bits of a position for words within a share; the others are the number of the share.
pub const IN_SHARE: u32 = 32;

impl Table {
    /// An empty table; an `ordered` one records the first occurrence of each word.
    pub fn new(ordered: bool) -> Self {
        let slots = vec![Entry::default(); FIRST_SLOTS];
        let firsts = ordered.then(|| vec![0; FIRST_SLOTS]);
        let shift = shift_of(FIRST_SLOTS);
        Self { slots, shift, used: 0, long: HashMap::default(), long_bytes: 0, next: 0, begun: 0, firsts }
    }

    /// Begins a share of the text, by its number. Shares come in ascending order, so that a word is new at its first
    /// occurrence.
    pub fn begin(&mut self, share: u64) {
        self.begun = share << IN_SHARE;
        self.next = self.begun;
    }

    /// The number of words read since the share began.
    pub const fn read(&self) -> u64 {
        self.next - self.begun
    }

    /// Adds to the count of a word; counts saturate at 2^64 - 1. Empty words are ignored.
    pub fn add(&mut self, word: &[u8], count: u64) {
        if word.is_empty() {
            return;
        }
        if word.len() > MAX_KEY {
            self.add_long(word, count, 0);
        } else {
            let key = key_of(word, 0, word.len());
            self.put(key.bytes(), key.hash(), count, 0);
        }
        self.next += 1;
    }

    /// Adds to the count of a long word that is `behind` words after the next one.
    fn add_long(&mut self, word: &[u8], count: u64, behind: usize) {
        if let Some((sum, _)) = self.long.get_mut(word) {
            *sum = sum.saturating_add(count);
        } else {
            self.long_bytes += word.len();
            self.long.insert(word.into(), (count, self.next + u64_of(behind)));
        }
    }

    /// Adds to the counts of adjacent words of a text, the first from `start` on, given by their ends.
    pub fn add_all(&mut self, text: &[u8], mut start: usize, ends: &[u32], count: u64) {
        let mut keys = [(Key::default(), 0); WINDOW];
        for ends in ends.chunks(WINDOW) {
            let first = start;
            for (&end, held) in ends.iter().zip(&mut keys) {
                let key = key_of(text, start, us(end) - start);
                let hash = key.hash();
                prefetch(&self.slots, slot(hash, self.shift));
                *held = (key, hash);
                start = us(end);
            }
            let mut from = first;
            for (behind, (&end, &(key, hash))) in ends.iter().zip(&keys).enumerate() {
                let key = key.bytes();
                if us(key[MAX_KEY].into()) > MAX_KEY {
                    self.add_long(&text[from..us(end)], count, behind);
                } else {
                    self.put(key, hash, count, behind);
                }
                from = us(end);
            }
            self.next += u64_of(ends.len());
        }
    }

    #[inline(always)]
    fn put(&mut self, key: [u8; 16], hash: u64, count: u64, behind: usize) {
        let first = slot(hash, self.shift);
        let Some(entry) = self.slots.get_mut(first) else { return };
        if u128::from_ne_bytes(entry.key) == u128::from_ne_bytes(key) {
            entry.count = entry.count.saturating_add(count);
        } else {
            self.put_behind(key, first, count, behind);
        }
    }

    /// Adds to the count of a key that is not in its first slot.
    fn put_behind(&mut self, key: [u8; 16], first: usize, count: u64, behind: usize) {
        let mask = self.slots.len() - 1;
        let mut at = first;
        loop {
            let entry = &mut self.slots[at];
            if entry.key[MAX_KEY] == 0 {
                *entry = Entry { key, count };
                if let Some(firsts) = &mut self.firsts {
                    firsts[at] = self.next + u64_of(behind);
                }
                break;
            }
            if u128::from_ne_bytes(entry.key) == u128::from_ne_bytes(key) {
                entry.count = entry.count.saturating_add(count);
                // The more frequent one moves to the first slot: a key that hashes to or before a slot is found after
                // it, too.
                if entry.count > self.slots[first].count {
                    self.slots.swap(first, at);
                    if let Some(firsts) = &mut self.firsts {
                        firsts.swap(first, at);
                    }
                }
                return;
            }
            at = (at + 1) & mask;
        }
        self.used += 1;
        if self.used * 3 > self.slots.len() * 2 {
            self.grow();
        }
    }

    #[cold]
    fn grow(&mut self) {
        let larger = self.slots.len() * 2;
        let mask = larger - 1;
        self.shift = shift_of(larger);
        let old = std::mem::replace(&mut self.slots, vec![Entry::default(); larger]);
        let mut firsts = self.firsts.as_mut().map(|firsts| (std::mem::replace(firsts, vec![0; larger]), firsts));
        for (from, entry) in old.into_iter().enumerate().filter(|(_, entry)| entry.key[MAX_KEY] != 0) {
            let mut at = slot(Key::of_bytes(entry.key).hash(), self.shift);
            while self.slots[at & mask].key[MAX_KEY] != 0 {
                at += 1;
            }
            self.slots[at & mask] = entry;
            if let Some((old, firsts)) = &mut firsts {
                firsts[at & mask] = old[from];
            }
        }
    }

    /// The number of words.
    pub fn words(&self) -> usize {
        self.used + self.long.len()
    }

    /// Approximate memory of the table, in bytes, including that for sorting it.
    pub fn bytes(&self) -> usize {
        let entry = size_of::<Entry>() + if self.firsts.is_some() { size_of::<u64>() } else { 0 };
        let long = LONG_ENTRY * self.long.capacity() + ALLOCATION * self.long.len() + self.long_bytes;
        entry * self.slots.len() + long + SORTING * self.words()
    }

    /// The words with their counts, unordered, and their first occurrences: the number of the share, and below it that of
    /// the word within. 0 where not recorded.
    pub fn rows(&self) -> impl Iterator<Item = (&[u8], u64, u64)> {
        let used = self.slots.iter().enumerate().filter(|(_, entry)| entry.key[MAX_KEY] != 0);
        let short = used.map(|(at, entry)| {
            let first = self.firsts.as_ref().map_or(0, |firsts| firsts[at]);
            (&entry.key[..us(entry.key[MAX_KEY].into())], entry.count, first)
        });
        short.chain(self.long.iter().map(|(word, &(count, first))| (&word[..], count, first)))
    }
}

/// The key of `len` bytes of a text, also where fewer than 16 bytes follow.
#[inline(always)]
fn key_of(text: &[u8], start: usize, len: usize) -> Key {
    if text.len() - start >= 16 {
        return Key::load(text, start, len);
    }
    let mut padded = [0; 16];
    padded[..text.len() - start].copy_from_slice(&text[start..]);
    Key::load(&padded, 0, len)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::util::cast::u32_of;

    type Counts = BTreeMap<Vec<u8>, u64>;

    fn counts(table: &Table) -> Counts {
        let found: Counts = table.rows().map(|(word, count, _)| (word.to_vec(), count)).collect();
        assert_eq!(table.words(), found.len());
        found
    }

    #[test]
    fn it_counts_as_a_map_does() {
        let (mut table, mut map) = (Table::new(false), Counts::new());
        table.add(b"", 1);
        for number in 0..40_000u32 {
            let word = (number % 9_777).to_string().repeat(us(number % 5) + 1);
            table.add(word.as_bytes(), u64::from(number));
            *map.entry(word.into_bytes()).or_insert(0) += u64::from(number);
        }
        assert_eq!(counts(&table), map);
    }

    #[test]
    fn words_side_by_side_are_counted_one_by_one() {
        let (mut text, mut ends) = (Vec::new(), Vec::new());
        let (mut one, mut map) = (Table::new(false), Counts::new());
        for number in 0..20_000usize {
            // Trailing zeros are part of a word; lengths are on both sides of the key limit.
            let word: Vec<u8> =
                (0..1 + number % 37).map(|at| crate::util::cast::low8(u32_of(number * at / 91))).collect();
            text.extend_from_slice(&word);
            ends.push(u32_of(text.len()));
            one.add(&word, 2);
            *map.entry(word).or_insert(0) += 2;
        }
        let mut all = Table::new(false);
        all.add_all(&text, 0, &ends, 2);
        assert_eq!(counts(&one), map);
        assert_eq!(counts(&all), map);
    }

    #[test]
    fn words_stand_where_they_were_read_first() {
        let (mut text, mut ends) = (Vec::new(), Vec::new());
        let (mut one, mut map) = (Table::new(true), BTreeMap::new());
        one.begin(3);
        for number in 0..30_000u32 {
            // Some words are swapped to the front as they become more frequent.
            let word = (number * number % 7_919).to_string().repeat(us(number % 7) + 1).into_bytes();
            text.extend_from_slice(&word);
            ends.push(u32_of(text.len()));
            one.add(&word, 1);
            map.entry(word).or_insert((3 << IN_SHARE) + u64::from(number));
        }
        let mut all = Table::new(true);
        all.begin(3);
        all.add_all(&text, 0, &ends, 1);
        for table in [&one, &all] {
            assert_eq!(table.read(), 30_000);
            assert_eq!(table.rows().map(|(word, _, first)| (word.to_vec(), first)).collect::<BTreeMap<_, _>>(), map);
        }
    }

    #[test]
    fn counts_stop_at_the_top() {
        let mut table = Table::new(false);
        for word in [&b"short"[..], b"a word of many bytes"] {
            table.add(word, u64::MAX);
            table.add(word, 5);
        }
        assert!(table.rows().all(|(_, count, _)| count == u64::MAX));
    }
}
