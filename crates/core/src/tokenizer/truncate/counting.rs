//! Truncation by counting the tokens of successive prefixes, where a step, a rule or the text around an added token
//! lets one position of a text affect another.

use crate::normalize::Normalized;
use crate::segment::Algorithm;
use crate::specials::Permit;
use crate::tokenizer::scratch::Scratch;
use crate::tokenizer::truncate::{CharacterEnds, SLACK};
use crate::tokenizer::Tokenizer;
use crate::util::{us, Result};

/// Assumed upper bound of a token's length in the original text, as a multiple of the longest piece in bytes.
const FAR: usize = 2;

impl Tokenizer {
    /// Length in bytes of the longest prefix, ending at a character, whose own encoding has at most `n` ids.
    ///
    /// The tokens of a prefix, except those at its end, are the tokens of a shorter prefix that ends with them. So
    /// prefixes that fit are no farther apart than the length of a token. Bisection from the end of the first `n`
    /// tokens of the whole text finds one of them, and the search goes upwards from it until none was found for that
    /// distance.
    pub(crate) fn truncate_by_counting(&self, text: &[u8], n: usize, scratch: &mut Scratch) -> Result<usize> {
        let mut reach = 0;
        let tokens = self.spans_by(text, Permit::Text, scratch, |_, scratch| {
            reach = reach.max(self.longest_raw_match(&scratch.normalized));
            self.fragment_tokens(scratch)
        })?;
        let Some((over, _)) = tokens.get(n) else { return Ok(text.len()) };
        // Reordered marks have the origin of their whole run, however long it is.
        let reach = reach.min(FAR * (self.spec.vocab.longest() + SLACK));
        let margin = 2 * reach + self.specials.longest + SLACK;
        let ends = CharacterEnds::of(text);
        let mut fits = |end: usize| Ok(self.count(&text[..end], Permit::Text, n, scratch)? <= n);
        let near = ends.at_or_before(n.checked_sub(1).map_or(0, |last| tokens[last].0.span.1));
        let mut found = bisected(near, margin, &ends, &mut fits)?;
        let least = over.span.1.min(found + margin) + self.rest_of_word(&text[over.span.1..]);
        let mut end = found;
        while let Some(next) = ends.after(end).filter(|&next| next <= found.max(least) + margin) {
            end = next;
            if fits(end)? {
                found = end;
            }
        }
        Ok(found)
    }

    /// Length of the prefix of `rest` that may belong to the word before it, where a word that is not made of pieces is
    /// one unknown token: then a prefix that ends anywhere in the word may have fewer tokens than a shorter one.
    fn rest_of_word(&self, rest: &[u8]) -> usize {
        if !matches!(self.units.segmenter.algorithm, Algorithm::Wordpiece(_)) {
            return 0;
        }
        let end = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        self.spec.config.max_word_chars.map_or(end, |most| end.min(4 * us(most)))
    }

    /// The maximum length in the original text of a piece that matches anywhere in its normalized form, in bytes.
    fn longest_raw_match(&self, normalized: &Normalized) -> usize {
        let text = normalized.inner();
        let Some(trie) = self.matched().filter(|_| self.never_fuses(text)) else { return self.spec.vocab.longest() };
        let length = |at: usize| trie.longest_prefix(&text[at..], usize::MAX).map_or(1, |(length, _)| length);
        let spans = (0..text.len()).map(|at| normalized.span(at, at + length(at)));
        spans.map(|(start, end)| end.saturating_sub(start)).max().unwrap_or(0)
    }
}

/// The end of a prefix that fits where the next longer one does not, or of the whole text. The search begins at `near`.
fn bisected(
    near: usize,
    step: usize,
    ends: &CharacterEnds,
    fits: &mut impl FnMut(usize) -> Result<bool>,
) -> Result<usize> {
    let (mut low, mut high, mut step) = (0, near, step);
    while fits(high)? {
        if ends.after(high).is_none() {
            return Ok(high);
        }
        low = high;
        high = ends.at_or_before(high + step);
        step *= 2;
    }
    while let Some(next) = ends.after(low).filter(|&next| next < high) {
        let middle = ends.at_or_before(low.midpoint(high)).max(next);
        if fits(middle)? {
            low = middle;
        } else {
            high = middle;
        }
    }
    Ok(low)
}
