//! Cached k-best lists of units: units repeat, and only a few paths of each are ever needed.
//!
//! A list of the best m paths is a prefix of any longer one, so a list starts short and is recomputed when more are
//! needed.

use bytemuck::{Pod, Zeroable};

use crate::segment::unigram::edges::Edges;
use crate::units::cache::Arena;
use crate::units::canonical::MAX_ENUMERATED_BYTES;
use crate::util::cast::{u16_of, u32_of, us};
use crate::util::huge_page_vec::HugePageVec;

/// Longest unit in bytes that has a list.
pub const MAX_LISTED: usize = MAX_ENUMERATED_BYTES;
/// Positions of a unit: a power of two above the longest.
const ROOM: usize = MAX_LISTED + 1;
const _: () = assert!(ROOM.is_power_of_two());
/// Initial number of paths of a list, and its growth factor.
const FIRST: usize = 8;
const GROWTH: usize = 2;
/// Larger absolute scores might overflow in sums.
pub const MAX_SCORE: f64 = 1e100;

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
    /// The extra cost of its second best path, by the sums that are used for a whole lattice; infinite if there is
    /// none.
    pub second: f64,
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

/// A hypothesis at a position: its score; score, id and start of its last edge; and the rank of the hypothesis that it
/// extends.
#[derive(Clone, Copy, Default)]
struct Hypothesis {
    score: f64,
    weight: f64,
    id: u32,
    rank: u16,
    start: u8,
}

/// The lists of many units.
pub struct KBestLists {
    lists: Vec<List>,
    rows: HugePageVec<Row>,
    ids: HugePageVec<u32>,
    /// The k-best hypotheses at each position of the current unit, `most` slots for each.
    hypotheses: Vec<Hypothesis>,
    /// The frontier: for each edge, by its end, the best hypothesis through it that is not listed yet, or the last that
    /// is.
    heads: Vec<Hypothesis>,
    places: Box<[Place; ROOM]>,
}

/// The state of a position of the current unit.
#[derive(Clone, Copy, Default)]
struct Place {
    /// The range of its frontier.
    first: u16,
    behind: u16,
    /// The number of listed hypotheses, and whether these are all.
    count: u16,
    is_done: bool,
    /// The frontier entry that was listed last.
    last: u16,
}

impl Default for KBestLists {
    fn default() -> Self {
        let (hypotheses, heads, places) = (Vec::new(), Vec::new(), Box::new([Place::default(); ROOM]));
        Self { lists: Vec::new(), rows: HugePageVec::default(), ids: HugePageVec::default(), hypotheses, heads, places }
    }
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
    /// Lists the best paths of a unit, whose edges are weighted by their scores; returns the index of the list.
    pub fn add(&mut self, edges: &Edges) -> u32 {
        let number = self.lists.len();
        let count = self.solve(edges, FIRST);
        let list = self.written(edges, count, FIRST);
        self.lists.push(List { second: self.second(edges), ..list });
        u32_of(number)
    }

    /// Extends the list of a unit with these edges, until it has the path `rank` or all there are; geometric growth
    /// bounds the total work.
    pub fn extend(&mut self, list: u32, rank: usize, edges: &Edges) {
        let List { second, reach, .. } = self.lists[us(list)];
        let mut reach = us(reach);
        while reach <= rank {
            reach *= GROWTH;
        }
        if self.lists[us(list)].is_short_of(rank) {
            let count = self.solve(edges, reach);
            self.lists[us(list)] = List { second, ..self.written(edges, count, reach) };
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

    /// The ids of all paths.
    #[inline]
    pub fn ids(&self) -> &[u32] {
        &self.ids
    }

    /// Finds the best hypotheses at the end, at most `most`; returns their number. Other positions list as many as
    /// these need (lazy k-best).
    fn solve(&mut self, edges: &Edges, most: usize) -> usize {
        self.open(edges, most);
        let end = edges.length();
        while usize::from(self.places[end % ROOM].count) < most && self.list_next(end, most) {}
        usize::from(self.places[end % ROOM].count)
    }

    /// Finds the best hypothesis at each position.
    fn open(&mut self, edges: &Edges, most: usize) {
        let Self { hypotheses, heads, places, .. } = self;
        places[..=edges.length()].fill(Place::default());
        for row in edges.rows() {
            places[usize::from(row.end) % ROOM].behind += 1;
        }
        let mut first = 0;
        for place in &mut places[..=edges.length()] {
            let count = place.behind;
            (place.first, place.behind) = (first, first);
            first += count;
        }
        heads.resize(heads.len().max(edges.rows().len()), Hypothesis::default());
        hypotheses.resize(hypotheses.len().max(ROOM * most), Hypothesis::default());
        hypotheses[0] = Hypothesis::default();
        (places[0].count, places[0].is_done) = (1, true);
        for (at, bounds) in (0..).zip(edges.begin().windows(2)) {
            if at > 0 {
                take(&heads[..], &mut places[at % ROOM], &mut hypotheses[at * most..]);
            }
            if places[at % ROOM].count == 0 {
                continue;
            }
            let score = hypotheses[at * most].score;
            for row in &edges.rows()[usize::from(bounds[0])..usize::from(bounds[1])] {
                let place = &mut places[usize::from(row.end) % ROOM];
                let hypothesis =
                    Hypothesis { score: score + row.weight, weight: row.weight, id: row.id, rank: 0, start: row.start };
                heads[usize::from(place.behind)] = hypothesis;
                place.behind += 1;
            }
        }
        let end = edges.length();
        take(&heads[..], &mut places[end % ROOM], &mut hypotheses[end * most..]);
    }

    /// Lists the next hypothesis at a position, if there is one: the frontier entry that was listed last advances
    /// first.
    fn list_next(&mut self, at: usize, most: usize) -> bool {
        let Place { last, is_done, .. } = self.places[at % ROOM];
        if is_done {
            return false;
        }
        let Hypothesis { weight, rank, start, .. } = self.heads[usize::from(last)];
        let (before, rank) = (usize::from(start), rank + 1);
        let has_next = rank < self.places[before % ROOM].count || self.list_next(before, most);
        let head = &mut self.heads[usize::from(last)];
        head.rank = rank;
        head.score = if has_next {
            self.hypotheses[before * most + usize::from(rank)].score + weight
        } else {
            f64::NEG_INFINITY
        };
        let place = &mut self.places[at % ROOM];
        take(&self.heads, place, &mut self.hypotheses[at * most..]);
        !place.is_done
    }

    /// The extra cost of the second best path of a unit: as `crate::lattice::nbest` computes it.
    fn second(&self, edges: &Edges) -> f64 {
        let best = |place: usize| &self.hypotheses[place * FIRST];
        let (mut ends, mut place) = ([0; ROOM], edges.length());
        while place > 0 {
            let start = best(place).start;
            ends[usize::from(start) % ROOM] = place;
            place = usize::from(start);
        }
        let (mut on, mut found) = ([f64::NEG_INFINITY; ROOM], f64::NEG_INFINITY);
        on[edges.length() % ROOM] = 0.0;
        // A path other than the best has an edge that is not on the best path.
        for row in edges.rows().iter().rev() {
            let (start, end) = (usize::from(row.start), usize::from(row.end));
            let behind = on[end % ROOM];
            on[start % ROOM] = on[start % ROOM].max(row.weight + behind);
            // Unreachable positions have no successors; the beginning has score 0.
            let score = best(start).score + row.weight + behind;
            if ends[start % ROOM] != end && score > found {
                found = score;
            }
        }
        best(edges.length()).score - found
    }

    /// Stores the paths found; returns their list.
    fn written(&mut self, edges: &Edges, count: usize, most: usize) -> List {
        let Self { rows, ids, hypotheses, .. } = self;
        let first = u32_of(rows.len());
        let ends = &hypotheses[edges.length() * most..][..count];
        let mut path = [0; ROOM];
        for end in ends {
            let (mut hypothesis, mut at) = (end, ROOM);
            loop {
                at -= 1;
                path[at % ROOM] = hypothesis.id;
                if hypothesis.start == 0 {
                    break;
                }
                hypothesis = &hypotheses[usize::from(hypothesis.start) * most + usize::from(hypothesis.rank)];
            }
            let cost = ends[0].score - end.score;
            rows.extend(&[Row { cost, start: u32_of(ids.len()), count: u32_of(ROOM - at) }]);
            ids.extend(&path[at..]);
        }
        List { second: f64::INFINITY, first, count: u32_of(count), reach: u32_of(most) }
    }
}

/// Lists the best entry of a position's frontier, of ties the first; or records that there is none.
#[inline(always)]
fn take(heads: &[Hypothesis], place: &mut Place, hypotheses: &mut [Hypothesis]) {
    let heads = &heads[usize::from(place.first)..usize::from(place.behind)];
    let (mut best, mut chosen) = (f64::NEG_INFINITY, usize::MAX);
    for (number, head) in heads.iter().enumerate() {
        // The branch would be unpredictable: so this is branch-free.
        let is_better = head.score > best;
        best = if is_better { head.score } else { best };
        chosen = if is_better { number } else { chosen };
    }
    match (heads.get(chosen), hypotheses.get_mut(usize::from(place.count))) {
        (Some(head), Some(hypothesis)) => {
            *hypothesis = *head;
            place.last = place.first + u16_of(chosen);
            place.count += 1;
        }
        _ => place.is_done = true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_as_long_as_was_asked() {
        let (mut lists, mut edges) = (KBestLists::default(), Edges::default());
        edges.open(9);
        for start in 0..9 {
            edges.start_row(start);
            for end in start + 1..=9 {
                edges.push(start, end, u32_of(end - start));
            }
        }
        edges.finish(|id| -f64::from(id));
        let number = lists.add(&edges);
        for (rank, reach) in [(7, 8), (8, 16), (9, 16), (8, 16), (100, 128), (300, 512), (300, 512)] {
            lists.extend(number, rank, &edges);
            assert_eq!(us(lists.list(number).reach), reach);
            assert_eq!(lists.rows(lists.list(number)).len() > rank, rank < 1 << 8);
        }
    }
}
