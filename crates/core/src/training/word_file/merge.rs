//! k-way merge of word tables, streaming one word of each at a time.

use std::cmp::Reverse;
use std::collections::binary_heap::{BinaryHeap, PeekMut};
use std::path::Path;

use crate::training::word_file::Reader;
use crate::util::{Error, Result};

/// Maximum number of files merged at a time.
const FAN_IN: usize = 64;

/// Opened files. The order of reading is that of the files one after the other.
pub struct Merge {
    /// Each reader with the number of words read before its file.
    readers: Vec<(Reader, u64)>,
    /// The current words of the readers that have one, with their numbers; the least on top.
    fronts: BinaryHeap<Reverse<(Vec<u8>, usize)>>,
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
        let mut readers = paths.iter().map(|path| Ok((Reader::open(path)?, 0))).collect::<Result<Vec<_>>>()?;
        let ordered = readers.iter().all(|(reader, _)| reader.read.is_some());
        let (mut fronts, mut sum) = (BinaryHeap::with_capacity(paths.len()), 0u64);
        for (number, (reader, before)) in readers.iter_mut().enumerate() {
            *before = sum;
            if reader.advance()? {
                fronts.push(Reverse((reader.word.clone(), number)));
            }
            sum = sum.checked_add(reader.read.unwrap_or(0)).ok_or_else(too_many)?;
        }
        Ok(Self { readers, fronts, read: ordered.then_some(sum) })
    }

    /// The number of words read for all files; `None` if one of them has no order.
    pub const fn read(&self) -> Option<u64> {
        self.read
    }

    /// Calls `visit` with each word, the sum of its counts, and its first occurrence, which has no meaning unless all
    /// files record that; in byte order.
    pub fn each(mut self, mut visit: impl FnMut(&[u8], u64, u64) -> Result<()>) -> Result<()> {
        let (mut word, mut count, mut first) = (Vec::new(), 0u64, 0);
        while let Some(mut top) = self.fronts.peek_mut() {
            let Reverse((front, number)) = &mut *top;
            let (reader, before) = &mut self.readers[*number];
            let place = reader.first.saturating_add(*before);
            if *front == word {
                count = count.checked_add(reader.count).ok_or_else(too_many)?;
                first = first.min(place);
            } else {
                if !word.is_empty() {
                    visit(&word, count, first)?;
                }
                word.clone_from(front);
                (count, first) = (reader.count, place);
            }
            if reader.advance()? {
                front.clone_from(&reader.word);
            } else {
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
