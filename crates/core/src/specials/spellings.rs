//! What a caller forbids: the spellings of special tokens, and what the normalizer makes one of.
//!
//! Those that text can hold are the special added tokens; a vocabulary without added tokens has its control pieces. Each has
//! a number: its place among the added tokens, or its id.

use super::finder::Finder;
use super::{Part, Permit, SPECIAL};
use crate::cast::{u32_of, us};
use crate::error::{Error, Result};
use crate::scratch::Scratch;
use crate::spec::Spec;
use crate::tokenizer::Tokenizer;
use crate::vocab::Kind;

/// Finds spellings in a text.
pub struct Spellings(Finder);

impl Spellings {
    /// Those of a Spec; `None` if they cannot be put into a trie.
    #[must_use]
    pub fn build(spec: &Spec) -> Option<Self> {
        let added = &spec.added;
        let special = (0..added.len()).filter(|&index| added.flags[index] & SPECIAL != 0);
        let mut keys: Vec<(Vec<u8>, u32)> = special.map(|index| (added.text(index).to_vec(), u32_of(index))).collect();
        if added.is_empty() {
            let controls = (0..u32_of(spec.vocab.len())).filter(|&id| spec.vocab.kind(id) == Kind::Control);
            keys = controls.map(|id| (spec.vocab.piece(id).to_vec(), id)).collect();
        }
        keys.retain(|(key, _)| !key.is_empty());
        Finder::build(keys).ok().map(Self)
    }

    /// The number of a spelling.
    #[must_use]
    pub fn number(&self, name: &[u8]) -> Option<u32> {
        if self.0.is_empty() {
            return None;
        }
        self.0.longest(name, 0, name.len(), |_, end, _| end == name.len()).map(|(_, number)| u32_of(number))
    }

    /// The first spelling in a text, the longest of those there, that is none of `allowed`, which ascend: number and start.
    fn first(&self, text: &[u8], allowed: &[u32]) -> Option<(u32, usize)> {
        if self.0.is_empty() {
            return None;
        }
        let is_forbidden = |_, _, number| allowed.binary_search(&u32_of(number)).is_err();
        self.0.next(text, 0, is_forbidden).map(|(start, _, number)| (u32_of(number), start))
    }
}

impl Tokenizer {
    /// The spellings, which are made when they are first asked for.
    pub fn spellings(&self) -> Result<&Spellings> {
        let made = self.spellings.get(|| Spellings::build(&self.spec));
        made.as_ref().ok_or_else(|| Error::new("spec-added", "the special tokens are too many to look for"))
    }

    /// The spelling with a number.
    #[must_use]
    pub fn spelling(&self, number: u32) -> &[u8] {
        match self.spec.added.is_empty() {
            true => self.spec.vocab.piece(number),
            false => self.spec.added.text(us(number)),
        }
    }

    /// The first special token of a text that is none of `allowed`, which are numbers and ascend: its number and where it
    /// begins. A text has one where its spelling stands, or where it would be found if all were permitted.
    pub fn forbidden(&self, text: &[u8], allowed: &[u32], scratch: &mut Scratch) -> Result<Option<(u32, usize)>> {
        let spelled = self.spellings()?.first(text, allowed);
        // What is looked for in the text itself is found by its spelling.
        if !self.specials.special_in_normalized() {
            return Ok(spelled);
        }
        let end = spelled.map_or(text.len(), |(_, start)| start);
        let mut parts: Vec<Part> = Vec::new();
        self.specials.part(text, Permit::All, &mut parts);
        for part in parts.iter().filter(|part| part.id.is_none()).take_while(|part| part.start < end) {
            self.normalize_into(&text[part.start..part.end], true, scratch)?;
            let normalized = &scratch.normalized;
            for hit in self.specials.hits_normalized(normalized.inner()) {
                let (start, last) = normalized.span(hit.start, hit.end);
                let number = u32_of(hit.index);
                if part.start + last > end {
                    break;
                }
                if hit.counts && allowed.binary_search(&number).is_err() {
                    return Ok(Some((number, part.start + start)));
                }
            }
        }
        Ok(spelled)
    }
}
