//! The alphabet of a vocabulary: the most frequent characters, until enough of the text is covered.

use std::collections::{HashMap, HashSet};

use crate::index::code_point_map::CodePointMap;
use crate::training::words::{text_of, Words};
use crate::util::cast::{f64_count, us};
use crate::util::error::{Error, Result};

/// Placeholder of SentencePiece's trainers for a character outside the alphabet; never a part of a piece.
const UNKNOWN: char = '\u{2585}';
/// Placeholder for a special piece that was cut out of the text: counted as a character, never a part of a piece.
pub const BOUNDARY: char = '\u{1F}';

/// Which characters are kept.
#[derive(Debug, Clone, Default)]
pub struct Choice<'c> {
    /// The fraction of all characters that must be covered, from 0 to 1.
    pub coverage: f64,
    /// Characters that are kept however rare they are, even those that never occur.
    pub required: &'c [char],
    /// Characters that are never kept: those that are special pieces by themselves.
    pub reserved: &'c [char],
    /// Whether all characters are kept, whatever the coverage.
    pub all: bool,
}

/// Characters with their counts, the most frequent ones first, equal counts in the order of code points.
///
/// Characters outside it are borders: no piece contains them.
#[derive(Debug, Clone, Default)]
pub struct Alphabet {
    chars: Vec<char>,
    counts: Vec<u64>,
    /// The index of each character in `chars`.
    places: CodePointMap,
    covered: u64,
    total: u64,
}

impl Alphabet {
    /// The alphabet of some words.
    pub fn of(words: &Words, choice: &Choice<'_>) -> Result<Self> {
        let mut counts = counted(words)?;
        counts.retain(|&character, _| countable(character));
        let total = counts.values().try_fold(0u64, |sum, &count| sum.checked_add(count)).ok_or_else(too_many)?;
        let required: HashSet<char> = choice.required.iter().copied().filter(|&c| countable(c)).collect();
        let absent = required.iter().filter(|c| !counts.contains_key(c)).map(|&c| (true, 0, c));
        let seen = counts.iter().map(|(&c, &count)| (required.contains(&c), count, c));
        let mut rows: Vec<(bool, u64, char)> = seen.chain(absent).collect();
        rows.sort_unstable_by(|a, b| (b.0, b.1, a.2).cmp(&(a.0, a.1, b.2)));
        let mut covered = 0;
        let mut kept = Vec::new();
        for (required, count, character) in rows {
            let enough = f64_count(covered) >= choice.coverage * f64_count(total);
            if enough && !required && !choice.all && choice.coverage < 1.0 {
                break;
            }
            covered += count;
            if character != BOUNDARY && !choice.reserved.contains(&character) {
                kept.push((character, count));
            }
        }
        kept.sort_unstable_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
        let mut places = CodePointMap::default();
        for (place, (character, _)) in (0..).zip(&kept) {
            places.set(u32::from(*character), place);
        }
        let (chars, counts) = kept.into_iter().unzip();
        Ok(Self { chars, counts, places, covered, total })
    }

    /// The characters, the most frequent ones first.
    pub fn chars(&self) -> &[char] {
        &self.chars
    }

    /// The count of each character.
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// The index of a character, or `None` for one outside.
    #[inline]
    pub fn place(&self, character: char) -> Option<u32> {
        self.places.get(u32::from(character))
    }

    /// The numbers of covered characters and of all characters of the text; special pieces that were cut out count in
    /// both.
    pub const fn covered(&self) -> (u64, u64) {
        (self.covered, self.total)
    }
}

fn countable(character: char) -> bool {
    !matches!(character, '\0' | ' ' | UNKNOWN)
}

/// The count of each character of some words.
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

    fn chars(rows: &[(&str, u64)], choice: &Choice<'_>) -> String {
        let rows = rows.iter().map(|(word, count)| (word.as_bytes(), *count));
        let words = Words::from_rows(rows).unwrap_or_default();
        Alphabet::of(&words, choice).map(|alphabet| alphabet.chars().iter().collect()).unwrap_or_default()
    }

    #[test]
    fn frequent_characters_come_first_until_enough_is_covered() {
        let rows = [("▁ab", 5), ("▁b\u{1F}c", 3), ("d\0 \u{2585}", 1)];
        let all = Choice { coverage: 1.0, ..Choice::default() };
        assert_eq!(chars(&rows, &all), "b▁acd");
        assert_eq!(chars(&rows, &Choice { coverage: 0.8, ..all.clone() }), "b▁a");
        assert_eq!(chars(&rows, &Choice { coverage: 0.5, required: &['z', 'd'], ..all.clone() }), "b▁dz");
        assert_eq!(chars(&rows, &Choice { reserved: &['a'], ..all.clone() }), "b▁cd");
        assert_eq!(chars(&rows, &Choice { coverage: 0.1, all: true, ..all }), "b▁acd");
    }

    #[test]
    fn places_are_those_of_the_list() {
        let words = Words::from_rows(vec![("▁é\u{10FFFF}é".as_bytes(), 2)]).unwrap_or_default();
        let alphabet = Alphabet::of(&words, &Choice { coverage: 1.0, ..Choice::default() }).unwrap_or_default();
        let places: Vec<_> = ['é', '▁', '\u{10FFFF}', 'e'].map(|c| alphabet.place(c)).into();
        assert_eq!(places, [Some(0), Some(1), Some(2), None]);
        assert_eq!(alphabet.covered(), (8, 8));
    }

    #[test]
    fn words_that_are_no_text_are_refused() {
        let words = Words::from_rows([(&b"\xff"[..], 2)]).unwrap_or_default();
        assert!(Alphabet::of(&words, &Choice::default()).is_err());
    }
}
