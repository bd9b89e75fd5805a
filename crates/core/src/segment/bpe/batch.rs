//! Batched segmentation of short units, so that their loads from the trie overlap.
//!
//! A cache miss is latency-bound: each step in the trie depends on the one before, and few of its nodes are in the
//! processor's caches. The walks from all bytes of 16 units are interleaved, one byte per round, and each prefetches
//! its next node. Then the units are merged by the pieces found.

use std::ops::Range;

use crate::index::double_array::{TrieView, DEAD_BASE};
use crate::index::root_pairs::RootTransitions;
use crate::segment::bpe::ranks::Ranks;
use crate::segment::bpe::short::{merge_rows, Row, SHORTER};
use crate::util::{low8, u32_of, us};

/// A unit of a text.
pub trait Span {
    /// Where it begins.
    fn start(&self) -> u32;
    /// Its length in bytes.
    fn bytes(&self) -> u32;
    /// Whether the unit is a proper part of its pre-token.
    fn is_part(&self) -> bool;
}

/// Number of units that are walked interleaved.
pub(crate) const UNITS: usize = 16;

pub(crate) const ROWS: usize = UNITS * SHORTER;

/// Which units can be segmented in a batch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BatchSupport {
    /// None.
    None,
    /// ASCII units: each byte is a character.
    Ascii,
    /// All.
    All,
}

/// The tables that units are segmented by.
pub struct BatchSolver<'a, R> {
    /// The trie of the pieces' texts.
    pub trie: TrieView<'a>,
    /// The trie nodes after the first two bytes.
    pub root_transitions: &'a RootTransitions,
    /// The order of merges.
    pub ranks: &'a R,
    /// Whether a chunk that is a piece is kept whole.
    pub whole: bool,
}

/// A trie walk from one byte of a unit.
#[derive(Clone, Copy, Default)]
pub(crate) struct Walk {
    /// The next byte.
    at: u32,
    /// Where the unit ends.
    end: u32,
    /// The base of the current trie node.
    base: u32,
    /// The row that it writes.
    row: u8,
    /// Number of bytes walked.
    length: u8,
}

/// The units of a batch and their walks.
pub struct Lanes {
    rows: [Row; ROWS],
    walks: [Walk; ROWS],
    /// The number of unfinished walks.
    live: usize,
}

impl Default for Lanes {
    fn default() -> Self {
        Self { rows: [[0; SHORTER]; ROWS], walks: [Walk::default(); ROWS], live: 0 }
    }
}

impl<R: Ranks> BatchSolver<'_, R> {
    /// Segments units of one to 16 bytes, and hands each with its ids to `insert`.
    pub fn solve<U: Span>(&self, text: &[u8], units: &[U], lanes: &mut Lanes, mut insert: impl FnMut(&U, &[u32])) {
        for units in units.chunks(UNITS) {
            lanes.live = 0;
            for (index, unit) in units.iter().enumerate() {
                let count = if self.whole && !unit.is_part() { 1 } else { unit.bytes() };
                self.open(text, lanes, index, unit, 0..count);
            }
            self.walk(text, lanes);
            for (index, unit) in units.iter().enumerate() {
                if self.whole && !unit.is_part() && lanes.whole(index, unit).is_none() {
                    self.open(text, lanes, index, unit, 1..unit.bytes());
                }
            }
            self.walk(text, lanes);
            for (index, unit) in units.iter().enumerate() {
                match lanes.whole(index, unit).filter(|_| self.whole && !unit.is_part()) {
                    Some(id) => insert(unit, &[id]),
                    None => self.merge(lanes.rows_of(index, unit), |ids| insert(unit, ids)),
                }
            }
        }
    }

    /// Starts the walks from the bytes of a unit.
    #[inline(always)]
    fn open(&self, text: &[u8], lanes: &mut Lanes, index: usize, unit: &impl Span, bytes: Range<u32>) {
        let (first, end) = (u32_of(index * SHORTER), unit.start() + unit.bytes());
        for byte in bytes {
            let (row, at) = (low8(first + byte), us(unit.start() + byte));
            let numbers = &mut lanes.rows[usize::from(row) % ROWS];
            *numbers = [0; SHORTER];
            numbers[0] = self.root_transitions.single(text[at]);
            if us(end) <= at + 1 {
                break;
            }
            let opening = self.root_transitions.pair(text[at], text[at + 1]);
            numbers[1] = opening.number;
            self.ranks.prefetch(opening.number.wrapping_sub(1));
            if us(end) > at + 2 && opening.base != DEAD_BASE {
                self.trie.prefetch(opening.base, text[at + 2]);
                lanes.walks[lanes.live % ROWS] = Walk { at: u32_of(at + 2), end, base: opening.base, row, length: 2 };
                lanes.live += 1;
            }
        }
    }

    fn merge(&self, rows: &[Row], insert: impl FnOnce(&[u32])) {
        let (mut ids, mut count) = ([0; SHORTER], 0);
        merge_rows(self.ranks, rows, |number| {
            ids[count % SHORTER] = number.wrapping_sub(1);
            count += 1;
        });
        if !ids[..count].contains(&u32::MAX) {
            insert(&ids[..count]);
        }
    }

    /// Advances all walks to their ends, interleaved.
    fn walk(&self, text: &[u8], lanes: &mut Lanes) {
        let Lanes { rows, walks, live } = lanes;
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

impl Lanes {
    fn rows_of(&self, index: usize, unit: &impl Span) -> &[Row] {
        &self.rows[index * SHORTER..index * SHORTER + us(unit.bytes())]
    }

    /// The piece that equals a unit.
    fn whole(&self, index: usize, unit: &impl Span) -> Option<u32> {
        self.rows[index * SHORTER][us(unit.bytes() - 1) % SHORTER].checked_sub(1)
    }
}
