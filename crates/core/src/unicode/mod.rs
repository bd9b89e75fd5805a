//! Character properties for `normalize::steps` and `split::rules`.
//!
//! The tables are those of the library that defines these stages, which mixes several versions of Unicode;
//! `split::classes` has its own, of the regex engine.

pub(crate) mod byte_letters;
pub(crate) mod properties_table;
pub(crate) mod scripts_table;

pub use crate::unicode::properties_table::{
    CASED, MARK, NFC, NFD, NFKC, NFKD, NONSPACING, NUMERIC, PUNCTUATION, SIGN, UNCLEAN, WHITE, WORD,
};
use crate::unicode::properties_table::{CLASSES, CLASSES_PAGES, FLAGS};
use crate::unicode::scripts_table::{SCRIPTS, SCRIPTS_PAGES};
use crate::util::us;

/// Offset added to each number in the tables, so that they are printable bytes.
const SHIFT: u8 = 0x40;

fn paged(pages: &[u8], table: &[[u8; 256]], character: char) -> u8 {
    let code = us(u32::from(character));
    let page = pages.get(code >> 8).map_or(0, |&page| usize::from(page));
    table.get(page).map_or(0, |page| page[code & 0xFF].wrapping_sub(SHIFT))
}

/// The flags of a character.
pub fn flags(character: char) -> u16 {
    FLAGS.get(usize::from(paged(&CLASSES_PAGES, &CLASSES, character))).copied().unwrap_or(0)
}

/// Whether a character has one of the wanted flags.
pub fn is(character: char, wanted: u16) -> bool {
    flags(character) & wanted != 0
}

/// The number of a character's script; 0 is compatible with every other.
pub fn script(character: char) -> u8 {
    paged(&SCRIPTS_PAGES, &SCRIPTS, character)
}
