//! Split text: units are chunks, or parts of them.

use crate::index::table::MAX_KEY;
use crate::segment::bpe::ranks::MAX_SHORT;
use crate::spec::stages::Splitter;
use crate::units::engine::source::{UnitSource, Window};
use crate::units::engine::{Run, BEHIND};
use crate::units::key::{Cut, WINDOW};
use crate::units::scratch::EngineScratch;
use crate::units::source::byte_characters::ByteCharacters;
use crate::util::{report, u32_of, us};

/// If fewer than one byte in this many is non-ASCII, only very long chunks are cut further.
const SPARSE: usize = 8;

/// The chunks of a splitter in the text from `at` to `end`.
pub(crate) struct Split {
    pub(crate) splitter: Splitter,
    pub(crate) at: usize,
    pub(crate) end: usize,
    /// Chunks that are read by character, before the next window.
    pub(crate) wide: Option<ByteCharacters>,
}

impl UnitSource for Split {
    #[inline(always)]
    fn next(&mut self, run: &mut Run<'_, '_>) -> Option<Window> {
        if let Some(window) = self.wide.as_mut().and_then(|wide| wide.next(run)) {
            return Some(window);
        }
        let Self { splitter, at, end, .. } = *self;
        if at >= end {
            return None;
        }
        let ends = &mut run.scratch.ends;
        ends.resize(WINDOW + BEHIND, 0);
        let found = splitter.chunks(run.text, at, end.min(at + WINDOW), run.engine.end, ends);
        let last = us(*ends[..found].last()?);
        // A text of one window is short, and one chunk may be longer than any window.
        if last < end || last - at > WINDOW {
            report(last - at);
        }
        self.at = last;
        chunk_window(run, at, found, &mut self.wide)
    }

    fn is_part(&self, start: u32, end: u32) -> bool {
        self.wide.as_ref().is_some_and(|wide| wide.is_part(start, end))
    }
}

/// The units of the chunks from `at` on whose ends are the first `found` of `scratch.ends`. Where they are read by
/// character, `wide` has the later windows.
#[inline(always)]
pub(crate) fn chunk_window(
    run: &mut Run<'_, '_>,
    at: usize,
    found: usize,
    wide: &mut Option<ByteCharacters>,
) -> Option<Window> {
    let last = run.scratch.ends[..found].last().map_or(at, |&last| us(last));
    if !run.engine.units.has_parts() || run.text[at..last].is_ascii() {
        return Some(Window::Chunks(at, found));
    }
    *wide = ByteCharacters::new(run, at, found);
    if let Some(wide) = wide {
        return wide.next(run);
    }
    cut_chunks(run, at, found);
    Some(Window::Parts(run.scratch.starts.len() - 1))
}

/// Cuts chunks further, where no piece spans two characters.
fn cut_chunks(run: &mut Run<'_, '_>, at: usize, found: usize) {
    let EngineScratch { starts, ends, .. } = &mut *run.scratch;
    starts.clear();
    starts.push(Cut::at(at));
    let window = &run.text[at..ends[..found].last().map_or(at, |&end| us(end))];
    let wide = window.iter().filter(|byte| !byte.is_ascii()).count();
    // In ASCII text, other characters are mostly punctuation, and chunks with them seldom long.
    let longest = if wide * SPARSE < window.len() { MAX_SHORT } else { MAX_KEY };
    let mut made = None;
    for &end in &ends[..found] {
        let first = starts.len() - 1;
        let start = starts[first].at;
        let chunk = &run.text[us(start)..us(end)];
        if chunk.len() > longest && !chunk.is_ascii() {
            let (cuts, is_text) = *made.get_or_insert_with(|| {
                let is_text = std::str::from_utf8(window).is_ok();
                report(window.len());
                (run.engine.units.byte_cuts(run.engine.vocab), is_text)
            });
            // Cuts are defined for valid UTF-8 only.
            if is_text || std::str::from_utf8(chunk).is_ok() {
                cuts.each(chunk, |place| {
                    starts.push(Cut { at: start + u32_of(place), is_part: true });
                });
            }
            if starts.len() > first + 1 {
                starts[first].is_part = true;
            }
        }
        starts.push(Cut { at: end, ..Cut::default() });
    }
}
