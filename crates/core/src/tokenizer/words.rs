//! Tokens with the index of the pre-token each belongs to: added tokens and chunks of fragments count on through a text.

use crate::specials::Permit;
use crate::tokenizer::scratch::Scratch;
use crate::tokenizer::spans::Token;
use crate::tokenizer::Tokenizer;
use crate::util::cast::u32_of;
use crate::util::error::Result;

/// A token, its name, and the index of its pre-token.
pub type WordToken = (Token, Vec<u8>, u32);

impl Tokenizer {
    /// The tokens of a text with their spans, names and words.
    pub fn word_spans(&self, text: &[u8], permit: Permit<'_>, scratch: &mut Scratch) -> Result<Vec<WordToken>> {
        // By fragment: the index of its part, the pre-token of each token within it, and how many pre-tokens it has.
        let mut fragments: Vec<(u64, Vec<usize>, usize)> = Vec::new();
        let rows = self.spans_by(text, permit, scratch, |part, scratch| {
            let tokens = self.fragment_tokens(scratch);
            let chunks: Vec<_> = self.chunks(scratch).into_iter().filter(|(start, end)| start < end).collect();
            let mut at = 0;
            let index = |token: &Token| {
                while at + 1 < chunks.len() && token.inner.0 >= chunks[at].1 {
                    at += 1;
                }
                at
            };
            fragments.push((part, tokens.iter().map(index).collect(), chunks.len()));
            tokens
        })?;
        let mut rows = rows.into_iter();
        let mut found = Vec::with_capacity(rows.len());
        let (mut part, mut word) = (0, 0);
        let named = |(token, name): (Token, Vec<u8>), word: usize| (token, name, u32_of(word));
        for (number, indexes, count) in fragments {
            for row in rows.by_ref().take(usize::try_from(number - part).unwrap_or(0)) {
                found.push(named(row, word));
                word += 1;
            }
            found.extend(indexes.iter().zip(rows.by_ref()).map(|(index, row)| named(row, word + index)));
            word += count;
            part = number + 1;
        }
        found.extend(rows.enumerate().map(|(index, row)| named(row, word + index)));
        Ok(found)
    }
}
