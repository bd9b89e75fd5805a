//! Finds the texts of added tokens in a text.

use crate::index::double_array::Trie;
use crate::util::simd::{equal, BLOCK};
use crate::util::{us, Pace, Result};

/// Finds the keys of a trie in a text.
#[derive(Default)]
pub(crate) struct Finder {
    trie: Trie,
    /// For each byte whether some key begins with it.
    first: Vec<bool>,
    /// The first bytes as a list, if there are at most [`MAX_BLOCK_BYTES`]: then texts are searched by SIMD blocks.
    first_bytes: Vec<u8>,
}

/// Maximum number of first bytes that are searched by blocks.
const MAX_BLOCK_BYTES: usize = 4;

impl Finder {
    pub(crate) fn build(mut keys: Vec<(Vec<u8>, u32)>) -> Result<Self> {
        if keys.is_empty() {
            return Ok(Self::default());
        }
        keys.sort_unstable();
        let mut first = vec![false; 256];
        for (key, _) in &keys {
            first[usize::from(key[0])] = true;
        }
        let mut first_bytes: Vec<u8> = (0..=u8::MAX).filter(|&byte| first[usize::from(byte)]).collect();
        if first_bytes.len() > MAX_BLOCK_BYTES {
            first_bytes.clear();
        }
        let keys: Vec<(&[u8], u32)> = keys.iter().map(|(key, value)| (key.as_slice(), *value)).collect();
        Ok(Self { trie: Trie::build(&keys)?, first, first_bytes })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.trie.is_empty()
    }

    /// The next position from `at` on where a key may begin.
    pub(crate) fn candidate(&self, text: &[u8], mut at: usize) -> Option<usize> {
        if self.is_empty() {
            return None;
        }
        while let (Some(block), false) = (text[at..].first_chunk(), self.first_bytes.is_empty()) {
            let found = self.first_bytes.iter().fold(0, |found, &byte| found | equal(block, byte));
            if found != 0 {
                return Some(at + us(found.trailing_zeros()));
            }
            at += BLOCK;
        }
        let found = text[at..].iter().position(|&byte| self.first[usize::from(byte)])?;
        Some(at + found)
    }

    /// The leftmost match from `at` on, the longest of those there that are wanted: start, end, value.
    pub(crate) fn next(
        &self,
        text: &[u8],
        mut at: usize,
        wanted: impl Fn(usize, usize, usize) -> bool,
    ) -> Option<(usize, usize, usize)> {
        let mut pace = Pace::new();
        while let Some(start) = self.candidate(text, at) {
            pace.reach(start);
            if let Some((end, value)) = self.longest(text, start, text.len(), &wanted) {
                return Some((start, end, value));
            }
            at = start + 1;
        }
        None
    }

    /// The longest wanted match at `start` that does not extend beyond `end`: its end and value.
    pub(crate) fn longest(
        &self,
        text: &[u8],
        start: usize,
        end: usize,
        wanted: impl Fn(usize, usize, usize) -> bool,
    ) -> Option<(usize, usize)> {
        let trie = self.trie.view();
        let keys = trie.keys(trie.root(), &text[start..end]).map(|(length, value)| (start + length, us(value)));
        keys.filter(|&(end, value)| wanted(start, end, value)).last()
    }

    /// The end of the longest match at `start`; `None` if the text ends before that is determined.
    pub(crate) fn reach(&self, text: &[u8], start: usize) -> Option<usize> {
        let (mut read, mut end, trie) = (start, start, self.trie.view());
        for (length, node) in trie.nodes(trie.root(), &text[start..]) {
            read = start + length;
            end = if node.value().is_some() { read } else { end };
        }
        (read < text.len()).then_some(end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn candidates_are_the_bytes_that_keys_begin_with() {
        let keys = ["<a>", "<b>", "[c]", "日", "éa", "Z"];
        for count in 0..=keys.len() {
            let some: Vec<(Vec<u8>, u32)> = keys[..count].iter().map(|key| key.as_bytes().to_vec()).zip(0..).collect();
            let finder = Finder::build(some).unwrap_or_default();
            if finder.is_empty() {
                continue;
            }
            assert_eq!(finder.first_bytes.is_empty(), count > 5, "{count}");
            for place in [0, 5, 63, 64, 65, 127, 130] {
                for key in keys {
                    let text = "x".repeat(place) + key + &"y".repeat(70);
                    let plain = |at: usize| {
                        text.as_bytes()[at..]
                            .iter()
                            .position(|&byte| finder.first[usize::from(byte)])
                            .map(|found| at + found)
                    };
                    for at in [0, 1, place, place + 1, text.len()] {
                        assert_eq!(finder.candidate(text.as_bytes(), at), plain(at));
                    }
                }
            }
        }
    }
}
