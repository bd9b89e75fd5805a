//! The edges of one short unit in the order in which they are found: by where they begin.
//!
//! What a unit is made ready from. Many units of a new text are new, and which bytes an edge ends behind nothing foretells: so
//! edges are noted without asking whether there is one, and looked at when all are known.

use crate::util::cast::{low32, low8, u16_of, u64_of};

/// A unit of at most so many paths is drawn from as a whole.
pub const MAX_ENUMERATED_PATHS: usize = 16;
/// Longest unit in bytes that is.
pub const MAX_ENUMERATED_BYTES: usize = 63;
/// Places of a unit: a power of two above the longest.
const PLACES: usize = 64;
/// Edges of a unit: a power of two above the most.
const MOST: usize = PLACES * PLACES / 2;
const _: () = assert!(MAX_ENUMERATED_BYTES < PLACES && MAX_ENUMERATED_BYTES * (MAX_ENUMERATED_BYTES + 1) / 2 < MOST);
/// More ways than are few, and so many that two of them fit into a byte.
const SATURATED: u8 = 17;
const _: () = assert!(MAX_ENUMERATED_PATHS == 16);

/// One edge.
#[derive(Clone, Copy, Debug, Default)]
pub struct Row {
    /// What it weighs: as it is, or its logarithm.
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
    /// As they were noted: id plus one, start and end.
    noted: Box<[u64; MOST]>,
    count: usize,
    rows: Vec<Row>,
    length: usize,
    /// For each place the number of the first edge that begins there or behind it.
    begin: [u16; PLACES],
    /// How many paths there are, [`SATURATED`] for more than a few.
    ways: u8,
}

impl Default for Edges {
    fn default() -> Self {
        Self { noted: Box::new([0; MOST]), count: 0, rows: Vec::new(), length: 0, begin: [0; PLACES], ways: 0 }
    }
}

impl Edges {
    /// Begins anew, for a unit of so many bytes: at most [`MAX_ENUMERATED_BYTES`].
    pub fn open(&mut self, length: usize) {
        (self.length, self.count) = (length.min(MAX_ENUMERATED_BYTES), 0);
    }

    /// What follows begins at a place, or behind it.
    #[inline(always)]
    pub fn start_row(&mut self, place: usize) {
        self.begin[place % PLACES] = u16_of(self.count);
    }

    /// Notes an edge by its id plus one; none for 0.
    #[inline(always)]
    pub fn push(&mut self, start: usize, end: usize, number: u32) {
        self.noted[self.count % MOST] = u64::from(number) << 16 | u64_of(start % PLACES) << 8 | u64_of(end % PLACES);
        self.count += usize::from(number != 0);
    }

    /// All edges are noted: gives each what it weighs, and counts the ways.
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

    /// Length of the unit in bytes.
    pub const fn length(&self) -> usize {
        self.length
    }

    /// How many paths there are, if they are few.
    pub fn path_count(&self) -> Option<usize> {
        (self.ways < SATURATED).then_some(self.ways.into())
    }

    /// For each place the number of the first edge that begins there or behind it; at the end how many there are.
    pub fn begin(&self) -> &[u16] {
        &self.begin[..=self.length]
    }

    /// All edges, by where they begin, and with one beginning by their ends.
    pub fn rows(&self) -> &[Row] {
        &self.rows[..self.count]
    }
}
