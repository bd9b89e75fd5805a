//! The reference's running score: where cached results are valid, and units that are segmented from it.

use crate::segment::{Algorithm, Mode, NEAR, UNKNOWN, UNSETTLED};
use crate::units::engine::Run;
use crate::units::scratch::EngineScratch;
use crate::units::viterbi_state::{Deferred, ViterbiState};
use crate::util::u32_of;

impl Run<'_, '_> {
    /// Whether cached results are valid for the next `bytes` bytes, adding up the running score if necessary.
    pub(crate) fn is_safe(&mut self, bytes: usize) -> bool {
        let Algorithm::Unigram(unigram) = &self.engine.units.segmenter.algorithm else { return true };
        if self.open.is_some() {
            return true;
        }
        let pending = self.count - self.running.synced;
        if unigram.holds(self.running.cell, unigram.reach(pending + bytes)) {
            return true;
        }
        self.sync();
        unigram.holds(self.running.cell, unigram.reach(bytes))
    }

    /// Whether the cached result of a unit of `bytes` bytes with these flags is valid here.
    pub(crate) fn is_cached_answer_valid(&mut self, flags: u32, bytes: usize) -> bool {
        flags & UNSETTLED == 0 && (flags & NEAR == 0 || self.within_rounding_bound(bytes))
    }

    #[cold]
    fn within_rounding_bound(&mut self, bytes: usize) -> bool {
        let Algorithm::Unigram(unigram) = &self.engine.units.segmenter.algorithm else { return true };
        if self.open.is_some() {
            return false;
        }
        if self.whole {
            return unigram.holds_near(0.0, unigram.reach(bytes));
        }
        let pending = self.count - self.running.synced;
        if unigram.holds_near(self.running.cell, unigram.reach(pending + bytes)) {
            return true;
        }
        self.sync();
        unigram.holds_near(self.running.cell, unigram.reach(bytes))
    }

    fn sync(&mut self) {
        if let Algorithm::Unigram(unigram) = &self.engine.units.segmenter.algorithm {
            let pending = &self.scratch.ids[self.running.synced..self.count];
            self.running.cell = unigram.add(self.running.cell, pending);
        }
        self.running.synced = self.count;
    }

    /// Segments a unit by the reference path from its running score.
    pub(crate) fn long_unit(&mut self, start: usize, end: usize, whole: bool) {
        let is_unigram = matches!(self.engine.units.segmenter.algorithm, Algorithm::Unigram(_));
        if let (Some(open), true) = (&mut self.open, is_unigram) {
            open.deferred.push(Deferred { start: u32_of(start), end: u32_of(end), at: u32_of(self.count) });
            return;
        }
        if self.whole {
            self.running = ViterbiState { cell: 0.0, synced: self.count };
        }
        self.sync();
        let EngineScratch { buffers, unit, .. } = &mut *self.scratch;
        unit.clear();
        let text = &self.text[start..end];
        let (cell, unknown) =
            self.engine.units.segmenter.exact_part(text, whole, self.running.cell, Mode::Fast, buffers, unit);
        if self.whole && unknown {
            self.engine.units.segmenter.fuse_from(0, unit);
        }
        let list = std::mem::take(unit);
        self.take(&list, u32::from(unknown) * UNKNOWN, start, end - start);
        self.scratch.unit = list;
        self.running = ViterbiState { cell, synced: self.count };
    }
}
