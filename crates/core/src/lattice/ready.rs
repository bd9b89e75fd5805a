//! Units that are ready to be drawn from: what their numbers are compared with depends on the unit and the temperature alone, so
//! it is kept for the next time.

use std::ops::Range;

use super::edges::Edges;
use super::few::FEW;
use super::weighing::{first_limits, Weighing};
use crate::cast::{low16, u16_of, u32_of, us};
use crate::index::growing::Growing;
use crate::index::lanes;
use crate::index::prefetch::{prefetch, prefetch_lines};

/// Longest unit in bytes that is kept.
pub const MAX_READY: usize = super::few::MAX_FEW;
/// Ids from here on are not kept: they share a word with where choices are.
pub const MAX_ID: u32 = 1 << (32 - AT_BITS);
/// Places of a unit: a power of two above the longest.
const ROOM: usize = MAX_READY + 1;
const _: () = assert!(ROOM.is_power_of_two());
/// So many ids are copied at a time, and may be read behind the last unit and written behind the last id.
pub const PADDING: usize = 8;

/// Paths that a head has room for, and a short one.
const PATHS: usize = FEW;
const SHORT: usize = PATHS / 2;
/// In the place of a limit that no number is to reach; the largest number is looked at otherwise.
const NO_LIMIT: u16 = u16::MAX;
/// For a path the number of its ids in so many bits, and above them where they begin.
const COUNT_BITS: u32 = 6;
const _: () = assert!(PATHS * MAX_READY < 1 << (16 - COUNT_BITS) && MAX_READY < 1 << COUNT_BITS);

/// Words of a line of memory; of a unit with many paths so many lines are asked for behind the first.
const WORDS: usize = 16;
const MORE_LINES: usize = 4;
/// Units begin at multiples of so many words, a line: one is asked for of each, and mostly its ids are in it too.
const ALIGNMENT: usize = PATHS;

/// What a unit is known by that has choices for each place instead of a head.
const BY_PLACES: u32 = 1 << 30;
/// Or that cannot be drawn from in this way.
const OTHERWISE: u32 = 1 << 31;

/// For a choice, where those of the place are that it leads to, in so many bits; above them its id.
const AT_BITS: u32 = 12;
/// A choice is a word and half a word, those of a place are a whole number of words.
const _: () = assert!(MAX_READY * (MAX_READY + 1) / 2 * 3 / 2 + MAX_READY < 1 << AT_BITS);
/// Limits are looked at so many at a time; what is behind the last of them may be read.
const SOME: usize = 2 * PADDING;

/// In where the ids of a path begin: that they are not among those of units.
const BESIDE: u32 = 1 << 31;

/// By what a unit is known that is ready: the paths that its head has room for, or what it has instead; where that begins.
pub type Known = [u32; 2];

/// A unit that cannot be drawn from in this way.
pub const NOT_READY: Known = [OTHERWISE, 0];

/// Ids below this are narrow: of a vocabulary that has no others two share a word, so that a unit takes less memory.
pub const NARROW_IDS: usize = 1 << 16;

/// Where the ids of a path are that was drawn, in words or in halves of words.
#[derive(Clone, Copy, Debug, Default)]
pub struct Drawn {
    start: u32,
    /// None: the path is to be drawn otherwise.
    count: u32,
}

impl Drawn {
    /// How many ids it has.
    #[inline(always)]
    #[must_use]
    pub const fn count(self) -> usize {
        us(self.count)
    }
}

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
pub struct Ready {
    words: Growing<u32>,
    work: Work,
    narrow: bool,
}

impl Ready {
    /// For ids all of which are narrow, or not.
    #[must_use]
    pub fn new(narrow: bool) -> Self {
        Self { narrow, ..Self::default() }
    }

    /// Forgets all units.
    pub fn clear(&mut self) {
        self.words.truncate(0);
    }

    /// How much memory the units take.
    #[must_use]
    pub fn bytes(&self) -> usize {
        4 * self.words.len()
    }

    /// Makes a unit ready whose ids are below [`MAX_ID`]; returns what it is known by, or [`NOT_READY`] if there is no room.
    pub fn add(&mut self, edges: &Edges, weighing: Weighing) -> Known {
        let end = self.words.len().saturating_sub(PADDING);
        let start = end.next_multiple_of(ALIGNMENT);
        // Counted in halves of words it has a bit to spare.
        if start > us(u32::MAX) / 8 {
            return NOT_READY;
        }
        let head = match edges.few() {
            Some(paths) if self.narrow => self.write_few::<true>(edges, weighing, start, paths),
            Some(paths) => self.write_few::<false>(edges, weighing, start, paths),
            None => self.write_places(edges, weighing, start),
        };
        [head, u32_of(start)]
    }

    /// All paths, by their first edge, then by the next one: as [`super::few::Few`] lists them. They are so many.
    fn write_few<const NARROW: bool>(&mut self, edges: &Edges, weighing: Weighing, start: usize, paths: usize) -> u32 {
        let Self { words, work, .. } = self;
        let Work { ids, left, behind: ways, .. } = work;
        let (begin, rows, length) = (edges.begin(), edges.rows(), edges.length());
        let room = if paths <= SHORT { SHORT } else { PATHS };
        let (head, place) = words.open(start, PATHS * (ROOM + 1) + PADDING).split_at_mut(room);
        let (mut weights, mut listed, mut found, mut end) = ([0.0; PATHS], [0u16; PATHS], 0, 0);
        let (mut depth, mut next) = (0, 0..usize::from(begin[1]));
        ways[0] = weighing.one();
        loop {
            if let Some(row) = next.next().and_then(|number| rows.get(number)) {
                ids[depth % ROOM] = row.id;
                let (way, behind) = (weighing.along(ways[depth % ROOM], row.weight), usize::from(row.end) % ROOM);
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
        let (_, whole) = weighing.sum_up(weights);
        let mut first = [NO_LIMIT; PATHS];
        first.iter_mut().zip(first_limits(weights, whole)).for_each(|(place, limit)| *place = limit);
        let (limits, starts) = bytemuck::cast_slice_mut::<u32, u16>(head).split_at_mut(room);
        for (half, values) in [(limits, &first), (starts, &listed)] {
            for (to, from) in half.chunks_exact_mut(SHORT).zip(values.chunks_exact(SHORT)) {
                to.copy_from_slice(from);
            }
        }
        words.close(start + room + if NARROW { end.div_ceil(2) } else { end } + PADDING);
        u32_of(room)
    }

    fn write_places(&mut self, edges: &Edges, weighing: Weighing, start: usize) -> u32 {
        let Self { words, work, .. } = self;
        let Work { behind, sums, ids: at, .. } = work;
        behind[edges.length() % ROOM] = weighing.one();
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
                *sum = weighing.along(behind[usize::from(row.end) % ROOM], row.weight);
            }
            let (all, whole) = weighing.sum_up(sums);
            behind[place % ROOM] = all;
            let (before, behind) = written.split_at_mut(us(at[place % ROOM]));
            // That of the last choice is all ones.
            let firsts: &mut [u16] = bytemuck::cast_slice_mut(behind);
            for ((word, first), row) in before.iter_mut().rev().zip(firsts.iter_mut()).zip(rows) {
                *word = row.id << AT_BITS | at[usize::from(row.end) % ROOM];
                *first = NO_LIMIT;
            }
            firsts.iter_mut().zip(first_limits(sums, whole)).for_each(|(first, limit)| *first = limit);
        }
        words.close(start + length + PADDING);
        BY_PLACES | at[0]
    }

    /// The units, to be drawn from.
    #[must_use]
    pub fn view(&self) -> ReadyView<'_> {
        ReadyView { words: &self.words }
    }
}

/// The units, borrowed for some draws.
#[derive(Clone, Copy)]
pub struct ReadyView<'a> {
    words: &'a [u32],
}

impl ReadyView<'_> {
    /// Asks for the head of a unit, or for the first of its choices.
    #[inline(always)]
    pub fn ask(&self, [_, base]: Known) {
        prefetch(self.words, us(base));
    }

    /// Asks for most of the other choices of a unit that has many paths.
    #[inline(always)]
    pub fn ask_more(&self, [_, base]: Known) {
        prefetch_lines::<u32, MORE_LINES>(self.words, us(base) + WORDS);
    }

    /// Draws one of few paths by a unit's first number, and asks for its ids.
    #[inline(always)]
    #[must_use]
    pub fn draw<const NARROW: bool>(&self, [head, base]: Known, first: u16) -> Drawn {
        // Nobody can foretell which units have no head, so that something is drawn from all.
        let room = if us(head) == PATHS { PATHS } else { SHORT };
        let path = match self.words.get(us(base)..us(base) + PATHS).and_then(<[u32]>::first_chunk) {
            Some(words) => draw(words, room, first),
            None => 0,
        };
        let ids = (base + u32_of(room)) << u32::from(NARROW);
        let (start, count) = (ids + u32::from(path >> COUNT_BITS), path & ((1 << COUNT_BITS) - 1));
        let count = if head < BY_PLACES { u32::from(count) } else { 0 };
        // Of a unit without a head nothing is drawn, so that what would be asked for is anywhere.
        let at = if head < BY_PLACES { us(start >> u32::from(NARROW)) } else { us(base) };
        prefetch(self.words, at);
        prefetch(self.words, at + (PADDING >> u32::from(NARROW)) - 1);
        Drawn { start, count }
    }

    /// Writes the ids of a path that was drawn to the beginning of `out`, which must have room for one a byte and [`PADDING`];
    /// returns how many they are. Nothing if it is to be drawn otherwise. `beside` are those of [`ReadyView::draw_places`].
    #[inline(always)]
    pub fn copy<const NARROW: bool>(&self, drawn: Drawn, beside: &[u32], out: &mut [u32]) -> Option<usize> {
        let (start, count) = (us(drawn.start & !BESIDE), us(drawn.count));
        let ids = if drawn.start < BESIDE { self.words } else { beside };
        if NARROW {
            let ids: &[u16] = bytemuck::cast_slice(ids);
            let ids = ids.get(start..)?;
            *out.first_chunk_mut::<PADDING>()? = ids.first_chunk::<PADDING>()?.map(u32::from);
            if count > PADDING {
                out.get_mut(..count)?.iter_mut().zip(ids.get(..count)?).for_each(|(place, &id)| *place = id.into());
            }
        } else {
            let ids = ids.get(start..)?;
            *out.first_chunk_mut::<PADDING>()? = *ids.first_chunk()?;
            if count > PADDING {
                out.get_mut(..count)?.copy_from_slice(ids.get(..count)?);
            }
        }
        (count > 0).then_some(count)
    }

    /// Whether a unit has many paths.
    #[inline(always)]
    #[must_use]
    pub const fn has_places([head, _]: Known) -> bool {
        head & BY_PLACES != 0
    }

    /// Draws paths of units that have many, and writes their ids to `beside`: an edge of each before the next of any, so that none
    /// waits for another. `numbers` are first ones of places, the high byte of each first.
    pub fn draw_places<const NARROW: bool>(
        &self,
        walks: &mut [Walk],
        numbers: &[u8],
        beside: &mut [u32],
        drawn: &mut [Drawn],
    ) {
        let mut count = walks.len();
        while count > 0 {
            let mut kept = 0;
            for number in 0..count {
                let walk = walks[number];
                let step = self.step(walk, numbers);
                let (id, next) = step.unwrap_or((0, 0));
                if NARROW {
                    let beside: &mut [u16] = bytemuck::cast_slice_mut(beside);
                    if let Some(place) = beside.get_mut(us(walk.out)) {
                        *place = low16(id.into());
                    }
                } else if let Some(place) = beside.get_mut(us(walk.out)) {
                    *place = id;
                }
                let goes_on = next != 0;
                let done = Drawn {
                    start: walk.first | BESIDE,
                    count: (walk.out + 1 - walk.first) * u32::from(step.is_some()),
                };
                if let Some(place) = drawn.get_mut(usize::from(walk.unit)) {
                    *place = done;
                }
                walks[kept] = Walk { at: walk.base + next, number: walk.number + 2, out: walk.out + 1, ..walk };
                kept += usize::from(goes_on);
            }
            count = kept;
        }
    }

    /// The edge that a number takes: its id, and where the choices are that it leads to. Nothing if the number begins as a limit does.
    #[inline(always)]
    fn step(&self, walk: Walk, numbers: &[u8]) -> Option<(u32, u32)> {
        let number = u16::from_be_bytes(*numbers.get(us(walk.number)..)?.first_chunk()?);
        // It reaches the last limit of a place too, and all that is behind it.
        if number == NO_LIMIT {
            return None;
        }
        let at = us(walk.at);
        let limits: &[u16; SOME] = bytemuck::cast_ref(self.words.get(at..)?.first_chunk::<PADDING>()?);
        let mut index = lanes::reached(limits, number);
        let mut is_open = limits[index.wrapping_sub(1) % SOME] == number;
        if index == SOME {
            let limits: &[u16] = bytemuck::cast_slice(&self.words[at..]);
            index = limits.iter().take_while(|&&limit| number >= limit).count();
            is_open |= limits[index - 1] == number;
        }
        let chosen = *self.words.get(at.checked_sub(1 + index)?)?;
        (!is_open).then_some((chosen >> AT_BITS, chosen & ((1 << AT_BITS) - 1)))
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

/// A path that is being drawn from a unit with many.
#[derive(Clone, Copy, Debug, Default)]
pub struct Walk {
    /// Where the choices at hand are; where the unit is.
    at: u32,
    base: u32,
    /// Where its next number is.
    number: u32,
    /// Where its ids begin, and where the next one goes.
    first: u32,
    out: u32,
    /// The unit's place among those that are drawn from.
    unit: u8,
}

impl Walk {
    /// From the beginning of a unit.
    #[inline(always)]
    #[must_use]
    pub const fn new([head, base]: Known, unit: u8, number: u32, out: u32) -> Self {
        Self { at: base + (head & (BY_PLACES - 1)), base, number, first: out, out, unit }
    }
}

/// A path of a head that has room for so many; 0 if the number begins as a limit does.
#[inline(always)]
fn draw(head: &[u32; PATHS], room: usize, first: u16) -> u16 {
    let head: &[u16; 2 * PATHS] = bytemuck::cast_ref(head);
    let limits = head.first_chunk().unwrap_or(&[0; PATHS]);
    // What is behind the limits of a short head is reached by the largest number only, which is not drawn by.
    let reached = lanes::reached(limits, first);
    let is_open = (limits[reached.wrapping_sub(1) % PATHS] == first) | (first == NO_LIMIT);
    head[(room + reached) % (2 * PATHS)] * u16::from(!is_open)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lattice::draws::{draw_exactly, Key};
    use crate::lattice::{Edge, Lattice, Unit};
    use crate::random::Seed;

    /// As many bytes, each alone or two at once.
    fn lattice(length: u32) -> Lattice {
        let edge = |start, end, id| Edge { start, end, id, score: -1.0 };
        let one = |start| edge(start, start + 1, start);
        let two = |start: u32| (start + 2 <= length).then(|| edge(start, start + 2, 100 + start));
        let mut lattice = Lattice::default();
        let edges = (0..length).flat_map(|start| [Some(one(start)), two(start)]);
        lattice.refill(edges.flatten().collect(), us(length));
        lattice
    }

    fn edges(unit: Unit<'_>, weighing: Weighing) -> Edges {
        let mut edges = Edges::default();
        edges.open(unit.end - unit.start);
        for place in unit.start..unit.end {
            edges.begin_at(place);
            for edge in unit.starting(place) {
                edges.note(us(edge.start), us(edge.end), edge.id + 1);
            }
        }
        edges.close(|_| weighing.weight(-1.0));
        edges
    }

    #[test]
    fn ready_units_are_drawn_from_as_others() {
        drawn_as_others::<false>();
        drawn_as_others::<true>();
    }

    fn drawn_as_others<const NARROW: bool>() {
        let weighing = Weighing::new(0.5, 1.0, 2);
        // 1, 2, 8, 13, 21 and 89 paths: the first three have a short head, the last two are drawn from place by place.
        for length in [1, 2, 5, 6, 7, 10] {
            let (lattice, mut ready) = (lattice(length), Ready::new(NARROW));
            let Some(unit) = lattice.units().next() else { continue };
            let known = ready.add(&edges(unit, weighing), weighing);
            let mut drawn = 0;
            for seed in 0..9362 {
                let key = Key { seed: Seed { seed, epoch: 1, index: 2 }, fragment: 0, place: 0 };
                let (first, mut found) = (key.first(0), Vec::new());
                let numbers: Vec<u8> = (0..length).flat_map(|edge| key.first(edge.into()).to_be_bytes()).collect();
                draw_exactly(unit, weighing, key, &mut found);
                let mut out = [0; 32];
                let (ready, mut beside) = (ready.view(), [0; 32]);
                let path = if ReadyView::has_places(known) {
                    let (mut walks, mut drawn) = ([Walk::new(known, 0, 0, 3)], [Drawn::default()]);
                    ready.draw_places::<NARROW>(&mut walks, &numbers, &mut beside, &mut drawn);
                    drawn[0]
                } else {
                    ready.draw::<NARROW>(known, first)
                };
                if let Some(count) = ready.copy::<NARROW>(path, &beside, &mut out) {
                    drawn += 1;
                    assert!(out[..count].iter().eq(found.iter().map(|(id, _)| id)));
                }
            }
            assert!(drawn > 9300);
        }
    }

    #[test]
    fn a_number_that_begins_like_a_limit_is_not_drawn_by() {
        let (lattice, mut ready) = (lattice(2), Ready::default());
        let weighing = Weighing::new(0.0, 1.0, 2);
        let known = lattice.units().next().map_or(NOT_READY, |unit| ready.add(&edges(unit, weighing), weighing));
        let draw = |first: u16| {
            let drawn = ready.view().draw::<false>(known, first);
            ready.view().copy::<false>(drawn, &[], &mut [0; 16])
        };
        assert_eq!([0x7FFF, 0x8000, 0x8001, 0xFFFF].map(draw), [Some(2), None, Some(1), None]);
    }
}
