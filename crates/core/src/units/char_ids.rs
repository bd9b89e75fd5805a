//! The code-point table: for each character the id of the unit that it is alone, and the filters of adjacent
//! characters.
//!
//! In Chinese and Japanese most units are one character, so their ids are read here without a cache look-up.

use bytemuck::{Pod, Zeroable};

use crate::units::bigrams::{Bigrams, NeighboursView};
use crate::util::{u32_of, us, Column, Lazy};

/// Characters per page.
const PAGE: usize = 256;
/// One page for every 256 characters of the basic plane, and one that all other characters share.
const PAGES: usize = 257;
/// Ids below this fit a [`Single`].
const MAX_ID: u32 = 1 << 29;
/// Marks a character without a single id.
pub const NONE: u32 = u32::MAX;
/// Entries of the flat table: the basic plane, and one for all other characters.
const FLAT: usize = PAGE * (PAGES - 1) + 1;

/// The id of a character as a unit of its own, and its length in bytes; none where it takes more than one id.
#[derive(Clone, Copy, Default, Pod, Zeroable)]
#[repr(transparent)]
pub struct Single(u32);

impl Single {
    fn new(id: u32, bytes: usize) -> Self {
        Self(if id < MAX_ID { id | u32_of(bytes) << 29 } else { 0 })
    }

    /// The id, or [`NONE`].
    pub const fn id(self) -> u32 {
        if self.0 == 0 {
            NONE
        } else {
            self.0 & (MAX_ID - 1)
        }
    }
}

/// The paged table of all characters.
#[derive(Default)]
pub struct CharTable {
    pub(crate) pages: Column<u16>,
    pub(crate) char_ids: Column<Single>,
    pub(crate) neighbours: Bigrams,
    /// The flat table of ids: built when a text first needs many of them.
    flat: Lazy<Vec<u32>>,
}

/// The flat table, borrowed once per window.
#[derive(Clone, Copy)]
pub struct CharIds<'a> {
    /// By character: the id of the unit that it is alone, or [`NONE`].
    flat: &'a [u32; FLAT],
    /// The filters of adjacent characters.
    pub neighbours: NeighboursView<'a>,
}

impl CharTable {
    /// From the characters with a single id, with their ids, and the filters of adjacent characters.
    pub fn build(singles: &[(u32, u32)], neighbours: Bigrams) -> Self {
        let mut char_ids = vec![Single::default(); PAGE];
        let mut pages = vec![0u16; PAGES];
        for &(character, id) in singles.iter().filter(|(character, _)| us(*character) < (PAGES - 1) * PAGE) {
            let bytes = char::from_u32(character).map_or(0, char::len_utf8);
            *letter(&mut pages, &mut char_ids, character) = Single::new(id, bytes);
        }
        Self { pages: pages.into(), char_ids: char_ids.into(), neighbours, flat: Lazy::new() }
    }

    /// Takes stored columns; `None` if they are inconsistent.
    pub fn from_columns(pages: Column<u16>, char_ids: Column<Single>, neighbours: Bigrams) -> Option<Self> {
        let fits = pages.len() == PAGES && pages.iter().all(|&page| (usize::from(page) + 1) * PAGE <= char_ids.len());
        fits.then(|| Self { pages, char_ids, neighbours, flat: Lazy::new() })
    }

    /// The filters of adjacent characters.
    pub fn neighbours(&self) -> NeighboursView<'_> {
        self.neighbours.view()
    }

    /// The flat table; `None` if there are no characters.
    pub fn char_ids(&self) -> Option<CharIds<'_>> {
        if self.neighbours.is_empty() {
            return None;
        }
        let flat = self.flat.get(|| {
            let mut flat = Vec::with_capacity(PAGE * PAGES);
            for first in self.pages.iter().map(|&page| PAGE * usize::from(page)) {
                flat.extend(self.char_ids[first..first + PAGE].iter().map(|single| single.id()));
            }
            flat
        });
        Some(CharIds { flat: flat.first_chunk()?, neighbours: self.neighbours.view() })
    }
}

/// The entry of a character, on a new page if there is none yet.
fn letter<'a>(pages: &mut [u16], char_ids: &'a mut Vec<Single>, character: u32) -> &'a mut Single {
    let page = &mut pages[us(character) / PAGE];
    if *page == 0 {
        *page = u16::try_from(char_ids.len() / PAGE).unwrap_or(0);
        char_ids.extend_from_within(..PAGE);
    }
    &mut char_ids[usize::from(*page) * PAGE + us(character) % PAGE]
}

impl CharIds<'_> {
    /// The id of the unit that a character is alone, or [`NONE`].
    #[inline(always)]
    pub fn id(&self, character: u32) -> u32 {
        self.flat[us(character).min(FLAT - 1)]
    }

    /// The address of the flat table's ids.
    pub const fn as_ptr(&self) -> *const u32 {
        self.flat.as_ptr()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_the_id_of_a_character_alone() {
        let singles = [(0x61, 7), (0xE9, 8), (0x4E2D, 9), (0x1_F600, 10), (0x62, MAX_ID)];
        let char_table = CharTable::build(&singles, Bigrams::of_pairs(&[(0x61, 0x62)].into_iter().collect()));
        let id = |character: u32| char_table.char_ids().map(|char_ids| char_ids.id(character));
        assert_eq!((id(0x61), id(0xE9), id(0x4E2D)), (Some(7), Some(8), Some(9)));
        assert_eq!((id(0x62), id(0x63), id(0x1_F600)), (Some(NONE), Some(NONE), Some(NONE)));
    }
}
