//! Batched resolution of the cache misses of a window.
//!
//! The ids of the cached units are written first, and each miss is listed with its output position. Then all batchable
//! misses are segmented in one batch, cached, and their ids inserted between the others.

use crate::index::table::{ENTRY_WORDS, MAX_KEY};
use crate::segment::bpe::batch::{BatchSupport, Lanes};
use crate::segment::{Algorithm, Segmenter};
use crate::units::engine::Run;
use crate::units::key::Unit;
use crate::units::scratch::{EngineScratch, Pending};
use crate::util::{u16_of, u32_of, us, us64};

/// Slots of the table of new units of a window, by hash.
const SEEN: usize = 128;

impl Segmenter {
    /// Which units can be segmented in a batch.
    fn batch_support(&self) -> BatchSupport {
        match &self.algorithm {
            Algorithm::Bpe(bpe) => bpe.batch_support(),
            Algorithm::Merges(merges) => merges.batch_support(),
            _ => BatchSupport::None,
        }
    }

    /// Segments cache misses in a batch: hands most of them with their ids to `insert`.
    fn solve_batch(&self, text: &[u8], units: &[Unit], lanes: &mut Lanes, insert: impl FnMut(&Unit, &[u32])) {
        match &self.algorithm {
            Algorithm::Bpe(bpe) => bpe.solve_batch(text, units, lanes, insert),
            Algorithm::Merges(merges) => merges.solve_batch(text, units, lanes, insert),
            _ => {}
        }
    }
}

impl Run<'_, '_> {
    /// Writes the ids of units, with `SINGLES` those of the single characters before each too, if the first of them is
    /// a miss: cached ids first, then the misses, resolved as a batch, between them. Returns whether it did.
    pub(crate) fn answer_misses<const SINGLES: bool>(&mut self, units: &[Unit], done: &mut usize) -> bool {
        let (cache, batch_support) = (&self.scratch.cache, self.engine.units.segmenter.batch_support());
        // Chunks of rules fuse unknowns, which this path does not.
        let is_batched = !self.whole && cache.table.slots() > 0 && batch_support != BatchSupport::None;
        let is_new =
            |unit: &Unit| is_batchable(unit, batch_support) && cache.table.view().find(unit.key, unit.hash).is_none();
        if !is_batched || !units.first().is_some_and(is_new) {
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

    /// Writes the ids of units that are cached inline. The others are listed with the number of ids before them, and
    /// those that can be batched are pushed to `scratch.new`.
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
                // A repeated unit of a window is segmented once; a missed repetition is only segmented again.
                let place = &mut seen[us64(unit.hash >> 32) % SEEN];
                if new.get(usize::from(*place)).is_none_or(|other: &Unit| other.key != unit.key) {
                    *place = u16_of(new.len());
                    new.push(*unit);
                }
            }
        }
    }

    /// Segments and caches the units in `scratch.new`, or most of them.
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

/// Whether a unit can be segmented in a batch.
#[inline(always)]
fn is_batchable(unit: &Unit, batch_support: BatchSupport) -> bool {
    us(unit.len) <= MAX_KEY && (batch_support == BatchSupport::All || unit.key.is_ascii())
}
