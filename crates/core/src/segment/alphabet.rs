//! What is known of each character: the id it has when it stands alone, and which characters may follow it in pieces.
//!
//! In Chinese and Japanese most units are one character, so their ids are read here and no table of units is asked. The pairs
//! of neighbours are a set of bits, hashed: it may say "yes" too often, never "no" wrongly. A false "yes" only makes two units
//! one, which changes no id. All bits of a pair are in one word, so that asking is one load.

use bytemuck::{Pod, Zeroable};

use crate::cast::{u32_of, us};
use crate::index::column::Column;
use crate::index::lazy::Lazy;

/// Characters of a page.
const PAGE: usize = 256;
/// One page for every 256 characters of the basic plane, and one that all other characters share.
const PAGES: usize = 257;
/// Bits of the set for each pair, at least.
const SPARSE: usize = 16;
/// Ids below this can stand in a letter.
const MAX_ID: u32 = 1 << 29;
/// Stands for no id.
pub const NONE: u32 = u32::MAX;
/// Characters of the basic plane, and one for all others.
const FLAT: usize = PAGE * (PAGES - 1) + 1;
/// Words that the set has at least, since a shift by all bits of a hash is none; and at most, so that where one is has a sign to spare.
const MIN_WORDS: usize = 2;
const MAX_WORDS: usize = 1 << 26;

/// The id of a character that stands alone, and how many bytes it has; none where that takes more than an id.
#[derive(Clone, Copy, Default, Pod, Zeroable)]
#[repr(transparent)]
pub struct Single(u32);

impl Single {
    fn new(id: u32, bytes: usize) -> Self {
        Self(if id < MAX_ID { id | u32_of(bytes) << 29 } else { 0 })
    }

    /// The id, or [`NONE`].
    #[must_use]
    pub const fn id(self) -> u32 {
        if self.0 == 0 {
            NONE
        } else {
            self.0 & (MAX_ID - 1)
        }
    }
}

/// All characters.
#[derive(Default)]
pub struct Alphabet {
    pages: Column<u16>,
    letters: Column<Single>,
    pairs: Column<u32>,
    /// The ids without pages: made when a text first asks for many of them.
    flat: Lazy<Vec<u32>>,
}

/// All characters in one table, borrowed once per window.
#[derive(Clone, Copy)]
pub struct Letters<'a> {
    /// By character: the id it has when it stands alone, or [`NONE`].
    flat: &'a [u32; FLAT],
    /// See [`PairView`].
    pairs: PairView<'a>,
}

/// All characters, borrowed once per call.
#[derive(Clone, Copy)]
pub struct AlphabetView<'a> {
    pages: &'a [u16; PAGES],
    letters: &'a [Single],
    pairs: PairView<'a>,
}

/// The set of pairs: a power of two of words.
#[derive(Clone, Copy)]
pub struct PairView<'a> {
    words: &'a [u32],
    /// By how much a hash is shifted to give a word.
    pub(super) shift: u32,
}

#[inline(always)]
fn key(before: u32, after: u32) -> u32 {
    before << 16 ^ after
}

/// The bits of a pair in its word.
#[inline(always)]
fn bits(key: u32) -> u32 {
    let hash = key.wrapping_mul(PairView::FACTORS[1]);
    1 << (hash >> 27) | 1 << (hash << 5 >> 27) | 1 << (hash << 10 >> 27)
}

impl<'a> PairView<'a> {
    /// What a pair is multiplied by to give its word, and its bits.
    pub const FACTORS: [u32; 2] = [0x9E37_79B1, 0x85EB_CA6B];

    fn new(words: &'a [u32]) -> Self {
        Self { words, shift: 32 - words.len().max(MIN_WORDS).ilog2() }
    }

    #[inline(always)]
    fn word(self, key: u32) -> usize {
        us(key.wrapping_mul(PairView::FACTORS[0]) >> self.shift)
    }

    /// False means: no piece has these two in a row.
    #[inline(always)]
    #[must_use]
    pub fn has(self, before: u32, after: u32) -> bool {
        let key = key(before, after);
        let bits = bits(key);
        self.words.get(self.word(key)).is_none_or(|word| word & bits == bits)
    }
}

#[inline(always)]
fn page_of(character: u32) -> usize {
    us(character >> 8).min(PAGES - 1)
}

impl Alphabet {
    /// From the characters that have an id alone, with their ids, and all pairs of neighbours, no two of them equal.
    #[must_use]
    pub fn build(singles: &[(u32, u32)], pairs: &[(u32, u32)]) -> Self {
        let mut letters = vec![Single::default(); PAGE];
        let mut pages = vec![0u16; PAGES];
        for &(character, id) in singles.iter().filter(|(character, _)| us(*character) < (PAGES - 1) * PAGE) {
            let bytes = char::from_u32(character).map_or(0, char::len_utf8);
            *letter(&mut pages, &mut letters, character) = Single::new(id, bytes);
        }
        let mut words = vec![0; (pairs.len() * SPARSE / 32).next_power_of_two().clamp(MIN_WORDS, MAX_WORDS)];
        let shift = PairView::new(&words).shift;
        for &(before, after) in pairs {
            let key = key(before, after);
            words[us(key.wrapping_mul(PairView::FACTORS[0]) >> shift)] |= bits(key);
        }
        Self { pages: pages.into(), letters: letters.into(), pairs: words.into(), flat: Lazy::new() }
    }

    /// Takes stored columns; `None` if they do not belong together.
    #[must_use]
    pub fn from_columns(pages: Column<u16>, letters: Column<Single>, pairs: Column<u32>) -> Option<Self> {
        let fits = pages.len() == PAGES && pages.iter().all(|&page| (usize::from(page) + 1) * PAGE <= letters.len());
        let fits = fits && (MIN_WORDS..=MAX_WORDS).contains(&pairs.len()) && pairs.len().is_power_of_two();
        fits.then(|| Self { pages, letters, pairs, flat: Lazy::new() })
    }

    /// The columns for storing.
    #[must_use]
    pub const fn columns(&self) -> (&Column<u16>, &Column<Single>, &Column<u32>) {
        (&self.pages, &self.letters, &self.pairs)
    }

    /// Borrows it.
    #[must_use]
    pub fn view(&self) -> AlphabetView<'_> {
        static NONE: [u16; PAGES] = [0; PAGES];
        let pages = self.pages.first_chunk().unwrap_or(&NONE);
        AlphabetView { pages, letters: &self.letters, pairs: PairView::new(&self.pairs) }
    }

    /// All characters in one table; `None` if there are none.
    #[must_use]
    pub fn letters(&self) -> Option<Letters<'_>> {
        if self.pairs.len() < MIN_WORDS {
            return None;
        }
        let flat = self.flat.get(|| {
            let view = self.view();
            (0..u32_of(FLAT)).map(|character| view.id(character)).collect()
        });
        Some(Letters { flat: flat.first_chunk()?, pairs: PairView::new(&self.pairs) })
    }
}

/// The letter of a character, on a page of its own if it had none.
fn letter<'a>(pages: &mut [u16], letters: &'a mut Vec<Single>, character: u32) -> &'a mut Single {
    let page = &mut pages[page_of(character)];
    if *page == 0 {
        *page = u16::try_from(letters.len() / PAGE).unwrap_or(0);
        letters.extend_from_within(..PAGE);
    }
    &mut letters[usize::from(*page) * PAGE + us(character & 255)]
}

impl Letters<'_> {
    /// The id a character has when it stands alone, or [`NONE`].
    #[inline(always)]
    #[must_use]
    pub fn id(&self, character: u32) -> u32 {
        self.flat[us(character).min(FLAT - 1)]
    }

    /// False means: no piece has these two in a row.
    #[inline(always)]
    #[must_use]
    pub fn may_follow(&self, before: u32, after: u32) -> bool {
        self.pairs.has(before, after)
    }

    /// The pairs.
    #[must_use]
    pub const fn pairs(&self) -> PairView<'_> {
        self.pairs
    }

    /// Where the ids of all characters of the basic plane begin, and the words of the pairs, which a hash of a pair has one of
    /// when it is shifted.
    #[must_use]
    pub const fn tables(&self) -> [*const u32; 2] {
        [self.flat.as_ptr(), self.pairs.words.as_ptr()]
    }
}

impl AlphabetView<'_> {
    /// The id a character has when it stands alone, or [`NONE`].
    fn id(&self, character: u32) -> u32 {
        let page = usize::from(self.pages[page_of(character)]);
        self.letters.get(page << 8 | us(character & 255)).map_or(NONE, |letter| letter.id())
    }

    /// False means: no piece has these two in a row.
    #[inline(always)]
    #[must_use]
    pub fn may_follow(&self, before: u32, after: u32) -> bool {
        self.pairs.has(before, after)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn never_denies_a_pair_it_holds() {
        let mut pairs: Vec<(u32, u32)> =
            (0..5000u32).map(|n| (n.wrapping_mul(7919) % 3000, n.wrapping_mul(104_729) % 70_000)).collect();
        pairs.extend([(0x1_F600, 0xFE0F), (0x1_F601, 0x200D), (0x1_F600, 0x1_F601)]);
        pairs.sort_unstable();
        pairs.dedup();
        let alphabet = Alphabet::build(&[], &pairs);
        let view = alphabet.view();
        assert!(pairs.iter().all(|&(first, second)| view.may_follow(first, second)));
        let denied = (0..3000).filter(|&n| !view.may_follow(n, n + 70_001)).count();
        assert!(denied > 2900, "{denied}");
    }

    #[test]
    fn knows_the_id_of_a_character_alone() {
        let singles = [(0x61, 7), (0xE9, 8), (0x4E2D, 9), (0x1_F600, 10), (0x62, MAX_ID)];
        let alphabet = Alphabet::build(&singles, &[(0x61, 0x62)]);
        let id = |character: u32| alphabet.letters().map(|letters| letters.id(character));
        assert_eq!((id(0x61), id(0xE9), id(0x4E2D)), (Some(7), Some(8), Some(9)));
        assert_eq!((id(0x62), id(0x63), id(0x1_F600)), (Some(NONE), Some(NONE), Some(NONE)));
    }
}
