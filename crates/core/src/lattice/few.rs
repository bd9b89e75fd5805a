//! All paths of a unit that has few, each with its share.

use super::weighing::{limits, Weighing};
use super::{Edge, Unit};
use crate::cast::{u32_of, us};

/// A unit of at most so many paths is drawn from as a whole.
pub const FEW: usize = 16;
/// Longest unit in bytes that is.
pub const MAX_FEW: usize = 63;

/// All paths of a unit: by their last edge, then by the one before it.
#[derive(Default)]
pub struct Few {
    /// The edges of all paths, one after the other: id, and where in the unit it ends.
    pub edges: Vec<(u32, u32)>,
    /// Where the edges of each path end.
    pub ends: Vec<u32>,
    /// By which numbers each is taken.
    pub limits: Vec<u64>,
    weights: Vec<f64>,
    behind: Vec<Behind>,
}

/// Whether a unit is short and has few paths. New units are mostly long ones, of which none should be listed in vain.
fn has_few(unit: Unit<'_>) -> bool {
    let length = unit.end - unit.start;
    let mut counts = [0u8; MAX_FEW + 1];
    if length > MAX_FEW {
        return false;
    }
    counts[0] = 1;
    for place in 1..=length {
        let ways =
            unit.ending(unit.start + place).1.iter().map(|edge| usize::from(counts[us(edge.start) - unit.start]));
        let count = ways.sum::<usize>().min(FEW + 1);
        counts[place] = u8::try_from(count).unwrap_or(u8::MAX);
    }
    usize::from(counts[length]) <= FEW
}

/// An edge behind the place at hand: its end, which it is of those that end there, and the weight of those behind it.
struct Behind {
    end: u32,
    number: usize,
    way: f64,
}

impl Few {
    /// Lists the paths of a unit and says so, if it has few. `weight` must give what `weighing` does.
    pub fn fill(&mut self, unit: Unit<'_>, weighing: Weighing, weight: impl Fn(&Edge) -> f64) -> bool {
        if !has_few(unit) {
            return false;
        }
        let Self { edges, ends, limits: all, weights, behind } = self;
        edges.clear();
        ends.clear();
        weights.clear();
        behind.clear();
        let (mut place, mut next, mut way) = (unit.end, 0, weighing.one());
        // The edges from the place at hand to the end, as they are found: at the end of this.
        let mut stack = [(0, 0); MAX_FEW + 1];
        let mut top = stack.len();
        loop {
            if place == unit.start {
                edges.extend_from_slice(&stack[top..]);
                ends.push(u32_of(edges.len()));
                weights.push(way);
            } else if let Some(edge) = unit.ending(place).1.get(next) {
                behind.push(Behind { end: edge.end, number: next, way });
                (place, next, way) = (us(edge.start), 0, weighing.along(way, weight(edge)));
                top -= 1;
                stack[top] = (edge.id, edge.end - u32_of(unit.start));
                continue;
            }
            let Some(edge) = behind.pop() else { break };
            (place, next, way) = (us(edge.end), edge.number + 1, edge.way);
            top += 1;
        }
        let (_, whole) = weighing.sum_up(weights);
        all.clear();
        all.extend(limits(weights, whole));
        true
    }

    /// The edges of a path.
    #[must_use]
    pub fn edges_of(&self, index: usize) -> &[(u32, u32)] {
        let start = if index == 0 { 0 } else { us(self.ends[index - 1]) };
        &self.edges[start..us(self.ends[index])]
    }
}
