//! Units at speed: find the cuts of a window, look every unit up, segment what is not known.
//!
//! Each phase is a tight loop over the window: cuts, then keys and prefetches, then probes of this thread's own table. What
//! is not there comes from the segmenter, and is kept there. A unit whose answer depends on rounding runs from the
//! reference's own cell, which is the sum of what was emitted so far and is added up only when somebody asks for it.

use std::ops::Range;

use super::alphabet::Single;
use super::cuts::{decode, Cut, CutView};
use super::unigram::MAX_SOLVED;
use super::{Algorithm, Segmenter};
use crate::cast::{u32_of, us};
use crate::index::lanes::{high, BLOCK};
use crate::index::table::MAX_KEY;
use crate::scratch::{Learned, Scratch, Unit};
use crate::split::Splitter;
use crate::vocab::Vocab;

/// Bytes of normalized text handled in one go.
pub const WINDOW: usize = 1024;

/// Where units have less than so many bytes on average, telling those of one character apart is worth its price.
const SHORT_UNITS: usize = 7;
/// Chunks of at most so many bytes are not cut further, nor words of characters of one and two bytes that are keys.
const SHORT_CHUNK: usize = 6;
/// Single characters whose ids are copied in one go.
const GROUP: usize = 8;
/// Cuts that a window may read behind its last one.
pub const BEHIND: usize = BLOCK + GROUP;

/// Flag of a unit whose answer depends on the cell before it.
pub const UNSETTLED: u32 = 1;
/// Flag of a unit that holds the unknown piece.
pub const UNKNOWN: u32 = 2;

/// Where the reference's dynamic program stands.
#[derive(Clone, Copy, Debug, Default)]
pub struct Running {
    /// Its cell after the first `synced` ids.
    pub cell: f64,
    /// Ids that the cell accounts for.
    pub synced: usize,
}

/// A unit left open because its cell was not known.
#[derive(Clone, Copy, Debug)]
pub struct Deferred {
    /// Its place in the text.
    pub start: u32,
    /// Its end in the text.
    pub end: u32,
    /// Where its ids belong.
    pub at: u32,
}

/// A place where a window began: in the text and in the ids.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    /// Place in the text.
    pub text: u32,
    /// Place in the ids.
    pub ids: u32,
}

/// What a run leaves open when it does not know the cell it starts from.
#[derive(Default)]
pub struct Open {
    /// Units to be settled.
    pub deferred: Vec<Deferred>,
    /// Beginnings of windows.
    pub marks: Vec<Mark>,
}

/// One run over a text.
pub struct Engine<'a> {
    pub(super) segmenter: &'a Segmenter,
    cuts: CutView<'a>,
    vocab: &'a Vocab,
    /// Where the text ends, as far as a splitter looks ahead.
    end: usize,
    ids_per_byte: usize,
    /// Where chunks end, if rules made them.
    chunks: Option<&'a [u32]>,
}

pub(super) struct Run<'a, 's> {
    pub(super) engine: &'a Engine<'a>,
    text: &'a [u8],
    pub(super) scratch: &'s mut Scratch,
    pub(super) running: Running,
    pub(super) count: usize,
    pub(super) flags: u32,
    open: Option<&'s mut Open>,
    /// Whether units are whole chunks that rules made: each has its own dynamic program and its own unknowns.
    pub(super) whole: bool,
}

/// What a run found.
#[derive(Clone, Copy, Debug)]
pub struct Outcome {
    /// Number of ids in `scratch.ids`.
    pub count: usize,
    /// Whether the unknown piece is among them.
    pub unknown: bool,
    /// Where the dynamic program stands.
    pub running: Running,
}

impl<'a> Engine<'a> {
    /// Borrows what a run over a text of so many bytes needs.
    #[must_use]
    pub fn new(segmenter: &'a Segmenter, vocab: &'a Vocab, end: usize) -> Self {
        Self {
            segmenter,
            cuts: segmenter.cuts.view(),
            vocab,
            end,
            ids_per_byte: segmenter.ids_per_byte(),
            chunks: None,
        }
    }

    /// The same for a text that rules cut into chunks: they are segmented one by one.
    #[must_use]
    pub const fn with_chunks(self, chunks: Option<&'a [u32]>) -> Self {
        Self { chunks, ..self }
    }

    /// Segments `text[range]`, which must begin and end at cuts, and be followed by [`crate::normalize::PADDING`] readable bytes. The ids
    /// are written to `scratch.ids` from its beginning, unknowns not yet fused. Stops early past `limit` ids.
    pub fn run(
        &self,
        text: &[u8],
        range: Range<usize>,
        cell: f64,
        limit: usize,
        open: Option<&mut Open>,
        scratch: &mut Scratch,
    ) -> Outcome {
        let mut run = Run {
            engine: self,
            text,
            scratch,
            running: Running { cell, synced: 0 },
            count: 0,
            flags: 0,
            open,
            whole: false,
        };
        match (self.chunks, self.segmenter.splitter) {
            (Some(ends), _) => run.made_chunks(ends, limit),
            (None, Some(splitter)) => run.chunks(splitter, range.start, range.end, limit),
            (None, None) => run.windows(range.start, range.end, limit),
        }
        let Run { running, count, flags, .. } = run;
        Outcome { count, unknown: flags & UNKNOWN != 0, running }
    }

    /// The end of the unit that begins at `from`, where text is not split.
    #[must_use]
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
    #[must_use]
    pub fn last_cut(&self, text: &[u8], from: usize, end: usize, starts: &mut Vec<Cut>) -> usize {
        starts.clear();
        self.segmenter.scan(text, from, end, starts);
        starts.last().map_or(from, |cut| us(cut.at))
    }
}

impl Run<'_, '_> {
    pub(super) fn windows(&mut self, from: usize, end: usize, limit: usize) {
        let mut at = from;
        while at < end && self.count <= limit {
            let stop = end.min(at + WINDOW);
            self.scratch.starts.resize(WINDOW + 2 + BEHIND, Cut::default());
            self.scratch.starts[0] = self.engine.cuts.begin(self.text, at);
            let Scratch { starts, characters, .. } = &mut *self.scratch;
            let found = self.engine.cuts.scan_window(self.text, at, stop, characters, &mut starts[1..]);
            let mut units = 1 + found.count;
            if let Some(open) = &mut self.open {
                open.marks.push(Mark { text: u32_of(at), ids: u32_of(self.count) });
            }
            let last = if stop == end { end } else { us(self.scratch.starts[units - 1].at) };
            if last == at {
                let unit_end = self.engine.unit_end(self.text, at, end);
                self.reserve(unit_end - at);
                self.long_unit(at, unit_end, true);
                at = unit_end;
                continue;
            }
            if stop == end {
                self.scratch.starts[units] = Cut { at: u32_of(end), ..Cut::default() };
                units += 1;
            }
            self.reserve(last - at);
            if self.is_safe(last - at) {
                if found.is_mixed && last - at < SHORT_UNITS * units {
                    self.window::<true>(units - 1);
                } else {
                    self.window::<false>(units - 1);
                }
            } else {
                self.careful_window(units);
            }
            at = last;
        }
    }

    /// The chunks of a text that is split, some at a time.
    fn chunks(&mut self, splitter: Splitter, from: usize, end: usize, limit: usize) {
        let mut at = from;
        while at < end && self.count <= limit {
            let stop = end.min(at + WINDOW);
            let Scratch { starts, ends, .. } = &mut *self.scratch;
            ends.resize(WINDOW + BEHIND, 0);
            let found = splitter.chunks(self.text, at, stop, self.engine.end, ends);
            let Some(&last) = ends[..found].last() else { break };
            starts.clear();
            starts.push(Cut { at: u32_of(at), ..Cut::default() });
            if !self.engine.segmenter.has_parts() || self.text[at..us(last)].is_ascii() {
                starts.extend(ends[..found].iter().map(|&at| Cut { at, ..Cut::default() }));
            } else {
                self.part_chunks(found);
            }
            self.reserve(us(last) - at);
            let units = self.scratch.starts.len() - 1;
            self.window::<false>(units);
            at = us(last);
        }
    }

    /// Cuts chunks further, where no piece spans two characters.
    pub(super) fn part_chunks(&mut self, found: usize) {
        let Scratch { starts, ends, .. } = &mut *self.scratch;
        let cuts = self.engine.segmenter.byte_cuts(self.engine.vocab);
        for &end in &ends[..found] {
            let first = starts.len() - 1;
            let start = starts[first].at;
            let chunk = &self.text[us(start)..us(end)];
            if chunk.len() > MAX_KEY || chunk.len() > SHORT_CHUNK && chunk.iter().any(|&byte| byte >= 0xE0) {
                cuts.each(std::str::from_utf8(chunk).unwrap_or_default(), |place| {
                    starts.push(Cut { at: start + u32_of(place), single: Single::PART });
                });
                if starts.len() > first + 1 {
                    starts[first].single = Single::PART;
                }
            }
            starts.push(Cut { at: end, ..Cut::default() });
        }
    }

    pub(super) fn reserve(&mut self, bytes: usize) {
        let needed = self.count + self.engine.ids_per_byte * bytes + GROUP;
        if self.scratch.ids.len() < needed {
            self.scratch.ids.resize(needed + needed / 2, 0);
        }
    }

    /// Whether settled answers hold for the next `bytes` bytes, adding up the cell if need be.
    fn is_safe(&mut self, bytes: usize) -> bool {
        let Algorithm::Unigram(unigram) = &self.engine.segmenter.algorithm else { return true };
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

    fn sync(&mut self) {
        if let Algorithm::Unigram(unigram) = &self.engine.segmenter.algorithm {
            let pending = &self.scratch.ids[self.running.synced..self.count];
            self.running.cell = unigram.add(self.running.cell, pending);
        }
        self.running.synced = self.count;
    }

    /// The first so many units of the window. With `SINGLES` those of one character are told apart: they have ids already.
    pub(super) fn window<const SINGLES: bool>(&mut self, units: usize) {
        let mut others = std::mem::take(&mut self.scratch.units);
        others.resize(units.max(WINDOW + 2), Unit::default());
        let found = self.find_others::<SINGLES>(units, &mut others);
        let mut rest = &others[..found];
        let mut done = 0;
        while let Some((unit, later)) = self.known::<SINGLES>(rest, &mut done).split_first() {
            self.other(unit);
            rest = later;
        }
        if SINGLES {
            self.count = singles(&self.scratch.starts, done..units, &mut self.scratch.ids, self.count);
        }
        self.scratch.units = others;
    }

    /// Keys of the units that are no single characters, with a prefetch for each. Returns how many.
    fn find_others<const SINGLES: bool>(&self, units: usize, others: &mut [Unit]) -> usize {
        let starts = &self.scratch.starts;
        if !SINGLES {
            for (place, pair) in others[..units].iter_mut().zip(starts.windows(2)) {
                *place = self.find_key(pair[0], pair[1].at, 0);
            }
            return units;
        }
        let mut found = 0;
        for first in (0..units).step_by(BLOCK) {
            let Some(cuts) = starts[first..].first_chunk() else { break };
            let mut mask = compound(cuts);
            if units - first < BLOCK {
                mask &= (1 << (units - first)) - 1;
            }
            while mask != 0 {
                let index = us(mask.trailing_zeros());
                mask &= mask - 1;
                let Some(place) = others.get_mut(found) else { break };
                *place = self.find_key(cuts[index], cuts[index + 1].at, first + index);
                found += 1;
            }
        }
        found
    }

    #[inline(always)]
    fn find_key(&self, start: Cut, end: u32, index: usize) -> Unit {
        let mut unit = Unit { index: u32_of(index), ..Unit::load(self.text, start.at, end - start.at) };
        if start.single.is_part() {
            unit = unit.as_part();
        }
        let Learned { table, long, .. } = &self.scratch.learned;
        if us(unit.len) <= MAX_KEY {
            table.view().prefetch(unit.hash);
        } else {
            long.prefetch(unit.hash);
        }
        unit
    }

    /// Writes the ids of units, and of the single characters before each, as long as this thread's table answers plainly;
    /// returns the units from the first other one on. `done` counts what is written.
    fn known<'u, const SINGLES: bool>(&mut self, units: &'u [Unit], done: &mut usize) -> &'u [Unit] {
        let Scratch { ids, learned, starts, .. } = &mut *self.scratch;
        let (ids, table) = (ids.as_mut_slice(), learned.table.view());
        let mut count = self.count;
        let mut next = *done;
        let mut known = 0;
        for unit in units {
            if SINGLES {
                count = singles(starts, next..us(unit.index), ids, count);
                next = us(unit.index) + 1;
            }
            let Some(found) = table.find(unit.key, unit.hash) else { break };
            let Some(list) = found.simple() else { break };
            let Some(place) = ids.get_mut(count..count + 3) else { break };
            place.copy_from_slice(list);
            count += found.count();
            known += 1;
        }
        (self.count, *done) = (count, next);
        &units[known..]
    }

    /// A unit that this thread's table does not answer plainly.
    fn other(&mut self, unit: &Unit) {
        let (start, end) = (us(unit.start), us(unit.start + unit.len));
        if end - start > MAX_SOLVED {
            self.long_unit(start, end, !unit.part);
            return;
        }
        if let Some(flags) = self.recall(unit) {
            if flags & UNSETTLED != 0 {
                self.long_unit(start, end, true);
            }
            self.flags |= flags & UNKNOWN;
            return;
        }
        let Scratch { buffers, unit: ids, learned, .. } = &mut *self.scratch;
        ids.clear();
        let text = &self.text[start..end];
        learned.misses += 1;
        let flags = self.engine.segmenter.solve_part(text, !unit.part, buffers, ids).flags();
        if self.whole && flags & UNKNOWN != 0 {
            self.engine.segmenter.fuse_from(0, ids);
        }
        learned.learn(unit, text, ids, flags);
        let list = std::mem::take(ids);
        self.take(&list, flags, start, end - start);
        self.scratch.unit = list;
    }

    /// Near the place where the reference rebases: every unit on its own.
    fn careful_window(&mut self, starts_found: usize) {
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

    /// Writes a known list, or segments the unit from its cell if the list may not hold.
    fn take(&mut self, list: &[u32], flags: u32, start: usize, len: usize) {
        if flags & UNSETTLED != 0 {
            self.long_unit(start, start + len, true);
            return;
        }
        self.flags |= flags;
        self.write(list);
    }

    /// Appends ids, for which the window made room.
    #[inline]
    fn write(&mut self, list: &[u32]) {
        let end = self.count + list.len();
        self.scratch.ids[self.count..end].copy_from_slice(list);
        self.count = end;
    }

    /// Looks a unit up among the learned ones, writes its ids and returns its flags.
    #[inline]
    fn recall(&mut self, unit: &Unit) -> Option<u32> {
        let Scratch { learned, ids, .. } = &mut *self.scratch;
        let (list, flags) = if us(unit.len) <= MAX_KEY {
            let found = learned.table.view().find(unit.key, unit.hash)?;
            (found.list(learned.table.more()), found.flags())
        } else if unit.part {
            return None;
        } else {
            learned.long.find(&self.text[us(unit.start)..us(unit.start + unit.len)], unit.hash)?
        };
        ids[self.count..self.count + list.len()].copy_from_slice(list);
        self.count += list.len();
        Some(flags)
    }

    /// A unit that is segmented by the plain path from its cell.
    fn long_unit(&mut self, start: usize, end: usize, whole: bool) {
        let is_unigram = matches!(self.engine.segmenter.algorithm, Algorithm::Unigram(_));
        if let (Some(open), true) = (&mut self.open, is_unigram) {
            open.deferred.push(Deferred { start: u32_of(start), end: u32_of(end), at: u32_of(self.count) });
            return;
        }
        if self.whole {
            self.running = Running { cell: 0.0, synced: self.count };
        }
        self.sync();
        let Scratch { buffers, unit, .. } = &mut *self.scratch;
        unit.clear();
        let text = &self.text[start..end];
        let (cell, unknown) = self.engine.segmenter.exact_part(text, whole, self.running.cell, buffers, unit);
        if self.whole && unknown {
            self.engine.segmenter.fuse_from(0, unit);
        }
        let list = std::mem::take(unit);
        self.take(&list, u32::from(unknown) * UNKNOWN, start, end - start);
        self.scratch.unit = list;
        self.running = Running { cell, synced: self.count };
    }
}

/// Which of 64 units are more than a character whose id is known, by the cuts that bound them.
#[inline(always)]
fn compound(cuts: &[Cut; BLOCK + 1]) -> u64 {
    let mut flags = [0; BLOCK];
    for (index, flag) in flags.iter_mut().enumerate() {
        let len = cuts[index + 1].at.wrapping_sub(cuts[index].at);
        *flag = if cuts[index].single.is(len) { 0 } else { 0x80 };
    }
    high(&flags)
}

/// Writes the ids of single characters from `count` on, in groups: what is written behind them does not count. Returns the
/// new count.
#[inline(always)]
fn singles(starts: &[Cut], units: Range<usize>, ids: &mut [u32], count: usize) -> usize {
    let mut written = 0;
    loop {
        let source = starts.get(units.start + written..).and_then(<[Cut]>::first_chunk::<GROUP>);
        let place = ids.get_mut(count + written..).and_then(<[u32]>::first_chunk_mut::<GROUP>);
        let (Some(source), Some(place)) = (source, place) else { break };
        for (id, cut) in place.iter_mut().zip(source) {
            *id = cut.single.id();
        }
        written += GROUP;
        if written >= units.len() {
            break;
        }
    }
    count + units.len()
}
