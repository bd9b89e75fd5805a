//! Byte-level BPE training: words are bytes, the result is a merge list.

use serde::Deserialize;

use crate::training::bpe::cells::Builder;
use crate::training::bpe::spellings::Spellings;
use crate::training::bpe::{merge, Floor, Merge};
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
    pub reserved: Vec<String>,
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
    let mut list = vec![Vec::new(); 256];
    for (byte, symbol) in (0u8..=255).zip(&options.symbols) {
        if let Some(spelling) = symbol.and_then(|symbol| list.get_mut(us(symbol))) {
            spelling.push(byte);
        }
    }
    let mut rule = Spellings {
        list,
        taken: options.reserved.iter().map(|name| name.clone().into_bytes()).collect(),
        longest: options.max_length,
        most: options.merges.saturating_add(256),
        first_seen: options.first_seen,
        ..Spellings::default()
    };
    let floor = Floor { lowest: options.min_frequency, first: options.first_floor };
    merge(cells.done(256)?, &mut rule, floor, watch)
}
