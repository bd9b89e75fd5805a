//! BPE by a heap of candidate merges: units of any length, and BPE-dropout.
//!
//! Symbols are in a linked list; the heap has a candidate for each adjacent pair that can be merged: by rank, then
//! leftmost. A candidate is stale if its left symbol has another merge by then, or none.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::util::{low32, u32_of, us, Pace};

/// A symbol of a unit. One of several byte pieces for one byte of the inner form may have no length.
#[derive(Clone, Copy, Debug)]
pub struct Symbol {
    /// The id.
    pub id: u32,
    /// Where it begins in the unit.
    pub start: u32,
    /// Where it ends.
    pub end: u32,
    prev: u32,
    next: u32,
}

/// Whether a skipped merge can be retried.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Skipped {
    /// It is never a candidate again.
    Gone,
    /// It is a candidate again as soon as another merge is made. Stale candidates can be skipped too, as in the library
    /// whose distribution this reproduces (`docs/algorithms/sampling.md`).
    Returns,
}

const NONE: u32 = u32::MAX;
const NO_MERGE: u64 = u64::MAX;

/// Rank above left symbol, and the result.
type Candidate = Reverse<(u64, u32)>;

/// The symbols of a unit during merging. The buffers are reused.
#[derive(Default)]
pub struct Heap {
    symbols: Vec<Symbol>,
    /// For each symbol its merge with the next one: rank above result, or [`NO_MERGE`].
    merges: Vec<u64>,
    queue: BinaryHeap<Candidate>,
    skipped: Vec<Candidate>,
}

impl Heap {
    /// Begins a unit.
    pub fn open(&mut self) {
        self.symbols.clear();
    }

    /// Appends a symbol of `len` bytes.
    #[inline]
    pub fn push(&mut self, id: u32, len: u32) {
        let (count, start) = (u32_of(self.symbols.len()), self.symbols.last().map_or(0, |last| last.end));
        if let Some(last) = self.symbols.last_mut() {
            last.next = count;
        }
        let prev = count.checked_sub(1).unwrap_or(NONE);
        self.symbols.push(Symbol { id, start, end: start + len, prev, next: NONE });
    }

    /// Merges until no candidate is left: `find` gives rank and result of the merge of two neighbours, `tell` is called
    /// with each merge and its rank before it is made, and `skips` says whether a candidate is skipped.
    #[inline]
    pub fn merge(
        &mut self,
        mut find: impl FnMut(&Symbol, &Symbol) -> Option<(u32, u32)>,
        mut tell: impl FnMut(&Symbol, &Symbol, u32),
        skipped: Skipped,
        mut skips: impl FnMut() -> bool,
    ) {
        let (mut looked, mut pace) = (0, Pace::new());
        let mut count = || {
            looked += 1;
            pace.reach(looked);
        };
        self.merges.clear();
        self.merges.resize(self.symbols.len(), NO_MERGE);
        let mut first = std::mem::take(&mut self.queue).into_vec();
        first.clear();
        for (left, pair) in self.symbols.windows(2).enumerate() {
            count();
            if let Some((rank, result)) = find(&pair[0], &pair[1]) {
                self.merges[left] = u64::from(rank) << 32 | u64::from(result);
                first.push(candidate(rank, u32_of(left), result));
            }
        }
        self.queue = BinaryHeap::from(first);
        self.skipped.clear();
        while let Some(top) = self.queue.pop() {
            count();
            if skipped == Skipped::Returns {
                if skips() {
                    self.skipped.push(top);
                    continue;
                }
                self.queue.extend(self.skipped.drain(..));
            }
            let Reverse((key, result)) = top;
            let (rank, left) = (low32(key >> 32), low32(key));
            if self.merges[us(left)] != key & !u64::from(u32::MAX) | u64::from(result) {
                continue;
            }
            if skipped == Skipped::Gone && skips() {
                self.merges[us(left)] = NO_MERGE;
                continue;
            }
            let one = self.symbols[us(left)];
            let other = self.symbols[us(one.next)];
            tell(&one, &other, rank);
            self.merges[us(one.next)] = NO_MERGE;
            self.symbols[us(left)] = Symbol { id: result, end: other.end, next: other.next, ..one };
            if other.next != NONE {
                self.symbols[us(other.next)].prev = left;
            }
            self.propose(left, &mut find);
            if one.prev != NONE {
                self.propose(one.prev, &mut find);
            }
        }
    }

    /// Finds the merge of a symbol with the next one, and queues it.
    #[inline]
    fn propose(&mut self, left: u32, find: &mut impl FnMut(&Symbol, &Symbol) -> Option<(u32, u32)>) {
        let one = &self.symbols[us(left)];
        let found = self.symbols.get(us(one.next)).and_then(|other| find(one, other));
        self.merges[us(left)] = NO_MERGE;
        if let Some((rank, result)) = found {
            self.merges[us(left)] = u64::from(rank) << 32 | u64::from(result);
            self.queue.push(candidate(rank, left, result));
        }
    }

    /// The remaining symbols, in order.
    pub fn symbols(&self) -> impl Iterator<Item = &Symbol> {
        let mut at = 0;
        std::iter::from_fn(move || {
            let symbol = self.symbols.get(us(at))?;
            at = symbol.next;
            Some(symbol)
        })
    }
}

/// A candidate, ordered by rank, then by position.
fn candidate(rank: u32, left: u32, result: u32) -> Candidate {
    Reverse((u64::from(rank) << 32 | u64::from(left), result))
}
