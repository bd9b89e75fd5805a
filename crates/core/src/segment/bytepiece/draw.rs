//! Forward filtering, backward sampling over byte pieces: the total weight of all paths to each position, and sampled
//! paths.

use bytemuck::cast_slice;

use crate::index::aho_corasick::Ending;
use crate::segment::bytepiece::viterbi::{
    first_bound, first_of, last_of, prefetch_row, Chosen, Piece, Places, ROOM, SOME,
};
use crate::segment::bytepiece::{ByteUnigram, Walk};
use crate::util::draw::{thresholds, Key};
use crate::util::huge_page_vec::HugePageVec;
use crate::util::rng::{FirstNumbers, Seed, BLOCK, SHARING};
use crate::util::{prefetch, u32_of, u64_of, us, us64};

/// The inputs of a draw besides the text.
pub struct Chance<'a> {
    /// The weights of pieces.
    pub weights: &'a mut Weights,
    /// The caller's seed.
    pub seed: Seed,
    /// Which fragment of the text.
    pub fragment: u64,
}

/// Weights of pieces at an inverse temperature, computed on first use; NaN elsewhere.
#[derive(Default)]
pub struct Weights {
    alpha: f64,
    by_id: Vec<f64>,
    /// By index in the rows. A row is computed from its first known index to its end.
    by_number: HugePageVec<f64>,
}

impl Weights {
    /// Clears them if they are for another temperature.
    pub fn open(&mut self, unigram: &ByteUnigram, pieces: usize, alpha: f64) {
        if self.by_number.is_empty() {
            self.by_number = HugePageVec::new(unigram.automaton.keys.len());
        } else if self.alpha == alpha {
            return;
        }
        self.alpha = alpha;
        self.by_id.clear();
        self.by_id.resize(pieces, f64::NAN);
        self.by_number.fill(f64::NAN);
    }

    /// Computes a row from a piece on.
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
            // A row ends with the single-byte piece.
            if piece.length <= 1 {
                break;
            }
        }
    }
}

/// Samples paths from the end backwards: a piece with the probability of its share of the total weight at its end, by
/// that position's random number. The piece drawn at a position depends on it alone, so it is chosen for all positions
/// before any path is traced.
pub struct Drawing<'a> {
    rows: &'a [Piece],
    lengths: &'a [u16],
    longest: usize,
    places: &'a mut Places,
    chance: Chance<'a>,
    numbers: FirstNumbers,
    ids: &'a mut Vec<u32>,
    shift: i32,
    first: usize,
    count: usize,
}

/// The total weight at a position is kept between this and its inverse, and the weights of positions that an edge leads
/// from within this factor of it, so that nothing overflows.
const LARGE: f64 = 1e150;
const SHIFT: i32 = 498;
/// One 16-bit step of the whole, slightly less and slightly more for rounding; and a weight below that of any path.
const LEAST: f64 = (1.0 - 1e-12) / 65_536.0;
const STEP: f64 = (1.0 + 1e-6) / 65_536.0;
const NOTHING: f64 = 1e-300;

impl<'a> Drawing<'a> {
    /// A drawing that pushes the sampled ids.
    pub fn new(unigram: &'a ByteUnigram, chance: Chance<'a>, places: &'a mut Places, ids: &'a mut Vec<u32>) -> Self {
        let (rows, lengths, numbers) =
            (&unigram.automaton.keys, &unigram.lengths, chance.seed.first_numbers(chance.fragment));
        Self { rows, lengths, longest: unigram.longest, places, chance, numbers, ids, shift: 0, first: 0, count: 0 }
    }

    fn restart(&mut self, place: usize) {
        (self.first, self.count, self.shift) = (place, 0, 0);
        self.places.reserve(1, self.longest);
        let at = self.places.at(0);
        (self.places.ways[at], self.places.shifts[0]) = (1.0, 0);
    }

    /// Sums the weights of all paths to the next positions, and draws a piece for each by its first number, until the
    /// weights must be rescaled; returns the number of bytes processed.
    #[inline(never)]
    fn sum_up(&mut self, endings: &[Ending], firsts: &[[u8; 2]]) -> usize {
        let first = self.count + 1;
        let mut at = self.places.at(self.count);
        let Places { ways, rows, shifts, chosen, .. } = &mut *self.places;
        let Weights { alpha, by_id, by_number } = &mut *self.chance.weights;
        let (all_ways, weights): (_, &mut [f64]) = (ways.as_mut_slice(), by_number);
        let mut done = endings.len();
        for (number, ((&ending, &draw), chosen)) in endings.iter().zip(firsts).zip(&mut chosen[first..]).enumerate() {
            prefetch_row(self.lengths, endings, number);
            prefetch_row(weights, endings, number);
            at -= 1;
            let (ways, start) = (&mut all_ways[at..], us(first_of(ending)));
            if weights[start].is_nan() {
                Weights::know(*alpha, by_id, weights, self.rows, start);
            }
            let Some(sums) = Sums::of(self.lengths, weights, ending, ways) else { break };
            ways[0] = sums.all();
            *chosen = sums.choose(ending, self.lengths, u16::from_be_bytes(draw));
            if !(1.0 / LARGE..LARGE).contains(&sums.all()) {
                done = number + 1;
                break;
            }
        }
        rows[first..first + done].copy_from_slice(&endings[..done]);
        shifts[first..first + done].fill(self.shift);
        self.count += done;
        let last = self.places.at(self.count);
        if !(1.0 / LARGE..LARGE).contains(&self.places.ways[last]) {
            self.scale();
        }
        done
    }

    fn find(&mut self, endings: &[Ending]) {
        self.places.reserve(self.count + endings.len() + 1, self.longest);
        let room = self.places.rows.len();
        self.places.chosen.resize(room, Chosen::default());
        let mut firsts = std::mem::take(&mut self.places.firsts);
        let from = u64_of(self.first + self.count + 1);
        let before = us64(from % SHARING);
        let blocks = us64((from + u64_of(endings.len())) / SHARING - from / SHARING + 1);
        firsts.resize(blocks.max(firsts.len()), [0; BLOCK]);
        self.numbers.write(from / SHARING, &mut firsts[..blocks]);
        let (numbers, mut done) = (&cast_slice(&firsts)[before..], 0);
        while done < endings.len() {
            done += self.sum_up(&endings[done..], &numbers[done..]);
        }
        self.places.firsts = firsts;
    }

    /// Divides the weights of all positions that edges lead from beyond the last one by a power of two.
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

    /// Traces the path back from the last position by the pieces drawn.
    #[inline(never)]
    fn give(&mut self) {
        let (before, mut place) = (self.ids.len(), self.count);
        while place > 0 {
            let Chosen { mut number, mut length } = self.places.chosen[place];
            if length == 0 || self.shift != 0 {
                let taken = self.take_closely(self.places.rows[place], place);
                (number, length) = (u32_of(taken), self.lengths[taken]);
            }
            // Prefetches its id, which is read when the whole path is known.
            prefetch(self.rows, us(number));
            self.ids.push(number);
            place = place.saturating_sub(usize::from(length));
        }
        self.ids[before..].reverse();
        for id in &mut self.ids[before..] {
            *id = self.rows[us(*id)].id;
        }
    }

    /// The piece of a position by the exact 64-bit thresholds.
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
        let Chance { seed, fragment, .. } = self.chance;
        let listed: Vec<u64> = thresholds(&sums, sum).collect();
        first + Key { seed, fragment, place: u64_of(self.first) }.choose(u64_of(place), &listed)
    }
}

/// Cumulative weights over the pieces of a row up to each of the last ones, and of the earlier ones together. For
/// shorter rows the first ones are 0.
struct Sums {
    before: f64,
    up_to: [f64; ROOM],
}

impl Sums {
    /// `ways` are the weights of earlier positions, by distance.
    #[inline(always)]
    fn of(lengths: &[u16], weights: &[f64], ending: Ending, ways: &[f64]) -> Option<Self> {
        let (count, mut before) = (ending.count(), 0.0);
        if count > SOME {
            before = sum_of_many(lengths, weights, ending, ways);
        }
        let (lengths, weights) = (last_of(lengths, ending)?, last_of(weights, ending)?);
        let (mut sum, mut up_to) = (before, [f64::INFINITY; ROOM]);
        for number in 0..SOME {
            let way = ways[usize::from(lengths[number])] * weights[number];
            // Without a branch: the first ones may be of other rows.
            sum += if number + count >= SOME { way } else { 0.0 };
            up_to[number] = sum;
        }
        Some(Self { before, up_to })
    }

    const fn all(&self) -> f64 {
        self.up_to[SOME - 1]
    }

    /// The piece that a first number selects, if it is not too close to a threshold.
    #[inline(always)]
    fn choose(&self, ending: Ending, lengths: &[u16], first: u16) -> Chosen {
        // Every sum but 0 exceeds this bound.
        let least = (self.all() * (f64::from(first) * LEAST)).max(NOTHING);
        let most = least + self.all() * STEP;
        // The last piece takes the remainder.
        let (mut taken, mut up_to) = (0, self.up_to);
        up_to[SOME - 1] = f64::INFINITY;
        for &sum in &up_to[..SOME - 1] {
            taken += usize::from(sum < least);
        }
        let is_sure = (up_to[taken % ROOM] > most) & ((ending.count() <= SOME) | (self.before < least));
        let length = lengths.get(us(ending.near) + taken).copied().unwrap_or_default();
        Chosen { number: ending.near + u32_of(taken), length: if is_sure { length } else { 0 } }
    }
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
