//! Symbols by their spellings: the rule of the kinds whose merges depend on counts and the age of symbols alone.

use std::collections::HashSet;

use crate::training::bpe::Rule;
use crate::util::us;

/// The symbols so far, and which others may be made.
#[derive(Default)]
pub struct Spellings<'o> {
    /// The spelling of each symbol.
    pub list: Vec<Vec<u8>>,
    /// Spellings that no merge makes.
    pub taken: HashSet<Vec<u8>>,
    /// Whether no two merges make the same spelling.
    pub distinct: bool,
    /// What a right symbol may begin with, and a result leaves out.
    pub prefix: &'o str,
    /// Exclusive upper bound in cells of a result of more than two cells.
    pub longest: Option<u32>,
    /// The wanted number of symbols.
    pub most: usize,
    /// See [`Rule::is_first_seen`].
    pub first_seen: bool,
}

impl Rule for Spellings<'_> {
    type Rest = ();

    fn is_first_seen(&self) -> bool {
        self.first_seen
    }

    fn allows(&mut self, _: u32, _: u32, size: u32) -> bool {
        size == 2 || self.longest.is_none_or(|longest| size < longest)
    }

    fn join(&mut self, left: u32, right: u32) -> bool {
        let (left, right) = (&self.list[us(left)][..], &self.list[us(right)][..]);
        let made = [left, right.strip_prefix(self.prefix.as_bytes()).unwrap_or(right)].concat();
        if self.taken.contains(&made) {
            return false;
        }
        if self.distinct {
            self.taken.insert(made.clone());
        }
        self.list.push(made);
        true
    }

    fn wanted(&self) -> usize {
        self.most.saturating_sub(self.list.len())
    }
}
