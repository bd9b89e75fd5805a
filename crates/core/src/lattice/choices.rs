//! The cheapest choices of a path for each of some units, in order.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::cast::{f64_of, low32, low64, u32_of, u32_of_f64, us};

/// No choice.
const NONE: u32 = u32::MAX;
/// Shelves that choices wait on, by what they cost, if at most so many are looked for: on a shelf each is looked at.
const SHELVES: usize = 512;
const MOST_ON_SHELVES: usize = 256;

/// One choice of paths: `last` has its path number `rank`, units before it what the choice `base` says, those behind it their best.
#[derive(Clone, Copy)]
struct Choice {
    cost: f64,
    last: u32,
    rank: u32,
    base: u32,
    /// The next on its shelf.
    next: u32,
    /// What that path costs.
    own: f64,
}

impl Choice {
    #[inline(always)]
    const fn new((cost, own): (f64, f64), last: u32, rank: u32, base: u32) -> Self {
        Self { cost, last, rank, base, next: NONE, own }
    }
}

/// The choices that were made, and those that came out in order. Used again and again.
#[derive(Default)]
pub struct Choices {
    all: Vec<Choice>,
    order: Vec<u32>,
    shelves: Shelves,
    /// Those that wait if there are no shelves: by cost, and then by number.
    heap: BinaryHeap<Reverse<u128>>,
}

/// Choices that wait: a shelf has those of about one cost, by cost and then by number.
struct Shelves {
    /// The first of each.
    first: [u32; SHELVES],
    /// A bit for each that is not empty, and the first word with one.
    full: [u64; SHELVES / 64],
    word: usize,
    /// How many shelves there are for a cost of one.
    scale: f64,
    /// How many choices were put onto each, and onto all up to the last that is used: as soon as those before it have enough, nothing
    /// of it can come out.
    counts: [u16; SHELVES],
    count: usize,
    last: usize,
}

impl Default for Shelves {
    fn default() -> Self {
        let (first, full, counts) = ([NONE; SHELVES], [0; SHELVES / 64], [0; SHELVES]);
        Self { first, full, word: 0, scale: 0.0, counts, count: 0, last: SHELVES - 1 }
    }
}

impl Shelves {
    /// Begins anew, for costs that are mostly below one.
    fn open(&mut self, most: f64) {
        let scale = f64_of(SHELVES) / most;
        (self.first, self.full, self.word) = ([NONE; SHELVES], [0; SHELVES / 64], 0);
        (self.counts, self.count, self.last) = ([0; SHELVES], 0, SHELVES - 1);
        self.scale = if scale.is_finite() { scale } else { 0.0 };
    }

    /// Puts a choice onto its shelf, if it may be among so many that come out.
    #[inline(always)]
    fn push(&mut self, mut choice: Choice, all: &mut Vec<Choice>, most: usize) {
        let shelf = us(u32_of_f64(choice.cost * self.scale)).min(SHELVES - 1);
        if shelf > self.last {
            return;
        }
        self.counts[shelf] += 1;
        self.count += 1;
        while self.count >= most + usize::from(self.counts[self.last]) && self.last > 0 {
            self.count -= usize::from(self.counts[self.last]);
            self.last -= 1;
        }
        let (mut before, mut next) = (NONE, self.first[shelf]);
        while let Some(other) = all.get(us(next)).filter(|other| other.cost.total_cmp(&choice.cost).is_le()) {
            (before, next) = (next, other.next);
        }
        choice.next = next;
        let number = u32_of(all.len());
        match all.get_mut(us(before)) {
            Some(before) => before.next = number,
            None => self.first[shelf] = number,
        }
        all.push(choice);
        self.full[shelf / 64] |= 1 << (shelf % 64);
        self.word = self.word.min(shelf / 64);
    }

    /// Takes the first one.
    #[inline(always)]
    fn pop(&mut self, all: &[Choice]) -> Option<u32> {
        let mut full = *self.full.get(self.word)?;
        while full == 0 {
            self.word += 1;
            full = *self.full.get(self.word)?;
        }
        let first = &mut self.first[64 * self.word + us(full.trailing_zeros())];
        let (number, next) = (*first, all[us(*first)].next);
        *first = next;
        self.full[self.word] = if next == NONE { full & (full - 1) } else { full };
        Some(number)
    }
}

/// A number of choices that are ordered by their costs, as `f64::total_cmp` orders them, and then by their numbers.
#[inline(always)]
fn key(cost: f64, number: usize) -> Reverse<u128> {
    let bits = cost.to_bits();
    let bits = if bits >> 63 == 0 { bits | 1 << 63 } else { !bits };
    Reverse(u128::from(bits) << 32 | u128::from(u32_of(number)))
}

impl Choices {
    /// Finds the cheapest `n` choices among so many units, which are in the order of what their second path costs; `cost` says
    /// what a path of a unit costs, if there is one. Each choice is made from one other only: its last unit goes on to its next
    /// path; the next unit has its second path beside it; or in its stead, if it was the second of it.
    #[inline(never)]
    pub fn find(&mut self, units: usize, n: usize, mut cost: impl FnMut(usize, usize) -> Option<f64>) {
        self.all.clear();
        self.order.clear();
        self.heap.clear();
        let shelved = if n <= MOST_ON_SHELVES { Some(n) } else { None };
        // So many units have as many choices by their second paths alone, which cost no more than this.
        let some = us(n.next_power_of_two().trailing_zeros()).min(units);
        self.shelves.open((0..some).filter_map(|unit| cost(unit, 1)).sum());
        self.all.push(Choice::new((0.0, 0.0), 0, 0, NONE));
        self.order.push(0);
        if n > 1 && units > 0 {
            if let Some(own) = cost(0, 1) {
                self.add(shelved, Choice::new((own, own), 0, 1, 0));
            }
        }
        while let Some(number) = self.next(shelved.is_some()) {
            self.order.push(number);
            if self.order.len() == n {
                break;
            }
            let Choice { cost: sum, last, rank, base, own, .. } = self.all[us(number)];
            let on = cost(us(last), us(rank) + 1);
            let next = if us(last) + 1 < units { cost(us(last) + 1, 1) } else { None };
            if let Some(on) = on {
                self.add(shelved, Choice::new((sum - own + on, on), last, rank + 1, base));
            }
            if let Some(next) = next {
                self.add(shelved, Choice::new((sum + next, next), last + 1, 1, number));
                if rank == 1 {
                    self.add(shelved, Choice::new((sum - own + next, next), last + 1, 1, base));
                }
            }
        }
    }

    /// Lets a choice wait.
    #[inline(always)]
    fn add(&mut self, shelved: Option<usize>, choice: Choice) {
        if let Some(most) = shelved {
            self.shelves.push(choice, &mut self.all, most);
        } else {
            self.heap.push(key(choice.cost, self.all.len()));
            self.all.push(choice);
        }
    }

    /// Takes the cheapest that waits, of equals the one that was made first.
    #[inline(always)]
    fn next(&mut self, is_shelved: bool) -> Option<u32> {
        if is_shelved {
            return self.shelves.pop(&self.all);
        }
        self.heap.pop().map(|Reverse(key)| low32(low64(key)))
    }

    /// Those that came out, by their numbers.
    #[must_use]
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// What the last of them costs.
    #[must_use]
    pub fn dearest(&self) -> f64 {
        self.order.last().map_or(0.0, |&last| self.all[us(last)].cost)
    }

    /// Calls `visit` for each unit that has another than its best path, the last one first.
    #[inline]
    pub fn ranks(&self, chosen: u32, mut visit: impl FnMut(usize, usize)) {
        let mut now = chosen;
        while let Some(choice) = self.all.get(us(now)).filter(|choice| choice.rank > 0) {
            visit(us(choice.last), us(choice.rank));
            now = choice.base;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a path of a unit costs: of few values, so that many are equal.
    fn cost(state: u64, unit: usize, rank: usize) -> Option<f64> {
        let mut numbers =
            crate::random::Seed { seed: state, ..Default::default() }.numbers(0, crate::cast::u64_of(unit));
        let paths = 1 + us(numbers.draw() % 20);
        let steps: Vec<f64> = (0..paths).map(|_| f64::from(numbers.draw() % 4) / 3.0).collect();
        (rank <= paths).then(|| steps[..rank].iter().sum())
    }

    #[test]
    fn shelves_give_what_a_heap_does() {
        for state in 0..300 {
            let units = us(low32(state % 9));
            let mut order: Vec<usize> = (0..units).collect();
            order.sort_by(|&one, &other| {
                f64::total_cmp(&cost(state, one, 1).unwrap_or(0.0), &cost(state, other, 1).unwrap_or(0.0))
            });
            let mut found = [1, 2, 64, MOST_ON_SHELVES, MOST_ON_SHELVES + 1].map(|n| {
                let mut choices = Choices::default();
                choices.find(units, n, |unit, rank| cost(state, order[unit], rank));
                let rows = choices.order.iter().map(|&number| {
                    let mut rows = vec![(usize::MAX, 0, choices.all[us(number)].cost.to_bits())];
                    choices.ranks(number, |unit, rank| rows.push((unit, rank, 0)));
                    rows
                });
                rows.collect::<Vec<_>>()
            });
            let Some((longest, others)) = found.split_last_mut() else { return };
            for rows in others {
                assert!(longest.starts_with(rows), "{state} {}", rows.len());
            }
        }
    }
}
