//! The cheapest choices of a path for each of some units, in order.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::cast::{low32, low64, u32_of, us};

/// No choice.
const NONE: u32 = u32::MAX;

/// One choice of paths: `last` has its path number `rank`, units before it what the choice `base` says, those behind it their best.
#[derive(Clone, Copy)]
struct Choice {
    cost: f64,
    last: u32,
    rank: u32,
    base: u32,
    /// What that path costs.
    own: f64,
}

/// The choices that were made, and those that came out in order. Used again and again.
#[derive(Default)]
pub struct Choices {
    all: Vec<Choice>,
    order: Vec<u32>,
    /// By cost, and then by number.
    heap: BinaryHeap<Reverse<u128>>,
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
        let Self { all, order, heap } = self;
        all.clear();
        order.clear();
        heap.clear();
        all.push(Choice { cost: 0.0, last: 0, rank: 0, base: NONE, own: 0.0 });
        order.push(0);
        if n > 1 && units > 0 {
            if let Some(own) = cost(0, 1) {
                heap.push(key(own, 1));
                all.push(Choice { cost: own, last: 0, rank: 1, base: 0, own });
            }
        }
        while let Some(&Reverse(top)) = heap.peek() {
            let number = low32(low64(top));
            order.push(number);
            if order.len() == n {
                break;
            }
            let Choice { cost: sum, last, rank, base, own } = all[us(number)];
            let on = cost(us(last), us(rank) + 1);
            let next = if us(last) + 1 < units { cost(us(last) + 1, 1) } else { None };
            // What came out leaves its place to the first that is made.
            let mut is_first = true;
            let mut add = |choice: Choice| {
                let key = key(choice.cost, all.len());
                all.push(choice);
                if !std::mem::take(&mut is_first) {
                    heap.push(key);
                } else if let Some(mut top) = heap.peek_mut() {
                    *top = key;
                }
            };
            if let Some(on) = on {
                add(Choice { cost: sum - own + on, last, rank: rank + 1, base, own: on });
            }
            if let Some(next) = next {
                add(Choice { cost: sum + next, last: last + 1, rank: 1, base: number, own: next });
                if rank == 1 {
                    add(Choice { cost: sum - own + next, last: last + 1, rank: 1, base, own: next });
                }
            }
            if is_first {
                heap.pop();
            }
        }
    }

    /// Those that came out, by their numbers.
    #[must_use]
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// So many of the first units have another than their best path in one of them.
    #[must_use]
    pub fn units(&self) -> usize {
        let last = self.order.iter().map(|&number| &self.all[us(number)]).filter(|choice| choice.rank > 0);
        last.map(|choice| us(choice.last) + 1).max().unwrap_or(0)
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
