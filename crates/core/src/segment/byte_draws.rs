//! What all ways to each place of a text weigh whose pieces are bytes, and paths that are drawn from all.

use super::byte_unigram::{ByteUnigram, Walk};
use super::byte_walks::{ask, first_bound, first_of, last_of, Piece, Places, ROOM, SOME};
use crate::cast::{u32_of, u64_of, us};
use crate::index::automaton::Ending;
use crate::index::prefetch::prefetch;
use crate::index::zeroed::Zeroed;
use crate::lattice::draws::Begun;
use crate::lattice::weighing::limits;
use crate::random::{Seed, Shared, SHARING};

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
    fn know(alpha: f64, by_id: &mut [f64], by_number: &mut [f64], rows: &[Piece], first: usize) {
        for (piece, weight) in rows.iter().zip(by_number).skip(first) {
            if let Some(kept) = by_id.get_mut(us(piece.id)) {
                if kept.is_nan() {
                    *kept = libm::exp(alpha * piece.score);
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
        let Weights { alpha, by_id, by_number } = &mut *self.chance.weights;
        let (ways, weights): (_, &mut [f64]) = (ways.as_mut_slice(), by_number);
        for (number, ((&ending, row), shift)) in endings.iter().zip(rows).zip(shifts).enumerate() {
            ask(self.lengths, endings, number);
            ask(weights, endings, number);
            at -= 1;
            let (ways, first) = (&mut ways[at..], first_of(ending));
            if weights[us(first)].is_nan() {
                Weights::know(*alpha, by_id, weights, self.rows, us(first));
            }
            let sum = sum_of(self.lengths, weights, ending, ways);
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
        let Some(bound) = first_bound(endings, self.count) else { return self.find(endings) };
        self.find(&endings[..bound]);
        self.give();
        self.restart(self.first + self.count);
        self.find(&endings[bound..]);
    }

    fn end(&mut self) {
        self.give();
    }
}
