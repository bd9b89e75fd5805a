//! Truncation by counting the tokens of one prefix after another, where a step, a rule or what stands around an added token
//! lets one place of a text decide about another.

use super::{CharacterEnds, SLACK};
use crate::cast::us;
use crate::error::Result;
use crate::normalize::Normalized;
use crate::scratch::Scratch;
use crate::segment::Algorithm;
use crate::specials::Permit;
use crate::tokenizer::Tokenizer;

impl Tokenizer {
    /// Length in bytes of the longest prefix, ending at a character, whose own encoding has at most `n` ids.
    ///
    /// The tokens of a prefix, all but those at its end, are the tokens of a shorter prefix that ends with them. So prefixes
    /// that fit are no farther apart than a token is long, and the search goes upwards from the end of the first `n` tokens
    /// of the whole text until none was found for that long.
    pub(super) fn truncate_by_counting(&self, text: &[u8], n: usize, scratch: &mut Scratch) -> Result<usize> {
        let mut reach = 0;
        let tokens = self.spans_by(text, Permit::Text, scratch, |_, scratch| {
            reach = reach.max(self.longest_raw_match(&scratch.normalized));
            self.fragment_tokens(scratch)
        })?;
        let Some((over, _)) = tokens.get(n) else { return Ok(text.len()) };
        let margin = 2 * reach + self.specials.longest() + SLACK;
        let near = n.checked_sub(1).map_or(0, |last| tokens[last].0.span.1);
        let ends = CharacterEnds::of(text);
        let least = over.span.1 + self.rest_of_word(&text[over.span.1..]);
        let (mut found, mut end) = (None, ends.at_or_before(near));
        while end <= found.unwrap_or(near).max(least) + margin {
            if self.count(&text[..end], Permit::Text, n, scratch)? <= n {
                found = Some(end);
            }
            let Some(next) = ends.after(end) else { break };
            end = next;
        }
        if let Some(found) = found {
            return Ok(found);
        }
        // The steps make other tokens of the beginning than of the whole text.
        let mut end = ends.at_or_before(near);
        while end > 0 && self.count(&text[..end], Permit::Text, n, scratch)? > n {
            end = ends.at_or_before(end - 1);
        }
        Ok(end)
    }

    /// Bytes at the beginning of `rest` that may belong to the word before it, where a word that is not made of pieces is one
    /// unknown token: then a prefix that ends anywhere in the word may have fewer tokens than a shorter one.
    fn rest_of_word(&self, rest: &[u8]) -> usize {
        if !matches!(self.segmenter.algorithm, Algorithm::Wordpiece(_)) {
            return 0;
        }
        let end = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        self.spec.config.max_word_chars.map_or(end, |most| end.min(4 * us(most)))
    }

    /// The most bytes of the original text that one piece found anywhere in its normalized form stands for.
    fn longest_raw_match(&self, normalized: &Normalized) -> usize {
        let text = normalized.inner();
        let Some(trie) = self.matched().filter(|_| self.never_fuses(text)) else { return self.longest_piece() };
        let length = |at: usize| trie.longest_prefix(&text[at..], usize::MAX).map_or(1, |(length, _)| length);
        let spans = (0..text.len()).map(|at| normalized.span(at, at + length(at)));
        spans.map(|(start, end)| end.saturating_sub(start)).max().unwrap_or(0)
    }
}
