//! Windows over mostly non-ASCII text: units are found by character.

use crate::units::characters::Characters;
use crate::units::engine::{singles, Run};
use crate::units::key::Cut;
use crate::units::key::Unit;
use crate::units::key::WINDOW;
use crate::units::scratch::EngineScratch;
use crate::util::cast::{u16_of, us};

/// Average bytes of a unit below which looking up single characters separately pays off.
pub(crate) const SHORT_UNITS: usize = 7;

impl Run<'_, '_> {
    /// Processes the complete units at `stop` of a window of mostly non-ASCII text, where cached results are valid
    /// independent of rounding. Returns where to continue; `at` if no unit is complete.
    pub(crate) fn wide_window(&mut self, at: usize, stop: usize, end: usize) -> usize {
        let Some(letters) = self.engine.units.cuts.letters() else { return at };
        let characters = &mut self.scratch.characters;
        let reached = characters.read(self.text, at, stop, &letters);
        let count = characters.complete((reached == end).then_some(end), 0);
        let last = us(characters.at[count]);
        if count == 0 {
            return at;
        }
        let tells_apart = last - at < SHORT_UNITS * characters.units(count);
        self.reserve(last - at);
        let mut others = std::mem::take(&mut self.scratch.units);
        others.resize(WINDOW + 2, Unit::default());
        let mut found = 0;
        let Characters { at: places, .. } = &*self.scratch.characters;
        self.scratch.characters.each_unit(count, !tells_apart, |first, behind| {
            if let Some(place) = others.get_mut(found) {
                let unit = self.find_key(Cut { at: places[first], is_part: false }, places[behind]);
                *place = Unit { first: u16_of(first), behind: u16_of(behind), ..unit };
                found += 1;
            }
        });
        self.answer_characters(&others[..found], count, tells_apart);
        self.scratch.units = others;
        last
    }

    /// Writes the ids of the first `count` characters of a window: of the units in it and, if they were separated, of
    /// the single characters between them.
    pub(crate) fn answer_characters(&mut self, units: &[Unit], count: usize, tells_apart: bool) {
        if !tells_apart {
            self.answer::<false>(units);
            return;
        }
        let done = self.answer::<true>(units);
        let EngineScratch { characters, ids, .. } = &mut *self.scratch;
        self.count = singles(&characters.ids, done..count, ids, self.count);
    }
}
