//! Chunks of byte vocabularies with mostly three-byte characters: units are found by character.

use crate::units::byte_boundary::character_at;
use crate::units::characters::{has, Marks, REACH};
use crate::units::engine::source::Window;
use crate::units::engine::Run;
use crate::units::scratch::EngineScratch;
use crate::util::simd::{between, continuing, equal, high, read, BLOCK};
use crate::util::{u32_of, us};

/// The chunks of a window that are left: they begin at `at`, and their ends are `scratch.ends[next..found]`.
pub(crate) struct ByteCharacters {
    at: usize,
    last: usize,
    next: usize,
    found: usize,
    /// Whether a chunk begins at `at`.
    is_first: bool,
    /// Where the positions of `marks` begin.
    base: u32,
    /// The bounds of chunks within reach of `base`.
    marks: Marks,
}

impl ByteCharacters {
    /// For chunks with mostly three-byte characters; `None` for others.
    pub(crate) fn new(run: &mut Run<'_, '_>, at: usize, found: usize) -> Option<Self> {
        let last = run.scratch.ends[..found].last().map_or(at, |&end| us(end));
        if !is_mostly_of_three(&run.text[at..last]) {
            return None;
        }
        let marks = [0; 2 * REACH / BLOCK];
        Some(Self { at, last, next: 0, found, is_first: true, base: 0, marks })
    }

    /// Whether the unit between two positions of the window is a proper part of its chunk.
    pub(crate) fn is_part(&self, start: u32, end: u32) -> bool {
        !(has(&self.marks, start - self.base) & has(&self.marks, end - self.base))
    }

    /// Finds the complete units within reach, or the one that extends beyond it; `None` after the last chunk.
    pub(crate) fn next(&mut self, run: &mut Run<'_, '_>) -> Option<Window> {
        let Self { at, last, next, found, is_first, .. } = *self;
        if at >= last {
            return None;
        }
        self.base = u32_of(at);
        self.marks = [0; 2 * REACH / BLOCK];
        self.marks[0] = u64::from(is_first);
        let EngineScratch { characters, ends, .. } = &mut *run.scratch;
        let rest = &ends[next..found];
        for place in rest.iter().map(|&end| us(end) - at).take_while(|&place| place < 2 * REACH) {
            self.marks[place / BLOCK] |= 1 << (place % BLOCK);
        }
        let (units, text) = (run.engine.units, run.text);
        let cuts = units.byte_cuts(run.engine.vocab);
        let char_ids = units.byte_char_ids(run.engine.vocab).view();
        let is_cut = |before, behind| cuts.is_cut(character_at(text, before), character_at(text, behind));
        let count = char_ids.map_or(0, |char_ids| {
            let reached = characters.read_bytes(text, at, last.min(at + REACH), &char_ids, &self.marks, is_cut);
            characters.complete((reached == last).then_some(last), 0)
        });
        if count == 0 {
            // No unit ends within reach: take it to the end of the chunk.
            let end = rest.first().map_or(last, |&end| us(end));
            (self.at, self.next, self.is_first) = (end, next + 1, true);
            return Some(Window::Long(at..end, is_first));
        }
        self.at = us(characters.at[count]);
        self.is_first = has(&self.marks, u32_of(self.at - at));
        self.next += rest.partition_point(|&end| us(end) <= self.at);
        Some(Window::Characters(count, self.at - at))
    }
}

/// Whether a text is valid UTF-8 and mostly three-byte characters.
fn is_mostly_of_three(text: &[u8]) -> bool {
    let (mut threes, mut is_sure, mut expected) = (0, true, 0);
    for at in (0..text.len()).step_by(BLOCK) {
        let mut padded = [0; BLOCK];
        let block = read(text, at, &mut padded);
        // All lead bytes but these two form a valid character with any two continuation bytes.
        let three = between(block, 0xE0, 0xEF);
        let sure = three & !equal(block, 0xE0) & !equal(block, 0xED);
        let inner = sure << 1 | sure << 2 | expected;
        is_sure &= high(block) == sure | inner && continuing(block) == inner;
        expected = sure >> 63 | sure >> 62;
        threes += us(three.count_ones());
    }
    2 * 3 * threes > text.len() && (is_sure && expected == 0 || std::str::from_utf8(text).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_told_from_bytes() {
        let text = "日本語を書く、中文。".repeat(9) + "é " + "😀" + &"한국\u{0E01}".repeat(8);
        assert!(is_mostly_of_three(text.as_bytes()) && !is_mostly_of_three("abc 日".as_bytes()));
        for size in [1, 3, 62, 63, 64, 66, 130, text.len()] {
            for at in 0..size.min(text.len()) {
                for byte in [b'a', 0x80, 0xBF, 0xC3, 0xE0, 0xE3, 0xED, 0xEF, 0xF0, 0xFF] {
                    let mut bytes = text.as_bytes()[..size.min(text.len())].to_vec();
                    bytes[at] = byte;
                    let is_text = std::str::from_utf8(&bytes).is_ok();
                    let threes = bytes.iter().filter(|&&byte| byte & 0xF0 == 0xE0).count();
                    assert_eq!(is_mostly_of_three(&bytes), is_text && 6 * threes > bytes.len(), "{size} {at} {byte}");
                }
            }
        }
    }
}
