//! Normalization of text given as code points: a table from code point to result for nearly all of them.
//!
//! The table is derived from the classes and equally conservative: a text in which a multi-character key may begin, or
//! with a character whose image is not simple, is left to [`Normalizer::normalize`].

use crate::normalize::charsmap::Charsmap;
use crate::normalize::classes::{ClassView, CLASS, LATER, MAPPED, STARTER, UNCHANGED};
use crate::normalize::{Normalizer, Rules};
use crate::util::{u16_of, us};

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
    fn number(self) -> u32 {
        self
    }

    fn text(characters: &[Self]) -> String {
        characters.iter().map(|&code| char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
    }
}

impl CodePoint for u16 {
    fn number(self) -> u32 {
        u32::from(self)
    }

    fn text(characters: &[Self]) -> String {
        String::from_utf16_lossy(characters)
    }
}

/// What characters become by themselves.
#[derive(Clone, Copy)]
struct Images<'a> {
    classes: ClassView<'a>,
    map: Option<Charsmap<'a>>,
    /// Whether spaces are escaped, so that a space mark needs the slow step.
    escape: bool,
}

/// The table, borrowed once per text.
#[derive(Clone, Copy)]
pub struct CodePointTableView<'a> {
    /// See [`CodePointTable`].
    pub code_point_table: &'a CodePointTable,
    images: Images<'a>,
    /// Whether leading, trailing and repeated spaces are dropped.
    pub squeeze: bool,
    /// Whether a space is inserted before the text.
    pub prefix: bool,
}

/// The table entry of a character.
pub fn image_of(code_point_table: &CodePointTable, code: u32) -> u16 {
    code_point_table[us(code).min(BEYOND)]
}

impl CodePointTableView<'_> {
    /// The table entry of a character.
    #[inline(always)]
    pub fn of(&self, code: u32) -> u16 {
        image_of(self.code_point_table, code)
    }

    /// Calls `push` with the result of a character whose entry is [`OTHER`]; `before` is its predecessor. False if the
    /// result depends on more than that.
    pub fn each(&self, code: u32, before: Option<u32>, mut push: impl FnMut(u16)) -> bool {
        if us(code) >= BEYOND {
            return false;
        }
        let Images { classes, .. } = self.images;
        // A predecessor beyond the basic plane would have ended the text.
        if classes.of(code) & LATER != 0 && before.is_some_and(|before| classes.of(before) & CLASS != UNCHANGED) {
            return false;
        }
        match classes.of(code) & CLASS {
            UNCHANGED | STARTER if code >= 0x80 => {
                push(u16_of(us(code)));
                true
            }
            MAPPED => self.images.of(code).is_some_and(|image| simple(image, push)),
            _ => false,
        }
    }
}

/// Calls `push` with the characters of an image; false if it is not simple.
fn simple(text: &str, mut push: impl FnMut(u16)) -> bool {
    let fits = |one: char| one != ' ' && u32::from(one) < u32::from(OTHER);
    let is_simple = text.chars().count() <= LONGEST_IMAGE && text.chars().all(fits);
    if is_simple {
        text.chars().for_each(|one| push(u16_of(us(u32::from(one)))));
    }
    is_simple
}

impl Normalizer {
    /// Whether the rules allow characters to be normalized one by one.
    pub const fn has_code_point_table(&self) -> bool {
        let Rules { words, squeeze, suffix, .. } = self.rules;
        !(self.verbatim || words && !squeeze || suffix)
    }

    /// The table, where the rules allow one.
    pub fn code_point_table(&self) -> Option<CodePointTableView<'_>> {
        if !self.has_code_point_table() {
            return None;
        }
        let images =
            Images { classes: self.classes.view(), map: Charsmap::new(&self.charsmap), escape: self.rules.escape };
        let code_point_table = self.code_point_table.get(|| {
            let mut made = Box::new([OTHER; CHARACTERS]);
            // In two passes: the first one is vectorized.
            for ((code, place), known) in (0..OTHER).zip(made.iter_mut()).zip(images.classes.chars) {
                *place = if matches!(known & (CLASS | LATER), UNCHANGED | STARTER) { code } else { OTHER };
            }
            let others = |(code, place): &(u16, &mut u16)| *code < 0x80 || **place == OTHER;
            for (code, place) in (0..OTHER).zip(made.iter_mut()).filter(others) {
                *place = images.image(code).unwrap_or(OTHER);
            }
            made
        });
        let Rules { squeeze, prefix, words, .. } = self.rules;
        Some(CodePointTableView { code_point_table, images, squeeze, prefix: prefix || words })
    }
}

impl<'a> Images<'a> {
    /// The image of a [`MAPPED`] character, unless it contains an escaped space.
    fn of(&self, code: u32) -> Option<&'a str> {
        let (place, size) = self.classes.image(code);
        let image = std::str::from_utf8(self.map?.image(place, size)).ok()?;
        Some(image).filter(|image| !self.escape || !image.contains('\u{2581}'))
    }

    /// The table entry of a character, if it is not [`OTHER`].
    fn image(&self, code: u16) -> Option<u16> {
        match (code, self.classes.of(code.into()) & (CLASS | LATER)) {
            (_, LATER..) => None,
            (..0x80, _) => Some(self.classes.ascii[usize::from(code)].into()).filter(|&image| image != 0),
            (_, UNCHANGED | STARTER) => Some(code),
            (_, MAPPED) => {
                let mut characters = self.of(code.into())?.chars();
                let only = characters.next().filter(|_| characters.next().is_none())?;
                u16::try_from(u32::from(only)).ok()
            }
            _ => None,
        }
    }
}
