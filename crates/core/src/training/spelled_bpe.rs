//! BPE training over characters spelled by their position in a word: WordPiece's `##` within, or a suffix at the end.
//!
//! Ids are assigned to listed spellings, to the alphabet by code point, to spellings within words in the order of the
//! word table, and then to merge results. Of pairs with equal counts the one with the smallest ids goes first.

use std::collections::HashMap;

use serde::Deserialize;

use crate::training::alphabet::counted;
use crate::training::bpe::cells::Builder;
use crate::training::bpe::spellings::Spellings;
use crate::training::bpe::{merge, Floor};
use crate::training::words::Words;
use crate::training::Watch;
use crate::util::cast::u32_of;
use crate::util::error::Result;

/// Training options, under the names of tokenizers'.
#[derive(Debug, Clone, Deserialize)]
pub struct Options {
    /// The vocabulary size.
    pub vocab_size: usize,
    /// The smallest count of a pair that is merged.
    pub min_frequency: u64,
    /// Exclusive upper bound in characters of a merge result of more than two characters.
    pub max_token_length: Option<u32>,
    /// Special tokens: they have the first ids, and no merge makes them.
    pub special_tokens: Vec<String>,
    /// Characters that are in the alphabet though they may never occur.
    pub initial_alphabet: String,
    /// Maximum size of the alphabet. The rarest characters are removed from their words, so that their neighbours
    /// become adjacent.
    pub limit_alphabet: Option<usize>,
    /// Spellings whose ids follow the alphabet, in this order.
    pub listed: Vec<String>,
    /// The prefix of characters within a word.
    pub prefix: String,
    /// The suffix of the last character of a word.
    pub suffix: String,
}

/// The pieces by id.
pub fn train(words: &Words, options: &Options, watch: Watch<'_>) -> Result<Vec<String>> {
    let chars = alphabet(words, options)?.into_iter().map(String::from);
    let mut ids = Ids { options, list: Vec::new(), ids: HashMap::new(), known: HashMap::new() };
    for name in options.special_tokens.iter().cloned().chain(chars).chain(options.listed.iter().cloned()) {
        ids.add(name);
    }
    let mut cells = Builder::new(words.counts(), words.text().len() + words.len() + 1);
    for (word, count) in words.iter() {
        let text = std::str::from_utf8(word).unwrap_or_default();
        let last = text.chars().next_back().map_or(0, |char| text.len() - char.len_utf8());
        cells.word(text.char_indices().filter_map(|(at, char)| ids.symbol(char, at == 0, at == last)), count);
    }
    let mut rule = Spellings {
        taken: ids.list.iter().map(|name| name.clone().into_bytes()).collect(),
        list: ids.list.into_iter().map(String::into_bytes).collect(),
        distinct: true,
        prefix: &options.prefix,
        longest: options.max_token_length,
        most: options.vocab_size,
        first_seen: false,
    };
    merge(cells.done(rule.list.len())?, &mut rule, Floor { lowest: options.min_frequency, first: None }, watch)?;
    Ok(rule.list.into_iter().map(|name| String::from_utf8_lossy(&name).into_owned()).collect())
}

/// The characters of the words and the requested ones, by code point.
fn alphabet(words: &Words, options: &Options) -> Result<Vec<char>> {
    let mut counts = counted(words)?;
    counts.extend(options.initial_alphabet.chars().map(|char| (char, u64::MAX)));
    let mut rows: Vec<(char, u64)> = counts.into_iter().collect();
    rows.sort_unstable_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
    rows.truncate(options.limit_alphabet.unwrap_or(usize::MAX));
    let mut chars: Vec<char> = rows.into_iter().map(|row| row.0).collect();
    chars.sort_unstable();
    Ok(chars)
}

/// Spellings with their ids.
struct Ids<'o> {
    options: &'o Options,
    list: Vec<String>,
    ids: HashMap<String, u32>,
    /// The ids of characters, by whether they are first and last in a word.
    known: HashMap<(char, bool, bool), Option<u32>>,
}

impl Ids<'_> {
    fn add(&mut self, name: String) -> u32 {
        *self.ids.entry(name).or_insert_with_key(|name| {
            self.list.push(name.clone());
            u32_of(self.list.len()) - 1
        })
    }

    /// The id of a character by its place in a word; `None` for one outside the alphabet.
    fn symbol(&mut self, char: char, is_first: bool, is_last: bool) -> Option<u32> {
        if let Some(&known) = self.known.get(&(char, is_first, is_last)) {
            return known;
        }
        let bare = char.to_string();
        let prefix = if is_first { "" } else { &self.options.prefix };
        let suffix = if is_last { &self.options.suffix } else { "" };
        let id = self.ids.contains_key(&bare).then(|| self.add([prefix, &bare, suffix].concat()));
        self.known.insert((char, is_first, is_last), id);
        id
    }
}
