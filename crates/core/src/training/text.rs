//! The words that a trainer of characters works on: cut where no piece can lie across, alike ones put together, as numbers.

use crate::cast::{u32_of, us};
use crate::error::{Error, Result};
use crate::training::alphabet::Alphabet;
use crate::training::shape::{class_of, classes, Class, Shape};
use crate::training::words::Words;

/// What ends a segment in [`Text::symbols`].
pub const END: u32 = 0;

/// Segments with counts. The symbol of a character is one more than its place in the alphabet.
///
/// 4 bytes for each character, and 16 and a symbol for each segment.
#[derive(Debug, Clone, Default)]
pub struct Text {
    symbols: Vec<u32>,
    /// Where each segment begins; the last entry is the end of the symbols.
    starts: Vec<u32>,
    counts: Vec<u64>,
    classes: Vec<Class>,
}

impl Text {
    /// The text of some words, cut at characters outside the alphabet, and if `cut` wherever `shape` allows no piece.
    pub fn of(words: &Words, alphabet: &Alphabet, shape: &Shape, cut: bool) -> Result<Self> {
        let classes = classes(alphabet.chars());
        let mut rows: Vec<(&[u8], u64)> = Vec::with_capacity(words.len());
        for (word, count) in words.iter() {
            let text = std::str::from_utf8(word).unwrap_or_default();
            let mut start = 0;
            let mut before = None;
            for (at, character) in text.char_indices() {
                let class = alphabet.place(character).map(|place| class_of(&classes, place));
                let whole = matches!((before, class), (Some(one), Some(other)) if !(cut && shape.parts(one, other)));
                if !whole {
                    rows.push((&word[start..at], if before.is_some() { count } else { 0 }));
                    start = at;
                }
                before = class;
            }
            rows.push((&word[start..], if before.is_some() { count } else { 0 }));
        }
        Self::numbered(&Words::from_rows(rows)?, alphabet, classes)
    }

    fn numbered(segments: &Words, alphabet: &Alphabet, classes: Vec<Class>) -> Result<Self> {
        let mut text = Self { counts: segments.counts().to_vec(), classes, ..Self::default() };
        text.starts.reserve_exact(segments.len() + 1);
        let length = segments.iter().map(|(word, _)| characters(word) + 1).sum();
        if u32::try_from(length).is_err() {
            let message =
                format!("the distinct words have {length} characters and may have 2^32; leave out rare words");
            return Err(Error::new("words-table", message).with("characters", length));
        }
        text.symbols.reserve_exact(length);
        for (word, _) in segments.iter() {
            text.starts.push(u32_of(text.symbols.len()));
            let word = std::str::from_utf8(word).unwrap_or_default();
            text.symbols.extend(word.chars().map(|character| alphabet.place(character).map_or(END, |place| place + 1)));
            text.symbols.push(END);
        }
        text.starts.push(u32_of(text.symbols.len()));
        Ok(text)
    }

    /// All segments, each with [`END`] behind it.
    #[must_use]
    pub fn symbols(&self) -> &[u32] {
        &self.symbols
    }

    /// How many segments there are.
    #[must_use]
    pub fn segments(&self) -> usize {
        self.counts.len()
    }

    /// Where a segment lies in [`Text::symbols`], without what ends it.
    #[inline]
    #[must_use]
    pub fn segment(&self, index: usize) -> std::ops::Range<usize> {
        us(self.starts[index])..us(self.starts[index + 1]) - 1
    }

    /// How often a segment was seen.
    #[inline]
    #[must_use]
    pub fn count(&self, index: usize) -> u64 {
        self.counts[index]
    }

    /// The class of the character at a place of [`Text::symbols`] that is not an end.
    #[inline]
    #[must_use]
    pub fn class(&self, place: usize) -> Class {
        class_of(&self.classes, self.symbols[place] - 1)
    }
}

fn characters(word: &[u8]) -> usize {
    word.iter().filter(|&&byte| byte & 0xC0 != 0x80).count()
}

#[cfg(test)]
pub mod tests {
    //! What the tests of other trainers' modules begin with, too.

    use super::*;
    use crate::training::alphabet::Choice;

    /// SentencePiece's defaults.
    pub const PLAIN: Shape = Shape {
        max_sentencepiece_length: 16,
        split_by_unicode_script: true,
        split_by_number: true,
        split_digits: false,
        split_by_whitespace: true,
        treat_whitespace_as_suffix: false,
        allow_whitespace_only_pieces: false,
    };

    /// A text of some words, and its alphabet.
    pub fn text_of(rows: &[(&str, u64)], coverage: f64, cut: bool) -> Result<(Text, Alphabet)> {
        let words = Words::from_rows(rows.iter().map(|(word, count)| (word.as_bytes(), *count)).collect())?;
        let alphabet = Alphabet::of(&words, &Choice { coverage, ..Choice::default() })?;
        Ok((Text::of(&words, &alphabet, &PLAIN, cut)?, alphabet))
    }

    fn shown(rows: &[(&str, u64)], coverage: f64, cut: bool) -> Vec<(String, u64)> {
        let Ok((text, alphabet)) = text_of(rows, coverage, cut) else {
            return Vec::new();
        };
        let spelled =
            |index| text.symbols()[text.segment(index)].iter().map(|&s| alphabet.chars()[us(s) - 1]).collect();
        (0..text.segments()).map(|index| (spelled(index), text.count(index))).collect()
    }

    #[test]
    fn words_are_cut_where_no_piece_can_lie_across() {
        let rows = [("▁ab,", 2), ("▁ab", 3), ("▁ab▁c", 1), ("▁x\ty", 9)];
        let row = |word: &str, count| (word.to_owned(), count);
        assert_eq!(shown(&rows, 1.0, true), [row(",", 2), row("y", 9), row("▁ab", 6), row("▁c", 1), row("▁x", 9)]);
        assert_eq!(
            shown(&rows, 1.0, false),
            [row("y", 9), row("▁ab", 3), row("▁ab,", 2), row("▁ab▁c", 1), row("▁x", 9)]
        );
        assert_eq!(shown(&rows, 0.5, false), [row("▁", 7), row("▁x", 9)]);
    }
}
