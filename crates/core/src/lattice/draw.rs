//! Sampling of a path from a unit.
//!
//! Exact sampling: among few paths, one by its share of the total weight. Among many, forward sampling after backward
//! filtering: the total weight from each position on is summed backward, and a path is drawn forward, with one random
//! number for each position that more than one edge leaves.

use libm::{exp, log};

use crate::lattice::enumeration::PathWalk;
use crate::lattice::semiring::Semiring;
use crate::lattice::{Edge, Unit};
use crate::units::canonical::{MAX_ENUMERATED_BYTES, MAX_ENUMERATED_PATHS};
use crate::util::draw::{thresholds, Key};
use crate::util::rng::Numbers;
use crate::util::{u32_of, u64_of, us};

/// The sampling method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// From the distribution over all paths.
    Lattice,
    /// By accepting each edge instead of the one before it by a sigmoid of the difference of the two scores: biased.
    Viterbi,
    /// In one pass, keeping one edge for each position by reservoir sampling: the distribution of `Lattice`.
    Reservoir,
}

/// Samples a path of a unit by a method, `by_bytes` where pieces are bytes; pushes (id, end) of its edges in order.
pub fn draw_path(
    unit: Unit<'_>,
    method: Method,
    by_bytes: bool,
    semiring: Semiring,
    key: Key,
    found: &mut Vec<(u32, u32)>,
) {
    match method {
        Method::Lattice if by_bytes => draw_exactly(unit, true, semiring, key, found),
        Method::Lattice if draw_enumerated(unit, semiring, key, found) => {}
        Method::Lattice => draw_exactly(unit, false, semiring, key, found),
        _ => draw_forward(unit, method, semiring.alpha, &mut key.numbers(0), found),
    }
}

/// Samples a path of a unit that has few, by one random number; pushes (id, end) of its edges in order. Returns whether
/// it did.
fn draw_enumerated(unit: Unit<'_>, semiring: Semiring, key: Key, found: &mut Vec<(u32, u32)>) -> bool {
    if unit.end - unit.start > MAX_ENUMERATED_BYTES {
        return false;
    }
    let (mut walk, mut weights, mut ends, before) = (PathWalk::default(), Vec::new(), vec![found.len()], found.len());
    let edge = |number: usize| {
        let edge = unit.edge(number);
        (edge.id, edge.end - u32_of(unit.start), semiring.weight(edge.score))
    };
    let starting = |place: usize| unit.starting_at(unit.start + place);
    walk.each_path(unit.end - unit.start, semiring, starting, edge, |walk, depth, weight| {
        found.extend(walk.ids[..depth].iter().zip(&walk.ends).map(|(&id, &end)| (id, end)));
        ends.push(found.len());
        weights.push(weight);
        weights.len() <= MAX_ENUMERATED_PATHS
    });
    let mut chosen = 0..0;
    if weights.len() <= MAX_ENUMERATED_PATHS {
        let (_, whole) = semiring.sum_up(&mut weights);
        let index = key.choose(0, &thresholds(&weights, whole).collect::<Vec<_>>());
        chosen = ends[index]..ends[index + 1];
    }
    let count = chosen.len();
    found.copy_within(chosen, before);
    found.truncate(before + count);
    count > 0
}

/// Samples a path of a unit of any length; pushes (id, end) of its edges in order. Edge by edge from the beginning,
/// each with the probability of its share of the total weight from there to the end, by the random number of its index;
/// or `backward` from the end, by the random numbers of the positions at which edges end.
fn draw_exactly(unit: Unit<'_>, backward: bool, semiring: Semiring, key: Key, found: &mut Vec<(u32, u32)>) {
    let length = unit.end - unit.start;
    let edges = |place: usize| if backward { unit.ending(place).1 } else { unit.starting(place) };
    let beyond = |edge: &Edge| us(if backward { edge.start } else { edge.end });
    let (mut sums, mut weights) = (vec![semiring.one(); length + 1], Vec::new());
    let weigh = |place: usize, sums: &[f64], weights: &mut Vec<f64>| {
        weights.clear();
        let through = |edge: &Edge| semiring.mul(sums[beyond(edge) - unit.start], semiring.weight(edge.score));
        weights.extend(edges(place).iter().map(through));
        semiring.sum_up(weights)
    };
    for step in 1..=length {
        let place = if backward { unit.start + step } else { unit.end - step };
        sums[place - unit.start] = weigh(place, &sums, &mut weights).0;
    }
    let (mut place, last) = if backward { (unit.end, unit.start) } else { (unit.start, unit.end) };
    let before = found.len();
    while place != last {
        let (_, whole) = weigh(place, &sums, &mut weights);
        let number = if backward { place - unit.start } else { found.len() - before };
        let listed: Vec<u64> = thresholds(&weights, whole).collect();
        let Some(edge) = edges(place).get(key.choose(u64_of(number), &listed)) else { break };
        found.push((edge.id, edge.end - u32_of(unit.start)));
        place = beyond(edge);
    }
    if backward {
        found[before..].reverse();
    }
}

/// Samples a path edge by edge in one pass over the unit; pushes (id, end) of its edges in order.
fn draw_forward(unit: Unit<'_>, method: Method, alpha: f64, numbers: &mut Numbers, found: &mut Vec<(u32, u32)>) {
    // For each position its score or the logarithm of the total weight of all paths to it, and the edge kept: start and
    // id.
    let mut kept: Vec<(f64, u32, u32)> = vec![(f64::NEG_INFINITY, 0, 0); unit.end - unit.start + 1];
    kept[0].0 = 0.0;
    for place in unit.start + 1..=unit.end {
        let (_, edges) = unit.ending(place);
        let mut now = (f64::NEG_INFINITY, 0, 0);
        for edge in edges {
            let start = edge.start - u32_of(unit.start);
            let before = kept[us(start)].0;
            let is_first = now.0 == f64::NEG_INFINITY;
            match method {
                Method::Viterbi => {
                    let score = before + edge.score;
                    if is_first || numbers.uniform() < 1.0 / (1.0 + exp(-alpha * (score - now.0))) {
                        now = (score, start, edge.id);
                    }
                }
                Method::Lattice | Method::Reservoir => {
                    let weight = before + alpha * edge.score;
                    let most = weight.max(now.0);
                    let sum = if is_first { weight } else { most + log(exp(weight - most) + exp(now.0 - most)) };
                    if is_first || numbers.uniform() < exp(weight - sum) {
                        (now.1, now.2) = (start, edge.id);
                    }
                    now.0 = sum;
                }
            }
        }
        kept[place - unit.start] = now;
    }
    let before = found.len();
    let mut place = unit.end - unit.start;
    while place > 0 {
        let (_, start, id) = kept[place];
        found.push((id, u32_of(place)));
        place = us(start).min(place - 1);
    }
    found[before..].reverse();
}
