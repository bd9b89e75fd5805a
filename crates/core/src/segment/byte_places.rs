//! The ways to each place of a text whose pieces are bytes: the best one, or what all of them weigh and one that is drawn.

use super::byte_unigram::ByteUnigram;
use crate::cast::{u32_of, u64_of, us};
use crate::index::automaton::Ending;
use crate::lattice::draws::Begun;
use crate::lattice::weighing::limits;
use crate::random::{FirstNumbers, Seed, Shared, SHARING};

/// What is known of a piece in a row of those that end where it does.
#[derive(Clone, Copy)]
pub struct Piece {
    /// What it adds to the score of a path.
    pub score: f64,
    /// Its id.
    pub id: u32,
    /// How many bytes it has.
    pub length: u32,
}

/// Buffers of a walk: what is known of each place since something was last given out.
#[derive(Default)]
pub struct Places {
    /// What ends with each byte of a window.
    pub(super) endings: Vec<Ending>,
    /// The score of the best way there, or the weight of all ways; before them room for what is read in vain.
    ways: Vec<f64>,
    /// The last piece of the best way, or the first of all pieces that end there.
    pieces: Vec<u32>,
    /// By which power of two weights were divided.
    shifts: Vec<i32>,
    shift: i32,
    /// Of the weights of the ways to one place, the sums up to each.
    sums: Vec<f64>,
    /// Where the first place is in the text, and how many there are behind it.
    first: usize,
    count: usize,
}

/// What a walk over texts looks for.
pub trait Walk {
    /// What is known of the ways to where a text begins.
    fn first(&self) -> f64;
    /// What is known of the ways to a place, and of the pieces that end there.
    fn weigh(&mut self, rows: &[Piece], ways: &[f64], ending: Ending) -> (f64, u32);
    /// Whether weights may become too large or too small.
    const SCALES: bool;
    /// Gives out what was found up to the last place.
    fn give(&mut self, rows: &[Piece], places: &mut Places);
    /// What is known of the ways to a place where something was given out.
    fn again(&self, way: f64) -> f64;
}

/// So many pieces of a row are looked at without asking how many it has.
pub const FOUR: usize = 4;
/// What was found is given out at the first bound behind so many bytes.
const MANY: usize = 1024;

/// The weight of all ways to a place is kept between this and one over it, and so is that of places that an edge leads from
/// times this or over it.
const LARGE: f64 = 1e150;
const SHIFT: i32 = 498;

impl Places {
    /// Before the text that begins at a place.
    pub(super) fn begin(&mut self, walk: &impl Walk, at: usize) {
        self.restart(walk.first(), at);
    }

    fn restart(&mut self, way: f64, at: usize) {
        (self.first, self.count, self.shift) = (at, 0, 0);
        self.reserve(0, 0);
        (self.ways[0], self.shifts[0]) = (way, 0);
    }

    fn reserve(&mut self, longest: usize, more: usize) {
        let needed = longest + self.count + more + 1;
        if self.ways.len() < needed {
            let larger = needed + needed / 2;
            self.ways.resize(larger, 0.0);
            self.pieces.resize(larger, 0);
            self.shifts.resize(larger, 0);
        }
    }
}
