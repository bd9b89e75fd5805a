//! Normalization of text given as code points: a table from code point to result for nearly all of them.
//!
//! The table is derived from the classes and equally conservative: a text in which a multi-character key may begin, or
//! with a character whose image is not simple, is left to [`Normalizer::normalize`].

use crate::normalize::charsmap::Charsmap;
use crate::normalize::classes::{ClassView, CLASS, LATER, MAPPED, PLAIN, STARTER};
use crate::normalize::{Normalizer, Rules};
use crate::spec::vocab::SPACE_MARK;
use crate::util::cast::{u16_of, us};

/// Marks a result of several characters, or one that depends on its neighbours.
pub const OTHER: u16 = 0xFFFF;

/// The index shared by all characters beyond the basic plane.
const BEYOND: usize = 0x1_0000;
/// Entries of the table: the basic plane, one for all other characters, and one more for reads of two at once.
const CHARACTERS: usize = BEYOND + 2;
/// Maximum characters of a simple image.
const LONGEST_IMAGE: usize = 16;

/// The result of each character: a character of the basic plane, a space included, or [`OTHER`].
pub type CodePointTable = [u16; CHARACTERS];

/// A code point in one of the widths of a string.
pub trait CodePoint: Copy + Sync {
    /// The number.
    fn number(self) -> u32;
    /// The text of some code points; invalid ones become U+FFFD.
    fn text(characters: &[Self]) -> String;
}

impl CodePoint for u32 {
    #[inline(always)]
    fn number(self) -> u32 {
        self
    }

    fn text(characters: &[Self]) -> String {
        characters.iter().map(|&code| char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
    }
}

impl CodePoint for u16 {
    #[inline(always)]
    fn number(self) -> u32 {
        u32::from(self)
    }

    fn text(characters: &[Self]) -> String {
        String::from_utf16_lossy(characters)
    }
}

/// The table, borrowed once per text.
#[derive(Clone, Copy)]
pub struct CodePointTableView<'a> {
    /// See [`CodePointTable`].
    pub code_point_table: &'a CodePointTable,
    classes: ClassView<'a>,
    map: Option<Charsmap<'a>>,
    /// Whether spaces are escaped, so that a space mark needs the slow step.
    escape: bool,
    /// Whether leading, trailing and repeated spaces are dropped.
    pub squeeze: bool,
    /// Whether a space is inserted before the text.
    pub prefix: bool,
}

/// The table entry of a character.
#[inline(always)]
pub fn fate_of(code_point_table: &CodePointTable, code: u32) -> u16 {
    code_point_table[us(code).min(BEYOND)]
}

impl CodePointTableView<'_> {
    /// The table entry of a character.
    #[inline(always)]
    pub fn of(&self, code: u32) -> u16 {
        fate_of(self.code_point_table, code)
    }

    /// Calls `push` with the result of a character whose entry is [`OTHER`]; `before` is its predecessor. False if the
    /// result depends on more than that.
    pub fn each(&self, code: u32, before: Option<u32>, mut push: impl FnMut(u16)) -> bool {
        if us(code) >= BEYOND {
            return false;
        }
        let is_later = self.classes.is_later(code);
        if is_later && before.is_some_and(|before| self.classes.class(before) != PLAIN) {
            return false;
        }
        match self.classes.class(code) {
            PLAIN | STARTER if code >= 0x80 => {
                push(u16_of(us(code)));
                true
            }
            MAPPED => {
                let (place, size) = self.classes.image(code);
                let Some(image) = self.map.map(|map| map.image(place, size)) else { return false };
                let has_mark = self.escape && image.windows(SPACE_MARK.len()).any(|part| part == SPACE_MARK);
                !has_mark && simple(image, push)
            }
            _ => false,
        }
    }
}

/// Calls `push` with the characters of an image; false if it is not simple.
fn simple(image: &[u8], mut push: impl FnMut(u16)) -> bool {
    let Ok(text) = std::str::from_utf8(image) else { return false };
    let is_plain = |one: char| one != ' ' && u32::from(one) < u32::from(OTHER);
    let is_simple = text.chars().count() <= LONGEST_IMAGE && text.chars().all(is_plain);
    if is_simple {
        text.chars().for_each(|one| push(u16_of(us(u32::from(one)))));
    }
    is_simple
}

impl Normalizer {
    /// Whether the rules allow characters to be normalized one by one.
    pub const fn has_code_point_table(&self) -> bool {
        let Rules { words, squeeze, suffix, .. } = self.rules;
        !(self.verbatim || words && !squeeze || suffix || self.keeps_bad)
    }

    /// The table, where the rules allow one.
    pub fn code_point_table(&self) -> Option<CodePointTableView<'_>> {
        if !self.has_code_point_table() {
            return None;
        }
        let (classes, map, escape) = (self.classes.view(), Charsmap::new(&self.charsmap), self.rules.escape);
        let code_point_table = self.code_point_table.get(|| {
            let mut made = Box::new([OTHER; CHARACTERS]);
            let code_point_table = (0..OTHER).map(|code| fate(code, &classes, map, escape));
            code_point_table.zip(made.iter_mut()).for_each(|(fate, place)| *place = fate);
            made
        });
        let Rules { squeeze, prefix, words, .. } = self.rules;
        Some(CodePointTableView { code_point_table, classes, map, escape, squeeze, prefix: prefix || words })
    }
}

/// The table entry of a character.
fn fate(code: u16, classes: &ClassView<'_>, map: Option<Charsmap<'_>>, escape: bool) -> u16 {
    let known = classes.of(code.into());
    if known & LATER != 0 {
        return OTHER;
    }
    match (code, known & CLASS) {
        (0..0x80, _) => match classes.ascii[usize::from(code)] {
            0 => OTHER,
            image => image.into(),
        },
        (_, PLAIN | STARTER) => code,
        (_, MAPPED) => {
            let (place, size) = classes.image(code.into());
            let image = map.and_then(|map| std::str::from_utf8(map.image(place, size)).ok()).unwrap_or("");
            let mut characters = image.chars();
            match (characters.next().map(u32::from), characters.next()) {
                (Some(0x2581), None) if escape => OTHER,
                (Some(one), None) => u16::try_from(one).unwrap_or(OTHER),
                _ => OTHER,
            }
        }
        _ => OTHER,
    }
}
