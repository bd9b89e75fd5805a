//! The best paths of a lattice, exactly and in order.
//!
//! A unit's best paths come from lists of the best ways to each of its places. Those of the whole text are sums over units:
//! starting from the best path of each, what another path of a unit costs more is added, the cheapest first.

use std::cmp::Ordering;
use std::collections::{BinaryHeap, HashMap};

use super::{Lattice, Unit};
use crate::cast::{u32_of, us};
use crate::error::{Error, Result};

/// The most ways that are kept at once, over all places: 256 MB.
pub const MOST_WAYS: usize = 1 << 24;

/// Refuses more ways than are kept.
pub(super) fn check_ways(kept: usize) -> Result<()> {
    if kept <= MOST_WAYS {
        return Ok(());
    }
    let message = "the paths of this text that were asked for need too much memory; ask for fewer, or split the text";
    Err(Error::new("lattice-too-large", message).with("most", MOST_WAYS))
}

/// A way to a place: its score, its last edge, and which of the ways to the beginning of that edge it goes on from.
#[derive(Clone, Copy)]
struct Way {
    score: f64,
    edge: u32,
    rank: u32,
}

/// A candidate, ordered so that the largest in a heap comes first: by score, then by the order in which candidates are listed.
struct Candidate {
    way: Way,
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
        self.way.score.total_cmp(&other.way.score).then(other.order.cmp(&self.order))
    }
}

/// Paths of one unit, the best first: what each costs more than the best, and its edges.
struct Paths {
    ways: Vec<Vec<Way>>,
    start: usize,
}

impl Paths {
    /// The best `n` ways to each place of a unit.
    fn of(unit: Unit<'_>, n: usize) -> Result<Self> {
        let places = unit.end - unit.start;
        let mut ways: Vec<Vec<Way>> = Vec::with_capacity(places + 1);
        ways.push(vec![Way { score: 0.0, edge: u32::MAX, rank: 0 }]);
        let mut kept = 0;
        for place in unit.start + 1..=unit.end {
            let (first, edges) = unit.ending(place);
            let before = |index: usize| &ways[us(edges[index].start) - unit.start];
            let candidate = |index: usize, rank: usize| {
                let score = before(index).get(rank)?.score + edges[index].score;
                let way = Way { score, edge: u32_of(first + index), rank: u32_of(rank) };
                Some(Candidate { way, order: index })
            };
            let mut heap: BinaryHeap<Candidate> = (0..edges.len()).filter_map(|index| candidate(index, 0)).collect();
            let mut found = Vec::new();
            while let Some(Candidate { way, order }) = heap.pop() {
                found.push(way);
                if found.len() == n {
                    break;
                }
                heap.extend(candidate(order, us(way.rank) + 1));
            }
            kept += found.len();
            check_ways(kept)?;
            ways.push(found);
        }
        Ok(Self { ways, start: unit.start })
    }

    fn len(&self) -> usize {
        self.ways.last().map_or(0, Vec::len)
    }

    fn score(&self, rank: usize) -> f64 {
        self.ways.last().map_or(0.0, |ways| ways[rank].score)
    }

    /// The edges of a path, appended to `path`.
    fn push(&self, lattice: &Lattice, rank: usize, path: &mut Vec<u32>) {
        let before = path.len();
        let (mut place, mut rank) = (self.ways.len() - 1, rank);
        while place > 0 {
            let way = self.ways[place][rank];
            path.push(way.edge);
            place = us(lattice.edges()[us(way.edge)].start) - self.start;
            rank = us(way.rank);
        }
        path[before..].reverse();
    }
}

/// One choice of paths: of the units in the order of what their second path costs, those up to `last` may have another than the
/// best; `last` has its path number `rank`.
struct Choice {
    cost: f64,
    last: usize,
    rank: usize,
    /// The choice it was made from, and whether `last` is beside that one's `last` or in its place.
    parent: Option<usize>,
    beside: bool,
}

impl Lattice {
    /// The best `n` paths: score and numbers of edges, the best first.
    pub fn nbest(&self, n: usize) -> Result<Vec<(f64, Vec<u32>)>> {
        if n == 0 {
            return Ok(Vec::new());
        }
        let units: Vec<Unit<'_>> = self.units().collect();
        let mut second: Vec<(f64, usize)> = Vec::new();
        let mut best: Vec<Vec<u32>> = Vec::with_capacity(units.len());
        for (number, unit) in units.iter().enumerate() {
            let paths = Paths::of(*unit, n.min(2))?;
            let mut path = Vec::new();
            paths.push(self, 0, &mut path);
            best.push(path);
            if paths.len() > 1 {
                second.push((paths.score(0) - paths.score(1), number));
            }
        }
        // A unit with n others before it in this order never has another than its best path among the best n.
        second.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
        second.truncate(n - 1);
        let mut kept = 0;
        let mut other: Vec<Paths> = Vec::with_capacity(second.len());
        for &(_, number) in &second {
            let paths = Paths::of(units[number], n)?;
            kept += paths.ways.iter().map(Vec::len).sum::<usize>();
            check_ways(kept)?;
            other.push(paths);
        }
        let place_of: HashMap<usize, usize> =
            second.iter().enumerate().map(|(place, &(_, number))| (number, place)).collect();
        let choices = enumerate(&other, n);
        let mut found = Vec::with_capacity(choices.len());
        for &chosen in &choices.order {
            let mut ranks = vec![0; units.len()];
            choices.ranks(chosen, |place, rank| ranks[second[place].1] = rank);
            let mut path = Vec::new();
            for (number, edges) in best.iter().enumerate() {
                match (ranks[number], place_of.get(&number)) {
                    (rank, Some(&place)) if rank > 0 => other[place].push(self, rank, &mut path),
                    _ => path.extend_from_slice(edges),
                }
            }
            found.push((self.score(&path), path));
        }
        Ok(found)
    }
}

/// The choices that were made, and those that came out in order.
struct Choices {
    all: Vec<Choice>,
    order: Vec<usize>,
}

impl Choices {
    fn len(&self) -> usize {
        self.order.len()
    }

    /// Calls `visit` for each unit that has another than its best path.
    fn ranks(&self, chosen: usize, mut visit: impl FnMut(usize, usize)) {
        let mut now = Some(chosen);
        let mut counts = true;
        while let Some(number) = now {
            let choice = &self.all[number];
            if choice.rank == 0 {
                break;
            }
            if counts {
                visit(choice.last, choice.rank);
            }
            counts = choice.beside;
            now = choice.parent;
        }
    }
}

/// The cheapest `n` choices. Each is made from one other only: its last unit goes on to its next path; the next unit has its
/// second path beside it; or in its stead, if it was the second of it.
fn enumerate(paths: &[Paths], n: usize) -> Choices {
    let cost = |unit: usize, rank: usize| paths[unit].score(0) - paths[unit].score(rank);
    let mut all = vec![Choice { cost: 0.0, last: 0, rank: 0, parent: None, beside: false }];
    let mut heap = BinaryHeap::from([Cheapest(0.0, 0)]);
    let mut order = Vec::new();
    while let Some(Cheapest(_, number)) = heap.pop() {
        order.push(number);
        if order.len() == n {
            break;
        }
        let Choice { cost: sum, last, rank, .. } = all[number];
        let mut next: Vec<(f64, usize, usize, bool)> = Vec::new();
        if rank == 0 {
            if !paths.is_empty() {
                next.push((cost(0, 1), 0, 1, true));
            }
        } else {
            if rank + 1 < paths[last].len() {
                next.push((sum - cost(last, rank) + cost(last, rank + 1), last, rank + 1, false));
            }
            if last + 1 < paths.len() {
                next.push((sum + cost(last + 1, 1), last + 1, 1, true));
                if rank == 1 {
                    next.push((sum - cost(last, 1) + cost(last + 1, 1), last + 1, 1, false));
                }
            }
        }
        for (cost, last, rank, beside) in next {
            heap.push(Cheapest(cost, all.len()));
            all.push(Choice { cost, last, rank, parent: Some(number), beside });
        }
    }
    Choices { all, order }
}

/// A choice in the heap: its cost and its number.
struct Cheapest(f64, usize);

impl PartialEq for Cheapest {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Cheapest {}

impl PartialOrd for Cheapest {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Cheapest {
    fn cmp(&self, other: &Self) -> Ordering {
        other.0.total_cmp(&self.0).then(other.1.cmp(&self.1))
    }
}
