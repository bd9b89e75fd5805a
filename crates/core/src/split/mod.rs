//! Pre-tokenization: hand-written scanners equivalent to the regular expressions of well-known tokenizers.
//!
//! Every scanner takes linear time on any text and allocates nothing. The tests compare each with its expression.
//! `blocks` is the SIMD fast path; the files named for the patterns are the complete definition.

pub(crate) mod blocks;
pub(crate) mod cl100k;
pub mod classes;
pub(crate) mod classes_table;
pub(crate) mod deepseek;
pub(crate) mod gpt2;
pub(crate) mod lines;
pub(crate) mod newer_table;
pub(crate) mod o200k;
pub(crate) mod one_pass;
pub mod rules;
pub(crate) mod shared;
pub mod stages;
#[cfg(test)]
mod tests;

use crate::spec::stages::Splitter;
use crate::split::blocks::Masks;
use crate::split::cl100k::Cl100k;
use crate::split::classes::{character, character_before, run_end, LOWER, SPACE, UPPER};
use crate::split::deepseek::DeepseekV3;
use crate::split::gpt2::Gpt2;
use crate::split::lines::Lines;
use crate::split::o200k::O200k;
use crate::split::shared::Scanner;
use crate::util::cast::{u32_of, us};
use crate::util::interrupt::report;
use crate::util::simd::{places, BLOCK};
use crate::util::utf8::complete;

/// Maximum look-ahead, in characters, of a chunk boundary outside of runs: a contraction with its quote.
const LOOK_AHEAD: usize = 3;
/// Bytes whose chunks are found at a time.
const WINDOW: usize = 1024;

impl Splitter {
    /// All splitters.
    pub const ALL: [Self; 12] = [
        Self::Gpt2,
        Self::Cl100k,
        Self::Llama3,
        Self::Qwen2,
        Self::O200k,
        Self::Tekken,
        Self::Starcoder,
        Self::DeepseekV3,
        Self::Gpt2Old,
        Self::Llama3Old,
        Self::Qwen2Old,
        Self::Lines,
    ];

    /// Writes the ends of chunks of `text[from..]`, which begins at a chunk start, until one reaches `stop` or `end`;
    /// returns their number.
    ///
    /// `end` is the end of the text for the pattern: look-aheads see nothing after it. The last chunk may end beyond
    /// `stop`. `ends` should have room for `stop - from + 64` entries; with less room fewer are written. Fastest if 68
    /// bytes can be read after `end`.
    pub fn chunks(&self, text: &[u8], from: usize, stop: usize, end: usize, ends: &mut [u32]) -> usize {
        self.scanner().0(text, from, stop, end, ends)
    }

    /// Calls `visit` with start and end of each chunk of a text, which ends at `end`; see [`Splitter::chunks`].
    pub fn each_chunk(&self, text: &[u8], end: usize, mut visit: impl FnMut(usize, usize)) {
        let (mut ends, mut at) = ([0; WINDOW + BLOCK], 0);
        while at < end {
            report(WINDOW);
            let found = self.chunks(text, at, end.min(at + WINDOW), end, &mut ends);
            for &next in &ends[..found] {
                visit(at, us(next));
                at = us(next);
            }
        }
    }

    /// The scanner's functions for [`Splitter::chunks`] and [`Splitter::chunk_end`].
    fn scanner(&self) -> (Scan, ChunkEnd) {
        match self {
            Self::Gpt2 => functions::<Gpt2<false, false>>(),
            Self::Cl100k => functions::<Cl100k<3, true, false>>(),
            Self::Llama3 => functions::<Cl100k<3, false, false>>(),
            Self::Qwen2 => functions::<Cl100k<1, false, false>>(),
            Self::O200k => functions::<O200k<3, true>>(),
            Self::Tekken => functions::<O200k<1, false>>(),
            Self::Starcoder => functions::<Gpt2<false, true>>(),
            Self::DeepseekV3 => functions::<DeepseekV3>(),
            Self::Gpt2Old => functions::<Gpt2<true, false>>(),
            Self::Llama3Old => functions::<Cl100k<3, false, true>>(),
            Self::Qwen2Old => functions::<Cl100k<1, false, true>>(),
            Self::Lines => functions::<Lines>(),
        }
    }

    /// Whether each prefix of a long chunk is a chunk too, if the text ends there: for chunks of ASCII without an
    /// apostrophe next to letters, of hiragana and ideographs, and of punctuation, all with at most one space before
    /// and more text after them, and for chunks of spaces without white space before them.
    pub const fn keeps_runs(&self) -> bool {
        !matches!(self, Self::Starcoder | Self::DeepseekV3)
    }

    /// The end of the chunk that begins at `at`; `end` is the end of the text for the pattern.
    pub fn chunk_end(&self, text: &[u8], at: usize, end: usize) -> usize {
        let text = &text[..end.min(text.len())];
        if at >= text.len() {
            return text.len();
        }
        self.scanner().1(text, at)
    }

    /// Whether the chunks before `at`, a chunk end, are final whatever is appended to a text that now ends at `end`.
    ///
    /// Conservative: `false` wherever fewer than three complete characters follow. Takes time linear in the run of
    /// white space or upper case after `at`, if such a run can affect the chunks before; else constant time.
    pub fn is_settled(&self, text: &[u8], at: usize, end: usize) -> bool {
        let text = &text[..end.min(text.len())];
        let text = &text[..complete(text)];
        if at == 0 || at >= text.len() {
            return at == 0;
        }
        if *self == Self::Lines {
            return text[at] != b'\n';
        }
        let (before, next) = (character_before::<false>(text, at), character::<false>(text, at));
        let run_end = if before.is(SPACE) && next.is(SPACE) {
            // The end of the run decides where the whole run is cut.
            run_end::<false>(text, at, SPACE)
        } else if matches!(self, Self::O200k | Self::Tekken) && before.is(UPPER) && before.is(LOWER) {
            // Upper case joins caseless letters before it, if lower case follows.
            run_end::<false>(text, at, UPPER)
        } else {
            at
        };
        run_end < text.len() && has_characters(text, at, LOOK_AHEAD)
    }
}

/// Whether there are at least `count` characters from `at` on.
fn has_characters(text: &[u8], mut at: usize, count: usize) -> bool {
    (0..count).all(|_| {
        let next = character::<false>(text, at);
        at += next.length;
        next.length != 0
    })
}

/// See [`Splitter::chunks`].
type Scan = fn(&[u8], usize, usize, usize, &mut [u32]) -> usize;
/// See [`Scanner::chunk_end`].
type ChunkEnd = fn(&[u8], usize) -> usize;

const fn functions<S: Scanner>() -> (Scan, ChunkEnd) {
    (scan::<S>, S::chunk_end)
}

fn scan<S: Scanner>(text: &[u8], from: usize, stop: usize, end: usize, ends: &mut [u32]) -> usize {
    let end = end.min(text.len());
    let stop = stop.min(end);
    let (mut at, mut found) = (from, 0);
    while at < stop {
        let Some(room) = ends.get_mut(found..).and_then(|ends| ends.first_chunk_mut()) else { break };
        let written = block::<S>(text, at, stop, end, room);
        if let Some(&last) = room[..written].last() {
            at = us(last);
            found += written;
        } else {
            at = S::chunk_end(&text[..end], at);
            room[0] = u32_of(at);
            found += 1;
        }
    }
    found
}

/// Writes the final ends of chunks of the 64 bytes at `at`, until one reaches `stop`; returns their number.
#[inline(always)]
fn block<S: Scanner>(text: &[u8], at: usize, stop: usize, end: usize, ends: &mut [u32; BLOCK]) -> usize {
    let masks = Masks::read(text, at, end, S::CASED, S::OLD);
    let Some(starts) = S::starts(&masks, &text[..end], at) else { return 0 };
    let (mut starts, mut ended) = masks.sure(starts, end - at);
    if stop - at < BLOCK {
        let beyond = starts & (!0 << (stop - at));
        starts = starts & !beyond | beyond & beyond.wrapping_neg();
        ended &= beyond == 0;
    }
    let base = u32_of(at);
    let mut written = 0;
    for start in places(starts) {
        ends[written % BLOCK] = base + start;
        written += 1;
    }
    if ended {
        ends[written % BLOCK] = u32_of(end);
        written += 1;
    }
    written
}
