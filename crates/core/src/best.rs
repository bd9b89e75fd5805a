//! The best paths of a text by lists that are kept for its units: no lattice of the whole text is made.
//!
//! What a path costs more than the best one is the sum of what it costs more in its units, so that the best paths are the
//! cheapest choices from the units' lists. Scores and order are those of [`crate::lattice::Lattice::nbest`].

use crate::cast::{i64_of, u32_of, us, us64};
use crate::error::Result;
use crate::lattice::choices::Choices;
use crate::lattice::edges::Edges;
use crate::lattice::lists::{List, Lists, MAX_LISTED, MAX_SCORE};
use crate::scratch::{Learned, Scratch, Unit};
use crate::segment::cuts::Cut;
use crate::segment::unigram::Unigram;
use crate::segment::Algorithm;
use crate::specials::Permit;
use crate::tokenizer::Tokenizer;

/// Longest text in bytes, the most paths, and the most bytes of all of them.
const MOST_TEXT: usize = 1 << 16;
const MOST_PATHS: usize = 1 << 10;
const MOST_WRITTEN: usize = 1 << 22;
/// Lists may take so much memory before all are forgotten.
const MOST_LISTED: usize = 32 << 20;
/// In the place of a list: the unit can have none.
const NO_LIST: u32 = u32::MAX;
/// So many ids of the best path are copied at a time, and of others.
const PADDING: usize = 16;
const SOME: usize = 8;

/// The ids of paths, the best first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BestIds<'a> {
    /// The score of each.
    pub scores: &'a [f64],
    /// The ids of all, one after the other.
    pub ids: &'a [u32],
    /// Where the ids of each begin, and the end.
    pub offsets: &'a [i64],
}

/// The lists of the units seen, and what the text at hand is looked at with.
pub struct Listing {
    learned: Learned,
    lists: Lists,
    edges: Edges,
    choices: Choices,
    /// The list of each unit.
    units: Vec<u32>,
    /// The units that have other paths.
    others: Vec<Other>,
    best: Path,
    /// What each id adds to the score of a path, where it was looked at.
    weights: Vec<f64>,
    /// The units that paths may leave the best one at, as they stand in the text, and a bit for each that the path at hand does;
    /// by cost, which of these a unit is.
    spots: Vec<Spot>,
    marks: Vec<u64>,
    turns: Vec<u32>,
    /// What was written of all paths: longer than what counts.
    out: Vec<u32>,
    scores: Vec<f64>,
    offsets: Vec<i64>,
}

/// A unit that has another path than its best.
#[derive(Clone, Copy)]
struct Other {
    /// What the second costs.
    second: f64,
    /// Its number, and its list.
    unit: u32,
    list: List,
}

/// The best path of a text.
#[derive(Default)]
struct Path {
    /// Longer than what counts.
    ids: Vec<u32>,
    /// The score up to each of its ids, and to the end.
    sums: Vec<f64>,
    /// Where those of each unit begin, and the end.
    bounds: Vec<u32>,
}

/// A unit that a path may leave the best one at.
#[derive(Clone, Copy, Default)]
struct Spot {
    unit: u32,
    /// Its number by cost.
    place: u32,
    /// Where its ids are in the best path.
    begin: u32,
    end: u32,
    /// Where those of another are in the lists, and how many.
    start: u32,
    count: u32,
}

/// Copies ids, and some behind them where there is room for these.
#[inline(always)]
fn copy<const N: usize>(from: &[u32], count: usize, to: &mut [u32]) {
    match (from.first_chunk::<N>(), to.first_chunk_mut::<N>()) {
        (Some(from), Some(to)) if count <= N => *to = *from,
        _ => copy_many(from, count, to),
    }
}

/// By itself, so that few are not copied by a call.
#[inline(never)]
fn copy_many(from: &[u32], count: usize, to: &mut [u32]) {
    to[..count].copy_from_slice(&from[..count]);
}

/// Writes a path that leaves the best one at the spots that are marked, and takes the marks away; how many ids it has, and how
/// many of these are the best one's first.
#[inline(never)]
fn join(spots: &[Spot], marks: &mut [u64], best: &Path, lists: &[u32], out: &mut [u32]) -> (usize, usize) {
    let (mut at, mut done, mut same) = (0, 0, usize::MAX);
    for (word, mark) in marks.iter_mut().enumerate() {
        let mut left = std::mem::take(mark);
        while left != 0 {
            let spot = &spots[64 * word + us(left.trailing_zeros())];
            left &= left - 1;
            let count = us(spot.begin) - done;
            copy::<PADDING>(&best.ids[done..], count, &mut out[at..]);
            at += count;
            same = same.min(at);
            copy::<SOME>(&lists[us(spot.start)..], us(spot.count), &mut out[at..]);
            at += us(spot.count);
            done = us(spot.end);
        }
    }
    let count = best.sums.len() - 1 - done;
    copy::<PADDING>(&best.ids[done..], count, &mut out[at..]);
    (at + count, same.min(at + count))
}

impl Listing {
    fn new(slots: usize, pieces: usize) -> Self {
        Self {
            learned: Learned::new(slots),
            lists: Lists::default(),
            edges: Edges::default(),
            choices: Choices::default(),
            units: Vec::new(),
            others: Vec::new(),
            best: Path::default(),
            weights: vec![0.0; pieces],
            spots: Vec::new(),
            marks: Vec::new(),
            turns: Vec::new(),
            out: Vec::new(),
            scores: Vec::new(),
            offsets: Vec::new(),
        }
    }

    /// Finds the best path, and what it can be left by in the best `n`.
    fn open(&mut self, n: usize) {
        let Self { lists, units, others, best, weights, .. } = self;
        let Path { ids, sums, bounds } = best;
        ids.clear();
        sums.clear();
        bounds.clear();
        others.clear();
        sums.push(0.0);
        let mut sum = 0.0;
        for (number, &list) in units.iter().enumerate() {
            bounds.push(u32_of(ids.len()));
            let list = lists.list(list);
            if let Some(row) = lists.row(list, 0) {
                for &id in &lists.ids()[us(row.start)..us(row.start + row.count)] {
                    sum += weights[us(id)];
                    ids.push(id);
                    sums.push(sum);
                }
            }
            if list.second < f64::INFINITY {
                others.push(Other { second: list.second, unit: u32_of(number), list });
            }
        }
        bounds.push(u32_of(ids.len()));
        // What is copied a few at a time is read from behind the last.
        ids.extend([0; PADDING]);
        let by_cost = |one: &Other, other: &Other| one.second.total_cmp(&other.second).then(one.unit.cmp(&other.unit));
        if others.len() >= n {
            // A unit with n - 1 others before it in this order never has another than its best path among the best n.
            others.sort_unstable_by(by_cost);
            others.truncate(n - 1);
        }
        for other in others.iter_mut() {
            other.second = lists.row(other.list, 1).map_or(other.second, |row| row.cost);
        }
        others.sort_unstable_by(by_cost);
    }

    /// Writes the paths of the choices that came out. A path has at most `most` ids.
    #[inline(never)]
    fn write(&mut self, most: usize) {
        let Self { lists, choices, others, best, weights, spots, marks, turns, out, scores, offsets, .. } = self;
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
        scores.clear();
        offsets.clear();
        offsets.push(0);
        let mut written = 0;
        for &chosen in choices.order() {
            choices.ranks(chosen, |place, rank| {
                if let Some(row) = lists.row(others[place].list, rank) {
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

impl Tokenizer {
    /// The best `n` paths of a text. Nothing if it is long, or holds what has no list: a character without a piece, a very long
    /// unit, an added token. Then the lattice says it.
    pub fn nbest<'s>(
        &self,
        text: &[u8],
        permit: Permit<'_>,
        n: usize,
        scratch: &'s mut Scratch,
    ) -> Result<Option<BestIds<'s>>> {
        let Algorithm::Unigram(unigram) = &self.segmenter.algorithm else { return Ok(None) };
        if text.len() > MOST_TEXT
            || !(1..=MOST_PATHS).contains(&n)
            || n * text.len() > MOST_WRITTEN
            || self.segmenter.has_byte_paths()
            || !self.is_whole(permit)
        {
            return Ok(None);
        }
        self.prepare_into(text, true, false, scratch)?;
        if scratch.normalized.len > MOST_TEXT {
            return Ok(None);
        }
        let slots = scratch.learned.most();
        let mut listing =
            scratch.listing.take().unwrap_or_else(|| Box::new(Listing::new(slots, self.spec.vocab.len())));
        let mut starts = std::mem::take(&mut scratch.starts);
        self.unit_bounds(&scratch.normalized, &mut starts);
        let bytes = &scratch.normalized.bytes;
        let has_lists = self.list_units(unigram, bytes, &starts, &mut listing);
        if has_lists {
            listing.open(n);
            self.choose(unigram, bytes, &starts, n, &mut listing);
            listing.write(scratch.normalized.len);
        }
        scratch.starts = starts;
        let Listing { scores, out, offsets, .. } = &**scratch.listing.insert(listing);
        let written = offsets.last().map_or(0, |&end| us64(end.unsigned_abs()));
        Ok(has_lists.then(|| BestIds { scores, ids: &out[..written], offsets }))
    }

    /// Finds or makes the list of each unit; says no if one has none.
    fn list_units(&self, unigram: &Unigram, text: &[u8], starts: &[Cut], listing: &mut Listing) -> bool {
        let Listing { learned, lists, edges, units, weights, .. } = listing;
        if learned.is_nearly_full(starts.len()) || lists.bytes() > MOST_LISTED {
            learned.clear();
            lists.clear();
        }
        units.clear();
        for pair in starts.windows(2) {
            let unit = Unit::load(text, pair[0].at, pair[1].at - pair[0].at);
            let bytes = &text[us(pair[0].at)..us(pair[1].at)];
            let list = match learned.numbers(&unit, bytes) {
                Some(&[list, ..]) => list,
                _ => {
                    let list =
                        if self.note_scored(unigram, bytes, edges, weights) { lists.add(edges) } else { NO_LIST };
                    learned.learn(&unit, bytes, &[list], 0);
                    list
                }
            };
            if list == NO_LIST {
                return false;
            }
            units.push(list);
        }
        true
    }

    /// Notes the edges of a unit with their scores; says no if it cannot have a list.
    fn note_scored(&self, unigram: &Unigram, text: &[u8], edges: &mut Edges, weights: &mut [f64]) -> bool {
        if text.is_empty() || text.len() > MAX_LISTED || !unigram.note_edges(text, edges) {
            return false;
        }
        let (mut is_scored, unk_id) = (true, self.segmenter.fallback.unk_id());
        edges.close(|id| {
            let score = unigram.edge_score(id, &self.spec.vocab);
            is_scored &= id != unk_id && score.abs() < MAX_SCORE;
            weights[us(id)] = score;
            score
        });
        is_scored
    }

    /// Finds the cheapest choices; lists become longer on the way.
    fn choose(&self, unigram: &Unigram, text: &[u8], starts: &[Cut], n: usize, listing: &mut Listing) {
        let Listing { lists, edges, choices, units, others, weights, .. } = listing;
        choices.find(others.len(), n, |place, rank| {
            let other = &mut others[place];
            if rank == 1 {
                return Some(other.second);
            }
            let unit = us(other.unit);
            if other.list.is_short_of(rank) {
                // The unit may stand elsewhere in the text too, and its list may have become longer there.
                other.list = lists.list(units[unit]);
            }
            if other.list.is_short_of(rank) {
                let bytes = &text[us(starts[unit].at)..us(starts[unit + 1].at)];
                if self.note_scored(unigram, bytes, edges, weights) {
                    lists.extend(units[unit], rank, edges);
                    other.list = lists.list(units[unit]);
                }
            }
            lists.row(other.list, rank).map(|row| row.cost)
        });
    }
}
