//! The ways to each place of a text whose pieces are bytes: the best one, or what all of them weigh, and one that is drawn.
//!
//! All ways to a place are weighed at once, by the pieces that end there and the ways to where they begin. At a place that no piece
//! lies across, what was found is given out and its memory used again. How many pieces end at a place nothing foretells, so some
//! are looked at without asking, and those that do not count are taken away by a mask.

use bytemuck::{Pod, Zeroable};

use super::byte_unigram::{ByteUnigram, Walk};
use crate::cast::{u32_of, u64_of, us};
use crate::index::automaton::Ending;
use crate::index::prefetch::prefetch;
use crate::index::zeroed::Zeroed;
use crate::lattice::draws::Begun;
use crate::lattice::weighing::limits;
use crate::random::{Seed, Shared, SHARING};

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
const ROOM: usize = 8;
/// What was found is given out at the first bound behind so many bytes.
const MANY: usize = 1024;
/// Rows are asked for so many places before they are needed.
const SOON: usize = 16;

/// Buffers of a walk.
#[derive(Default)]
pub struct Places {
    /// What ends with each byte of a window.
    pub(super) endings: Vec<Ending>,
    /// For each place since something was last given out the score of the best way there, or the weight of all ways; the last
    /// place first, and behind the first one room for what is read in vain.
    ways: Vec<f64>,
    /// The pieces that end there.
    rows: Vec<Ending>,
    /// By which power of two weights were divided.
    shifts: Vec<i32>,
}

impl Places {
    /// How many places there is room for.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Makes room for so many places.
    fn reserve(&mut self, places: usize, longest: usize) {
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
    fn at(&self, place: usize) -> usize {
        self.rows.len() - 1 - place
    }
}

/// The number of the first piece of a row.
#[inline(always)]
fn first_of(ending: Ending) -> u32 {
    ending.near + u32_of(SOME) - u32_of(ending.count())
}

/// What is last in a row, and what is before that.
#[inline(always)]
fn last_of<T>(rows: &[T], ending: Ending) -> Option<&[T; SOME]> {
    let near = us(ending.near);
    rows.get(near..near + SOME).and_then(<[T]>::first_chunk)
}

/// Asks for the row of a place that comes soon.
#[inline(always)]
fn ask<T>(rows: &[T], endings: &[Ending], number: usize) {
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
    #[must_use]
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
        let (some, rest) = endings.split_at(first_bound(endings, self.count));
        self.find(some);
        if !some.is_empty() {
            self.give();
            self.restart(self.first + self.count, self.places.ways[self.places.at(self.count)]);
        }
        self.find(rest);
    }

    fn end(&mut self) {
        self.give();
        self.score = self.places.ways[self.places.at(self.count)];
    }
}

/// Where something is to be given out, after so many bytes: the first bound if they are many, or else the beginning.
fn first_bound(endings: &[Ending], count: usize) -> usize {
    let bound = || endings.iter().position(|ending| ending.is_bound());
    if count < MANY {
        0
    } else {
        bound().unwrap_or(0)
    }
}

/// What draws rest on beside the text.
pub struct Chance<'a> {
    /// What pieces weigh.
    pub weights: &'a mut Weights,
    /// The caller's seed.
    pub seed: Seed,
    /// Which fragment of the text.
    pub fragment: u64,
}

/// What pieces weigh at an inverse temperature, where it was asked for; NaN elsewhere.
#[derive(Default)]
pub struct Weights {
    alpha: f64,
    by_id: Vec<f64>,
    /// By their numbers in rows. Of a row all are known from the first that is.
    by_number: Zeroed<f64>,
}

impl Weights {
    /// Forgets them if they are for another temperature.
    pub fn open(&mut self, plain: &ByteUnigram, pieces: usize, alpha: f64) {
        if self.by_number.is_empty() {
            self.by_number = Zeroed::new(plain.rows().len());
        } else if self.alpha == alpha {
            return;
        }
        self.alpha = alpha;
        self.by_id.clear();
        self.by_id.resize(pieces, f64::NAN);
        self.by_number.fill(f64::NAN);
    }

    /// Knows a row from a piece on.
    #[cold]
    #[inline(never)]
    fn know(&mut self, rows: &[Piece], first: usize) {
        for (piece, weight) in rows.iter().zip(self.by_number.iter_mut()).skip(first) {
            if let Some(kept) = self.by_id.get_mut(us(piece.id)) {
                if kept.is_nan() {
                    *kept = libm::exp(self.alpha * piece.score);
                }
                *weight = *kept;
            }
            // A row ends with the last byte by itself.
            if piece.length <= 1 {
                break;
            }
        }
    }
}

/// Paths drawn from all: from the end on, a piece by its share of what all ways to where it ends weigh, and by the number of that
/// place.
pub struct Drawing<'a> {
    rows: &'a [Piece],
    lengths: &'a [u16],
    longest: usize,
    places: &'a mut Places,
    chance: Chance<'a>,
    ids: &'a mut Vec<u32>,
    shift: i32,
    first: usize,
    count: usize,
}

/// The weight of all ways to a place is kept between this and one over it, and so is that of places that an edge leads from
/// times this or over it.
const LARGE: f64 = 1e150;
const SHIFT: i32 = 498;

/// The bits that are left of the weights of some ways of which so many count, the last ones.
const LEFT: [[u64; ROOM]; SOME + 1] = {
    let mut left = [[u64::MAX; ROOM]; SOME + 1];
    let mut count = 0;
    while count <= SOME {
        let mut number = 0;
        while number < SOME - count {
            left[count][number] = 0;
            number += 1;
        }
        count += 1;
    }
    left
};

impl<'a> Drawing<'a> {
    /// Pushes their ids.
    pub fn new(plain: &'a ByteUnigram, chance: Chance<'a>, places: &'a mut Places, ids: &'a mut Vec<u32>) -> Self {
        let (rows, lengths) = (plain.rows(), plain.lengths());
        Self { rows, lengths, longest: plain.longest(), places, chance, ids, shift: 0, first: 0, count: 0 }
    }

    fn restart(&mut self, place: usize) {
        (self.first, self.count, self.shift) = (place, 0, 0);
        self.places.reserve(1, self.longest);
        let at = self.places.at(0);
        (self.places.ways[at], self.places.shifts[0]) = (1.0, 0);
    }

    /// Sums up what all ways weigh to the places behind some more bytes, until they must be scaled; how many bytes are done.
    #[inline(never)]
    fn sum_up(&mut self, endings: &[Ending]) -> usize {
        let mut at = self.places.at(self.count);
        let Places { ways, rows, shifts, .. } = &mut *self.places;
        let (rows, shifts) = (&mut rows[self.count + 1..], &mut shifts[self.count + 1..]);
        let (ways, weights) = (ways.as_mut_slice(), &mut *self.chance.weights);
        for (number, ((&ending, row), shift)) in endings.iter().zip(rows).zip(shifts).enumerate() {
            ask(self.lengths, endings, number);
            ask(&weights.by_number, endings, number);
            at -= 1;
            let (ways, first) = (&mut ways[at..], first_of(ending));
            if weights.by_number[us(first)].is_nan() {
                weights.know(self.rows, us(first));
            }
            let sum = sum_of(self.lengths, &weights.by_number, ending, ways);
            (ways[0], *row, *shift) = (sum, ending, self.shift);
            if !(1.0 / LARGE..LARGE).contains(&sum) {
                self.count += number + 1;
                self.scale();
                return number + 1;
            }
        }
        self.count += endings.len();
        endings.len()
    }

    fn find(&mut self, endings: &[Ending]) {
        self.places.reserve(self.count + endings.len() + 1, self.longest);
        let mut done = 0;
        while done < endings.len() {
            done += self.sum_up(&endings[done..]);
        }
    }

    /// Divides the weights of all places that edges lead from to behind the last one by a power of two.
    #[cold]
    #[inline(never)]
    fn scale(&mut self) {
        let first = self.count.saturating_sub(self.longest);
        let (last, before) = (self.places.at(self.count), self.places.at(first));
        let Places { ways, shifts, .. } = &mut *self.places;
        let by = if ways[last] < 1.0 { -SHIFT } else { SHIFT };
        let factor = libm::exp2(f64::from(-by));
        ways[last..=before].iter_mut().for_each(|way| *way *= factor);
        shifts[first..=self.count].iter_mut().for_each(|shift| *shift += by);
        self.shift += by;
    }

    /// Draws a path to the last place.
    #[inline(never)]
    fn give(&mut self) {
        let (before, mut place) = (self.ids.len(), self.count);
        let numbers = self.chance.seed.first_numbers(self.chance.fragment);
        let mut shared = (u64::MAX, Shared::default());
        while place > 0 {
            let number = u64_of(self.first + place);
            if shared.0 != number / SHARING {
                shared = (number / SHARING, numbers.block(number / SHARING));
            }
            let row = self.places.rows[place];
            let taken = self.take(row, place, shared.1.of(number)).unwrap_or_else(|| self.take_closely(row, place));
            let Some(&length) = self.lengths.get(taken) else { break };
            // Its id is asked for, and read when all are known.
            prefetch(self.rows, taken);
            self.ids.push(u32_of(taken));
            place = place.saturating_sub(usize::from(length));
        }
        self.ids[before..].reverse();
        for id in &mut self.ids[before..] {
            *id = self.rows[us(*id)].id;
        }
    }

    /// Which piece a place's first number takes, if it is not too close to a limit and nothing else is uncommon.
    #[inline(always)]
    fn take(&self, row: Ending, place: usize, first: u16) -> Option<usize> {
        let ways = &self.places.ways[self.places.at(place)..];
        let step = ways[0] / 65_536.0;
        let low = step * f64::from(first);
        let (least, most) = (low * (1.0 - 1e-12), (low + step) * (1.0 + 1e-12));
        let (mut sum, mut sums, mut reached) = (0.0, [f64::INFINITY; ROOM], 0);
        let weights: &[f64] = &self.chance.weights.by_number;
        if row.count() > SOME {
            sum = sum_of_many(self.lengths, weights, row, ways);
        }
        if self.shift != 0 || row.count() > SOME && sum >= least {
            return None;
        }
        let count = row.count().min(SOME);
        let (lengths, weights) = (last_of(self.lengths, row)?, last_of(weights, row)?);
        for (number, (&length, weight)) in lengths.iter().zip(weights).enumerate() {
            let way = ways[usize::from(length)] * weight;
            sum += f64::from_bits(way.to_bits() & LEFT[count][number]);
            sums[number] = sum;
            reached += usize::from(sum < least);
        }
        // The last one has all that is left.
        let taken = reached.clamp(SOME - count, SOME - 1);
        (taken == SOME - 1 || sums[taken] > most).then_some(us(row.near) + taken)
    }

    /// The same by the limits themselves.
    #[inline(never)]
    fn take_closely(&self, row: Ending, place: usize) -> usize {
        let Places { ways, shifts, .. } = &*self.places;
        let (mut sum, mut sums, ways) = (0.0, Vec::new(), &ways[self.places.at(place)..]);
        let first = us(first_of(row));
        for (piece, weight) in self.rows[first..].iter().zip(&self.chance.weights.by_number[first..]).take(row.count())
        {
            let apart = shifts[place.saturating_sub(us(piece.length))] - shifts[place];
            let way = ways[us(piece.length)] * weight;
            sum += if apart == 0 { way } else { way * libm::exp2(f64::from(apart)) };
            sums.push(sum);
        }
        let (Chance { seed, fragment, .. }, number) = (&self.chance, u64_of(self.first + place));
        let listed: Vec<u64> = limits(&sums, sum).collect();
        let begun = Begun { bits: 16, high: u64::from(seed.first(*fragment, number)) };
        first + begun.choose(&listed, || seed.numbers(*fragment, number).draw64())
    }
}

/// What all ways to a place weigh by the pieces that end there; `ways` are those to the places before, by distance.
#[inline(always)]
fn sum_of(lengths: &[u16], weights: &[f64], ending: Ending, ways: &[f64]) -> f64 {
    let (count, mut sum) = (ending.count(), 0.0);
    if count > SOME {
        sum = sum_of_many(lengths, weights, ending, ways);
    }
    let (Some(lengths), Some(weights)) = (last_of(lengths, ending), last_of(weights, ending)) else { return sum };
    for ((&length, weight), left) in lengths.iter().zip(weights).zip(&LEFT[count.min(SOME)]) {
        let way = ways[usize::from(length)] * weight;
        sum += f64::from_bits(way.to_bits() & left);
    }
    sum
}

#[cold]
#[inline(never)]
fn sum_of_many(lengths: &[u16], weights: &[f64], ending: Ending, ways: &[f64]) -> f64 {
    let some = us(first_of(ending))..us(ending.near);
    let ways = lengths[some.clone()].iter().map(|&length| ways[usize::from(length)]);
    ways.zip(&weights[some]).fold(0.0, |sum, (way, weight)| sum + way * weight)
}

impl Walk for Drawing<'_> {
    fn begin(&mut self, place: usize) {
        self.restart(place);
    }

    fn go_on(&mut self, endings: &[Ending]) {
        let (some, rest) = endings.split_at(first_bound(endings, self.count));
        self.find(some);
        if !some.is_empty() {
            self.give();
            self.restart(self.first + self.count);
        }
        self.find(rest);
    }

    fn end(&mut self) {
        self.give();
    }
}
