//! Streaming encoder of one fragment, with the ids of the whole.
//!
//! Ids are emitted once nothing that follows can change them: the normalizer has looked ahead by its longest key,
//! spaces are known not to be trailing, and the unit has ended at a cut. Memory is bounded by the longest unit.

use crate::normalize::{Normalized, State};
use crate::segment::fallback::fuse;
use crate::segment::{Algorithm, Mode};
use crate::spec::stages::Splitter;
use crate::tokenizer::scratch::Scratch;
use crate::tokenizer::Tokenizer;
use crate::units::engine::Engine;
use crate::util::us;
use crate::util::utf8::{complete, last_start};

/// The state of a stream within a fragment; the default is that before the first byte.
#[derive(Default)]
pub struct FragmentStream {
    /// Raw bytes whose normalization is not final.
    raw: Vec<u8>,
    state: State,
    /// Normalized text that has not been segmented.
    normalized: Normalized,
    /// End of the normalized text that was searched for cuts.
    scanned: usize,
    /// End of the last character that is no space.
    solid: usize,
    cell: f64,
    after_unknown: bool,
}

impl FragmentStream {
    /// Bytes held back.
    pub fn pending(&self) -> usize {
        self.raw.len() + self.normalized.len
    }

    /// Adds text; returns the ids that it makes final.
    pub fn push(&mut self, tokenizer: &Tokenizer, text: &[u8], scratch: &mut Scratch) -> Vec<u32> {
        self.raw.extend_from_slice(text);
        let stop = match tokenizer.normalizer.lookahead(false) {
            Some(lookahead) => (self.raw.len() + 1).saturating_sub(lookahead),
            None => 0,
        };
        let at = tokenizer.normalizer.advance(&self.raw, 0, stop, &mut self.state, false, 0, &mut self.normalized);
        self.raw.drain(..at);
        if !tokenizer.units.has_units() {
            return self.settled_ids(tokenizer, scratch);
        }
        let cut = match tokenizer.units.splitter {
            Some(splitter) => self.last_chunk(tokenizer, splitter),
            None => {
                let end = self.settled_end(tokenizer);
                self.last_cut(tokenizer, end, scratch)
            }
        };
        self.segment(tokenizer, cut, scratch)
    }

    /// End of the last chunk that nothing appended can change, or 0. Where there is none, the buffer must grow by half
    /// before the next search, so that a long chunk is not rescanned for each part of it.
    fn last_chunk(&mut self, tokenizer: &Tokenizer, splitter: Splitter) -> usize {
        if self.normalized.len < self.scanned {
            return 0;
        }
        let end = self.settled_end(tokenizer);
        self.normalized.pad();
        let text = &self.normalized.bytes;
        let end = complete(&text[..end]);
        let mut ends = Vec::new();
        let mut at = 0;
        while at < end {
            at = splitter.chunk_end(text, at, end);
            ends.push(at);
        }
        let settled = ends.into_iter().rev().find(|&at| splitter.is_settled(text, at, end)).unwrap_or(0);
        let rest = self.normalized.len - settled;
        self.scanned = settled + rest + rest / 2 + 1;
        settled
    }

    /// Ids of a text without units that nothing appended can change, where the look-ahead is bounded by the longest
    /// piece.
    fn settled_ids(&mut self, tokenizer: &Tokenizer, scratch: &mut Scratch) -> Vec<u32> {
        let Algorithm::Greedy(greedy) = &tokenizer.units.segmenter.algorithm else { return Vec::new() };
        let found = &mut scratch.engine.buffers.found;
        found.clear();
        greedy.settled(self.normalized.inner(), found);
        let end = found.last().map_or(0, |&(_, end)| us(end));
        self.drain(end);
        found.iter().map(|&(id, _)| id).collect()
    }

    /// Ends the fragment; returns the remaining ids.
    pub fn finish(&mut self, tokenizer: &Tokenizer, scratch: &mut Scratch) -> Vec<u32> {
        let length = self.raw.len();
        tokenizer.normalizer.advance(&self.raw, 0, length, &mut self.state, false, 0, &mut self.normalized);
        self.raw.clear();
        tokenizer.normalizer.finish(0, &self.state, false, &mut self.normalized);
        if tokenizer.units.has_units() {
            let end = self.normalized.len;
            return self.segment(tokenizer, end, scratch);
        }
        let mut ids = Vec::new();
        let unknown = tokenizer.units.exact_text(&self.normalized, Mode::Fast, &mut scratch.engine.buffers, &mut ids);
        let count = tokenizer.fuse(ids.len(), unknown, &mut ids);
        ids.truncate(count);
        ids
    }

    /// End of the normalized text that trimming cannot remove.
    fn settled_end(&mut self, tokenizer: &Tokenizer) -> usize {
        if !tokenizer.normalizer.rules.squeeze {
            return self.normalized.len;
        }
        let fresh = &self.normalized.inner()[self.solid..];
        if let Some(last) = fresh.iter().rposition(|&byte| byte != b' ') {
            self.solid += last + 1;
        }
        self.solid
    }

    fn last_cut(&mut self, tokenizer: &Tokenizer, end: usize, scratch: &mut Scratch) -> usize {
        if self.scanned >= end {
            return 0;
        }
        self.normalized.pad();
        let engine = Engine::new(&tokenizer.units, &tokenizer.spec.vocab, self.normalized.len);
        let cut = engine.last_cut(&self.normalized.bytes, self.scanned, end, &mut scratch.engine.starts);
        let found = if scratch.engine.starts.is_empty() { 0 } else { cut };
        self.scanned = last_start(&self.normalized.bytes, end);
        found
    }

    fn segment(&mut self, tokenizer: &Tokenizer, end: usize, scratch: &mut Scratch) -> Vec<u32> {
        if end == 0 {
            return Vec::new();
        }
        let engine = Engine::new(&tokenizer.units, &tokenizer.spec.vocab, self.normalized.len);
        let outcome = engine.run(&self.normalized.bytes, 0..end, self.cell, usize::MAX, None, &mut scratch.engine);
        let mut ids = scratch.engine.ids[..outcome.count].to_vec();
        if let Algorithm::Unigram(unigram) = &tokenizer.units.segmenter.algorithm {
            self.cell = unigram.add(outcome.running.cell, &ids[outcome.running.synced..]);
        }
        if tokenizer.units.segmenter.fallback.fuses {
            let unk_id = tokenizer.units.segmenter.fallback.unk_id;
            let after_unknown = ids.last() == Some(&unk_id);
            let count = fuse(&mut ids, unk_id, self.after_unknown);
            ids.truncate(count);
            self.after_unknown = after_unknown;
        }
        self.drain(end);
        ids
    }

    /// Drops normalized text that was encoded.
    fn drain(&mut self, end: usize) {
        self.normalized.bytes.copy_within(end..self.normalized.len, 0);
        self.normalized.len -= end;
        self.scanned = self.scanned.saturating_sub(end);
        self.solid = self.solid.saturating_sub(end);
    }
}
