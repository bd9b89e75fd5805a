//! The edge buffer of one short unit, ordered by start (CSR).
//!
//! Input of path enumeration. Many units of a new text are new, and which trie steps end an edge is unpredictable: so
//! every step is recorded without a branch, and non-edges are dropped at the end.

use crate::util::{low32, low8, u16_of, u64_of};

/// Maximum paths of a unit that are enumerated.
pub const MAX_ENUMERATED_PATHS: usize = 16;
/// Maximum bytes of a unit whose paths are enumerated.
pub const MAX_ENUMERATED_BYTES: usize = 63;
/// Positions of a unit: a power of two above the longest.
const PLACES: usize = 64;
/// Capacity in edges: a power of two above the maximum.
const MOST: usize = PLACES * PLACES / 2;
const _: () = assert!(MAX_ENUMERATED_BYTES < PLACES && MAX_ENUMERATED_BYTES * (MAX_ENUMERATED_BYTES + 1) / 2 < MOST);
/// Saturated path count: above [`MAX_ENUMERATED_PATHS`], and twice it fits a byte.
const SATURATED: u8 = 17;
const _: () = assert!(MAX_ENUMERATED_PATHS == 16);

/// One edge.
#[derive(Clone, Copy, Debug, Default)]
pub struct Row {
    /// Its weight or the logarithm of it.
    pub weight: f64,
    /// Its id.
    pub id: u32,
    /// Where it begins.
    pub start: u8,
    /// Where it ends.
    pub end: u8,
}

/// The edges.
pub struct Edges {
    /// As recorded: id plus one, start and end.
    noted: Box<[u64; MOST]>,
    count: usize,
    rows: Vec<Row>,
    pub(crate) length: usize,
    /// For each position the index of the first edge that begins at or after it.
    begin: [u16; PLACES],
    /// The number of paths, saturating at [`SATURATED`].
    ways: u8,
}

impl Default for Edges {
    fn default() -> Self {
        Self { noted: Box::new([0; MOST]), count: 0, rows: Vec::new(), length: 0, begin: [0; PLACES], ways: 0 }
    }
}

impl Edges {
    /// Starts a unit of `length` bytes: at most [`MAX_ENUMERATED_BYTES`].
    pub fn open(&mut self, length: usize) {
        (self.length, self.count) = (length.min(MAX_ENUMERATED_BYTES), 0);
    }

    /// Starts the row of edges that begin at `place`.
    #[inline(always)]
    pub fn start_row(&mut self, place: usize) {
        self.begin[place % PLACES] = u16_of(self.count);
    }

    /// Records an edge by its id plus one; none for 0.
    #[inline(always)]
    pub fn push(&mut self, start: usize, end: usize, number: u32) {
        self.noted[self.count % MOST] = u64::from(number) << 16 | u64_of(start % PLACES) << 8 | u64_of(end % PLACES);
        self.count += usize::from(number != 0);
    }

    /// Finishes the rows: weighs each edge, and counts the paths.
    #[inline(always)]
    pub fn finish(&mut self, mut weight: impl FnMut(u32) -> f64) {
        self.start_row(self.length);
        let mut ways = [0u8; PLACES];
        ways[0] = 1;
        self.rows.resize(MOST, Row::default());
        for (row, &noted) in self.rows.iter_mut().zip(&self.noted[..self.count % MOST]) {
            let id = low32(noted >> 16).wrapping_sub(1);
            let (start, end) = (low8(low32(noted >> 8)), low8(low32(noted)));
            *row = Row { weight: weight(id), id, start, end };
            let sum = ways[usize::from(end) % PLACES] + ways[usize::from(start) % PLACES];
            ways[usize::from(end) % PLACES] = sum.min(SATURATED);
        }
        self.ways = ways[self.length % PLACES];
    }

    /// The number of paths, if they can be enumerated.
    pub fn path_count(&self) -> Option<usize> {
        (self.ways < SATURATED).then_some(self.ways.into())
    }

    /// For each position the index of the first edge that begins at or after it; last the number of edges.
    pub fn begin(&self) -> &[u16] {
        &self.begin[..=self.length]
    }

    /// All edges, by start and then by end.
    pub fn rows(&self) -> &[Row] {
        &self.rows[..self.count]
    }
}
