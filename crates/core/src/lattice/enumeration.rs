//! Enumeration of all paths of a unit that has few, each with its cumulative threshold.

use crate::lattice::semiring::Semiring;
use crate::lattice::{Edge, Unit};
use crate::segment::unigram::edges::{MAX_ENUMERATED_BYTES, MAX_ENUMERATED_PATHS};
use crate::util::cast::{u32_of, us};
use crate::util::draw::thresholds;

/// All paths of a unit, in lexicographic order of their edges.
#[derive(Default)]
pub struct PathEnumeration {
    /// The edges of all paths, concatenated: id, and end within the unit.
    pub edges: Vec<(u32, u32)>,
    /// Where the edges of each path end.
    pub ends: Vec<u32>,
    /// The cumulative threshold of each path.
    pub thresholds: Vec<u64>,
    weights: Vec<f64>,
    before: Vec<Before>,
}

/// Whether a unit is short and has few paths. New units are mostly long, and none should be enumerated in vain.
fn is_enumerable(unit: Unit<'_>) -> bool {
    let length = unit.end - unit.start;
    let mut counts = [0u8; MAX_ENUMERATED_BYTES + 1];
    if length > MAX_ENUMERATED_BYTES {
        return false;
    }
    counts[0] = 1;
    for place in 1..=length {
        let ways =
            unit.ending(unit.start + place).1.iter().map(|edge| usize::from(counts[us(edge.start) - unit.start]));
        let count = ways.sum::<usize>().min(MAX_ENUMERATED_PATHS + 1);
        counts[place] = u8::try_from(count).unwrap_or(u8::MAX);
    }
    usize::from(counts[length]) <= MAX_ENUMERATED_PATHS
}

/// An edge of the current partial path: its start, its index among those with that start, and the weight of the edges
/// before it.
struct Before {
    start: usize,
    number: usize,
    way: f64,
}

impl PathEnumeration {
    /// Enumerates the paths of a unit if it has few, and returns whether it did. `weight` must agree with `semiring`.
    pub fn fill(&mut self, unit: Unit<'_>, semiring: Semiring, weight: impl Fn(&Edge) -> f64) -> bool {
        if !is_enumerable(unit) {
            return false;
        }
        let Self { edges, ends, thresholds: all, weights, before } = self;
        edges.clear();
        ends.clear();
        weights.clear();
        before.clear();
        let (mut place, mut next, mut way) = (unit.start, 0, semiring.one());
        let mut path: Vec<(u32, u32)> = Vec::new();
        loop {
            if place == unit.end {
                edges.extend_from_slice(&path);
                ends.push(u32_of(edges.len()));
                weights.push(way);
            } else if let Some(edge) = unit.starting(place).get(next) {
                before.push(Before { start: place, number: next, way });
                (place, next, way) = (us(edge.end), 0, semiring.mul(way, weight(edge)));
                path.push((edge.id, edge.end - u32_of(unit.start)));
                continue;
            }
            let Some(edge) = before.pop() else { break };
            (place, next, way) = (edge.start, edge.number + 1, edge.way);
            path.pop();
        }
        let (_, whole) = semiring.sum_up(weights);
        all.clear();
        all.extend(thresholds(weights, whole));
        true
    }

    /// The edges of a path.
    pub fn edges_of(&self, index: usize) -> &[(u32, u32)] {
        let start = if index == 0 { 0 } else { us(self.ends[index - 1]) };
        &self.edges[start..us(self.ends[index])]
    }
}
