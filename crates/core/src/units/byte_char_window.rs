//! Windows over chunks of byte vocabularies with mostly three-byte characters: units are found by character.

use crate::units::byte_boundary::whole;
use crate::units::characters::{has, Characters, Marks, REACH, ROOM};
use crate::units::engine::Run;
use crate::units::key::Cut;
use crate::units::key::Unit;
use crate::units::non_ascii_window::SHORT_UNITS;
use crate::units::scratch::EngineScratch;
use crate::util::cast::{u16_of, u32_of, us};
use crate::util::simd::{between, continuing, equal, high, read, BLOCK};

impl Run<'_, '_> {
    /// Writes the ids of chunks with mostly three-byte characters; returns false and does nothing for others.
    pub(crate) fn wide_chunks(&mut self, at: usize, found: usize) -> bool {
        let ends = std::mem::take(&mut self.scratch.ends);
        let last = ends[..found].last().map_or(at, |&end| us(end));
        let window = &self.text[at..last];
        let is_wide = is_mostly_of_three(window);
        if is_wide {
            self.scratch.pairs.open();
            self.wide_units(at, &ends[..found]);
        }
        self.scratch.ends = ends;
        is_wide
    }

    fn wide_units(&mut self, mut at: usize, ends: &[u32]) {
        let last = ends.last().map_or(at, |&end| us(end));
        let (mut rest, mut is_first) = (ends, true);
        while at < last {
            let stop = last.min(at + REACH);
            let mut marks: Marks = [0; 2 * REACH / BLOCK];
            marks[0] = u64::from(is_first);
            for place in rest.iter().map(|&end| us(end) - at).take_while(|&place| place < 2 * REACH) {
                marks[place / BLOCK] |= 1 << (place % BLOCK);
            }
            let next = self.some_units(at, stop, last, &marks);
            if next == at {
                // No unit ends within reach: take it to the end of the chunk.
                let end = rest.first().map_or(last, |&end| us(end));
                self.long_unit(at, end, is_first);
                (at, rest, is_first) = (end, &rest[1..], true);
                continue;
            }
            is_first = has(&marks, u32_of(next - at));
            rest = &rest[rest.partition_point(|&end| us(end) <= next)..];
            at = next;
        }
    }

    /// Processes the units that are complete at `stop`. Returns where the last of them ends.
    fn some_units(&mut self, at: usize, stop: usize, last: usize, marks: &Marks) -> usize {
        let (units, text) = (self.engine.units, self.text);
        let cuts = units.byte_cuts(self.engine.vocab);
        let Some(letters) = units.byte_letters(self.engine.vocab).view() else { return at };
        let EngineScratch { characters, pairs, .. } = &mut *self.scratch;
        let is_cut = |before, behind| cuts.between(whole(text, before), whole(text, behind), pairs);
        let reached = characters.read_bytes(text, at, stop, &letters, marks, is_cut);
        let count = characters.complete((reached == last).then_some(last), 0);
        let next = us(characters.at[count]);
        if count == 0 {
            return at;
        }
        let tells_apart = next - at < SHORT_UNITS * characters.units(count);
        let mut others = std::mem::take(&mut self.scratch.units);
        others.resize(ROOM, Unit::default());
        let (mut found, base) = (0, u32_of(at));
        let Characters { at: places, .. } = &*self.scratch.characters;
        self.scratch.characters.each_unit(count, !tells_apart, |first, behind| {
            if let Some(place) = others.get_mut(found) {
                let (start, end) = (places[first], places[behind]);
                let is_part = !(has(marks, start - base) & has(marks, end - base));
                let unit = self.find_key(Cut { at: start, is_part }, end);
                *place = Unit { first: u16_of(first), behind: u16_of(behind), ..unit };
                found += 1;
            }
        });
        self.answer_characters(&others[..found], count, tells_apart);
        self.scratch.units = others;
        next
    }
}

/// Whether a text is valid UTF-8 and mostly three-byte characters.
fn is_mostly_of_three(text: &[u8]) -> bool {
    let (mut threes, mut is_plain, mut expected) = (0, true, 0);
    for at in (0..text.len()).step_by(BLOCK) {
        let mut padded = [0; BLOCK];
        let block = read(text, at, &mut padded);
        // All lead bytes but these two form a valid character with any two continuation bytes.
        let three = between(block, 0xE0, 0xEF);
        let sure = three & !equal(block, 0xE0) & !equal(block, 0xED);
        let inner = sure << 1 | sure << 2 | expected;
        is_plain &= high(block) == sure | inner && continuing(block) == inner;
        expected = sure >> 63 | sure >> 62;
        threes += us(three.count_ones());
    }
    2 * 3 * threes > text.len() && (is_plain && expected == 0 || std::str::from_utf8(text).is_ok())
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
