//! Byte-level BPE training: words are bytes, the result is a merge list.

use std::collections::HashSet;

use serde::Deserialize;

use crate::training::bpe::cells::Builder;
use crate::training::bpe::{is_short, merge, Floor, Merge, Rule};
use crate::training::words::Words;
use crate::training::Watch;
use crate::util::cast::us;
use crate::util::error::Result;

/// Training options.
#[derive(Debug, Clone, Deserialize)]
pub struct Options {
    /// The symbol of each byte; of pairs with equal counts the one with the smallest symbols is merged first. `None`
    /// removes a byte from its words.
    pub symbols: Vec<Option<u32>>,
    /// The number of merges.
    pub merges: usize,
    /// The smallest count of a pair that is merged.
    pub min_frequency: u64,
    /// Exclusive upper bound in bytes of a merge result of more than two bytes.
    pub max_length: Option<u32>,
    /// Spellings that no merge makes: those of special tokens.
    pub reserved: HashSet<String>,
    /// See [`Floor::first`].
    #[serde(default)]
    pub first_floor: Option<u64>,
    /// Of pairs with equal counts the one that occurs first in the corpus is merged first, whatever its symbols.
    #[serde(default)]
    pub first_seen: bool,
}

/// The merges. Symbols below 256 are those of `options.symbols`, the others are numbered as they are made.
pub fn train(words: &Words, options: &Options, watch: Watch<'_>) -> Result<Vec<Merge>> {
    let mut cells = Builder::new(words.counts(), words.text().len() + words.len() + 1);
    for (word, count) in words.walk(options.first_seen)? {
        cells.word(word.iter().filter_map(|&byte| options.symbols.get(usize::from(byte)).copied().flatten()), count);
    }
    let mut rule = Bytes::new(options);
    let floor = Floor { lowest: options.min_frequency, first: options.first_floor };
    merge(cells.done(256)?, &mut rule, floor, watch)
}

struct Bytes<'o> {
    options: &'o Options,
    sizes: Vec<u32>,
    /// Only filled if there is a spelling to avoid.
    spellings: Vec<Vec<u8>>,
}

impl<'o> Bytes<'o> {
    fn new(options: &'o Options) -> Self {
        let mut spellings = Vec::new();
        if !options.reserved.is_empty() {
            spellings = vec![Vec::new(); 256];
            for (byte, symbol) in (0u8..=255).zip(&options.symbols) {
                if let Some(spelling) = symbol.and_then(|symbol| spellings.get_mut(us(symbol))) {
                    spelling.push(byte);
                }
            }
        }
        Self { options, sizes: vec![1; 256], spellings }
    }
}

impl Rule for Bytes<'_> {
    fn is_first_seen(&self) -> bool {
        self.options.first_seen
    }

    #[inline]
    fn allows(&mut self, left: u32, right: u32) -> bool {
        is_short(&self.sizes, left, right, self.options.max_length)
    }

    fn join(&mut self, left: u32, right: u32) -> bool {
        if !self.options.reserved.is_empty() {
            let joined = [&self.spellings[us(left)][..], &self.spellings[us(right)]].concat();
            if std::str::from_utf8(&joined).is_ok_and(|joined| self.options.reserved.contains(joined)) {
                return false;
            }
            self.spellings.push(joined);
        }
        self.sizes.push(self.sizes[us(left)] + self.sizes[us(right)]);
        true
    }

    fn wanted(&self) -> usize {
        self.options.merges.saturating_sub(self.sizes.len() - 256)
    }
}
