//! Cache misses of a window, resolved together.
//!
//! The ids of the cached units are written first, and each miss is listed with its place. Then all misses that can be are segmented in
//! one batch, inserted into the cache, and their ids put between the others.

use crate::index::table::{COPIED, MAX_KEY};
use crate::segment::bpe::batch::{Group, Taught};
use crate::segment::{Algorithm, Segmenter};
use crate::units::engine::Run;
use crate::units::key::Unit;
use crate::units::scratch::EngineScratch;
use crate::units::scratch::Other;
use crate::util::cast::{u16_of, u32_of, us, us64};

/// Places for new units of a window, by their hashes.
const SEEN: usize = 128;

impl Segmenter {
    /// Which units can be segmented many at once.
    fn taught(&self) -> Taught {
        match &self.algorithm {
            Algorithm::Bpe(bpe) => bpe.taught(),
            Algorithm::Merges(merges) => merges.taught(),
            _ => Taught::None,
        }
    }

    /// Segments units that are to be learned: hands most of them with their ids to `learn`.
    fn teach(&self, text: &[u8], units: &[Unit], group: &mut Group, learn: impl FnMut(&Unit, &[u32])) {
        match &self.algorithm {
            Algorithm::Bpe(bpe) => bpe.teach(text, units, group, learn),
            Algorithm::Merges(merges) => merges.teach(text, units, group, learn),
            _ => {}
        }
    }
}

impl Run<'_, '_> {
    /// Writes the ids of units, with `SINGLES` those of the characters before each too, if the first of them is new: what is
    /// known at once, then what is new, learned together, between it. Whether it did.
    pub(crate) fn answer_new<const SINGLES: bool>(&mut self, units: &[Unit], done: &mut usize) -> bool {
        let (learned, taught) = (&self.scratch.learned, self.engine.units.segmenter.taught());
        // Of chunks that rules made unknowns are fused, which is not done here.
        let can_learn = !self.whole && learned.table.slots() > 0 && taught != Taught::None;
        let is_new = |unit: &Unit| can_teach(unit, taught) && learned.table.view().find(unit.key, unit.hash).is_none();
        if !can_learn || !units.first().is_some_and(is_new) {
            return false;
        }
        let first = self.count;
        let mut others = std::mem::take(&mut self.scratch.others);
        self.known_between::<SINGLES>(units, taught, done, &mut others);
        self.learn_new();
        let mut known = std::mem::take(&mut self.scratch.between);
        known.clear();
        known.extend_from_slice(&self.scratch.ids[first..self.count]);
        self.count = first;
        let mut at = 0;
        for &Other { unit, place } in &others {
            self.write(&known[at..us(place)]);
            at = us(place);
            self.one(&units[us(unit)]);
        }
        self.write(&known[at..]);
        (self.scratch.between, self.scratch.others) = (known, others);
        true
    }

    /// Writes the ids of those units that this thread's table answers plainly. The others are listed with the number of ids that
    /// stand before them, and those of them that can be learned are in `scratch.new`.
    fn known_between<const SINGLES: bool>(
        &mut self,
        units: &[Unit],
        taught: Taught,
        done: &mut usize,
        others: &mut Vec<Other>,
    ) {
        let (first, mut rest) = (self.count, units);
        let mut seen = [0; SEEN];
        others.clear();
        self.scratch.new.clear();
        loop {
            rest = self.known::<SINGLES>(rest, done);
            let Some((unit, later)) = rest.split_first() else { break };
            others.push(Other { unit: u32_of(units.len() - rest.len()), place: u32_of(self.count - first) });
            rest = later;
            let EngineScratch { learned, new, .. } = &mut *self.scratch;
            if can_teach(unit, taught) && learned.table.view().find(unit.key, unit.hash).is_none() {
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
    fn learn_new(&mut self) {
        let EngineScratch { learned, new, group, .. } = &mut *self.scratch;
        self.engine.units.segmenter.teach(self.text, new, group, |unit, ids| {
            learned.misses += 1;
            if learned.table.view().find(unit.key, unit.hash).is_none() {
                let (start, end) = (us(unit.start), us(unit.start + unit.len));
                learned.learn(unit, &self.text[start..end], ids, 0);
            }
        });
    }

    /// Writes the ids of one unit.
    fn one(&mut self, unit: &Unit) {
        let EngineScratch { learned, ids, .. } = &mut *self.scratch;
        let found = learned.table.view().find(unit.key, unit.hash);
        let list = found.and_then(|found| Some((found.copied()?, found.count())));
        if let Some(((list, length), place)) = list.zip(ids.get_mut(self.count..self.count + COPIED)) {
            place.copy_from_slice(list);
            self.count += length;
        } else {
            self.other(unit);
        }
    }
}

/// Whether a unit is one of those that are segmented many at once.
#[inline(always)]
fn can_teach(unit: &Unit, taught: Taught) -> bool {
    us(unit.len) <= MAX_KEY && (taught == Taught::All || unit.key.is_ascii())
}
