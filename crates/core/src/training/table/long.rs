//! Word counts for words of more than 15 bytes: a hash table whose keys are in one arena.

use crate::index::string_index::StringIndex;
use crate::util::cast::{u32_of, us};

struct Entry {
    start: usize,
    end: usize,
    count: u64,
}

/// Counts by word.
#[derive(Default)]
pub struct LongTable {
    text: Vec<u8>,
    entries: Vec<Entry>,
    /// Indices of entries.
    index: StringIndex,
    /// The position of each entry's first occurrence, if recorded.
    firsts: Vec<u64>,
}

impl LongTable {
    /// Adds to the count of a word; counts saturate at 2^64 - 1. If it is new, `first` is the position of its first
    /// occurrence; recorded for all words or for none.
    pub fn add(&mut self, word: &[u8], count: u64, first: Option<u64>) {
        let (text, entries) = (&self.text, &self.entries);
        let word_at = |number: u32| &text[entries[us(number)].start..entries[us(number)].end];
        if let Some(number) = self.index.add(word, u32_of(entries.len()), word_at) {
            let sum = &mut self.entries[us(number)].count;
            *sum = sum.saturating_add(count);
            return;
        }
        let start = self.text.len();
        self.text.extend_from_slice(word);
        self.entries.push(Entry { start, end: self.text.len(), count });
        self.firsts.extend(first);
    }

    /// The number of words.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Approximate memory of the table, in bytes.
    pub fn bytes(&self) -> usize {
        let entries = size_of::<Entry>() * self.entries.capacity();
        self.text.capacity() + entries + self.index.bytes() + 8 * self.firsts.capacity()
    }

    /// The position of the first occurrence of each of [`LongTable::rows`].
    pub fn firsts(&self) -> &[u64] {
        &self.firsts
    }

    /// The words with their counts, unordered.
    pub fn rows(&self) -> impl Iterator<Item = (&[u8], u64)> {
        self.entries.iter().map(|entry| (&self.text[entry.start..entry.end], entry.count))
    }
}
