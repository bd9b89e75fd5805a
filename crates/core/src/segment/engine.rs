//! Units at speed: find the cuts of a window, look every unit up, segment what is not known.
//!
//! Each phase is a tight loop over the window: cuts, then keys and prefetches, then probes of this thread's own table. What
//! is not there comes from the segmenter, and is kept there. A unit whose answer depends on rounding runs from the
//! reference's own cell, which is the sum of what was emitted so far and is added up only when somebody asks for it.

use std::ops::Range;

use super::cuts::{decode, Cut, CutView};
use super::unigram::MAX_SOLVED;
use super::{Algorithm, Segmenter};
use crate::cast::{u32_of, us};
use crate::index::table::MAX_KEY;
use crate::scratch::{Learned, Scratch, Unit};

/// Bytes of normalized text handled in one go.
pub const WINDOW: usize = 1024;
/// Readable bytes that must follow the text.
pub const PADDING: usize = 128;
/// Ids that one byte of the inner form can become (a space mark in bytes).
const MAX_IDS_PER_BYTE: usize = 3;

/// Units of less than so many bytes on average are mostly single characters.
const SHORT_UNITS: usize = 4;
/// Length of a unit whose place holds its id.
const SINGLE: u32 = 0;

/// Flag of a unit whose answer depends on the cell before it.
pub const UNSETTLED: u32 = 1;
/// Flag of a unit that holds the unknown piece.
pub const UNKNOWN: u32 = 2;

/// Where the reference's dynamic program stands.
#[derive(Clone, Copy, Debug, Default)]
pub struct Running {
    /// Its cell after the first `synced` ids.
    pub cell: f32,
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
    segmenter: &'a Segmenter,
    cuts: CutView<'a>,
}

struct Run<'a, 's> {
    engine: &'a Engine<'a>,
    text: &'a [u8],
    scratch: &'s mut Scratch,
    running: Running,
    count: usize,
    flags: u32,
    open: Option<&'s mut Open>,
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
    /// Borrows what a run needs.
    #[must_use]
    pub fn new(segmenter: &'a Segmenter) -> Self {
        Self { segmenter, cuts: segmenter.cuts.view() }
    }

    /// Segments `text[range]`, which must begin and end at cuts, and be followed by [`PADDING`] readable bytes. The ids
    /// are written to `scratch.ids` from its beginning, unknowns not yet fused. Stops early past `limit` ids.
    pub fn run(
        &self,
        text: &[u8],
        range: Range<usize>,
        cell: f32,
        limit: usize,
        open: Option<&mut Open>,
        scratch: &mut Scratch,
    ) -> Outcome {
        let mut run =
            Run { engine: self, text, scratch, running: Running { cell, synced: 0 }, count: 0, flags: 0, open };
        run.windows(range.start, range.end, limit);
        let Run { running, count, flags, .. } = run;
        Outcome { count, unknown: flags & UNKNOWN != 0, running }
    }

    /// The end of the unit that begins at `from`.
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
        self.cuts.scan(text, from, end, starts);
        starts.last().map_or(from, |cut| us(cut.at))
    }
}

impl Run<'_, '_> {
    fn windows(&mut self, from: usize, end: usize, limit: usize) {
        let mut at = from;
        while at < end && self.count <= limit {
            let stop = end.min(at + WINDOW);
            self.scratch.starts.resize(WINDOW + 2, Cut::default());
            self.scratch.starts[0] = self.engine.cuts.begin(self.text, at);
            let mut units = 1 + self.engine.cuts.scan_window(self.text, at, stop, &mut self.scratch.starts[1..]);
            if let Some(open) = &mut self.open {
                open.marks.push(Mark { text: u32_of(at), ids: u32_of(self.count) });
            }
            let last = if stop == end { end } else { us(self.scratch.starts[units - 1].at) };
            if last == at {
                let unit_end = self.engine.unit_end(self.text, at, end);
                self.reserve(unit_end - at);
                self.long_unit(at, unit_end);
                at = unit_end;
                continue;
            }
            if stop == end {
                self.scratch.starts[units] = Cut { at: u32_of(end), ..Cut::default() };
                units += 1;
            }
            self.reserve(last - at);
            if self.is_safe(last - at) {
                // Whether a unit is a single character can only be foreseen where nearly all are.
                if last - at < SHORT_UNITS * units {
                    self.window::<true>(units);
                } else {
                    self.window::<false>(units);
                }
            } else {
                self.careful_window(units);
            }
            at = last;
        }
    }

    fn reserve(&mut self, bytes: usize) {
        let needed = self.count + MAX_IDS_PER_BYTE * bytes + 8;
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

    /// The units between so many cuts. With `SINGLES` those of one character are told apart and have their ids at once.
    fn window<const SINGLES: bool>(&mut self, starts: usize) {
        let mut units = std::mem::take(&mut self.scratch.units);
        units.resize(WINDOW + 2, Unit::default());
        self.find_keys::<SINGLES>(starts, &mut units);
        let mut rest = &units[..starts - 1];
        while let Some((unit, later)) = self.known::<SINGLES>(rest).split_first() {
            self.other(unit);
            rest = later;
        }
        self.scratch.units = units;
    }

    /// Keys of all units, with a prefetch for each; of single characters the ids.
    fn find_keys<const SINGLES: bool>(&self, starts: usize, units: &mut [Unit]) {
        let text = self.text;
        let Learned { table, long, .. } = &self.scratch.learned;
        let table = table.view();
        for (unit, pair) in units.iter_mut().zip(self.scratch.starts[..starts].windows(2)) {
            let (start, len) = (pair[0].at, pair[1].at - pair[0].at);
            if let Some(id) = pair[0].single.id(len).filter(|_| SINGLES) {
                (unit.start, unit.len) = (id, SINGLE);
                continue;
            }
            *unit = Unit::load(text, start, len);
            if us(len) <= MAX_KEY {
                table.prefetch(unit.hash);
            } else {
                long.prefetch(unit.hash);
            }
        }
    }

    /// Writes the ids of units as long as they are single characters or this thread's table answers plainly; returns the
    /// units from the first other one on.
    fn known<'u, const SINGLES: bool>(&mut self, units: &'u [Unit]) -> &'u [Unit] {
        let Scratch { ids, learned, .. } = &mut *self.scratch;
        let (ids, table) = (ids.as_mut_slice(), learned.table.view());
        let mut count = self.count;
        let mut done = 0;
        for unit in units {
            if SINGLES && unit.len == SINGLE {
                let Some(place) = ids.get_mut(count) else { break };
                *place = unit.start;
                count += 1;
                done += 1;
                continue;
            }
            let Some(found) = table.find(unit.key, unit.hash) else { break };
            let Some(list) = found.simple() else { break };
            let Some(place) = ids.get_mut(count..count + 3) else { break };
            place.copy_from_slice(list);
            count += found.count();
            done += 1;
        }
        self.count = count;
        &units[done..]
    }

    /// A unit that this thread's table does not answer plainly.
    fn other(&mut self, unit: &Unit) {
        let (start, end) = (us(unit.start), us(unit.start + unit.len));
        if end - start > MAX_SOLVED {
            self.long_unit(start, end);
            return;
        }
        if let Some(flags) = self.recall(unit) {
            if flags & UNSETTLED != 0 {
                self.long_unit(start, end);
            }
            self.flags |= flags & UNKNOWN;
            return;
        }
        let Scratch { buffers, unit: ids, learned, .. } = &mut *self.scratch;
        ids.clear();
        let text = &self.text[start..end];
        learned.misses += 1;
        let flags = self.engine.segmenter.solve(text, buffers, ids).flags();
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
                self.long_unit(start, start + len);
            }
        }
        self.scratch.starts = starts;
    }

    /// Writes a known list, or segments the unit from its cell if the list may not hold.
    fn take(&mut self, list: &[u32], flags: u32, start: usize, len: usize) {
        if flags & UNSETTLED != 0 {
            self.long_unit(start, start + len);
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
        } else {
            learned.long.find(&self.text[us(unit.start)..us(unit.start + unit.len)], unit.hash)?
        };
        ids[self.count..self.count + list.len()].copy_from_slice(list);
        self.count += list.len();
        Some(flags)
    }

    /// A unit that is segmented by the plain path from its cell.
    fn long_unit(&mut self, start: usize, end: usize) {
        let is_unigram = matches!(self.engine.segmenter.algorithm, Algorithm::Unigram(_));
        if let (Some(open), true) = (&mut self.open, is_unigram) {
            open.deferred.push(Deferred { start: u32_of(start), end: u32_of(end), at: u32_of(self.count) });
            return;
        }
        self.sync();
        let Scratch { buffers, unit, .. } = &mut *self.scratch;
        unit.clear();
        let (cell, unknown) = self.engine.segmenter.exact(&self.text[start..end], self.running.cell, buffers, unit);
        let list = std::mem::take(unit);
        self.take(&list, u32::from(unknown) * UNKNOWN, start, end - start);
        self.scratch.unit = list;
        self.running = Running { cell, synced: self.count };
    }
}
