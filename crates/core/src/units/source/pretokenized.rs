//! Pre-tokenized text: chunks that rules made, each segmented by itself.

use crate::segment::unigram::bounded::MAX_SOLVED;
use crate::segment::UNKNOWN;
use crate::units::engine::source::{UnitSource, Window};
use crate::units::engine::Run;
use crate::units::key::{Cut, WINDOW};
use crate::units::source::byte_characters::ByteCharacters;
use crate::units::source::split::chunk_window;
use crate::units::source::unsplit::Unsplit;
use crate::units::viterbi_state::ViterbiState;
use crate::util::{report, us};

/// The chunks that are left, from `at` on.
pub(crate) struct Pretokenized<'a> {
    at: usize,
    ends: &'a [u32],
    /// Chunks that are read by character, before the next window.
    wide: Option<ByteCharacters>,
    /// A chunk of many units, before the next window, and the number of ids before it.
    long: Option<(Unsplit, usize)>,
}

impl<'a> Pretokenized<'a> {
    /// For chunks with these ends.
    pub(crate) const fn new(ends: &'a [u32]) -> Self {
        Self { at: 0, ends, wide: None, long: None }
    }

    /// The units of the chunks that are begun.
    fn begun(&mut self, run: &mut Run<'_, '_>) -> Option<Window> {
        if let Some((chunk, before)) = &mut self.long {
            let window = chunk.next(run);
            if window.is_some() {
                return window;
            }
            if run.flags & UNKNOWN != 0 {
                run.fuse_unknown(*before);
            }
            self.long = None;
        }
        self.wide.as_mut()?.next(run)
    }

    /// Takes the chunks of the next window: those that end within it, or the next one alone.
    fn take(&mut self, is_last: impl Fn(usize) -> bool) -> usize {
        let fits = |&end: &u32| us(end) < self.at + WINDOW;
        let mut some = self.ends.partition_point(fits).max(1);
        let mut before = self.at;
        for (index, &end) in self.ends[..some].iter().enumerate() {
            if is_last(us(end) - before) {
                some = index.max(1);
                break;
            }
            before = us(end);
        }
        some
    }
}

impl UnitSource for Pretokenized<'_> {
    fn next(&mut self, run: &mut Run<'_, '_>) -> Option<Window> {
        let window = self.begun(run);
        if window.is_some() || self.ends.is_empty() {
            return window;
        }
        let (units, at) = (run.engine.units, self.at);
        let some = self.take(|length| units.has_cuts() && length > MAX_SOLVED);
        let (window, later) = self.ends.split_at(some);
        (self.at, self.ends) = (window.last().map_or(at, |&end| us(end)), later);
        report(self.at - at);
        if units.has_cuts() && self.at - at > MAX_SOLVED && some == 1 {
            run.running = ViterbiState { cell: 0.0, synced: run.count };
            let (chunk, _) = self.long.insert((Unsplit { at, end: self.at }, run.count));
            return chunk.next(run);
        }
        if !units.has_cuts() && units.has_parts() {
            let ends = &mut run.scratch.ends;
            ends.clear();
            ends.extend_from_slice(window);
            return chunk_window(run, at, some, &mut self.wide);
        }
        let starts = &mut run.scratch.starts;
        starts.clear();
        starts.push(Cut::at(at));
        starts.extend(window.iter().map(|&at| Cut { at, ..Cut::default() }));
        Some(Window::Whole(some))
    }

    fn may_stop(&self) -> bool {
        self.long.is_none()
    }

    fn is_part(&self, start: u32, end: u32) -> bool {
        self.wide.as_ref().is_some_and(|wide| wide.is_part(start, end))
    }
}
