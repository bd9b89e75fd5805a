//! Many short texts at once: the rows of one text, each segmented as a text of its own.
//!
//! A window holds the units of several rows, so their cache entries are prefetched together, and what a run costs besides
//! its units is shared by all rows.

use std::ops::Range;

use crate::segment::UNKNOWN;
use crate::spec::stages::Splitter;
use crate::units::cache::load_units;
use crate::units::engine::source::UnitSource;
use crate::units::engine::{Engine, Run, BEHIND};
use crate::units::key::{Cut, Unit, WINDOW};
use crate::units::scratch::EngineScratch;
use crate::units::source::split::Split;
use crate::units::source::unsplit::Unsplit;
use crate::units::viterbi_state::ViterbiState;
use crate::util::utf8::complete;
use crate::util::{u32_of, us};

/// Whether readers of characters see the same next to another row: the text neither begins nor ends within a UTF-8
/// sequence.
pub(crate) fn is_row(text: &[u8]) -> bool {
    text.first().is_none_or(|&first| first & 0xC0 != 0x80) && complete(text) == text.len()
}

impl Engine<'_> {
    /// Segments each row of a text; `ends` are the ends of the rows, and [`crate::normalize::normalized::BEHIND`] readable
    /// bytes follow the last one. No row begins or ends within a UTF-8 sequence (see [`is_row`]). The ids of all rows are
    /// written to the beginning of `scratch.ids`, unknowns fused, and their numbers pushed to `counts`.
    pub fn run_rows(&self, text: &[u8], ends: &[u32], counts: &mut Vec<usize>, scratch: &mut EngineScratch) {
        let mut run = Run::new(self, text, ViterbiState::default(), None, scratch);
        let (mut at, mut rest) = (0, ends);
        while let Some(&end) = rest.first() {
            let before = counts.len();
            match self.units.splitter {
                Some(splitter) => run.chunk_rows(splitter, at, rest, counts),
                None => run.cut_rows(at, rest, counts),
            }
            if counts.len() == before {
                let engine = Engine { end: us(end), ..*self };
                let mut single = Run::new(&engine, text, ViterbiState::default(), None, &mut *run.scratch);
                single.count = run.count;
                single.single_row(at..us(end), counts);
                run.count = single.count;
            }
            let (done, later) = rest.split_at(counts.len() - before);
            (at, rest) = (done.last().map_or(at, |&end| us(end)), later);
        }
    }
}

impl Run<'_, '_> {
    /// Segments the leading rows from `at` on that fit into a window, by the ranges between cuts: none, if the first one
    /// is long or mostly non-ASCII.
    fn cut_rows(&mut self, at: usize, ends: &[u32], counts: &mut Vec<usize>) {
        let mut starts = std::mem::take(&mut self.scratch.starts);
        starts.resize(WINDOW + 2 + BEHIND, Cut::default());
        let mut rows = std::mem::take(&mut self.scratch.rows);
        rows.clear();
        let (mut units, mut begin) = (0, at);
        for end in ends.iter().map(|&end| us(end)).take_while(|&end| end - at <= WINDOW) {
            if begin < end {
                if self.engine.cuts.is_mostly_non_ascii(self.text, begin, end) {
                    break;
                }
                starts[units] = Cut::at(begin);
                let (found, _) = self.engine.cuts.scan_window(self.text, begin, end, false, &mut starts[units + 1..]);
                units += 1 + found;
            }
            rows.push(u32_of(units));
            begin = end;
        }
        starts[units] = Cut::at(begin);
        self.answer_rows(at..begin, starts[1..=units].iter().map(|cut| cut.at), &rows, counts);
        (self.scratch.starts, self.scratch.rows) = (starts, rows);
    }

    /// As [`Run::cut_rows`] for the chunks of a splitter; none, if the first row is not ASCII and its chunks have parts.
    fn chunk_rows(&mut self, splitter: Splitter, at: usize, ends: &[u32], counts: &mut Vec<usize>) {
        let mut chunks = std::mem::take(&mut self.scratch.ends);
        chunks.resize(WINDOW + BEHIND, 0);
        let mut rows = std::mem::take(&mut self.scratch.rows);
        rows.clear();
        let has_parts = self.engine.units.has_parts();
        let (mut units, mut begin) = (0, at);
        for end in ends.iter().map(|&end| us(end)).take_while(|&end| end - at <= WINDOW) {
            if has_parts && !self.text[begin..end].is_ascii() {
                break;
            }
            units += splitter.chunks(self.text, begin, end, end, &mut chunks[units..]);
            rows.push(u32_of(units));
            begin = end;
        }
        self.answer_rows(at..begin, chunks[..units].iter().copied(), &rows, counts);
        (self.scratch.ends, self.scratch.rows) = (chunks, rows);
    }

    /// Writes the ids of rows that are a window together, given by the ends of all their units and the number of units
    /// before the end of each row.
    #[inline(always)]
    fn answer_rows(
        &mut self,
        window: Range<usize>,
        ends: impl Iterator<Item = u32>,
        rows: &[u32],
        counts: &mut Vec<usize>,
    ) {
        let found = rows.last().map_or(0, |&units| us(units));
        let mut units = std::mem::take(&mut self.scratch.chunks);
        units.resize(units.len().max(found), Unit::default());
        load_units(self.text, window.start, ends, &self.scratch.cache, &mut units[..found]);
        self.reserve(window.len());
        self.begin_row();
        let (is_safe, source) = (self.is_safe(window.len()), Unsplit { at: 0, end: 0 });
        let mut first = 0;
        for end in rows.iter().map(|&end| us(end)) {
            let before = self.begin_row();
            if is_safe {
                self.answer::<_, false>(&source, &units[first..end]);
            } else {
                units[first..end].iter().for_each(|unit| source.careful(self, unit));
            }
            self.end_row(before, counts);
            first = end;
        }
        self.scratch.chunks = units;
    }

    /// Segments one row by windows of its own.
    fn single_row(&mut self, Range { start: at, end }: Range<usize>, counts: &mut Vec<usize>) {
        let before = self.begin_row();
        match self.engine.units.splitter {
            Some(splitter) => self.drive(&mut Split { splitter, at, end, wide: None }, usize::MAX),
            None => self.drive(&mut Unsplit { at, end }, usize::MAX),
        }
        self.end_row(before, counts);
    }

    /// Begins the dynamic program anew; returns the number of ids before.
    fn begin_row(&mut self) -> usize {
        self.running = ViterbiState { cell: 0.0, synced: self.count };
        self.flags = 0;
        self.count
    }

    fn end_row(&mut self, before: usize, counts: &mut Vec<usize>) {
        if self.flags & UNKNOWN != 0 {
            self.fuse_unknown(before);
        }
        counts.push(self.count - before);
    }
}
