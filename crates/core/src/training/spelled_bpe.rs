//! BPE training over characters spelled by their position in a word: WordPiece's `##` within, or a suffix at the end.
//!
//! Ids are assigned to listed spellings, to the alphabet by code point, to spellings within words in the order of the
//! word table, and then to merge results. Of pairs with equal counts the one with the smallest ids goes first.

use std::collections::HashMap;

use serde::Deserialize;

use crate::training::bpe::cells::Builder;
use crate::training::bpe::{is_short, merge, Floor, Rule};
use crate::training::words::{text_of, Words};
use crate::training::Watch;
use crate::util::cast::{u32_of, us};
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
    let mut rule = Spelled::new(options);
    for name in &options.special_tokens {
        rule.add(name);
    }
    for char in alphabet(words, options)? {
        rule.add(char.encode_utf8(&mut [0; 4]));
    }
    for name in &options.listed {
        rule.add(name);
    }
    let mut cells = Builder::new(words.counts(), words.text().len() + words.len() + 1);
    for (word, count) in words.iter() {
        let text = std::str::from_utf8(word).unwrap_or_default();
        let last = text.chars().next_back().map_or(0, |char| text.len() - char.len_utf8());
        cells.word(text.char_indices().filter_map(|(at, char)| rule.symbol(char, at == 0, at == last)), count);
    }
    rule.sizes = vec![1; rule.list.len()];
    merge(cells.done(rule.list.len())?, &mut rule, Floor { lowest: options.min_frequency, first: None }, watch)?;
    Ok(rule.list)
}

/// The characters of the words and the requested ones, by code point.
fn alphabet(words: &Words, options: &Options) -> Result<Vec<char>> {
    let mut counts: HashMap<char, u64> = HashMap::new();
    for (word, count) in words.iter() {
        for char in text_of(word)?.chars() {
            let sum = counts.entry(char).or_insert(0);
            *sum = sum.saturating_add(count);
        }
    }
    counts.extend(options.initial_alphabet.chars().map(|char| (char, u64::MAX)));
    let mut rows: Vec<(char, u64)> = counts.into_iter().collect();
    rows.sort_unstable_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
    rows.truncate(options.limit_alphabet.unwrap_or(usize::MAX));
    let mut chars: Vec<char> = rows.into_iter().map(|row| row.0).collect();
    chars.sort_unstable();
    Ok(chars)
}

/// Spellings with their ids.
struct Spelled<'o> {
    options: &'o Options,
    list: Vec<String>,
    ids: HashMap<String, u32>,
    /// The ids of characters, by whether they are first and last in a word.
    known: HashMap<(char, bool, bool), Option<u32>>,
    /// The number of characters of each.
    sizes: Vec<u32>,
}

impl<'o> Spelled<'o> {
    fn new(options: &'o Options) -> Self {
        Self { options, list: Vec::new(), ids: HashMap::new(), known: HashMap::new(), sizes: Vec::new() }
    }

    fn add(&mut self, name: &str) -> u32 {
        if let Some(&id) = self.ids.get(name) {
            return id;
        }
        let id = u32_of(self.list.len());
        self.list.push(name.to_owned());
        self.ids.insert(name.to_owned(), id);
        id
    }

    /// The id of a character by its place in a word; `None` for one outside the alphabet.
    fn symbol(&mut self, char: char, is_first: bool, is_last: bool) -> Option<u32> {
        if let Some(&known) = self.known.get(&(char, is_first, is_last)) {
            return known;
        }
        let bare = char.to_string();
        let prefix = if is_first { "" } else { &self.options.prefix };
        let suffix = if is_last { &self.options.suffix } else { "" };
        let id = self.ids.contains_key(&bare).then(|| self.add(&[prefix, &bare, suffix].concat()));
        self.known.insert((char, is_first, is_last), id);
        id
    }
}

impl Rule for Spelled<'_> {
    #[inline]
    fn allows(&mut self, left: u32, right: u32) -> bool {
        is_short(&self.sizes, left, right, self.options.max_token_length)
    }

    fn join(&mut self, left: u32, right: u32) -> bool {
        let (left_name, right_name) = (&self.list[us(left)], &self.list[us(right)]);
        let rest = right_name.strip_prefix(&self.options.prefix).unwrap_or(right_name);
        let name = [left_name, rest].concat();
        if self.ids.contains_key(&name) {
            return false;
        }
        self.add(&name);
        self.sizes.push(self.sizes[us(left)] + self.sizes[us(right)]);
        true
    }

    fn wanted(&self) -> usize {
        self.options.vocab_size.saturating_sub(self.list.len())
    }
}
