//! The unit engine: finds the cuts of a window, looks every unit up in the cache, and segments the misses.
//!
//! Each phase is a tight loop over the window: cuts, then keys and prefetches, then probes of the thread's own cache.
//! Misses are segmented and cached. A unit whose result depends on rounding runs from the reference's running score,
//! which is the sum of what was emitted so far and is added up only on demand.

use std::ops::Range;

use crate::index::table::{ENTRY_WORDS, MAX_KEY};
use crate::segment::fallback::fuse;
use crate::segment::unigram::bounded::MAX_SOLVED;
use crate::segment::{Algorithm, Mode, NEAR, UNKNOWN, UNSETTLED};
use crate::spec::vocab::Vocab;
use crate::units::boundary::CutView;
use crate::units::cache::UnitCache;
use crate::units::key::Cut;
use crate::units::key::Unit;
use crate::units::key::WINDOW;
use crate::units::scratch::EngineScratch;
use crate::units::viterbi_state::{Deferred, Mark, Open, ViterbiState};
use crate::units::Units;
use crate::util::cast::{u32_of, us};
use crate::util::interrupt::report;
use crate::util::simd::BLOCK;
use crate::util::utf8::decode;

/// Maximum units that are looked up together.
const SOME_UNITS: usize = WINDOW + 2;

/// Ids of single characters that are copied at a time.
const GROUP: usize = 16;
/// Guaranteed room in ids: the maximum of the units of a window that are cached inline.
const ROOM: usize = 4096;
/// Cuts that a window may read past its last one.
pub const BEHIND: usize = BLOCK;

/// One run over a text.
pub struct Engine<'a> {
    pub(crate) units: &'a Units,
    pub(crate) cuts: CutView<'a>,
    pub(crate) vocab: &'a Vocab,
    /// The end of the text, for a splitter's look-ahead.
    pub(crate) end: usize,
    ids_per_byte: usize,
    /// The ends of chunks, if rules pre-tokenized the text.
    chunks: Option<&'a [u32]>,
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

    /// Segments `text[range]`, which must begin and end at cuts, and be followed by [`crate::normalize::PADDING`]
    /// readable bytes. The ids are written to the beginning of `scratch.ids`, unknowns not yet fused. Stops early past
    /// `limit` ids.
    pub fn run(
        &self,
        text: &[u8],
        range: Range<usize>,
        cell: f64,
        limit: usize,
        open: Option<&mut Open>,
        scratch: &mut EngineScratch,
    ) -> Outcome {
        let mut run = Run {
            engine: self,
            text,
            scratch,
            running: ViterbiState { cell, synced: 0 },
            count: 0,
            flags: 0,
            open,
            whole: false,
        };
        match (self.chunks, self.units.splitter) {
            (Some(ends), _) => run.made_chunks(ends, limit),
            (None, splitter) if self.units.segmenter.has_byte_paths() => run.byte_text(splitter, range.clone(), limit),
            (None, Some(splitter)) => run.chunks(splitter, range.start, range.end, limit),
            (None, None) => run.windows(range.start, range.end, limit),
        }
        let Run { running, count, flags, .. } = run;
        Outcome { count, unknown: flags & UNKNOWN != 0, running }
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

impl Run<'_, '_> {
    pub(crate) fn windows(&mut self, from: usize, end: usize, limit: usize) {
        let mut at = from;
        while at < end && self.count <= limit {
            let stop = end.min(at + WINDOW);
            // A text of one window is short.
            if stop < end {
                report(stop - at);
            }
            if let Some(open) = &mut self.open {
                open.marks.push(Mark { text: u32_of(at), ids: u32_of(self.count) });
            }
            if self.engine.cuts.is_mostly_non_ascii(self.text, at, end) && self.is_safe(stop + BLOCK - at) {
                let next = self.wide_window(at, stop, end);
                if next > at {
                    at = next;
                    continue;
                }
            }
            at = self.narrow_window(at, stop, end);
        }
    }

    /// Processes the units that are complete at `stop`, or the one that extends beyond it. Returns where to continue.
    fn narrow_window(&mut self, at: usize, stop: usize, end: usize) -> usize {
        self.scratch.starts.resize(WINDOW + 2 + BEHIND, Cut::default());
        self.scratch.starts[0] = Cut::at(at);
        let (found, reached) = self.engine.cuts.scan_window(self.text, at, stop, true, &mut self.scratch.starts[1..]);
        let mut units = 1 + found;
        let last = if reached == end { end } else { us(self.scratch.starts[units - 1].at) };
        if last == at {
            let unit_end = self.engine.unit_end(self.text, at, end);
            self.reserve(unit_end - at);
            self.long_unit(at, unit_end, true);
            return unit_end;
        }
        if reached == end {
            self.scratch.starts[units] = Cut::at(end);
            units += 1;
        }
        self.reserve(last - at);
        if self.is_safe(last - at) {
            self.whole_units::<true>(at, units - 1);
        } else {
            self.careful_window(units);
        }
        last
    }

    pub(crate) fn reserve(&mut self, bytes: usize) {
        let needed = self.count + self.engine.ids_per_byte * bytes + ROOM + GROUP;
        if self.scratch.ids.len() < needed {
            // Fresh zero pages are mapped lazily, and only where something is written.
            let mut larger = vec![0; needed + needed / 2];
            larger[..self.count].copy_from_slice(&self.scratch.ids[..self.count]);
            self.scratch.ids = larger;
        }
    }

    /// Processes the first `units` units of the window.
    pub(crate) fn window(&mut self, units: usize) {
        let mut found = std::mem::take(&mut self.scratch.units);
        let starts = std::mem::take(&mut self.scratch.starts);
        found.resize(found.len().max(SOME_UNITS), Unit::default());
        // One chunk may be longer than any window, and then have as many units as characters.
        let mut done = 0;
        while done < units {
            let some = (units - done).min(SOME_UNITS);
            report(us(starts[done + some].at - starts[done].at));
            for (place, pair) in found[..some].iter_mut().zip(starts[done..].windows(2)) {
                *place = self.find_key(pair[0], pair[1].at);
            }
            self.answer::<false>(&found[..some]);
            done += some;
        }
        self.scratch.starts = starts;
        self.scratch.units = found;
    }

    /// Writes the ids of units, with `SINGLES` those of the single characters before each too. Returns the index of the
    /// first character after the last unit.
    pub(crate) fn answer<const SINGLES: bool>(&mut self, units: &[Unit]) -> usize {
        let (mut rest, mut done) = (units, 0);
        loop {
            rest = self.known::<SINGLES>(rest, &mut done);
            let Some((unit, later)) = rest.split_first() else { break };
            if self.answer_misses::<SINGLES>(rest, &mut done) {
                break;
            }
            self.other(unit);
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
        let Some(place) = ids.get_mut(self.count..).and_then(<[u32]>::first_chunk_mut::<{ ROOM + ENTRY_WORDS }>) else {
            return 0;
        };
        let (mut written, mut known) = (0, 0);
        for unit in &units[..units.len().min(ROOM / ENTRY_WORDS)] {
            let Some(found) = table.find(unit.key, unit.hash) else { break };
            let Some(list) = found.copied() else { break };
            let at = written % ROOM;
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
            count = singles(&characters.ids, next..usize::from(unit.first), ids, count);
            next = usize::from(unit.behind);
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
    fn fuse_unknown(&mut self, before: usize) {
        let fallback = &self.engine.units.segmenter.fallback;
        if fallback.fuses() {
            self.count = before + fuse(&mut self.scratch.ids[before..self.count], fallback.unk_id(), false);
        }
    }

    /// Close to where the reference rebases: every unit on its own.
    pub(crate) fn careful_window(&mut self, starts_found: usize) {
        let starts = std::mem::take(&mut self.scratch.starts);
        for pair in starts[..starts_found].windows(2) {
            let (start, len) = (us(pair[0].at), us(pair[1].at - pair[0].at));
            if len <= MAX_SOLVED && self.is_safe(len) {
                self.other(&Unit::load(self.text, pair[0].at, u32_of(len)));
            } else {
                self.long_unit(start, start + len, true);
            }
        }
        self.scratch.starts = starts;
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
            (found.list(cache.table.more()), found.flags())
        } else if unit.part {
            return None;
        } else {
            cache.long.find(&self.text[us(unit.start)..us(unit.start + unit.len)], unit.hash)?
        };
        ids[self.count..self.count + list.len()].copy_from_slice(list);
        Some((list.len(), flags))
    }
}

impl Run<'_, '_> {
    /// Whether cached results are valid for the next `bytes` bytes, adding up the running score if necessary.
    pub(crate) fn is_safe(&mut self, bytes: usize) -> bool {
        let Algorithm::Unigram(unigram) = &self.engine.units.segmenter.algorithm else { return true };
        if self.open.is_some() {
            return true;
        }
        let pending = self.count - self.running.synced;
        if unigram.holds(self.running.cell, unigram.reach(pending + bytes)) {
            return true;
        }
        self.sync();
        unigram.holds(self.running.cell, unigram.reach(bytes))
    }

    /// Whether the cached result of a unit of `bytes` bytes with these flags is valid here.
    pub(crate) fn is_cached_answer_valid(&mut self, flags: u32, bytes: usize) -> bool {
        flags & UNSETTLED == 0 && (flags & NEAR == 0 || self.within_rounding_bound(bytes))
    }

    #[cold]
    fn within_rounding_bound(&mut self, bytes: usize) -> bool {
        let Algorithm::Unigram(unigram) = &self.engine.units.segmenter.algorithm else { return true };
        if self.open.is_some() {
            return false;
        }
        if self.whole {
            return unigram.holds_near(0.0, unigram.reach(bytes));
        }
        let pending = self.count - self.running.synced;
        if unigram.holds_near(self.running.cell, unigram.reach(pending + bytes)) {
            return true;
        }
        self.sync();
        unigram.holds_near(self.running.cell, unigram.reach(bytes))
    }

    fn sync(&mut self) {
        if let Algorithm::Unigram(unigram) = &self.engine.units.segmenter.algorithm {
            let pending = &self.scratch.ids[self.running.synced..self.count];
            self.running.cell = unigram.add(self.running.cell, pending);
        }
        self.running.synced = self.count;
    }

    /// Segments a unit by the reference path from its running score.
    pub(crate) fn long_unit(&mut self, start: usize, end: usize, whole: bool) {
        let is_unigram = matches!(self.engine.units.segmenter.algorithm, Algorithm::Unigram(_));
        if let (Some(open), true) = (&mut self.open, is_unigram) {
            open.deferred.push(Deferred { start: u32_of(start), end: u32_of(end), at: u32_of(self.count) });
            return;
        }
        if self.whole {
            self.running = ViterbiState { cell: 0.0, synced: self.count };
        }
        self.sync();
        let EngineScratch { buffers, unit, .. } = &mut *self.scratch;
        unit.clear();
        let text = &self.text[start..end];
        let (cell, unknown) =
            self.engine.units.segmenter.exact_part(text, whole, self.running.cell, Mode::Fast, buffers, unit);
        if self.whole && unknown {
            self.engine.units.segmenter.fuse_from(0, unit);
        }
        let list = std::mem::take(unit);
        self.take(&list, u32::from(unknown) * UNKNOWN, start, end - start);
        self.scratch.unit = list;
        self.running = ViterbiState { cell, synced: self.count };
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
