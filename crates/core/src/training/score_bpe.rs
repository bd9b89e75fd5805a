//! BPE over characters with ranks as scores, as SentencePiece trains it.
//!
//! Of pairs with equal counts the one with the fewest characters goes first, then the one that comes first in the order
//! of code points; or the one that is seen first in the corpus. A pair whose string cannot be a piece is never merged,
//! nor one whose string is already a piece.

use serde::Deserialize;

use crate::training::alphabet::{Alphabet, Choice};
use crate::training::bpe::cells::Builder;
use crate::training::bpe::spellings::Spellings;
use crate::training::bpe::{merge, Floor, Rule};
use crate::training::shape::{classes, Class, Shape};
use crate::training::words::Words;
use crate::training::Watch;
use crate::util::cast::{u64_of, us};
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
pub fn train(words: &Words, options: &Options, watch: Watch<'_>) -> Result<Vec<Vec<u8>>> {
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
    let chars = alphabet.chars();
    let list: Vec<Vec<u8>> = chars.iter().map(|char| char.to_string().into_bytes()).collect();
    let spellings = Spellings {
        most: list.len() + wanted,
        list,
        taken: options.reserved.iter().map(|name| name.clone().into_bytes()).collect(),
        distinct: true,
        first_seen: options.first_seen,
        ..Spellings::default()
    };
    let classes = classes(chars).into_iter().map(|class| vec![class]).collect();
    let mut rule = Pieces { shape: &options.shape, classes, spellings };
    merge(cells.done(chars.len())?, &mut rule, Floor { lowest: 1, first: None }, watch)?;
    let mut list = rule.spellings.list;
    list.rotate_left(chars.len());
    Ok(list)
}

struct Pieces<'o> {
    shape: &'o Shape,
    /// The classes of each symbol's characters.
    classes: Vec<Vec<Class>>,
    spellings: Spellings<'o>,
}

impl Pieces<'_> {
    fn bytes(&self, left: u32, right: u32) -> impl Iterator<Item = u8> + '_ {
        self.spellings.list[us(left)].iter().chain(&self.spellings.list[us(right)]).copied()
    }
}

/// Bytes of the spelling that are in a key, below the number of characters.
const IN_KEY: usize = 6;

impl Rule for Pieces<'_> {
    type Rest = (Vec<u8>, u32, u32);

    fn is_first_seen(&self) -> bool {
        self.spellings.first_seen
    }

    fn key(&self, left: u32, right: u32) -> u64 {
        let length = u64_of(self.classes[us(left)].len() + self.classes[us(right)].len());
        let bytes = self.bytes(left, right).chain(std::iter::repeat(0));
        bytes.take(IN_KEY).fold(length, |key, byte| key << 8 | u64::from(byte))
    }

    fn rest(&self, left: u32, right: u32) -> Self::Rest {
        (self.bytes(left, right).skip(IN_KEY).collect(), left, right)
    }

    fn allows(&mut self, left: u32, right: u32, size: u32) -> bool {
        let (left, right) = (&self.classes[us(left)], &self.classes[us(right)]);
        self.shape.allows_classes(us(size), |at| left.get(at).copied().unwrap_or_else(|| right[at - left.len()]))
    }

    fn join(&mut self, left: u32, right: u32) -> bool {
        let is_new = self.spellings.join(left, right);
        if is_new {
            self.classes.push([&self.classes[us(left)][..], &self.classes[us(right)]].concat());
        }
        is_new
    }

    fn wanted(&self) -> usize {
        self.spellings.wanted()
    }
}
