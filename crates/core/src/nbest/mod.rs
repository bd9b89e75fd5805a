//! k-best paths of a text from cached k-best lists of its units, without a lattice of the whole text.
//!
//! The extra cost of a path over the best is the sum of its extra costs in the units, so the k-best paths are the
//! cheapest combinations of the units' lists. Scores and order are those of [`crate::lattice::Lattice::nbest`].

pub mod kbest_lists;
pub(crate) mod write;

use crate::lattice::product::Product;
use crate::nbest::kbest_lists::{KBestLists, MAX_LISTED, MAX_SCORE};
use crate::nbest::write::{BestPaths, Chosen, Other};
use crate::sampling::engine::UnigramTables;
use crate::segment::unigram::edges::Edges;
use crate::units::cache::UnitCache;
use crate::units::key::{Cut, Unit};
use crate::util::cast::{u32_of, us};
use crate::util::interrupt::report;

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

/// The cached lists of units, and the buffers of the current text.
pub struct KBestCache {
    cache: UnitCache<KBestLists>,
    edges: Edges,
    product: Product,
    /// The list of each unit.
    units: Vec<u32>,
    /// The units that have more than one path.
    others: Vec<Other>,
    /// The score of each id, computed on first use; 0 after the last one.
    weights: Vec<f64>,
    paths: BestPaths,
}

impl KBestCache {
    /// For a vocabulary of `pieces` pieces, with a cache of `slots` slots.
    pub fn new(slots: usize, pieces: usize) -> Self {
        Self {
            cache: UnitCache::with_values(slots, KBestLists::default()),
            edges: Edges::default(),
            product: Product::default(),
            units: Vec::new(),
            others: Vec::new(),
            weights: vec![0.0; pieces + 1],
            paths: BestPaths::default(),
        }
    }

    /// Finds the units that may deviate from their best path among the best `n`.
    fn open(&mut self, n: usize) {
        let Self { cache: UnitCache { values: lists, .. }, units, others, .. } = self;
        others.clear();
        for (number, &list) in units.iter().enumerate() {
            let list = lists.list(list);
            if list.second < f64::INFINITY {
                others.push(Other { second: list.second, unit: u32_of(number), list });
            }
        }
        let by_cost = |one: &Other, other: &Other| one.second.total_cmp(&other.second).then(one.unit.cmp(&other.unit));
        if others.len() >= n {
            // A unit with n - 1 others before it in this order uses only its best path among the best n.
            others.sort_unstable_by(by_cost);
            others.truncate(n - 1);
        }
        for other in others.iter_mut() {
            other.second = lists.rows(other.list).get(1).map_or(other.second, |row| row.cost);
        }
        others.sort_unstable_by(by_cost);
    }
}

impl UnigramTables<'_> {
    /// The best `n` paths of a text whose units begin at `starts`, the last of which is its end. `None` if a unit can
    /// have no list.
    pub fn nbest<'l>(self, text: &[u8], starts: &[Cut], n: usize, kbest: &'l mut KBestCache) -> Option<BestIds<'l>> {
        if !self.list_units(text, starts, kbest) {
            return None;
        }
        kbest.open(n);
        self.choose(text, starts, n, kbest);
        let most = starts.last().map_or(0, |end| us(end.at));
        let KBestCache { cache: UnitCache { values: lists, .. }, product, others, weights, paths, units, .. } = kbest;
        paths.write(&Chosen { lists, product, units, others, weights, most });
        Some(BestIds { scores: &paths.scores, ids: paths.ids(), offsets: &paths.offsets })
    }

    /// Looks up or computes the list of each unit; false if one can have none.
    fn list_units(self, text: &[u8], starts: &[Cut], kbest: &mut KBestCache) -> bool {
        let KBestCache { cache, edges, units, weights, .. } = kbest;
        cache.make_room(starts.len(), MAX_CACHE_BYTES);
        units.clear();
        for pair in starts.windows(2) {
            report(16);
            let unit = Unit::load(text, pair[0].at, pair[1].at - pair[0].at);
            let bytes = &text[us(pair[0].at)..us(pair[1].at)];
            let list = match cache.numbers(&unit, bytes) {
                Some(&[list, ..]) => list,
                _ => {
                    let list = if self.note_scored(bytes, edges, weights) { cache.values.add(edges) } else { NO_LIST };
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
        let (mut is_scored, unk_id) = (true, self.fallback.unk_id());
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

    /// Finds the cheapest combinations; extends lists as needed.
    fn choose(self, text: &[u8], starts: &[Cut], n: usize, kbest: &mut KBestCache) {
        let KBestCache { cache: UnitCache { values: lists, .. }, edges, product, units, others, weights, .. } = kbest;
        product.find(others.len(), n, |place, rank| {
            let other = &mut others[place];
            if rank == 1 {
                return Some(other.second);
            }
            let unit = us(other.unit);
            if other.list.is_short_of(rank) {
                // The unit may also occur elsewhere in the text, and its list may have been extended there.
                other.list = lists.list(units[unit]);
            }
            if other.list.is_short_of(rank) {
                let bytes = &text[us(starts[unit].at)..us(starts[unit + 1].at)];
                if self.note_scored(bytes, edges, weights) {
                    lists.extend(units[unit], rank, edges);
                    other.list = lists.list(units[unit]);
                }
            }
            lists.rows(other.list).get(rank).map(|row| row.cost)
        });
    }
}
