//! The k cheapest combinations of paths, one from the list of each unit: k-best over a product of lists.
//!
//! A heap gives them in order. Each combination has exactly one parent, so none is generated twice: its last unit
//! advances to its next path; or the next unit takes its second path in addition; or instead of it, if the last unit
//! was at its second.

use std::cmp::Reverse;
use std::collections::binary_heap::{BinaryHeap, PeekMut};

use crate::util::{low32, low64, report, u32_of, us};

/// One combination: unit `last` has its path number `rank`, units before it have those of the combination `base`, and
/// later units their best.
#[derive(Clone, Copy, Debug)]
struct Combination {
    last: u32,
    rank: u32,
    base: u32,
}

/// The generated combinations, and the cheapest in order. The buffers are reused.
#[derive(Default)]
pub struct Product {
    all: Vec<Combination>,
    /// The extra cost of each over the best path.
    costs: Vec<f64>,
    /// The indices of the cheapest, in order.
    pub(crate) order: Vec<u32>,
    /// Candidates: by cost, then by index.
    heap: BinaryHeap<Reverse<u128>>,
}

/// A heap's entry: the least cost first, as `f64::total_cmp` orders, then the smallest index, which is the low word.
#[inline(always)]
pub(crate) fn key(cost: f64, number: usize) -> Reverse<u128> {
    let bits = cost.to_bits();
    let bits = if bits >> 63 == 0 { bits | 1 << 63 } else { !bits };
    Reverse(u128::from(bits) << 32 | u128::from(u32_of(number)))
}

impl Product {
    /// Finds the cheapest `n` combinations of units, which are ordered by the cost of their second path; `cost` gives
    /// the extra cost of a path of a unit, if there is one, not less than that of the path before it. Of ties the first
    /// generated wins.
    #[inline(never)]
    pub fn find(&mut self, units: usize, n: usize, mut cost: impl FnMut(usize, usize) -> Option<f64>) {
        let Self { all, costs, order, heap } = self;
        all.clear();
        costs.clear();
        order.clear();
        heap.clear();
        let mut add = |own: f64, combination: Combination, all: &mut Vec<Combination>| {
            // The best path of all units is based on no other.
            let cost = costs.get(us(combination.base)).copied().unwrap_or(0.0) + own;
            all.push(combination);
            costs.push(cost);
            key(cost, all.len() - 1)
        };
        heap.push(add(0.0, Combination { last: 0, rank: 0, base: u32::MAX }, all));
        loop {
            let Some(mut top) = heap.peek_mut() else { break };
            report(1);
            let number = low32(low64(top.0));
            order.push(number);
            let Combination { last, rank, base } = all[us(number)];
            if order.len() >= n || us(last) >= units {
                break;
            }
            let next = cost(us(last), us(rank) + 1);
            let second = if rank > 0 && us(last) + 1 < units { cost(us(last) + 1, 1) } else { None };
            let after = |base| Combination { last: last + 1, rank: 1, base };
            let mut successors = [
                (next, Combination { last, rank: rank + 1, base }),
                (second, after(number)),
                (second.filter(|_| rank == 1), after(base)),
            ]
            .into_iter()
            .filter_map(|(own, combination)| Some(add(own?, combination, all)));
            // The first one takes the place of this entry, which saves the heap a removal and an insertion.
            match successors.next() {
                Some(first) => {
                    *top = first;
                    drop(top);
                    successors.for_each(|other| heap.push(other));
                }
                None => {
                    PeekMut::pop(top);
                }
            }
        }
    }

    /// Calls `visit` with each unit of a combination that is not at its best path, and its rank, the last unit first.
    #[inline]
    pub fn ranks(&self, number: u32, mut visit: impl FnMut(usize, usize)) {
        let mut now = number;
        while let Some(combination) = self.all.get(us(now)).filter(|combination| combination.rank > 0) {
            visit(us(combination.last), us(combination.rank));
            now = combination.base;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::cast::u64_of;
    use crate::util::rng::Seed;

    /// Extra costs of the paths of some units: from few values, so that many sums are equal, or from many.
    fn lists(state: u64) -> Vec<Vec<f64>> {
        let mut lists: Vec<Vec<f64>> = (0..us(low32(state % 5)))
            .map(|unit| {
                let mut numbers = Seed { seed: state, ..Default::default() }.numbers(0, u64_of(unit));
                let (paths, values) = (numbers.draw() % 4, if state % 2 == 0 { 4 } else { 1000 });
                let mut sum = 0.0;
                let step = |_| {
                    sum += f64::from(numbers.draw() % values) / 3.0;
                    sum
                };
                std::iter::once(0.0).chain((0..paths).map(step)).collect()
            })
            .filter(|list: &Vec<f64>| list.len() > 1)
            .collect();
        lists.sort_by(|one, other| one[1].total_cmp(&other[1]));
        lists
    }

    #[test]
    fn the_cheapest_of_all_combinations_come_out_once_each() {
        let mut product = Product::default();
        for state in 0..400 {
            let lists = lists(state);
            let mut all = vec![(0.0, Vec::new())];
            for list in &lists {
                let longer = |(sum, ranks): &(f64, Vec<usize>)| {
                    let (sum, ranks) = (*sum, ranks.clone());
                    list.iter().enumerate().map(move |(rank, cost)| (sum + cost, [&ranks[..], &[rank]].concat()))
                };
                all = all.iter().flat_map(|one| longer(one).collect::<Vec<_>>()).collect();
            }
            all.sort_by(|one, other| one.0.total_cmp(&other.0));
            for n in [1, 2, 3, 10, 64, 1000] {
                product.find(lists.len(), n, |unit, rank| lists[unit].get(rank).copied());
                assert_eq!(product.order.len(), n.min(all.len()));
                let mut seen = std::collections::HashSet::new();
                for (&number, (wanted, _)) in product.order.iter().zip(&all) {
                    let mut ranks = vec![0; lists.len()];
                    product.ranks(number, |unit, rank| ranks[unit] = rank);
                    let sum: f64 = ranks.iter().zip(&lists).map(|(&rank, list)| list[rank]).sum();
                    assert!((sum - wanted).abs() < 1e-9, "{state} {n}");
                    assert!(seen.insert(ranks), "{state} {n}");
                }
            }
        }
    }
}
