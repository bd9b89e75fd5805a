//! The characters that pieces are made of, and the counts they are chosen by.

use std::collections::HashMap;

use serde::Deserialize;

use crate::index::code_point_map::CodePointMap;
use crate::training::words::{text_of, Words};
use crate::util::{us, Error, Result};

/// Placeholder for a special piece that was cut out of the text: counted as a character, never a part of a piece.
pub const BOUNDARY: char = '\u{1F}';

/// Characters with their counts, the most frequent ones first.
///
/// Characters outside it are borders: no piece contains them.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(from = "Vec<(char, u64)>")]
pub struct Alphabet {
    chars: Vec<char>,
    counts: Vec<u64>,
    /// The index of each character in `chars`.
    places: CodePointMap,
}

impl From<Vec<(char, u64)>> for Alphabet {
    fn from(rows: Vec<(char, u64)>) -> Self {
        let mut places = CodePointMap::default();
        for (place, (character, _)) in (0..).zip(&rows) {
            places.set(u32::from(*character), place);
        }
        let (chars, counts) = rows.into_iter().unzip();
        Self { chars, counts, places }
    }
}

impl Alphabet {
    /// The characters, the most frequent ones first.
    pub fn chars(&self) -> &[char] {
        &self.chars
    }

    /// The count of each character.
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// The index of a character, or `None` for one outside.
    pub fn place(&self, character: char) -> Option<u32> {
        self.places.get(u32::from(character))
    }
}

/// The count of each character of some words; refuses words that are not text.
pub fn counted(words: &Words) -> Result<HashMap<char, u64>> {
    let mut ascii = [0u64; 128];
    let mut counts = HashMap::new();
    for (word, count) in words.iter() {
        for character in text_of(word)?.chars() {
            let code = us(u32::from(character));
            let sum = match ascii.get_mut(code) {
                Some(sum) => sum,
                None => counts.entry(character).or_insert(0),
            };
            *sum = sum.checked_add(count).ok_or_else(too_many)?;
        }
    }
    counts.extend((0u8..).map(char::from).zip(ascii).filter(|(_, count)| *count > 0));
    Ok(counts)
}

fn too_many() -> Error {
    Error::new("words-table", "there are more than 2^64 characters; divide the counts of words by a common number")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_those_of_the_list() {
        let alphabet = Alphabet::from(vec![('é', 4), ('▁', 2), ('\u{10FFFF}', 2)]);
        let places: Vec<_> = ['é', '▁', '\u{10FFFF}', 'e'].map(|c| alphabet.place(c)).into();
        assert_eq!(places, [Some(0), Some(1), Some(2), None]);
    }

    #[test]
    fn characters_are_counted_by_word() {
        let words = Words::from_rows(vec![("▁é\u{10FFFF}aé".as_bytes(), 2)]).unwrap_or_default();
        let wanted = HashMap::from([('é', 4), ('▁', 2), ('\u{10FFFF}', 2), ('a', 2)]);
        assert_eq!(counted(&words).ok(), Some(wanted));
    }

    #[test]
    fn words_that_are_no_text_are_refused() {
        assert!(Words::from_rows([(&b"\xff"[..], 2)]).is_ok_and(|words| counted(&words).is_err()));
    }
}
