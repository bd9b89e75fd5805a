//! Writes ids and scores of the k-best paths, from the lists of their units and the cheapest combinations.
//!
//! The ids between two units in which a path deviates from the best one are copied at once.

use crate::lattice::check_written;
use crate::lattice::product::Product;
use crate::nbest::kbest_lists::{KBestLists, List};
use crate::util::{i64_of, report, u32_of, us, Result};

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
    /// The score of each id.
    pub weights: &'a [f64],
    /// Maximum ids of a path.
    pub most: usize,
}

/// The paths of the last call.
#[derive(Default)]
pub(crate) struct BestPaths {
    best: Path,
    /// Where the current path deviates from the best one.
    spots: Vec<Spot>,
    /// The ids of all paths; there may be unused entries after those written.
    pub out: Vec<u32>,
    pub written: usize,
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

/// A unit in which a path deviates from the best one.
#[derive(Clone, Copy)]
struct Spot {
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

/// Writes a path that deviates from the best one at some spots, in text order; returns the number of its ids.
#[inline(never)]
fn join(spots: &[Spot], best: &Path, lists: &[u32], out: &mut [u32]) -> usize {
    let (mut at, mut done) = (0, 0);
    for spot in spots {
        let count = us(spot.begin) - done;
        copy::<PADDING>(&best.ids, done, count, out, at);
        at += count;
        copy::<SOME>(lists, us(spot.start), us(spot.count), out, at);
        at += us(spot.count);
        done = us(spot.end);
    }
    let count = best.sums.len() - 1 - done;
    copy::<PADDING>(&best.ids, done, count, out, at);
    at + count
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
                for &id in &lists.ids[us(best.start)..us(best.start + best.count)] {
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
    /// Writes the paths of the cheapest combinations.
    pub fn write(&mut self, chosen: &Chosen<'_>) -> Result<()> {
        self.scores.clear();
        self.offsets.clear();
        self.offsets.push(0);
        self.best.open(chosen);
        let Self { best, spots, out, written, scores, offsets } = self;
        let &Chosen { lists, product, others, weights, most, .. } = chosen;
        // Other paths are mostly not much shorter than the best.
        check_written(product.order.len().saturating_mul(best.sums.len() - 1) / 2)?;
        *written = 0;
        for &number in &product.order {
            spots.clear();
            product.ranks(number, |place, rank| {
                let Other { unit, list, .. } = others[place];
                if let (Some(row), &[begin, end, ..]) = (lists.rows(list).get(rank), &best.bounds[us(unit)..]) {
                    spots.push(Spot { begin, end, start: row.start, count: row.count });
                }
            });
            spots.sort_unstable_by_key(|spot| spot.begin);
            out.resize(out.len().max(*written + most + PADDING), 0);
            let count = join(spots, best, &lists.ids, &mut out[*written..]);
            let same = spots.first().map_or(count, |spot| us(spot.begin));
            let rest = &out[*written + same..*written + count];
            scores.push(rest.iter().fold(best.sums[same], |sum, &id| sum + weights[us(id)]));
            *written += count;
            offsets.push(i64_of(*written));
            report(count);
            check_written(*written)?;
        }
        Ok(())
    }
}
