//! Units that are ready to be drawn from: what their numbers are compared with depends on the unit and the temperature alone, so
//! it is kept for the next time.

use std::ops::Range;

use crate::lattice::semiring::Semiring;
use crate::segment::unigram::edges::Edges;
use crate::segment::unigram::edges::MAX_ENUMERATED_PATHS;
use crate::util::cast::{low16, u16_of, u32_of, us};
use crate::util::draw::first_thresholds;
use crate::util::huge_page_vec::HugePageVec;

/// Longest unit in bytes that is kept.
pub const MAX_CACHED: usize = crate::segment::unigram::edges::MAX_ENUMERATED_BYTES;
/// Ids from here on are not kept: they share a word with where choices are.
pub const MAX_ID: u32 = 1 << (32 - AT_BITS);
/// Places of a unit: a power of two above the longest.
const ROOM: usize = MAX_CACHED + 1;
const _: () = assert!(ROOM.is_power_of_two());
/// So many ids are copied at a time, and may be read behind the last unit and written behind the last id.
pub const PADDING: usize = 8;

/// Paths that a head has room for, and a short one.
pub(crate) const PATHS: usize = MAX_ENUMERATED_PATHS;
const SHORT: usize = PATHS / 2;
/// In the place of a limit that no number is to reach; the largest number is looked at otherwise.
pub(crate) const NO_LIMIT: u16 = u16::MAX;
/// For a path the number of its ids in so many bits, and above them where they begin.
pub(crate) const COUNT_BITS: u32 = 6;
const _: () = assert!(PATHS * MAX_CACHED < 1 << (16 - COUNT_BITS) && MAX_CACHED < 1 << COUNT_BITS);

/// Units begin at multiples of so many words, a line: one is asked for of each, and mostly its ids are in it too.
const ALIGNMENT: usize = PATHS;

/// What a unit is known by that has choices for each place instead of a head.
pub(crate) const BY_PLACES: u32 = 1 << 30;
/// Or that cannot be drawn from in this way.
const OTHERWISE: u32 = 1 << 31;

/// For a choice, where those of the place are that it leads to, in so many bits; above them its id.
pub(crate) const AT_BITS: u32 = 12;
/// A choice is a word and half a word, those of a place are a whole number of words.
const _: () = assert!(MAX_CACHED * (MAX_CACHED + 1) / 2 * 3 / 2 + MAX_CACHED < 1 << AT_BITS);

/// By what a unit is known that is ready: the paths that its head has room for, or what it has instead; where that begins.
pub type Known = [u32; 2];

/// A unit that cannot be drawn from in this way.
pub const UNCACHED: Known = [OTHERWISE, 0];

/// Ids below this are narrow: of a vocabulary that has no others two share a word, so that a unit takes less memory.
pub const NARROW_IDS: usize = 1 << 16;

/// What is written to while a unit is made ready; not cleared in between, which would take as long as a short unit does.
struct Work {
    /// The ids of the edges up to the place at hand; for each of them those that are left of the edges beside it.
    ids: [u32; ROOM],
    left: [Range<usize>; ROOM],
    /// For each place what all ways from there to the end weigh; or what each edge weighs with those before it.
    behind: [f64; ROOM],
    sums: [f64; ROOM],
}

impl Default for Work {
    fn default() -> Self {
        Self { ids: [0; ROOM], left: [const { 0..0 }; ROOM], behind: [0.0; ROOM], sums: [0.0; ROOM] }
    }
}

/// The units.
///
/// Of one with few paths there is a head, and behind it the ids of all paths: mostly they are in the same line of memory. A head
/// has the first 16 bits of the limits; and for each path where its ids begin behind the head, and how many they are. Of others
/// there are the choices of each place in order: a word for each edge, the last edge first, and then the first 16 bits of their
/// limits. Where the limits begin is where the choices are: an edge's word has its id and where those are that it leads
/// to, 0 for the end.
///
/// Where ids are narrow, those of paths are halves of words, and so are those that are drawn from units with choices.
///
/// A number that begins as a limit does would have to be known in full: then nothing is drawn here, once in ten thousand times.
#[derive(Default)]
pub struct DrawCache {
    words: HugePageVec<u32>,
    work: Work,
    narrow: bool,
}

impl DrawCache {
    /// For ids all of which are narrow, or not.
    pub fn new(narrow: bool) -> Self {
        Self { narrow, ..Self::default() }
    }

    /// Forgets all units.
    pub fn clear(&mut self) {
        self.words.truncate(0);
    }

    /// How much memory the units take.
    pub fn bytes(&self) -> usize {
        4 * self.words.len()
    }

    /// Makes a unit ready whose ids are below [`MAX_ID`]; returns what it is known by, or [`UNCACHED`] if there is no room.
    pub fn add(&mut self, edges: &Edges, semiring: Semiring) -> Known {
        let end = self.words.len().saturating_sub(PADDING);
        let start = end.next_multiple_of(ALIGNMENT);
        // Counted in halves of words it has a bit to spare.
        if start > us(u32::MAX) / 8 {
            return UNCACHED;
        }
        let head = match edges.path_count() {
            Some(paths) if self.narrow => self.write_paths::<true>(edges, semiring, start, paths),
            Some(paths) => self.write_paths::<false>(edges, semiring, start, paths),
            None => self.write_places(edges, semiring, start),
        };
        [head, u32_of(start)]
    }

    /// All paths, by their first edge, then by the next one: as [`crate::lattice::enumeration::PathEnumeration`] lists them. They are so many.
    fn write_paths<const NARROW: bool>(
        &mut self,
        edges: &Edges,
        semiring: Semiring,
        start: usize,
        paths: usize,
    ) -> u32 {
        let Self { words, work, .. } = self;
        let Work { ids, left, behind: ways, .. } = work;
        let (begin, rows, length) = (edges.begin(), edges.rows(), edges.length());
        let room = if paths <= SHORT { SHORT } else { PATHS };
        let (head, place) = words.open(start, PATHS * (ROOM + 1) + PADDING).split_at_mut(room);
        let (mut weights, mut listed, mut found, mut end) = ([0.0; PATHS], [0u16; PATHS], 0, 0);
        let (mut depth, mut next) = (0, 0..usize::from(begin[1]));
        ways[0] = semiring.one();
        loop {
            if let Some(row) = next.next().and_then(|number| rows.get(number)) {
                ids[depth % ROOM] = row.id;
                let (way, behind) = (semiring.mul(ways[depth % ROOM], row.weight), usize::from(row.end) % ROOM);
                depth += 1;
                if behind < length {
                    ways[depth % ROOM] = way;
                    left[depth % ROOM] = next;
                    next = usize::from(begin[behind])..usize::from(begin[behind + 1]);
                    continue;
                }
                // A path: its ids, and some more that the next one is written over.
                listed[found % PATHS] = u16_of(end << COUNT_BITS | depth);
                weights[found % PATHS] = way;
                found += 1;
                for from in (0..depth).step_by(PADDING) {
                    if let Some(ids) = ids[from..].first_chunk::<PADDING>() {
                        write_ids::<NARROW>(place, end + from, ids);
                    }
                }
                end += depth;
                depth -= 1;
            } else if depth > 0 {
                next = left[depth % ROOM].clone();
                depth -= 1;
            } else {
                break;
            }
        }
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
        words.close(start + room + if NARROW { end.div_ceil(2) } else { end } + PADDING);
        u32_of(room)
    }

    fn write_places(&mut self, edges: &Edges, semiring: Semiring, start: usize) -> u32 {
        let Self { words, work, .. } = self;
        let Work { behind, sums, ids: at, .. } = work;
        behind[edges.length() % ROOM] = semiring.one();
        at[edges.length() % ROOM] = 0;
        let (begin, rows) = (edges.begin(), edges.rows());
        let mut length = 0;
        for (at, pair) in at.iter_mut().zip(begin.windows(2)) {
            let count = usize::from(pair[1] - pair[0]);
            *at = u32_of(length + count);
            length += count + count.div_ceil(2);
        }
        let written = words.open(start, length + PADDING);
        // What is behind is summed up from the end.
        for place in (0..edges.length()).rev() {
            let rows = &rows[usize::from(begin[place])..usize::from(begin[place + 1])];
            let sums = &mut sums[..rows.len()];
            for (sum, row) in sums.iter_mut().zip(rows) {
                *sum = semiring.mul(behind[usize::from(row.end) % ROOM], row.weight);
            }
            let (all, whole) = semiring.sum_up(sums);
            behind[place % ROOM] = all;
            let (before, behind) = written.split_at_mut(us(at[place % ROOM]));
            // That of the last choice is all ones.
            let firsts: &mut [u16] = bytemuck::cast_slice_mut(behind);
            for ((word, first), row) in before.iter_mut().rev().zip(firsts.iter_mut()).zip(rows) {
                *word = row.id << AT_BITS | at[usize::from(row.end) % ROOM];
                *first = NO_LIMIT;
            }
            firsts.iter_mut().zip(first_thresholds(sums, whole)).for_each(|(first, limit)| *first = limit);
        }
        words.close(start + length + PADDING);
        BY_PLACES | at[0]
    }

    /// The units, to be drawn from.
    pub fn view(&self) -> DrawCacheView<'_> {
        DrawCacheView::new(&self.words)
    }
}

/// Writes ids to their place among others, in words or in halves of words.
#[inline(always)]
fn write_ids<const NARROW: bool>(place: &mut [u32], at: usize, ids: &[u32; PADDING]) {
    if NARROW {
        let halves: &mut [u16] = bytemuck::cast_slice_mut(place);
        if let Some(place) = halves.get_mut(at..).and_then(<[u16]>::first_chunk_mut) {
            *place = ids.map(|id| low16(id.into()));
        }
    } else if let Some(place) = place.get_mut(at..).and_then(<[u32]>::first_chunk_mut) {
        *place = *ids;
    }
}

/// The units, borrowed for some draws.
#[derive(Clone, Copy)]
pub struct DrawCacheView<'a> {
    pub(crate) words: &'a [u32],
}

impl<'a> DrawCacheView<'a> {
    /// Those that [`crate::sampling::cache::DrawCache`] wrote.
    pub(crate) const fn new(words: &'a [u32]) -> Self {
        Self { words }
    }
}
