//! The characters of a window of non-ASCII text: the single id of each, and which of them begin units.
//!
//! One loop decodes a character, looks it up and tests the bigram with the previous one. It is branch-free in its
//! results, and no iteration depends on another's loads, so that many cache misses overlap.

pub(crate) mod bytes;
pub(crate) mod code_points;

pub use crate::units::characters::bytes::{has, ByteCharIds, Marks, REACH};

use crate::units::char_ids::{CharIds, NONE};
use crate::units::key::{Cut, WINDOW};
use crate::util::simd::{between, continuing, equal, high, lead_of_two_or_four, read, BLOCK};
use crate::util::utf8::character_length;
use crate::util::{u32_of, us};

/// Maximum non-ASCII bytes of a block that is left to [`crate::units::boundary`].
pub const MAX_SPARSE: u32 = 16;
/// Groups of 64 characters: the maximum of a window, and one more.
const GROUPS: usize = WINDOW / BLOCK + 2;
/// Capacity in characters.
pub const ROOM: usize = GROUPS * BLOCK;

/// The characters of a window.
pub struct Characters {
    /// The position of each character.
    pub at: [u32; ROOM],
    /// The id of each as a unit of its own; [`NONE`] where it takes more than one id.
    pub ids: [u32; ROOM],
    /// 1 for each that begins a unit.
    pub(crate) begins: [u8; ROOM],
    /// The code points, where a text was given as such.
    pub(crate) codes: [u16; ROOM + 8],
    /// The number of characters.
    pub(crate) count: usize,
}

/// The columns of the next `N` characters.
pub(crate) struct Room<'a, const N: usize> {
    pub(crate) codes: &'a mut [u16; N],
    pub(crate) ids: &'a mut [u32; N],
    pub(crate) begins: &'a mut [u8; N],
}

impl Default for Characters {
    fn default() -> Self {
        Self { at: [0; ROOM], ids: [0; ROOM], begins: [0; ROOM], codes: [0; ROOM + 8], count: 0 }
    }
}

impl Characters {
    /// Reads the characters that begin in `text[from..end]`, at most a window, up to the first block that is mostly
    /// ASCII; `from` must be a unit start. Returns where it stopped.
    #[inline]
    pub fn read(&mut self, text: &[u8], from: usize, end: usize, char_ids: &CharIds<'_>) -> usize {
        self.count = 0;
        let (mut at, mut before) = (from, 0);
        while at < end {
            let mut padded = [0; BLOCK + 4];
            let bytes = read(text, at, &mut padded);
            let block = bytes.first_chunk().unwrap_or(&[0; BLOCK]);
            if at > from && end - at >= BLOCK && high(block).count_ones() <= MAX_SPARSE {
                break;
            }
            let places = self.at[self.count..].first_chunk_mut::<BLOCK>();
            let ids = self.ids[self.count..].first_chunk_mut::<BLOCK>();
            let begins = self.begins[self.count..].first_chunk_mut::<BLOCK>();
            let (Some(places), Some(ids), Some(begins)) = (places, ids, begins) else { break };
            let mut found = 0;
            at = each_in_block(bytes, at, end, |code, at| {
                let place = found % BLOCK;
                places[place] = at;
                ids[place] = char_ids.id(code);
                begins[place] = u8::from(!char_ids.neighbours.may_follow(before, code));
                before = code;
                found += 1;
            });
            self.count += found;
        }
        self.begins[0] = 1;
        at
    }

    /// The number of characters in complete units: all if the text ends at `end`, where the last one ends; else those
    /// before the last known unit start. For the last `open` characters it is still unknown whether they begin a unit.
    pub fn complete(&mut self, end: Option<usize>, open: usize) -> usize {
        if let (Some(end), Some(place)) = (end, self.at.get_mut(self.count)) {
            (*place, self.begins[self.count]) = (u32_of(end), 1);
            return self.count;
        }
        self.begins[..self.count.saturating_sub(open)].iter().rposition(|&begins| begins == 1).unwrap_or(0)
    }

    /// Keeps the characters from index `first` on.
    pub(crate) fn keep_from(&mut self, first: usize) {
        if first == 0 {
            return;
        }
        let rest = first..self.count;
        self.codes.copy_within(rest.clone(), 0);
        self.ids.copy_within(rest.clone(), 0);
        self.begins.copy_within(rest, 0);
        self.count -= first;
    }

    /// The columns of the next `N` characters, if there is room.
    #[inline(always)]
    pub(crate) fn next<const N: usize>(&mut self) -> Option<Room<'_, N>> {
        Some(Room {
            codes: self.codes.get_mut(self.count..)?.first_chunk_mut()?,
            ids: self.ids.get_mut(self.count..)?.first_chunk_mut()?,
            begins: self.begins.get_mut(self.count..)?.first_chunk_mut()?,
        })
    }

    /// The number of units in the first `count` characters.
    #[inline]
    pub fn units(&self, count: usize) -> usize {
        self.begins[..count].iter().map(|&begins| usize::from(begins)).sum()
    }

    /// Calls `visit` with the first character of each unit and of the next one, among the first `count` characters: for
    /// units other than single characters with a known id, or for all.
    #[inline(always)]
    pub fn each_unit(&self, count: usize, all: bool, mut visit: impl FnMut(usize, usize)) {
        let mut open = None;
        for from in (0..=count / BLOCK).map(|group| group * BLOCK) {
            let begins = self.begins_of(from, count + 1 - from);
            let next = begins >> 1 | u64::from(self.begins[(from + BLOCK) % ROOM]) << 63;
            let mut chosen = begins & first_bits(count - from);
            if !all {
                chosen &= !(next & self.known_of(from));
            }
            if let (Some(first), true) = (open, begins != 0) {
                visit(first, from + us(begins.trailing_zeros()));
                open = None;
            }
            while chosen != 0 {
                let index = chosen.trailing_zeros();
                chosen &= chosen - 1;
                let after = begins & (u64::MAX - 1) << index;
                if after == 0 {
                    open = Some(from + us(index));
                    break;
                }
                visit(from + us(index), from + us(after.trailing_zeros()));
            }
        }
    }

    /// Which of the 64 characters from `from` on begin units, no more than the first `count` of them.
    #[inline(always)]
    fn begins_of(&self, from: usize, count: usize) -> u64 {
        self.begins[from..].first_chunk().map_or(0, |block| equal(block, 1)) & first_bits(count)
    }

    /// Mask of the 64 characters from `from` on that have a single id.
    #[inline(always)]
    fn known_of(&self, from: usize) -> u64 {
        let mut flags = [0; BLOCK];
        for (flag, &id) in flags.iter_mut().zip(&self.ids[from..]) {
            *flag = if id == NONE { 0 } else { 0x80 };
        }
        high(&flags)
    }
}

/// A mask of the lowest `count` bits.
#[inline(always)]
fn first_bits(count: usize) -> u64 {
    if count < BLOCK {
        (1 << count) - 1
    } else {
        u64::MAX
    }
}

/// Calls `visit` with each character that begins in the block at `at` and before `end`, and with its position. Returns
/// where the last of them ends.
#[inline(always)]
fn each_in_block(bytes: &[u8; BLOCK + 4], at: usize, end: usize, visit: impl FnMut(u32, u32)) -> usize {
    let block = bytes.first_chunk().unwrap_or(&[0; BLOCK]);
    let starts = !continuing(block) & first_bits(end - at);
    if lead_of_two_or_four(block) == 0 {
        each_start(bytes, starts, u32_of(at), one_or_three, visit);
    } else if between(block, 0xE0, 0xF7) == 0 {
        each_start(bytes, starts, u32_of(at), one_or_two, visit);
    } else {
        each_start(bytes, starts, u32_of(at), any, visit);
    }
    let last = us(starts.leading_zeros() ^ 63) % BLOCK;
    at + last + character_length(bytes[last])
}

#[inline(always)]
fn each_start(
    bytes: &[u8; BLOCK + 4],
    mut starts: u64,
    base: u32,
    decode: impl Fn(u32) -> u32,
    mut visit: impl FnMut(u32, u32),
) {
    while starts != 0 {
        let index = starts.trailing_zeros();
        starts &= starts - 1;
        visit(decode(word(bytes, index)), base + index);
    }
}

/// Writes the cuts after the character at `from`, within a block and before `end`; returns their number, and where to
/// continue: at the last character examined, or `end`.
#[inline(always)]
pub fn scan_block(
    text: &[u8],
    from: usize,
    end: usize,
    cuts: &mut [Cut; BLOCK],
    is_cut: impl Fn(u32, u32) -> bool,
) -> (usize, usize) {
    let (mut before, mut last, mut found) = (None, from, 0);
    let after = each_in_block(read(text, from, &mut [0; BLOCK + 4]), from, end, |code, at| {
        // Always written, counted only if it is a cut.
        cuts[found % BLOCK] = Cut { at, is_part: false };
        found += usize::from(before.is_some_and(|before| is_cut(before, code)));
        (before, last) = (Some(code), us(at));
    });
    // A block has a second character, unless a damaged file yields invalid text.
    let next = if last > from { last } else { after.max(from + 1) };
    (found, if after >= end { end } else { next })
}

/// The character at the start of four bytes, if it has one byte or three.
#[inline(always)]
fn one_or_three(word: u32) -> u32 {
    let three = (word & 0x0F) << 12 | word >> 2 & 0xFC0 | word >> 16 & 0x3F;
    if word & 0x80 == 0 {
        word & 0x7F
    } else {
        three
    }
}

/// The character at the start of four bytes, if it has one byte or two.
#[inline(always)]
fn one_or_two(word: u32) -> u32 {
    let two = (word & 0x1F) << 6 | word >> 8 & 0x3F;
    if word & 0x80 == 0 {
        word & 0x7F
    } else {
        two
    }
}

/// The character at the start of four bytes.
#[inline(always)]
fn any(word: u32) -> u32 {
    let (second, third, fourth) = (word >> 8 & 0x3F, word >> 16 & 0x3F, word >> 24 & 0x3F);
    let two = (word & 0x1F) << 6 | second;
    let three = (word & 0x0F) << 12 | second << 6 | third;
    let four = (word & 0x07) << 18 | second << 12 | third << 6 | fourth;
    let when = |is: bool| u32::from(is).wrapping_neg();
    word & 0x7F & when(word & 0x80 == 0)
        | two & when(word & 0xE0 == 0xC0)
        | three & when(word & 0xF0 == 0xE0)
        | four & when(word & 0xF0 == 0xF0)
}

#[inline(always)]
fn word(bytes: &[u8; BLOCK + 4], index: u32) -> u32 {
    let index = us(index) % BLOCK;
    bytes[index..index + 4].first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::bigrams::{Bigrams, Pairs};
    use crate::units::char_ids::CharTable;

    /// Texts of characters of the given widths, with unrelated padding.
    fn text(characters: &[char], round: u32, count: u32) -> (Vec<char>, Vec<u8>) {
        let mut state = round.wrapping_mul(0x9E37_79B9) | 1;
        let mut next = |below: usize| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            us(state >> 8) % below
        };
        let chosen: Vec<char> = (0..count).map(|_| characters[next(characters.len())]).collect();
        let mut bytes = chosen.iter().collect::<String>().into_bytes();
        bytes.extend("日本".bytes().chain([0; 128]));
        (chosen, bytes)
    }

    fn is_other(unit: &[char], ids: &[(u32, u32)]) -> bool {
        !matches!(unit, [one] if ids.iter().any(|(code, _)| *code == u32::from(*one)))
    }

    #[test]
    fn units_are_the_definition_for_characters_of_every_width() {
        let sets = ["日本語を書く ", "аб вг", "a日б😀", "日"];
        let ids: Vec<(u32, u32)> = "日語аa ".chars().zip(7..).map(|(one, id)| (u32::from(one), id)).collect();
        for (round, set) in (0u32..400).zip(sets.iter().cycle()) {
            let characters: Vec<char> = set.chars().collect();
            let (chosen, bytes) = text(&characters, round, 1 + round % 300);
            let pairs: Pairs = chosen
                .windows(2)
                .filter(|pair| (u32::from(pair[0]) * 7 + u32::from(pair[1])) % 3 == round % 3)
                .map(|pair| (pair[0].into(), pair[1].into()))
                .collect();
            let char_table = CharTable::build(&ids, Bigrams::of_pairs(&pairs));
            let view = char_table.neighbours();
            let may_follow = |pair: &[char]| view.may_follow(pair[0].into(), pair[1].into());
            let units: Vec<&[char]> = chosen.chunk_by(|one, other| may_follow(&[*one, *other])).collect();
            let length: usize = chosen.iter().map(|one| one.len_utf8()).sum();
            let mut found = Characters::default();
            let char_ids = char_table.char_ids();
            assert!(char_ids.is_some());
            let Some(char_ids) = char_ids else { return };
            let reached = found.read(&bytes, 0, length.min(WINDOW), &char_ids);
            let count = found.complete((reached == length).then_some(length), 0);
            for all in [true, false] {
                let mut seen = Vec::new();
                found.each_unit(count, all, |first, behind| seen.push((found.at[first], found.at[behind])));
                let (mut at, mut expected) = (0, Vec::new());
                for unit in &units {
                    let end = at + u32_of(unit.iter().map(|one| one.len_utf8()).sum());
                    if end <= found.at[count] && (all || is_other(unit, &ids)) {
                        expected.push((at, end));
                    }
                    at = end;
                }
                assert_eq!(seen, expected, "{round} {all}");
            }
            assert!(reached == length || length > WINDOW || set.contains('a'));
            assert!(count == chosen.len() || reached < length);
        }
    }
}
