//! What is known of each character: the id it has when it stands alone, and which characters may follow it in pieces.
//!
//! In Chinese and Japanese most units are one character, so their ids are read here and no table of units is asked. The set
//! of followers is a row of bits, hashed: it may say "yes" too often, never "no" wrongly. A false "yes" only makes two units
//! one, which changes no id. Rows are wide enough that this is rare; a character that nothing follows has the empty row.

use bytemuck::{Pod, Zeroable};

use crate::cast::{low32, u32_of, us};
use crate::index::column::Column;
use crate::index::lazy::Lazy;

/// Characters of a page.
const PAGE: usize = 256;
/// One page for every 256 characters of the basic plane, and one that all other characters share.
const PAGES: usize = 257;
/// Smallest row: one cache line.
const MIN_BITS: usize = 512;
const MAX_BITS: usize = 1 << 16;
/// Bits for each follower.
const SPARSE: usize = 32;
/// Ids below this can stand in a letter.
const MAX_ID: u32 = 1 << 29;
/// Stands for no id.
pub const NONE: u32 = u32::MAX;
/// Characters of the basic plane, and one for all others.
const FLAT: usize = PAGE * (PAGES - 1) + 1;

/// A character.
#[derive(Clone, Copy, Default, Pod, Zeroable)]
#[repr(C)]
pub struct Letter {
    /// See [`Single`].
    pub single: Single,
    /// See [`Row`].
    pub row: Row,
}

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

/// The followers of a character: first word in bits 5–31, and by how much a follower's hash is shifted to give its bit.
#[derive(Clone, Copy, Default, Pod, Zeroable)]
#[repr(transparent)]
pub struct Row(u32);

/// All characters.
#[derive(Default)]
pub struct Alphabet {
    pages: Column<u16>,
    letters: Column<Letter>,
    words: Column<u64>,
    /// The letters without pages: made when a text first asks for many of them.
    flat: Lazy<Vec<FlatLetter>>,
}

/// A character in the table without pages.
#[derive(Clone, Copy)]
pub struct FlatLetter {
    /// The id it has when it stands alone, or [`NONE`].
    pub id: u32,
    /// See [`Row`].
    pub row: Row,
}

/// All characters in one table, borrowed once per window.
#[derive(Clone, Copy)]
pub struct Letters<'a> {
    flat: &'a [FlatLetter; FLAT],
    words: &'a [u64],
}

/// All characters, borrowed once per call.
#[derive(Clone, Copy)]
pub struct AlphabetView<'a> {
    pages: &'a [u16; PAGES],
    letters: &'a [Letter],
    words: &'a [u64],
}

#[inline(always)]
fn mix(value: u32) -> u32 {
    low32(u64::from(value).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32)
}

#[inline(always)]
fn page_of(character: u32) -> usize {
    us(character >> 8).min(PAGES - 1)
}

impl Row {
    /// The word and the bit of a follower.
    #[inline(always)]
    fn place(self, follower: u32) -> (usize, u32) {
        let bit = mix(follower) >> (self.0 & 31);
        (us((self.0 >> 5) + (bit >> 6)), bit & 63)
    }
}

impl Alphabet {
    /// From the characters that have an id alone, with their ids, and all pairs of neighbours.
    #[must_use]
    pub fn build(singles: &[(u32, u32)], pairs: &mut [(u32, u32)]) -> Self {
        let mut letters = vec![Letter::zeroed(); PAGE];
        let mut pages = vec![0u16; PAGES];
        let mut words = vec![0u64; MIN_BITS / 64];
        let empty = Row(32 - MIN_BITS.ilog2());
        letters.fill(Letter { single: Single::default(), row: empty });
        for &(character, id) in singles.iter().filter(|(character, _)| us(*character) < (PAGES - 1) * PAGE) {
            let bytes = char::from_u32(character).map_or(0, char::len_utf8);
            letter(&mut pages, &mut letters, character).single = Single::new(id, bytes);
        }
        // All characters outside the basic plane have the same row.
        let group = |first: u32| first.min(0x1_0000);
        pairs.sort_unstable_by_key(|&(first, second)| (group(first), second));
        for row in pairs.chunk_by(|one, other| group(one.0) == group(other.0)) {
            let bits = (row.len() * SPARSE).next_power_of_two().clamp(MIN_BITS, MAX_BITS);
            let place = Row(u32_of(words.len()) << 5 | (32 - bits.ilog2()));
            words.resize(words.len() + bits / 64, 0);
            for &(_, second) in row {
                let (word, bit) = place.place(second);
                words[word] |= 1 << bit;
            }
            let first = group(row[0].0);
            if us(first) < (PAGES - 1) * PAGE {
                letter(&mut pages, &mut letters, first).row = place;
            } else {
                letter(&mut pages, &mut letters, first);
                let page = usize::from(pages[PAGES - 1]);
                letters[page * PAGE..].fill(Letter { single: Single::default(), row: place });
            }
        }
        Self { pages: pages.into(), letters: letters.into(), words: words.into(), flat: Lazy::new() }
    }

    /// Takes stored columns; `None` if they do not belong together.
    #[must_use]
    pub fn from_columns(pages: Column<u16>, letters: Column<Letter>, words: Column<u64>) -> Option<Self> {
        let fits = pages.len() == PAGES && pages.iter().all(|&page| (usize::from(page) + 1) * PAGE <= letters.len());
        fits.then(|| Self { pages, letters, words, flat: Lazy::new() })
    }

    /// The columns for storing.
    #[must_use]
    pub const fn columns(&self) -> (&Column<u16>, &Column<Letter>, &Column<u64>) {
        (&self.pages, &self.letters, &self.words)
    }

    /// Borrows it.
    #[must_use]
    pub fn view(&self) -> AlphabetView<'_> {
        static NONE: [u16; PAGES] = [0; PAGES];
        let pages = self.pages.first_chunk().unwrap_or(&NONE);
        AlphabetView { pages, letters: &self.letters, words: &self.words }
    }

    /// All characters in one table.
    #[must_use]
    pub fn letters(&self) -> Option<Letters<'_>> {
        let flat = self.flat.get(|| {
            let view = self.view();
            let letters = (0..u32_of(FLAT)).map(|character| view.of(character));
            letters.map(|letter| FlatLetter { id: letter.single.id(), row: letter.row }).collect()
        });
        Some(Letters { flat: flat.first_chunk()?, words: &self.words })
    }
}

/// The letter of a character, on a page of its own if it had none.
fn letter<'a>(pages: &mut [u16], letters: &'a mut Vec<Letter>, character: u32) -> &'a mut Letter {
    let page = &mut pages[page_of(character)];
    if *page == 0 {
        *page = u16::try_from(letters.len() / PAGE).unwrap_or(0);
        letters.extend_from_within(..PAGE);
    }
    &mut letters[usize::from(*page) * PAGE + us(character & 255)]
}

impl Letters<'_> {
    /// What is known of a character.
    #[inline(always)]
    #[must_use]
    pub fn of(&self, character: u32) -> FlatLetter {
        self.flat[us(character).min(FLAT - 1)]
    }

    /// See [`AlphabetView::may_follow`].
    #[inline(always)]
    #[must_use]
    pub fn may_follow(&self, row: Row, character: u32) -> bool {
        may_follow(self.words, row, character)
    }
}

/// False means: no piece has this character after the row's.
#[inline(always)]
fn may_follow(words: &[u64], row: Row, character: u32) -> bool {
    let (word, bit) = row.place(character);
    words.get(word).is_none_or(|word| word >> bit & 1 == 1)
}

impl AlphabetView<'_> {
    /// What is known of a character.
    #[inline(always)]
    #[must_use]
    pub fn of(&self, character: u32) -> Letter {
        let page = usize::from(self.pages[page_of(character)]);
        self.letters.get(page << 8 | us(character & 255)).copied().unwrap_or_default()
    }

    /// False means: no piece has this character after the row's.
    #[inline(always)]
    #[must_use]
    pub fn may_follow(&self, row: Row, character: u32) -> bool {
        may_follow(self.words, row, character)
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
        let alphabet = Alphabet::build(&[], &mut pairs);
        let view = alphabet.view();
        assert!(pairs.iter().all(|&(first, second)| view.may_follow(view.of(first).row, second)));
        let denied = (0..3000).filter(|&n| !view.may_follow(view.of(n).row, n + 70_001)).count();
        assert!(denied > 2900, "{denied}");
        assert!(!view.may_follow(view.of(60_000).row, 5) && !view.may_follow(view.of(0x1_F680).row, 77));
    }

    #[test]
    fn knows_the_id_of_a_character_alone() {
        let singles = [(0x61, 7), (0xE9, 8), (0x4E2D, 9), (0x1_F600, 10), (0x62, MAX_ID)];
        let alphabet = Alphabet::build(&singles, &mut [(0x61, 0x62)]);
        let id = |character: u32| alphabet.letters().map(|letters| letters.of(character).id);
        assert_eq!((id(0x61), id(0xE9), id(0x4E2D)), (Some(7), Some(8), Some(9)));
        assert_eq!((id(0x62), id(0x63), id(0x1_F600)), (Some(NONE), Some(NONE), Some(NONE)));
    }
}
