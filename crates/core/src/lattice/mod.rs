//! The lattice of a text: every piece that matches somewhere, with its score.
//!
//! Every path passes through the unit boundaries, so sums over paths and samples of paths factor into those of the
//! units (`docs/algorithms/lattice.md`).

pub mod draw;
pub(crate) mod enumeration;
pub mod gumbel;
pub mod product;
pub mod semiring;
pub mod sums;

use std::ops::Range;

use crate::util::{u32_of, us, Error, Result};

/// Maximum number of partial paths stored at once.
pub const MAX_HYPOTHESES: usize = 1 << 24;
/// Maximum number of edges of all paths together.
pub const MOST_WRITTEN: usize = 1 << 26;

/// One piece at one position of the normalized text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Edge {
    /// Where it begins.
    pub start: u32,
    /// Where it ends.
    pub end: u32,
    /// Its id; the unknown piece for a character that no piece covers.
    pub id: u32,
    /// Its score.
    pub score: f64,
}

/// All edges of a normalized text.
#[derive(Default)]
pub struct Lattice {
    /// The edges, by end and then by start.
    pub edges: Vec<Edge>,
    /// For each position the index of the first edge that ends there, and a sentinel.
    first: Vec<u32>,
    /// The positions that every path passes through: 0, and the ends of units.
    pub bounds: Vec<u32>,
    /// For each unit its fragment and its position there, which key its random numbers.
    pub keys: Vec<(u32, u32)>,
    /// The largest absolute score that an edge of the vocabulary can have.
    pub largest: f64,
    /// Edges by start, as given.
    by_start: Vec<Edge>,
    /// For each position the index of the first edge that begins there, and a sentinel.
    begin: Vec<u32>,
}

/// The edges of one unit.
#[derive(Clone, Copy)]
pub struct Unit<'a> {
    lattice: &'a Lattice,
    /// Where it begins.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
}

impl Lattice {
    /// From edges by start, and unit boundaries, of which the first is 0; each unit has a key.
    pub fn new(edges: Vec<Edge>, bounds: Vec<u32>, keys: Vec<(u32, u32)>, largest: f64) -> Self {
        let mut lattice = Self { bounds, keys, largest, ..Self::default() };
        lattice.sort(edges);
        lattice
    }

    /// Becomes the lattice of a single unit, whose edges `list` pushes by start.
    pub fn refill(&mut self, length: usize, list: impl FnOnce(&mut Vec<Edge>)) {
        let mut edges = std::mem::take(&mut self.by_start);
        edges.clear();
        list(&mut edges);
        self.bounds.clear();
        self.bounds.extend([0, u32_of(length)]);
        self.sort(edges);
    }

    /// Sorts edges by end; stable.
    fn sort(&mut self, edges: Vec<Edge>) {
        let length = self.length();
        let Self { first, begin, edges: sorted, .. } = self;
        for places in [&mut *first, &mut *begin] {
            places.clear();
            places.resize(length + 2, 0);
        }
        for edge in &edges {
            first[us(edge.end) + 1] += 1;
            begin[us(edge.start) + 1] += 1;
        }
        for place in 0..=length {
            first[place + 1] += first[place];
            begin[place + 1] += begin[place];
        }
        sorted.clear();
        sorted.resize(edges.len(), Edge { start: 0, end: 0, id: 0, score: 0.0 });
        for edge in &edges {
            let next = &mut first[us(edge.end)];
            sorted[us(*next)] = *edge;
            *next += 1;
        }
        // Each entry now holds the start of the next position's edges.
        first.rotate_right(1);
        first[0] = 0;
        self.by_start = edges;
    }

    /// Length of the normalized text in bytes.
    pub fn length(&self) -> usize {
        self.bounds.last().map_or(0, |&last| us(last))
    }

    /// The indices of the edges that end at a position.
    pub fn ending(&self, place: usize) -> Range<usize> {
        us(self.first[place])..us(self.first[place + 1])
    }

    /// The units in order.
    pub fn units(&self) -> impl DoubleEndedIterator<Item = Unit<'_>> + '_ {
        self.bounds.windows(2).map(|pair| Unit { lattice: self, start: us(pair[0]), end: us(pair[1]) })
    }

    /// The index of the edge with these properties, if there is one.
    pub fn find(&self, start: usize, end: usize, id: u32) -> Option<u32> {
        let range = self.ending(end);
        let found = range.clone().find(|&edge| us(self.edges[edge].start) == start && self.edges[edge].id == id);
        found.or_else(|| range.into_iter().find(|&edge| us(self.edges[edge].start) == start)).map(u32_of)
    }

    /// The index of the only edge that begins at a position, if it ends at the next boundary.
    pub fn starting(&self, place: usize) -> Option<u32> {
        let end = self.bounds.get(self.bounds.partition_point(|&bound| us(bound) <= place))?;
        self.ending(us(*end)).find(|&edge| us(self.edges[edge].start) == place).map(u32_of)
    }

    /// The total score of a path.
    pub fn score(&self, path: &[u32]) -> f64 {
        // An empty sum would be -0.0.
        path.iter().map(|&edge| self.edges[us(edge)].score).sum::<f64>() + 0.0
    }
}

impl<'a> Unit<'a> {
    /// The indices, by start, of the edges that begin at a position, the shortest first.
    pub fn starting_at(self, place: usize) -> Range<usize> {
        us(self.lattice.begin[place])..us(self.lattice.begin[place + 1])
    }

    /// An edge by its index by start.
    pub fn edge(self, number: usize) -> &'a Edge {
        &self.lattice.by_start[number]
    }

    /// The edges that begin at a position, the shortest first.
    pub fn starting(self, place: usize) -> &'a [Edge] {
        &self.lattice.by_start[self.starting_at(place)]
    }

    /// The edges that end at a position, with the index of the first.
    pub fn ending(self, place: usize) -> (usize, &'a [Edge]) {
        let range = self.lattice.ending(place);
        (range.start, &self.lattice.edges[range])
    }
}

/// Refuses more partial paths than [`MAX_HYPOTHESES`].
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
