//! Many new units at once, so that they wait for memory together.
//!
//! What a unit that was never seen costs is mostly waiting: each step in the trie depends on the one before, and few of its
//! nodes are near. Here the walks from all bytes of several units go side by side, a byte further in each turn, and each asks
//! for its next node before the others have theirs. Then the units are merged by what was found.

use std::ops::Range;

use crate::cast::{low8, u32_of, us};
use crate::index::table::MAX_KEY;
use crate::index::trie::TrieView;
use crate::scratch::{Scratch, Unit};
use crate::segment::engine::Run;
use crate::segment::short::{merge_rows, Ranks, Row, SHORTER};
use crate::segment::{Algorithm, Segmenter};

/// After more misses in a window the next one looks for what is new before it answers.
pub const FEW_MISSES: u64 = 1;
/// Units that are walked side by side.
const UNITS: usize = 16;
const ROWS: usize = UNITS * SHORTER;

/// What units are segmented by.
pub struct Teacher<'a, R> {
    /// Pieces by their texts.
    pub trie: TrieView<'a>,
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
                group.open(index, unit, 0..count, self.trie.root_base());
            }
            self.walk(text, group);
            for (index, unit) in units.iter().enumerate() {
                if self.whole && !unit.part && group.whole(index, unit).is_none() {
                    group.open(index, unit, 1..unit.len, self.trie.root_base());
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

    fn merge(&self, rows: &[Row], learn: impl FnOnce(&[u32])) {
        let (mut ids, mut count) = ([0; SHORTER], 0);
        merge_rows(self.ranks, rows, |id| {
            ids[count % SHORTER] = id;
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
    /// Begins the walks from some bytes of a unit.
    fn open(&mut self, index: usize, unit: &Unit, bytes: Range<u32>, base: u32) {
        let first = u32_of(index * SHORTER);
        for byte in bytes {
            let row = low8(first + byte);
            self.rows[usize::from(row) % ROWS] = [0; SHORTER];
            let at = unit.start + byte;
            self.walks[self.live] = Walk { at, end: unit.start + unit.len, base, row, length: 0 };
            self.live += 1;
        }
    }

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
    /// Learns the units that are not known yet, many at once.
    pub(super) fn teach(&mut self, units: &[Unit]) {
        let Scratch { learned, new, group, .. } = &mut *self.scratch;
        // Of chunks that rules made unknowns are fused, which is not done here.
        if !learned.is_learning || self.whole || learned.table.slots() == 0 || !self.engine.segmenter.is_taught() {
            return;
        }
        let table = learned.table.view();
        new.clear();
        let is_new = |unit: &&Unit| us(unit.len) <= MAX_KEY && table.find(unit.key, unit.hash).is_none();
        new.extend(units.iter().filter(is_new));
        self.engine.segmenter.teach(self.text, new, group, |unit, ids| {
            learned.misses += 1;
            if learned.table.view().find(unit.key, unit.hash).is_none() {
                let (start, end) = (us(unit.start), us(unit.start + unit.len));
                learned.learn(unit, &self.text[start..end], ids, 0);
            }
        });
    }
}
