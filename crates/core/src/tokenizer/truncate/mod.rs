//! Truncation: the longest prefix with at most a given number of tokens.
//!
//! The count of a prefix is not monotone: a longer prefix can end in a longer piece. So ends are tried downwards from
//! an upper bound, and a count that is known without encoding the prefix is used where there is one: the cells of one
//! Viterbi pass give the best path, and so the count, of every prefix.

pub(crate) mod chunks;
pub(crate) mod counting;

use crate::index::double_array::TrieView;
use crate::normalize::Normalized;
use crate::segment::bpe::backtrack::NO_COUNT;
use crate::segment::{Algorithm, Buffers};
use crate::spec::stages::Splitter;
use crate::spec::vocab::Kind;
use crate::specials::Permit;
use crate::tokenizer::scratch::Scratch;
use crate::tokenizer::spans::Token;
use crate::tokenizer::truncate::chunks::ChunkCounts;
use crate::tokenizer::Tokenizer;
use crate::units::scratch::EngineScratch;
use crate::util::utf8::{character_length, decode};
use crate::util::{u32_of, us, Result};

/// Counts of prefixes of the normalized text, by their length in bytes; [`NO_COUNT`] where unknown.
type Counts = Vec<u32>;
/// Bytes that normalization may join or drop at the end of a prefix; its rules span far fewer.
const SLACK: usize = 64;
/// Maximum bytes of a chunk of merges that is counted again for each prefix.
const LONG: usize = 256;

impl Tokenizer {
    /// Length in bytes of the longest prefix, ending at a character, whose own encoding has at most `n` ids.
    pub fn truncate(&self, text: &[u8], n: usize, scratch: &mut Scratch) -> Result<usize> {
        let whole = self.is_whole(Permit::Text);
        let is_identity = self.stages.keep(text, &mut scratch.work) && self.normalizer.is_sound();
        if !is_identity || !whole && (self.specials.in_normalized() || self.specials.look_around()) {
            return self.truncate_by_counting(text, n, scratch);
        }
        if whole {
            return self.truncate_whole(text, n, scratch);
        }
        self.truncate_parts(text, n, scratch)
    }

    /// Length in bytes of the longest prefix of at most `n` ids of a text that is one fragment.
    pub(crate) fn truncate_whole(&self, text: &[u8], n: usize, scratch: &mut Scratch) -> Result<usize> {
        let tokens = self.tokens(text, scratch)?;
        let Some(over) = tokens.get(n) else { return Ok(text.len()) };
        let (unit, chunk) = self.unit_around(over.inner.0, scratch);
        let room = n - tokens.iter().take(n).filter(|token| token.inner.0 < unit.0).count().min(n);
        let bound = self.bound(&tokens, n, unit, room, scratch);
        let has_suffix = self.normalizer.rules.suffix;
        let counts = if has_suffix { None } else { self.prefix_counts(unit.1, scratch) };
        let normalized = std::mem::take(&mut scratch.normalized);
        let before = tokens.iter().take_while(|token| token.inner.0 < unit.0).count();
        let chunks = ChunkCounts::of(self, normalized.inner(), unit, chunk, bound, before).filter(|_| !has_suffix);
        let mut search = Search { tokenizer: self, text, n, normalized: &normalized, counts, chunks };
        let found = if self.has_dense_ends() {
            let reach = match self.matched() {
                Some(_) => self.longest_match(&normalized.inner()[unit.0..unit.1]).max(4),
                None => self.spec.vocab.longest().max(4),
            };
            let near = n.checked_sub(1).map_or(0, |last| tokens[last].inner.1);
            search.near(near, bound, 2 * reach + SLACK, scratch)
        } else {
            let end = self.raw_bound(bound, &normalized.origins, text.len());
            search.at_or_before(end, 0, &CharacterEnds::of(text), scratch)
        };
        scratch.normalized = normalized;
        found
    }

    /// Length in bytes of the longest prefix of at most `n` ids, where added tokens divide the text and do not depend
    /// on the text around them.
    fn truncate_parts(&self, text: &[u8], n: usize, scratch: &mut Scratch) -> Result<usize> {
        let (mut parts, mut before) = (Vec::new(), 0);
        self.specials.part(text, Permit::Text, &mut parts);
        for part in parts {
            let fragment = &text[part.start..part.end];
            let count = if part.id.is_some() { 1 } else { self.count_whole(fragment, n, scratch)? };
            if before + count <= n {
                before += count;
                continue;
            }
            // A prefix that ends within an added token has other tokens there.
            let last = text.len().min(part.end + self.specials.longest);
            let least = if part.id.is_some() { part.start } else { part.end };
            let ends = CharacterEnds::of(text);
            let mut end = ends.at_or_before(last);
            while end > least {
                if self.count(&text[..end], Permit::Text, n, scratch)? <= n {
                    return Ok(end);
                }
                end = ends.at_or_before(end - 1);
            }
            let within = if part.id.is_some() { 0 } else { self.truncate_whole(fragment, n - before, scratch)? };
            return Ok(part.start + within);
        }
        Ok(text.len())
    }

    /// The unit around position `at` of the normalized text in `scratch`, and the chunk. White space at the end of a
    /// prefix may be chunked differently than within the text, so where text is split, the unit is a run of white space
    /// with the chunks around it.
    fn unit_around(&self, at: usize, scratch: &mut Scratch) -> ((usize, usize), (usize, usize)) {
        let Scratch { normalized, engine: EngineScratch { starts, .. }, .. } = scratch;
        starts.clear();
        self.units.scan(&normalized.bytes, 0, normalized.len, starts);
        let after = starts.partition_point(|cut| us(cut.at) <= at);
        let place = |index: usize| starts.get(index).map_or(normalized.len, |cut| us(cut.at));
        let start_of = |count: usize| count.checked_sub(1).map_or(0, place);
        let chunk = (start_of(after), place(after));
        if self.units.splitter.is_none() {
            return (chunk, chunk);
        }
        let text = normalized.inner();
        let (mut first, mut last) = (after, after);
        while first > 0 && is_blank(&text[start_of(first - 1)..start_of(first)]) {
            first -= 1;
        }
        while last < starts.len() && is_blank(&text[place(last)..place(last) + decode(text, place(last)).1]) {
            last += 1;
        }
        ((start_of(first), place(last + 1)), chunk)
    }

    /// Upper bound: a prefix whose normalized text extends past this position has more than `n` tokens.
    fn bound(&self, tokens: &[Token], n: usize, unit: (usize, usize), room: usize, scratch: &Scratch) -> usize {
        let inner = scratch.normalized.inner();
        let mut end = unit.1;
        if self.units.splitter.is_none() && matches!(self.units.segmenter.algorithm, Algorithm::Greedy(_)) {
            // The tokens of a prefix are those of the text, up to the one that the prefix ends in.
            end = end.min(tokens[n].inner.0);
        }
        // A word is a piece or unknown.
        let is_lookup = matches!(self.units.segmenter.algorithm, Algorithm::Lookup(_) | Algorithm::WordLevel(_));
        let after_unknown = n > 0 && tokens[n - 1].id == self.units.segmenter.fallback.unk_id;
        if let Algorithm::Merges(merges) = &self.units.segmenter.algorithm {
            if merges.is_bounded() {
                end = end.min(unit.0 + (room + 1) * self.spec.vocab.longest().max(4));
            }
        } else if room == 0 && !after_unknown {
            // The unit begins with at least one more token, as it cannot fuse with what is before it.
            end = end.min(unit.0 + character_length(inner[unit.0]));
        } else if self.units.segmenter.fallback.has_bytes() && is_lookup {
            let has_symbols = self.spec.vocab.ids_of(Kind::UserDefined).next().is_some();
            // A word longer than every piece has one token per byte, unless it contains symbols, each one token.
            let reach =
                if has_symbols { (room + 1) * self.spec.vocab.longest() } else { room.max(self.spec.vocab.longest()) };
            end = end.min(unit.0 + reach + 4);
        } else if self.never_fuses(&inner[unit.0..unit.1]) {
            // No token is longer than the longest match, so `room` of them extend no farther.
            end = end.min(unit.0 + (room + 1) * self.longest_match(&inner[unit.0..unit.1]).max(4));
        }
        if self.normalizer.rules.squeeze {
            // Spaces at the end of a prefix are trimmed: only the next non-space character makes them count.
            while inner.get(end.saturating_sub(1)) == Some(&b' ') || inner.get(end) == Some(&b' ') {
                end += 1;
            }
        }
        match inner.get(end) {
            Some(_) => end + decode(inner, end).1,
            None => inner.len(),
        }
    }

    fn trie(&self) -> Option<TrieView<'_>> {
        match &self.units.segmenter.algorithm {
            Algorithm::Unigram(unigram) => Some(unigram.trie.view()),
            Algorithm::Bpe(bpe) => Some(bpe.trie.view()),
            Algorithm::Greedy(greedy) => Some(greedy.trie.view()),
            Algorithm::Plamo(plamo) => Some(plamo.trie.view()),
            Algorithm::Merges(_) | Algorithm::Lookup(_) | Algorithm::Wordpiece(_) | Algorithm::WordLevel(_) => None,
        }
    }

    /// A trie of all possible tokens.
    fn matched(&self) -> Option<TrieView<'_>> {
        match &self.units.segmenter.algorithm {
            Algorithm::Merges(merges) => merges.reached(),
            _ => self.trie(),
        }
    }

    /// Whether no prefix of the unit can contain fused unknowns: they become bytes, or each character is a piece that does
    /// not become unknown when it is alone.
    fn never_fuses(&self, unit: &[u8]) -> bool {
        if !self.units.segmenter.fallback.fuses {
            return true;
        }
        let Some(trie) = self.trie() else { return false };
        let mut at = 0;
        while at < unit.len() {
            let end = (at + character_length(unit[at])).min(unit.len());
            let names_itself = |id: u32| match &self.units.segmenter.algorithm {
                Algorithm::Bpe(bpe) => bpe.named_alone(id) == id,
                _ => true,
            };
            if !trie.find(&unit[at..end]).is_some_and(names_itself) {
                return false;
            }
            at = end;
        }
        true
    }

    /// Whether the unit may spell the unknown piece, which fuses with adjacent ones.
    fn spells_unknown(&self, unit: &[u8]) -> bool {
        let (Some(trie), fallback) = (self.trie(), &self.units.segmenter.fallback) else { return false };
        let mut found = false;
        for at in 0..if fallback.fuses { unit.len() } else { 0 } {
            trie.each_prefix(&unit[at..], |_, id| found |= id == fallback.unk_id);
        }
        found
    }

    /// Whether the tokens of a prefix are, up to the end of any of them, the tokens of the prefix that ends there.
    fn has_dense_ends(&self) -> bool {
        match &self.units.segmenter.algorithm {
            Algorithm::Unigram(_) | Algorithm::Bpe(_) | Algorithm::Greedy(_) => true,
            // The last symbol may differ from that within a text.
            Algorithm::Merges(merges) => merges.added_bytes() == 0,
            _ => false,
        }
    }

    fn longest_match(&self, unit: &[u8]) -> usize {
        let Some(trie) = self.matched() else { return unit.len() };
        let length = |at: usize| trie.longest_prefix(&unit[at..], usize::MAX).map_or(1, |(length, _)| length);
        (0..unit.len()).map(length).max().unwrap_or(1)
    }

    fn raw_bound(&self, bound: usize, origins: &[u32], size: usize) -> usize {
        let (Some(&origin), Some(lookahead)) = (origins.get(bound), self.normalizer.lookahead(true)) else {
            return size;
        };
        (us(origin) + lookahead).min(size)
    }

    /// The counts of all prefixes up to `end`, where one pass gives them.
    fn prefix_counts(&self, end: usize, scratch: &mut Scratch) -> Option<Counts> {
        let (text, fallback) = (&scratch.normalized.inner()[..end], &self.units.segmenter.fallback);
        match (&self.units.segmenter.algorithm, self.units.splitter) {
            _ if self.normalizer.rules.words => None,
            // Each prefix of a line is a line.
            (Algorithm::Unigram(unigram), None | Some(Splitter::Lines)) => {
                let mut counts = vec![0];
                self.units.each_chunk(text, |start, end| {
                    let before = counts[start];
                    let own = unigram.prefix_counts(&text[start..end], fallback, &mut scratch.engine.buffers);
                    counts.extend(own[1..].iter().map(|count| count + before));
                });
                Some(counts)
            }
            (Algorithm::Wordpiece(wordpiece), None) => Some(wordpiece.prefix_counts(text, fallback)),
            _ => None,
        }
    }
}

/// The search for the longest prefix of a text that is one fragment and already normalized.
struct Search<'a> {
    tokenizer: &'a Tokenizer,
    text: &'a [u8],
    n: usize,
    normalized: &'a Normalized,
    counts: Option<Counts>,
    chunks: Option<ChunkCounts<'a>>,
}

impl Search<'_> {
    /// The longest prefix where its tokens, except those at its end, are those of a shorter one that ends with them.
    /// Prefixes that fit are no farther apart than some tokens reach: after `margin` bytes of normalized text where
    /// none fits there is none. `near` is where the first `n` tokens of the whole text end.
    fn near(&mut self, near: usize, bound: usize, margin: usize, scratch: &mut Scratch) -> Result<usize> {
        let ends = CharacterEnds::of(self.text);
        let (mut found, mut tried, mut last) = (0, 0, near);
        loop {
            last = bound.min(last.max(near) + 2 * margin);
            let end = self.tokenizer.raw_bound(last, &self.normalized.origins, self.text.len());
            found = self.at_or_before(end, tried, &ends, scratch)?.max(found);
            if last == bound || self.place(found) + margin < last {
                return Ok(found);
            }
            tried = end;
        }
    }

    /// The longest prefix that fits and ends at or before `end`, after `least`; else 0.
    fn at_or_before(
        &mut self,
        mut end: usize,
        least: usize,
        ends: &CharacterEnds,
        scratch: &mut Scratch,
    ) -> Result<usize> {
        loop {
            end = ends.at_or_before(end);
            if end <= least {
                return Ok(0);
            }
            let count = match self.known_count(end, &mut scratch.engine.buffers) {
                Some(count) => count,
                None => self.tokenizer.count_whole(&self.text[..end], self.n, scratch)?,
            };
            if count <= self.n {
                return Ok(end);
            }
            end -= 1;
        }
    }

    /// The position in the normalized text that corresponds to `end` of the original.
    fn place(&self, end: usize) -> usize {
        let wanted = u32_of(end);
        self.normalized.origins.partition_point(|&origin| origin < wanted)
    }

    /// The count of the prefix of `end` bytes of the original, if a chunk of the normalizer begins there: then its
    /// normalized text is a prefix of that of the whole.
    fn known_count(&mut self, end: usize, buffers: &mut Buffers) -> Option<usize> {
        let squeeze = self.tokenizer.normalizer.rules.squeeze;
        let (mut at, wanted, origins) = (self.place(end), u32_of(end), &self.normalized.origins);
        if origins.get(at) != Some(&wanted) || squeeze && origins[0] >= wanted {
            // Spaces at the end are dropped, where they become one space and not something else.
            let shorter = self.text[..end].trim_ascii_end().len();
            let is_spaces = squeeze && shorter < end && self.text[shorter..end].iter().all(|&byte| byte == b' ');
            let place = self.place(shorter);
            let follows = self.normalized.inner().get(place) == Some(&b' ') && at <= place + 1;
            return if is_spaces && follows { self.known_count(shorter, buffers) } else { None };
        }
        // So are those of the normalized text.
        while squeeze && at > 0 && self.normalized.inner()[at - 1] == b' ' {
            at -= 1;
        }
        let known = self.counts.as_ref().and_then(|counts| counts.get(at)).filter(|&&count| count < NO_COUNT);
        known.map(|&count| us(count)).or_else(|| self.chunks.as_mut()?.up_to(at, buffers))
    }
}

/// Whether a text is all white space.
fn is_blank(text: &[u8]) -> bool {
    std::str::from_utf8(text).is_ok_and(|text| text.chars().all(char::is_whitespace))
}

/// The ends of the characters of a text, from 0 on; an invalid byte is a character of its own.
struct CharacterEnds(Vec<usize>);

impl CharacterEnds {
    fn of(text: &[u8]) -> Self {
        let (mut ends, mut at) = (vec![0], 0);
        for part in text.utf8_chunks() {
            for length in part.valid().chars().map(char::len_utf8).chain(part.invalid().iter().map(|_| 1)) {
                at += length;
                ends.push(at);
            }
        }
        Self(ends)
    }

    /// The next end after one of them.
    fn after(&self, end: usize) -> Option<usize> {
        self.0.get(self.0.partition_point(|&other| other <= end)).copied()
    }

    fn at_or_before(&self, place: usize) -> usize {
        self.0[..self.0.partition_point(|&end| end <= place)].last().copied().unwrap_or(0)
    }
}
