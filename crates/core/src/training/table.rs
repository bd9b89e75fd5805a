//! Words being counted: an open hash table whose keys stand one after the other in one buffer.

use xxhash_rust::xxh3::xxh3_64;

use crate::cast::{low32, u32_of, u64_of, us, us64};

const EMPTY: u32 = u32::MAX;
const FIRST_SLOTS: usize = 1 << 10;
/// Words that one table holds, at most: places are 32-bit numbers.
pub const MAX_WORDS: usize = 0xFFFF_FFF0;

#[derive(Clone, Copy)]
struct Entry {
    start: u64,
    len: u32,
    /// A part of the hash that the slot's number does not say.
    mark: u32,
    count: u64,
}

/// Counts by word.
pub struct Table {
    text: Vec<u8>,
    entries: Vec<Entry>,
    /// Numbers of entries; a power of two of them, at least half of them empty.
    slots: Vec<u32>,
}

impl Default for Table {
    fn default() -> Self {
        Self { text: Vec::new(), entries: Vec::new(), slots: vec![EMPTY; FIRST_SLOTS] }
    }
}

impl Table {
    /// Adds to the count of a word; counts stop at 2^64 - 1.
    #[inline]
    pub fn add(&mut self, word: &[u8], count: u64) {
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

    /// How many words there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// About how much memory the table holds, in bytes, and what is needed to put it in order.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let rows = size_of::<(&[u8], u64)>() * self.entries.len();
        self.text.capacity() + size_of::<Entry>() * self.entries.capacity() + 4 * self.slots.len() + rows
    }

    /// The words with their counts, in no order.
    pub fn rows(&self) -> impl Iterator<Item = (&[u8], u64)> {
        self.entries.iter().map(|entry| {
            let start = us64(entry.start);
            (&self.text[start..start + us(entry.len)], entry.count)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn it_counts_as_a_map_does() {
        let (mut table, mut map) = (Table::default(), BTreeMap::new());
        for number in 0..20_000u32 {
            let word = (number % 3_777).to_string().repeat(us(number % 5) + 1);
            table.add(word.as_bytes(), u64::from(number));
            *map.entry(word.into_bytes()).or_insert(0) += u64::from(number);
        }
        let found: BTreeMap<Vec<u8>, u64> = table.rows().map(|(word, count)| (word.to_vec(), count)).collect();
        assert_eq!(found, map);
        assert_eq!(table.len(), map.len());
    }
}
