//! Best paths over byte pieces: each chunk from beginning to end, many chunks per pass.

use std::ops::Range;

use crate::segment::Algorithm;
use crate::spec::stages::Splitter;
use crate::units::engine::Run;
use crate::units::scratch::EngineScratch;
use crate::units::viterbi_state::ViterbiState;
use crate::util::{u32_of, us};

/// Approximate bytes of chunks per pass.
const SOME: usize = 1 << 14;

impl Run<'_, '_> {
    /// The chunks of a text; without a splitter the whole text is one, which continues from the running score.
    pub(crate) fn byte_text(&mut self, splitter: Option<Splitter>, range: Range<usize>, limit: usize) {
        let Some(splitter) = splitter else {
            return self.byte_paths(range.start, &[u32_of(range.end)], self.running.cell);
        };
        let (mut at, mut ends) = (range.start, std::mem::take(&mut self.scratch.ends));
        while at < range.end && self.count <= limit {
            let start = at;
            ends.clear();
            while at < range.end.min(start + SOME) {
                at = splitter.chunk_end(self.text, at, self.engine.end).min(range.end);
                ends.push(u32_of(at));
            }
            self.byte_paths(start, &ends, 0.0);
        }
        self.scratch.ends = ends;
    }

    /// The chunks that rules made.
    pub(crate) fn byte_chunks(&mut self, mut ends: &[u32], limit: usize) {
        let mut at = 0;
        while !ends.is_empty() && self.count <= limit {
            let (some, later) = ends.split_at(ends.partition_point(|&end| us(end) < at + SOME).max(1));
            self.byte_paths(at, some, 0.0);
            (at, ends) = (some.last().map_or(at, |&end| us(end)), later);
        }
    }

    /// The best path of each chunk up to one of `ends`, from a score. Each edge is a piece, so each is an id.
    pub(crate) fn byte_paths(&mut self, start: usize, ends: &[u32], cell: f64) {
        let Some(&last) = ends.last() else { return };
        self.reserve(us(last) - start);
        let EngineScratch { buffers, ids, .. } = &mut *self.scratch;
        let Algorithm::Unigram(unigram) = &self.engine.units.segmenter.algorithm else { return };
        let (found, mut after) = (&mut buffers.found, cell);
        found.clear();
        if let Some(automaton) = unigram.byte_automaton() {
            after = automaton.paths(self.text, start, ends, cell, &mut buffers.places, found);
        } else {
            let mut at = start;
            for &end in ends {
                after = unigram.viterbi(&self.text[at..us(end)], cell, &mut buffers.cells, found);
                at = us(end);
            }
        }
        for (place, &(id, _)) in ids[self.count..].iter_mut().zip(&*found) {
            *place = id;
        }
        self.count += found.len();
        self.running = ViterbiState { cell: after, synced: self.count };
    }
}
