//! Many new units at once, so that they wait for memory together.
//!
//! What a unit that was never seen costs is mostly waiting: each step in the trie depends on the one before, and few of its
//! nodes are near. Here the walks from all bytes of several units go side by side, a byte further in each turn, and each asks
//! for its next node before the others have theirs. Then the units are merged by what was found.

use std::ops::Range;

use crate::cast::{low8, u16_of, u32_of, us, us64};
use crate::index::openings::Openings;
use crate::index::table::MAX_KEY;
use crate::index::trie::TrieView;
use crate::scratch::{Scratch, Unit};
use crate::segment::engine::Run;
use crate::segment::short::{merge_rows, Ranks, Row, SHORTER};
use crate::segment::{Algorithm, Segmenter};

/// Units that are walked side by side.
const UNITS: usize = 16;
/// Places for new units of a window, by their hashes.
const SEEN: usize = 128;
const ROWS: usize = UNITS * SHORTER;

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
    /// Whether many units can be segmented at once.
    fn is_taught(&self) -> bool {
        match &self.algorithm {
            Algorithm::Bpe(bpe) => bpe.is_taught(),
            Algorithm::Merges(merges) => merges.is_taught(),
            _ => false,
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
    /// Learns those of some units that are not known yet, many at once, if the first one is such. Whether it did.
    pub(super) fn teach(&mut self, units: &[Unit]) -> bool {
        let Scratch { learned, new, group, .. } = &mut *self.scratch;
        let table = learned.table.view();
        let is_new = |unit: &&Unit| us(unit.len) <= MAX_KEY && table.find(unit.key, unit.hash).is_none();
        // Of chunks that rules made unknowns are fused, which is not done here.
        let can_learn = !self.whole && learned.table.slots() > 0 && self.engine.segmenter.is_taught();
        if !can_learn || !units.first().is_some_and(|unit| is_new(&unit)) {
            return false;
        }
        new.clear();
        let mut seen = [0; SEEN];
        for unit in units.iter().filter(is_new) {
            // What a window has twice is learned once; a unit that is taken for none such is only learned again.
            let place = &mut seen[us64(unit.hash >> 32) % SEEN];
            if new.get(usize::from(*place)).is_none_or(|other: &Unit| other.key != unit.key) {
                *place = u16_of(new.len());
                new.push(*unit);
            }
        }
        self.engine.segmenter.teach(self.text, new, group, |unit, ids| {
            learned.misses += 1;
            if learned.table.view().find(unit.key, unit.hash).is_none() {
                let (start, end) = (us(unit.start), us(unit.start + unit.len));
                learned.learn(unit, &self.text[start..end], ids, 0);
            }
        });
        true
    }
}
