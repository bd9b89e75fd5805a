//! The k cheapest combinations of paths, one from the list of each unit: k-best over a product of lists.
//!
//! A heap gives them in order. Each combination has exactly one parent, so none is generated twice: its last unit
//! advances to its next path; or the next unit takes its second path in addition; or instead of it, if the last unit
//! was at its second.

use std::cmp::Reverse;
use std::collections::binary_heap::{BinaryHeap, PeekMut};

use crate::util::{low32, low64, report, u32_of, us};

/// One combination: unit `last` has its path number `rank`, units before it have those of the combination `base`, and
/// later units their best. A base is a place in [`Product::order`], where the best path of all units is the first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Combination {
    pub last: u32,
    pub rank: u32,
    pub base: u32,
}

/// The cheapest combinations in order. The buffers are reused.
#[derive(Default)]
pub struct Product {
    pub(crate) order: Vec<Combination>,
    /// The extra cost of each over the best path.
    costs: Vec<f64>,
    /// All combinations that were generated, with their costs.
    all: Vec<(Combination, f64)>,
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
        let Self { order, costs, all, heap } = self;
        order.clear();
        costs.clear();
        all.clear();
        heap.clear();
        let best = Combination { last: 0, rank: 0, base: 0 };
        all.push((best, 0.0));
        heap.push(key(0.0, 0));
        // The greatest cost of the first `n` combinations: one that costs as much is not among the cheapest `n`.
        let mut bound = 0.0f64;
        loop {
            let Some(mut top) = heap.peek_mut() else { break };
            report(1);
            let (found, total) = all[us(low32(low64(top.0)))];
            let Combination { last, rank, base } = found;
            let place = u32_of(order.len());
            order.push(found);
            costs.push(total);
            if order.len() >= n || us(last) >= units {
                break;
            }
            let mut add = |own: f64, combination: Combination| {
                let total = costs[us(combination.base)] + own;
                if all.len() < n {
                    bound = bound.max(total);
                } else if total >= bound {
                    return None;
                }
                all.push((combination, total));
                Some(key(total, all.len() - 1))
            };
            let next = cost(us(last), us(rank) + 1);
            // The first successor takes the place of this entry, which saves the heap a removal and an insertion.
            match next.and_then(|own| add(own, Combination { last, rank: rank + 1, base })) {
                Some(next) => {
                    *top = next;
                    drop(top);
                }
                None => drop(PeekMut::pop(top)),
            }
            let second = if rank > 0 && us(last) + 1 < units { cost(us(last) + 1, 1) } else { None };
            if let Some(own) = second {
                let after = |base| Combination { last: last + 1, rank: 1, base };
                let others = [add(own, after(place)), if rank == 1 { add(own, after(base)) } else { None }];
                others.into_iter().flatten().for_each(|other| heap.push(other));
            }
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
                for (&found, (wanted, _)) in product.order.iter().zip(&all) {
                    let mut ranks = vec![0; lists.len()];
                    let mut next = Some(found);
                    while let Some(Combination { last, rank, base }) = next.filter(|found| found.rank > 0) {
                        ranks[us(last)] = us(rank);
                        next = product.order.get(us(base)).copied();
                    }
                    let sum: f64 = ranks.iter().zip(&lists).map(|(&rank, list)| list[rank]).sum();
                    assert!((sum - wanted).abs() < 1e-9, "{state} {n}");
                    assert!(seen.insert(ranks), "{state} {n}");
                }
            }
        }
    }
}
