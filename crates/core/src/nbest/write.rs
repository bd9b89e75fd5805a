//! Writes ids and scores of the k-best paths, from the lists of their units and the cheapest combinations.
//!
//! The ids between two units in which a path deviates from the best one are copied at once.

use crate::lattice::product::Product;
use crate::nbest::kbest_lists::{KBestLists, List};
use crate::util::cast::{i64_of, u32_of, us, us64};

/// Number of ids of the best path copied at a time, and of other paths.
const PADDING: usize = 16;
const SOME: usize = 8;

/// A unit that has more than one path.
#[derive(Clone, Copy)]
pub(crate) struct Other {
    /// The extra cost of the second one.
    pub second: f64,
    /// Its index, and its list.
    pub unit: u32,
    pub list: List,
}

/// The inputs of writing the paths of a text.
pub(crate) struct Chosen<'a> {
    pub lists: &'a KBestLists,
    pub product: &'a Product,
    /// The list of each unit, and the units that are combined.
    pub units: &'a [u32],
    pub others: &'a [Other],
    /// The score of each id, and 0 after the last one.
    pub weights: &'a [f64],
    /// Maximum ids of a path.
    pub most: usize,
}

/// The paths of the last call.
#[derive(Default)]
pub(crate) struct BestPaths {
    best: Path,
    /// The units in which paths may deviate from the best one, in text order, and a bit for each in which the current
    /// path does; by cost, the index of a unit among these.
    spots: Vec<Spot>,
    marks: Vec<u64>,
    turns: Vec<u32>,
    /// Output buffer; may have unused entries at the end.
    out: Vec<u32>,
    pub scores: Vec<f64>,
    pub offsets: Vec<i64>,
}

/// The best path of a text.
#[derive(Default)]
struct Path {
    /// May have unused entries at the end.
    ids: Vec<u32>,
    /// The score up to each of its ids, and to the end.
    sums: Vec<f64>,
    /// Where the ids of each unit begin, and the end.
    bounds: Vec<u32>,
}

/// A unit in which a path may deviate from the best one.
#[derive(Clone, Copy, Default)]
struct Spot {
    unit: u32,
    /// Its index by cost.
    place: u32,
    /// The range of its ids in the best path.
    begin: u32,
    end: u32,
    /// Start and number of the ids of its other path in the lists.
    start: u32,
    count: u32,
}

/// Copies ids, and padding after them where there is room.
#[inline(always)]
fn copy<const N: usize>(from: &[u32], start: usize, count: usize, to: &mut [u32], at: usize) {
    match (from.get(start..start.wrapping_add(N)), to.get_mut(at..at.wrapping_add(N))) {
        (Some(from), Some(to)) if count <= N => to.copy_from_slice(from),
        _ => copy_many(&from[start..], count, &mut to[at..]),
    }
}

/// A function of its own, so that short copies are inlined.
#[inline(never)]
fn copy_many(from: &[u32], count: usize, to: &mut [u32]) {
    to[..count].copy_from_slice(&from[..count]);
}

/// Writes a path that deviates from the best one at the marked spots, and clears the marks; returns the number of its
/// ids, and the length of the prefix shared with the best one.
#[inline(never)]
fn join(spots: &[Spot], marks: &mut [u64], best: &Path, lists: &[u32], out: &mut [u32]) -> (usize, usize) {
    let (mut at, mut done, mut same) = (0, 0, usize::MAX);
    for (word, mark) in marks.iter_mut().enumerate() {
        let mut left = std::mem::take(mark);
        while left != 0 {
            let spot = &spots[64 * word + us(left.trailing_zeros())];
            left &= left - 1;
            let count = us(spot.begin) - done;
            copy::<PADDING>(&best.ids, done, count, out, at);
            at += count;
            same = same.min(at);
            copy::<SOME>(lists, us(spot.start), us(spot.count), out, at);
            at += us(spot.count);
            done = us(spot.end);
        }
    }
    let count = best.sums.len() - 1 - done;
    copy::<PADDING>(&best.ids, done, count, out, at);
    (at + count, same.min(at + count))
}

impl Path {
    /// Concatenates the best paths of the units.
    fn open(&mut self, &Chosen { lists, units, weights, .. }: &Chosen<'_>) {
        let Self { ids, sums, bounds } = self;
        ids.clear();
        sums.clear();
        bounds.clear();
        sums.push(0.0);
        let mut sum = 0.0;
        for &list in units {
            bounds.push(u32_of(ids.len()));
            if let [best, ..] = lists.rows(lists.list(list)) {
                for &id in &lists.ids()[us(best.start)..us(best.start + best.count)] {
                    sum += weights[us(id)];
                    ids.push(id);
                    sums.push(sum);
                }
            }
        }
        bounds.push(u32_of(ids.len()));
        // Fixed-size copies read past the last id.
        ids.extend([0; PADDING]);
    }
}

impl BestPaths {
    /// The ids of all paths.
    pub fn ids(&self) -> &[u32] {
        let written = self.offsets.last().map_or(0, |&end| us64(end.unsigned_abs()));
        &self.out[..written]
    }

    /// Writes the paths of the cheapest combinations.
    pub fn write(&mut self, chosen: &Chosen<'_>) {
        self.scores.clear();
        self.offsets.clear();
        self.offsets.push(0);
        self.best.open(chosen);
        let Self { best, spots, marks, turns, out, scores, offsets, .. } = self;
        let &Chosen { lists, product, others, weights, most, .. } = chosen;
        spots.clear();
        spots.extend(others.iter().zip(0..).map(|(&Other { unit, .. }, place)| {
            let (begin, end) = (best.bounds[us(unit)], best.bounds[us(unit) + 1]);
            Spot { unit, place, begin, end, ..Spot::default() }
        }));
        spots.sort_unstable_by_key(|spot| spot.unit);
        turns.resize(turns.len().max(spots.len()), 0);
        for (turn, spot) in (0..).zip(&*spots) {
            turns[us(spot.place)] = turn;
        }
        marks.clear();
        marks.resize(spots.len().div_ceil(64), 0);
        let mut written = 0;
        for &number in product.order() {
            product.ranks(number, |place, rank| {
                if let Some(row) = lists.rows(others[place].list).get(rank) {
                    let turn = us(turns[place]);
                    (spots[turn].start, spots[turn].count) = (row.start, row.count);
                    marks[turn / 64] |= 1 << (turn % 64);
                }
            });
            out.resize(out.len().max(written + most + PADDING), 0);
            let (count, same) = join(spots, marks, best, lists.ids(), &mut out[written..]);
            let rest = &out[written + same..written + count];
            scores.push(rest.iter().fold(best.sums[same], |sum, &id| sum + weights[us(id)]));
            written += count;
            offsets.push(i64_of(written));
        }
    }
}
