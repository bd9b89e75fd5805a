//! From ids to tokens: fuses unknowns, and finds the range of each token in the normalized and in the original text.

use crate::normalize::normalized::origin_span;
use crate::normalize::{outer, push_inner_form, Normalized};
use crate::segment::fallback::NO_PIECE;
use crate::segment::{Algorithm, Buffers};
use crate::spec::vocab::{Kind, SPACE_MARK};
use crate::spec::{SegmenterKind, Spec};
use crate::tokenizer::scratch::Scratch;
use crate::tokenizer::{chunks, Tokenizer};
use crate::units::scratch::EngineScratch;
use crate::units::Units;
use crate::util::utf8::character_length;
use crate::util::{us, Pace, Result};

/// One occurrence of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// The piece.
    pub id: u32,
    /// Half-open range in the inner form.
    pub inner: (usize, usize),
    /// Half-open byte range in the original text.
    pub span: (usize, usize),
}

/// Lays unfused ids along the normalized text.
pub struct Tiling<'a> {
    /// The Spec they belong to.
    pub spec: &'a Spec,
    /// Its units.
    pub units: &'a Units,
    /// The inner form.
    pub inner: &'a [u8],
    /// The origin of each byte, and of the end.
    pub origins: &'a [u32],
    /// The end of each byte's origin, if it can differ from the next byte's origin.
    pub origin_ends: &'a [u32],
}

impl Tiling<'_> {
    /// The tokens, unknowns fused. Of the bytes of one character all but the last are empty, the last has the whole
    /// span; where such pieces match text by their spelling, each has the span of the whole unknown run.
    pub fn tokens(&self, ids: &[u32]) -> Vec<Token> {
        if self.spec.config.segmenter.is_chunkwise() || self.spec.matches_spelled() && self.spells_reserved() {
            return self.exact_tokens();
        }
        let unk_id = self.units.segmenter.fallback.unk_id;
        let mut tokens: Vec<Token> = Vec::with_capacity(ids.len());
        let fuses = self.units.segmenter.fallback.fuses;
        let (mut at, mut bytes_left, mut unknown_end) = (0, 0, 0);
        let mut pace = Pace::new();
        for &id in ids {
            pace.reach(at);
            let is_unknown = id == unk_id;
            let is_byte = self.units.segmenter.fallback.is_byte(id);
            if !is_byte {
                bytes_left = 0;
            }
            if bytes_left == 0 && (is_byte || is_unknown) {
                unknown_end = at + self.unknown_length(at);
            }
            // Text that spells a byte piece is that piece, not a byte of unknown text.
            if is_byte && (bytes_left > 0 || !self.is_spelled(id, at, unknown_end)) {
                if bytes_left == 0 {
                    bytes_left = self.units.segmenter.fallback.width(&self.inner[at..unknown_end]).max(1);
                }
                bytes_left -= 1;
                let end = if bytes_left == 0 { unknown_end } else { at };
                self.push(id, at, end, false, &mut tokens);
                at = end;
                continue;
            }
            let end = if is_unknown { unknown_end } else { (at + self.piece_length(id)).min(self.inner.len()) };
            let goes_on = is_unknown && fuses && tokens.last().is_some_and(|last| last.id == unk_id);
            self.push(id, at, end, goes_on, &mut tokens);
            at = end;
        }
        if self.spec.matches_spelled() && self.units.segmenter.fallback.has_bytes() {
            // None of them is spelled here: these are all bytes of unknown text.
            let is_byte = |token: &Token| self.units.segmenter.fallback.is_byte(token.id);
            tokens.chunk_by_mut(|left, right| is_byte(left) && is_byte(right)).for_each(share_span);
        }
        tokens
    }

    /// Whether the text spells a piece that also represents other text, and may match.
    fn is_spelled(&self, id: u32, at: usize, unknown_end: usize) -> bool {
        let piece = self.spec.vocab.piece(id);
        if self.spec.matches_all() {
            return self.inner[at..].starts_with(piece);
        }
        &self.inner[at..unknown_end] == piece
    }

    /// Whether the text may spell a piece that also represents other text, so that ids do not determine lengths.
    fn spells_reserved(&self) -> bool {
        let mut form = Vec::new();
        let unknown = self.spec.vocab.piece(self.units.segmenter.fallback.unk_id);
        push_inner_form(unknown, self.spec.config.escape_whitespaces, &mut form);
        let holds = |part: &[u8]| !part.is_empty() && self.inner.windows(part.len()).any(|window| window == part);
        holds(&form) || (self.units.segmenter.fallback.has_bytes() && holds(b"<0x"))
    }

    /// The tokens of the reference path, where an id does not determine its length.
    fn exact_tokens(&self) -> Vec<Token> {
        let (mut buffers, mut ids, mut tokens) = (Buffers::default(), Vec::new(), Vec::new());
        self.units.each_chunk(self.inner, |start, end| {
            self.units.segmenter.exact(&self.inner[start..end], 0.0, &mut buffers, &mut ids);
            tokens.extend(self.tokens_of_edges(edges(&buffers.found, start)));
        });
        tokens
    }

    /// The tokens of adjacent edges: id, start and end of each.
    pub fn tokens_of_edges(&self, edges: impl IntoIterator<Item = (u32, usize, usize)>) -> Vec<Token> {
        if matches!(self.units.segmenter.algorithm, Algorithm::Merges(_)) {
            // Merging has handled unknowns, and some leave no token.
            let left = edges.into_iter().filter(|edge| edge.0 != NO_PIECE);
            return left.map(|(id, start, end)| self.token(id, start, end)).collect();
        }
        let (mut tokens, mut ids): (Vec<Token>, _) = (Vec::new(), Vec::new());
        let (unk_id, fuses) = (self.units.segmenter.fallback.unk_id, self.units.segmenter.fallback.fuses);
        // Where the run of bytes begins that share one span.
        let (mut unknown_before, mut run) = (false, None);
        let mut pace = Pace::new();
        for (id, start, end) in edges {
            pace.reach(start);
            ids.clear();
            let stays = self.units.segmenter.fallback.push(id, &self.inner[start..end], &mut ids);
            if id == unk_id && !stays && self.spec.matches_spelled() {
                run = run.or(Some(tokens.len()));
            } else if let Some(first) = run.take() {
                share_span(&mut tokens[first..]);
            }
            for (place, &id) in ids.iter().enumerate() {
                let to = if place + 1 == ids.len() { end } else { start };
                self.push(id, start, to, fuses && unknown_before && id == unk_id, &mut tokens);
            }
            unknown_before = id == unk_id;
        }
        if let Some(first) = run {
            share_span(&mut tokens[first..]);
        }
        tokens
    }

    /// Appends a token, or extends the last one by its range.
    fn push(&self, id: u32, start: usize, end: usize, extends: bool, tokens: &mut Vec<Token>) {
        let span = self.span(start, end);
        match tokens.last_mut().filter(|_| extends) {
            Some(last) => (last.inner.1, last.span.1) = (end, span.1),
            None => tokens.push(Token { id, inner: (start, end), span }),
        }
    }

    /// A token whose range the segmenter has given.
    pub fn token(&self, id: u32, start: usize, end: usize) -> Token {
        // All bytes of a space mark have the span of the one space that it is here.
        let end = if start == end && self.spec.vocab.kind(id) == Kind::Byte { end + 1 } else { end };
        let inner = (start.min(self.inner.len()), end.min(self.inner.len()));
        Token { id, inner, span: self.span(inner.0, inner.1) }
    }

    /// The span of a range. With a merge list over characters it is widened to whole characters.
    fn span(&self, start: usize, end: usize) -> (usize, usize) {
        if !self.spec.has_merges() || self.spec.has_byte_pieces() {
            return origin_span(self.origins, self.origin_ends, start, end);
        }
        let is_inside = |at: usize| self.inner.get(at).is_some_and(|byte| byte & 0xC0 == 0x80);
        let first = (0..=start).rev().find(|&at| !is_inside(at)).unwrap_or(0);
        let last = if end == start { first } else { (end..).find(|&at| !is_inside(at)).unwrap_or(end) };
        origin_span(self.origins, self.origin_ends, first, last)
    }

    /// Length of the text of one unknown: a word of a word tokenizer, else a character.
    fn unknown_length(&self, at: usize) -> usize {
        let Some(&lead) = self.inner.get(at) else { return 0 };
        let rest = &self.inner[at..];
        match (&self.units.segmenter.algorithm, self.spec.config.segmenter) {
            (_, SegmenterKind::Word) => {}
            // A user-defined symbol can be spelled like the unknown piece.
            (Algorithm::Lookup(lookup), _) => return lookup.chunk_length(rest),
            (Algorithm::Merges(merges), _) if merges.has_byte_pieces => return 1,
            _ => return character_length(lead).min(rest.len()),
        }
        let cuts = self.units.cuts.view();
        let (mut before, length) = crate::util::utf8::decode(self.inner, at);
        let mut end = at + length;
        while end < self.inner.len() {
            let (after, length) = crate::util::utf8::decode(self.inner, end);
            if cuts.is_cut(before, after) {
                break;
            }
            before = after;
            end += length;
        }
        end.min(self.inner.len()) - at
    }

    fn piece_length(&self, id: u32) -> usize {
        if self.spec.has_merges() && self.spec.vocab.kind(id) == Kind::Byte {
            return 1;
        }
        inner_length(self.spec.vocab.piece(id), self.spec.config.escape_whitespaces)
    }

    /// The name of the token: its text for an unknown one, the piece itself otherwise.
    pub fn piece(&self, token: &Token) -> Vec<u8> {
        if self.spec.vocab.kind(token.id) != Kind::Unknown {
            return self.spec.vocab.piece(token.id).to_vec();
        }
        let (mut name, text) = (Vec::new(), &self.inner[token.inner.0..token.inner.1]);
        outer(text, self.spec.config.escape_whitespaces, &mut name);
        name
    }
}

/// The edges (id, end) that a segmenter found in a text from `base` on: id, start and end of each.
pub(crate) fn edges(found: &[(u32, u32)], base: usize) -> impl Iterator<Item = (u32, usize, usize)> + '_ {
    found.iter().scan(base, move |start, &(id, end)| Some((id, std::mem::replace(start, base + us(end)), *start)))
}

/// Gives each of some tokens the span of all of them.
fn share_span(tokens: &mut [Token]) {
    if let [first, .., last] = &*tokens {
        let span = (first.span.0, last.span.1);
        tokens.iter_mut().for_each(|token| token.span = span);
    }
}

/// Length of a piece in the inner form.
pub fn inner_length(piece: &[u8], escape: bool) -> usize {
    if !escape {
        return piece.len();
    }
    let marks = piece.windows(SPACE_MARK.len()).filter(|window| *window == SPACE_MARK).count();
    piece.len() - marks * (SPACE_MARK.len() - 1)
}

/// Converts byte positions, best in ascending order, to character positions. An invalid byte counts as one character.
pub struct CharCounter<'a> {
    text: &'a [u8],
    valid: bool,
    byte: usize,
    chars: usize,
}

impl<'a> CharCounter<'a> {
    /// Starts at the beginning of `text`.
    pub fn new(text: &'a [u8]) -> Self {
        Self { text, valid: std::str::from_utf8(text).is_ok(), byte: 0, chars: 0 }
    }

    /// The index of the first character that begins at byte `at` or after it; as for [`CharCounter::at`].
    pub fn at_or_after(&mut self, at: usize) -> usize {
        let index = self.at(at);
        let inside =
            if self.valid { self.text.get(at).is_some_and(|&byte| byte & 0xC0 == 0x80) } else { self.byte < at };
        index + usize::from(inside)
    }

    /// The index of the character that byte `at` begins or lies in. Going back restarts from the beginning.
    pub fn at(&mut self, at: usize) -> usize {
        if at < self.byte {
            (self.byte, self.chars) = (0, 0);
        }
        let end = at.min(self.text.len());
        if self.valid {
            self.chars += self.text[self.byte..end].iter().filter(|&&byte| byte & 0xC0 != 0x80).count();
            self.byte = end;
            let inside = self.text.get(end).is_some_and(|&byte| byte & 0xC0 == 0x80);
            return self.chars - usize::from(inside);
        }
        while self.byte < end {
            let length = crate::normalize::valid_character(&self.text[self.byte..]).unwrap_or(1);
            if self.byte + length > end {
                break;
            }
            self.byte += length;
            self.chars += 1;
        }
        self.chars
    }
}

impl Tokenizer {
    /// The tokens of a text that is one fragment, with their spans. The normalized text stays in `scratch`.
    pub fn tokens(&self, text: &[u8], scratch: &mut Scratch) -> Result<Vec<Token>> {
        self.prepare_into(text, true, true, scratch)?;
        Ok(self.fragment_tokens(scratch))
    }

    /// The tokens of the normalized text in `scratch`; unknowns are not fused across chunks of rules.
    pub(crate) fn fragment_tokens(&self, scratch: &mut Scratch) -> Vec<Token> {
        let (tiles, by_chunk) = (self.units.segmenter.tiles(), self.stages.has_rules());
        if tiles && !by_chunk {
            let count = self.segment_unfused(usize::MAX, scratch).0;
            return self.tiling(scratch).tokens(&scratch.engine.ids[..count]);
        }
        let Scratch { normalized, engine: EngineScratch { buffers, .. }, .. } = scratch;
        let (mut tokens, mut ids) = (Vec::new(), Vec::new());
        let whole = (!by_chunk).then_some((0, normalized.len));
        for (start, end) in chunks(normalized).chain(whole) {
            ids.clear();
            let tiling = self.tiling_of(normalized, start, end);
            let moved = |token: Token| Token { inner: (start + token.inner.0, start + token.inner.1), ..token };
            if tiles {
                self.units.segmenter.exact(tiling.inner, 0.0, buffers, &mut ids);
                tokens.extend(tiling.tokens(&ids).into_iter().map(moved));
            } else {
                let visit = |id, start, end| tokens.push(moved(tiling.token(id, start, end)));
                self.units.each_token(tiling.inner, buffers, visit);
            }
        }
        tokens
    }

    /// The layout of tokens along the normalized text in `scratch`.
    pub fn tiling<'a>(&'a self, scratch: &'a Scratch) -> Tiling<'a> {
        self.tiling_of(&scratch.normalized, 0, scratch.normalized.len)
    }

    pub(crate) fn tiling_of<'a>(&'a self, normalized: &'a Normalized, start: usize, end: usize) -> Tiling<'a> {
        let origins = normalized.origins.get(start..=end).unwrap_or(&[]);
        let origin_ends = normalized.origin_ends.get(start..end).unwrap_or(&[]);
        let inner = &normalized.bytes[start..end];
        Tiling { spec: &self.spec, units: &self.units, inner, origins, origin_ends }
    }
}
