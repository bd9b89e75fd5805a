//! A sparse map from code points to numbers: pages of 256, of which only those in use exist.

use crate::util::{u32_of, us};

/// Code points per page.
const PAGE: usize = 256;
/// Pages that cover all of Unicode.
const PAGES: usize = 0x11_0000 / PAGE;
/// Marks a code point without a number.
const NONE: u32 = u32::MAX;

/// The map.
#[derive(Debug, Clone)]
pub struct CodePointMap {
    /// For each page its start in `numbers`; 0 is the empty page.
    starts: Vec<u32>,
    numbers: Vec<u32>,
}

impl Default for CodePointMap {
    fn default() -> Self {
        Self { starts: vec![0; PAGES], numbers: vec![NONE; PAGE] }
    }
}

impl CodePointMap {
    /// Maps a character to a number.
    pub fn set(&mut self, character: u32, number: u32) {
        let Some(start) = self.starts.get_mut(us(character) / PAGE) else { return };
        if *start == 0 {
            *start = u32_of(self.numbers.len());
            self.numbers.resize(self.numbers.len() + PAGE, NONE);
        }
        self.numbers[us(*start) + us(character) % PAGE] = number;
    }

    /// All mapped characters with their numbers, ascending.
    pub fn iter(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let pages = (0u32..).step_by(PAGE).zip(&self.starts).filter(|(_, &start)| start > 0);
        let characters = pages.flat_map(|(first, &start)| (first..).zip(&self.numbers[us(start)..us(start) + PAGE]));
        characters.map(|(character, &number)| (character, number)).filter(|&(_, number)| number != NONE)
    }

    /// Whether some character maps to this number.
    pub fn holds(&self, number: u32) -> bool {
        number != NONE && self.numbers.contains(&number)
    }

    /// The number of a character.
    pub fn get(&self, character: u32) -> Option<u32> {
        let start = *self.starts.get(us(character) / PAGE)?;
        self.numbers.get(us(start) + us(character) % PAGE).copied().filter(|&number| number != NONE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_have_the_number_given() {
        let mut pages = CodePointMap::default();
        for (number, character) in (7u32..).zip(['a', 'b', '日', '\u{10FFFF}']) {
            pages.set(u32::from(character), number);
        }
        let found = ['a', '\0', 'b', '本', '日', '\u{10FFFF}'].map(|character| pages.get(u32::from(character)));
        assert_eq!(found, [Some(7), None, Some(8), None, Some(9), Some(10)]);
        assert_eq!(pages.get(0x11_0000), None);
        assert_eq!(pages.iter().map(|(_, number)| number).collect::<Vec<_>>(), [7, 8, 9, 10]);
        pages.set(u32::MAX, 1);
        assert_eq!(pages.get(u32::MAX), None);
    }
}
