//! The best paths of units, kept for the next time: units come again and again, and only a few paths of each are ever asked for.
//!
//! A list of the best m paths is the beginning of any longer one, so that a list is made short and made anew when more is asked.

use bytemuck::{Pod, Zeroable};

use super::edges::Edges;
use super::few::MAX_FEW;
use crate::cast::{u32_of, us};
use crate::index::growing::Growing;

/// Longest unit in bytes that has a list.
pub const MAX_LISTED: usize = MAX_FEW;
/// Places of a unit: a power of two above the longest.
const ROOM: usize = MAX_LISTED + 1;
const _: () = assert!(ROOM.is_power_of_two());
/// Paths of a list at first, and by how much it grows.
const FIRST: usize = 8;
const GROWTH: usize = 4;
/// Larger scores might have sums that are no numbers.
pub const MAX_SCORE: f64 = 1e100;

/// One path of a unit.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct Row {
    /// What it costs more than the best.
    pub cost: f64,
    /// Where its ids begin.
    pub start: u32,
    /// How many they are.
    pub count: u32,
}

/// One id of a path.
#[derive(Clone, Copy, Default, Pod, Zeroable)]
#[repr(C)]
pub struct Step {
    /// What it adds to the score.
    pub score: f64,
    /// The id.
    pub id: u32,
    unused: u32,
}

/// The list of one unit.
#[derive(Clone, Copy)]
struct List {
    /// What its cheapest other path costs more, by the sums that a whole lattice is looked at with; infinite if there is none.
    second: f64,
    first: u32,
    count: u32,
    /// So many were asked for: if there are fewer, there are no others.
    reach: u32,
}

/// A way to a place: its score; of its last edge what it adds, its id and its beginning; and which of the ways there it goes on
/// from.
#[derive(Clone, Copy, Default)]
struct Way {
    score: f64,
    weight: f64,
    id: u32,
    rank: u16,
    start: u8,
}

/// The lists of many units.
#[derive(Default)]
pub struct Lists {
    lists: Vec<List>,
    rows: Growing<Row>,
    steps: Growing<Step>,
    /// The best ways to each place of the unit at hand, so many places for each.
    ways: Vec<Way>,
    /// For each edge to the place at hand the best way by it that is not listed yet.
    heads: Vec<Way>,
}

impl Lists {
    /// Forgets all lists.
    pub fn clear(&mut self) {
        self.lists.clear();
        self.rows.truncate(0);
        self.steps.truncate(0);
    }

    /// How much memory the lists take.
    #[must_use]
    pub fn bytes(&self) -> usize {
        size_of::<List>() * self.lists.len() + size_of::<Row>() * self.rows.len() + size_of::<Step>() * self.steps.len()
    }

    /// Lists the best paths of a unit, whose edges weigh their scores; the number of the list.
    pub fn add(&mut self, edges: &mut Edges) -> u32 {
        let number = self.lists.len();
        let count = self.solve(edges, FIRST);
        let list = self.written(edges, count, FIRST);
        self.lists.push(List { second: self.second(edges), ..list });
        u32_of(number)
    }

    /// Makes a list longer, of whose unit these are the edges.
    pub fn extend(&mut self, list: u32, edges: &mut Edges) {
        let List { second, reach, .. } = self.lists[us(list)];
        let reach = GROWTH * us(reach);
        let count = self.solve(edges, reach);
        self.lists[us(list)] = List { second, ..self.written(edges, count, reach) };
    }

    /// Whether a path is not in a list that might have it if it were longer.
    #[inline]
    #[must_use]
    pub fn is_short_of(&self, list: u32, rank: usize) -> bool {
        let List { count, reach, .. } = self.lists[us(list)];
        rank >= us(count) && count == reach
    }

    /// What the cheapest other path of a unit costs more.
    #[inline]
    #[must_use]
    pub fn second_of(&self, list: u32) -> f64 {
        self.lists[us(list)].second
    }

    /// A path of a list.
    #[inline]
    #[must_use]
    pub fn row(&self, list: u32, rank: usize) -> Option<&Row> {
        let List { first, count, .. } = self.lists[us(list)];
        if rank < us(count) {
            self.rows.get(us(first) + rank)
        } else {
            None
        }
    }

    /// The ids of all paths.
    #[inline]
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The best ways to each place, at most `most` of each; how many there are to the end.
    fn solve(&mut self, edges: &mut Edges, most: usize) -> usize {
        edges.link();
        let (edges, Self { ways, heads, .. }) = (&*edges, self);
        let mut counts = [0; ROOM];
        ways.resize(ROOM * most, Way::default());
        ways[0] = Way::default();
        counts[0] = 1;
        for place in 1..=edges.length() {
            heads.clear();
            let mut next = edges.ending(place);
            while let Some(row) = next {
                next = edges.after(row);
                let start = usize::from(row.start);
                if counts[start % ROOM] > 0 {
                    let score = ways[start * most].score + row.weight;
                    heads.push(Way { score, weight: row.weight, id: row.id, rank: 0, start: row.start });
                }
            }
            let (before, to) = ways.split_at_mut(place * most);
            counts[place % ROOM] = merge(before, &counts, heads, &mut to[..most]);
        }
        counts[edges.length() % ROOM]
    }

    /// What the cheapest other path of a unit costs more than its best: as `super::nbest` finds it.
    fn second(&self, edges: &Edges) -> f64 {
        let best = |place: usize| &self.ways[place * FIRST];
        let (mut ends, mut place) = ([0; ROOM], edges.length());
        while place > 0 {
            let start = best(place).start;
            ends[usize::from(start) % ROOM] = place;
            place = usize::from(start);
        }
        let (mut on, mut found) = ([f64::NEG_INFINITY; ROOM], f64::NEG_INFINITY);
        on[edges.length() % ROOM] = 0.0;
        // A path that is not the best one has an edge that is not the best one's.
        for row in edges.rows().iter().rev() {
            let (start, end) = (usize::from(row.start), usize::from(row.end));
            let behind = on[end % ROOM];
            on[start % ROOM] = on[start % ROOM].max(row.weight + behind);
            // Where no way leads to nothing leads on; the beginning is scored 0.
            let score = best(start).score + row.weight + behind;
            if ends[start % ROOM] != end && score > found {
                found = score;
            }
        }
        best(edges.length()).score - found
    }

    /// Writes down the paths that were found; their list.
    fn written(&mut self, edges: &Edges, count: usize, most: usize) -> List {
        let Self { rows, steps, ways, .. } = self;
        let first = u32_of(rows.len());
        let ends = &ways[edges.length() * most..][..count];
        let mut path = [Step::default(); ROOM];
        for end in ends {
            let (mut way, mut at) = (end, ROOM);
            loop {
                at -= 1;
                path[at % ROOM] = Step { score: way.weight, id: way.id, unused: 0 };
                if way.start == 0 {
                    break;
                }
                way = &ways[usize::from(way.start) * most + usize::from(way.rank)];
            }
            let cost = ends[0].score - end.score;
            rows.extend(&[Row { cost, start: u32_of(steps.len()), count: u32_of(ROOM - at) }]);
            steps.extend(&path[at..]);
        }
        List { second: f64::INFINITY, first, count: u32_of(count), reach: u32_of(most) }
    }
}

/// Lists the best of the ways that go on by some edges, with one score those of the first edge first; how many they are.
fn merge(before: &[Way], counts: &[usize; ROOM], heads: &mut [Way], to: &mut [Way]) -> usize {
    let most = to.len();
    for (done, way) in to.iter_mut().enumerate() {
        let (mut best, mut chosen) = (f64::NEG_INFINITY, usize::MAX);
        for (number, head) in heads.iter().enumerate() {
            // Nobody can foretell which: so there is no branch.
            let is_better = head.score > best;
            best = if is_better { head.score } else { best };
            chosen = if is_better { number } else { chosen };
        }
        let Some(head) = heads.get_mut(chosen) else { return done };
        *way = *head;
        head.rank += 1;
        let start = usize::from(head.start);
        head.score = if usize::from(head.rank) < counts[start % ROOM] {
            before[start * most + usize::from(head.rank)].score + head.weight
        } else {
            f64::NEG_INFINITY
        };
    }
    most
}
