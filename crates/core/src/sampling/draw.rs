//! Draws from cached units, whose layout is documented at [`crate::sampling::cache::DrawCache`].

use crate::sampling::cache::{DrawCacheView, Known, AT_BITS, BY_PLACES, COUNT_BITS, MAX_CHOICES, PADDING, PATHS};
use crate::util::simd;
use crate::util::{prefetch, prefetch_lines, u32_of, us};

/// Words of a cache line, and the number of lines prefetched after the first of a unit with many paths.
const WORDS: usize = 16;
const MORE_LINES: usize = 4;

/// Flag in the start of a path's ids: they are in the side buffer, not in the cache.
const IN_SIDE_BUFFER: u32 = 1 << 31;

/// The location of a drawn path's ids.
#[derive(Clone, Copy, Debug, Default)]
pub struct Drawn {
    start: u32,
    /// 0: the path has to be drawn without the cache.
    count: u32,
}

impl DrawCacheView<'_> {
    /// Prefetches the head of a unit, or its first choices.
    #[inline(always)]
    pub fn prefetch_entry(&self, [_, base]: Known) {
        prefetch(self.words, us(base));
    }

    /// Prefetches most of the other choices of a unit that has many paths.
    #[inline(always)]
    pub fn prefetch_rest(&self, [_, base]: Known) {
        prefetch_lines::<u32, MORE_LINES>(self.words, us(base) + WORDS);
    }

    /// Draws one of few paths by a unit's first number, and prefetches its ids.
    #[inline(always)]
    pub fn draw(&self, [head, base]: Known, first: u16) -> Drawn {
        let path = match self.words.get(us(base)..us(base) + PATHS).and_then(<[u32]>::first_chunk) {
            Some(words) => draw(words, us(head), first),
            None => 0,
        };
        // Which units have no head is unpredictable, so a path is drawn from all without a branch: from those the empty
        // path.
        let path = if head < BY_PLACES { u32::from(path) } else { 0 };
        let ids = base + head % (2 * u32_of(PATHS));
        let (start, count) = (ids + (path >> COUNT_BITS), path & ((1 << COUNT_BITS) - 1));
        prefetch(self.words, us(start));
        prefetch(self.words, us(start) + PADDING - 1);
        Drawn { start, count }
    }

    /// Writes the ids of a drawn path to `out` from `at` on, where there must be room for one per byte and [`PADDING`];
    /// returns their number. `None` if it has to be drawn without the cache. `side_buffer` is the buffer of
    /// [`DrawCacheView::draw_places`].
    #[inline(always)]
    pub fn copy(&self, drawn: Drawn, side_buffer: &[u32], out: &mut [u32], at: usize) -> Option<usize> {
        let (start, count) = (us(drawn.start & !IN_SIDE_BUFFER), us(drawn.count));
        let ids = if drawn.start < IN_SIDE_BUFFER { self.words } else { side_buffer };
        let place = out.get_mut(at..at + PADDING)?.first_chunk_mut::<PADDING>()?;
        *place = *ids.get(start..start + PADDING)?.first_chunk()?;
        if count > PADDING {
            out.get_mut(at..at + count)?.copy_from_slice(ids.get(start..start + count)?);
        }
        (count > 0).then_some(count)
    }

    /// Whether a unit has many paths.
    pub const fn has_places([head, _]: Known) -> bool {
        head & BY_PLACES != 0
    }

    /// Draws paths of units that have many, and writes their ids to `side_buffer`: one edge of each in turn, interleaved, so
    /// that their cache misses overlap. The first `count` of `units` are consumed; `numbers` are the first numbers of
    /// positions, the high byte of each first.
    pub fn draw_places(
        &self,
        units: &mut [u8; MOST_WALKS],
        mut count: u8,
        walks: &mut [Walk; MOST_WALKS],
        numbers: &[u8],
        side_buffer: &mut [u32],
        drawn: &mut [Drawn; MOST_WALKS],
    ) {
        let mut edges = 0;
        while count > 0 {
            let mut kept = 0;
            for number in 0..count {
                let unit = units[usize::from(number)];
                let walk = &mut walks[usize::from(unit)];
                let step = self.step(walk.at, numbers, us(walk.number) + 2 * edges);
                let (id, next) = step.unwrap_or((0, 0));
                if let Some(place) = side_buffer.get_mut(us(walk.out) + edges) {
                    *place = id;
                }
                let count = if step.is_some() { u32_of(edges) + 1 } else { 0 };
                drawn[usize::from(unit)] = Drawn { start: walk.out | IN_SIDE_BUFFER, count };
                walk.at = walk.base + next;
                units[usize::from(kept)] = unit;
                kept += u8::from(next != 0);
            }
            count = kept;
            edges += 1;
        }
    }

    /// The edge that a number selects: its id, and the address of the next choices. `None` if the number equals a
    /// threshold in its high 16 bits.
    #[inline(always)]
    fn step(&self, at: u32, numbers: &[u8], number: usize) -> Option<(u32, u32)> {
        let number = u16::from_be_bytes(*numbers.get(number..number + 2)?.first_chunk()?);
        let at = us(at);
        let limits: &[u16; MAX_CHOICES] =
            bytemuck::cast_ref(self.words.get(at..at + PADDING)?.first_chunk::<PADDING>()?);
        let index = simd::reached(limits, number);
        // The largest number reaches what follows the last threshold, too.
        if index == MAX_CHOICES || limits[index.wrapping_sub(1) % MAX_CHOICES] == number {
            return None;
        }
        let chosen = *self.words.get(at.checked_sub(1 + index)?)?;
        Some((chosen >> AT_BITS, chosen & ((1 << AT_BITS) - 1)))
    }
}

/// Maximum number of interleaved paths: as many as a byte can index.
pub const MOST_WALKS: usize = 256;

/// A path that is being drawn from a unit with many.
#[derive(Clone, Copy, Debug, Default)]
pub struct Walk {
    /// The address of the current choices; the start of the unit.
    at: u32,
    base: u32,
    /// The index of its first number.
    number: u32,
    /// The start of its ids.
    out: u32,
}

impl Walk {
    /// At the beginning of a unit.
    pub const fn new([head, base]: Known, number: u32, out: u32) -> Self {
        Self { at: base + (head & (BY_PLACES - 1)), base, number, out }
    }
}

/// A path of a head with a capacity of `room` paths; 0 if the number equals a threshold in its high 16 bits.
#[inline(always)]
fn draw(head: &[u32; PATHS], room: usize, first: u16) -> u16 {
    let head: &[u16; 2 * PATHS] = bytemuck::cast_ref(head);
    let limits = head.first_chunk().unwrap_or(&[0; PATHS]);
    // The largest number also reaches what follows the thresholds of a short head; but its last threshold is the
    // largest number.
    let reached = simd::reached(limits, first);
    let is_open = limits[reached.wrapping_sub(1) & (room.wrapping_sub(1) % PATHS)] == first;
    head[(room + reached) % (2 * PATHS)] * u16::from(!is_open)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lattice::draw::{draw_path, Method};
    use crate::lattice::semiring::Semiring;
    use crate::lattice::{Edge, Lattice, Unit};
    use crate::sampling::cache::{DrawCache, UNCACHED};
    use crate::segment::unigram::edges::Edges;
    use crate::util::draw::Key;
    use crate::util::rng::Seed;

    /// A lattice of `length` bytes with pieces of up to `longest` bytes.
    fn lattice(length: u32, longest: u32) -> Lattice {
        let edge = |start, count| Edge { start, end: start + count, id: 100 * (count - 1) + start, score: -1.0 };
        let starting = |start| (1..=longest.min(length - start)).map(move |count| edge(start, count));
        let mut lattice = Lattice::default();
        lattice.refill(us(length), |edges| edges.extend((0..length).flat_map(starting)));
        lattice
    }

    fn edges(unit: Unit<'_>, semiring: Semiring) -> Edges {
        let mut edges = Edges::default();
        edges.open(unit.end - unit.start);
        for place in unit.start..unit.end {
            edges.start_row(place);
            for edge in unit.starting(place) {
                edges.push(us(edge.start), us(edge.end), edge.id + 1);
            }
        }
        edges.finish(|_| semiring.weight(-1.0));
        edges
    }

    #[test]
    fn cached_units_are_drawn_from_as_others() {
        let semiring = Semiring::new(0.5, 1.0, 2);
        // 1, 2, 8, 13, 21 and 89 paths: the first three have a short head, those from the fifth on are drawn position
        // by position. The last has as many choices at a position as are compared at once.
        for (length, longest) in [(1, 2), (2, 2), (5, 2), (6, 2), (7, 2), (10, 2), (16, 16)] {
            let (lattice, mut draws) = (lattice(length, longest), DrawCache::default());
            let Some(unit) = lattice.units().next() else { continue };
            let known = draws.add(&edges(unit, semiring), semiring);
            let mut drawn = 0;
            for seed in 0..9362 {
                let key = Key { seed: Seed { seed, epoch: 1, index: 2 }, fragment: 0, place: 0 };
                let (first, mut found) = (key.first(0), Vec::new());
                let numbers: Vec<u8> = (0..length).flat_map(|edge| key.first(edge.into()).to_be_bytes()).collect();
                draw_path(unit, Method::Lattice, false, semiring, key, &mut found);
                let mut out = [0; 32];
                let (draws, mut side_buffer) = (draws.view(), [0; 32]);
                let path = if DrawCacheView::has_places(known) {
                    let mut walks = [Walk::new(known, 0, 3); MOST_WALKS];
                    let mut drawn = [Drawn::default(); MOST_WALKS];
                    draws.draw_places(&mut [0; MOST_WALKS], 1, &mut walks, &numbers, &mut side_buffer, &mut drawn);
                    drawn[0]
                } else {
                    draws.draw(known, first)
                };
                if let Some(count) = draws.copy(path, &side_buffer, &mut out, 0) {
                    drawn += 1;
                    assert!(out[..count].iter().eq(found.iter().map(|(id, _)| id)));
                }
            }
            assert!(drawn > 9300);
        }
    }

    #[test]
    fn a_number_that_begins_like_a_limit_is_not_drawn_by() {
        let (lattice, mut draws) = (lattice(2, 2), DrawCache::default());
        let semiring = Semiring::new(0.0, 1.0, 2);
        let known = lattice.units().next().map_or(UNCACHED, |unit| draws.add(&edges(unit, semiring), semiring));
        let draw = |first: u16| {
            let drawn = draws.view().draw(known, first);
            draws.view().copy(drawn, &[], &mut [0; 16], 0)
        };
        assert_eq!([0x7FFF, 0x8000, 0x8001, 0xFFFF].map(draw), [Some(2), None, Some(1), None]);
    }

    #[test]
    fn a_unit_with_more_choices_than_are_compared_is_not_cached() {
        let (lattice, semiring) = (lattice(17, 17), Semiring::new(0.5, 1.0, 2));
        let known = lattice.units().next().map(|unit| DrawCache::default().add(&edges(unit, semiring), semiring));
        assert_eq!(known, Some(UNCACHED));
    }
}
