//! The fast path of the normalizer: runs of text that it leaves unchanged are copied in blocks.
//!
//! The classes guarantee that a copy equals the result of [`Normalizer::step`]; all other text takes that step.

use crate::normalize::charsmap::Charsmap;
use crate::normalize::classes::{ClassView, CLASS, HAN, LATER, MAPPED, SLOW, STARTER, UNCHANGED};
use crate::normalize::{Normalized, Normalizer};
use crate::spec::vocab::SPACE_MARK;
use crate::util::simd::{between, continuing, equal, high, places, read, Block, BLOCK};
use crate::util::utf8::word_at;
use crate::util::{u32_of, us, Pace};

/// The state of one pass over a text.
pub(crate) struct Run<'a> {
    pub(crate) normalizer: &'a Normalizer,
    pub(crate) text: &'a [u8],
    /// Chunks that begin before this position are handled.
    pub(crate) stop: usize,
    /// Added to a position in `text` to give an origin.
    pub(crate) offset: usize,
    pub(crate) after_space: bool,
    pub(crate) out: &'a mut Normalized,
}

/// Read position of a run.
#[derive(Clone, Copy)]
struct Place {
    at: usize,
    length: usize,
    after_space: bool,
}

impl Run<'_> {
    /// Normalizes from `from` to the stop; returns the position reached and whether the last byte was a space.
    pub(crate) fn finish<const ORIGINS: bool>(mut self, from: usize) -> (usize, bool) {
        let normalizer = self.normalizer;
        let classes = normalizer.classes_for(ORIGINS).view();
        let mut at = from;
        self.reserve(at);
        let mut pace = Pace::new();
        while at < self.stop {
            let before = at;
            pace.reach(at - from);
            if self.text[at] < 0x80 {
                at = self.ascii::<ORIGINS>(&classes, at);
            }
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

    /// Copies ASCII bytes that stay themselves or become spaces. Stops before a byte that a non-ASCII byte follows.
    #[inline]
    fn ascii<const ORIGINS: bool>(&mut self, classes: &ClassView<'_>, from: usize) -> usize {
        let mut at = from;
        while at < self.stop {
            let mut padded = [0; BLOCK];
            let block = read(self.text, at, &mut padded);
            let spaces = spaces(classes, block);
            let wide = high(block).trailing_zeros();
            // The byte before a non-ASCII character may form a key with it.
            let next_is_wide = wide == 64 && self.text.get(at + BLOCK).is_some_and(|&byte| byte >= 0x80);
            let narrow = if wide < 64 || next_is_wide { wide.saturating_sub(1) } else { 64 };
            let unchanged = classes.unchanged_ascii(block);
            let count = us((unchanged | spaces).trailing_ones().min(narrow)).min(self.stop - at);
            if count == 0 {
                let done = self.ascii_byte(classes, at, ORIGINS);
                at += usize::from(done);
                if !done {
                    break;
                }
                continue;
            }
            self.copy_block::<ORIGINS>(block, spaces, count, at);
            at += count;
        }
        at
    }

    /// Appends the first `count` bytes of a block: those that map to spaces as spaces, without those that follow a
    /// space.
    #[inline(always)]
    fn copy_block<const ORIGINS: bool>(&mut self, block: &Block, spaces: u64, count: usize, at: usize) {
        let squeeze = self.normalizer.rules.squeeze;
        let mine = u64::MAX >> (BLOCK - count);
        let dropped = if squeeze { spaces & (spaces << 1 | u64::from(self.after_space)) & mine } else { 0 };
        // Copied bytes below the space become spaces.
        let mut image = [0; 2 * BLOCK];
        for (place, &byte) in image.iter_mut().zip(block) {
            *place = byte.max(b' ');
        }
        let mut kept = mine & !dropped;
        while kept != 0 {
            let start = kept.trailing_zeros();
            let run = (kept >> start).trailing_ones();
            self.copy_run::<ORIGINS>(&image, start, run, at);
            kept &= !(u64::MAX >> (64 - run) << start);
        }
        self.after_space = squeeze && spaces >> (count - 1) & 1 == 1;
    }

    /// Appends `run` bytes of an image from `start` on; bytes written past them are ignored.
    #[inline(always)]
    fn copy_run<const ORIGINS: bool>(&mut self, image: &[u8; 2 * BLOCK], start: u32, run: u32, at: usize) {
        let out = &mut *self.out;
        out.bytes[out.len..out.len + BLOCK].copy_from_slice(&image[us(start)..us(start) + BLOCK]);
        out.len += us(run);
        if ORIGINS {
            let first = u32_of(self.offset + at) + start;
            out.origins.extend(first..first + run);
        }
    }

    /// One ASCII byte that the table maps and that no non-ASCII byte follows.
    fn ascii_byte(&mut self, classes: &ClassView<'_>, at: usize, origins: bool) -> bool {
        let byte = self.text[at];
        let image = if byte < 0x80 { classes.ascii[usize::from(byte)] } else { 0 };
        let answered = image != 0 || byte == 0 && classes.of(0) & CLASS == UNCHANGED;
        if !answered || self.text.get(at + 1).is_some_and(|&next| next >= 0x80) {
            return false;
        }
        let squeeze = self.normalizer.rules.squeeze;
        let is_space = squeeze && image == b' ';
        if !(self.after_space && is_space) {
            self.out.push(image, self.offset + at, origins);
        }
        self.after_space = is_space;
        true
    }

    /// Copies characters of two and three bytes, and single ASCII bytes before them, that no key contains or whose
    /// image is known. A character that may begin a key is taken back if one that may continue a key follows.
    #[inline]
    fn wide<const ORIGINS: bool>(&mut self, classes: &ClassView<'_>, from: usize) -> usize {
        let (text, stop, offset) = (self.text, self.stop, self.offset);
        let squeeze = self.normalizer.rules.squeeze;
        let map = Charsmap::new(&self.normalizer.charsmap);
        let mut now = Place { at: from, length: self.out.len, after_space: self.after_space };
        let mut before = now;
        let mut open = false;
        let mut unchanged = UnchangedBlock::default();
        while now.at < stop {
            let mut run = 0;
            if text[now.at] >= 0xE0 {
                let place = &mut self.out.bytes[now.length..];
                run = unchanged.copy(classes, &text[now.at..], now.at, place, stop - now.at);
            }
            if run > 0 {
                if ORIGINS {
                    self.out.origins.extend((0..run).map(|byte| u32_of(offset + now.at + byte / 3 * 3)));
                }
                // Whether keys begin with it is looked up only when needed.
                open = true;
                before = Place { at: now.at + run - 3, length: now.length + run - 3, after_space: false };
                before.after_space = run == 3 && now.after_space;
                now = Place { at: now.at + run, length: now.length + run, after_space: false };
                if now.at >= stop {
                    break;
                }
            }
            let Some((character, word, size)) = decode_bmp(text, now.at) else { break };
            let known = classes.of(character);
            let class = known & CLASS;
            if class == SLOW && size != 1 || known & LATER != 0 && open && is_starter(classes, text, before.at) {
                break;
            }
            let mut next = Place { at: now.at + size, length: now.length + size, after_space: false };
            if size == 1 {
                let image = classes.ascii[us(character & 0x7F)];
                if image == 0 || word & 0x8080_8000 == 0 {
                    break;
                }
                let is_space = image == b' ';
                self.out.bytes[now.length] = image;
                next.length -= usize::from(squeeze && is_space && now.after_space);
                next.after_space = squeeze && is_space;
            } else if class == MAPPED {
                let Some(map) = map else { break };
                let (place, length) = classes.image(character);
                next.length = now.length;
                match map.image(place, length) {
                    [byte] if *byte != b' ' => {
                        self.out.bytes[now.length] = *byte;
                        next.length += 1;
                    }
                    image => {
                        (self.out.len, self.after_space) = (now.length, now.after_space);
                        self.push_chunk(image, now.at, false);
                        self.reserve(now.at);
                        (next.length, next.after_space) = (self.out.len, self.after_space);
                    }
                }
            } else {
                self.out.bytes[now.length..now.length + 4].copy_from_slice(&word.to_le_bytes());
            }
            if ORIGINS {
                let added = next.length - now.length;
                self.out.origins.extend(std::iter::repeat_n(u32_of(offset + now.at), added));
            }
            open = class != UNCHANGED;
            before = now;
            now = next;
        }
        if open && is_followed_by_later(classes, text, now.at) && is_starter(classes, text, before.at) {
            if ORIGINS {
                let kept = self.out.origins.len() - (now.length - before.length);
                self.out.origins.truncate(kept);
            }
            now = before;
        }
        (self.out.len, self.after_space) = (now.length, now.after_space);
        now.at
    }

    /// Appends the result for a chunk, in the inner form and without spaces that follow a space.
    fn push_chunk(&mut self, image: &[u8], at: usize, origins: bool) {
        let (rules, origin) = (self.normalizer.rules, self.offset + at);
        let mut rest = image;
        while self.after_space && rest.first() == Some(&b' ') {
            rest = &rest[1..];
        }
        let Some(&last) = rest.last() else { return };
        self.out.reserve(rest.len() + 8);
        self.after_space = rules.squeeze && last == b' ';
        let mut is_gap = false;
        while let Some(&byte) = rest.first() {
            let mark = if rules.escape { rest.strip_prefix(SPACE_MARK) } else { None };
            // Marks before words: one for all spaces, those within an image too.
            if !(is_gap && byte == b' ') {
                self.out.push(if mark.is_some() { b' ' } else { byte }, origin, origins);
            }
            is_gap = rules.squeeze && rules.words && byte == b' ';
            rest = mark.unwrap_or(&rest[1..]);
        }
    }
}

/// Which three-byte characters of a block are unchanged: most of Chinese.
#[derive(Default)]
struct UnchangedBlock {
    /// Where the block begins.
    at: usize,
    /// Number of classified bytes of the block; 0 where there is no block.
    size: usize,
    /// A bit for each byte of such a character; `None` where most characters have to be looked up.
    bytes: Option<u64>,
}

impl UnchangedBlock {
    /// Copies the unchanged three-byte characters from the beginning of `text`, which is at position `at`, to the end
    /// of the block or further. Returns the number of bytes. A character that begins before `stop` is copied.
    #[inline(always)]
    fn copy(&mut self, classes: &ClassView<'_>, text: &[u8], at: usize, out: &mut [u8], stop: usize) -> usize {
        if let (Some(block), Some(place)) = (text.first_chunk::<BLOCK>(), out.first_chunk_mut::<BLOCK>()) {
            if at >= self.at + self.size {
                *self = Self { at, size: BLOCK - 2, bytes: unchanged_bytes(classes, block) };
            }
            if let Some(bytes) = self.bytes {
                *place = *block;
                return us((bytes >> (at - self.at)).trailing_ones()).min(3 * stop.div_ceil(3));
            }
        }
        copy_each(classes, text, out, stop)
    }
}

/// Mask of the bytes of three-byte characters that are unchanged, or that begin only keys of more than one character.
/// `None` if few of them are Chinese.
#[inline(always)]
fn unchanged_bytes(classes: &ClassView<'_>, block: &Block) -> Option<u64> {
    let goes_on = continuing(block);
    let whole = between(block, 0xE0, 0xEF) & goes_on >> 1 & goes_on >> 2;
    let sure = if classes.han_is_unchanged { between(block, HAN.0, HAN.1) & whole } else { 0 };
    let (mut unchanged, rest) = (sure, whole & !sure);
    if 2 * rest.count_ones() > sure.count_ones() {
        return None;
    }
    for index in places(rest) {
        let place = us(index) % (BLOCK - 2);
        let character = three([block[place], block[place + 1], block[place + 2], 0]);
        // Below U+0800 the encoding is overlong.
        unchanged |= u64::from((classes.of(character) <= STARTER) & (character >= 0x800)) << index;
    }
    Some(unchanged | unchanged << 1 | unchanged << 2)
}

/// Copies unchanged characters one by one: most of Japanese.
#[inline(always)]
fn copy_each(classes: &ClassView<'_>, text: &[u8], out: &mut [u8], stop: usize) -> usize {
    let size = text.len().min(out.len());
    let (text, out) = (&text[..size], &mut out[..size]);
    let end = stop.min(size.saturating_sub(3));
    let mut at = 0;
    while at < end {
        let (Some(source), Some(place)) = (text[at..].first_chunk::<4>(), out[at..].first_chunk_mut::<4>()) else {
            break;
        };
        let (word, character) = (u32::from_le_bytes(*source), three(*source));
        // Below U+0800 the encoding is overlong.
        if word & 0xC0_C0F0 != 0x80_80E0 || character < 0x800 || classes.of(character) > STARTER {
            break;
        }
        *place = *source;
        at += 3;
    }
    at
}

/// The three-byte character at the start of four bytes.
fn three(bytes: [u8; 4]) -> u32 {
    let word = u32::from_le_bytes(bytes);
    (word & 0x0F) << 12 | word >> 2 & 0xFC0 | word >> 16 & 0x3F
}

/// Whether keys begin with the character at `at`, by its class.
#[cold]
fn is_starter(classes: &ClassView<'_>, text: &[u8], at: usize) -> bool {
    decode_bmp(text, at).is_none_or(|(character, _, _)| classes.of(character) & CLASS != UNCHANGED)
}

/// Whether the character at `at` may continue a key.
#[inline(always)]
fn is_followed_by_later(classes: &ClassView<'_>, text: &[u8], at: usize) -> bool {
    at < text.len() && decode_bmp(text, at).is_none_or(|(next, _, _)| classes.of(next) & LATER != 0)
}

/// The valid character of up to three bytes at `at`, the four bytes there, and its length. Surrogates are in class
/// [`SLOW`].
#[inline(always)]
fn decode_bmp(text: &[u8], at: usize) -> Option<(u32, u32, usize)> {
    let word = word_at(text, at);
    if word & 0xC0_C0F0 == 0x80_80E0 {
        let character = three(word.to_le_bytes());
        // Below U+0800 the encoding is overlong.
        return (character >= 0x800).then_some((character, word, 3));
    }
    if word & 0x80 == 0 {
        return Some((word & 0x7F, word, 1));
    }
    let character = (word & 0x1F) << 6 | word >> 8 & 0x3F;
    (word & 0xC0E0 == 0x80C0 && character >= 0x80).then_some((character, word, 2))
}

/// Mask of the bytes of a block that are spaces or become one.
#[inline(always)]
fn spaces(classes: &ClassView<'_>, block: &Block) -> u64 {
    let becomes_space = |byte: u8| classes.ascii[usize::from(byte)] == b' ';
    let mut spaces = if becomes_space(b' ') { equal(block, b' ') } else { 0 };
    if between(block, b'\t', b'\r') != 0 {
        for byte in [b'\t', b'\n', b'\r'].into_iter().filter(|&byte| becomes_space(byte)) {
            spaces |= equal(block, byte);
        }
    }
    spaces
}
