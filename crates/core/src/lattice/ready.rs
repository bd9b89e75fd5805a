//! Units that are ready to be drawn from: what their numbers are compared with depends on the unit and the temperature alone, so
//! it is kept for the next time.

use bytemuck::{Pod, Zeroable};

use super::few::{Few, FEW};
use super::weighing::{limits, Weighing};
use super::{Edge, Unit};
use crate::cast::{low16, low32, u16_of, u32_of, us};
use crate::index::growing::Growing;
use crate::index::prefetch::prefetch;
use crate::random::Numbers;

/// Longest unit in bytes that is kept.
pub const MAX_READY: usize = super::few::MAX_FEW;
/// Ids from here on are not kept: they share a word with a place of the unit.
const MAX_ID: u32 = 1 << 26;
/// So many ids are copied at a time, and may be read behind the last unit and written behind the last id.
pub const PADDING: usize = 8;

/// Paths of a head.
const PATHS: usize = FEW;
/// In the place of a limit that no number is to reach; the largest number is looked at otherwise.
const NO_LIMIT: u16 = u16::MAX;
/// For a path the number of its ids in so many bits, and above them where they begin.
const COUNT_BITS: u32 = 6;
const MOST_IDS: usize = 1 << (16 - COUNT_BITS);

/// Words of a line of memory, and so many lines are asked for of a unit with many paths.
const WORDS: usize = 16;
const LINES: usize = 5;

/// In the high bits of what a unit is known by: that it has choices for each place instead of a head.
const BY_PLACES: u32 = 1 << 30;
/// Or that it cannot be drawn from in this way.
const OTHERWISE: u32 = 1 << 31;

/// By what a unit is known that is ready: the number of its head and what it has; where its ids, or its choices, begin.
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

/// What few paths are drawn by: a line of memory.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C, align(64))]
struct Head {
    /// The first 16 bits of the limits.
    limits: [u16; PATHS],
    /// Where the ids of each path begin, counted from those of the first, and how many they are.
    paths: [u16; PATHS],
}

/// The units.
///
/// Of one with few paths there is a head, and the ids of all paths. Of others: for each place, and for 0 before them, the
/// number of choices up to there, two in a word; then of each choice the high half of its limit, and (id, end).
///
/// A number that begins as a limit does would have to be known in full: then nothing is drawn here, once in ten thousand times.
#[derive(Default)]
pub struct Ready {
    heads: Growing<Head>,
    words: Growing<u32>,
    behind: Vec<f64>,
    weights: Vec<f64>,
    choices: Vec<u32>,
    few: Few,
}

impl Ready {
    /// Forgets all units.
    pub fn clear(&mut self) {
        self.heads.truncate(0);
        self.words.truncate(0);
    }

    /// How much memory the units take.
    #[must_use]
    pub fn bytes(&self) -> usize {
        4 * self.words.len() + size_of::<Head>() * self.heads.len()
    }

    /// Makes a unit ready; returns what it is known by, or [`NOT_READY`] if it is too large in some way. `weight` must give what
    /// `weighing` does.
    pub fn add(&mut self, unit: Unit<'_>, weighing: Weighing, weight: impl Fn(&Edge) -> f64) -> Known {
        let start = self.words.len().saturating_sub(PADDING);
        if unit.end - unit.start > MAX_READY || unit.edges() > usize::from(u16::MAX) || start > us(u32::MAX) / 2 {
            return NOT_READY;
        }
        self.words.truncate(start);
        let head = if self.few.fill(unit, weighing, &weight) && self.few.ids.len() < MOST_IDS {
            self.write_few()
        } else {
            self.write_places(unit, weighing, weight)
        };
        self.words.extend(&[0; PADDING]);
        head.map_or(NOT_READY, |head| [head, u32_of(start)])
    }

    fn write_few(&mut self) -> Option<u32> {
        let Self { heads, words, few, .. } = self;
        let number = u32_of(heads.len());
        let mut head = Head { limits: [NO_LIMIT; PATHS], paths: [0; PATHS] };
        for (place, &limit) in head.limits.iter_mut().zip(&few.limits[..few.limits.len() - 1]) {
            *place = low16(limit >> 48);
        }
        let mut start = 0;
        for (place, &end) in head.paths.iter_mut().zip(&few.ends) {
            *place = u16_of(us(start << COUNT_BITS | (end - start)));
            start = end;
        }
        heads.extend(&[head]);
        words.extend(&few.ids);
        (number < BY_PLACES).then_some(number)
    }

    fn write_places(&mut self, unit: Unit<'_>, weighing: Weighing, weight: impl Fn(&Edge) -> f64) -> Option<u32> {
        let Self { words, behind, weights, choices, .. } = self;
        choices.clear();
        let length = unit.end - unit.start;
        behind.clear();
        behind.resize(length + 1, weighing.one());
        // The places in the order of a draw, though what is behind is summed up from the end.
        let mut counts = [0u16; MAX_READY + 1];
        let weigh = |place: usize, behind: &[f64], weights: &mut Vec<f64>| {
            weights.clear();
            let way = |edge: &Edge| weighing.along(behind[us(edge.end) - unit.start], weight(edge));
            weights.extend(unit.starting(place).iter().map(way));
            weighing.sum_up(weights)
        };
        for place in (unit.start..unit.end).rev() {
            behind[place - unit.start] = weigh(place, behind, weights).0;
        }
        for place in unit.start..unit.end {
            let (_, whole) = weigh(place, behind, weights);
            let edges = unit.starting(place);
            if edges.iter().any(|edge| edge.id >= MAX_ID) {
                return None;
            }
            let packed = edges.iter().map(|edge| edge.id << 6 | (edge.end - u32_of(unit.start)));
            choices.extend(limits(weights, whole).zip(packed).flat_map(|(limit, packed)| [low32(limit >> 32), packed]));
            counts[place - unit.start + 1] = u16_of(choices.len() / 2);
        }
        let pairs = counts[..=length].chunks(2);
        for pair in pairs {
            words.extend(&[u32::from(pair[0]) | u32::from(pair.get(1).copied().unwrap_or(0)) << 16]);
        }
        words.extend(choices);
        Some(BY_PLACES)
    }

    /// The units, to be drawn from.
    #[must_use]
    pub fn view(&self) -> ReadyView<'_> {
        ReadyView { heads: &self.heads, words: &self.words }
    }
}

/// The units, borrowed for some draws.
#[derive(Clone, Copy)]
pub struct ReadyView<'a> {
    heads: &'a [Head],
    words: &'a [u32],
}

impl ReadyView<'_> {
    /// Asks for the head of a unit, or for most of its choices.
    #[inline(always)]
    pub fn prefetch(&self, [head, base]: Known) {
        prefetch(self.heads, us(head));
        if head == BY_PLACES {
            for line in 0..LINES {
                prefetch(self.words, us(base) + line * WORDS);
            }
        }
    }

    /// Draws one of few paths by a unit's first number, and asks for its ids.
    #[inline(always)]
    #[must_use]
    pub fn draw(&self, [head, base]: Known, first: u16) -> Drawn {
        // Other units are known by a larger number.
        let Some(head) = self.heads.get(us(head)) else { return Drawn::default() };
        let path = head.draw(first);
        let (start, count) = (base + u32::from(path >> COUNT_BITS), u32::from(path & ((1 << COUNT_BITS) - 1)));
        prefetch(self.words, us(start));
        Drawn { start, count }
    }

    /// Writes the ids of a path that was drawn to the beginning of `out`, which must have room for one a byte and [`PADDING`];
    /// returns how many they are. Nothing if it is to be drawn otherwise.
    #[inline(always)]
    pub fn copy(&self, drawn: Drawn, out: &mut [u32]) -> Option<usize> {
        let count = us(drawn.count);
        let ids = self.words.get(us(drawn.start)..)?;
        *out.first_chunk_mut::<PADDING>()? = *ids.first_chunk()?;
        if count > PADDING {
            out.get_mut(..count)?.copy_from_slice(ids.get(..count)?);
        }
        (count > 0).then_some(count)
    }

    /// Draws a path of a unit of so many bytes that has many, an edge at a time; as [`ReadyView::copy`] otherwise.
    #[inline(never)]
    pub fn draw_places(
        &self,
        [head, base]: Known,
        length: usize,
        numbers: &mut Numbers,
        out: &mut [u32],
    ) -> Option<usize> {
        if head != BY_PLACES {
            return None;
        }
        draw_places(self.words.get(us(base)..)?, length, numbers, out)
    }
}

impl Head {
    /// A path; 0 if the number begins as a limit does.
    #[inline(always)]
    fn draw(&self, first: u16) -> u16 {
        let reached = usize::from(self.limits.iter().map(|&limit| u16::from(first >= limit)).sum::<u16>());
        // The limits are in order: of those that the number reaches the last is the largest. Below the first it equals none.
        if self.limits[reached.saturating_sub(1) % PATHS] == first {
            return 0;
        }
        self.paths[reached % PATHS]
    }
}

/// A path from the beginning to the end, an edge at a time.
fn draw_places(words: &[u32], length: usize, numbers: &mut Numbers, out: &mut [u32]) -> Option<usize> {
    let count_at = |place: usize| us(words[place / 2] >> (16 * (place % 2)) & 0xFFFF);
    let all = words.get(1 + length / 2..)?;
    let (mut place, mut count) = (0, 0);
    while place < length {
        let (from, last) = (count_at(place), count_at(place + 1).wrapping_sub(1));
        let mut index = from;
        if index < last {
            let number = numbers.draw();
            while index < last && number >= *all.get(2 * index)? {
                index += 1;
            }
            if index > from && all[2 * index - 2] == number {
                return None;
            }
        }
        let chosen = *all.get(2 * index + 1)?;
        *out.get_mut(count)? = chosen >> 6;
        count += 1;
        place = us(chosen & 0x3F).max(place + 1);
    }
    Some(count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lattice::draws::{draw_exactly, Key};
    use crate::lattice::Lattice;
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

    #[test]
    fn ready_units_are_drawn_from_as_others() {
        let weighing = Weighing::new(0.5, 1.0, 2);
        // 1, 2, 13, 21 and 89 paths; the last two are drawn from place by place.
        for length in [1, 2, 6, 7, 10] {
            let (lattice, mut ready) = (lattice(length), Ready::default());
            let Some(unit) = lattice.units().next() else { continue };
            let known = ready.add(unit, weighing, |edge| weighing.weight(edge.score));
            let mut drawn = 0;
            for seed in 0..9362 {
                let key = Key { seed: Seed { seed, epoch: 1, index: 2 }, fragment: 0, place: 0 };
                let (first, mut numbers, mut found) = (key.first(0), key.numbers(0), Vec::new());
                draw_exactly(unit, weighing, key, &mut found);
                let mut out = [0; 32];
                let count = ready.view().copy(ready.view().draw(known, first), &mut out);
                let count = count.or_else(|| ready.view().draw_places(known, us(length), &mut numbers, &mut out));
                if let Some(count) = count {
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
        let known = lattice.units().next().map_or(NOT_READY, |unit| ready.add(unit, weighing, |_| 1.0));
        let draw = |first: u16| ready.view().copy(ready.view().draw(known, first), &mut [0; 16]);
        assert_eq!([0x7FFF, 0x8000, 0x8001, 0xFFFF].map(draw), [Some(1), None, Some(2), None]);
    }
}
