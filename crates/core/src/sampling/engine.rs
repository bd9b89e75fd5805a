//! The sampling engine: exact draws from the lattice at the speed of encoding, by memoized distributions of units.
//!
//! A group of units passes each step before the next one begins, so that memory is prefetched, and no iteration of a
//! step depends on another.

use crate::index::table::TableView;
use crate::lattice::draw::{draw_path, Method};
use crate::lattice::semiring::Semiring;
use crate::lattice::{Edge, Lattice};
use crate::sampling::cache::{DrawCache, DrawCacheView, Known, MAX_CACHED, MAX_ID, PADDING, UNCACHED};
use crate::sampling::draw::{Drawn, Walk, MOST_WALKS};
use crate::sampling::Sampled;
use crate::segment::fallback::Fallback;
use crate::segment::unigram::edges::Edges;
use crate::segment::unigram::Unigram;
use crate::spec::vocab::Vocab;
use crate::units::cache::UnitCache;
use crate::units::key::{Cut, Unit};
use crate::util::draw::Key;
use crate::util::rng::{FirstNumbers, Seed, BLOCK, SHARING};
use crate::util::{report, u32_of, us, us64};

/// Number of units looked up at a time.
const GROUP: usize = 128;
const _: () = assert!(GROUP < 256, "their places are bytes");
/// Maximum bytes of the draw cache before it is cleared.
const MAX_CACHE_BYTES: usize = 32 << 20;
/// Number of blocks of first numbers computed at a time: units of a group that lie farther apart compute theirs one by
/// one.
const BLOCKS: usize = 128;

/// Memoized distributions of units at one temperature.
#[derive(Default)]
pub struct SamplingCache {
    alpha: f64,
    cache: UnitCache<DrawCache>,
    /// The edges of the current unit.
    edges: Edges,
    lattice: Lattice,
    found: Vec<(u32, u32)>,
    /// By id the weight of an edge, computed on first use; NaN elsewhere.
    weights: Vec<f64>,
    /// `None` while the group is in use.
    group: Option<Box<Group>>,
}

/// Buffers of a group of units; not cleared from one text to the next.
struct Group {
    units: [Unit; GROUP],
    found: [Known; GROUP],
    drawn: [Drawn; MOST_WALKS],
    firsts: Firsts,
    many: Many,
}

impl Default for Group {
    fn default() -> Self {
        Self {
            units: [Unit::default(); GROUP],
            found: [UNCACHED; GROUP],
            drawn: [Drawn::default(); MOST_WALKS],
            firsts: Firsts { start: 0, numbers: FirstNumbers::default(), blocks: [[0; BLOCK]; BLOCKS] },
            many: Many {
                places: [0; MOST_WALKS],
                count: 0,
                ids: vec![0; GROUP * MAX_CACHED + PADDING],
                walks: [Walk::default(); MOST_WALKS],
            },
        }
    }
}

/// The units of a group that have many paths.
struct Many {
    /// Their indices in the group.
    places: [u8; MOST_WALKS],
    count: u8,
    /// The ids drawn from them.
    ids: Vec<u32>,
    walks: [Walk; MOST_WALKS],
}

impl SamplingCache {
    /// For a vocabulary of `pieces` pieces, with a cache of `slots` slots.
    pub fn new(slots: usize, alpha: f64, pieces: usize) -> Self {
        Self { alpha, cache: UnitCache::new(slots), weights: vec![f64::NAN; pieces], ..Self::default() }
    }

    /// Sets another temperature; the memoized distributions of the last one are cleared.
    pub fn set_alpha(&mut self, alpha: f64) {
        if self.alpha != alpha {
            self.cache.clear();
            self.weights.fill(f64::NAN);
            self.alpha = alpha;
        }
    }
}

/// The first numbers of the positions of a group.
struct Firsts {
    /// The position of the first number.
    start: u64,
    numbers: FirstNumbers,
    blocks: [[u8; BLOCK]; BLOCKS],
}

impl Firsts {
    #[inline(never)]
    fn fill(&mut self, units: &[Unit]) {
        let block = |place: Option<u32>| place.map_or(0, |place| u64::from(place) / SHARING);
        let first = block(units.first().map(|unit| unit.start));
        let last = block(units.last().map(|unit| unit.start + unit.len - 1));
        self.start = first * SHARING;
        let blocks = us64(last - first + 1).min(BLOCKS);
        self.numbers.write(first, &mut self.blocks[..blocks]);
    }

    #[inline(always)]
    fn of(&self, place: u32) -> u16 {
        let at = 2 * us64(u64::from(place) - self.start);
        match self.blocks.as_flattened().get(at..).and_then(<[u8]>::first_chunk) {
            Some(&bytes) => u16::from_be_bytes(bytes),
            None => self.numbers.of(u64::from(place)),
        }
    }

    /// The byte index of the number of a position.
    fn place_of(&self, place: u32) -> u32 {
        2 * u32_of(us64(u64::from(place) - self.start))
    }
}

// Each step is a function of its own: fused with the others its values would not fit in registers.

/// Looks up units, up to the first miss, and prefetches their first cache lines; returns the number of units found.
#[inline(never)]
fn known(units: &[Unit], table: TableView<'_>, draws: DrawCacheView<'_>, found: &mut [Known]) -> usize {
    let mut known = 0;
    for (unit, place) in units.iter().zip(found) {
        let Some(list) = table.find(unit.key, unit.hash).and_then(|found| found.simple()) else { break };
        *place = [list[0], list[1]];
        draws.prefetch_entry(*place);
        known += 1;
    }
    known
}

/// Lists units that have many paths, and prefetches their other cache lines.
#[inline(never)]
fn prefetch_many(found: &[Known], draws: DrawCacheView<'_>, many: &mut Many) {
    let mut count = 0u8;
    for (place, &known) in (0u8..).zip(found) {
        many.places[usize::from(count)] = place;
        count += u8::from(DrawCacheView::has_places(known));
    }
    many.count = count;
    for &place in &many.places[..usize::from(count)] {
        draws.prefetch_rest(found[usize::from(place)]);
    }
}

/// Draws a path for each unit that has few.
#[inline(never)]
fn draw(units: &[Unit], found: &[Known], draws: DrawCacheView<'_>, firsts: &Firsts, drawn: &mut [Drawn]) {
    for ((drawn, &known), unit) in drawn.iter_mut().zip(found).zip(units) {
        *drawn = draws.draw(known, firsts.of(unit.start));
    }
}

/// Draws a path for each unit that has many.
#[inline(never)]
fn draw_many(
    units: &[Unit],
    found: &[Known],
    draws: DrawCacheView<'_>,
    firsts: &Firsts,
    drawn: &mut [Drawn; MOST_WALKS],
    many: &mut Many,
) {
    let Many { places, count, ids, walks } = many;
    let mut out = 0;
    for &place in &places[..usize::from(*count)] {
        let unit = &units[usize::from(place)];
        walks[usize::from(place)] = Walk::new(found[usize::from(place)], firsts.place_of(unit.start), out);
        out += unit.len;
    }
    draws.draw_places(places, *count, walks, firsts.blocks.as_flattened(), ids, drawn);
}

/// Writes the drawn ids to `out` from `count` on, up to the first unit that cannot be drawn from the cache. Returns the
/// number of units done.
#[inline(never)]
fn copy(drawn: &[Drawn], draws: DrawCacheView<'_>, side_buffer: &[u32], out: &mut [u32], count: &mut usize) -> usize {
    let (mut done, mut at) = (0, *count);
    for &drawn in drawn {
        let Some(copied) = draws.copy(drawn, side_buffer, out, at) else { break };
        at += copied;
        done += 1;
    }
    *count = at;
    done
}

/// The tables that units are drawn by.
#[derive(Clone, Copy)]
pub struct UnigramTables<'a> {
    /// The scores of pieces.
    pub unigram: &'a Unigram,
    /// The fallback for characters without a piece.
    pub fallback: &'a Fallback,
    /// The pieces.
    pub vocab: &'a Vocab,
}

impl UnigramTables<'_> {
    /// Samples the units of a text that begin at `starts`, the last of which is its end; appends the ids. Units that
    /// contain an unknown or are too long are not cached.
    pub fn sample(
        self,
        text: &[u8],
        starts: &[Cut],
        (seed, fragment): (Seed, u64),
        sampling: &mut SamplingCache,
        out: &mut Sampled<'_>,
    ) {
        let mut group = sampling.group.take().unwrap_or_default();
        let Group { units, found, drawn, firsts, many } = &mut *group;
        firsts.numbers = seed.first_numbers(fragment);
        let mut count = out.ids.len();
        for first in (0..starts.len() - 1).step_by(GROUP) {
            report(GROUP * 4);
            // Between groups, since cleared units cannot be drawn from.
            sampling.cache.make_room(GROUP, MAX_CACHE_BYTES);
            let units = sampling.cache.load(text, &starts[first..], units);
            let mut done = 0;
            while done < units.len() {
                let table = sampling.cache.table.view();
                done += known(&units[done..], table, sampling.cache.values.view(), &mut found[done..]);
                if let Some(unit) = units.get(done) {
                    let bytes = &text[us(unit.start)..us(unit.start + unit.len)];
                    found[done] = self.draws(bytes, unit, sampling);
                    done += 1;
                }
            }
            prefetch_many(&found[..units.len()], sampling.cache.values.view(), many);
            firsts.fill(units);
            // A unit has at most as many ids as bytes, and a few more may be written after them.
            let room = units.last().map_or(0, |last| us(last.start + last.len)) - us(units[0].start) + PADDING;
            out.ids.resize(out.ids.len().max(count + room), 0);
            let SamplingCache { alpha, cache, lattice, found: spans, .. } = &mut *sampling;
            let draws = cache.values.view();
            draw(units, found, draws, firsts, drawn);
            draw_many(units, found, draws, firsts, drawn, many);
            let mut done = 0;
            loop {
                done += copy(&drawn[done..units.len()], draws, &many.ids, out.ids, &mut count);
                let Some(unit) = units.get(done) else { break };
                let bytes = &text[us(unit.start)..us(unit.start + unit.len)];
                out.ids.truncate(count);
                let key = Key { seed, fragment, place: u64::from(unit.start) };
                self.draw_uncached(bytes, key, *alpha, lattice, spans);
                out.emit(bytes, spans);
                count = out.ids.len();
                out.ids.resize(count + room, 0);
                done += 1;
            }
        }
        out.ids.truncate(count);
        sampling.group = Some(group);
    }

    /// Draws from a unit without the cache, into `found`.
    #[cold]
    #[inline(never)]
    fn draw_uncached(self, text: &[u8], key: Key, alpha: f64, lattice: &mut Lattice, found: &mut Vec<(u32, u32)>) {
        found.clear();
        lattice.refill(text.len(), |edges| {
            self.unigram.each_edge(text, self.vocab, |start, end, id, score| {
                edges.push(Edge { start: u32_of(start), end: u32_of(end), id, score });
            });
        });
        let semiring = Semiring::new(alpha, f64::from(self.unigram.largest), text.len());
        for unit in lattice.units() {
            draw_path(unit, Method::Lattice, self.unigram.has_byte_pieces, semiring, key, found);
        }
    }

    /// The reference of a unit in the draw cache; [`UNCACHED`] if it is too long or has an unknown.
    fn draws(self, text: &[u8], unit: &Unit, sampling: &mut SamplingCache) -> Known {
        match sampling.cache.numbers(unit, text) {
            Some(&[head, base, ..]) => [head, base],
            _ => self.memoize(text, unit, sampling),
        }
    }

    #[inline(never)]
    fn memoize(self, text: &[u8], unit: &Unit, sampling: &mut SamplingCache) -> Known {
        let Self { unigram, fallback, vocab } = self;
        if text.len() > MAX_CACHED || unigram.has_byte_pieces {
            return UNCACHED;
        }
        let SamplingCache { edges, cache, alpha, weights, .. } = &mut *sampling;
        let semiring = Semiring::new(*alpha, f64::from(unigram.largest), text.len());
        let (is_linear, unk_id) = (semiring.is_linear, fallback.unk_id);
        let mut is_known = unigram.note_edges(text, edges, weights);
        if is_known {
            edges.finish(|id| {
                is_known &= (id != unk_id) & (id < MAX_ID);
                let weigh = || semiring.weight(unigram.edge_score(id, vocab));
                match weights.get_mut(us(id)) {
                    Some(kept) if is_linear => {
                        if kept.is_nan() {
                            *kept = weigh();
                        }
                        *kept
                    }
                    _ => weigh(),
                }
            });
        }
        let known = if is_known { cache.values.add(edges, semiring) } else { UNCACHED };
        cache.insert(unit, text, &known, 0);
        known
    }
}
