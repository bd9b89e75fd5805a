//! The best paths of a text by lists that are kept for its units: no lattice of the whole text is made.
//!
//! What a path costs more than the best one is the sum of what it costs more in its units, so that the best paths are the
//! cheapest choices from the units' lists. Scores and order are those of [`crate::lattice::Lattice::nbest`].

use crate::cast::{i64_of, u32_of, us};
use crate::error::Result;
use crate::lattice::choices::Choices;
use crate::lattice::edges::Edges;
use crate::lattice::lists::{Lists, MAX_LISTED, MAX_SCORE};
use crate::scratch::{Learned, Scratch, Unit};
use crate::segment::cuts::Cut;
use crate::segment::unigram::Unigram;
use crate::segment::Algorithm;
use crate::specials::Permit;
use crate::tokenizer::Tokenizer;

/// Longest text in bytes, and the most paths.
const MOST_TEXT: usize = 1 << 16;
const MOST_PATHS: usize = 1 << 10;
/// Lists may take so much memory before all are forgotten.
const MOST_LISTED: usize = 32 << 20;
/// In the place of a list: the unit can have none.
const NO_LIST: u32 = u32::MAX;
/// So many ids are copied at a time.
const PADDING: usize = 8;

/// The ids of paths, the best first.
#[derive(Debug, Default, PartialEq)]
pub struct BestIds {
    /// The score of each.
    pub scores: Vec<f64>,
    /// The ids of all, one after the other.
    pub ids: Vec<u32>,
    /// Where the ids of each begin, and the end.
    pub offsets: Vec<i64>,
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
    /// Ids that were written; longer than what counts.
    out: Vec<u32>,
    /// Of the path at hand the units that do not have their best: number, and path.
    changed: Vec<(u32, u32)>,
}

/// The best path of a text.
#[derive(Default)]
struct Path {
    ids: Vec<u32>,
    /// What each adds to the score.
    scores: Vec<f64>,
    /// The score up to each, and of all.
    sums: Vec<f64>,
    /// Where those of each unit begin, and the end.
    bounds: Vec<u32>,
}

impl Path {
    fn clear(&mut self) {
        self.ids.clear();
        self.scores.clear();
        self.sums.clear();
        self.bounds.clear();
    }

    /// All ids are known.
    fn close(&mut self) {
        let mut sum = 0.0;
        self.sums.push(sum);
        for score in &self.scores {
            sum += score;
            self.sums.push(sum);
        }
        self.bounds.push(u32_of(self.ids.len()));
        // What is copied a few at a time is read from behind the last.
        self.ids.extend([0; PADDING]);
    }

    /// The ids from one unit up to another, with more behind them, and what they add.
    fn between(&self, first: usize, last: usize) -> (&[u32], &[f64]) {
        let (start, end) = (us(self.bounds[first]), us(self.bounds[last]));
        (&self.ids[start..], &self.scores[start..end])
    }
}

/// A path that is being written.
struct Writer<'a> {
    out: &'a mut [u32],
    at: usize,
    score: f64,
}

impl Writer<'_> {
    /// Puts ids behind the last, as many as there are scores.
    #[inline(always)]
    fn push(&mut self, (ids, scores): (&[u32], &[f64])) {
        let (count, out) = (scores.len(), &mut self.out[self.at..]);
        match (out.first_chunk_mut::<PADDING>(), ids.first_chunk::<PADDING>()) {
            (Some(out), Some(ids)) if count <= PADDING => *out = *ids,
            _ => out[..count].copy_from_slice(&ids[..count]),
        }
        self.at += count;
        self.score = scores.iter().fold(self.score, |sum, score| sum + score);
    }
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
            out: Vec::new(),
            changed: Vec::new(),
        }
    }

    /// Finds the best path, and what it can be left by in the best `n`.
    fn open(&mut self, n: usize) {
        let Self { lists, units, others, best, .. } = self;
        best.clear();
        others.clear();
        for (number, &list) in units.iter().enumerate() {
            best.bounds.push(u32_of(best.ids.len()));
            if let Some(row) = lists.row(list, 0) {
                let (ids, scores) = lists.path(row);
                best.ids.extend_from_slice(&ids[..scores.len()]);
                best.scores.extend_from_slice(scores);
            }
            let second = lists.second_of(list);
            if second < f64::INFINITY {
                others.push((second, u32_of(number)));
            }
        }
        best.close();
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

    /// Writes the paths of the choices that came out. A path has at most `most` ids.
    fn written(&mut self, most: usize) -> BestIds {
        let Self { lists, choices, units, others, best, out, changed, .. } = self;
        let paths = choices.order().len();
        let (mut scores, mut offsets) = (Vec::with_capacity(paths), Vec::with_capacity(paths + 1));
        offsets.push(0);
        let mut at = 0;
        for &chosen in choices.order() {
            changed.clear();
            choices.ranks(chosen, |place, rank| changed.push((others[place].1, u32_of(rank))));
            changed.sort_unstable();
            if out.len() < at + most + PADDING {
                out.resize(2 * (at + most + PADDING), 0);
            }
            let mut writer = Writer { out, at, score: 0.0 };
            let mut done = 0;
            for &(number, rank) in &*changed {
                writer.push(best.between(done, us(number)));
                if let Some(row) = lists.row(units[us(number)], us(rank)) {
                    writer.push(lists.path(row));
                }
                done = us(number) + 1;
            }
            writer.push(best.between(done, units.len()));
            at = writer.at;
            scores.push(writer.score);
            offsets.push(i64_of(at));
        }
        BestIds { scores, ids: out[..at].to_vec(), offsets }
    }
}

impl Tokenizer {
    /// The best `n` paths of a text. Nothing if it is long, or holds what has no list: a character without a piece, a very long
    /// unit, an added token. Then the lattice says it.
    pub fn nbest(&self, text: &[u8], permit: Permit<'_>, n: usize, scratch: &mut Scratch) -> Result<Option<BestIds>> {
        let Algorithm::Unigram(unigram) = &self.segmenter.algorithm else { return Ok(None) };
        if text.len() > MOST_TEXT
            || !(1..=MOST_PATHS).contains(&n)
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
        let found = self.list_units(unigram, bytes, &starts, &mut listing).then(|| {
            listing.open(n);
            self.choose(unigram, bytes, &starts, n, &mut listing);
            listing.written(scratch.normalized.len)
        });
        (scratch.listing, scratch.starts) = (Some(listing), starts);
        Ok(found)
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
            let number = us(others[place].1);
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
