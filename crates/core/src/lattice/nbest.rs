//! Exact k-best paths of a lattice, in order.
//!
//! The extra cost of a path over the best is the sum of its extra costs in the units. So the second best path of each
//! unit is found first; these alone give n combinations, and the cost of the last of them is an upper bound. In the few
//! units where another path can stay below the bound, the k-best hypotheses of each position are listed, pruned by it;
//! a k-best search over the product of these lists gives the result.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use crate::lattice::product::Product;
use crate::lattice::{Lattice, Unit};
use crate::util::cast::{f64_of, u32_of, us};
use crate::util::error::{Error, Result};
use crate::util::interrupt::report;

/// Work of a position or a path, in bytes reported.
const EFFORT: usize = 64;

/// Maximum number of hypotheses stored at once, over all positions: 256 MB.
pub const MAX_HYPOTHESES: usize = 1 << 24;

/// Maximum number of edges of all paths together.
pub const MOST_WRITTEN: usize = 1 << 26;

/// Refuses more hypotheses than [`MAX_HYPOTHESES`].
pub(crate) fn check_kept(kept: usize) -> Result<()> {
    check(kept, MAX_HYPOTHESES)
}

/// Refuses more edges than [`MOST_WRITTEN`].
pub(crate) fn check_written(edges: usize) -> Result<()> {
    check(edges, MOST_WRITTEN)
}

fn check(amount: usize, most: usize) -> Result<()> {
    if amount <= most {
        return Ok(());
    }
    let message = "the paths of this text that were asked for need too much memory; ask for fewer, or split the text";
    Err(Error::new("lattice-too-large", message).with("most", most))
}

/// Paths, the best first: concatenated in one list of edges.
#[derive(Debug, Default, PartialEq)]
pub struct Best {
    /// The score of each.
    pub scores: Vec<f64>,
    /// The edge indices of all paths.
    pub edges: Vec<u32>,
    /// Where the edges of each begin, and the end.
    pub offsets: Vec<usize>,
}

impl Best {
    /// The edges of the paths in order.
    pub fn paths(&self) -> impl Iterator<Item = &[u32]> + '_ {
        self.offsets.windows(2).map(|pair| &self.edges[pair[0]..pair[1]])
    }
}

/// For each position the best score from the beginning of its unit, its last edge, and the best score from there to the
/// end.
struct Scores {
    to: Vec<f64>,
    by: Vec<u32>,
    on: Vec<f64>,
}

impl Scores {
    fn of(lattice: &Lattice) -> Self {
        let places = lattice.length() + 1;
        let mut scores =
            Self { to: vec![f64::NEG_INFINITY; places], by: vec![0; places], on: vec![f64::NEG_INFINITY; places] };
        for unit in lattice.units() {
            for place in unit.start + 1..=unit.end {
                let (first, edges) = unit.ending(place);
                let mut best = (f64::NEG_INFINITY, first);
                for (index, edge) in edges.iter().enumerate() {
                    let score = scores.before(unit, us(edge.start)) + edge.score;
                    if score > best.0 {
                        best = (score, first + index);
                    }
                }
                (scores.to[place], scores.by[place]) = (best.0, u32_of(best.1));
            }
            scores.on[unit.end] = 0.0;
            for place in (unit.start + 1..=unit.end).rev() {
                let behind = scores.on[place];
                for edge in unit.ending(place).1 {
                    let on = &mut scores.on[us(edge.start)];
                    // The position at which the unit begins is the end of another.
                    if us(edge.start) > unit.start && *on < edge.score + behind {
                        *on = edge.score + behind;
                    }
                }
            }
        }
        scores
    }

    /// The score of the best path to a position of a unit.
    #[inline]
    fn before(&self, unit: Unit<'_>, place: usize) -> f64 {
        if place == unit.start {
            0.0
        } else {
            self.to[place]
        }
    }

    /// Appends the edges of a unit's best path.
    fn push_best(&self, lattice: &Lattice, unit: Unit<'_>, path: &mut Vec<u32>) {
        let before = path.len();
        let mut place = unit.end;
        while place > unit.start {
            path.push(self.by[place]);
            place = us(lattice.edges()[us(self.by[place])].start);
        }
        path[before..].reverse();
    }

    /// The extra cost of the second best path of a unit, whose best path is given; infinite if there is none.
    fn second(&self, unit: Unit<'_>, mut best: &[u32]) -> f64 {
        let mut found = f64::NEG_INFINITY;
        for place in unit.start + 1..=unit.end {
            let (first, edges) = unit.ending(place);
            let mut own = usize::MAX;
            if let [edge, rest @ ..] = best {
                if (first..first + edges.len()).contains(&us(*edge)) {
                    (own, best) = (us(*edge), rest);
                }
            }
            // A path other than the best has an edge that is not on the best path.
            for (index, edge) in edges.iter().enumerate() {
                let score = self.before(unit, us(edge.start)) + edge.score + self.on[place];
                if first + index != own && score > found {
                    found = score;
                }
            }
        }
        self.to[unit.end] - found
    }
}

/// A hypothesis at a position: its score, its last edge, and the rank of the hypothesis at that edge's start.
#[derive(Clone, Copy)]
struct Hypothesis {
    score: f64,
    edge: u32,
    rank: u32,
}

/// A heap candidate: by score, then by the order in which candidates are listed.
struct Candidate {
    hypothesis: Hypothesis,
    order: usize,
}

impl PartialEq for Candidate {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Candidate {}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> Ordering {
        self.hypothesis.score.total_cmp(&other.hypothesis.score).then(other.order.cmp(&self.order))
    }
}

/// The k-best paths of one unit.
struct Paths {
    /// The hypotheses of all positions, each position's best first.
    hypotheses: Vec<Hypothesis>,
    /// Where the hypotheses of each position begin, and the end.
    first: Vec<usize>,
    start: usize,
}

impl Paths {
    /// The best `n` hypotheses at each position of a unit, of those that can become a path with an extra cost of at
    /// most `most`.
    fn of(unit: Unit<'_>, scores: &Scores, n: usize, most: f64, kept: usize) -> Result<Self> {
        let best = scores.to[unit.end];
        let largest =
            (unit.start + 1..=unit.end).flat_map(|place| unit.ending(place).1).fold(0.0, |most: f64, edge| {
                let size = edge.score.abs();
                most.max(size)
            });
        // Sums in another order may round differently.
        let length = f64_of(unit.end - unit.start);
        let least = best - most - 4.0 * f64::EPSILON * length * length * largest;
        let mut hypotheses = vec![Hypothesis { score: 0.0, edge: u32::MAX, rank: 0 }];
        let mut starts = vec![0, 1];
        let mut heap: BinaryHeap<Candidate> = BinaryHeap::new();
        for place in unit.start + 1..=unit.end {
            report(n.min(EFFORT));
            let (first, edges) = unit.ending(place);
            let on = scores.on[place];
            let candidate = |hypotheses: &[Hypothesis], index: usize, rank: usize| {
                let before = us(edges[index].start) - unit.start;
                let hypothesis = hypotheses[starts[before]..starts[before + 1]].get(rank)?;
                let score = hypothesis.score + edges[index].score;
                let hypothesis = Hypothesis { score, edge: u32_of(first + index), rank: u32_of(rank) };
                (score + on >= least || least.is_nan()).then_some(Candidate { hypothesis, order: index })
            };
            heap.clear();
            heap.extend((0..edges.len()).filter_map(|index| candidate(&hypotheses, index, 0)));
            let before = hypotheses.len();
            while let Some(Candidate { hypothesis, order }) = heap.pop() {
                hypotheses.push(hypothesis);
                if hypotheses.len() - before == n {
                    break;
                }
                heap.extend(candidate(&hypotheses[..before], order, us(hypothesis.rank) + 1));
            }
            check_kept(kept + hypotheses.len())?;
            starts.push(hypotheses.len());
        }
        Ok(Self { hypotheses, first: starts, start: unit.start })
    }

    fn last(&self) -> &[Hypothesis] {
        &self.hypotheses[self.first[self.first.len() - 2]..]
    }

    /// The extra cost of a path over the best.
    fn cost(&self, rank: usize) -> Option<f64> {
        let hypotheses = self.last();
        Some(hypotheses[0].score - hypotheses.get(rank)?.score)
    }

    /// The edges of a path, appended to `path`.
    fn push(&self, lattice: &Lattice, rank: usize, path: &mut Vec<u32>) {
        let before = path.len();
        let (mut place, mut rank) = (self.first.len() - 2, rank);
        while place > 0 {
            let hypothesis = self.hypotheses[self.first[place] + rank];
            path.push(hypothesis.edge);
            place = us(lattice.edges()[us(hypothesis.edge)].start) - self.start;
            rank = us(hypothesis.rank);
        }
        path[before..].reverse();
    }
}

impl Lattice {
    /// The best `n` paths, the best first.
    pub fn nbest(&self, n: usize) -> Result<Best> {
        if n == 0 {
            return Ok(Best { offsets: vec![0], ..Best::default() });
        }
        let scores = Scores::of(self);
        let mut best = Vec::with_capacity(self.length());
        let mut bounds = vec![0];
        let mut second: Vec<(f64, usize)> = Vec::new();
        for (number, unit) in self.units().enumerate() {
            let before = best.len();
            scores.push_best(self, unit, &mut best);
            bounds.push(best.len());
            if n > 1 && unit.edges() > best.len() - before {
                let cost = scores.second(unit, &best[before..]);
                // An infinite cost means a unit with dead-end edges.
                if cost < f64::INFINITY {
                    second.push((cost, number));
                }
            }
        }
        let by_cost = |one: &(f64, usize), other: &(f64, usize)| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1));
        // A unit with n - 1 others before it in this order uses only its best path among the best n.
        second.sort_by(by_cost);
        second.truncate(n - 1);
        let mut product = Product::default();
        product.find(second.len(), n, |unit, rank| (rank < 2).then(|| if rank == 0 { 0.0 } else { second[unit].0 }));
        let most = if product.order().len() < n { f64::INFINITY } else { product.dearest() };
        let units: Vec<Unit<'_>> = self.units().collect();
        let (mut kept, mut others): (usize, Vec<(Paths, usize)>) = (0, Vec::new());
        for &(cost, number) in &second {
            if cost > most && cost - most > 1e-6 * (1.0 + cost.abs()) {
                break;
            }
            let paths = Paths::of(units[number], &scores, n, most, kept)?;
            kept += paths.hypotheses.len();
            if paths.last().len() > 1 {
                others.push((paths, number));
            }
        }
        others.sort_by(|(one, first), (other, second)| {
            one.cost(1).unwrap_or(0.0).total_cmp(&other.cost(1).unwrap_or(0.0)).then(first.cmp(second))
        });
        product.find(others.len(), n, |unit, rank| others[unit].0.cost(rank));
        self.written(&product, &others, &best, &bounds)
    }

    /// The paths of the cheapest combinations: the best path's edges, except in units with another path.
    fn written(&self, product: &Product, others: &[(Paths, usize)], best: &[u32], bounds: &[usize]) -> Result<Best> {
        let mut found = Best { offsets: vec![0], ..Best::default() };
        let wanted = product.order().len().saturating_mul(best.len());
        // Other paths are not much shorter than the best.
        check_written(wanted / 2)?;
        found.edges.reserve(wanted.min(MOST_WRITTEN));
        // The score of the best path up to each of its edges.
        let mut sums = Vec::with_capacity(best.len() + 1);
        sums.push(0.0);
        for &edge in best {
            sums.push(sums[sums.len() - 1] + self.edges[us(edge)].score);
        }
        let mut other: Vec<(usize, usize, usize)> = Vec::new();
        for &chosen in product.order() {
            report(EFFORT + best.len());
            other.clear();
            product.ranks(chosen, |place, rank| other.push((others[place].1, place, rank)));
            other.sort_unstable();
            let (start, mut done) = (found.edges.len(), 0);
            for &(number, place, rank) in &other {
                found.edges.extend_from_slice(&best[done..bounds[number]]);
                others[place].0.push(self, rank, &mut found.edges);
                done = bounds[number + 1];
            }
            found.edges.extend_from_slice(&best[done..]);
            let same = other.first().map_or(best.len(), |&(number, ..)| bounds[number]);
            let rest = &found.edges[start + same..];
            found.scores.push(rest.iter().fold(sums[same], |sum, &edge| sum + self.edges[us(edge)].score));
            check_written(found.edges.len())?;
            found.offsets.push(found.edges.len());
        }
        Ok(found)
    }
}
