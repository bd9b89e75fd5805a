//! A hashed set of pairs that may answer "yes" too often, never "no" wrongly.
//!
//! A false "yes" only makes two units one, which changes no id; so no key is stored and one load answers. The first of a pair
//! chooses a row of 512 bits, one cache line, the second a bit in it: a text of two thousand different characters keeps to
//! two thousand lines, however large the vocabulary. Values below 128 come first in so many pairs (a space before every
//! character) that each has a row of 4096 bits of its own. `docs/decisions/unit-table.md` has the other layouts' numbers.

use super::column::Column;
use crate::cast::{low32, us};

const ROW_WORDS: usize = 8;
const LOW: u32 = 128;
const LOW_ROW_WORDS: usize = 64;
const LOW_WORDS: usize = 128 * LOW_ROW_WORDS;
const MIN_ROWS: usize = 64;
const MAX_ROWS: usize = 1 << 16;

/// The set.
#[derive(Default)]
pub struct PairBitmap {
    words: Column<u64>,
    shift: u32,
}

#[inline(always)]
fn mix(value: u32) -> u32 {
    low32(u64::from(value).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32)
}

impl PairBitmap {
    /// Builds the set from pairs, repeats allowed; `firsts` is how many different first values there are.
    #[must_use]
    pub fn build(pairs: impl Iterator<Item = (u32, u32)>, firsts: usize) -> Self {
        let rows = (2 * firsts).clamp(MIN_ROWS, MAX_ROWS).next_power_of_two();
        let mut words = vec![0u64; LOW_WORDS + rows * ROW_WORDS];
        let shift = 32 - rows.trailing_zeros();
        for (first, second) in pairs {
            let (word, bit) = place(row_of(first, shift), second);
            words[word] |= 1 << bit;
        }
        Self { words: words.into(), shift }
    }

    /// Takes stored words; `None` if their number is not that of a set.
    #[must_use]
    pub fn from_words(words: Column<u64>) -> Option<Self> {
        let rows = words.len().saturating_sub(LOW_WORDS) / ROW_WORDS;
        let fits = LOW_WORDS + rows * ROW_WORDS == words.len()
            && rows.is_power_of_two()
            && (MIN_ROWS..=MAX_ROWS).contains(&rows);
        fits.then(|| Self { words, shift: 32 - rows.trailing_zeros() })
    }

    /// The words, for storing.
    #[must_use]
    pub const fn words(&self) -> &Column<u64> {
        &self.words
    }

    /// A borrowed set whose look-up costs one load.
    #[must_use]
    pub fn view(&self) -> PairView<'_> {
        PairView { words: &self.words, shift: self.shift }
    }
}

/// The row of a first value: its first word, and by how much a second value's hash is shifted to give the bit.
#[derive(Clone, Copy)]
pub struct Row {
    word: usize,
    shift: u32,
}

#[inline(always)]
fn row_of(first: u32, shift: u32) -> Row {
    if first < LOW {
        return Row { word: us(first) * LOW_ROW_WORDS, shift: 20 };
    }
    wide_row(first, shift)
}

#[inline(always)]
fn wide_row(first: u32, shift: u32) -> Row {
    Row { word: LOW_WORDS + us(mix(first) >> shift) * ROW_WORDS, shift: 23 }
}

#[inline(always)]
fn place(row: Row, second: u32) -> (usize, u32) {
    let bit = mix(second) >> row.shift;
    (row.word + us(bit >> 6), bit & 63)
}

/// The set, borrowed once per call.
#[derive(Clone, Copy)]
pub struct PairView<'a> {
    words: &'a [u64],
    shift: u32,
}

impl PairView<'_> {
    /// The row of a first value.
    #[inline(always)]
    #[must_use]
    pub fn row(&self, first: u32) -> Row {
        row_of(first, self.shift)
    }

    /// The row of a first value that is not below 128.
    #[inline(always)]
    #[must_use]
    pub fn wide_row(&self, first: u32) -> Row {
        wide_row(first, self.shift)
    }

    /// False means: the pair of the row's value and this one was surely never added.
    #[inline(always)]
    #[must_use]
    pub fn row_may_contain(&self, row: Row, second: u32) -> bool {
        let (word, bit) = place(row, second);
        self.words.get(word).is_none_or(|word| word >> bit & 1 == 1)
    }

    /// False means: the pair was surely never added.
    #[inline(always)]
    #[must_use]
    pub fn may_contain(&self, first: u32, second: u32) -> bool {
        self.row_may_contain(self.row(first), second)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn never_denies_a_pair_it_holds() {
        let pairs: Vec<(u32, u32)> =
            (0..5000u32).map(|n| (n.wrapping_mul(7919) % 3000, n.wrapping_mul(104_729) % 70_000)).collect();
        let set = PairBitmap::build(pairs.iter().copied(), 3000);
        assert!(pairs.iter().all(|&(first, second)| set.view().may_contain(first, second)));
        let denied = (0..3000).filter(|&n| !set.view().may_contain(n, n + 70_001)).count();
        assert!(denied > 2500, "{denied}");
    }
}
