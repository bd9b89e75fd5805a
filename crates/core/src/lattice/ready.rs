//! Units that are ready to be drawn from: what their numbers are compared with depends on the unit and the temperature alone, so
//! it is kept for the next time.

use super::few::Few;
use super::weighing::{limits, Weighing};
use super::{Edge, Unit};
use crate::cast::{low32, u16_of, u32_of, us};
use crate::index::prefetch::prefetch;
use crate::random::Numbers;

/// Longest unit in bytes that is kept.
pub const MAX_READY: usize = super::few::MAX_FEW;
/// Ids from here on are not kept: they share a word with a place of the unit.
const MAX_ID: u32 = 1 << 26;
/// So many ids are copied at a time, and may be read behind the last unit and written behind the last id.
pub const PADDING: usize = 8;

/// Words of limits, two in each.
const SHORT: usize = 8;
const LONG: usize = 16;

/// In the high bits of the number of a unit: what it has.
const KIND_SHIFT: u32 = 30;
const AT: u32 = (1 << KIND_SHIFT) - 1;
/// At most as many paths as limits in `SHORT` words.
const FEWEST: u32 = 0;
/// At most as many paths as limits in `LONG` words.
const SOME: u32 = 1;
/// Choices for each place.
const BY_PLACES: u32 = 2;

/// A unit that cannot be drawn from in this way.
pub const NOT_READY: u32 = u32::MAX;

/// The units, one after the other in words of 32 bits.
///
/// Of one with few paths: the first 16 bits of their limits, two in a word, filled up with ones; for each path where its ids
/// begin, counted from the first word, and how many they are; the ids. Of others: for each place, and for 0 before them, the
/// number of choices up to there, two in a word; then the high halves of all limits, and then (id, start) of all choices.
///
/// A number that begins as a limit does would have to be known in full: then nothing is drawn here, once in ten thousand times.
#[derive(Default)]
pub struct Ready {
    words: Vec<u32>,
    forward: Vec<f64>,
    weights: Vec<f64>,
    high: Vec<u32>,
    packed: Vec<u32>,
    few: Few,
}

impl Ready {
    /// Forgets all units.
    pub fn clear(&mut self) {
        self.words.clear();
    }

    /// How much memory the units take.
    #[must_use]
    pub fn bytes(&self) -> usize {
        4 * self.words.len()
    }

    /// Makes a unit ready; returns its number, or [`NOT_READY`] if it is too large in some way. `weight` must give what
    /// `weighing` does.
    pub fn add(&mut self, unit: Unit<'_>, weighing: Weighing, weight: impl Fn(&Edge) -> f64) -> u32 {
        let start = self.words.len().saturating_sub(PADDING);
        if unit.end - unit.start > MAX_READY || unit.edges() > usize::from(u16::MAX) || start > us(AT) / 2 {
            return NOT_READY;
        }
        self.words.truncate(start);
        let kind = if self.few.fill(unit, weighing, &weight) {
            self.write_few()
        } else {
            self.write_places(unit, weighing, weight)
        };
        self.words.extend([0; PADDING]);
        kind.map_or(NOT_READY, |kind| kind << KIND_SHIFT | u32_of(start))
    }

    fn write_few(&mut self) -> Option<u32> {
        let Self { words, few, .. } = self;
        let count = few.ends.len();
        let (kind, size) = if count <= 2 * SHORT { (FEWEST, SHORT) } else { (SOME, LONG) };
        let first = |place: usize| if place + 1 < count { low32(few.limits[place] >> 48) } else { 0xFFFF };
        words.extend((0..size).map(|word| first(2 * word) | first(2 * word + 1) << 16));
        let (ids, mut start) = (u32_of(size + count), 0);
        for &end in &few.ends {
            words.push((ids + start) << 8 | (end - start));
            start = end;
        }
        words.extend_from_slice(&few.ids);
        Some(kind)
    }

    fn write_places(&mut self, unit: Unit<'_>, weighing: Weighing, weight: impl Fn(&Edge) -> f64) -> Option<u32> {
        let Self { words, forward, weights, high, packed, .. } = self;
        high.clear();
        packed.clear();
        forward.clear();
        forward.push(weighing.one());
        let mut counts = [0u16; MAX_READY + 1];
        for place in unit.start + 1..=unit.end {
            let (_, edges) = unit.ending(place);
            weights.clear();
            let way = |edge: &Edge| weighing.along(forward[us(edge.start) - unit.start], weight(edge));
            weights.extend(edges.iter().map(way));
            let (total, whole) = weighing.sum_up(weights);
            forward.push(total);
            high.extend(limits(weights, whole).map(|limit| low32(limit >> 32)));
            if edges.iter().any(|edge| edge.id >= MAX_ID) {
                return None;
            }
            packed.extend(edges.iter().map(|edge| edge.id << 6 | (edge.start - u32_of(unit.start))));
            counts[place - unit.start] = u16_of(high.len());
        }
        let pairs = counts[..=unit.end - unit.start].chunks(2);
        words.extend(pairs.map(|pair| u32::from(pair[0]) | u32::from(pair.get(1).copied().unwrap_or(0)) << 16));
        words.extend_from_slice(high);
        words.extend_from_slice(packed);
        Some(BY_PLACES)
    }

    /// Asks for the memory in which a unit begins.
    #[inline(always)]
    pub fn prefetch(&self, unit: u32) {
        prefetch(&self.words, us(unit & AT));
        prefetch(&self.words, us(unit & AT) + 16);
    }

    /// Draws a path of a unit of so many bytes that was made ready, by its first number, or if it has many paths by others; writes
    /// its ids to the beginning of `out`, which must have room for one a byte and [`PADDING`], and returns how many they are.
    /// Nothing if the unit is not ready, or the number would have to be known in full.
    #[inline(always)]
    pub fn draw(
        &self,
        unit: u32,
        length: usize,
        first: u16,
        numbers: impl FnOnce() -> Numbers,
        out: &mut [u32],
    ) -> Option<usize> {
        let words = self.words.get(us(unit & AT)..)?;
        match unit >> KIND_SHIFT {
            FEWEST => draw_few::<SHORT>(words, first, out),
            SOME => draw_few::<LONG>(words, first, out),
            BY_PLACES => draw_places(words, length, &mut numbers(), out),
            _ => None,
        }
    }
}

/// One of few paths.
#[inline(always)]
fn draw_few<const SIZE: usize>(words: &[u32], first: u16, out: &mut [u32]) -> Option<usize> {
    let limits: &[u32; SIZE] = words.first_chunk()?;
    let number = u32::from(first);
    let mut sums = [0; SIZE];
    for (sum, &pair) in sums.iter_mut().zip(limits) {
        *sum = u32::from(number >= pair & 0xFFFF) + u32::from(number >= pair >> 16);
    }
    let index = us(sums.iter().sum::<u32>());
    // The limits are in order: of those that the number reaches the last is the largest. Below the first it equals none.
    let last = index.saturating_sub(1);
    if limits[last / 2 % SIZE] >> (16 * (last % 2)) & 0xFFFF == number {
        return None;
    }
    let path = words.get(SIZE + index)?;
    let (start, count) = (us(path >> 8), us(path & 0xFF));
    let ids = words.get(start..)?;
    *out.first_chunk_mut::<PADDING>()? = *ids.first_chunk()?;
    if count > PADDING {
        out.get_mut(..count)?.copy_from_slice(ids.get(..count)?);
    }
    Some(count)
}

/// A path from the end to the beginning, an edge at a time.
#[inline(never)]
fn draw_places(words: &[u32], length: usize, numbers: &mut Numbers, out: &mut [u32]) -> Option<usize> {
    let count_at = |place: usize| us(words[place / 2] >> (16 * (place % 2)) & 0xFFFF);
    let (high, packed) = words.get(1 + length / 2..)?.split_at_checked(count_at(length))?;
    let mut path = [0; MAX_READY + 1];
    let (mut place, mut at) = (length, path.len());
    while place > 0 && at > 0 {
        let (from, to) = (count_at(place - 1), count_at(place));
        let mut index = from;
        if let [others @ .., _] = high.get(from..to)? {
            if !others.is_empty() {
                let number = numbers.draw();
                let reached = others.iter().filter(|&&limit| number >= limit).count();
                if others[reached.saturating_sub(1)] == number {
                    return None;
                }
                index += reached;
            }
        }
        let chosen = *packed.get(index)?;
        at -= 1;
        path[at] = chosen >> 6;
        place = us(chosen & 0x3F).min(place - 1);
    }
    let ids = &path[at..];
    out.get_mut(..ids.len())?.copy_from_slice(ids);
    Some(ids.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lattice::Lattice;
    use crate::random::Seed;

    /// As many bytes, each alone or two at once.
    fn lattice(length: u32) -> Lattice {
        let edge = |start, end, id| Edge { start, end, id, score: -1.0 };
        let one = |start| edge(start, start + 1, start);
        let two = |start: u32| (start + 2 <= length).then(|| edge(start, start + 2, 100 + start));
        let mut lattice = Lattice::default();
        lattice.refill((0..length).flat_map(|start| [Some(one(start)), two(start)]).flatten().collect(), us(length));
        lattice
    }

    #[test]
    fn ready_units_are_drawn_from_as_others() {
        let weighing = Weighing::new(0.5, 1.0, 2);
        // 1, 2, 13, 21 and 89 paths.
        for length in [1, 2, 6, 7, 10] {
            let (lattice, mut ready) = (lattice(length), Ready::default());
            let Some(unit) = lattice.units().next() else { continue };
            let number = ready.add(unit, weighing, |edge| weighing.weight(edge.score));
            let mut drawn = 0;
            for first in (0..=u16::MAX).step_by(7) {
                let numbers = Seed { seed: u64::from(first), epoch: 1, index: 2 }.numbers(0, 0);
                let mut found = Vec::new();
                super::super::draws::draw_backward(unit, weighing, first, &mut numbers.clone(), &mut found);
                let mut out = [0; 32];
                if let Some(count) = ready.draw(number, us(length), first, || numbers, &mut out) {
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
        let number = lattice.units().next().map(|unit| ready.add(unit, weighing, |_| 1.0)).unwrap_or(NOT_READY);
        let numbers = || Seed::default().numbers(0, 0);
        let mut draw = |first: u16| ready.draw(number, 2, first, numbers, &mut [0; 16]);
        assert_eq!([0x7FFF, 0x8000, 0x8001, 0xFFFF].map(&mut draw), [Some(1), None, Some(2), None]);
    }
}
