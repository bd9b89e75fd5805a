//! Added tokens: strings that are matched in a text before it is segmented, and that divide it into fragments.
//!
//! Special ones need the caller's permission, the others are vocabulary and always match. This stage owns the matching;
//! each fragment between matches is normalized and segmented on its own.

pub(crate) mod around;
pub(crate) mod finder;
pub(crate) mod search;

use std::cmp::Reverse;

use crate::spec::added::{Added, Matching, LSTRIP, NORMALIZED, RSTRIP, SINGLE_WORD, SPECIAL};
use crate::specials::around::{first_character, last_character};
use crate::specials::finder::Finder;
use crate::specials::search::{Search, SpecialsFilter};
use crate::util::{u32_of, Error, Result};

/// Bounds on the total length of the normalized added tokens: a factor of the length of their texts, plus a constant in
/// bytes.
const FORMS_GROWTH: usize = 16;
const FORMS_SLACK: usize = 1 << 16;

fn check_forms(forms: usize, texts: usize) -> Result<()> {
    if forms <= FORMS_GROWTH * texts + FORMS_SLACK {
        return Ok(());
    }
    let message = format!(
        "the added tokens cannot be used: the normalizer makes them more than {FORMS_GROWTH} times as long together; \
         shorten what it puts in"
    );
    Err(Error::new("spec-added", message).with("bytes", forms))
}

/// Which special tokens the caller permits. Added tokens that are not special always match.
#[derive(Clone, Copy, Debug)]
pub enum Permit<'a> {
    /// None of them.
    Text,
    /// All of them.
    All,
    /// The special tokens with these ids, ascending.
    Some(&'a [u32]),
    /// The special tokens within one of these ranges of the text, each matched as a text of its own. The ranges ascend
    /// and do not overlap.
    Within(&'a [(usize, usize)]),
}

/// A part of a text: an added token, or a fragment between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Where it begins.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// The id, if it is an added token.
    pub id: Option<u32>,
}

/// The compiled stage.
#[derive(Default)]
pub struct Specials {
    ids: Vec<u32>,
    flags: Vec<u8>,
    /// For each token its rank in the order of [`Matching::LongestFirst`].
    order: Vec<u32>,
    matching: Matching,
    pub(crate) raw: Finder,
    pub(crate) normalized: Finder,
    any_flags: u8,
    /// Bytes of the longest one.
    pub(crate) longest: usize,
    /// Whether all are special.
    all_special: bool,
    /// Whether a special one is matched in normalized text.
    pub(crate) special_in_normalized: bool,
}

/// A match, without the white space that it strips.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hit {
    /// Where it begins.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// The index of the added token.
    pub index: usize,
    /// Whether it becomes a part of its own. If not, it is skipped.
    pub counts: bool,
}

impl Specials {
    /// Compiles the stage. `normalize` gives the form in which a text is matched in normalized text.
    pub fn build(added: &Added, matching: Matching, normalize: impl Fn(&[u8]) -> Result<Vec<u8>>) -> Result<Self> {
        let flags = added.flags.to_vec();
        let (mut raw, mut normalized, mut total) = (Vec::new(), Vec::new(), 0);
        for (index, &held) in flags.iter().enumerate() {
            let number = u32_of(index);
            if held & NORMALIZED == 0 {
                raw.push((added.text(index).to_vec(), number));
                continue;
            }
            let form = normalize(added.text(index))?;
            total += form.len();
            check_forms(total, added.blob.len())?;
            if !form.is_empty() {
                normalized.push((form, number));
            }
        }
        let mut by_length: Vec<usize> = (0..flags.len()).collect();
        by_length.sort_by_key(|&index| Reverse(added.text(index).len()));
        let mut order = vec![0; flags.len()];
        for (place, index) in by_length.into_iter().enumerate() {
            order[index] = u32_of(place);
        }
        Ok(Self {
            ids: added.ids.to_vec(),
            any_flags: flags.iter().fold(0, |all, &held| all | held),
            longest: (0..added.len()).map(|index| added.text(index).len()).max().unwrap_or(0),
            all_special: flags.iter().all(|held| held & SPECIAL != 0),
            special_in_normalized: flags.iter().any(|held| !held & (SPECIAL | NORMALIZED) == 0),
            flags,
            order,
            matching,
            raw: Finder::build(raw)?,
            normalized: Finder::build(normalized)?,
        })
    }

    /// Whether a text has to be searched at all.
    pub fn can_match(&self, permit: Permit<'_>) -> bool {
        !(self.ids.is_empty() || self.all_special && matches!(permit, Permit::Text | Permit::Some([])))
    }

    /// Whether some are matched in normalized text.
    pub fn in_normalized(&self) -> bool {
        !self.normalized.is_empty()
    }

    /// Whether a match depends on the text around it.
    pub const fn look_around(&self) -> bool {
        self.any_flags & (SINGLE_WORD | LSTRIP | RSTRIP) != 0
    }

    /// Cuts a text at the added tokens; empty fragments are left out. [`Permit::Within`] is resolved by the tokenizer;
    /// here it permits no special ones.
    pub fn part(&self, text: &[u8], permit: Permit<'_>, parts: &mut Vec<Part>) {
        self.part_with(Search { finder: &self.raw, text, filter: SpecialsFilter::Permit(permit) }, parts, |_| ());
    }

    pub(crate) fn is_special(&self, index: usize) -> bool {
        self.flags[index] & SPECIAL != 0
    }

    /// The last position at which a stream can be cut: no match spans it, whatever follows, and the text before it does
    /// not affect the matches after it.
    pub fn settled(&self, text: &[u8]) -> usize {
        if self.raw.is_empty() {
            return text.len();
        }
        let around = self.look_around();
        let mut safe = 0;
        // Where the next match may begin, and from where on the text may be cut: the text after a match counts, too.
        let (mut at, mut from) = (0, 0);
        loop {
            let start = self.raw.candidate(text, at).unwrap_or(text.len());
            safe = self.last_safe(text, from.max(safe), start, around).unwrap_or(safe);
            if start == text.len() {
                return safe;
            }
            let Some(mut end) = self.raw.reach(text, start) else { return safe };
            // Matches that overlap this one may extend further.
            let mut next = start + 1;
            while next < end {
                let Some(other) = self.raw.candidate(&text[..end], next) else { break };
                let Some(reach) = self.raw.reach(text, other) else { return safe };
                end = end.max(reach);
                next = other + 1;
            }
            at = end.max(start + 1);
            from = at + usize::from(around && end > start);
        }
    }

    /// The last position in `text[from..=to]` where the text may be cut, if nothing matches in between.
    fn last_safe(&self, text: &[u8], from: usize, to: usize, around: bool) -> Option<usize> {
        if from > to {
            return None;
        }
        if !around {
            return Some(to);
        }
        let is_solid = |character: Option<char>| character.is_some_and(|character| !character.is_whitespace());
        // The character before a match counts, so the position must lie before it.
        let is_safe = |at: &usize| is_solid(last_character(&text[..*at])) && is_solid(first_character(&text[*at..]));
        (from.max(1)..to).rev().find(is_safe)
    }
}
