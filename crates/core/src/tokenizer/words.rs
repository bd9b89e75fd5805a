//! Tokens with the index of the pre-token each belongs to: added tokens and chunks of fragments count on through a text.

use crate::specials::Permit;
use crate::tokenizer::fragments::Found;
use crate::tokenizer::scratch::Scratch;
use crate::tokenizer::spans::Token;
use crate::tokenizer::Tokenizer;
use crate::util::{u32_of, Result};

/// A token, its name, and the index of its pre-token.
pub type WordToken = (Token, Vec<u8>, u32);

impl Tokenizer {
    /// The tokens of a text with their spans, names and words.
    pub fn word_spans(&self, text: &[u8], permit: Permit<'_>, scratch: &mut Scratch) -> Result<Vec<WordToken>> {
        let (mut rows, mut word) = (Vec::new(), 0);
        self.each_part(text, permit, true, scratch, |found, scratch| {
            let is_added = matches!(found, Found::Id(..));
            let tokens = self.part_rows(found, scratch, |scratch| self.fragment_tokens(scratch));
            let mut ends = Vec::new();
            if is_added {
                ends.push(0);
            } else {
                self.each_chunk(&scratch.normalized, |start, end| ends.extend((start < end).then_some(end)));
            }
            let mut at = 0;
            rows.extend(tokens.into_iter().map(|(token, name)| {
                while at + 1 < ends.len() && token.inner.0 >= ends[at] {
                    at += 1;
                }
                (token, name, u32_of(word + at))
            }));
            word += ends.len();
            Ok(true)
        })?;
        Ok(rows)
    }
}
