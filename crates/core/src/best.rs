//! The best paths of a text by lists that are kept for its units: no lattice of the whole text is made.
//!
//! What a path costs more than the best one is the sum of what it costs more in its units, so that the best paths are the
//! cheapest choices from the units' lists. Scores and order are those of [`crate::lattice::Lattice::nbest`].

use crate::cast::{i64_of, u32_of, us};
use crate::error::Result;
use crate::lattice::choices::Choices;
use crate::lattice::edges::Edges;
use crate::lattice::lists::{Lists, Step, MAX_LISTED, MAX_SCORE};
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
/// So many ids are copied at a time.
const PADDING: usize = 4;

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
    /// Of each unit that has other paths what the second costs, and its number.
    others: Vec<(f64, u32)>,
    best: Path,
    parts: Vec<Part>,
    /// For each unit that is left by, in their order, the number of its part.
    places: Vec<(u32, u32)>,
    /// The ids of the path at hand; longer than what counts.
    path: Vec<Step>,
    /// What was written of all paths.
    out: Vec<u32>,
    scores: Vec<f64>,
    offsets: Vec<i64>,
}

/// The best path of a text.
#[derive(Default)]
struct Path {
    steps: Vec<Step>,
    /// Where those of each unit begin, and the end.
    bounds: Vec<u32>,
}

/// What paths are put together from: a unit that has another than its best path in one of them, or units between these.
#[derive(Clone, Copy)]
struct Part {
    /// Where its ids are, and how many.
    start: u32,
    count: u32,
    /// Where those of the best path are.
    place: u32,
    /// Whether they are those of another path than the best.
    is_changed: bool,
}

/// Puts a path together from its parts, of the best path or of lists; how many ids it has. There must be room for a few more.
#[inline(never)]
fn join(parts: &[Part], best: &[Step], lists: &[Step], path: &mut [Step]) -> usize {
    let mut at = 0;
    for part in parts {
        let count = us(part.count);
        let steps = if part.is_changed { lists } else { best }.get(us(part.start)..).unwrap_or_default();
        let out = path.get_mut(at..).unwrap_or_default();
        match (out.first_chunk_mut::<PADDING>(), steps.first_chunk::<PADDING>()) {
            (Some(out), Some(steps)) if count <= PADDING => *out = *steps,
            _ => out[..count].copy_from_slice(&steps[..count]),
        }
        at += count;
    }
    at
}

impl Listing {
    fn new(slots: usize) -> Self {
        Self {
            learned: Learned::new(slots),
            lists: Lists::default(),
            edges: Edges::default(),
            choices: Choices::default(),
            units: Vec::new(),
            others: Vec::new(),
            best: Path::default(),
            parts: Vec::new(),
            places: Vec::new(),
            path: Vec::new(),
            out: Vec::new(),
            scores: Vec::new(),
            offsets: Vec::new(),
        }
    }

    /// Finds the best path, and what it can be left by in the best `n`.
    fn open(&mut self, n: usize) {
        let Self { lists, units, others, best, .. } = self;
        best.steps.clear();
        best.bounds.clear();
        others.clear();
        for (number, &list) in units.iter().enumerate() {
            best.bounds.push(u32_of(best.steps.len()));
            if let Some(row) = lists.row(list, 0) {
                best.steps.extend_from_slice(&lists.steps()[us(row.start)..us(row.start + row.count)]);
            }
            let second = lists.second_of(list);
            if second < f64::INFINITY {
                others.push((second, u32_of(number)));
            }
        }
        best.bounds.push(u32_of(best.steps.len()));
        // What is copied a few at a time is read from behind the last.
        best.steps.extend([Step::default(); PADDING]);
        let by_cost = |one: &(f64, u32), other: &(f64, u32)| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1));
        if others.len() >= n {
            // A unit with n - 1 others before it in this order never has another than its best path among the best n.
            others.sort_unstable_by(by_cost);
            others.truncate(n - 1);
        }
        for (cost, number) in others.iter_mut() {
            *cost = lists.row(units[us(*number)], 1).map_or(*cost, |row| row.cost);
        }
        others.sort_unstable_by(by_cost);
    }

    /// Finds out what the paths of the choices that came out are put together from.
    fn part(&mut self) {
        let Self { choices, others, best, parts, places, .. } = self;
        let changed = others.get(..choices.units()).unwrap_or_default();
        parts.clear();
        places.clear();
        places.extend(changed.iter().zip(0..).map(|(&(_, unit), place)| (unit, place)));
        places.sort_unstable();
        let mut done = 0;
        let push = |parts: &mut Vec<Part>, from: usize, to: usize| {
            let (start, end) = (best.bounds[from], best.bounds[to]);
            if to > from {
                parts.push(Part { start, count: end - start, place: start, is_changed: false });
            }
        };
        for (unit, place) in places.iter_mut() {
            push(parts, done, us(*unit));
            push(parts, us(*unit), us(*unit) + 1);
            done = us(*unit) + 1;
            // From now on: which place has which part.
            (*unit, *place) = (*place, u32_of(parts.len() - 1));
        }
        push(parts, done, best.bounds.len() - 1);
        places.sort_unstable();
    }

    /// Writes the paths of the choices that came out. A path has at most `most` ids.
    #[inline(never)]
    fn write(&mut self, most: usize) {
        self.part();
        let Self { lists, choices, units, others, best, parts, places, path, out, scores, offsets, .. } = self;
        scores.clear();
        offsets.clear();
        offsets.push(0);
        path.resize(path.len().max(most + PADDING), Step::default());
        out.clear();
        for &chosen in choices.order() {
            choices.ranks(chosen, |place, rank| {
                let part = &mut parts[us(places[place].1)];
                if let Some(row) = lists.row(units[us(others[place].1)], rank) {
                    (part.start, part.count, part.is_changed) = (row.start, row.count, true);
                }
            });
            let count = join(parts, &best.steps, lists.steps(), path);
            let mut score = 0.0;
            out.extend(path[..count].iter().map(|step| {
                score += step.score;
                step.id
            }));
            scores.push(score);
            offsets.push(i64_of(out.len()));
            choices.ranks(chosen, |place, _| {
                let part = &mut parts[us(places[place].1)];
                let end = best.bounds[us(others[place].1) + 1];
                (part.start, part.count, part.is_changed) = (part.place, end - part.place, false);
            });
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
        let mut listing = scratch.listing.take().unwrap_or_else(|| Box::new(Listing::new(slots)));
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
        Ok(has_lists.then_some(BestIds { scores, ids: out, offsets }))
    }

    /// Finds or makes the list of each unit; says no if one has none.
    fn list_units(&self, unigram: &Unigram, text: &[u8], starts: &[Cut], listing: &mut Listing) -> bool {
        let Listing { learned, lists, edges, units, .. } = listing;
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
                    let list = if self.note_scored(unigram, bytes, edges) { lists.add(edges) } else { NO_LIST };
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
    fn note_scored(&self, unigram: &Unigram, text: &[u8], edges: &mut Edges) -> bool {
        if text.is_empty() || text.len() > MAX_LISTED || !unigram.note_edges(text, edges) {
            return false;
        }
        let (mut is_scored, unk_id) = (true, self.segmenter.fallback.unk_id());
        edges.close(|id| {
            let score = unigram.edge_score(id, &self.spec.vocab);
            is_scored &= id != unk_id && score.abs() < MAX_SCORE;
            score
        });
        is_scored
    }

    /// Finds the cheapest choices; lists become longer on the way.
    fn choose(&self, unigram: &Unigram, text: &[u8], starts: &[Cut], n: usize, listing: &mut Listing) {
        let Listing { lists, edges, choices, units, others, .. } = listing;
        choices.find(others.len(), n, |place, rank| {
            let (second, number) = others[place];
            if rank == 1 {
                return Some(second);
            }
            let number = us(number);
            let list = units[number];
            if lists.is_short_of(list, rank) {
                let bytes = &text[us(starts[number].at)..us(starts[number + 1].at)];
                if self.note_scored(unigram, bytes, edges) {
                    lists.extend(list, edges);
                }
            }
            lists.row(list, rank).map(|row| row.cost)
        });
    }
}
