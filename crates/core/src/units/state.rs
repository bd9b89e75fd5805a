//! Where the reference's dynamic program stands in a text, for units whose answer depends on it.
//!
//! At a cut there is one cell, and it is the sum of what was emitted before. It is added up only when somebody asks.

use crate::segment::Algorithm;
use crate::segment::{NEAR, UNKNOWN, UNSETTLED};
use crate::units::engine::{Deferred, Run};
use crate::units::scratch::EngineScratch;
use crate::util::cast::u32_of;

/// Where the reference's dynamic program stands.
#[derive(Clone, Copy, Debug, Default)]
pub struct Running {
    /// Its cell after the first `synced` ids.
    pub cell: f64,
    /// Ids that the cell accounts for.
    pub synced: usize,
}

impl Run<'_, '_> {
    /// Whether settled answers hold for the next `bytes` bytes, adding up the cell if need be.
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

    /// Whether what is known of a unit with these flags and so many bytes holds here.
    pub(crate) fn stands(&mut self, flags: u32, bytes: usize) -> bool {
        flags & UNSETTLED == 0 && (flags & NEAR == 0 || self.is_near(bytes))
    }

    #[cold]
    fn is_near(&mut self, bytes: usize) -> bool {
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

    /// A unit that is segmented by the plain path from its cell.
    pub(crate) fn long_unit(&mut self, start: usize, end: usize, whole: bool) {
        let is_unigram = matches!(self.engine.units.segmenter.algorithm, Algorithm::Unigram(_));
        if let (Some(open), true) = (&mut self.open, is_unigram) {
            open.deferred.push(Deferred { start: u32_of(start), end: u32_of(end), at: u32_of(self.count) });
            return;
        }
        if self.whole {
            self.running = Running { cell: 0.0, synced: self.count };
        }
        self.sync();
        let EngineScratch { buffers, unit, .. } = &mut *self.scratch;
        unit.clear();
        let text = &self.text[start..end];
        let (cell, unknown) = self.engine.units.segmenter.exact_part(text, whole, self.running.cell, buffers, unit);
        if self.whole && unknown {
            self.engine.units.segmenter.fuse_from(0, unit);
        }
        let list = std::mem::take(unit);
        self.take(&list, u32::from(unknown) * UNKNOWN, start, end - start);
        self.scratch.unit = list;
        self.running = Running { cell, synced: self.count };
    }
}
