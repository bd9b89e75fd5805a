//! Pre-tokenized text: chunks that rules made, each segmented by itself.

use crate::segment::fallback::fuse;
use crate::segment::unigram::bounded::MAX_SOLVED;
use crate::segment::UNKNOWN;
use crate::units::engine::Run;
use crate::units::key::Cut;
use crate::units::key::WINDOW;
use crate::units::viterbi_state::ViterbiState;
use crate::util::cast::us;
use crate::util::interrupt::report;

impl Run<'_, '_> {
    /// Processes the chunks of rules, window by window.
    pub(crate) fn made_chunks(&mut self, mut rest: &[u32], limit: usize) {
        let mut at = 0;
        while !rest.is_empty() && self.count <= limit {
            let some = rest.partition_point(|&end| us(end) < at + WINDOW).max(1);
            let (window, later) = rest.split_at(some);
            let last = window.last().map_or(at, |&end| us(end));
            report(last - at);
            self.reserve(last - at);
            if self.engine.units.segmenter.has_byte_paths() {
                self.byte_paths(at, window, 0.0);
            } else if self.engine.units.has_cuts() {
                self.made_character_chunks(at, window);
            } else if self.engine.units.has_parts() {
                self.made_byte_chunks(at, window);
            } else {
                self.short_chunks(at, window);
            }
            (at, rest) = (last, later);
        }
    }

    fn made_byte_chunks(&mut self, at: usize, window: &[u32]) {
        let ends = &mut self.scratch.ends;
        ends.clear();
        ends.extend_from_slice(window);
        self.some_chunks(at, window.len());
    }

    fn made_character_chunks(&mut self, mut at: usize, window: &[u32]) {
        for part in window.chunk_by(|&one, &other| us(other - one) <= MAX_SOLVED) {
            // The first of a part may be of any length, the others are short.
            let (first, others) = (us(part[0]), &part[1..]);
            if first - at > MAX_SOLVED {
                self.long_chunk(at, first);
            } else {
                self.short_chunks(at, &part[..1]);
            }
            self.short_chunks(first, others);
            at = part.last().map_or(first, |&end| us(end));
        }
    }

    /// Processes chunks that are one unit each.
    fn short_chunks(&mut self, at: usize, ends: &[u32]) {
        let starts = &mut self.scratch.starts;
        starts.clear();
        starts.push(Cut::at(at));
        starts.extend(ends.iter().map(|&at| Cut { at, ..Cut::default() }));
        self.whole = true;
        self.window(ends.len());
        self.whole = false;
    }

    /// Processes a chunk of many units.
    fn long_chunk(&mut self, start: usize, end: usize) {
        let before = self.count;
        self.running = ViterbiState { cell: 0.0, synced: self.count };
        self.windows(start, end, usize::MAX);
        let segmenter = &self.engine.units.segmenter;
        if self.flags & UNKNOWN != 0 && segmenter.fallback.fuses() {
            self.count = before + fuse(&mut self.scratch.ids[before..self.count], segmenter.fallback.unk_id(), false);
        }
    }
}
