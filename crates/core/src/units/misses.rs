//! Many new units at once, so that they wait for memory together.
//!
//! What a unit that was never seen costs is mostly waiting: each step in the trie depends on the one before, and few of its
//! nodes are near. Here the walks from all bytes of several units go side by side, a byte further in each turn, and each asks
//! for its next node before the others have theirs. Then the units are merged by what was found.

use std::ops::Range;

use crate::index::double_array::TrieView;
use crate::index::openings::Openings;
use crate::index::table::{COPIED, MAX_KEY};
use crate::segment::bpe::short::{merge_rows, Ranks, Row, SHORTER};
use crate::segment::{Algorithm, Segmenter};
use crate::units::engine::Run;
use crate::units::key::Unit;
use crate::units::scratch::EngineScratch;
use crate::util::cast::{low8, u16_of, u32_of, us, us64};

/// Units that are walked side by side.
const UNITS: usize = 16;
/// Places for new units of a window, by their hashes.
const SEEN: usize = 128;
const ROWS: usize = UNITS * SHORTER;

/// Which units are segmented so.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Taught {
    /// None.
    None,
    /// Those of ASCII: each byte is a character.
    Ascii,
    /// All.
    All,
}

/// What units are segmented by.
pub struct Teacher<'a, R> {
    /// Pieces by their texts.
    pub trie: TrieView<'a>,
    /// Their first two bytes.
    pub openings: &'a Openings,
    /// The order of merges.
    pub ranks: &'a R,
    /// Whether a chunk that is a piece is that piece.
    pub whole: bool,
}

/// A unit of a window that was not known, while what follows it was written.
#[derive(Clone, Copy)]
pub struct Other {
    /// Its number.
    unit: u32,
    /// How many ids of known units stand before it.
    place: u32,
}

/// The walk from one byte of a unit.
#[derive(Clone, Copy, Default)]
struct Walk {
    /// The next byte.
    at: u32,
    /// Where the unit ends.
    end: u32,
    /// Where the trie goes on.
    base: u32,
    /// Which row it writes.
    row: u8,
    /// Bytes behind it.
    length: u8,
}

/// Some units on their way.
pub struct Group {
    rows: [Row; ROWS],
    walks: [Walk; ROWS],
    /// How many walks there are.
    live: usize,
}

impl Default for Group {
    fn default() -> Self {
        Self { rows: [[0; SHORTER]; ROWS], walks: [Walk::default(); ROWS], live: 0 }
    }
}

impl<R: Ranks> Teacher<'_, R> {
    /// Segments units of one to 16 bytes, and hands each with its ids to `learn`.
    pub fn solve(&self, text: &[u8], units: &[Unit], group: &mut Group, mut learn: impl FnMut(&Unit, &[u32])) {
        for units in units.chunks(UNITS) {
            group.live = 0;
            for (index, unit) in units.iter().enumerate() {
                let count = if self.whole && !unit.part { 1 } else { unit.len };
                self.open(text, group, index, unit, 0..count);
            }
            self.walk(text, group);
            for (index, unit) in units.iter().enumerate() {
                if self.whole && !unit.part && group.whole(index, unit).is_none() {
                    self.open(text, group, index, unit, 1..unit.len);
                }
            }
            self.walk(text, group);
            for (index, unit) in units.iter().enumerate() {
                match group.whole(index, unit).filter(|_| self.whole && !unit.part) {
                    Some(id) => learn(unit, &[id]),
                    None => self.merge(group.rows_of(index, unit), |ids| learn(unit, ids)),
                }
            }
        }
    }

    /// Begins the walks from some bytes of a unit.
    #[inline(always)]
    fn open(&self, text: &[u8], group: &mut Group, index: usize, unit: &Unit, bytes: Range<u32>) {
        let (first, end) = (u32_of(index * SHORTER), unit.start + unit.len);
        for byte in bytes {
            let (row, at) = (low8(first + byte), us(unit.start + byte));
            let numbers = &mut group.rows[usize::from(row) % ROWS];
            *numbers = [0; SHORTER];
            numbers[0] = self.openings.single(text[at]);
            if us(end) <= at + 1 {
                break;
            }
            let opening = self.openings.pair(text[at], text[at + 1]);
            numbers[1] = opening.number;
            self.ranks.prefetch(opening.number.wrapping_sub(1));
            if us(end) > at + 2 && opening.base != self.trie.dead_base() {
                self.trie.prefetch(opening.base, text[at + 2]);
                group.walks[group.live % ROWS] = Walk { at: u32_of(at + 2), end, base: opening.base, row, length: 2 };
                group.live += 1;
            }
        }
    }

    fn merge(&self, rows: &[Row], learn: impl FnOnce(&[u32])) {
        let (mut ids, mut count) = ([0; SHORTER], 0);
        merge_rows(self.ranks, rows, |number| {
            ids[count % SHORTER] = number.wrapping_sub(1);
            count += 1;
        });
        if !ids[..count].contains(&u32::MAX) {
            learn(&ids[..count]);
        }
    }

    /// Goes on with all walks to their ends.
    fn walk(&self, text: &[u8], group: &mut Group) {
        let Group { rows, walks, live } = group;
        while *live > 0 {
            let mut kept = 0;
            for next in 0..*live {
                let mut walk = walks[next];
                let Some((base, number)) = self.trie.walk_from(walk.base, &text[us(walk.at)..=us(walk.at)]) else {
                    continue;
                };
                rows[usize::from(walk.row) % ROWS][usize::from(walk.length) % SHORTER] = number;
                (walk.at, walk.base, walk.length) = (walk.at + 1, base, walk.length + 1);
                self.ranks.prefetch(number.wrapping_sub(1));
                if walk.at < walk.end {
                    self.trie.prefetch(base, text[us(walk.at)]);
                    walks[kept] = walk;
                    kept += 1;
                }
            }
            *live = kept;
        }
    }
}

impl Group {
    fn rows_of(&self, index: usize, unit: &Unit) -> &[Row] {
        &self.rows[index * SHORTER..index * SHORTER + us(unit.len)]
    }

    /// The piece that a unit is.
    fn whole(&self, index: usize, unit: &Unit) -> Option<u32> {
        self.rows[index * SHORTER][us(unit.len - 1) % SHORTER].checked_sub(1)
    }
}

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
