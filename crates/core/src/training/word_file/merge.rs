//! k-way merge of word tables, streaming one word of each at a time.

use std::cmp::{Ordering, Reverse};
use std::collections::binary_heap::{BinaryHeap, PeekMut};
use std::path::Path;

use crate::training::word_file::Reader;
use crate::util::error::{Error, Result};

/// Maximum number of files merged at a time.
const FAN_IN: usize = 64;

/// A reader at its current word, ordered by it, and the number of words read before its file.
struct Front(Reader, u64);

impl Front {
    fn first(&self) -> Option<u64> {
        self.0.first.map(|first| first.saturating_add(self.1))
    }
}

impl PartialEq for Front {
    fn eq(&self, other: &Self) -> bool {
        self.0.word == other.0.word
    }
}

impl Eq for Front {}

impl PartialOrd for Front {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Front {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.word.cmp(&other.0.word)
    }
}

/// Opened files. The order of reading is that of the files one after the other.
pub struct Merge {
    fronts: BinaryHeap<Reverse<Front>>,
    read: Option<u64>,
}

impl Merge {
    /// Opens files; refuses too many.
    pub fn open(paths: &[&Path]) -> Result<Self> {
        if paths.len() > FAN_IN {
            let message =
                format!("{} tables are too many for one merge; merge at most {FAN_IN} at a time", paths.len());
            return Err(Error::new("words-table", message));
        }
        let mut readers = Vec::with_capacity(paths.len());
        for path in paths {
            readers.push(Reader::open(path)?);
        }
        let ordered = readers.iter().all(|reader| reader.read.is_some());
        let (mut fronts, mut before) = (BinaryHeap::with_capacity(paths.len()), 0u64);
        for mut reader in readers {
            let read = reader.read.unwrap_or(0);
            if reader.advance()? {
                fronts.push(Reverse(Front(reader, before)));
            }
            before = before.checked_add(read).ok_or_else(too_many)?;
        }
        Ok(Self { fronts, read: ordered.then_some(before) })
    }

    /// The number of words read for all files; `None` if one of them has no order.
    pub const fn read(&self) -> Option<u64> {
        self.read
    }

    /// Calls `visit` with each word, the sum of its counts, and its first occurrence if all files record that, in byte
    /// order.
    pub fn each(mut self, mut visit: impl FnMut(&[u8], u64, Option<u64>) -> Result<()>) -> Result<()> {
        let ordered = self.read.is_some();
        let (mut word, mut count, mut first) = (Vec::new(), 0u64, None);
        while let Some(mut top) = self.fronts.peek_mut() {
            let place = if ordered { top.0.first() } else { None };
            let reader = &mut top.0 .0;
            if reader.word() == word {
                count = count.checked_add(reader.count()).ok_or_else(too_many)?;
                first = first.min(place);
            } else {
                if !word.is_empty() {
                    visit(&word, count, first)?;
                }
                word.clear();
                word.extend_from_slice(reader.word());
                (count, first) = (reader.count(), place);
            }
            if !reader.advance()? {
                PeekMut::pop(top);
            }
        }
        if word.is_empty() {
            Ok(())
        } else {
            visit(&word, count, first)
        }
    }
}

fn too_many() -> Error {
    Error::new("words-table", "the counts of a word add up to more than 2^64; divide them by a common number")
}
