//! A text divided by added tokens: each fragment is normalized and segmented on its own, and the ids are concatenated.

use crate::normalize::Normalized;
use crate::spec::template::TrimSpans;
use crate::specials::search::{Search, SpecialsFilter};
use crate::specials::{Part, Permit};
use crate::tokenizer::scratch::Scratch;
use crate::tokenizer::spans::Token;
use crate::tokenizer::trusted::Trusted;
use crate::tokenizer::Tokenizer;
use crate::util::Result;

/// A part of a text, as a visitor sees it.
pub(crate) enum Found<'a> {
    /// An added token with its range in the text, and the matched text: normalized, if it was matched in normalized
    /// text.
    Id(u32, (usize, usize), &'a [u8]),
    /// A fragment, normalized in the scratch; its origins are relative to this position of the text.
    Fragment(usize),
}

/// Which special tokens are matched.
struct Permission<'a> {
    permit: Permit<'a>,
    /// Those of trusted ranges, instead of the permitted ones.
    trusted: Option<Trusted>,
}

impl Tokenizer {
    /// Finds the special tokens of trusted ranges; a text that is trusted as a whole needs no filter.
    fn permission<'a>(&self, text: &[u8], permit: Permit<'a>, scratch: &mut Scratch) -> Result<Permission<'a>> {
        Ok(match permit {
            Permit::Within(&[(0, end)]) if end >= text.len() => Permission { permit: Permit::All, trusted: None },
            Permit::Within(ranges) => Permission { permit, trusted: Some(self.trusted(text, ranges, scratch)?) },
            _ => Permission { permit, trusted: None },
        })
    }

    /// Whether the text is one fragment, whatever it contains.
    pub fn is_whole(&self, permit: Permit<'_>) -> bool {
        !self.specials.can_match(permit)
    }

    /// Whether no added token occurs in any line of a text. May return false where this is not cheap to decide.
    pub(crate) fn has_no_added(&self, text: &[u8]) -> bool {
        if self.is_whole(Permit::All) {
            return true;
        }
        if self.specials.look_around() || self.specials.in_normalized() {
            return false;
        }
        let mut parts = Vec::new();
        self.specials.part(text, Permit::All, &mut parts);
        parts.iter().all(|part| part.id.is_none())
    }

    /// Calls `visit` for each part of a text in order, until it returns false.
    pub(crate) fn each_part(
        &self,
        text: &[u8],
        permit: Permit<'_>,
        origins: bool,
        scratch: &mut Scratch,
        mut visit: impl FnMut(Found<'_>, &mut Scratch) -> Result<bool>,
    ) -> Result<()> {
        if self.is_whole(permit) {
            self.prepare_into(text, true, origins, scratch)?;
            return visit(Found::Fragment(0), scratch).map(|_| ());
        }
        let mut parts = std::mem::take(&mut scratch.parts);
        let permission = self.permission(text, permit, scratch)?;
        let trusted = permission.trusted.as_ref().map(|trusted| &trusted.raw[..]);
        let filter = SpecialsFilter::of(permission.permit, trusted);
        self.specials.part_with(Search { finder: &self.specials.raw, text, filter }, &mut parts, |_| ());
        for part in &parts {
            let found = &text[part.start..part.end];
            let goes_on = match part.id {
                Some(id) => visit(Found::Id(id, (part.start, part.end), found), scratch)?,
                None => self.each_in_fragment(found, part.start, &permission, origins, scratch, &mut visit)?,
            };
            if !goes_on {
                break;
            }
        }
        scratch.parts = parts;
        Ok(())
    }

    /// The parts of a fragment, which begins at `offset` of the text and contains no added tokens of raw text.
    fn each_in_fragment(
        &self,
        fragment: &[u8],
        offset: usize,
        permission: &Permission<'_>,
        origins: bool,
        scratch: &mut Scratch,
        visit: &mut impl FnMut(Found<'_>, &mut Scratch) -> Result<bool>,
    ) -> Result<bool> {
        if self.specials.in_normalized() {
            let mut parts: Vec<Part> = Vec::new();
            let kept = match &permission.trusted {
                Some(trusted) => Some(self.trusted_here(trusted, fragment, offset, scratch)?),
                None => None,
            };
            self.normalize_into(fragment, origins, scratch)?;
            let filter = SpecialsFilter::of(permission.permit, kept.as_deref());
            let (finder, text) = (&self.specials.normalized, scratch.normalized.inner());
            self.specials.part_with(Search { finder, text, filter }, &mut parts, |_| ());
            return self.each_normalized(offset, &parts, scratch, visit);
        }
        self.prepare_into(fragment, offset == 0, origins, scratch)?;
        visit(Found::Fragment(offset), scratch)
    }

    /// The ids of a fragment, as [`Tokenizer::encode`] gives them within its text.
    pub(crate) fn encode_fragment(
        &self,
        fragment: &[u8],
        permit: Permit<'_>,
        scratch: &mut Scratch,
    ) -> Result<Vec<u32>> {
        let (mut ids, permission) = (Vec::new(), Permission { permit, trusted: None });
        let mut visit = collect(&mut ids, |scratch| self.segment(usize::MAX, scratch));
        self.each_in_fragment(fragment, 0, &permission, false, scratch, &mut visit)?;
        drop(visit);
        Ok(ids)
    }

    /// The parts of a fragment that is already normalized.
    fn each_normalized(
        &self,
        offset: usize,
        parts: &[Part],
        scratch: &mut Scratch,
        visit: &mut impl FnMut(Found<'_>, &mut Scratch) -> Result<bool>,
    ) -> Result<bool> {
        if parts.iter().all(|part| part.id.is_none()) {
            self.split_fragment(offset == 0, scratch)?;
            return visit(Found::Fragment(offset), scratch);
        }
        let whole = std::mem::take(&mut scratch.normalized);
        let mut goes_on = true;
        for part in parts {
            goes_on = match part.id {
                Some(id) => {
                    let (start, end) = whole.span(part.start, part.end);
                    let found = &whole.inner()[part.start..part.end];
                    visit(Found::Id(id, (offset + start, offset + end), found), scratch)?
                }
                None => {
                    whole.copy_range(part.start..part.end, &mut scratch.normalized);
                    let place = if whole.origins.is_empty() { part.start } else { whole.span(part.start, part.end).0 };
                    self.split_fragment(offset + place == 0, scratch)?;
                    visit(Found::Fragment(offset), scratch)?
                }
            };
            if !goes_on {
                break;
            }
        }
        scratch.normalized = whole;
        Ok(goes_on)
    }

    /// Cuts the normalized fragment in the scratch into chunks, if there are rules.
    fn split_fragment(&self, first: bool, scratch: &mut Scratch) -> Result<()> {
        let Scratch { normalized, work, .. } = scratch;
        self.stages.split_again(first, work, normalized)
    }

    /// The ids of a text with added tokens; `segment` segments the fragment in the scratch.
    pub(crate) fn encode_parts(
        &self,
        text: &[u8],
        permit: Permit<'_>,
        scratch: &mut Scratch,
        segment: impl FnMut(&mut Scratch) -> usize,
    ) -> Result<Vec<u32>> {
        let mut ids = std::mem::take(&mut scratch.joined);
        ids.clear();
        self.each_part(text, permit, false, scratch, collect(&mut ids, segment))?;
        Ok(ids)
    }

    /// The name of an added token: its piece; where spans are trimmed, the matched text, since callers look for spaces
    /// there.
    pub(crate) fn added_name(&self, id: u32, found: &[u8]) -> Vec<u8> {
        match self.spec.config.trim_spans {
            TrimSpans::None => self.spec.vocab.piece(id).to_vec(),
            TrimSpans::Inner | TrimSpans::All => found.to_vec(),
        }
    }

    /// The tokens of a text with their spans and names.
    pub fn spans(&self, text: &[u8], permit: Permit<'_>, scratch: &mut Scratch) -> Result<Vec<(Token, Vec<u8>)>> {
        self.spans_by(text, permit, scratch, |_, scratch| self.fragment_tokens(scratch))
    }

    /// The tokens of a text with their spans, where `tokens` computes those of the fragment in the scratch, given the
    /// index of the part.
    pub(crate) fn spans_by(
        &self,
        text: &[u8],
        permit: Permit<'_>,
        scratch: &mut Scratch,
        mut tokens: impl FnMut(u64, &mut Scratch) -> Vec<Token>,
    ) -> Result<Vec<(Token, Vec<u8>)>> {
        let (mut rows, mut part) = (Vec::new(), 0);
        self.each_part(text, permit, true, scratch, |found, scratch| {
            rows.extend(self.part_rows(found, scratch, |scratch| tokens(part, scratch)));
            part += 1;
            Ok(true)
        })?;
        Ok(rows)
    }

    /// The tokens of a part with their spans and names, where `tokens` computes those of the fragment in the scratch.
    pub(crate) fn part_rows(
        &self,
        found: Found<'_>,
        scratch: &mut Scratch,
        tokens: impl FnOnce(&mut Scratch) -> Vec<Token>,
    ) -> Vec<(Token, Vec<u8>)> {
        let offset = match found {
            Found::Id(id, span, found) => {
                return vec![(Token { id, inner: (0, 0), span }, self.added_name(id, found))];
            }
            Found::Fragment(offset) => offset,
        };
        let tokens = tokens(scratch);
        let tiling = self.tiling(scratch);
        let row = |mut token: Token| {
            token.span = (token.span.0 + offset, token.span.1 + offset);
            (token, tiling.piece(&token))
        };
        tokens.into_iter().map(row).collect()
    }
}

/// A visitor that appends the ids of all parts; `segment` segments the fragment in the scratch.
fn collect<'a>(
    ids: &'a mut Vec<u32>,
    mut segment: impl FnMut(&mut Scratch) -> usize + 'a,
) -> impl FnMut(Found<'_>, &mut Scratch) -> Result<bool> + 'a {
    move |found, scratch| {
        match found {
            Found::Id(id, ..) => ids.push(id),
            Found::Fragment(_) => {
                let count = segment(scratch);
                ids.extend_from_slice(&scratch.engine.ids[..count]);
            }
        }
        Ok(true)
    }
}

impl Normalized {
    /// Makes `out` a copy of a range, as if that were the whole text.
    fn copy_range(&self, range: std::ops::Range<usize>, out: &mut Self) {
        out.clear();
        out.copy(&self.bytes[range.clone()], None);
        if !self.origins.is_empty() {
            out.origins.extend_from_slice(&self.origins[range.start..=range.end]);
        }
        out.origin_ends.extend_from_slice(self.origin_ends.get(range).unwrap_or(&[]));
        out.pad();
    }
}
