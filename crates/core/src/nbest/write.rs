//! Writes ids and scores of the k-best paths, from the lists of their units and the cheapest combinations.
//!
//! A path is a copy of the one that it is based on, with other ids for one unit.

use crate::lattice::check_written;
use crate::lattice::product::{Combination, Product};
use crate::nbest::kbest_lists::{KBestLists, List, Row};
use crate::util::{i64_of, report, u32_of, us, Result};

/// Number of ids of the base copied at a time, and of one unit.
const GROUP: usize = 16;
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
    best: Best,
    paths: Vec<Path>,
    /// The ids of all paths; there may be unused entries after those written.
    pub out: Vec<u32>,
    pub written: usize,
    pub scores: Vec<f64>,
    pub offsets: Vec<i64>,
}

/// The best path of a text.
#[derive(Default)]
struct Best {
    /// The score up to each of its ids, and to the end.
    sums: Vec<f64>,
    /// Where the ids of each unit begin, and the end.
    bounds: Vec<u32>,
}

/// A path that was written, and how it differs from its base.
#[derive(Clone, Copy)]
struct Path {
    /// The range of its ids.
    start: usize,
    end: usize,
    /// Where the ids of the unit that differs begin in the best path, and by how many they are more, modulo 2^32.
    begin: u32,
    growth: u32,
    /// The index of the base.
    base: u32,
}

/// `N` ids from `start` on, if there are as many.
#[inline(always)]
fn group<const N: usize>(ids: &[u32], start: usize) -> Option<[u32; N]> {
    ids.get(start..)?.first_chunk().copied()
}

/// Writes a group of which `count` ids are used; false if that is not possible.
#[inline(always)]
fn put<const N: usize>(out: &mut [u32], at: usize, count: usize, group: Option<[u32; N]>) -> bool {
    match (group, out.get_mut(at..at + N)) {
        (Some(group), Some(place)) if count <= N => {
            place.copy_from_slice(&group);
            true
        }
        _ => false,
    }
}

/// Copies ids to a later place. A short copy is of fixed size; what it writes behind the range is overwritten later.
#[inline(always)]
fn repeat(out: &mut [u32], start: usize, count: usize, at: usize) {
    if !put::<GROUP>(out, at, count, group(out, start)) {
        out.copy_within(start..start + count, at);
    }
}

impl Best {
    /// Concatenates the best paths of the units at the beginning of `out`; returns the number of ids and the score.
    fn open(&mut self, &Chosen { lists, units, weights, .. }: &Chosen<'_>, out: &mut [u32]) -> (usize, f64) {
        let Self { sums, bounds } = self;
        sums.clear();
        bounds.clear();
        let (mut sum, mut count) = (0.0, 0);
        for &list in units {
            bounds.push(u32_of(count));
            if let [best, ..] = lists.rows(lists.list(list)) {
                for &id in &lists.ids[us(best.start)..us(best.start + best.count)] {
                    sums.push(sum);
                    sum += weights[us(id)];
                    out[count] = id;
                    count += 1;
                }
            }
        }
        sums.push(sum);
        bounds.push(u32_of(count));
        (count, sum)
    }
}

impl BestPaths {
    /// Writes the paths of the cheapest combinations.
    pub fn write(&mut self, chosen: &Chosen<'_>) -> Result<()> {
        let Self { best, paths, out, written, scores, offsets } = self;
        let &Chosen { lists, product, others, weights, most, .. } = chosen;
        paths.clear();
        scores.clear();
        offsets.clear();
        out.resize(out.len().max(most + GROUP), 0);
        let (count, score) = best.open(chosen, out);
        // Other paths are mostly not much shorter than the best.
        check_written(product.order.len().saturating_mul(count) / 2)?;
        paths.push(Path { start: 0, end: count, begin: u32_of(count), growth: 0, base: u32::MAX });
        scores.push(score);
        offsets.extend([0, i64_of(count)]);
        *written = count;
        let ids: &[u32] = &lists.ids;
        for &Combination { last, rank, base } in product.order.get(1..).unwrap_or_default() {
            let Other { unit, list, .. } = others[us(last)];
            let Row { start: own, count: after, .. } = lists.rows(list)[us(rank)];
            let (begin, end) = (best.bounds[us(unit)], best.bounds[us(unit) + 1]);
            let (mut before, mut same, mut next) = (begin, begin, base);
            while let Some(path) = paths.get(us(next)) {
                before = before.wrapping_add(if path.begin < begin { path.growth } else { 0 });
                same = same.min(path.begin);
                next = path.base;
            }
            let growth = after.wrapping_sub(end - begin);
            let (start, from, before, after) = (*written, paths[us(base)], us(before), us(after));
            let rest = from.start + before + us(end - begin);
            out.resize(out.len().max(start + most + GROUP), 0);
            repeat(out, from.start, before, start);
            if !put::<SOME>(out, start + before, after, group(ids, us(own))) {
                out[start + before..][..after].copy_from_slice(&ids[us(own)..][..after]);
            }
            repeat(out, rest, from.end - rest, start + before + after);
            *written = start + before + after + from.end - rest;
            paths.push(Path { start, end: *written, begin, growth, base });
            let changed = &out[start + us(same)..*written];
            scores.push(changed.iter().fold(best.sums[us(same)], |sum, &id| sum + weights[us(id)]));
            offsets.push(i64_of(*written));
            report(*written - start);
            check_written(*written)?;
        }
        Ok(())
    }
}
