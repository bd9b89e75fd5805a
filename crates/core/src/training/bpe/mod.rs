//! BPE training: the most frequent adjacent pair becomes one symbol, repeatedly.
//!
//! One machine serves every kind of BPE. The differences (tie-breaking, which pairs may be merged, the result) are a
//! [`Rule`]; the machine sees words as arrays of symbols without their spelling. The count of a pair never grows once
//! it exists, so queue entries with outdated counts are corrected when they reach the top, and the order equals that of
//! a full recount before every merge. Where ties go to the pair that is seen first, the same holds for its first start,
//! which only moves forward. See `docs/algorithms/bpe-training.md`.

pub mod cells;
pub(crate) mod pairs;
pub(crate) mod spellings;
#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::collections::binary_heap::{BinaryHeap, PeekMut};

use crate::training::bpe::cells::Cells;
use crate::training::bpe::pairs::{Pair, Pairs};
use crate::training::team::Team;
use crate::training::{Progress, Watch};
use crate::util::cast::{low32, u32_of, u64_of, us};
use crate::util::error::Result;

/// A merge: the left and the right symbol, and the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Merge {
    /// The symbol on the left.
    pub left: u32,
    /// The symbol on the right.
    pub right: u32,
    /// The symbol that took their place.
    pub made: u32,
    /// The count of the pair.
    pub count: u64,
}

/// The properties of one kind of BPE.
pub trait Rule {
    /// Tie-break of two pairs with equal counts and keys, the smaller first.
    type Rest: Ord + Clone + Default;

    /// Tie-break: of two pairs with equal counts the one with the smaller key goes first, that is the one with the
    /// older symbols.
    fn key(&self, left: u32, right: u32) -> u64 {
        pairs::key(left, right)
    }

    /// Whether ties go to the pair whose first occurrence in the words is leftmost, whatever its key.
    fn is_first_seen(&self) -> bool {
        false
    }

    /// What follows the key in a tie-break.
    fn rest(&self, _left: u32, _right: u32) -> Self::Rest {
        Self::Rest::default()
    }

    /// Whether a pair, whose result has `size` cells, may be merged at all.
    fn allows(&mut self, left: u32, right: u32, size: u32) -> bool;

    /// Whether a pair at the top of the queue is merged; the new symbol is one more than the last. Otherwise it is
    /// never merged.
    fn join(&mut self, left: u32, right: u32) -> bool;

    /// Upper bound of the number of merges still wanted.
    fn wanted(&self) -> usize;
}

/// The count thresholds of merging.
#[derive(Debug, Clone, Copy)]
pub struct Floor {
    /// The smallest count of a pair that is merged, at least 1.
    pub lowest: u64,
    /// The initial threshold for keeping pairs; has no influence on the result.
    pub first: Option<u64>,
}

/// Number of merges between two looks at the clock.
const OFTEN: usize = 64;

/// Merges until the rule wants no more or no pair reaches the lowest count.
pub fn merge<R: Rule>(cells: Cells, rule: &mut R, floor: Floor, watch: Watch<'_>) -> Result<Vec<Merge>> {
    let lowest = floor.lowest.max(1);
    let first = floor.first.unwrap_or_else(|| guess(&cells, rule.wanted())).max(lowest);
    let mut machine = Machine::new(cells, first);
    let mut merges = Vec::new();
    let (mut team, total) = (Team::new(1, watch), u64_of(rule.wanted()));
    machine.gather(rule);
    while rule.wanted() > 0 {
        if merges.len() % OFTEN == 0 {
            team.report(Progress { stage: "merges", done: u64_of(merges.len()), total })?;
        }
        match machine.best(rule) {
            Some(index) => merges.extend(machine.join(index, rule)),
            None if machine.floor > lowest => {
                machine.floor = (machine.floor / LOWER).max(lowest);
                machine.gather(rule);
            }
            None => break,
        }
    }
    Ok(merges)
}

/// Factor by which the threshold is lowered when no pair above it is left.
const LOWER: u64 = 8;

/// Divisor of the initial threshold: the total count of pairs per wanted merge, over this, is seldom undercut.
const SHARE: u64 = 32;

/// An initial threshold that the last wanted merge probably exceeds, so that most pairs need not be kept.
fn guess(cells: &Cells, wanted: usize) -> u64 {
    cells.total() / u64_of(wanted).saturating_mul(SHARE).max(1)
}

/// Neighbours on one side of the current merge, by symbol.
#[derive(Default)]
struct Side {
    /// For each symbol one more than its index in `found`, or 0.
    place: Vec<u32>,
    found: Vec<Neighbour>,
    /// The start of a new pair, with the index of its neighbour.
    starts: Vec<(u32, u32)>,
}

struct Neighbour {
    symbol: u32,
    /// The count that the old pair with this neighbour lost.
    lost: u64,
    /// The count of the new pair with this neighbour.
    gained: u64,
    /// The number of starts of the new pair; then the position of the next one.
    starts: usize,
}

impl Side {
    fn of(&mut self, symbol: u32) -> u32 {
        let place = self.place[us(symbol)];
        if place != 0 {
            return place - 1;
        }
        self.found.push(Neighbour { symbol, lost: 0, gained: 0, starts: 0 });
        self.place[us(symbol)] = u32_of(self.found.len());
        u32_of(self.found.len()) - 1
    }

    fn gain(&mut self, place: u32, start: u32, count: u64) {
        let neighbour = &mut self.found[us(place)];
        neighbour.gained += count;
        neighbour.starts += 1;
        self.starts.push((place, start));
    }

    fn clear(&mut self) {
        for neighbour in self.found.drain(..) {
            self.place[us(neighbour.symbol)] = 0;
        }
        self.starts.clear();
    }
}

/// A pair with its count and tie-break when it was enqueued or last updated.
type Entry<T> = (u64, Reverse<(u64, T)>, u32);

/// The state of training.
struct Machine<R: Rule> {
    cells: Cells,
    /// Pairs with at least this count are kept; the others are not tracked.
    floor: u64,
    pairs: Pairs,
    queue: BinaryHeap<Entry<R::Rest>>,
    /// The neighbours before and behind.
    sides: [Side; 2],
    /// Pairs that are never merged.
    left_alone: Vec<(u32, u32)>,
}

impl<R: Rule> Machine<R> {
    fn new(cells: Cells, floor: u64) -> Self {
        let sides = [(); 2].map(|()| Side { place: vec![0; cells.symbols()], ..Side::default() });
        let (pairs, queue, left_alone) = (Pairs::default(), BinaryHeap::new(), Vec::new());
        Self { cells, floor, pairs, queue, sides, left_alone }
    }

    /// Finds all pairs with at least the threshold's count, with their starts.
    fn gather(&mut self, rule: &mut R) {
        self.pairs = Pairs::default();
        self.queue.clear();
        for (key, (count, starts)) in pairs::count(&self.cells) {
            let (left, right) = (low32(key >> 32), low32(key));
            let size = self.cells.size(left) + self.cells.size(right);
            if count >= self.floor && !self.left_alone.contains(&(left, right)) && rule.allows(left, right, size) {
                self.pairs.add(left, right, count, starts);
            }
        }
        self.pairs.place(&self.cells);
        self.enqueue(0, rule);
    }

    /// Enqueues the pairs from `first` on, whose starts are recorded.
    fn enqueue(&mut self, first: u32, rule: &R) {
        let pairs = &self.pairs;
        for index in first..pairs.len() {
            let &Pair { left, right, count, .. } = pairs.get(index);
            let key = match rule.is_first_seen() {
                true => (pairs.place_of(index), R::Rest::default()),
                false => (rule.key(left, right), rule.rest(left, right)),
            };
            self.queue.push((count, Reverse(key), index));
        }
    }

    /// Pops the pair to merge next; `None` if none reaches the threshold.
    fn best(&mut self, rule: &R) -> Option<u32> {
        loop {
            let mut top = self.queue.peek_mut()?;
            let (known, Reverse((key, _)), index) = &mut *top;
            let (index, count) = (*index, self.pairs.get(*index).count);
            let place = if rule.is_first_seen() { self.pairs.first_place(index, &self.cells) } else { *key };
            if (count, place) == (*known, *key) {
                PeekMut::pop(top);
                return Some(index);
            }
            if count < self.floor {
                PeekMut::pop(top);
            } else {
                (*known, *key) = (count, place);
            }
        }
    }

    /// Merges a pair at all its occurrences.
    fn join(&mut self, index: u32, rule: &mut R) -> Option<Merge> {
        let Pair { left, right, count, .. } = *self.pairs.get(index);
        if !rule.join(left, right) {
            self.left_alone.push((left, right));
            return None;
        }
        let made = self.cells.add_symbol(left, right);
        self.sides.iter_mut().for_each(|side| side.place.push(0));
        self.replace(index, made);
        self.settle((left, right), made, rule);
        Some(Merge { left, right, made, count })
    }

    /// Replaces a pair by `made`, and records its neighbours.
    fn replace(&mut self, index: u32, made: u32) {
        let Pair { left, right, .. } = *self.pairs.get(index);
        let [before, behind] = &mut self.sides;
        let (width, size) = (self.cells.size(left), self.cells.size(made));
        // Start and end of the last merged occurrence.
        let mut last = (0, 0);
        for &start in self.pairs.starts(index) {
            if !self.cells.is_at(start, left, right, width) {
                continue;
            }
            let end = start + size;
            let (previous, next) = self.cells.join_at(start, width, size, made);
            let count = self.cells.count_at(start);
            if last.1 == start {
                let place = before.of(made);
                before.gain(place, last.0, count);
            } else if let Some(symbol) = previous {
                let place = before.of(symbol);
                before.found[us(place)].lost += count;
                before.gain(place, start - self.cells.size(symbol), count);
            }
            if let Some(symbol) = next {
                let place = behind.of(symbol);
                behind.found[us(place)].lost += count;
                // If the next occurrence is merged too, its result is recorded as the neighbour from there.
                if symbol != left || !self.cells.is_at(end, left, right, width) {
                    behind.gain(place, start, count);
                }
            }
            last = (start, end);
        }
    }

    /// Decrements the pairs with old neighbours and keeps the new pairs that reach the threshold.
    fn settle(&mut self, (left, right): (u32, u32), made: u32, rule: &mut R) {
        let first_new = self.pairs.len();
        for (side, is_before) in self.sides.iter_mut().zip([true, false]) {
            for neighbour in &mut side.found {
                let symbol = neighbour.symbol;
                let (old, new) =
                    if is_before { ((symbol, left), (symbol, made)) } else { ((right, symbol), (made, symbol)) };
                if neighbour.lost > 0 {
                    self.pairs.lower(old, neighbour.lost);
                }
                let (count, starts) = (neighbour.gained, neighbour.starts);
                neighbour.starts = usize::MAX;
                let size = self.cells.size(new.0) + self.cells.size(new.1);
                if count >= self.floor && rule.allows(new.0, new.1, size) {
                    let index = self.pairs.add(new.0, new.1, count, starts);
                    neighbour.starts = self.pairs.get(index).first;
                }
            }
            for &(place, start) in &side.starts {
                let next = &mut side.found[us(place)].starts;
                if *next != usize::MAX {
                    self.pairs.put(*next, start);
                    *next += 1;
                }
            }
            side.clear();
        }
        self.enqueue(first_new, rule);
    }
}
