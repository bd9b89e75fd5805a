//! Special tokens of trusted ranges: each range is matched as a text of its own, whatever is around it.

use crate::normalize::Normalized;
use crate::specials::finder::Finder;
use crate::specials::search::{Search, SpecialsFilter};
use crate::specials::{Hit, Part, Permit, Specials};
use crate::tokenizer::scratch::Scratch;
use crate::tokenizer::Tokenizer;
use crate::util::Result;

/// The special tokens in the trusted ranges of a text, including those that do not count, since they hide what lies
/// within them.
#[derive(Default)]
pub(crate) struct Trusted {
    /// All of them by position in the text, ascending.
    pub(crate) raw: Vec<Hit>,
    /// Matches in normalized text by their start in the original, ascending.
    normalized: Vec<(usize, Hit)>,
}

impl Tokenizer {
    /// Finds the special tokens of each range, matched as a text of its own.
    pub(crate) fn trusted(&self, text: &[u8], ranges: &[(usize, usize)], scratch: &mut Scratch) -> Result<Trusted> {
        let (mut found, mut parts) = (Trusted::default(), Vec::new());
        for &(start, end) in ranges {
            let end = end.min(text.len());
            let start = start.min(end);
            let hits = self.specials.hits(&self.specials.raw, &text[start..end], &mut parts);
            let moved = |hit: Hit| Hit { start: hit.start + start, end: hit.end + start, ..hit };
            found.raw.extend(hits.into_iter().map(moved));
            if self.specials.special_in_normalized {
                for part in parts.iter().filter(|part| part.id.is_none()) {
                    let (first, last) = (start + part.start, start + part.end);
                    self.trusted_in_fragment(&text[first..last], first, scratch, &mut found)?;
                }
            }
        }
        found.raw.sort_by_key(|hit| hit.start);
        found.normalized.sort_unstable_by_key(|(origin, hit)| (*origin, hit.index, !hit.counts));
        found.normalized.dedup_by_key(|(origin, hit)| (*origin, hit.index));
        Ok(found)
    }

    fn trusted_in_fragment(
        &self,
        fragment: &[u8],
        offset: usize,
        scratch: &mut Scratch,
        found: &mut Trusted,
    ) -> Result<()> {
        self.normalize_into(fragment, true, scratch)?;
        for hit in self.specials.hits_normalized(scratch.normalized.inner()) {
            let (start, end) = scratch.normalized.span(hit.start, hit.end);
            found.normalized.push((offset + start, hit));
            if hit.counts {
                found.raw.push(Hit { start: offset + start, end: offset + end, ..hit });
            }
        }
        Ok(())
    }

    /// The special tokens in the normalized form of a fragment, which begins at `offset` of the text.
    pub(crate) fn trusted_here(
        &self,
        trusted: &Trusted,
        fragment: &[u8],
        offset: usize,
        scratch: &mut Scratch,
    ) -> Result<Vec<Hit>> {
        let first = trusted.normalized.partition_point(|hit| hit.0 < offset);
        let last = trusted.normalized.partition_point(|hit| hit.0 < offset + fragment.len());
        if first == last {
            return Ok(Vec::new());
        }
        self.normalize_into(fragment, true, scratch)?;
        Ok(self.specials.placed(&scratch.normalized, offset, &trusted.normalized[first..last]))
    }
}

impl Specials {
    /// The special tokens of normalized text, if all are permitted.
    pub(crate) fn hits_normalized(&self, text: &[u8]) -> Vec<Hit> {
        self.hits(&self.normalized, text, &mut Vec::new())
    }

    /// The parts of a text, if all special tokens are permitted, and where those are.
    fn hits(&self, finder: &Finder, text: &[u8], parts: &mut Vec<Part>) -> Vec<Hit> {
        let mut hits = Vec::new();
        self.part_with(Search { finder, text, filter: SpecialsFilter::Permit(Permit::All) }, parts, |hit| {
            if self.is_special(hit.index) {
                hits.push(hit);
            }
        });
        hits.sort_unstable_by_key(|hit| hit.start);
        hits
    }

    /// The positions, in a normalized fragment, of tokens that were found in parts of a text, by their start in the
    /// text. One that the fragment does not contain is left out: the normalizer combined it with adjacent text.
    fn placed(&self, fragment: &Normalized, offset: usize, found: &[(usize, Hit)]) -> Vec<Hit> {
        let text = fragment.inner();
        let (mut kept, mut at) = (Vec::new(), 0);
        while let Some(start) = self.normalized.candidate(text, at) {
            at = start + 1;
            let origin = offset + fragment.span(start, at).0;
            let first = found.partition_point(|hit| hit.0 < origin);
            let here = found[first..].iter().take_while(|hit| hit.0 == origin).filter_map(|(_, hit)| {
                let (end, _) = self.normalized.longest(text, start, text.len(), |_, _, index| index == hit.index)?;
                Some(Hit { start, end, ..*hit })
            });
            if let Some(hit) = here.max_by_key(|hit| hit.end) {
                at = hit.end;
                kept.push(hit);
            }
        }
        kept
    }
}
