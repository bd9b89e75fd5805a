//! Best paths where pieces are bytes: chunks that begin anew, cut into units where no piece lies across.

use std::ops::Range;

use super::cuts::Cut;
use super::engine::{Run, Running, WINDOW};
use crate::cast::{u32_of, us};
use crate::scratch::Scratch;
use crate::split::Splitter;

impl Run<'_, '_> {
    /// The chunks of a text, one by one; all of it is one where it is not split, and goes on from the running cell.
    pub(super) fn byte_text(&mut self, splitter: Option<Splitter>, range: Range<usize>, limit: usize) {
        let Some(splitter) = splitter else { return self.byte_path(range.start, range.end) };
        let mut at = range.start;
        while at < range.end && self.count <= limit {
            let end = splitter.chunk_end(self.text, at, self.engine.end).min(range.end);
            self.running = Running { cell: 0.0, synced: self.count };
            self.byte_path(at, end);
            at = end;
        }
    }

    /// Chunks that rules made.
    pub(super) fn made_byte_paths(&mut self, mut at: usize, ends: &[u32]) {
        for &end in ends {
            self.running = Running { cell: 0.0, synced: self.count };
            self.byte_path(at, us(end));
            at = us(end);
        }
    }

    /// One chunk, some units at a time. Bytes that are no text have no cuts among them.
    fn byte_path(&mut self, start: usize, end: usize) {
        let mut places = std::mem::take(&mut self.scratch.ends);
        places.clear();
        places.push(u32_of(start));
        let cuts = self.engine.segmenter.byte_cuts(self.engine.vocab);
        let text = std::str::from_utf8(&self.text[start..end]).unwrap_or_default();
        self.scratch.pairs.open();
        cuts.each(text.as_bytes(), &mut self.scratch.pairs, |place| places.push(u32_of(start + place)));
        places.push(u32_of(end));
        let mut rest = places.as_slice();
        while let [first, later @ ..] = rest {
            // At least one unit, of whatever length.
            let units = later.partition_point(|&place| us(place - first) <= WINDOW).max(later.len().min(1));
            if units == 0 {
                break;
            }
            self.byte_units(&rest[..=units]);
            rest = &rest[units..];
        }
        self.scratch.ends = places;
    }

    /// The units between some places.
    fn byte_units(&mut self, places: &[u32]) {
        let (first, last) = (places[0], places[places.len() - 1]);
        self.reserve(us(last - first));
        let Scratch { starts, .. } = &mut *self.scratch;
        starts.clear();
        starts.extend(places.iter().map(|&at| Cut { at, is_part: false }));
        if self.is_safe(us(last - first)) {
            self.window(places.len() - 1);
        } else {
            self.careful_window(places.len());
        }
    }
}
