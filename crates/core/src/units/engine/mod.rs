//! The unit engine: finds the cuts of a window, looks every unit up in the cache, and segments the misses.
//!
//! Each phase is a tight loop over the window: cuts, then keys and prefetches, then probes of the thread's own cache.
//! Misses are segmented and cached. A unit whose result depends on rounding runs from the reference's running score,
//! which is the sum of what was emitted so far and is added up only on demand.

pub(crate) mod misses;
pub(crate) mod rounding;
pub(crate) mod rows;
pub(crate) mod source;

use std::ops::Range;

use crate::index::table::{ENTRY_WORDS, MAX_KEY};
use crate::segment::fallback::fuse;
use crate::segment::unigram::bounded::MAX_SOLVED;
use crate::segment::UNKNOWN;
use crate::spec::vocab::Vocab;
use crate::units::boundary::CutView;
use crate::units::cache::{load_units, UnitCache};
use crate::units::characters::ROOM;
use crate::units::engine::source::{UnitSource, Window};
use crate::units::key::{Cut, Unit, WINDOW};
use crate::units::scratch::EngineScratch;
use crate::units::viterbi_state::{Open, ViterbiState};
use crate::units::Units;
use crate::util::simd::BLOCK;
use crate::util::utf8::decode;
use crate::util::{report, us};

/// Maximum units that are looked up together.
const SOME_UNITS: usize = WINDOW + 2;

/// Ids of single characters that are copied at a time.
const GROUP: usize = 16;
/// Guaranteed room in ids: the maximum of the units of a window that are cached inline.
const MOST_INLINE: usize = 4096;
/// Average bytes of a unit below which looking up single characters separately pays off.
const SHORT_UNITS: usize = 7;
/// Cuts that a window may read past its last one.
pub const BEHIND: usize = BLOCK;

/// One run over a text.
#[derive(Clone, Copy)]
pub struct Engine<'a> {
    pub(crate) units: &'a Units,
    pub(crate) cuts: CutView<'a>,
    pub(crate) vocab: &'a Vocab,
    /// The end of the text, for a splitter's look-ahead.
    pub(crate) end: usize,
    ids_per_byte: usize,
    /// The ends of chunks, if rules pre-tokenized the text.
    pub(crate) chunks: Option<&'a [u32]>,
}

pub(crate) struct Run<'a, 's> {
    pub(crate) engine: &'a Engine<'a>,
    pub(crate) text: &'a [u8],
    pub(crate) scratch: &'s mut EngineScratch,
    pub(crate) running: ViterbiState,
    pub(crate) count: usize,
    pub(crate) flags: u32,
    pub(crate) open: Option<&'s mut Open>,
    /// Whether units are whole chunks of rules: each has its own dynamic program and its own unknowns.
    pub(crate) whole: bool,
}

/// The result of a run.
#[derive(Clone, Copy, Debug)]
pub struct Outcome {
    /// Number of ids in `scratch.ids`.
    pub count: usize,
    /// Whether the unknown piece is among them.
    pub unknown: bool,
    /// The state of the dynamic program.
    pub running: ViterbiState,
}

impl<'a> Engine<'a> {
    /// Borrows what a run over a text of `end` bytes needs.
    pub fn new(units: &'a Units, vocab: &'a Vocab, end: usize) -> Self {
        Self { units, cuts: units.cuts.view(), vocab, end, ids_per_byte: units.segmenter.ids_per_byte(), chunks: None }
    }

    /// For a text that rules cut into chunks, which are segmented one by one.
    pub const fn with_chunks(self, chunks: Option<&'a [u32]>) -> Self {
        Self { chunks, ..self }
    }

    /// The end of the unit that begins at `from`, where text is not split.
    pub fn unit_end(&self, text: &[u8], from: usize, end: usize) -> usize {
        let (mut before, mut length) = decode(text, from);
        let mut at = from + length;
        while at < end {
            let (after, next) = decode(text, at);
            if self.cuts.is_cut(before, after) {
                return at;
            }
            before = after;
            length = next;
            at += length;
        }
        end
    }

    /// The last cut in `text[from + 1..end]`, or `from`.
    pub fn last_cut(&self, text: &[u8], from: usize, end: usize, starts: &mut Vec<Cut>) -> usize {
        starts.clear();
        self.units.scan(text, from, end, starts);
        starts.last().map_or(from, |cut| us(cut.at))
    }
}

impl<'a, 's> Run<'a, 's> {
    pub(crate) fn new(
        engine: &'a Engine<'a>,
        text: &'a [u8],
        running: ViterbiState,
        open: Option<&'s mut Open>,
        scratch: &'s mut EngineScratch,
    ) -> Self {
        Self { engine, text, scratch, running, count: 0, flags: 0, open, whole: false }
    }

    pub(crate) fn outcome(&self) -> Outcome {
        Outcome { count: self.count, unknown: self.flags & UNKNOWN != 0, running: self.running }
    }
}

impl Run<'_, '_> {
    /// Writes the ids of all units of a source, window by window; stops early past `limit` ids.
    #[inline(always)]
    pub(crate) fn drive<S: UnitSource>(&mut self, source: &mut S, limit: usize) {
        while self.count <= limit || !source.may_stop() {
            let Some(window) = source.next(self) else { break };
            match window {
                Window::Cuts(at, units) => self.cuts(source, at, units),
                Window::Chunks(at, units) => {
                    self.reserve(self.scratch.ends[..units].last().map_or(0, |&end| us(end) - at));
                    self.whole_units::<S, false>(source, at, units);
                }
                Window::Characters(count, bytes) => self.characters(source, count, bytes),
                Window::Parts(units) => self.parts(source, units),
                Window::Whole(units) => {
                    self.whole = true;
                    self.parts(source, units);
                    self.whole = false;
                }
                Window::Long(unit, begins_chunk) => {
                    self.reserve(unit.len());
                    self.long_unit(unit.start, unit.end, begins_chunk);
                }
            }
        }
    }

    /// Processes the units between cuts of a window.
    #[inline(always)]
    fn cuts<S: UnitSource>(&mut self, source: &S, at: usize, units: usize) {
        let bytes = us(self.scratch.starts[units].at) - at;
        self.reserve(bytes);
        if self.is_safe(bytes) {
            return self.whole_units::<S, true>(source, at, units);
        }
        let starts = std::mem::take(&mut self.scratch.starts);
        for pair in starts[..=units].windows(2) {
            source.careful(self, &Unit::load(self.text, pair[0].at, pair[1].at - pair[0].at));
        }
        self.scratch.starts = starts;
    }

    /// Processes units from `at` on, all within a window and none a part of a chunk: `found` chunks, or with `CUTS` the
    /// ranges between cuts.
    #[inline(always)]
    fn whole_units<S: UnitSource, const CUTS: bool>(&mut self, source: &S, at: usize, found: usize) {
        let mut units = std::mem::take(&mut self.scratch.chunks);
        units.resize(units.len().max(found), Unit::default());
        let EngineScratch { cache, starts, ends, .. } = &*self.scratch;
        if CUTS {
            load_units(self.text, at, starts[1..].iter().map(|cut| cut.at), cache, &mut units[..found]);
        } else {
            load_units(self.text, at, ends.iter().copied(), cache, &mut units[..found]);
        }
        self.answer::<S, false>(source, &units[..found]);
        self.scratch.chunks = units;
    }

    /// Processes the units of the first `count` characters of a window, of `bytes` bytes. Where most units are short, the
    /// ids of single characters are not looked up as units.
    fn characters<S: UnitSource>(&mut self, source: &S, count: usize, bytes: usize) {
        self.reserve(bytes);
        let is_safe = self.is_safe(bytes);
        let tells_apart = is_safe && bytes < SHORT_UNITS * self.scratch.characters.units(count);
        let mut units = std::mem::take(&mut self.scratch.units);
        units.resize(units.len().max(ROOM), Unit::default());
        let found = source.keys(self, count, tells_apart, &mut units);
        let some = &units[..found];
        if tells_apart {
            let done = self.answer::<S, true>(source, some);
            let EngineScratch { characters, ids, .. } = &mut *self.scratch;
            self.count = singles(&characters.ids, done..count, ids, self.count);
        } else if is_safe {
            self.answer::<S, false>(source, some);
        } else {
            some.iter().for_each(|unit| source.careful(self, unit));
        }
        self.scratch.units = units;
    }

    /// Processes the first `units` units between cuts, of any length.
    fn parts<S: UnitSource>(&mut self, source: &S, units: usize) {
        let mut found = std::mem::take(&mut self.scratch.units);
        let starts = std::mem::take(&mut self.scratch.starts);
        found.resize(found.len().max(SOME_UNITS), Unit::default());
        self.reserve(us(starts[units].at - starts[0].at));
        // One chunk may be longer than any window, and then have as many units as characters.
        let mut done = 0;
        while done < units {
            let some = (units - done).min(SOME_UNITS);
            report(us(starts[done + some].at - starts[done].at));
            for (place, pair) in found[..some].iter_mut().zip(starts[done..].windows(2)) {
                *place = self.find_key(pair[0], pair[1].at);
            }
            self.answer::<S, false>(source, &found[..some]);
            done += some;
        }
        self.scratch.starts = starts;
        self.scratch.units = found;
    }

    pub(crate) fn reserve(&mut self, bytes: usize) {
        let needed = self.count + self.engine.ids_per_byte * bytes + MOST_INLINE + GROUP;
        if self.scratch.ids.len() < needed {
            // Fresh zero pages are mapped lazily, and only where something is written.
            let mut larger = vec![0; needed + needed / 2];
            larger[..self.count].copy_from_slice(&self.scratch.ids[..self.count]);
            self.scratch.ids = larger;
        }
    }

    /// Writes the ids of units, with `SINGLES` those of the single characters before each too. Returns the index of the
    /// first character after the last unit.
    fn answer<S: UnitSource, const SINGLES: bool>(&mut self, source: &S, units: &[Unit]) -> usize {
        let (mut rest, mut done) = (units, 0);
        loop {
            rest = self.known::<SINGLES>(rest, &mut done);
            let Some((unit, later)) = rest.split_first() else { break };
            if S::BATCHES && self.answer_misses::<SINGLES>(rest, &mut done) {
                break;
            }
            source.miss(self, unit);
            rest = later;
        }
        done
    }

    #[inline(always)]
    pub(crate) fn find_key(&self, start: Cut, end: u32) -> Unit {
        let mut unit = Unit::load(self.text, start.at, end - start.at);
        if start.is_part {
            unit = unit.as_part();
        }
        let UnitCache { table, long, .. } = &self.scratch.cache;
        if us(unit.len) <= MAX_KEY {
            table.view().prefetch(unit.hash);
        } else {
            long.prefetch(unit.hash);
        }
        unit
    }

    /// Writes the ids of units, with `SINGLES` those of the single characters before each too, as long as they are
    /// cached inline; returns the units from the first other one on. `done` counts the characters written.
    pub(crate) fn known<'u, const SINGLES: bool>(&mut self, units: &'u [Unit], done: &mut usize) -> &'u [Unit] {
        let known = if SINGLES { self.known_and_singles(units, done) } else { self.known_alone(units) };
        &units[known..]
    }

    /// Writes the ids of leading units that are cached inline; returns the number of these units.
    fn known_alone(&mut self, units: &[Unit]) -> usize {
        let EngineScratch { ids, cache, .. } = &mut *self.scratch;
        let table = cache.table.view();
        let Some(place) = ids.get_mut(self.count..).and_then(<[u32]>::first_chunk_mut::<{ MOST_INLINE + ENTRY_WORDS }>)
        else {
            return 0;
        };
        let (mut written, mut known) = (0, 0);
        for unit in &units[..units.len().min(MOST_INLINE / ENTRY_WORDS)] {
            let Some(found) = table.find(unit.key, unit.hash) else { break };
            let Some(list) = found.copied() else { break };
            let at = written % MOST_INLINE;
            place[at..at + ENTRY_WORDS].copy_from_slice(list);
            written += found.count();
            known += 1;
        }
        self.count += written;
        known
    }

    /// Writes the ids of leading units that are cached inline, and of the single characters before each; returns the
    /// number of these units.
    fn known_and_singles(&mut self, units: &[Unit], done: &mut usize) -> usize {
        let EngineScratch { ids, cache, characters, .. } = &mut *self.scratch;
        let (ids, table) = (ids.as_mut_slice(), cache.table.view());
        let (mut count, mut next, mut known) = (self.count, *done, 0);
        for unit in units {
            count = singles(&characters.ids, next..unit.characters().start, ids, count);
            next = unit.characters().end;
            let Some(found) = table.find(unit.key, unit.hash) else { break };
            let Some(list) = found.copied() else { break };
            let Some(place) = ids.get_mut(count..count + ENTRY_WORDS) else { break };
            place.copy_from_slice(list);
            count += found.count();
            known += 1;
        }
        (self.count, *done) = (count, next);
        known
    }

    /// Processes a unit that is not cached inline.
    pub(crate) fn other(&mut self, unit: &Unit) {
        let (start, end) = (us(unit.start), us(unit.start + unit.len));
        if end - start > MAX_SOLVED {
            self.long_unit(start, end, !unit.part);
            return;
        }
        let before = self.count;
        if let Some((count, flags)) = self.recall(unit) {
            if self.is_cached_answer_valid(flags, end - start) {
                self.count += count;
            } else {
                self.long_unit(start, end, true);
            }
            self.flags |= flags & UNKNOWN;
            self.fuse_chunk(before, flags);
            return;
        }
        let EngineScratch { buffers, unit: ids, cache, .. } = &mut *self.scratch;
        ids.clear();
        let text = &self.text[start..end];
        cache.misses += 1;
        let flags = self.engine.units.segmenter.solve_part(text, !unit.part, buffers, ids).flags();
        cache.insert(unit, text, ids, flags);
        let list = std::mem::take(ids);
        self.take(&list, flags, start, end - start);
        self.scratch.unit = list;
        self.fuse_chunk(before, flags);
    }

    /// Fuses the unknowns from `before` on, where they are those of a whole chunk. The cache stores them unfused: the
    /// same text may also be a unit of a longer chunk, whose score counts each.
    #[inline(always)]
    fn fuse_chunk(&mut self, before: usize, flags: u32) {
        if self.whole && flags & UNKNOWN != 0 {
            self.fuse_unknown(before);
        }
    }

    #[cold]
    pub(crate) fn fuse_unknown(&mut self, before: usize) {
        let fallback = &self.engine.units.segmenter.fallback;
        if fallback.fuses {
            self.count = before + fuse(&mut self.scratch.ids[before..self.count], fallback.unk_id, false);
        }
    }

    /// Writes a cached list, or segments the unit from its running score if the list may not be valid.
    pub(crate) fn take(&mut self, list: &[u32], flags: u32, start: usize, len: usize) {
        if !self.is_cached_answer_valid(flags, len) {
            self.long_unit(start, start + len, true);
            return;
        }
        self.flags |= flags & UNKNOWN;
        self.write(list);
    }

    /// Appends ids, for which the window made room.
    #[inline]
    pub(crate) fn write(&mut self, list: &[u32]) {
        let end = self.count + list.len();
        self.scratch.ids[self.count..end].copy_from_slice(list);
        self.count = end;
    }

    /// Looks a unit up in the cache and writes its ids; returns their number, not yet counted, and its flags.
    #[inline]
    fn recall(&mut self, unit: &Unit) -> Option<(usize, u32)> {
        let EngineScratch { cache, ids, .. } = &mut *self.scratch;
        let (list, flags) = if !unit.key.is_long() {
            let found = cache.table.view().find(unit.key, unit.hash)?;
            (found.list(&cache.table.more), found.flags())
        } else if unit.part {
            return None;
        } else {
            cache.long.find(&self.text[us(unit.start)..us(unit.start + unit.len)], unit.hash)?
        };
        ids[self.count..self.count + list.len()].copy_from_slice(list);
        Some((list.len(), flags))
    }
}

/// Writes the ids of single characters from `count` on, in groups: ids written past them are ignored. Returns the new
/// count.
#[inline(always)]
pub(crate) fn singles(known: &[u32], characters: Range<usize>, ids: &mut [u32], count: usize) -> usize {
    let mut written = 0;
    loop {
        let source = known.get(characters.start + written..).and_then(<[u32]>::first_chunk::<GROUP>);
        let place = ids.get_mut(count + written..).and_then(<[u32]>::first_chunk_mut::<GROUP>);
        let (Some(source), Some(place)) = (source, place) else { break };
        *place = *source;
        written += GROUP;
        if written >= characters.len() {
            break;
        }
    }
    count + characters.len()
}
