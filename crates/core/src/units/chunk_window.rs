//! Windows over split text: units are chunks, or parts of them.

use crate::index::table::MAX_KEY;
use crate::segment::bpe::ranks::MAX_SHORT;
use crate::spec::stages::Splitter;
use crate::units::cache::load_units;
use crate::units::engine::{Run, BEHIND};
use crate::units::key::Cut;
use crate::units::key::Unit;
use crate::units::key::WINDOW;
use crate::units::scratch::EngineScratch;
use crate::util::cast::{u32_of, us};
use crate::util::interrupt::report;

/// If fewer than one byte in this many is non-ASCII, only very long chunks are cut further.
const FEW_WIDE: usize = 8;

impl Run<'_, '_> {
    /// Processes the chunks of a split text, window by window.
    pub(crate) fn chunks(&mut self, splitter: Splitter, from: usize, end: usize, limit: usize) {
        let mut at = from;
        while at < end && self.count <= limit {
            let stop = end.min(at + WINDOW);
            let ends = &mut self.scratch.ends;
            ends.resize(WINDOW + BEHIND, 0);
            let found = splitter.chunks(self.text, at, stop, self.engine.end, ends);
            let Some(&last) = ends[..found].last() else { break };
            // A text of one window is short, and one chunk may be longer than any window.
            if us(last) < end || us(last) - at > WINDOW {
                report(us(last) - at);
            }
            self.reserve(us(last) - at);
            self.some_chunks(at, found);
            at = us(last);
        }
    }

    /// Processes the chunks from `at` on whose ends are the first `found` of the window's, as far as there is room.
    pub(crate) fn some_chunks(&mut self, at: usize, found: usize) {
        let last = self.scratch.ends[..found].last().map_or(at, |&last| us(last));
        if !self.engine.units.has_parts() || self.text[at..last].is_ascii() {
            self.whole_units::<false>(at, found);
        } else if !self.wide_chunks(at, found) {
            self.scratch.starts.clear();
            self.scratch.starts.push(Cut::at(at));
            self.part_chunks(found);
            self.window(self.scratch.starts.len() - 1);
        }
    }

    /// Processes units from `at` on, all within a window and none a part of a chunk: `found` chunks, or with `CUTS` the
    /// ranges between cuts.
    pub(crate) fn whole_units<const CUTS: bool>(&mut self, at: usize, found: usize) {
        let mut units = std::mem::take(&mut self.scratch.chunks);
        units.resize(units.len().max(found), Unit::default());
        let EngineScratch { cache, starts, ends, .. } = &*self.scratch;
        if CUTS {
            load_units(self.text, at, starts[1..].iter().map(|cut| cut.at), cache, &mut units[..found]);
        } else {
            load_units(self.text, at, ends.iter().copied(), cache, &mut units[..found]);
        }
        self.answer::<false>(&units[..found]);
        self.scratch.chunks = units;
    }

    /// Cuts chunks further, where no piece spans two characters.
    fn part_chunks(&mut self, found: usize) {
        let EngineScratch { starts, ends, pairs, .. } = &mut *self.scratch;
        let window = starts.last().zip(ends[..found].last());
        let window = window.map_or(&[][..], |(start, &end)| &self.text[us(start.at)..us(end)]);
        let wide = window.iter().filter(|byte| !byte.is_ascii()).count();
        // In ASCII text, other characters are mostly punctuation, and chunks with them seldom long.
        let longest = if wide * FEW_WIDE < window.len() { MAX_SHORT } else { MAX_KEY };
        let mut made = None;
        for &end in &ends[..found] {
            let first = starts.len() - 1;
            let start = starts[first].at;
            let chunk = &self.text[us(start)..us(end)];
            if chunk.len() > longest && !chunk.is_ascii() {
                let (cuts, is_text) = *made.get_or_insert_with(|| {
                    pairs.open();
                    let is_text = std::str::from_utf8(window).is_ok();
                    report(window.len());
                    (self.engine.units.byte_cuts(self.engine.vocab), is_text)
                });
                // Cuts are defined for valid UTF-8 only.
                if is_text || std::str::from_utf8(chunk).is_ok() {
                    cuts.each(chunk, pairs, |place| {
                        starts.push(Cut { at: start + u32_of(place), is_part: true });
                    });
                }
                if starts.len() > first + 1 {
                    starts[first].is_part = true;
                }
            }
            starts.push(Cut { at: end, ..Cut::default() });
        }
    }
}
