//! BPE over characters with ranks as scores, as SentencePiece trains it.
//!
//! Of pairs with equal counts the one with the fewest characters goes first, then the one that comes first in the order
//! of code points; or the one that is seen first in the corpus. A pair whose string cannot be a piece is never merged,
//! nor one whose string is already a piece.

use std::cmp::Ordering;
use std::collections::HashSet;

use serde::Deserialize;

use crate::training::alphabet::{Alphabet, Choice};
use crate::training::bpe::cells::Builder;
use crate::training::bpe::{merge, Floor, Rule};
use crate::training::shape::{classes, Class, Shape};
use crate::training::words::Words;
use crate::training::Watch;
use crate::util::cast::{u32_of, u64_of, us};
use crate::util::error::{Error, Result};

/// Training options, under the names of SentencePiece's.
#[derive(Debug, Clone, Deserialize)]
pub struct Options {
    /// The fraction of all characters that the alphabet covers.
    pub character_coverage: f64,
    /// Characters that are in the alphabet however rare they are.
    pub required_chars: String,
    /// Which strings may be pieces.
    pub shape: Shape,
    /// The vocabulary size, including untrained pieces.
    pub vocab_size: usize,
    /// The number of untrained pieces.
    pub meta_size: usize,
    /// The spellings of the untrained pieces, which no trained piece has.
    pub reserved: Vec<String>,
    /// For char and word: every character or word, whatever the coverage and the size.
    #[serde(default)]
    pub use_all_vocab: bool,
    /// Of pairs with equal counts the one that is seen first in the corpus is merged first.
    #[serde(default)]
    pub first_seen: bool,
}

impl Options {
    /// The alphabet by these options.
    pub fn alphabet(&self, words: &Words) -> Result<Alphabet> {
        let required: Vec<char> = self.required_chars.chars().collect();
        let single = |name: &String| {
            let mut chars = name.chars();
            chars.next().filter(|_| chars.next().is_none())
        };
        let reserved: Vec<char> = self.reserved.iter().filter_map(single).collect();
        let choice = Choice {
            coverage: self.character_coverage,
            required: &required,
            reserved: &reserved,
            all: self.use_all_vocab,
        };
        Alphabet::of(words, &choice)
    }

    /// The alphabet, and the number of pieces besides its characters and the untrained ones; refuses a vocabulary that
    /// is too small for these.
    pub fn fitting_alphabet(&self, words: &Words) -> Result<(Alphabet, usize)> {
        let alphabet = self.alphabet(words)?;
        let least = alphabet.chars().len() + self.meta_size;
        let Some(others) = self.vocab_size.checked_sub(least) else {
            let message = format!(
                "vocab_size is {}, and the characters of the text and the meta pieces alone need {least}; set it to \
                 {least} or more, or lower character_coverage",
                self.vocab_size
            );
            let error = Error::new("train-vocab-size", message);
            return Err(error.with("vocab_size", self.vocab_size).with("nearest", least));
        };
        Ok((alphabet, others))
    }
}

/// The pieces in order of merging, then the characters, the most frequent first.
pub fn train(words: &Words, options: &Options, watch: Watch<'_>) -> Result<Vec<String>> {
    let (alphabet, wanted) = options.fitting_alphabet(words)?;
    let mut cells = Builder::new(words.counts(), words.text().len() + words.len() + 1);
    for (word, count) in words.walk(options.first_seen)? {
        // Characters outside the alphabet divide a word. The alphabet has validated that words are UTF-8.
        let places: Vec<_> =
            std::str::from_utf8(word).unwrap_or_default().chars().map(|char| alphabet.place(char)).collect();
        for part in places.split(Option::is_none).filter(|part| part.len() > 1) {
            cells.word(part.iter().copied().flatten(), count);
        }
    }
    let mut rule = Pieces::new(&alphabet, options, wanted);
    merge(cells.done(alphabet.chars().len())?, &mut rule, Floor { lowest: 1, first: None }, watch)?;
    let chars = rule.spellings.drain(..alphabet.chars().len()).collect::<Vec<_>>();
    Ok(rule.spellings.into_iter().chain(chars).collect())
}

struct Pieces<'o> {
    shape: &'o Shape,
    first_seen: bool,
    classes: Vec<Class>,
    /// The characters of each symbol by their indices in the alphabet, and its spelling.
    places: Vec<Vec<u32>>,
    spellings: Vec<String>,
    made: HashSet<String>,
    wanted: usize,
}

impl<'o> Pieces<'o> {
    fn new(alphabet: &Alphabet, options: &'o Options, wanted: usize) -> Self {
        Self {
            shape: &options.shape,
            first_seen: options.first_seen,
            classes: classes(alphabet.chars()),
            places: (0..u32_of(alphabet.chars().len())).map(|place| vec![place]).collect(),
            spellings: alphabet.chars().iter().map(char::to_string).collect(),
            made: options.reserved.iter().cloned().collect(),
            wanted,
        }
    }

    fn bytes(&self, left: u32, right: u32) -> impl Iterator<Item = u8> + '_ {
        self.spellings[us(left)].bytes().chain(self.spellings[us(right)].bytes())
    }
}

/// Bytes of the spelling that are in a key, below the number of characters.
const IN_KEY: usize = 6;

impl Rule for Pieces<'_> {
    fn is_first_seen(&self) -> bool {
        self.first_seen
    }

    fn key(&self, left: u32, right: u32) -> u64 {
        let length = u64_of(self.places[us(left)].len() + self.places[us(right)].len());
        let bytes = self.bytes(left, right).chain(std::iter::repeat(0));
        bytes.take(IN_KEY).fold(length, |key, byte| key << 8 | u64::from(byte))
    }

    fn tie(&self, one: (u32, u32), other: (u32, u32)) -> Ordering {
        self.bytes(one.0, one.1).cmp(self.bytes(other.0, other.1)).then(one.cmp(&other))
    }

    fn allows(&mut self, left: u32, right: u32) -> bool {
        let (left, right) = (&self.places[us(left)], &self.places[us(right)]);
        let place = |at: usize| left.get(at).copied().unwrap_or_else(|| right[at - left.len()]);
        self.shape.allows_classes(left.len() + right.len(), |at| self.classes[us(place(at))])
    }

    fn join(&mut self, left: u32, right: u32) -> bool {
        let spelling = [&self.spellings[us(left)][..], &self.spellings[us(right)]].concat();
        if !self.made.insert(spelling.clone()) {
            return false;
        }
        self.spellings.push(spelling);
        self.places.push([&self.places[us(left)][..], &self.places[us(right)]].concat());
        self.wanted -= 1;
        true
    }

    fn wanted(&self) -> usize {
        self.wanted
    }
}
