//! Cut points: places between two characters that no piece spans.
//!
//! No edge of the lattice and no merge can cross a cut, so segmentation factors there exactly
//! (`docs/algorithms/cut-points.md`). Needed is only the set of adjacent characters inside pieces. The set may hold too
//! many pairs, never too few.

use crate::cast::{u32_of, us};
use crate::index::bitmap::{PairBitmap, PairView};
use crate::index::column::Column;

/// Which places are cuts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CutRule {
    /// Between characters that no piece holds side by side.
    Pairs,
    /// Before each space mark, which is this character.
    BeforeMark(u32),
}

/// The compiled rule.
pub struct Cuts {
    rule: CutRule,
    /// At `a | b << 8`: 1 if the place between ASCII `a` and ASCII `b` is a cut.
    ascii: Column<u8>,
    pairs: PairBitmap,
}

const ASCII_PAIRS: usize = 1 << 15;

/// The rule, borrowed once per call.
#[derive(Clone, Copy)]
pub struct CutView<'a> {
    rule: CutRule,
    ascii: &'a [u8; ASCII_PAIRS],
    pairs: PairView<'a>,
}

impl Cuts {
    /// From all strings that a segmentation step can produce, in the inner form.
    #[must_use]
    pub fn build<'a>(rule: CutRule, strings: impl Iterator<Item = &'a [u8]>) -> Self {
        let mut ascii = vec![1u8; ASCII_PAIRS];
        let mut wide = Vec::new();
        match rule {
            CutRule::BeforeMark(mark) => {
                for (pair, cut) in (0u32..).zip(ascii.iter_mut()) {
                    *cut = u8::from(pair >> 8 == mark);
                }
            }
            CutRule::Pairs => {
                for string in strings {
                    collect_pairs(string, &mut ascii, &mut wide);
                }
            }
        }
        wide.sort_unstable();
        wide.dedup();
        let firsts = wide.chunk_by(|one, other| one.0 == other.0).count();
        let pairs = PairBitmap::build(wide.iter().copied(), firsts);
        Self { rule, ascii: ascii.into(), pairs }
    }

    /// Takes stored columns.
    #[must_use]
    pub fn from_columns(rule: CutRule, ascii: Column<u8>, words: Column<u64>) -> Option<Self> {
        (ascii.len() == ASCII_PAIRS).then_some(())?;
        Some(Self { rule, ascii, pairs: PairBitmap::from_words(words)? })
    }

    /// The columns for storing.
    #[must_use]
    pub const fn columns(&self) -> (&Column<u8>, &Column<u64>) {
        (&self.ascii, self.pairs.words())
    }

    /// Borrows it.
    #[must_use]
    pub fn view(&self) -> CutView<'_> {
        static NONE: [u8; ASCII_PAIRS] = [0; ASCII_PAIRS];
        CutView { rule: self.rule, ascii: self.ascii.first_chunk().unwrap_or(&NONE), pairs: self.pairs.view() }
    }
}

fn collect_pairs(string: &[u8], ascii: &mut [u8], wide: &mut Vec<(u32, u32)>) {
    let mut at = 0;
    let mut previous = None;
    while at < string.len() {
        let (character, length) = decode(string, at);
        if let Some(before) = previous {
            if before < 0x80 && character < 0x80 {
                ascii[us(before | character << 8)] = 0;
            } else {
                wide.push((before, character));
            }
        }
        previous = Some(character);
        at += length;
    }
}

/// The character at `at` of valid UTF-8 and its length; never reads past the end.
#[inline(always)]
#[must_use]
pub fn decode(text: &[u8], at: usize) -> (u32, usize) {
    let Some(&[first, second, third, fourth]) = text[at..].first_chunk() else { return decode_at_end(&text[at..]) };
    decode_four(first, second, third, fourth)
}

#[inline(always)]
fn decode_four(first: u8, second: u8, third: u8, fourth: u8) -> (u32, usize) {
    let (lead, rest) = (u32::from(first), |byte: u8| u32::from(byte & 0x3F));
    match first {
        0x00..=0xBF => (lead, 1),
        0xC0..=0xDF => ((lead & 0x1F) << 6 | rest(second), 2),
        0xE0..=0xEF => ((lead & 0x0F) << 12 | rest(second) << 6 | rest(third), 3),
        _ => ((lead & 0x07) << 18 | rest(second) << 12 | rest(third) << 6 | rest(fourth), 4),
    }
}

#[cold]
fn decode_at_end(text: &[u8]) -> (u32, usize) {
    let byte = |index: usize| text.get(index).copied().unwrap_or(0);
    let (character, length) = decode_four(byte(0), byte(1), byte(2), byte(3));
    (character, length.min(text.len().max(1)))
}

/// Length of the character that a lead byte opens: what the reference advances by.
#[inline(always)]
#[must_use]
pub fn character_length(lead: u8) -> usize {
    match lead {
        0x00..=0xBF => 1,
        0xC0..=0xDF => 2,
        0xE0..=0xEF => 3,
        _ => 4,
    }
}

const BLOCK: usize = 64;

impl CutView<'_> {
    /// Whether the place between two characters is a cut.
    #[inline(always)]
    #[must_use]
    pub fn is_cut(&self, before: u32, after: u32) -> bool {
        if before < 0x80 && after < 0x80 {
            return self.ascii[us(before | after << 8)] == 1;
        }
        match self.rule {
            CutRule::Pairs => !self.pairs.may_contain(before, after),
            CutRule::BeforeMark(mark) => after == mark,
        }
    }

    /// Appends the cuts in `text[from + 1..end]`, ascending. See [`CutView::scan_window`].
    pub fn scan(&self, text: &[u8], from: usize, end: usize, cuts: &mut Vec<u32>) {
        let mut at = from;
        while at < end {
            let mut stop = end.min(at + 4096);
            while stop < end && text[stop] & 0xC0 == 0x80 {
                stop += 1;
            }
            // The cut at `stop` needs the character there, so each part but the last begins with its own first character.
            let before = cuts.len();
            cuts.resize(before + stop - at + 2, 0);
            let found = self.scan_window(text, at, stop, &mut cuts[before..]);
            cuts.truncate(before + found);
            if stop < end && self.is_cut(last_character(text, stop), decode(text, stop).0) {
                cuts.push(u32_of(stop));
            }
            at = stop;
        }
    }

    /// Writes the cuts in `text[from + 1..end]` to the beginning of `cuts`, ascending, and returns how many. `from` must be a
    /// character start, 65 readable bytes must follow `end`, and `cuts` must have room for one per byte and one more. A cut
    /// at `end` itself is not reported: what follows is not known here.
    #[inline]
    #[must_use]
    pub fn scan_window(&self, text: &[u8], from: usize, end: usize, cuts: &mut [u32]) -> usize {
        let mut at = from;
        let mut count = 0;
        while at < end {
            if let Some(block) = text[at..].first_chunk::<{ BLOCK + 1 }>() {
                if is_ascii(block) {
                    self.scan_ascii(block, at, end, cuts, &mut count);
                    at += BLOCK;
                    continue;
                }
            }
            at = self.scan_mixed(text, at, end.min(at + BLOCK), end, cuts, &mut count);
        }
        count
    }

    /// Cuts after each of the 64 bytes of an ASCII block, without a branch per byte.
    #[inline(always)]
    fn scan_ascii(&self, block: &[u8; BLOCK + 1], at: usize, end: usize, cuts: &mut [u32], count: &mut usize) {
        let mut mask = 0u64;
        for group in 0..BLOCK / 8 {
            let mut bits = 0;
            for index in 0..8 {
                let (before, after) = (block[group * 8 + index], block[group * 8 + index + 1]);
                let pair = usize::from(u16::from_le_bytes([before, after]));
                bits |= self.ascii[pair & (ASCII_PAIRS - 1)] << index;
            }
            mask |= u64::from(bits) << (group * 8);
        }
        let left = end - at - 1;
        if left < BLOCK {
            mask &= (1u64 << left) - 1;
        }
        let base = u32_of(at) + 1;
        while mask != 0 {
            cuts[*count] = base + mask.trailing_zeros();
            *count += 1;
            mask &= mask - 1;
        }
    }

    /// Character by character up to `stop`, without a branch on what is found; returns the first character start at or
    /// after it.
    #[inline]
    fn scan_mixed(
        &self,
        text: &[u8],
        from: usize,
        stop: usize,
        end: usize,
        cuts: &mut [u32],
        count: &mut usize,
    ) -> usize {
        let CutRule::Pairs = self.rule else { return self.scan_words(text, from, stop, end, cuts, count) };
        let mut found = *count;
        let mut at = from;
        let (first, mut length) = decode(text, at);
        let mut before = self.pairs.row(first);
        let mut ascii = first;
        while at < stop {
            at += length;
            if at >= end {
                break;
            }
            // In a run of three-byte characters nothing but the rows is looked at.
            while let Some((after, bytes)) =
                text.get(at..at + 3).filter(|bytes| at < stop && bytes[0] & 0xF0 == 0xE0).map(three)
            {
                cuts[found] = u32_of(at);
                found += usize::from(!self.pairs.row_may_contain(before, after));
                before = self.pairs.wide_row(after);
                ascii = after;
                at += bytes;
            }
            if at >= end {
                break;
            }
            let (after, next) = decode(text, at);
            let cut = if (ascii | after) < 0x80 {
                self.ascii[us(ascii | after << 8)] == 1
            } else {
                !self.pairs.row_may_contain(before, after)
            };
            cuts[found] = u32_of(at);
            found += usize::from(cut);
            before = self.pairs.row(after);
            ascii = after;
            length = next;
        }
        *count = found;
        at
    }

    #[cold]
    fn scan_words(
        &self,
        text: &[u8],
        from: usize,
        stop: usize,
        end: usize,
        cuts: &mut [u32],
        count: &mut usize,
    ) -> usize {
        let mut at = from;
        let (mut before, mut length) = decode(text, at);
        while at < stop {
            at += length;
            if at >= end {
                break;
            }
            let (after, next) = decode(text, at);
            cuts[*count] = u32_of(at);
            *count += usize::from(self.is_cut(before, after));
            (before, length) = (after, next);
        }
        at
    }
}

/// The character of three bytes, and their number.
#[inline(always)]
fn three(bytes: &[u8]) -> (u32, usize) {
    let rest = |byte: u8| u32::from(byte & 0x3F);
    (u32::from(bytes[0] & 0x0F) << 12 | rest(bytes[1]) << 6 | rest(bytes[2]), 3)
}

/// The character that ends at `end`, which must be a character start above 0.
fn last_character(text: &[u8], end: usize) -> u32 {
    let mut at = end - 1;
    while at > 0 && text[at] & 0xC0 == 0x80 {
        at -= 1;
    }
    decode(text, at).0
}

#[inline(always)]
fn is_ascii(block: &[u8]) -> bool {
    let mut high = 0u8;
    for &byte in block {
        high |= byte;
    }
    high < 0x80
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(cuts: CutView<'_>, text: &[u8]) -> Vec<u32> {
        let mut found = Vec::new();
        let mut at = 0;
        while at < text.len() {
            let (before, length) = decode(text, at);
            at += length;
            if at < text.len() && cuts.is_cut(before, decode(text, at).0) {
                found.push(u32_of(at));
            }
        }
        found
    }

    #[test]
    fn blocks_and_characters_find_the_same_cuts() {
        let strings = ["ab", "ba", " a", "é中", "中a", "aé", "日本"];
        for rule in [CutRule::Pairs, CutRule::BeforeMark(32)] {
            let cuts = Cuts::build(rule, strings.iter().map(|string| string.as_bytes()));
            let mut state = 7u32;
            for round in 0..400u32 {
                let alphabet = ['a', 'b', ' ', 'c', 'é', '中', '日', '本', '\u{1F600}', '\0'];
                let span = if round % 3 == 0 { 4 } else { 10 };
                let text: String = (0..round)
                    .map(|_| {
                        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                        alphabet[us(state >> 16) % span]
                    })
                    .collect();
                let mut padded = text.clone().into_bytes();
                padded.extend([0; 80]);
                let mut found = Vec::new();
                cuts.view().scan(&padded, 0, text.len(), &mut found);
                assert_eq!(found, plain(cuts.view(), text.as_bytes()), "{text:?}");
            }
        }
    }
}
