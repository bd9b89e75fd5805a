//! Forbidden special tokens: their spellings, and text that the stages turn into one.
//!
//! Spellings are those of the special added tokens; without added tokens, of the control pieces. Each has a number: its
//! index among the added tokens, or its id.

use crate::normalize::push_inner_form;
use crate::spec::added::SPECIAL;
use crate::spec::vocab::Kind;
use crate::spec::Spec;
use crate::specials::finder::Finder;
use crate::specials::{Part, Permit};
use crate::tokenizer::scratch::Scratch;
use crate::tokenizer::special_probe::Made;
use crate::tokenizer::Tokenizer;
use crate::util::{u32_of, us, Error, Result};

/// Finds spellings in a text.
pub struct Spellings {
    text: Finder,
    /// Finds spellings in normalized text, where a space is `▁`; `None` if no spelling has a space.
    inner: Option<Finder>,
    /// Detects text that becomes a special piece without spelling it; `None` if there is no such piece.
    made: Option<Box<Made>>,
}

impl Spellings {
    /// The spellings of a Spec; `None` if they cannot be put into a trie.
    pub fn build(spec: &Spec) -> Option<Self> {
        let added = &spec.added;
        let special = (0..added.len()).filter(|&index| added.flags[index] & SPECIAL != 0);
        let mut rows: Vec<(&[u8], u32, u32)> =
            special.map(|index| (added.text(index), added.ids[index], u32_of(index))).collect();
        if added.is_empty() {
            let controls = (0..u32_of(spec.vocab.len())).filter(|&id| spec.vocab.kind(id) == Kind::Control);
            rows = controls.map(|id| (spec.vocab.piece(id), id, id)).collect();
        }
        rows.retain(|(text, ..)| !text.is_empty());
        let texts: Vec<(Vec<u8>, u32)> = rows.iter().map(|&(text, _, number)| (text.to_vec(), number)).collect();
        let mut forms = texts.clone();
        if spec.config.escape_whitespaces {
            forms.extend(texts.iter().filter_map(|(text, number)| {
                let mut form = Vec::new();
                push_inner_form(text, true, &mut form).then_some((form, *number))
            }));
            forms.sort_unstable();
            forms.dedup_by(|one, other| one.0 == other.0);
        }
        let inner = if forms.len() > texts.len() { Some(Finder::build(forms).ok()?) } else { None };
        let made = Made::build(spec, &rows).ok()?.map(Box::new);
        Some(Self { text: Finder::build(texts).ok()?, inner, made })
    }

    /// The number of a spelling.
    pub fn number(&self, name: &[u8]) -> Option<u32> {
        self.text.longest(name, 0, name.len(), |_, end, _| end == name.len()).map(|(_, number)| u32_of(number))
    }
}

/// The first spelling in a text, the longest at its position, that is not in `allowed`, which ascend: number, start,
/// end.
fn first(finder: &Finder, text: &[u8], allowed: &[u32]) -> Option<(u32, usize, usize)> {
    let is_forbidden = |_, _, number| allowed.binary_search(&u32_of(number)).is_err();
    finder.next(text, 0, is_forbidden).map(|(start, end, number)| (u32_of(number), start, end))
}

impl Tokenizer {
    /// The spellings, built on first use.
    pub fn spellings(&self) -> Result<&Spellings> {
        let made = self.spellings.get(|| Spellings::build(&self.spec));
        made.as_ref().ok_or_else(|| Error::new("spec-added", "the special tokens are too many to look for"))
    }

    /// The spelling with a number.
    pub fn spelling(&self, number: u32) -> &[u8] {
        match self.spec.added.is_empty() {
            true => self.spec.vocab.piece(number),
            false => self.spec.added.text(us(number)),
        }
    }

    /// The first special token of a text that is not in `allowed`, which are ascending numbers: its number and its
    /// start. A text has one where its spelling occurs, in the text or in its normalized form, where it would match if
    /// all were permitted, and where the segmenter would make it if it were an ordinary piece.
    pub fn forbidden(&self, text: &[u8], allowed: &[u32], scratch: &mut Scratch) -> Result<Option<(u32, usize)>> {
        let spellings = self.spellings()?;
        let spelled = first(&spellings.text, text, allowed).map(|(number, start, _)| (number, start));
        let normalized = self.forbidden_normalized(text, allowed, spelled.map(|(_, start)| start), scratch)?;
        let made = match &spellings.made {
            Some(made) => made.first(text, allowed)?,
            None => None,
        };
        Ok([spelled, normalized, made].into_iter().flatten().min_by_key(|&(_, start)| start))
    }

    /// The first special token in the normalized form of the fragments that begin before `end`.
    fn forbidden_normalized(
        &self,
        text: &[u8],
        allowed: &[u32],
        end: Option<usize>,
        scratch: &mut Scratch,
    ) -> Result<Option<(u32, usize)>> {
        // Tokens matched in raw text are found by their spelling.
        if !self.normalizes() || self.spellings()?.text.is_empty() {
            return Ok(None);
        }
        let mut parts: Vec<Part> = Vec::new();
        self.specials.part(text, Permit::All, &mut parts);
        let end = end.unwrap_or(text.len());
        for part in parts.iter().filter(|part| part.id.is_none()).take_while(|part| part.start < end) {
            let fragment = &text[part.start..part.end];
            // Recording origins is slower, and most texts have no special token.
            self.normalize_into(fragment, false, scratch)?;
            if self.first_inner(allowed, scratch)?.is_none() {
                continue;
            }
            self.normalize_into(fragment, true, scratch)?;
            if let Some((number, first, last)) = self.first_inner(allowed, scratch)? {
                return Ok(Some((number, part.start + scratch.normalized.span(first, last).0)));
            }
        }
        Ok(None)
    }

    /// The first special token in the normalized text of the scratch: number, start, end.
    fn first_inner(&self, allowed: &[u32], scratch: &Scratch) -> Result<Option<(u32, usize, usize)>> {
        let (text, spellings) = (scratch.normalized.inner(), self.spellings()?);
        let spelled = first(spellings.inner.as_ref().unwrap_or(&spellings.text), text, allowed);
        if !self.specials.special_in_normalized {
            return Ok(spelled);
        }
        let hits = self.specials.hits_normalized(text);
        let is_forbidden = |number: u32| allowed.binary_search(&number).is_err();
        let hit = hits.iter().find(|hit| hit.counts && is_forbidden(u32_of(hit.index)));
        let found = hit.map(|hit| (u32_of(hit.index), hit.start, hit.end));
        Ok([found, spelled].into_iter().flatten().min_by_key(|&(_, start, _)| start))
    }
}
