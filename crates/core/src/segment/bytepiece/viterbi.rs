//! The ways to each place of a text whose pieces are bytes, and the best one of them.
//!
//! All ways to a place are weighed at once, by the pieces that end there and the ways to where they begin. At a place that no piece
//! lies across, what was found is given out and its memory used again. How many pieces end at a place nothing foretells, so some
//! are looked at without asking, and those that do not count are taken away by a mask.

use bytemuck::{Pod, Zeroable};

use crate::index::aho_corasick::Ending;
use crate::segment::bytepiece::{ByteUnigram, Walk};
use crate::util::cast::{u32_of, us};
use crate::util::prefetch::prefetch;
use crate::util::rng::BLOCK;

/// What is known of a piece in a row of those that end where it does.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct Piece {
    /// What it adds to the score of a path.
    pub score: f64,
    /// Its id.
    pub id: u32,
    /// How many bytes it has.
    pub length: u32,
}

/// So many pieces of a row are looked at without asking how many it has; what stands before a row is not in it.
pub const SOME: usize = 6;
/// A power of two above it.
pub(crate) const ROOM: usize = 8;
/// What was found is given out at the first bound behind so many bytes.
const MANY: usize = 1024;
/// Rows are asked for so many places before they are needed.
const SOON: usize = 16;

/// Buffers of a walk.
#[derive(Default)]
pub struct Places {
    /// What ends with each byte of a window.
    pub(crate) endings: Vec<Ending>,
    /// For each place since something was last given out the score of the best way there, or the weight of all ways; the last
    /// place first, and behind the first one room for what is read in vain.
    pub(crate) ways: Vec<f64>,
    /// The pieces that end there.
    pub(crate) rows: Vec<Ending>,
    /// By which power of two weights were divided.
    pub(crate) shifts: Vec<i32>,
    /// Which of these pieces is drawn, and the numbers by which those of a window are.
    pub(crate) chosen: Vec<Chosen>,
    pub(crate) firsts: Vec<[u8; BLOCK]>,
}

impl Places {
    /// How many places there is room for.
    pub fn room(&self) -> usize {
        self.rows.len()
    }

    /// Makes room for so many places.
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

    /// Where the way to a place is: the ways to those before it stand behind it, as far as their distance is.
    #[inline(always)]
    pub(crate) fn at(&self, place: usize) -> usize {
        self.rows.len() - 1 - place
    }
}

/// The number of the first piece of a row.
#[inline(always)]
pub(crate) fn first_of(ending: Ending) -> u32 {
    ending.near + u32_of(SOME) - u32_of(ending.count())
}

/// What is last in a row, and what is before that.
#[inline(always)]
pub(crate) fn last_of<T>(rows: &[T], ending: Ending) -> Option<&[T; SOME]> {
    let near = us(ending.near);
    rows.get(near..near + SOME).and_then(<[T]>::first_chunk)
}

/// Asks for the row of a place that comes soon.
#[inline(always)]
pub(crate) fn ask<T>(rows: &[T], endings: &[Ending], number: usize) {
    if let Some(ending) = endings.get(number + SOON) {
        prefetch(rows, us(ending.near));
        prefetch(rows, us(ending.near) + SOME - 1);
    }
}

/// Best paths, of equals those whose edges begin first.
pub struct Best<'a> {
    rows: &'a [Piece],
    longest: usize,
    places: &'a mut Places,
    found: &'a mut Vec<(u32, u32)>,
    /// What each text begins with, and what the last one came to.
    cell: f64,
    score: f64,
    /// Where the first place is that something is known of, and how many there are behind it.
    first: usize,
    count: usize,
}

/// What is added to the scores of some pieces of which so many count, the last ones.
const LOST: [[f64; ROOM]; SOME + 1] = {
    let mut lost = [[0.0; ROOM]; SOME + 1];
    let mut count = 0;
    while count <= SOME {
        let mut number = 0;
        while number < SOME - count {
            lost[count][number] = f64::NEG_INFINITY;
            number += 1;
        }
        count += 1;
    }
    lost
};

impl<'a> Best<'a> {
    /// Pushes (id, end) of their edges; each text is added up from `cell` on.
    pub fn new(plain: &'a ByteUnigram, cell: f64, places: &'a mut Places, found: &'a mut Vec<(u32, u32)>) -> Self {
        Self { rows: plain.rows(), longest: plain.longest(), places, found, cell, score: cell, first: 0, count: 0 }
    }

    /// What the last path came to.
    pub const fn score(&self) -> f64 {
        self.score
    }

    /// Finds the best ways to the places behind some more bytes.
    #[inline(never)]
    fn find(&mut self, endings: &[Ending]) {
        self.places.reserve(self.count + endings.len() + 1, self.longest);
        let mut at = self.places.at(self.count);
        let Places { ways, rows, .. } = &mut *self.places;
        let ways = ways.as_mut_slice();
        for (number, (&ending, row)) in endings.iter().zip(&mut rows[self.count + 1..]).enumerate() {
            ask(self.rows, endings, number);
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
            // The first whose way is the best; a row ends with the last byte by itself.
            let is_last = |piece: &&Piece| piece.length <= 1 || piece.score + ways[us(piece.length)] == ways[0];
            let Some(piece) = row.iter().find(is_last) else { break };
            self.found.push((piece.id, u32_of(self.first + place)));
            place = place.saturating_sub(us(piece.length));
        }
        self.found[before..].reverse();
    }
}

/// The score of the best of the ways to a place by the pieces that end there; `ways` are those to the places before, by distance.
#[inline(always)]
fn best_of(rows: &[Piece], ending: Ending, ways: &[f64]) -> f64 {
    let (count, mut best) = (ending.count(), f64::NEG_INFINITY);
    if count > SOME {
        best = best_of_many(&rows[us(first_of(ending))..us(ending.near)], ways);
    }
    let Some(pieces) = last_of(rows, ending) else { return best };
    for (piece, lost) in pieces.iter().zip(&LOST[count.min(SOME)]) {
        let score = (piece.score + lost) + ways[us(piece.length)];
        best = if score > best { score } else { best };
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

/// Where something is to be given out, after so many bytes: at the first bound if they are many.
pub(crate) fn first_bound(endings: &[Ending], count: usize) -> Option<usize> {
    endings.iter().position(|ending| ending.is_bound()).filter(|_| count >= MANY)
}

/// The piece that is drawn for a place: its number in rows and how many bytes it has; none if the place's first number is too
/// close to a limit.
#[derive(Clone, Copy, Default)]
pub(crate) struct Chosen {
    pub(crate) number: u32,
    pub(crate) length: u16,
}
