//! Prefix counts from cached counts of chunks.
//!
//! A prefix has the chunks of the whole text up to the unit in which it ends; the rest is split again for each prefix,
//! since a pattern may look ahead. The tokens of a short chunk are counted once, those of all prefixes of a long one in
//! one pass.

use std::collections::HashMap;
use std::ops::RangeInclusive;

use crate::segment::bpe::backtrack::NO_COUNT;
use crate::segment::{Algorithm, Buffers};
use crate::tokenizer::truncate::LONG;
use crate::tokenizer::Tokenizer;
use crate::util::us;

/// Maximum number of cached passes over long chunks; prefixes beyond these are counted one by one.
const PASSES: usize = 16;

/// Prefixes that end in one unit of a normalized text.
pub struct ChunkCounts<'a> {
    tokenizer: &'a Tokenizer,
    /// The normalized text.
    text: &'a [u8],
    /// Start and end of the unit.
    unit: (usize, usize),
    /// Where a long chunk begins that remains one if the text ends in this range.
    run: Option<(usize, RangeInclusive<usize>)>,
    /// Where one pass over a long chunk ends.
    bound: usize,
    /// The number of tokens before the unit.
    before: usize,
    /// Counts by start and end of a chunk.
    short: HashMap<(usize, usize), usize>,
    /// By the start of a chunk, the counts of all its prefixes, if one pass gives them.
    long: HashMap<usize, Option<Vec<u32>>>,
    ids: Vec<u32>,
}

impl<'a> ChunkCounts<'a> {
    /// `None` where chunks do not determine the count: unknowns fuse, or the score before a chunk counts, or the affix of
    /// a chunk's end lies where the next one begins. `chunk` is the one that begins at or before the first token too many,
    /// `bound` a position that no prefix that fits extends past.
    pub fn of(
        tokenizer: &'a Tokenizer,
        text: &'a [u8],
        unit: (usize, usize),
        chunk: (usize, usize),
        bound: usize,
        before: usize,
    ) -> Option<Self> {
        let (splitter, own) = (tokenizer.units.splitter, &text[unit.0..unit.1]);
        let is_merging = matches!(tokenizer.units.segmenter.algorithm, Algorithm::Bpe(_) | Algorithm::Merges(_));
        let is_chunkwise = (splitter.is_some() || is_merging) && tokenizer.has_dense_ends();
        if !is_chunkwise || !tokenizer.never_fuses(own) || tokenizer.spells_unknown(own) {
            return None;
        }
        let keeps_runs = splitter.is_some_and(|splitter| splitter.keeps_runs()) && chunk.1 - chunk.0 > LONG;
        let run = keeps_runs.then(|| run_start(&text[..chunk.0], &text[chunk.0..chunk.1])).flatten();
        let run = run.map(|first| (chunk.0, chunk.0 + first..=chunk.1));
        let (short, long, ids) = (HashMap::new(), HashMap::new(), Vec::new());
        Some(Self { tokenizer, text, unit, run, bound, before, short, long, ids })
    }

    /// The count of the prefix that ends at `end`, a position in the unit.
    pub fn up_to(&mut self, end: usize, buffers: &mut Buffers) -> Option<usize> {
        if end < self.unit.0 || end > self.unit.1 {
            return None;
        }
        let (mut at, mut count) = (self.unit.0, self.before);
        while at < end {
            let is_run = self.run.as_ref().is_some_and(|(start, ends)| *start == at && ends.contains(&end));
            let next = match self.tokenizer.units.splitter {
                Some(splitter) if !is_run => splitter.chunk_end(self.text, at, end),
                _ => end,
            };
            count += self.chunk(at, next, buffers)?;
            at = next;
        }
        Some(count)
    }

    fn chunk(&mut self, start: usize, end: usize, buffers: &mut Buffers) -> Option<usize> {
        if end - start > LONG {
            if let Some(count) = self.long_chunk(start, end, buffers) {
                return Some(count);
            }
        }
        if let Some(&count) = self.short.get(&(start, end)) {
            return Some(count);
        }
        if !self.tokenizer.units.has_units() {
            return None;
        }
        self.ids.clear();
        self.tokenizer.units.segmenter.exact(&self.text[start..end], 0.0, buffers, &mut self.ids);
        self.short.insert((start, end), self.ids.len());
        Some(self.ids.len())
    }

    fn long_chunk(&mut self, start: usize, end: usize, buffers: &mut Buffers) -> Option<usize> {
        if !self.long.contains_key(&start) {
            if self.long.len() == PASSES {
                return None;
            }
            let rest = &self.text[start..self.bound.clamp(start, self.unit.1)];
            let counts = match &self.tokenizer.units.segmenter.algorithm {
                Algorithm::Bpe(bpe) => bpe.prefix_counts(rest, &mut buffers.bpe),
                Algorithm::Merges(merges) => merges.prefix_counts(rest, &mut buffers.merges),
                _ => None,
            };
            self.long.insert(start, counts);
        }
        let counts = self.long.get(&start)?.as_ref()?;
        counts.get(end - start).copied().filter(|&count| count < NO_COUNT).map(us)
    }
}

/// The length from which on all prefixes of a chunk are chunks if the text ends there, see [`Splitter::keeps_runs`].
///
/// [`Splitter::keeps_runs`]: crate::spec::stages::Splitter::keeps_runs
fn run_start(before: &[u8], chunk: &[u8]) -> Option<usize> {
    let word = chunk.strip_prefix(b" ").unwrap_or(chunk);
    let has_contraction = || word.contains(&b'\'') && word.iter().any(u8::is_ascii_alphabetic);
    let is_ideograph = |character: char| matches!(character, '\u{3041}'..='\u{3096}' | '\u{4E00}'..='\u{9FFF}');
    let is_sign = |character: char| !character.is_alphanumeric() && !character.is_whitespace();
    let is_ascii = word.iter().all(u8::is_ascii_graphic) && !has_contraction();
    let is_run = |word: &str| word.chars().all(is_ideograph) || word.chars().all(is_sign);
    if is_ascii || std::str::from_utf8(word).is_ok_and(is_run) {
        return Some(chunk.len() - word.len() + 1);
    }
    let is_apart = before.last().is_none_or(u8::is_ascii_graphic);
    (is_apart && chunk.iter().all(|&byte| byte == b' ')).then_some(1)
}
