//! Units that are ready to be drawn from: what their numbers are compared with depends on the unit and the temperature alone, so
//! it is kept for the next time.

use super::edges::{Edges, Row};
use super::few::FEW;
use super::weighing::{limits, Weighing};
use crate::cast::{low16, low32, u16_of, u32_of, us};
use crate::index::growing::Growing;
use crate::index::lanes;
use crate::index::prefetch::prefetch_lines;
use crate::random::Numbers;

/// Longest unit in bytes that is kept.
pub const MAX_READY: usize = super::few::MAX_FEW;
/// Ids from here on are not kept: they share a word with a place of the unit.
pub const MAX_ID: u32 = 1 << 26;
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

/// Words of a line of memory; so many lines are asked for of each unit, and so many more of one with many paths.
const WORDS: usize = 16;
const LINES: usize = 3;
const MORE_LINES: usize = 2;
/// Units begin at multiples of so many words: a short head is as long, so that heads lie within a line.
const ALIGNMENT: usize = SHORT;

/// What a unit is known by that has choices for each place instead of a head.
const BY_PLACES: u32 = 1 << 30;
/// Or that cannot be drawn from in this way.
const OTHERWISE: u32 = 1 << 31;

/// An edge that a place can be left by: the high half of its limit; its id and where it ends.
type Choice = [u32; 2];
/// So many choices are looked at without asking how many there are. What is behind the last words may be read.
const SOME: usize = 4;
const _: () = assert!(2 * SOME <= PADDING);

/// In where the ids of a path begin: that they are not among those of units.
const BESIDE: u32 = 1 << 31;

/// By what a unit is known that is ready: the paths that its head has room for, or what it has instead; where that begins.
pub type Known = [u32; 2];

/// A unit that cannot be drawn from in this way.
pub const NOT_READY: Known = [OTHERWISE, 0];

/// Where the ids of a path are that was drawn.
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
    /// The edges behind the place at hand, the last one first, each with what those behind it weigh; and their ids in order.
    edges: [(Row, f64); ROOM],
    ids: [u32; ROOM],
    /// For each place what all ways from there to the end weigh.
    behind: [f64; ROOM],
    sums: [f64; ROOM],
}

impl Default for Work {
    fn default() -> Self {
        Self { edges: [(Row::default(), 0.0); ROOM], ids: [0; ROOM], behind: [0.0; ROOM], sums: [0.0; ROOM] }
    }
}

/// The units.
///
/// Of one with few paths there is a head, and behind it the ids of all paths: mostly they are in the same line of memory. A head
/// has the first 16 bits of the limits; and for each path where its ids begin behind the head, and how many they are. Of others: for each place, and for 0 before them, the
/// number of choices up to there, two in a word; then of each choice the high half of its limit, and (id, end).
///
/// A number that begins as a limit does would have to be known in full: then nothing is drawn here, once in ten thousand times.
#[derive(Default)]
pub struct Ready {
    words: Growing<u32>,
    /// Of the unit at hand what is put behind the words.
    written: Vec<u32>,
    work: Work,
}

impl Ready {
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
    pub fn add(&mut self, edges: &mut Edges, weighing: Weighing) -> Known {
        let end = self.words.len().saturating_sub(PADDING);
        let start = end.next_multiple_of(ALIGNMENT);
        if start > us(u32::MAX) / 2 {
            return NOT_READY;
        }
        self.words.truncate(end);
        self.words.extend(&[0; ALIGNMENT][..start - end]);
        let head = if edges.are_few() { self.write_few(edges, weighing) } else { self.write_places(edges, weighing) };
        [head, u32_of(start)]
    }

    /// All paths, by their last edge, then by the one before it: as [`super::few::Few`] lists them.
    fn write_few(&mut self, edges: &mut Edges, weighing: Weighing) -> u32 {
        edges.link();
        let (edges, Self { words, written, work }) = (&*edges, self);
        let Work { edges: behind, ids, .. } = work;
        written.clear();
        let mut listed = [0; PATHS];
        let (mut weights, mut paths) = ([0.0; PATHS], 0);
        let (mut count, mut place, mut way) = (0, edges.length(), weighing.one());
        let mut next = edges.ending(place);
        loop {
            if place == 0 {
                listed[paths % PATHS] = u16_of(written.len() << COUNT_BITS | count);
                written.extend_from_slice(&ids[ROOM - count..]);
                weights[paths % PATHS] = way;
                paths += 1;
            } else if let Some(row) = next {
                behind[count % ROOM] = (*row, way);
                count += 1;
                ids[(ROOM - count) % ROOM] = row.id;
                (place, way) = (usize::from(row.start), weighing.along(way, row.weight));
                next = edges.ending(place);
                continue;
            }
            if count == 0 {
                break;
            }
            count -= 1;
            let (row, before) = &behind[count % ROOM];
            (place, next, way) = (usize::from(row.end), edges.after(row), *before);
        }
        let weights = &mut weights[..paths.min(PATHS)];
        let (_, whole) = weighing.sum_up(weights);
        let mut first = [NO_LIMIT; PATHS];
        for (place, limit) in first.iter_mut().zip(limits(weights, whole).take(weights.len().saturating_sub(1))) {
            *place = low16(limit >> 48);
        }
        let room = if paths <= SHORT { SHORT } else { PATHS };
        words.extend(bytemuck::cast_slice(&first[..room]));
        words.extend(bytemuck::cast_slice(&listed[..room]));
        written.extend([0; PADDING]);
        words.extend(written);
        u32_of(room)
    }

    fn write_places(&mut self, edges: &Edges, weighing: Weighing) -> u32 {
        let Self { words, written, work, .. } = self;
        let Work { behind, sums, .. } = work;
        behind[edges.length() % ROOM] = weighing.one();
        let (begin, rows) = (edges.begin(), edges.rows());
        written.clear();
        let pairs = begin.chunks(2).map(|pair| [pair[0], pair.get(1).copied().unwrap_or(0)]);
        written.extend(pairs.map(bytemuck::cast::<[u16; 2], u32>));
        let before = written.len();
        written.resize(before + 2 * rows.len() + PADDING, 0);
        let choices: &mut [Choice] = bytemuck::cast_slice_mut(&mut written[before..]);
        // What is behind is summed up from the end.
        for place in (0..edges.length()).rev() {
            let from = usize::from(begin[place])..usize::from(begin[place + 1]);
            let (rows, choices) = (&rows[from.clone()], &mut choices[from]);
            let sums = &mut sums[..rows.len()];
            for (sum, row) in sums.iter_mut().zip(rows) {
                *sum = weighing.along(behind[usize::from(row.end) % ROOM], row.weight);
            }
            let (all, whole) = weighing.sum_up(sums);
            behind[place % ROOM] = all;
            for ((choice, row), limit) in choices.iter_mut().zip(rows).zip(limits(sums, whole)) {
                *choice = [low32(limit >> 32), row.id << 6 | u32::from(row.end)];
            }
        }
        words.extend(written);
        BY_PLACES
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
    /// Asks for the head of a unit and most of its ids, or for most of its choices.
    #[inline(always)]
    pub fn prefetch(&self, [head, base]: Known) {
        prefetch_lines::<u32, LINES>(self.words, us(base));
        if head == BY_PLACES {
            prefetch_lines::<u32, MORE_LINES>(self.words, us(base) + LINES * WORDS);
        }
    }

    /// Draws one of few paths by a unit's first number, and asks for its ids.
    #[inline(always)]
    #[must_use]
    pub fn draw(&self, [head, base]: Known, first: u16) -> Drawn {
        // Nobody can foretell which units have no head, so that something is drawn from all.
        let room = if us(head) == PATHS { PATHS } else { SHORT };
        let path = match self.words.get(us(base)..us(base) + PATHS).and_then(<[u32]>::first_chunk) {
            Some(words) => draw(words, room, first),
            None => 0,
        };
        let (start, count) = (base + u32_of(room) + u32::from(path >> COUNT_BITS), path & ((1 << COUNT_BITS) - 1));
        let count = if head < BY_PLACES { u32::from(count) } else { 0 };
        Drawn { start, count }
    }

    /// Writes the ids of a path that was drawn to the beginning of `out`, which must have room for one a byte and [`PADDING`];
    /// returns how many they are. Nothing if it is to be drawn otherwise. `beside` are those of [`ReadyView::draw_places`].
    #[inline(always)]
    pub fn copy(&self, drawn: Drawn, beside: &[u32], out: &mut [u32]) -> Option<usize> {
        let count = us(drawn.count);
        let ids = if drawn.start < BESIDE { self.words } else { beside };
        let ids = ids.get(us(drawn.start & !BESIDE)..)?;
        *out.first_chunk_mut::<PADDING>()? = *ids.first_chunk()?;
        if count > PADDING {
            out.get_mut(..count)?.copy_from_slice(ids.get(..count)?);
        }
        (count > 0).then_some(count)
    }

    /// Whether a unit has many paths.
    #[inline(always)]
    #[must_use]
    pub const fn has_places([head, _]: Known) -> bool {
        head == BY_PLACES
    }

    /// Draws a path of a unit of so many bytes that has many, an edge at a time, and writes its ids to `beside` from `at` on.
    #[inline(always)]
    pub fn draw_places(
        &self,
        [_, base]: Known,
        length: usize,
        numbers: &mut Numbers,
        (beside, at): (&mut [u32], usize),
    ) -> Drawn {
        let choices = self.words.get(us(base)..);
        let drawn = choices.zip(beside.get_mut(at..)).and_then(|(words, out)| draw_places(words, length, numbers, out));
        drawn.map_or_else(Drawn::default, |count| Drawn { start: u32_of(at) | BESIDE, count: u32_of(count) })
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

/// A path from the beginning to the end, an edge at a time.
fn draw_places(words: &[u32], length: usize, numbers: &mut Numbers, out: &mut [u32]) -> Option<usize> {
    let (begin, rest) = words.split_at_checked(1 + length / 2)?;
    let begin: &[u16] = bytemuck::cast_slice(begin);
    let (mut place, mut count, mut is_open) = (0, 0, false);
    while place < length {
        let [from, to] = *begin.get(place..)?.first_chunk()?;
        let (from, others) = (usize::from(from), usize::from(to - from).saturating_sub(1));
        let choices = rest.get(2 * from..)?;
        let some: &[Choice; SOME] = bytemuck::cast_ref(choices.first_chunk::<{ 2 * SOME }>()?);
        let number = numbers.draw_if(others > 0);
        let mut index = 0;
        for (place, [limit, _]) in some.iter().enumerate() {
            let counts = place < others;
            index += usize::from(counts & (number >= *limit));
            is_open |= counts & (number == *limit);
        }
        if others > SOME && index == SOME {
            for [limit, _] in bytemuck::cast_slice::<u32, Choice>(&choices[..2 * others])[SOME..].iter() {
                index += usize::from(number >= *limit);
                is_open |= number == *limit;
            }
        }
        let chosen = *choices.get(2 * index + 1)?;
        *out.get_mut(count)? = chosen >> 6;
        count += 1;
        place = us(chosen & 0x3F).max(place + 1);
    }
    (!is_open).then_some(count)
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
        let weighing = Weighing::new(0.5, 1.0, 2);
        // 1, 2, 8, 13, 21 and 89 paths: the first three have a short head, the last two are drawn from place by place.
        for length in [1, 2, 5, 6, 7, 10] {
            let (lattice, mut ready) = (lattice(length), Ready::default());
            let Some(unit) = lattice.units().next() else { continue };
            let known = ready.add(&mut edges(unit, weighing), weighing);
            let mut drawn = 0;
            for seed in 0..9362 {
                let key = Key { seed: Seed { seed, epoch: 1, index: 2 }, fragment: 0, place: 0 };
                let (first, mut numbers, mut found) = (key.first(0), key.numbers(0), Vec::new());
                draw_exactly(unit, weighing, key, &mut found);
                let mut out = [0; 32];
                let (ready, mut beside) = (ready.view(), [0; 32]);
                let path = if ReadyView::has_places(known) {
                    ready.draw_places(known, us(length), &mut numbers, (&mut beside, 3))
                } else {
                    ready.draw(known, first)
                };
                if let Some(count) = ready.copy(path, &beside, &mut out) {
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
        let known = lattice.units().next().map_or(NOT_READY, |unit| ready.add(&mut edges(unit, weighing), weighing));
        let draw = |first: u16| ready.view().copy(ready.view().draw(known, first), &[], &mut [0; 16]);
        assert_eq!([0x7FFF, 0x8000, 0x8001, 0xFFFF].map(draw), [Some(1), None, Some(2), None]);
    }
}
