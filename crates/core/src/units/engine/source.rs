//! The interface of unit sources.

use std::ops::Range;

use crate::segment::unigram::bounded::MAX_SOLVED;
use crate::units::engine::Run;
use crate::units::key::{Cut, Unit};
use crate::util::us;

/// The units of a window.
pub(crate) enum Window {
    /// The first position, and the number of units: the ranges between cuts in `scratch.starts`, all within
    /// [`crate::units::key::WINDOW`] bytes.
    Cuts(usize, usize),
    /// The first position, and the number of chunks, with their ends in `scratch.ends`; all begin within
    /// [`crate::units::key::WINDOW`] bytes.
    Chunks(usize, usize),
    /// The number of units: the ranges between cuts in `scratch.starts`, of any length, some of them parts of chunks.
    Parts(usize),
    /// As `Parts`, but each unit is a whole chunk with its own dynamic program and its own unknowns.
    Whole(usize),
    /// The number of characters of `scratch.characters` whose ranges are the units, and their bytes.
    Characters(usize, usize),
    /// One unit that is longer than a window, and whether it begins a chunk.
    Long(Range<usize>, bool),
}

/// A source of units.
pub(crate) trait UnitSource {
    /// Whether misses can be segmented in batches.
    const BATCHES: bool = true;

    /// Finds the units of the next window; `None` at the end of the text.
    fn next(&mut self, run: &mut Run<'_, '_>) -> Option<Window>;

    /// Whether counting may stop here: not within a chunk whose unknowns are still to be fused.
    fn may_stop(&self) -> bool {
        true
    }

    /// Whether the unit between two positions is a proper part of its chunk.
    fn is_part(&self, _start: u32, _end: u32) -> bool {
        false
    }

    /// Writes the keys of the units among the first `count` characters of the window, or with `tells_apart` of those that
    /// are not a single character with a known id, and prefetches their entries. Returns their number.
    #[inline(always)]
    fn keys(&self, run: &Run<'_, '_>, count: usize, tells_apart: bool, units: &mut [Unit]) -> usize {
        let characters = &*run.scratch.characters;
        let mut found = 0;
        characters.each_unit(count, !tells_apart, |first, behind| {
            let (start, end) = (characters.at[first], characters.at[behind]);
            if let Some(unit) = units.get_mut(found) {
                *unit = run.find_key(Cut { at: start, is_part: self.is_part(start, end) }, end);
                unit.set_characters(first, behind);
                found += 1;
            }
        });
        found
    }

    /// Writes the ids of a unit that is not cached inline.
    fn miss(&self, run: &mut Run<'_, '_>, unit: &Unit) {
        run.other(unit);
    }

    /// Writes the ids of a unit close to where the reference rebases its running score.
    fn careful(&self, run: &mut Run<'_, '_>, unit: &Unit) {
        let len = us(unit.len);
        if len <= MAX_SOLVED && run.is_safe(len) {
            run.other(unit);
        } else {
            run.long_unit(us(unit.start), us(unit.start) + len, true);
        }
    }
}
