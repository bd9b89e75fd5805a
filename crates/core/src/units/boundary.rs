//! Cut points: positions between two characters that no piece spans.
//!
//! No edge of the lattice and no merge can cross a cut, so segmentation factors there exactly
//! (`docs/algorithms/cut-points.md`). The set of adjacent characters inside pieces suffices. It may have false
//! positives, never false negatives.

use crate::units::bigrams::{Bigrams, Found, NeighboursView, Pairs};
use crate::units::char_ids::{CharIds, CharTable};
use crate::units::characters::{scan_block, MAX_SPARSE};
use crate::units::key::Cut;
use crate::util::simd::{between, continuing, equal, high, read, Block, BLOCK};
use crate::util::utf8::{decode, last_character};
use crate::util::{report, u32_of, us, Column};
use bytemuck::Zeroable;

/// Which positions are cuts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum CutRule {
    /// Between characters that are adjacent in no piece.
    #[default]
    Pairs,
    /// Before each space mark, which is this character.
    BeforeMark(u32),
}

/// The compiled rule.
#[derive(Default)]
pub struct Cuts {
    rule: CutRule,
    /// At `a
    /// b << 8`: 1 if the position between ASCII `a` and ASCII `b` is a cut.
    pub(crate) ascii: Column<u8>,
    pub(crate) char_table: CharTable,
    /// See [`has_whitespace_words`].
    whitespace_words: bool,
}

/// Pairs of ASCII characters.
pub(crate) const ASCII_PAIRS: usize = 1 << 15;
/// Bytes that are scanned at a time; it determines which cuts within words are skipped.
const SCAN_BLOCK: usize = 4096;
/// Number of non-ASCII bytes above which a block is left to the non-ASCII window instead of [`CutView::scan_window`].
const NON_ASCII_THRESHOLD: u32 = 40;

/// The rule, borrowed once per call.
#[derive(Clone, Copy)]
pub struct CutView<'a> {
    rule: CutRule,
    ascii: &'a [u8; ASCII_PAIRS],
    neighbours: NeighboursView<'a>,
    whitespace_words: bool,
    /// Resolves the false positives of the Bloom filters, but for pairs of ASCII characters.
    pairs: Option<&'a Pairs>,
}

impl Cuts {
    /// From all strings that a segmentation step can produce, in the inner form, and the characters with a single id.
    pub fn build(rule: CutRule, singles: &[(u32, u32)], each_string: impl FnOnce(&mut dyn FnMut(&[u8]))) -> Self {
        let mut ascii = vec![1u8; ASCII_PAIRS];
        let mut found = Found::default();
        match rule {
            CutRule::BeforeMark(mark) => {
                for (pair, cut) in (0u32..).zip(ascii.iter_mut()) {
                    *cut = u8::from(pair >> 8 == mark);
                }
            }
            CutRule::Pairs => {
                each_string(&mut |string| {
                    report(string.len());
                    found.note(string, &mut ascii);
                });
            }
        }
        found.add_ascii(&ascii);
        let whitespace_words = has_whitespace_words(&ascii);
        Self {
            rule,
            ascii: ascii.into(),
            char_table: CharTable::build(singles, Bigrams::build(found)),
            whitespace_words,
        }
    }

    /// Takes stored columns.
    pub fn from_columns(rule: CutRule, ascii: Column<u8>, char_table: CharTable) -> Option<Self> {
        let whitespace_words = ascii.len() == ASCII_PAIRS && has_whitespace_words(&ascii);
        (ascii.len() == ASCII_PAIRS).then_some(Self { rule, ascii, char_table, whitespace_words })
    }

    /// All characters in one flat table.
    pub fn char_ids(&self) -> Option<CharIds<'_>> {
        self.char_table.char_ids()
    }

    /// Borrows it.
    pub fn view(&self) -> CutView<'_> {
        static NONE: [u8; ASCII_PAIRS] = [0; ASCII_PAIRS];
        let ascii = self.ascii.first_chunk().unwrap_or(&NONE);
        let (rule, neighbours, whitespace_words) = (self.rule, self.char_table.neighbours(), self.whitespace_words);
        CutView { rule, ascii, neighbours, whitespace_words, pairs: None }
    }
}

/// Whether English words are units: a space after a lowercase letter is always a cut, and most lowercase letters and
/// spaces before them are none. Then only other pairs are looked up; a cut among the rest is skipped.
fn has_whitespace_words(ascii: &[u8]) -> bool {
    let cuts = |before: u32, after: u32| usize::from(ascii[us(before | after << 8)]);
    let letters = || u32::from(b'a')..=u32::from(b'z');
    let space = u32::from(b' ');
    let inside: usize = letters().map(|one| letters().map(|other| cuts(one, other)).sum::<usize>()).sum();
    letters().all(|letter| cuts(letter, space) == 1)
        && inside < 26 * 26 / 4
        && letters().map(|letter| cuts(space, letter)).sum::<usize>() < 26 / 4
}

impl<'a> CutView<'a> {
    /// Finds every cut: none within words is skipped, and none is a false positive of a filter.
    pub fn exact(self, pairs: &'a Pairs) -> Self {
        Self { whitespace_words: false, pairs: Some(pairs), ..self }
    }

    /// Whether the position between two characters is a cut.
    #[inline(always)]
    pub fn is_cut(&self, before: u32, after: u32) -> bool {
        match self.rule {
            _ if (before | after) < 0x80 => self.ascii[us(before | after << 8)] == 1,
            CutRule::Pairs => !self.may_follow(before, after),
            CutRule::BeforeMark(mark) => after == mark,
        }
    }

    #[inline(always)]
    fn may_follow(&self, before: u32, after: u32) -> bool {
        self.neighbours.may_follow(before, after)
            && self.pairs.is_none_or(|pairs| match before | after {
                0..0x80 => self.ascii[us(before | after << 8)] == 0,
                _ => pairs.contains(&(before, after)),
            })
    }

    /// Whether cuts depend on pairs of characters alone.
    pub fn has_pairs(&self) -> bool {
        self.rule == CutRule::Pairs
    }

    /// Whether the text at `at`, which ends at `end`, is handled by [`crate::units::characters::Characters`].
    #[inline(always)]
    pub fn is_mostly_non_ascii(&self, text: &[u8], at: usize, end: usize) -> bool {
        let wide = us(high(read(text, at, &mut [0; BLOCK])).count_ones());
        self.rule == CutRule::Pairs && wide * BLOCK > us(NON_ASCII_THRESHOLD) * BLOCK.min(end - at)
    }

    /// Appends the cuts in `text[from + 1..end]`, ascending. See [`CutView::scan_window`].
    pub fn scan(&self, text: &[u8], from: usize, end: usize, cuts: &mut Vec<Cut>) {
        let (mut at, mut room) = (from, <[Cut; 4 * BLOCK]>::zeroed());
        while at < end {
            let mut stop = end.min(at + SCAN_BLOCK);
            while stop < end && text[stop] & 0xC0 == 0x80 {
                stop += 1;
            }
            // The cut at `stop` needs the character there, so each part but the last begins with its own first
            // character.
            while at < stop {
                let (found, next) = self.scan_window(text, at, stop, false, &mut room);
                cuts.extend_from_slice(&room[..found]);
                at = next;
            }
            if stop < end && self.is_cut(last_character(text, stop), decode(text, stop).0) {
                cuts.push(Cut::at(stop));
            }
        }
    }

    /// Writes cuts in `text[from + 1..end]` to the beginning of `cuts`, ascending, and returns their number, and where
    /// it stopped: all of them but for some within words. `from` must be a character start, and 65 readable bytes must
    /// follow `end`. A cut at the end is not reported: the next character is unknown. It stops where `cuts` has no room
    /// for 64 more, and with `hands_over` after the first cut before a block that is mostly non-ASCII.
    #[inline]
    pub fn scan_window(
        &self,
        text: &[u8],
        from: usize,
        end: usize,
        hands_over: bool,
        cuts: &mut [Cut],
    ) -> (usize, usize) {
        let (mut at, mut count) = (from, 0);
        while at < end && count + BLOCK <= cuts.len() {
            let mut wide = u64::MAX;
            if let Some(block) = text[at..].first_chunk::<{ BLOCK + 1 }>() {
                let (bytes, last) = split(block);
                wide = high(bytes);
                if wide == 0 && last < 0x80 {
                    self.scan_ascii(block, at, end, cuts, &mut count);
                    at += BLOCK;
                    continue;
                }
            }
            if wide.count_ones() <= MAX_SPARSE && at + BLOCK < end {
                at += self.scan_sparse(text, at, wide, cuts, &mut count);
                continue;
            }
            if hands_over && count > 0 && wide.count_ones() > NON_ASCII_THRESHOLD {
                return (count, at);
            }
            let Some(places) = cuts.get_mut(count..).and_then(<[Cut]>::first_chunk_mut) else { break };
            let (found, next) = match self.rule {
                CutRule::Pairs => scan_block(text, at, end, places, |before, code| !self.may_follow(before, code)),
                CutRule::BeforeMark(mark) => scan_block(text, at, end, places, |_, code| code == mark),
            };
            count += found;
            at = next;
        }
        (count, at.min(end))
    }

    /// Cuts after each of the 64 bytes of an ASCII block, without ids of single characters: within words a table
    /// look-up is faster than an unpredictable branch.
    #[inline(always)]
    fn scan_ascii(&self, block: &[u8; BLOCK + 1], at: usize, end: usize, cuts: &mut [Cut], count: &mut usize) {
        let left = end - at - 1;
        let behind = if left < BLOCK { u64::MAX << left } else { 0 };
        let mask = if self.whitespace_words { self.word_cuts(block, behind) } else { self.pair_cuts(block) };
        write_cuts(mask & !behind, at, cuts, count);
    }

    /// Cuts after the bytes of a block with a few non-ASCII bytes, given by the mask `wide`. Returns the number of
    /// bytes done: all, or less if a non-ASCII character is at the block's end.
    fn scan_sparse(&self, text: &[u8], at: usize, wide: u64, cuts: &mut [Cut], count: &mut usize) -> usize {
        let Some(block) = text[at..].first_chunk::<{ BLOCK + 1 }>() else { return 0 };
        let (bytes, last) = split(block);
        let next_wide = wide >> 1 | u64::from(last >= 0x80) << 63;
        let mut mask =
            if self.whitespace_words { self.word_cuts(block, wide | next_wide) } else { self.pair_cuts(block) };
        mask &= !(wide | next_wide);
        // The pair that spans the end is left to the next block if it has such a character.
        let mut done = BLOCK - usize::from(last >= 0x80 && wide >> 63 == 0);
        let mut starts = wide & !continuing(bytes);
        while starts != 0 {
            let index = us(starts.trailing_zeros());
            starts &= starts - 1;
            let (character, length) = decode(text, at + index);
            let after = index + length;
            if index > 0 && self.is_cut(last_character(text, at + index), character) {
                mask |= 1 << (index - 1);
            }
            if after > BLOCK || after == BLOCK && last >= 0x80 {
                done = index;
            } else if text[at + after] < 0x80 && self.is_cut(character, u32::from(text[at + after])) {
                mask |= 1 << (after - 1);
            }
        }
        write_cuts(mask & (u64::MAX >> (BLOCK - done)), at, cuts, count);
        done
    }

    /// The cuts of an ASCII block, one look-up per byte without a branch.
    #[inline(always)]
    fn pair_cuts(&self, block: &[u8; BLOCK + 1]) -> u64 {
        let mut mask = 0u64;
        for group in 0..BLOCK / 8 {
            // From the last one, so that a bit is appended by one addition instead of a shift and an or.
            let append = |bits: u64, index: usize| 2 * bits + u64::from(self.ascii_cut(block, group * 8 + index));
            mask |= (0..8).rev().fold(0, append) << (group * 8);
        }
        mask
    }

    /// The cuts of an ASCII block where words are units: only positions neither within a word nor at its end are looked
    /// up, except those in `skipped`.
    #[inline(always)]
    fn word_cuts(&self, block: &[u8; BLOCK + 1], skipped: u64) -> u64 {
        let (bytes, last) = split(block);
        let (lower, space) = (between(bytes, b'a', b'z'), equal(bytes, b' '));
        let lower_next = lower >> 1 | u64::from(last.is_ascii_lowercase()) << 63;
        let space_next = space >> 1 | u64::from(last == b' ') << 63;
        let mut cuts = lower & space_next;
        let mut others = !(lower & (lower_next | space_next) | space & lower_next | skipped);
        while others != 0 {
            let index = others.trailing_zeros();
            cuts |= u64::from(self.ascii_cut(block, us(index))) << index;
            others &= others - 1;
        }
        cuts
    }

    /// 1 if there is a cut after this byte of an ASCII block.
    #[inline(always)]
    fn ascii_cut(&self, block: &[u8; BLOCK + 1], index: usize) -> u8 {
        // One load of both bytes: from two, the compiler makes two, and a shift and an addition.
        let pair = block[index..].first_chunk().map_or(0, |pair| u16::from_le_bytes(*pair));
        self.ascii[usize::from(pair) & (ASCII_PAIRS - 1)]
    }
}

/// Writes a cut after each byte of the block at `at` whose bit is set.
#[inline(always)]
fn write_cuts(mut mask: u64, at: usize, cuts: &mut [Cut], count: &mut usize) {
    let base = u32_of(at) + 1;
    while mask != 0 {
        cuts[*count] = Cut { at: base + mask.trailing_zeros(), is_part: false };
        *count += 1;
        mask &= mask - 1;
    }
}

/// A block and the byte after it.
fn split(block: &[u8; BLOCK + 1]) -> (&Block, u8) {
    (block.first_chunk().unwrap_or(&[0; BLOCK]), block[BLOCK])
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

    /// Texts of all lengths up to `rounds` from an char_table that the round chooses, with look-ahead padding.
    fn texts(rounds: usize, char_table: impl Fn(usize) -> Vec<char>) -> impl Iterator<Item = (usize, Vec<u8>)> {
        let mut state = 7u32;
        (0..rounds).map(move |round| {
            let char_table = char_table(round);
            let text: String = (0..round)
                .map(|_| {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    char_table[us(state >> 16) % char_table.len()]
                })
                .collect();
            let length = text.len();
            let mut padded = text.into_bytes();
            padded.extend([0; 80]);
            (length, padded)
        })
    }

    fn found(cuts: &Cuts, padded: &[u8], length: usize) -> Vec<u32> {
        let mut found = Vec::new();
        cuts.view().scan(padded, 0, length, &mut found);
        found.iter().map(|cut: &Cut| cut.at).collect()
    }

    /// Mostly ASCII, mostly not, and in between; characters of all lengths.
    fn mixture(round: usize) -> Vec<char> {
        let all: Vec<char> = "ab cé中日本\u{1F600}\0".chars().collect();
        match round % 4 {
            0 => all[..4].to_vec(),
            1 => [&all[..4].repeat(5), &all[..]].concat(),
            2 => [&all[5..8].repeat(5), &all[..8]].concat(),
            _ => all,
        }
    }

    #[test]
    fn blocks_and_characters_find_the_same_cuts() {
        let strings = ["ab", "ba", " a", "é中", "中a", "aé", "日本"].map(str::as_bytes);
        let is_ascii = |padded: &[u8], at: u32| padded[us(at) - 1] < 0x80 && padded[us(at)] < 0x80;
        for rule in [CutRule::Pairs, CutRule::BeforeMark(32)] {
            let cuts = Cuts::build(rule, &[], |visit| strings.into_iter().for_each(visit));
            for (length, padded) in texts(400, mixture) {
                let (mut some, mut all) = (found(&cuts, &padded, length), plain(cuts.view(), &padded[..length]));
                assert!(some.iter().all(|at| all.contains(at)));
                // In non-ASCII text a cut between two ASCII characters may be skipped.
                some.retain(|&at| !is_ascii(&padded, at));
                all.retain(|&at| !is_ascii(&padded, at));
                assert_eq!(some, all, "{:?}", String::from_utf8_lossy(&padded[..length]));
            }
        }
    }

    #[test]
    fn exact_cuts_are_all_that_no_string_spans() {
        let strings = ["ab", "ba", " a", "é中", "中a", "aé", "日本", "b \u{1F600}", "é"];
        let cuts = Cuts::build(CutRule::Pairs, &[], |visit| strings.iter().for_each(|string| visit(string.as_bytes())));
        let (mut pairs, mut ascii) = (Found::default(), vec![1; ASCII_PAIRS]);
        strings.iter().for_each(|string| pairs.note(string.as_bytes(), &mut ascii));
        for (length, padded) in texts(400, mixture) {
            let text = std::str::from_utf8(&padded[..length]).unwrap_or_default();
            let is_cut = |at: &usize| {
                let (before, after) = (text[..*at].chars().next_back(), text[*at..].chars().next());
                let pair: String = before.into_iter().chain(after).collect();
                !strings.iter().any(|string| string.contains(&pair))
            };
            let wanted: Vec<u32> = text.char_indices().skip(1).map(|(at, _)| at).filter(is_cut).map(u32_of).collect();
            let mut found = Vec::new();
            cuts.view().exact(&pairs.pairs).scan(&padded, 0, length, &mut found);
            assert!(found.iter().map(|cut: &Cut| cut.at).eq(wanted), "{text:?}");
        }
    }

    #[test]
    fn where_words_are_units_only_cuts_within_them_are_skipped() {
        // All pairs of letters but those with z, and a space before each letter.
        let letters = || (b'a'..=b'y').map(char::from);
        let mut strings: Vec<String> =
            letters().flat_map(|one| letters().map(move |other| [one, other].iter().collect())).collect();
        strings.extend(letters().map(|letter| format!(" {letter}")));
        strings.extend([",".to_owned() + "\"", "A.".to_owned()]);
        let cuts = Cuts::build(CutRule::Pairs, &[], |visit| strings.iter().for_each(|string| visit(string.as_bytes())));
        assert!(cuts.whitespace_words);
        let letters = |round: usize| "abcz  ,\"A.9é".chars().take(11 + round % 2).collect();
        for (length, padded) in texts(300, letters) {
            let (some, all) = (found(&cuts, &padded, length), plain(cuts.view(), &padded[..length]));
            assert!(some.iter().all(|at| all.contains(at)));
            for at in all.into_iter().filter(|at| !some.contains(at)) {
                let (before, after) = (padded[us(at) - 1], padded[us(at)]);
                let is_within = after.is_ascii_lowercase() && (before == b' ' || before.is_ascii_lowercase());
                // In non-ASCII text some pairs are false positives of the filter.
                let is_taken = !padded[..length].is_ascii() && cuts.view().may_follow(before.into(), after.into());
                assert!(is_within || is_taken, "{at}");
            }
        }
    }
}
