//! The input of character-level trainers: words cut where no piece can span, deduplicated, as symbol numbers.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use crate::training::alphabet::Alphabet;
use crate::training::shape::{classes, Class, Shape};
use crate::training::team::Team;
use crate::training::words::Words;
use crate::training::Progress;
use crate::util::{u32_of, u64_of, us, Error, Result};

#[cfg(test)]
pub mod tests;

/// What ends a segment in [`Text::symbols`].
pub const END: u32 = 0;

/// Number of words between two reports.
const OFTEN: usize = 1 << 14;

/// Segments with counts. The symbol of a character is one more than its index in the alphabet.
///
/// 4 bytes for each character and 16 for each segment.
#[derive(Debug, Clone, Default)]
pub struct Text {
    symbols: Vec<u32>,
    /// The start of each segment; the last entry is the end of the symbols.
    starts: Vec<u32>,
    counts: Vec<u64>,
    classes: Vec<Class>,
}

impl Text {
    /// The text of some words, cut at characters outside the alphabet, and if `cut` wherever `shape` allows no piece.
    pub fn of(words: &Words, alphabet: &Alphabet, shape: &Shape, cut: bool, team: &mut Team<'_>) -> Result<Self> {
        let classes = classes(alphabet.chars());
        let mut segments: HashMap<&str, u64, FixedState> = HashMap::default();
        for (index, (word, count)) in words.iter().enumerate() {
            if index % OFTEN == 0 {
                team.report(Progress { stage: "segments", done: u64_of(index), total: u64_of(words.len()) })?;
            }
            let text = std::str::from_utf8(word).unwrap_or_default();
            let mut add = |part: std::ops::Range<usize>| {
                let sum = segments.entry(&text[part]).or_insert(0);
                *sum = sum.saturating_add(count);
            };
            let mut start = 0;
            let mut before: Option<Class> = None;
            for (at, character) in text.char_indices() {
                let class = alphabet.place(character).map(|place| classes[us(place)]);
                let whole = matches!((before, class), (Some(one), Some(other)) if !(cut && shape.parts(one, other)));
                if !whole {
                    if before.is_some() {
                        add(start..at);
                    }
                    start = at;
                }
                before = class;
            }
            if before.is_some() {
                add(start..text.len());
            }
        }
        let mut rows: Vec<(&str, u64)> = segments.into_iter().collect();
        rows.sort_unstable_by_key(|row| row.0);
        Self::numbered(&rows, alphabet, classes)
    }

    fn numbered(segments: &[(&str, u64)], alphabet: &Alphabet, classes: Vec<Class>) -> Result<Self> {
        let counts = segments.iter().map(|row| row.1).collect();
        let mut text = Self { counts, classes, ..Self::default() };
        text.starts.reserve_exact(segments.len() + 1);
        let length = segments.iter().map(|(word, _)| word.chars().count() + 1).sum();
        if u32::try_from(length).is_err() {
            let message =
                format!("the distinct words have {length} characters and may have 2^32; leave out rare words");
            return Err(Error::new("words-table", message).with("characters", length));
        }
        text.symbols.reserve_exact(length);
        for (word, _) in segments {
            text.starts.push(u32_of(text.symbols.len()));
            text.symbols.extend(word.chars().map(|character| alphabet.place(character).map_or(END, |place| place + 1)));
            text.symbols.push(END);
        }
        text.starts.push(u32_of(text.symbols.len()));
        Ok(text)
    }

    /// All segments, each followed by [`END`].
    pub fn symbols(&self) -> &[u32] {
        &self.symbols
    }

    /// The number of segments.
    pub fn segments(&self) -> usize {
        self.counts.len()
    }

    /// The range of a segment in [`Text::symbols`], without its end symbol.
    pub fn segment(&self, index: usize) -> std::ops::Range<usize> {
        us(self.starts[index])..us(self.starts[index + 1]) - 1
    }

    /// The count of a segment.
    pub fn count(&self, index: usize) -> u64 {
        self.counts[index]
    }

    /// The class of the character at a position of [`Text::symbols`] that is not an end.
    pub fn class(&self, place: usize) -> Class {
        self.classes[us(self.symbols[place]) - 1]
    }
}
