//! Windows of text that is split: units are chunks, or parts of them.

use super::cuts::Cut;
use super::engine::{Run, BEHIND, WINDOW};
use super::short::MAX_SHORT;
use crate::cast::{u32_of, us};
use crate::index::lanes::read;
use crate::index::table::{Key, TableView, MAX_KEY};
use crate::scratch::{Learned, Scratch, Unit};
use crate::split::Splitter;

/// Where less than one byte of so many is not ASCII, only very long chunks are cut further.
const FEW_WIDE: usize = 8;

impl Run<'_, '_> {
    /// The chunks of a text that is split, some at a time.
    pub(super) fn chunks(&mut self, splitter: Splitter, from: usize, end: usize, limit: usize) {
        let mut at = from;
        while at < end && self.count <= limit {
            let stop = end.min(at + WINDOW);
            let ends = &mut self.scratch.ends;
            ends.resize(WINDOW + BEHIND, 0);
            let found = splitter.chunks(self.text, at, stop, self.engine.end, ends);
            let Some(&last) = ends[..found].last() else { break };
            self.reserve(us(last) - at);
            self.some_chunks(at, found);
            at = us(last);
        }
    }

    /// The chunks from `at` on whose ends are the first `found` of the window's and for which there is room.
    pub(super) fn some_chunks(&mut self, at: usize, found: usize) {
        let last = self.scratch.ends[..found].last().map_or(at, |&last| us(last));
        if !self.engine.segmenter.has_parts() || self.text[at..last].is_ascii() {
            self.whole_units::<false>(at, found);
        } else if !self.wide_chunks(at, found) {
            self.scratch.starts.clear();
            self.scratch.starts.push(Cut::at(at));
            self.part_chunks(found);
            self.window(self.scratch.starts.len() - 1);
        }
    }

    /// The units from `at` on, all within a window and none a part of a chunk: so many chunks, or what lies between `CUTS`.
    pub(super) fn whole_units<const CUTS: bool>(&mut self, at: usize, found: usize) {
        let mut units = std::mem::take(&mut self.scratch.chunks);
        units.resize(units.len().max(found), Unit::default());
        let Scratch { learned: Learned { table, long, .. }, starts, ends, .. } = &*self.scratch;
        let mut padded;
        let bytes = match self.text[at..].first_chunk() {
            Some(bytes) => bytes,
            None => {
                padded = [0; WINDOW + 16];
                read(self.text, at, &mut padded)
            }
        };
        let (first, places) = (u32_of(at), &mut units[..found]);
        let some_are_long = if CUTS {
            load_units(bytes, first, starts[1..].iter().map(|cut| cut.at), table.view(), places)
        } else {
            load_units(bytes, first, ends.iter().copied(), table.view(), places)
        };
        if some_are_long {
            for unit in units[..found].iter_mut().filter(|unit| us(unit.len) > MAX_KEY) {
                *unit = Unit::load(self.text, unit.start, unit.len);
                long.prefetch(unit.hash);
            }
        }
        self.answer::<false>(&units[..found]);
        self.scratch.chunks = units;
    }

    /// Cuts chunks further, where no piece spans two characters.
    fn part_chunks(&mut self, found: usize) {
        let Scratch { starts, ends, pairs, .. } = &mut *self.scratch;
        let window = starts.last().zip(ends[..found].last());
        let window = window.map_or(&[][..], |(start, &end)| &self.text[us(start.at)..us(end)]);
        let wide = window.iter().filter(|byte| !byte.is_ascii()).count();
        // Among words of ASCII, other characters are signs, and chunks with them seldom long.
        let longest = if wide * FEW_WIDE < window.len() { MAX_SHORT } else { MAX_KEY };
        let mut made = None;
        for &end in &ends[..found] {
            let first = starts.len() - 1;
            let start = starts[first].at;
            let chunk = &self.text[us(start)..us(end)];
            if chunk.len() > longest && !chunk.is_ascii() {
                let (cuts, is_text) = *made.get_or_insert_with(|| {
                    pairs.open();
                    (self.engine.segmenter.byte_cuts(self.engine.vocab), std::str::from_utf8(window).is_ok())
                });
                // Of bytes that are no text nothing is known.
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

/// Makes units ready to be looked up, as if all were short, by where they end: they begin at `at`, with `bytes`, and all of them
/// within a window from there. Whether some are long. Not inlined: this loop needs all registers.
#[inline(never)]
fn load_units(
    bytes: &[u8; WINDOW + 16],
    at: u32,
    ends: impl Iterator<Item = u32>,
    table: TableView<'_>,
    units: &mut [Unit],
) -> bool {
    let (mut start, mut lengths) = (at, 0);
    for (place, end) in units.iter_mut().zip(ends) {
        let (first, len) = (us(start - at) % WINDOW, end - start);
        let Some(raw) = bytes[first..first + 16].first_chunk() else { break };
        let key = Key::short(raw, us(len));
        let hash = key.hash();
        table.prefetch(hash);
        // The rest of it is as it always is.
        (place.key, place.hash, place.start, place.len) = (key, hash, start, len);
        lengths |= len;
        start = end;
    }
    us(lengths) > MAX_KEY
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::table::Table;

    #[test]
    fn short_units_are_as_each_by_itself() {
        let mut state = 7u32;
        let mut text = vec![0; WINDOW + 400];
        for byte in &mut text {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            *byte = state.to_le_bytes()[3];
        }
        let table = Table::new(64);
        for at in [0, 3, 300] {
            let (mut ends, mut end) = (Vec::new(), at);
            while end < at + u32_of(WINDOW) {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                end += 1 + (state >> 24) % if ends.len() % 50 == 49 { 40 } else { 15 };
                ends.push(end);
            }
            let Some(bytes) = text[us(at)..].first_chunk() else { continue };
            let mut units = vec![Unit::default(); ends.len()];
            let has_long = load_units(bytes, at, ends.iter().copied(), table.view(), &mut units);
            let mut start = at;
            for (unit, &end) in units.iter().zip(&ends) {
                let wanted = Unit::load(&text, start, end - start);
                assert!((unit.start, unit.len, unit.part) == (start, end - start, false));
                assert!(us(unit.len) > MAX_KEY || unit.key == wanted.key && unit.hash == wanted.hash);
                start = end;
            }
            assert_eq!(has_long, units.iter().any(|unit| us(unit.len) > MAX_KEY));
        }
    }
}
