//! Cuts in text that is not ASCII, found in plain passes over some characters: what they are, what is known of each, which
//! of them begin units.
//!
//! No pass has a branch on what it finds, and none waits for another's loads, so that the memory behind the alphabet answers
//! many characters at once.

use super::alphabet::{AlphabetView, Letter};
use super::cuts::{character_length, decode, Cut};
use crate::cast::{u32_of, us};
use crate::index::lanes::{continuing, lead_of_two_or_four, read, BLOCK};

/// Blocks that are looked at in one go, at most.
pub const MAX_BLOCKS: usize = 4;
/// Characters that are decoded in one go.
const GROUP: usize = 8;
const ROOM: usize = MAX_BLOCKS * BLOCK;

/// Some characters of a text and the one before them.
pub struct Characters {
    /// Code points; the first is the one before.
    codes: [u32; ROOM + 1],
    /// Where each begins; the first is not used.
    at: [u32; ROOM + 1],
    /// What is known of each.
    letters: [Letter; ROOM + 1],
    /// How many there are, with the one before.
    count: usize,
}

impl Default for Characters {
    fn default() -> Self {
        Self { codes: [0; ROOM + 1], at: [0; ROOM + 1], letters: [Letter::default(); ROOM + 1], count: 0 }
    }
}

impl Characters {
    /// Reads the characters after the one at `from`, of some blocks and before `end`, at least one. Returns from where to go
    /// on: the last character read, unless it is the last before `end`.
    #[inline]
    pub fn read(&mut self, text: &[u8], from: usize, end: usize, blocks: usize) -> usize {
        let (before, length) = decode(text, from);
        self.codes[0] = before;
        self.count = 1;
        let mut at = from + length;
        for _ in 0..blocks.min(MAX_BLOCKS) {
            if at >= end {
                return end;
            }
            at = self.block(read(text, at, &mut [0; BLOCK + 4]), at, end);
        }
        match self.at[1..self.count].last() {
            _ if at >= end => end,
            Some(&last) => us(last),
            None => at,
        }
    }

    /// Adds the characters that begin in the block at `at` and before `end`; returns where the last of them ends.
    #[inline(always)]
    fn block(&mut self, bytes: &[u8; BLOCK + 4], at: usize, end: usize) -> usize {
        let codes = self.codes[self.count..].first_chunk_mut::<BLOCK>();
        let places = self.at[self.count..].first_chunk_mut::<BLOCK>();
        let (Some(block), Some(codes), Some(places)) = (bytes.first_chunk(), codes, places) else { return end };
        let mut starts = !continuing(block);
        if end - at < BLOCK {
            starts &= (1 << (end - at)) - 1;
        }
        let base = u32_of(at);
        let (mut found, mut last) = (0, 0);
        while starts != 0 {
            last = starts.trailing_zeros();
            starts &= starts - 1;
            codes[found % BLOCK] = word(bytes, last);
            places[found % BLOCK] = base + last;
            found += 1;
        }
        let length = character_length(bytes[us(last)]);
        let groups = codes.chunks_exact_mut(GROUP).take(found.div_ceil(GROUP)).flatten();
        if lead_of_two_or_four(block) == 0 {
            groups.for_each(|code| *code = one_or_three(*code));
        } else {
            groups.for_each(|code| *code = any(*code));
        }
        self.count += found;
        at + us(last) + length
    }

    /// Writes the places where the character before is not followed by the next one in any piece; returns how many.
    #[inline]
    #[must_use]
    pub fn cuts(&mut self, alphabet: &AlphabetView<'_>, cuts: &mut [Cut]) -> usize {
        let Self { codes, at, letters, count } = self;
        let (codes, at, letters) = (&codes[..*count], &at[..*count], &mut letters[..*count]);
        for (letter, &code) in letters.iter_mut().zip(codes) {
            *letter = alphabet.of(code);
        }
        let mut found = 0;
        for ((pair, &code), &at) in letters.windows(2).zip(&codes[1..]).zip(&at[1..]) {
            let Some(place) = cuts.get_mut(found) else { break };
            // Written in any case, counted if it is one.
            *place = Cut { at, single: pair[1].single };
            found += usize::from(!alphabet.may_follow(pair[0].row, code));
        }
        found
    }

    /// Writes the places of a character; returns how many.
    #[must_use]
    pub fn cuts_before(&self, mark: u32, cuts: &mut [Cut]) -> usize {
        let mut found = 0;
        for (&code, &at) in self.codes[1..self.count].iter().zip(&self.at[1..]) {
            let Some(place) = cuts.get_mut(found) else { break };
            *place = Cut { at, ..Cut::default() };
            found += usize::from(code == mark);
        }
        found
    }
}

/// The character that four bytes begin with, if it has one byte or three.
#[inline(always)]
fn one_or_three(word: u32) -> u32 {
    let wide = (word >> 7 & 1).wrapping_neg();
    let three = (word & 0x0F) << 12 | word >> 2 & 0xFC0 | word >> 16 & 0x3F;
    three & wide | word & 0x7F & !wide
}

/// The character that four bytes begin with.
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
