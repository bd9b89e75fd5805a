//! k-best paths of a text from k-best lists of its units.
//!
//! The extra cost of a path over the best is the sum of its extra costs in the units, so the k-best paths are the
//! cheapest combinations of the units' lists. These come from a cache, or from the lattice of the whole text.

pub mod kbest_lists;
pub(crate) mod write;

use crate::lattice::product::Product;
use crate::lattice::Lattice;
use crate::nbest::kbest_lists::{Arcs, KBestLists};
use crate::nbest::write::{BestPaths, Chosen, Other};
use crate::sampling::engine::UnigramTables;
use crate::segment::unigram::edges::Edges;
use crate::units::cache::UnitCache;
use crate::units::canonical::MAX_ENUMERATED_BYTES;
use crate::units::key::{Cut, Unit};
use crate::util::{report, u32_of, us, us64, Result};

/// Longest unit in bytes that has a cached list, and the initial number of paths of the list.
const MAX_LISTED: usize = MAX_ENUMERATED_BYTES;
const FIRST: usize = 8;
/// Larger absolute scores might overflow in sums.
const MAX_SCORE: f64 = 1e100;
/// Maximum length of a text, in bytes.
pub const MOST_TEXT: usize = 1 << 16;
/// Maximum number of paths.
pub const MOST_PATHS: usize = 1 << 10;
/// Maximum product of the text's bytes and the number of paths.
pub const MOST_WRITTEN: usize = 1 << 22;
/// Maximum bytes of all lists before they are cleared.
const MAX_CACHE_BYTES: usize = 32 << 20;
/// Marks a unit that can have no list.
const NO_LIST: u32 = u32::MAX;

/// The ids of paths, the best first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BestIds<'a> {
    /// The score of each.
    pub scores: &'a [f64],
    /// The ids of all paths, concatenated.
    pub ids: &'a [u32],
    /// Where the ids of each begin, and the end.
    pub offsets: &'a [i64],
}

impl<'a> BestIds<'a> {
    /// The result in 32-bit words: scores and offsets two each, then the ids.
    pub fn words(&self) -> [&'a [u32]; 3] {
        [bytemuck::cast_slice(self.scores), bytemuck::cast_slice(self.offsets), self.ids]
    }
}

/// The search among the lists of the units of one text.
#[derive(Default)]
struct Search {
    product: Product,
    /// The list of each unit.
    units: Vec<u32>,
    /// The units that have more than one path.
    others: Vec<Other>,
    paths: BestPaths,
}

impl Search {
    /// Finds the cheapest `n` combinations of paths. `extend` extends the list of a unit to a rank: unit, list, rank.
    fn find(&mut self, n: usize, lists: &mut KBestLists, mut extend: impl FnMut(&mut KBestLists, usize, u32, usize)) {
        let Self { product, units, others, .. } = self;
        others.clear();
        for (unit, &list) in (0..).zip(&*units) {
            let list = lists.list(list);
            others.extend(lists.rows(list).get(1).map(|row| Other { second: row.cost, unit, list }));
        }
        others.sort_unstable_by(|one, other| one.second.total_cmp(&other.second).then(one.unit.cmp(&other.unit)));
        // A unit with n - 1 others before it in this order uses only its best path among the best n.
        others.truncate(n.saturating_sub(1));
        product.find(others.len(), n, |place, rank| {
            let other = &mut others[place];
            if rank == 1 {
                return Some(other.second);
            }
            let (unit, list) = (us(other.unit), units[us(other.unit)]);
            if other.list.is_short_of(rank) {
                // The unit may also occur elsewhere in the text, and its list may have been extended there.
                other.list = lists.list(list);
            }
            if other.list.is_short_of(rank) {
                extend(lists, unit, list, rank);
                other.list = lists.list(list);
            }
            lists.rows(other.list).get(rank).map(|row| row.cost)
        });
    }

    /// Writes the paths found; `weights` are the scores of ids, `most` is the maximum number of ids of a path.
    fn write(&mut self, lists: &KBestLists, weights: &[f64], most: usize) -> Result<()> {
        let Self { product, units, others, paths } = self;
        paths.write(&Chosen { lists, product, units, others, weights, most })
    }
}

/// Paths of a lattice, the best first.
#[derive(Debug, Default, PartialEq)]
pub struct Best {
    /// The score of each.
    pub scores: Vec<f64>,
    /// The edge indices of all paths, concatenated.
    pub edges: Vec<u32>,
    /// Where the edges of each begin, and the end.
    pub offsets: Vec<i64>,
}

impl Best {
    /// The edges of the paths in order.
    pub fn paths(&self) -> impl Iterator<Item = &[u32]> + '_ {
        let range = |pair: &[i64]| us64(pair[0].unsigned_abs())..us64(pair[1].unsigned_abs());
        self.offsets.windows(2).map(move |pair| &self.edges[range(pair)])
    }

    /// The best `n` paths of a lattice.
    pub fn of(lattice: &Lattice, n: usize) -> Result<Self> {
        let (mut lists, mut search, units) = (KBestLists::default(), Search::default(), &lattice.bounds);
        let unit = |unit: usize| {
            let (start, end) = (units[unit], units[unit + 1]);
            let edges = lattice.ending(us(start)).end..lattice.ending(us(end)).end;
            let edges = edges.map(move |number| {
                let edge = lattice.edges[number];
                (edge.start - start, edge.end - start, u32_of(number), edge.score)
            });
            (us(end - start), edges)
        };
        for number in 0..units.len() - 1 {
            let (length, edges) = unit(number);
            search.units.push(lists.add(length, edges, n.min(2)));
            lists.check()?;
        }
        let mut done = Ok(());
        search.find(n, &mut lists, |lists, number, list, rank| {
            if done.is_ok() {
                let (length, edges) = unit(number);
                lists.extend(list, rank, length, edges);
                done = lists.check();
            }
        });
        done?;
        let weights: Vec<f64> = lattice.edges.iter().map(|edge| edge.score).collect();
        search.write(&lists, &weights, lattice.length())?;
        let BestPaths { scores, offsets, mut out, written, .. } = search.paths;
        out.truncate(written);
        Ok(Self { scores, edges: out, offsets })
    }
}

/// The cached lists of units, and the buffers of the current text.
#[derive(Default)]
pub struct KBestCache {
    cache: UnitCache<KBestLists>,
    edges: Edges,
    /// The score of each id, computed on first use.
    weights: Vec<f64>,
    search: Search,
}

impl KBestCache {
    /// For a vocabulary of `pieces` pieces, with a cache of `slots` slots.
    pub fn new(slots: usize, pieces: usize) -> Self {
        Self { cache: UnitCache::new(slots), weights: vec![0.0; pieces], ..Self::default() }
    }
}

impl UnigramTables<'_> {
    /// The best `n` paths of a text whose units begin at `starts`, the last of which is its end. `None` if a unit can
    /// have no list.
    pub fn nbest<'l>(self, text: &[u8], starts: &[Cut], n: usize, kbest: &'l mut KBestCache) -> Option<BestIds<'l>> {
        if !self.list_units(text, starts, kbest) {
            return None;
        }
        let KBestCache { cache: UnitCache { values: lists, .. }, edges, weights, search } = kbest;
        search.find(n, lists, |lists, unit, list, rank| {
            let bytes = &text[us(starts[unit].at)..us(starts[unit + 1].at)];
            if self.note_scored(bytes, edges, weights) {
                lists.extend(list, rank, bytes.len(), arcs(edges));
            }
        });
        search.write(lists, weights, starts.last().map_or(0, |end| us(end.at))).ok()?;
        let BestPaths { scores, offsets, out, written, .. } = &search.paths;
        Some(BestIds { scores, ids: &out[..*written], offsets })
    }

    /// Looks up or computes the list of each unit; false if one can have none.
    fn list_units(self, text: &[u8], starts: &[Cut], kbest: &mut KBestCache) -> bool {
        let KBestCache { cache, edges, weights, search: Search { units, .. } } = kbest;
        cache.make_room(starts.len(), MAX_CACHE_BYTES);
        units.clear();
        for pair in starts.windows(2) {
            report(16);
            let unit = Unit::load(text, pair[0].at, pair[1].at - pair[0].at);
            let bytes = &text[us(pair[0].at)..us(pair[1].at)];
            let list = match cache.numbers(&unit, bytes) {
                Some(&[list, ..]) => list,
                _ => {
                    let is_listed = self.note_scored(bytes, edges, weights);
                    let list = if is_listed { cache.values.add(bytes.len(), arcs(edges), FIRST) } else { NO_LIST };
                    cache.insert(&unit, bytes, &[list], 0);
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

    /// Records the edges of a unit with their scores; false if it cannot have a list.
    fn note_scored(self, text: &[u8], edges: &mut Edges, weights: &mut [f64]) -> bool {
        if text.is_empty() || text.len() > MAX_LISTED || !self.unigram.note_edges(text, edges, &[]) {
            return false;
        }
        let (mut is_scored, unk_id) = (true, self.fallback.unk_id);
        edges.finish(|id| {
            let score = self.unigram.edge_score(id, self.vocab);
            is_scored &= id != unk_id && score.abs() < MAX_SCORE;
            match weights.get_mut(us(id)) {
                Some(weight) => *weight = score,
                // A damaged stored table may contain any id.
                None => is_scored = false,
            }
            score
        });
        is_scored
    }
}

/// The recorded edges of a unit.
fn arcs(edges: &Edges) -> impl Arcs + '_ {
    edges.rows().iter().map(|row| (row.start.into(), row.end.into(), row.id, row.weight))
}
