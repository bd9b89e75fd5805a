//! Runs of text that the normalizer leaves alone, copied instead of walked.
//!
//! What is copied here is what [`Normalizer::step`] would give, because the classes say so; everything else takes that step.

use super::charsmap::Charsmap;
use super::classes::{ClassView, CLASS, LATER, MAPPED, PLAIN, SLOW, STARTER};
use super::{Normalized, Normalizer};
use crate::cast::u32_of;
use crate::vocab::SPACE_MARK;

/// Bytes copied at once where all of them are plain.
const BLOCK: usize = 32;

/// One call's way through a text.
pub(super) struct Run<'a> {
    pub(super) normalizer: &'a Normalizer,
    pub(super) text: &'a [u8],
    /// Chunks that begin before this are handled.
    pub(super) stop: usize,
    /// What is added to a place in `text` to give an origin.
    pub(super) offset: usize,
    pub(super) after_space: bool,
    pub(super) out: &'a mut Normalized,
}

impl Run<'_> {
    /// Normalizes from `from` to the stop; returns the place reached and whether a space came last.
    pub(super) fn finish<const ORIGINS: bool>(mut self, from: usize) -> (usize, bool) {
        let normalizer = self.normalizer;
        let classes = normalizer.classes_for(ORIGINS).view();
        let mut at = from;
        self.reserve(at);
        while at < self.stop {
            let before = at;
            at = self.ascii::<ORIGINS>(&classes, at);
            at = self.wide::<ORIGINS>(&classes, at);
            if at == before {
                let (chunk, length) = normalizer.step(self.text, at, ORIGINS);
                self.push_chunk(chunk, at, ORIGINS);
                at += length;
                self.reserve(at);
            }
        }
        (at, self.after_space)
    }

    fn reserve(&mut self, at: usize) {
        self.out.reserve(self.stop.saturating_sub(at) + 8);
    }

    /// Copies ASCII bytes that a table answers. Stops before a byte that a non-ASCII byte follows.
    #[inline]
    fn ascii<const ORIGINS: bool>(&mut self, classes: &ClassView<'_>, from: usize) -> usize {
        let (text, stop, offset) = (self.text, self.stop, self.offset);
        let squeeze = self.normalizer.rules.squeeze;
        let newline_is_space = classes.ascii[usize::from(b'\n')] == b' ';
        let out = &mut *self.out;
        let (mut at, mut length, mut space) = (from, out.len, self.after_space);
        while at < stop {
            if classes.printable_is_plain && at + BLOCK < text.len() && at + BLOCK <= stop && text[at + BLOCK] < 0x80 {
                let (block, plain, double, last) = read_block(&text[at..at + BLOCK], newline_is_space, space);
                if plain && !(squeeze && double) {
                    out.bytes[length..length + BLOCK].copy_from_slice(&block);
                    if ORIGINS {
                        out.origins.extend((at..at + BLOCK).map(|place| u32_of(offset + place)));
                    }
                    space = squeeze && last;
                    length += BLOCK;
                    at += BLOCK;
                    continue;
                }
            }
            // The table answers byte by byte up to the next block.
            let end = stop.min(at + BLOCK);
            let begin = at;
            while at < end {
                let byte = text[at];
                let image = if byte < 0x80 { classes.ascii[usize::from(byte)] } else { 0 };
                let answered = image != 0 || byte == 0 && classes.class(0) == PLAIN;
                if !answered || text.get(at + 1).is_some_and(|&next| next >= 0x80) {
                    break;
                }
                let is_space = image == b' ';
                let keep = !(squeeze && space && is_space);
                out.bytes[length] = image;
                length += usize::from(keep);
                if ORIGINS && keep {
                    out.origins.push(u32_of(offset + at));
                }
                space = squeeze && is_space;
                at += 1;
            }
            if at < end || at == begin {
                break;
            }
        }
        out.len = length;
        self.after_space = space;
        at
    }

    /// Copies characters of two and three bytes, and ASCII before them, that no key touches or whose image is known.
    #[inline]
    fn wide<const ORIGINS: bool>(&mut self, classes: &ClassView<'_>, from: usize) -> usize {
        let text = self.text;
        let map = Charsmap::new(&self.normalizer.charsmap);
        let mut at = from;
        while at < self.stop {
            at = self.three::<ORIGINS>(classes, at);
            let Some((character, length)) = decode_bmp(text, at).filter(|_| at < self.stop) else { break };
            let class = classes.class(character);
            if length == 1 && text.get(at + 1).is_none_or(|&next| next < 0x80) {
                break;
            }
            if class != PLAIN && is_followed_by_later(classes, text, at + length) {
                break;
            }
            let ascii = if length == 1 { &classes.ascii[usize::from(text[at])] } else { &0 };
            let image = match (class, map) {
                _ if *ascii != 0 => std::slice::from_ref(ascii),
                (SLOW, _) => break,
                (MAPPED, Some(map)) => {
                    let (place, size) = classes.image(character);
                    map.image(place, size)
                }
                _ => &text[at..at + length],
            };
            match image {
                [byte] if *byte != b' ' => {
                    self.out.push(*byte, self.offset + at, ORIGINS);
                    self.after_space = false;
                }
                [first @ 0xC2..=0xDF, second] => {
                    self.out.push(*first, self.offset + at, ORIGINS);
                    self.out.push(*second, self.offset + at, ORIGINS);
                    self.after_space = false;
                }
                _ => {
                    self.push_chunk(image, at, ORIGINS);
                    self.reserve(at);
                }
            }
            at += length;
        }
        at
    }

    /// Copies characters of three bytes that are plain, as long as there are any: most of Chinese and Japanese. Each
    /// character is decoded once: what follows it is what comes next.
    #[inline(always)]
    fn three<const ORIGINS: bool>(&mut self, classes: &ClassView<'_>, from: usize) -> usize {
        let (text, stop, offset) = (self.text, self.stop, self.offset);
        let out = &mut *self.out;
        let (mut at, mut length) = (from, out.len);
        let Some(first) = decode_three(text, at) else { return at };
        let mut class = classes.of(first);
        while at < stop {
            let (next, next_class) = match decode_three(text, at + 3) {
                Some(next) => (true, classes.of(next)),
                None if is_followed_by_later(classes, text, at + 3) => (false, LATER),
                None => (false, PLAIN),
            };
            let kind = class & CLASS;
            if kind != PLAIN && (kind != STARTER || next_class & LATER != 0) {
                break;
            }
            let (Some(source), Some(place)) = (text.get(at..at + 3), out.bytes.get_mut(length..length + 3)) else {
                break;
            };
            place.copy_from_slice(source);
            length += 3;
            if ORIGINS {
                out.origins.extend([u32_of(offset + at); 3]);
            }
            at += 3;
            if !next {
                break;
            }
            class = next_class;
        }
        self.after_space &= at == from;
        out.len = length;
        at
    }

    /// Adds what a chunk became, in the inner form and without the spaces that follow a space.
    #[inline]
    fn push_chunk(&mut self, image: &[u8], at: usize, origins: bool) {
        let (rules, origin) = (self.normalizer.rules, self.offset + at);
        let mut rest = image;
        while self.after_space && rest.first() == Some(&b' ') {
            rest = &rest[1..];
        }
        let Some(&last) = rest.last() else { return };
        self.out.reserve(rest.len() + 8);
        self.after_space = rules.squeeze && last == b' ';
        while let Some(&byte) = rest.first() {
            let mark = if rules.escape { rest.strip_prefix(SPACE_MARK) } else { None };
            self.out.push(if mark.is_some() { b' ' } else { byte }, origin, origins);
            rest = mark.unwrap_or(&rest[1..]);
        }
    }
}

/// Whether a character that some key has in later place stands at `at`.
#[inline(always)]
fn is_followed_by_later(classes: &ClassView<'_>, text: &[u8], at: usize) -> bool {
    at < text.len() && decode_bmp(text, at).is_none_or(|(next, _)| classes.is_later(next))
}

/// The valid character of exactly three bytes at `at`.
#[inline(always)]
fn decode_three(text: &[u8], at: usize) -> Option<u16> {
    let &[first, second, third] = text.get(at..at + 3)?.first_chunk()?;
    let character = u16::from(first & 0x0F) << 12 | u16::from(second & 0x3F) << 6 | u16::from(third & 0x3F);
    let shape = (first & 0xF0 ^ 0xE0) | (second & 0xC0 ^ 0x80) | (third & 0xC0 ^ 0x80);
    // Below U+0800 the encoding is overlong, and surrogates are no characters.
    (shape == 0 && character >= 0x800 && character & 0xF800 != 0xD800).then_some(character)
}

/// The valid character of up to three bytes at `at`, and its length.
#[inline(always)]
fn decode_bmp(text: &[u8], at: usize) -> Option<(u32, usize)> {
    let first = *text.get(at)?;
    if first < 0x80 {
        return Some((u32::from(first), 1));
    }
    if let (0xC2..=0xDF, Some(&second)) = (first, text.get(at + 1)) {
        return (second & 0xC0 == 0x80).then_some((u32::from(first & 0x1F) << 6 | u32::from(second & 0x3F), 2));
    }
    decode_three(text, at).map(|character| (u32::from(character), 3))
}

const LOW: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;

/// Bit 7 of each byte of an ASCII word that equals `byte`.
#[inline(always)]
const fn equal(word: u64, byte: u64) -> u64 {
    !((word ^ (LOW * byte)) + LOW * 0x7F) & HIGH
}

/// A block with newlines as spaces if so wanted; whether all of it is printable ASCII then, whether a space follows a space,
/// and whether it ends with one. Eight bytes at a time in plain integers, so that it is as fast on every processor.
#[inline(always)]
fn read_block(text: &[u8], newline_is_space: bool, after_space: bool) -> ([u8; BLOCK], bool, bool, bool) {
    let mut block = [0; BLOCK];
    let (mut odd, mut double, mut carry) = (0, 0, u64::from(after_space) << 7);
    for (source, place) in text.chunks_exact(8).zip(block.chunks_exact_mut(8)) {
        let raw = source.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
        odd |= raw & HIGH;
        let mut word = raw & !HIGH;
        if newline_is_space {
            word ^= (equal(word, 0x0A) >> 7) * 0x2A;
        }
        // Below a space, or 0x7F.
        odd |= (!((word | HIGH) - LOW * 0x20) | (word + LOW)) & HIGH;
        let spaces = equal(word, 0x20);
        double |= spaces & (spaces << 8 | carry);
        carry = spaces >> 56;
        place.copy_from_slice(&word.to_le_bytes());
    }
    (block, odd == 0, double != 0, carry != 0)
}
