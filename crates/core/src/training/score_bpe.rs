//! BPE over characters with ranks as scores, as SentencePiece trains it.
//!
//! Of pairs with equal counts the one with the fewest characters goes first, then the one that comes first in the order
//! of code points; or the one that is seen first in the corpus. A pair whose string cannot be a piece is never merged,
//! nor one whose string is already a piece.

use serde::Deserialize;

use crate::training::alphabet::Alphabet;
use crate::training::bpe::cells::Cells;
use crate::training::bpe::spellings::Spellings;
use crate::training::bpe::{merge, Floor, Rule};
use crate::training::shape::{classes, Class, Shape};
use crate::training::words::Words;
use crate::training::Watch;
use crate::util::{u64_of, us, Result};

/// Training options.
#[derive(Debug, Clone, Deserialize)]
pub struct Options {
    /// The characters that pieces are made of. The words must be text.
    pub alphabet: Alphabet,
    /// Which strings may be pieces.
    pub shape: Shape,
    /// The number of merges.
    pub merges: usize,
    /// Spellings that no merge makes.
    pub reserved: Vec<String>,
    /// Of pairs with equal counts the one that is seen first in the corpus is merged first.
    pub first_seen: bool,
}

/// The pieces in order of merging.
pub fn train(words: &Words, options: &Options, watch: Watch<'_>) -> Result<Vec<Vec<u8>>> {
    let mut cells = Cells::new(words.counts(), words.text().len() + words.len() + 1);
    for (word, count) in words.walk(options.first_seen)? {
        // Characters outside the alphabet divide a word.
        let text = std::str::from_utf8(word).unwrap_or_default();
        let places: Vec<_> = text.chars().map(|char| options.alphabet.place(char)).collect();
        for part in places.split(Option::is_none).filter(|part| part.len() > 1) {
            cells.word(part.iter().copied().flatten(), count);
        }
    }
    let chars = options.alphabet.chars();
    let list: Vec<Vec<u8>> = chars.iter().map(|char| char.to_string().into_bytes()).collect();
    let spellings = Spellings {
        most: list.len().saturating_add(options.merges),
        list,
        taken: options.reserved.iter().map(|name| name.clone().into_bytes()).collect(),
        distinct: true,
        first_seen: options.first_seen,
        ..Spellings::default()
    };
    let classes = classes(chars).into_iter().map(|class| vec![class]).collect();
    let mut rule = Pieces { shape: &options.shape, classes, spellings };
    merge(cells.done(chars.len())?, &mut rule, Floor { lowest: 1, first: None }, watch)?;
    Ok(rule.spellings.list.split_off(chars.len()))
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
