//! The draw cache: memoized path distributions of units. The thresholds that random numbers are compared with depend
//! only on the unit and the temperature.

use crate::lattice::enumeration::{PathWalk, PLACES};
use crate::lattice::semiring::Semiring;
use crate::segment::unigram::edges::Edges;
use crate::units::cache::Arena;
use crate::units::canonical::{MAX_ENUMERATED_BYTES, MAX_ENUMERATED_PATHS};
use crate::util::draw::first_thresholds;
use crate::util::huge_page_vec::HugePageVec;
use crate::util::{u16_of, u32_of, us};

/// Longest unit in bytes that is cached.
pub const MAX_CACHED: usize = MAX_ENUMERATED_BYTES;
/// Upper bound of cached ids: they share a word with the offset of the next choices.
pub const MAX_ID: u32 = 1 << (32 - AT_BITS);
/// Number of ids copied at a time, which may be read past the last unit and written past the last id.
pub const PADDING: usize = 8;

/// Capacity of a head in paths, and of a short head.
pub(crate) const PATHS: usize = MAX_ENUMERATED_PATHS;
const SHORT: usize = PATHS / 2;
/// Fills unused thresholds, which no number reaches; the largest number is handled separately.
pub(crate) const NO_LIMIT: u16 = u16::MAX;
/// Maximum number of choices at a position: their thresholds are compared at once, and values past them may be read.
pub(crate) const MAX_CHOICES: usize = 2 * PADDING;
/// Bits of a path's entry that hold the number of its ids; above them is where they begin.
pub(crate) const COUNT_BITS: u32 = 6;
const _: () = assert!(PATHS * MAX_CACHED < 1 << (16 - COUNT_BITS) && MAX_CACHED < 1 << COUNT_BITS);

/// Alignment of units in words: one cache line. One line is prefetched per unit, and mostly its ids are in it too.
const ALIGNMENT: usize = PATHS;

/// Tag of a unit with choices for each position instead of a head.
pub(crate) const BY_PLACES: u32 = 1 << 30;
/// Tag of a unit that is not cached.
const OTHERWISE: u32 = 1 << 31;

/// Bits of a choice that hold the offset of the next position's choices; above them is its id.
pub(crate) const AT_BITS: u32 = 12;
/// A choice takes a word and a half; those of a position are padded to whole words.
const _: () = assert!(MAX_CACHED * (MAX_CACHED + 1) / 2 * 3 / 2 + MAX_CACHED < 1 << AT_BITS);

/// Reference to a cached unit: the capacity of its head or a tag; and where it begins.
pub type Known = [u32; 2];

/// A unit that cannot be drawn from the cache.
pub const UNCACHED: Known = [OTHERWISE, 0];

/// Buffers for building a unit's entry; not cleared in between, which would take as long as a short unit does.
struct Work {
    walk: PathWalk,
    /// For each position the address of its choices; the total weight of all paths from there to the end.
    at: [u32; PLACES],
    behind: [f64; PLACES],
    /// The cumulative weight of each edge.
    sums: [f64; PLACES],
}

impl Default for Work {
    fn default() -> Self {
        Self { walk: PathWalk::default(), at: [0; PLACES], behind: [0.0; PLACES], sums: [0.0; PLACES] }
    }
}

/// The memoized distributions of units, in one arena.
///
/// A unit with few paths has a head, followed by the ids of all paths: mostly they are on one cache line. A head has
/// the high 16 bits of the thresholds; and for each path the start of its ids after the head, and their number. Other
/// units have the choices of each position in order: a word for each edge, the last edge first, and then the high 16
/// bits of their thresholds. The choices of a position are addressed by the start of the thresholds: an edge's word has
/// its id and the address of the choices that it leads to, 0 for the end.
///
/// A number whose high 16 bits equal a threshold's would need all 64 bits: then nothing is drawn here, about once in
/// ten thousand times.
#[derive(Default)]
pub struct DrawCache {
    words: HugePageVec<u32>,
    work: Work,
}

impl Arena for DrawCache {
    fn bytes(&self) -> usize {
        4 * self.words.len()
    }

    fn clear(&mut self) {
        self.words.truncate(0);
    }
}

impl DrawCache {
    /// Caches a unit whose ids are below [`MAX_ID`]; returns its reference, or [`UNCACHED`] if there is no room, or
    /// a position has too many choices.
    pub fn add(&mut self, edges: &Edges, semiring: Semiring) -> Known {
        let end = self.words.len().saturating_sub(PADDING);
        let start = end.next_multiple_of(ALIGNMENT);
        // A start has a bit to spare.
        if start > us(u32::MAX) / 8 {
            return UNCACHED;
        }
        let head = match edges.path_count() {
            Some(paths) => self.write_paths(edges, semiring, start, paths),
            None if edges.begin().windows(2).any(|pair| usize::from(pair[1] - pair[0]) > MAX_CHOICES) => {
                return UNCACHED
            }
            None => self.write_places(edges, semiring, start),
        };
        [head, u32_of(start)]
    }

    /// Writes all paths in the order of [`PathWalk::each_path`]; `paths` is their number.
    fn write_paths(&mut self, edges: &Edges, semiring: Semiring, start: usize, paths: usize) -> u32 {
        let Self { words, work, .. } = self;
        let (begin, rows) = (edges.begin(), edges.rows());
        let room = if paths <= SHORT { SHORT } else { PATHS };
        let (head, place) = words.open(start, PATHS * (PLACES + 1) + PADDING).split_at_mut(room);
        let (mut weights, mut listed, mut found, mut end) = ([0.0; PATHS], [0u16; PATHS], 0, 0);
        let starting = |place: usize| usize::from(begin[place])..usize::from(begin[place + 1]);
        let edge = |number: usize| (rows[number].id, rows[number].end.into(), rows[number].weight);
        work.walk.each_path(edges.length, semiring, starting, edge, |walk, depth, weight| {
            listed[found % PATHS] = u16_of(end << COUNT_BITS | depth);
            weights[found % PATHS] = weight;
            found += 1;
            // The ids, and padding that the next path overwrites.
            for from in (0..depth).step_by(PADDING) {
                let ids = walk.ids[from..].first_chunk::<PADDING>();
                if let (Some(ids), Some(place)) = (ids, place[end + from..].first_chunk_mut()) {
                    *place = *ids;
                }
            }
            end += depth;
            true
        });
        let weights = &mut weights[..found.min(PATHS)];
        let (_, whole) = semiring.sum_up(weights);
        let mut first = [NO_LIMIT; PATHS];
        first.iter_mut().zip(first_thresholds(weights, whole)).for_each(|(place, limit)| *place = limit);
        let (limits, starts) = bytemuck::cast_slice_mut::<u32, u16>(head).split_at_mut(room);
        for (half, values) in [(limits, &first), (starts, &listed)] {
            for (to, from) in half.chunks_exact_mut(SHORT).zip(values.chunks_exact(SHORT)) {
                to.copy_from_slice(from);
            }
        }
        words.close(start + room + end + PADDING);
        u32_of(room)
    }

    fn write_places(&mut self, edges: &Edges, semiring: Semiring, start: usize) -> u32 {
        let Self { words, work, .. } = self;
        let Work { behind, sums, at, .. } = work;
        behind[edges.length % PLACES] = semiring.one();
        at[edges.length % PLACES] = 0;
        let (begin, rows) = (edges.begin(), edges.rows());
        let mut length = 0;
        for (at, pair) in at.iter_mut().zip(begin.windows(2)) {
            let count = usize::from(pair[1] - pair[0]);
            *at = u32_of(length + count);
            length += count + count.div_ceil(2);
        }
        let written = words.open(start, length + PADDING);
        // Suffix weights are summed from the end.
        for place in (0..edges.length).rev() {
            let rows = &rows[usize::from(begin[place])..usize::from(begin[place + 1])];
            let sums = &mut sums[..rows.len()];
            for (sum, row) in sums.iter_mut().zip(rows) {
                *sum = semiring.mul(behind[usize::from(row.end) % PLACES], row.weight);
            }
            let (all, whole) = semiring.sum_up(sums);
            behind[place % PLACES] = all;
            let (before, behind) = written.split_at_mut(us(at[place % PLACES]));
            // The threshold of the last choice is all ones.
            let firsts: &mut [u16] = bytemuck::cast_slice_mut(behind);
            for ((word, first), row) in before.iter_mut().rev().zip(firsts.iter_mut()).zip(rows) {
                *word = row.id << AT_BITS | at[usize::from(row.end) % PLACES];
                *first = NO_LIMIT;
            }
            firsts.iter_mut().zip(first_thresholds(sums, whole)).for_each(|(first, limit)| *first = limit);
        }
        words.close(start + length + PADDING);
        BY_PLACES | at[0]
    }

    /// The units, for drawing.
    pub fn view(&self) -> DrawCacheView<'_> {
        DrawCacheView { words: &self.words }
    }
}

/// The units, borrowed for some draws.
#[derive(Clone, Copy)]
pub struct DrawCacheView<'a> {
    pub(crate) words: &'a [u32],
}
