//! Text that is not split: units are the ranges between cut points.

use crate::units::engine::source::{UnitSource, Window};
use crate::units::engine::{Run, BEHIND};
use crate::units::key::{Cut, WINDOW};
use crate::units::viterbi_state::Mark;
use crate::util::{report, u32_of, us};

/// The text from `at` to `end`.
pub(crate) struct Unsplit {
    pub(crate) at: usize,
    pub(crate) end: usize,
}

impl UnitSource for Unsplit {
    #[inline(always)]
    fn next(&mut self, run: &mut Run<'_, '_>) -> Option<Window> {
        let Self { at, end } = *self;
        if at >= end {
            return None;
        }
        let stop = end.min(at + WINDOW);
        // A text of one window is short.
        if stop < end {
            report(stop - at);
        }
        if let Some(open) = &mut run.open {
            open.marks.push(Mark { text: u32_of(at), ids: u32_of(run.count) });
        }
        let window = match run.engine.cuts.is_mostly_non_ascii(run.text, at, end) {
            true => by_characters(run, at, stop, end),
            false => None,
        };
        let (next, window) = window.unwrap_or_else(|| by_cuts(run, at, stop, end));
        self.at = next;
        Some(window)
    }
}

/// The complete units at `stop` of mostly non-ASCII text, found by character, and where they end; `None` if there is no
/// complete one.
fn by_characters(run: &mut Run<'_, '_>, at: usize, stop: usize, end: usize) -> Option<(usize, Window)> {
    let char_ids = run.engine.units.cuts.char_ids()?;
    let characters = &mut run.scratch.characters;
    let reached = characters.read(run.text, at, stop, &char_ids);
    let count = characters.complete((reached == end).then_some(end), 0);
    let last = us(characters.at[count]);
    (count > 0).then_some((last, Window::Characters(count, last - at)))
}

/// The complete units at `stop`, or the one that extends beyond it, and where they end.
#[inline(always)]
fn by_cuts(run: &mut Run<'_, '_>, at: usize, stop: usize, end: usize) -> (usize, Window) {
    let starts = &mut run.scratch.starts;
    starts.resize(WINDOW + 2 + BEHIND, Cut::default());
    starts[0] = Cut::at(at);
    let (found, reached) = run.engine.cuts.scan_window(run.text, at, stop, true, &mut starts[1..]);
    let last = if reached == end { end } else { us(starts[found].at) };
    if last == at {
        let unit_end = run.engine.unit_end(run.text, at, end);
        return (unit_end, Window::Long(at..unit_end, true));
    }
    if reached == end {
        starts[found + 1] = Cut::at(end);
    }
    (last, Window::Cuts(at, found + usize::from(reached == end)))
}
