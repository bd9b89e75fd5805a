//! BPE training over characters spelled by their position in a word: those within one with a prefix, as WordPiece's `##`.
//!
//! Ids are assigned to listed spellings, to spellings within words in the order of the word table, and then to merge
//! results. Of pairs with equal counts the one with the smallest ids goes first.

use std::collections::{HashMap, HashSet};

use serde::Deserialize;

use crate::training::bpe::cells::Cells;
use crate::training::bpe::spellings::Spellings;
use crate::training::bpe::{merge, Floor};
use crate::training::words::Words;
use crate::training::Watch;
use crate::util::{u32_of, Result};

/// Training options.
#[derive(Debug, Clone, Deserialize)]
pub struct Options {
    /// The vocabulary size.
    pub vocab_size: usize,
    /// The smallest count of a pair that is merged.
    pub min_frequency: u64,
    /// Exclusive upper bound in characters of a merge result of more than two characters.
    pub max_token_length: Option<u32>,
    /// Spellings that have the first ids, and that no merge makes. Characters that are not among them are removed from
    /// their words, so that their neighbours become adjacent.
    pub listed: Vec<String>,
    /// The prefix of characters within a word.
    pub prefix: String,
}

/// The pieces by id.
pub fn train(words: &Words, options: &Options, watch: Watch<'_>) -> Result<Vec<Vec<u8>>> {
    let (mut list, mut ids) = (Vec::new(), HashMap::new());
    let mut id_of = |name: String| {
        *ids.entry(name).or_insert_with_key(|name: &String| {
            list.push(name.clone().into_bytes());
            u32_of(list.len()) - 1
        })
    };
    for name in options.listed.iter().cloned() {
        id_of(name);
    }
    let letters: HashSet<&str> = options.listed.iter().map(String::as_str).collect();
    // The ids of characters, by whether they begin a word.
    let mut known: HashMap<(char, bool), Option<u32>> = HashMap::new();
    let mut symbol = |char: char, is_first: bool| {
        *known.entry((char, is_first)).or_insert_with(|| {
            let bare = char.to_string();
            let prefix = if is_first { "" } else { &options.prefix };
            letters.contains(&bare[..]).then(|| id_of([prefix, &bare].concat()))
        })
    };
    let mut cells = Cells::new(words.counts(), words.text().len() + words.len() + 1);
    for (word, count) in words.iter() {
        let text = std::str::from_utf8(word).unwrap_or_default();
        cells.word(text.char_indices().filter_map(|(at, char)| symbol(char, at == 0)), count);
    }
    let mut rule = Spellings {
        taken: list.iter().cloned().collect(),
        list,
        distinct: true,
        prefix: &options.prefix,
        longest: options.max_token_length,
        most: options.vocab_size,
        first_seen: false,
    };
    merge(cells.done(rule.list.len())?, &mut rule, Floor { lowest: options.min_frequency, first: None }, watch)?;
    Ok(rule.list)
}
