//! Word counts for words of more than 15 bytes: a hash table whose keys are in one arena.

use xxhash_rust::xxh3::xxh3_64;

use crate::util::cast::{low32, u32_of, u64_of, us, us64};

const EMPTY: u32 = u32::MAX;
const FIRST_SLOTS: usize = 1 << 10;

#[derive(Clone, Copy)]
struct Entry {
    start: u64,
    len: u32,
    /// Bits of the hash that the slot index does not determine.
    mark: u32,
    count: u64,
}

/// Counts by word.
pub struct LongTable {
    text: Vec<u8>,
    entries: Vec<Entry>,
    /// Indices of entries; a power of two of slots, at least half of them empty.
    slots: Vec<u32>,
    /// The position of each entry's first occurrence, if recorded.
    firsts: Vec<u64>,
}

impl Default for LongTable {
    fn default() -> Self {
        Self { text: Vec::new(), entries: Vec::new(), slots: vec![EMPTY; FIRST_SLOTS], firsts: Vec::new() }
    }
}

impl LongTable {
    /// Adds to the count of a word; counts saturate at 2^64 - 1. If it is new, `first` is the position of its first
    /// occurrence; recorded for all words or for none.
    pub fn add(&mut self, word: &[u8], count: u64, first: Option<u64>) {
        let hash = xxh3_64(word);
        let mark = low32(hash >> 32);
        let mask = self.slots.len() - 1;
        let mut slot = us64(hash) & mask;
        loop {
            let number = self.slots[slot];
            if number == EMPTY {
                break;
            }
            let entry = &mut self.entries[us(number)];
            if entry.mark == mark && us(entry.len) == word.len() {
                let start = us64(entry.start);
                if &self.text[start..start + word.len()] == word {
                    entry.count = entry.count.saturating_add(count);
                    return;
                }
            }
            slot = (slot + 1) & mask;
        }
        self.slots[slot] = u32_of(self.entries.len());
        self.entries.push(Entry { start: u64_of(self.text.len()), len: u32_of(word.len()), mark, count });
        self.text.extend_from_slice(word);
        self.firsts.extend(first);
        if self.entries.len() * 2 > self.slots.len() {
            self.grow();
        }
    }

    #[cold]
    fn grow(&mut self) {
        let mask = self.slots.len() * 2 - 1;
        self.slots.clear();
        self.slots.resize(mask + 1, EMPTY);
        for (number, entry) in self.entries.iter().enumerate() {
            let start = us64(entry.start);
            let mut slot = us64(xxh3_64(&self.text[start..start + us(entry.len)])) & mask;
            while self.slots[slot] != EMPTY {
                slot = (slot + 1) & mask;
            }
            self.slots[slot] = u32_of(number);
        }
    }

    /// The number of words.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Approximate memory of the table, in bytes.
    pub fn bytes(&self) -> usize {
        self.text.capacity()
            + size_of::<Entry>() * self.entries.capacity()
            + 4 * self.slots.len()
            + 8 * self.firsts.capacity()
    }

    /// The position of the first occurrence of each of [`LongTable::rows`].
    pub fn firsts(&self) -> &[u64] {
        &self.firsts
    }

    /// The words with their counts, unordered.
    pub fn rows(&self) -> impl Iterator<Item = (&[u8], u64)> {
        self.entries.iter().map(|entry| {
            let start = us64(entry.start);
            (&self.text[start..start + us(entry.len)], entry.count)
        })
    }
}
