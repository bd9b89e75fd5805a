//! Viterbi over byte pieces: the best path to each position.
//!
//! All edges into a position are scored together: the pieces that end there plus the scores of their starts. At a
//! position that no piece spans, the path is emitted and its memory reused. The number of pieces that end at a position
//! is unpredictable, so a fixed number is evaluated without a branch, and those outside the row are masked out.

use bytemuck::{Pod, Zeroable};

use crate::index::aho_corasick::Ending;
use crate::segment::bytepiece::{ByteUnigram, Walk};
use crate::util::rng::BLOCK;
use crate::util::{prefetch, u32_of, us};

/// A piece in a list of pieces with a common end.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct Piece {
    /// Its score.
    pub score: f64,
    /// Its id.
    pub id: u32,
    /// Its length in bytes.
    pub length: u32,
}

/// Number of pieces of a row that are evaluated without a branch on its length; elements before a row are masked out.
pub const SOME: usize = 6;
/// The next power of two.
pub(crate) const ROOM: usize = 8;
/// Number of bytes after which the path is emitted at the next boundary.
const EMIT_AFTER: usize = 1024;
/// Prefetch distance, in positions.
const SOON: usize = 16;

/// Buffers of a pass.
#[derive(Default)]
pub struct Places {
    /// The keys that end with each byte of a window.
    pub(crate) endings: Vec<Ending>,
    /// For each position since the last emission the score of the best path to it, or the total weight of all paths; in
    /// reverse order, padded after the first one for speculative reads.
    pub(crate) ways: Vec<f64>,
    /// The pieces that end at each position.
    pub(crate) rows: Vec<Ending>,
    /// The power of two that weights were divided by.
    pub(crate) shifts: Vec<i32>,
    /// The piece drawn at each position, and the random numbers of a window.
    pub(crate) chosen: Vec<Chosen>,
    pub(crate) firsts: Vec<[u8; BLOCK]>,
}

impl Places {
    /// Makes room for `places` positions.
    pub(crate) fn reserve(&mut self, places: usize, longest: usize) {
        let held = self.rows.len();
        if held >= places && self.ways.len() >= held + longest {
            return;
        }
        let larger = if held >= places { held } else { places + places / 2 };
        let mut ways = vec![0.0; larger + longest];
        for place in 0..held.min(places) {
            ways[larger - 1 - place] = self.ways[held - 1 - place];
        }
        self.ways = ways;
        self.rows.resize(larger, Ending::default());
        self.shifts.resize(larger, 0);
    }

    /// The index of a position in `ways`: earlier positions follow it, at their distance.
    pub(crate) fn at(&self, place: usize) -> usize {
        self.rows.len() - 1 - place
    }
}

/// The index of the first piece of a row.
pub(crate) fn first_of(ending: Ending) -> u32 {
    ending.near + u32_of(SOME) - u32_of(ending.count())
}

/// The last [`SOME`] elements of a row, or of what is stored before it.
pub(crate) fn last_of<T>(rows: &[T], ending: Ending) -> Option<&[T; SOME]> {
    let near = us(ending.near);
    rows.get(near..near + SOME).and_then(<[T]>::first_chunk)
}

/// Prefetches the row of the position [`SOON`] positions ahead.
#[inline(always)]
pub(crate) fn prefetch_row<T>(rows: &[T], endings: &[Ending], number: usize) {
    if let Some(ending) = endings.get(number + SOON) {
        prefetch(rows, us(ending.near));
        prefetch(rows, us(ending.near) + SOME - 1);
    }
}

/// Best paths; of ties the edges that begin first win.
pub struct Best<'a> {
    rows: &'a [Piece],
    longest: usize,
    places: &'a mut Places,
    found: &'a mut Vec<(u32, u32)>,
    /// The initial score of each text, and the score of the last one.
    cell: f64,
    pub(crate) score: f64,
    /// The first buffered position, and the number of positions after it.
    first: usize,
    count: usize,
}

impl<'a> Best<'a> {
    /// Pushes (id, end) of their edges; the scores of each text are added up from `cell`.
    pub fn new(unigram: &'a ByteUnigram, cell: f64, places: &'a mut Places, found: &'a mut Vec<(u32, u32)>) -> Self {
        Self {
            rows: &unigram.automaton.keys,
            longest: unigram.longest,
            places,
            found,
            cell,
            score: cell,
            first: 0,
            count: 0,
        }
    }

    /// Finds the best paths to the positions after the next bytes.
    #[inline(never)]
    fn find(&mut self, endings: &[Ending]) {
        self.places.reserve(self.count + endings.len() + 1, self.longest);
        let mut at = self.places.at(self.count);
        let Places { ways, rows, .. } = &mut *self.places;
        let ways = ways.as_mut_slice();
        for (number, (&ending, row)) in endings.iter().zip(&mut rows[self.count + 1..]).enumerate() {
            prefetch_row(self.rows, endings, number);
            at -= 1;
            let ways = &mut ways[at..];
            ways[0] = best_of(self.rows, ending, ways);
            *row = ending;
        }
        self.count += endings.len();
    }

    fn restart(&mut self, place: usize, score: f64) {
        (self.first, self.count) = (place, 0);
        self.places.reserve(1, self.longest);
        let at = self.places.at(0);
        self.places.ways[at] = score;
    }

    #[inline(never)]
    fn give(&mut self) {
        let Places { ways, rows, .. } = &*self.places;
        let (before, mut place) = (self.found.len(), self.count);
        while place > 0 {
            let (row, ways) = (&self.rows[us(first_of(rows[place]))..], &ways[self.places.at(place)..]);
            // The first piece that attains the best score; a row ends with the single-byte piece.
            let is_last = |piece: &&Piece| piece.length <= 1 || piece.score + ways[us(piece.length)] == ways[0];
            let Some(piece) = row.iter().find(is_last) else { break };
            self.found.push((piece.id, u32_of(self.first + place)));
            place = place.saturating_sub(us(piece.length));
        }
        self.found[before..].reverse();
    }
}

/// The score of the best path to a position by the pieces that end there; `ways` are the scores of earlier positions,
/// by distance.
#[inline(always)]
fn best_of(rows: &[Piece], ending: Ending, ways: &[f64]) -> f64 {
    let (count, mut best) = (ending.count(), f64::NEG_INFINITY);
    if count > SOME {
        best = best_of_many(&rows[us(first_of(ending))..us(ending.near)], ways);
    }
    let Some(pieces) = last_of(rows, ending) else { return best };
    for (number, piece) in pieces.iter().enumerate() {
        let score = piece.score + ways[us(piece.length)];
        // Without a branch: the first ones may be of other rows.
        best = if (number + count >= SOME) & (score > best) { score } else { best };
    }
    best
}

#[cold]
#[inline(never)]
fn best_of_many(pieces: &[Piece], ways: &[f64]) -> f64 {
    let score = |piece: &Piece| piece.score + ways[us(piece.length)];
    pieces.iter().map(score).fold(f64::NEG_INFINITY, |best, score| if score > best { score } else { best })
}

impl Walk for Best<'_> {
    fn begin(&mut self, place: usize) {
        self.restart(place, self.cell);
    }

    fn go_on(&mut self, endings: &[Ending]) {
        let Some(bound) = first_bound(endings, self.count) else { return self.find(endings) };
        self.find(&endings[..bound]);
        self.give();
        self.restart(self.first + self.count, self.places.ways[self.places.at(self.count)]);
        self.find(&endings[bound..]);
    }

    fn end(&mut self) {
        self.give();
        self.score = self.places.ways[self.places.at(self.count)];
    }
}

/// The position at which to emit, after `count` bytes: the first boundary once they exceed [`EMIT_AFTER`].
pub(crate) fn first_bound(endings: &[Ending], count: usize) -> Option<usize> {
    endings.iter().position(|ending| ending.is_bound()).filter(|_| count >= EMIT_AFTER)
}

/// The piece drawn at a position: its index in rows and its length in bytes; none if the position's first number is too
/// close to a threshold.
#[derive(Clone, Copy, Default)]
pub(crate) struct Chosen {
    pub(crate) number: u32,
    pub(crate) length: u16,
}
