//! Cache misses of a window, resolved together.
//!
//! The ids of the cached units are written first, and each miss is listed with its place. Then all misses that can be are segmented in
//! one batch, inserted into the cache, and their ids put between the others.

use crate::index::table::{ENTRY_WORDS, MAX_KEY};
use crate::segment::bpe::batch::{BatchSupport, Lanes};
use crate::segment::{Algorithm, Segmenter};
use crate::units::engine::Run;
use crate::units::key::Unit;
use crate::units::scratch::EngineScratch;
use crate::units::scratch::Pending;
use crate::util::cast::{u16_of, u32_of, us, us64};

/// Places for new units of a window, by their hashes.
const SEEN: usize = 128;

impl Segmenter {
    /// Which units can be segmented many at once.
    fn batch_support(&self) -> BatchSupport {
        match &self.algorithm {
            Algorithm::Bpe(bpe) => bpe.batch_support(),
            Algorithm::Merges(merges) => merges.batch_support(),
            _ => BatchSupport::None,
        }
    }

    /// Segments units that are to be learned: hands most of them with their ids to `learn`.
    fn solve_batch(&self, text: &[u8], units: &[Unit], lanes: &mut Lanes, learn: impl FnMut(&Unit, &[u32])) {
        match &self.algorithm {
            Algorithm::Bpe(bpe) => bpe.solve_batch(text, units, lanes, learn),
            Algorithm::Merges(merges) => merges.solve_batch(text, units, lanes, learn),
            _ => {}
        }
    }
}

impl Run<'_, '_> {
    /// Writes the ids of units, with `SINGLES` those of the characters before each too, if the first of them is new: what is
    /// known at once, then what is new, learned together, between it. Whether it did.
    pub(crate) fn answer_misses<const SINGLES: bool>(&mut self, units: &[Unit], done: &mut usize) -> bool {
        let (cache, batch_support) = (&self.scratch.cache, self.engine.units.segmenter.batch_support());
        // Of chunks that rules made unknowns are fused, which is not done here.
        let can_learn = !self.whole && cache.table.slots() > 0 && batch_support != BatchSupport::None;
        let is_new =
            |unit: &Unit| is_batchable(unit, batch_support) && cache.table.view().find(unit.key, unit.hash).is_none();
        if !can_learn || !units.first().is_some_and(is_new) {
            return false;
        }
        let first = self.count;
        let mut pending = std::mem::take(&mut self.scratch.pending);
        self.write_cached::<SINGLES>(units, batch_support, done, &mut pending);
        self.resolve_misses();
        let mut known = std::mem::take(&mut self.scratch.between);
        known.clear();
        known.extend_from_slice(&self.scratch.ids[first..self.count]);
        self.count = first;
        let mut at = 0;
        for &Pending { unit, place } in &pending {
            self.write(&known[at..us(place)]);
            at = us(place);
            self.one(&units[us(unit)]);
        }
        self.write(&known[at..]);
        (self.scratch.between, self.scratch.pending) = (known, pending);
        true
    }

    /// Writes the ids of those units that this thread's table answers plainly. The others are listed with the number of ids that
    /// stand before them, and those of them that can be learned are in `scratch.new`.
    fn write_cached<const SINGLES: bool>(
        &mut self,
        units: &[Unit],
        batch_support: BatchSupport,
        done: &mut usize,
        pending: &mut Vec<Pending>,
    ) {
        let (first, mut rest) = (self.count, units);
        let mut seen = [0; SEEN];
        pending.clear();
        self.scratch.new.clear();
        loop {
            rest = self.known::<SINGLES>(rest, done);
            let Some((unit, later)) = rest.split_first() else { break };
            pending.push(Pending { unit: u32_of(units.len() - rest.len()), place: u32_of(self.count - first) });
            rest = later;
            let EngineScratch { cache, new, .. } = &mut *self.scratch;
            if is_batchable(unit, batch_support) && cache.table.view().find(unit.key, unit.hash).is_none() {
                // What a window has twice is learned once; a unit that is taken for none such is only learned again.
                let place = &mut seen[us64(unit.hash >> 32) % SEEN];
                if new.get(usize::from(*place)).is_none_or(|other: &Unit| other.key != unit.key) {
                    *place = u16_of(new.len());
                    new.push(*unit);
                }
            }
        }
    }

    /// Learns the units in `scratch.new`, or most of them.
    fn resolve_misses(&mut self) {
        let EngineScratch { cache, new, lanes, .. } = &mut *self.scratch;
        self.engine.units.segmenter.solve_batch(self.text, new, lanes, |unit, ids| {
            cache.misses += 1;
            if cache.table.view().find(unit.key, unit.hash).is_none() {
                let (start, end) = (us(unit.start), us(unit.start + unit.len));
                cache.insert(unit, &self.text[start..end], ids, 0);
            }
        });
    }

    /// Writes the ids of one unit.
    fn one(&mut self, unit: &Unit) {
        let EngineScratch { cache, ids, .. } = &mut *self.scratch;
        let found = cache.table.view().find(unit.key, unit.hash);
        let list = found.and_then(|found| Some((found.copied()?, found.count())));
        if let Some(((list, length), place)) = list.zip(ids.get_mut(self.count..self.count + ENTRY_WORDS)) {
            place.copy_from_slice(list);
            self.count += length;
        } else {
            self.other(unit);
        }
    }
}

/// Whether a unit is one of those that are segmented many at once.
#[inline(always)]
fn is_batchable(unit: &Unit, batch_support: BatchSupport) -> bool {
    us(unit.len) <= MAX_KEY && (batch_support == BatchSupport::All || unit.key.is_ascii())
}
