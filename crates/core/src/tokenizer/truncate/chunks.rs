//! Prefix counts of split text, from cached counts of its chunks.
//!
//! A prefix has the chunks of the whole text up to the unit in which it ends; the rest is split again for each prefix,
//! since a pattern may look ahead. The tokens of a short chunk are counted once, those of all prefixes of a long one in
//! one pass.

use std::collections::HashMap;

use crate::segment::bpe::backtrack::NO_COUNT;
use crate::segment::{Algorithm, Buffers};
use crate::spec::stages::Splitter;
use crate::tokenizer::truncate::LONG;
use crate::tokenizer::Tokenizer;
use crate::util::cast::us;

/// Maximum number of cached passes over long chunks; prefixes beyond these are counted one by one.
const PASSES: usize = 16;

/// Prefixes that end in one unit of a normalized text.
pub struct ChunkCounts<'a> {
    tokenizer: &'a Tokenizer,
    splitter: Splitter,
    /// The normalized text.
    text: &'a [u8],
    /// Start and end of the unit.
    unit: (usize, usize),
    /// The number of tokens before the unit.
    before: usize,
    /// Counts by start and end of a chunk.
    short: HashMap<(usize, usize), usize>,
    /// By the start of a chunk, the counts of all its prefixes, if one pass gives them.
    long: HashMap<usize, Option<Vec<u32>>>,
    ids: Vec<u32>,
}

impl<'a> ChunkCounts<'a> {
    /// `None` where chunks do not determine the count: there is no splitter, or unknowns of two chunks fuse, or the
    /// affix of a chunk's end lies where the next one begins.
    pub fn of(tokenizer: &'a Tokenizer, text: &'a [u8], unit: (usize, usize), before: usize) -> Option<Self> {
        let splitter = tokenizer.units.splitter?;
        let (short, long, ids) = (HashMap::new(), HashMap::new(), Vec::new());
        let counts = Self { tokenizer, splitter, text, unit, before, short, long, ids };
        (!tokenizer.units.segmenter.fallback.fuses() && tokenizer.has_dense_ends()).then_some(counts)
    }

    /// The count of the prefix that ends at `end`, a position in the unit.
    pub fn up_to(&mut self, end: usize, buffers: &mut Buffers) -> Option<usize> {
        if end < self.unit.0 || end > self.unit.1 {
            return None;
        }
        let (mut at, mut count) = (self.unit.0, self.before);
        while at < end {
            let next = self.splitter.chunk_end(self.text, at, end);
            count += self.chunk(at, next, buffers);
            at = next;
        }
        Some(count)
    }

    fn chunk(&mut self, start: usize, end: usize, buffers: &mut Buffers) -> usize {
        if end - start > LONG {
            if let Some(count) = self.long_chunk(start, end, buffers) {
                return count;
            }
        }
        if let Some(&count) = self.short.get(&(start, end)) {
            return count;
        }
        self.ids.clear();
        self.tokenizer.units.segmenter.exact(&self.text[start..end], 0.0, buffers, &mut self.ids);
        self.short.insert((start, end), self.ids.len());
        self.ids.len()
    }

    fn long_chunk(&mut self, start: usize, end: usize, buffers: &mut Buffers) -> Option<usize> {
        if !self.long.contains_key(&start) {
            if self.long.len() == PASSES {
                return None;
            }
            let rest = &self.text[start..self.unit.1];
            let counts = match &self.tokenizer.units.segmenter.algorithm {
                _ if self.tokenizer.spells_unknown(rest) => None,
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
