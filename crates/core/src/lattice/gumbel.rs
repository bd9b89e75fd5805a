//! Sampling of paths without replacement: the paths with the largest sums of log-probability and Gumbel noise (Gumbel
//! top-k).
//!
//! The perturbed log-probability of a set of paths is the maximum over its members, which is Gumbel noise around the
//! set's own log-probability. So the set of all paths is split from the end of the text on, always the one with the
//! largest value, until single paths come out in order.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use libm::{exp, expm1, log, log1p};

use crate::lattice::product::key;
use crate::lattice::sums::Sums;
use crate::lattice::{check_kept, check_written, Edge, Lattice};
use crate::util::rng::Numbers;
use crate::util::{low32, low64, report, u32_of, us, Result};

/// A sampled path.
pub struct Drawn {
    /// The indices of its edges.
    pub path: Vec<u32>,
    /// The logarithm of its probability.
    pub log_probability: f64,
    /// The logarithm of the probability that it is among those drawn, given the noise of the best path that is not.
    pub log_inclusion: f64,
}

/// All paths with one suffix: where the suffix begins, and the suffix as its first edge and what follows.
struct Set {
    place: u32,
    edge: u32,
    parent: usize,
    log_probability: f64,
    /// The perturbed value.
    noise: f64,
}

impl Lattice {
    /// Samples up to `k` different paths, the largest perturbed value first; `without` is skipped.
    pub fn without_replacement(
        &self,
        k: usize,
        alpha: f64,
        without: Option<&[u32]>,
        numbers: &mut Numbers,
    ) -> Result<Vec<Drawn>> {
        check_written(self.least_written(k.saturating_add(usize::from(without.is_some()))))?;
        let sums = Sums::new(self, alpha);
        let totals = sums.totals(self);
        let end = u32_of(self.length());
        let noise = gumbel(0.0, numbers);
        let mut sets = vec![Set { place: end, edge: u32::MAX, parent: usize::MAX, log_probability: 0.0, noise }];
        let mut heap = BinaryHeap::from([key(-noise, 0)]);
        let mut drawn: Vec<Drawn> = Vec::new();
        let (mut threshold, mut written) = (f64::NEG_INFINITY, 0);
        while let Some(Reverse(least)) = heap.pop() {
            report(16);
            let number = us(low32(low64(least)));
            let noise = sets[number].noise;
            if sets[number].place == 0 {
                let path = path_of(&sets, number);
                if without == Some(&path[..]) {
                    continue;
                }
                if drawn.len() == k {
                    threshold = noise;
                    break;
                }
                written += path.len();
                check_written(written)?;
                let log_probability = sets[number].log_probability;
                drawn.push(Drawn { path, log_probability, log_inclusion: 0.0 });
                continue;
            }
            let (place, parent_probability) = (us(sets[number].place), sets[number].log_probability);
            let first = sets.len();
            for edge in self.ending(place) {
                let Edge { start, score, .. } = self.edges[edge];
                let share = sums.forward[us(start)] + alpha * score - totals[place];
                let log_probability = parent_probability + share;
                let own = gumbel(log_probability, numbers);
                sets.push(Set { place: start, edge: u32_of(edge), parent: number, log_probability, noise: own });
            }
            check_kept(sets.len())?;
            let most = sets[first..].iter().fold(f64::NEG_INFINITY, |most, set| most.max(set.noise));
            for (number, set) in (first..).zip(&mut sets[first..]) {
                set.noise = below(noise, set.noise, most);
                heap.push(key(-set.noise, number));
            }
        }
        for path in &mut drawn {
            path.log_inclusion = inclusion(path.log_probability - threshold);
        }
        Ok(drawn)
    }

    /// Lower bound of the number of edges that up to `k` different paths have, all but one.
    fn least_written(&self, k: usize) -> usize {
        let (mut fewest, mut paths) = (vec![0usize; self.length() + 1], vec![0usize; self.length() + 1]);
        paths[0] = 1;
        for place in 1..=self.length() {
            let starts = || self.ending(place).map(|edge| us(self.edges[edge].start)).filter(|&start| paths[start] > 0);
            let (least, all) = (starts().map(|start| fewest[start] + 1).min(), starts().map(|start| paths[start]));
            let all = all.fold(0, usize::saturating_add);
            (fewest[place], paths[place]) = (least.unwrap_or(0), all);
        }
        let last = self.length();
        k.min(paths[last]).saturating_sub(1).saturating_mul(fewest[last])
    }
}

/// Gumbel noise around a value.
fn gumbel(value: f64, numbers: &mut Numbers) -> f64 {
    value - log(-log(numbers.uniform()))
}

/// A perturbed value shifted so that the maximum of its set, `most`, becomes `noise`.
fn below(noise: f64, other: f64, most: f64) -> f64 {
    if other >= most {
        return noise;
    }
    let moved = noise - other + log1p(-exp(other - most));
    noise - moved.max(0.0) - log1p(exp(-moved.abs()))
}

/// The logarithm of `1 - exp(-exp(value))`.
fn inclusion(value: f64) -> f64 {
    let rate = exp(value);
    if rate == f64::INFINITY {
        return 0.0;
    }
    log(-expm1(-rate)).max(f64::MIN)
}

/// The edges of a set that is one path.
fn path_of(sets: &[Set], mut number: usize) -> Vec<u32> {
    let mut path = Vec::new();
    while sets[number].parent != usize::MAX {
        path.push(sets[number].edge);
        number = sets[number].parent;
    }
    path
}
