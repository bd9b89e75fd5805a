//! Lists of the best paths of units. A list of the best m paths is a prefix of any longer one, so a list starts short
//! and is recomputed when more are needed.
//!
//! Lazy k-best (Huang and Chiang): of each edge only the best path that is not listed yet is known, and the next path
//! to a position is found when a longer one needs it.

use bytemuck::{Pod, Zeroable};

use crate::lattice::{check_kept, check_written, MAX_HYPOTHESES};
use crate::units::cache::Arena;
use crate::util::huge_page_vec::HugePageVec;
use crate::util::{report, u32_of, us, Result};

/// Growth factor of a list.
const GROWTH: usize = 2;
/// In place of the index of a path or an edge: there is none.
const NONE: u32 = u32::MAX;

/// The edges of a unit: start, end, id and score of each. Those with a common end come by their starts.
pub trait Arcs: Iterator<Item = (u32, u32, u32, f64)> + Clone {}

impl<T: Iterator<Item = (u32, u32, u32, f64)> + Clone> Arcs for T {}

/// One path of a unit.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct Row {
    /// Its extra cost over the best.
    pub cost: f64,
    /// The start of its ids.
    pub start: u32,
    /// The number of its ids.
    pub count: u32,
}

/// The list of one unit.
#[derive(Clone, Copy)]
pub struct List {
    first: u32,
    count: u32,
    /// The number of paths requested: if there are fewer, there are no others.
    reach: u32,
}

impl List {
    /// Whether a path of this rank is missing but might be found in a longer list.
    #[inline]
    pub const fn is_short_of(&self, rank: usize) -> bool {
        rank >= us(self.count) && self.count == self.reach
    }
}

/// A path to a position: its score and its last edge, the path that this edge extends, and the next path to the
/// position.
#[derive(Clone, Copy)]
struct Hypothesis {
    score: f64,
    edge: u32,
    before: u32,
    next: u32,
}

/// An edge, and the best path through it that is not listed yet: its score, and the path that it extends.
#[derive(Clone, Copy, Default)]
struct Head {
    score: f64,
    weight: f64,
    id: u32,
    start: u32,
    before: u32,
}

/// A position of the current unit: the range of the edges that end there, the path listed last, and whether there is no
/// other.
#[derive(Clone, Copy)]
struct Place {
    first: u32,
    behind: u32,
    last: u32,
    is_done: bool,
}

/// The lists of many units.
#[derive(Default)]
pub struct KBestLists {
    lists: Vec<List>,
    rows: HugePageVec<Row>,
    /// The ids of all paths.
    pub(crate) ids: HugePageVec<u32>,
    /// The paths to positions of the current unit, its edges by their ends, and its positions.
    hypotheses: Vec<Hypothesis>,
    heads: Vec<Head>,
    places: Vec<Place>,
    /// Positions whose next path is needed; the ids of a path.
    waiting: Vec<u32>,
    path: Vec<u32>,
}

impl Arena for KBestLists {
    fn bytes(&self) -> usize {
        size_of::<List>() * self.lists.len() + size_of::<Row>() * self.rows.len() + size_of::<u32>() * self.ids.len()
    }

    fn clear(&mut self) {
        self.lists.clear();
        self.rows.truncate(0);
        self.ids.truncate(0);
    }
}

impl KBestLists {
    /// Lists the best `reach` paths of a unit of `length` bytes; returns the index of the list.
    pub fn add(&mut self, length: usize, edges: impl Arcs, reach: usize) -> u32 {
        let list = self.solve(length, edges, reach);
        self.lists.push(list);
        u32_of(self.lists.len() - 1)
    }

    /// Extends the list of a unit with these edges, until it has the path `rank` or all there are; geometric growth
    /// bounds the total work.
    pub fn extend(&mut self, list: u32, rank: usize, length: usize, edges: impl Arcs) {
        let mut reach = us(self.lists[us(list)].reach);
        while reach <= rank {
            reach *= GROWTH;
        }
        if self.lists[us(list)].is_short_of(rank) {
            self.lists[us(list)] = self.solve(length, edges, reach);
        }
    }

    /// A list by its index.
    #[inline]
    pub fn list(&self, number: u32) -> List {
        self.lists[us(number)]
    }

    /// The paths of a list, the best first.
    #[inline]
    pub fn rows(&self, list: List) -> &[Row] {
        &self.rows[us(list.first)..us(list.first + list.count)]
    }

    /// Refuses lists that take too much memory.
    pub fn check(&self) -> Result<()> {
        check_kept(self.hypotheses.len())?;
        check_written(self.ids.len())
    }

    /// Finds the best `reach` paths of a unit, and stores them.
    fn solve(&mut self, length: usize, edges: impl Arcs, reach: usize) -> List {
        self.open(length, edges);
        let best = self.places[length].last;
        let (mut count, first) = (1, self.rows.len());
        while count < reach && self.hypotheses.len() <= MAX_HYPOTHESES && self.list_next(length) {
            count += 1;
        }
        let Self { rows, ids, hypotheses, heads, path, .. } = self;
        let (mut now, mut least) = (best, None);
        while let Some(end) = hypotheses.get(us(now)) {
            path.clear();
            let mut hypothesis = end;
            while let Some(head) = heads.get(us(hypothesis.edge)) {
                path.push(head.id);
                hypothesis = &hypotheses[us(hypothesis.before)];
            }
            path.reverse();
            let cost = *least.get_or_insert(end.score) - end.score;
            rows.extend(&[Row { cost, start: u32_of(ids.len()), count: u32_of(path.len()) }]);
            ids.extend(path);
            now = end.next;
        }
        List { first: u32_of(first), count: u32_of(rows.len() - first), reach: u32_of(reach) }
    }

    /// Finds the best path to each position.
    fn open(&mut self, length: usize, edges: impl Arcs) {
        report(length);
        let Self { hypotheses, heads, places, .. } = self;
        places.clear();
        places.resize(length + 1, Place { first: 0, behind: 0, last: NONE, is_done: false });
        for (_, end, ..) in edges.clone() {
            places[us(end)].behind += 1;
        }
        let mut first = 0;
        for place in &mut *places {
            let count = place.behind;
            (place.first, place.behind) = (first, first);
            first += count;
        }
        heads.resize(heads.len().max(us(first)), Head::default());
        for (start, end, id, weight) in edges {
            let place = &mut places[us(end)];
            heads[us(place.behind)] = Head { weight, id, start, ..Head::default() };
            place.behind += 1;
        }
        hypotheses.clear();
        hypotheses.push(Hypothesis { score: 0.0, edge: NONE, before: NONE, next: NONE });
        (places[0].last, places[0].is_done) = (0, true);
        for at in 1..=length {
            let Self { hypotheses, heads, places, .. } = self;
            for head in &mut heads[us(places[at].first)..us(places[at].behind)] {
                head.before = places[us(head.start)].last;
                head.score = hypotheses.get(us(head.before)).map_or(0.0, |before| before.score + head.weight);
            }
            self.take(at);
        }
    }

    /// Lists the best path through any edge to a position, of ties that of the first edge; or notes that there is none.
    #[inline(always)]
    fn take(&mut self, at: usize) {
        let Self { hypotheses, heads, places, .. } = self;
        let place = &mut places[at];
        let (mut best, mut chosen) = (f64::NEG_INFINITY, NONE);
        for (number, head) in (place.first..).zip(&heads[us(place.first)..us(place.behind)]) {
            // The branch would be unpredictable: so this is branch-free.
            let is_better = (head.before != NONE) & ((head.score > best) | (chosen == NONE));
            best = if is_better { head.score } else { best };
            chosen = if is_better { number } else { chosen };
        }
        let Some(head) = heads.get(us(chosen)) else {
            place.is_done = true;
            return;
        };
        let number = u32_of(hypotheses.len());
        if let Some(last) = hypotheses.get_mut(us(place.last)) {
            last.next = number;
        }
        hypotheses.push(Hypothesis { score: head.score, edge: chosen, before: head.before, next: NONE });
        place.last = number;
    }

    /// Lists the next path to a position; false if there is none.
    fn list_next(&mut self, end: usize) -> bool {
        self.waiting.push(u32_of(end));
        while let Some(&at) = self.waiting.last() {
            report(1);
            let Place { last, is_done, .. } = self.places[us(at)];
            if !is_done {
                // The edge of the path listed last is now extended by the next path to its start.
                let edge = us(self.hypotheses[us(last)].edge);
                let Head { start, before, .. } = self.heads[edge];
                let next = self.hypotheses[us(before)].next;
                if next == NONE && !self.places[us(start)].is_done {
                    self.waiting.push(start);
                    continue;
                }
                let head = &mut self.heads[edge];
                head.before = next;
                head.score = self.hypotheses.get(us(next)).map_or(0.0, |before| before.score + head.weight);
                self.take(us(at));
            }
            self.waiting.pop();
        }
        !self.places[end].is_done
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_as_long_as_was_asked() {
        let edges = (0..9).flat_map(|start| (start + 1..=9).map(move |end| (start, end, 0, -f64::from(end - start))));
        let mut lists = KBestLists::default();
        let number = lists.add(9, edges.clone(), 8);
        for (rank, reach) in [(7, 8), (8, 16), (9, 16), (8, 16), (100, 128), (300, 512), (300, 512)] {
            lists.extend(number, rank, 9, edges.clone());
            assert_eq!(us(lists.list(number).reach), reach);
            assert_eq!(lists.rows(lists.list(number)).len() > rank, rank < 1 << 8);
        }
    }
}
