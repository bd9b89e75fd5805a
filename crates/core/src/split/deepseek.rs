//! The three patterns of DeepSeek V3, each of which cuts the output of the one before it.
//!
//! Numbers and Chinese or Japanese text are cut out first; the third pattern then sees each stretch as a text of its
//! own, so for it the text ends where the kind of stretch changes. Text that none of its alternatives matches is a
//! chunk too.

use crate::split::classes::{character, code_at, Character, LETTER, LOWER, NEWLINE, NUMBER, SPACE, UPPER};
use crate::split::shared::{numbers_end, Scanner, Spaces};
use crate::unicode;
use crate::unicode::SIGN;

/// ```text
/// \p{N}{1,3}
/// [一-龥぀-ゟ゠-ヿ]+
/// [!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*
///     |\s*[\r\n]+|\s+(?!\S)|\s+
/// ```
/// The masks of blocks do not serve here: they do not distinguish punctuation from control characters.
pub struct DeepseekV3;

/// Maximum digits in a chunk.
const NUMBERS: usize = 3;

impl Scanner for DeepseekV3 {
    fn chunk_end(text: &[u8], at: usize) -> usize {
        let first = character::<false>(text, at);
        if first.is(NUMBER) {
            return numbers_end::<false>(text, at + first.length, NUMBERS - 1);
        }
        let stretch = Stretch { text, chinese: is_chinese(text, at) };
        if let Some(end) = stretch.match_end(at) {
            return end;
        }
        let mut end = at;
        loop {
            end += stretch.at(end).0.length;
            if stretch.at(end).0.length == 0 || stretch.matches(end) {
                return end;
            }
        }
    }
}

/// A stretch that is Chinese or Japanese throughout, or not at all.
struct Stretch<'a> {
    text: &'a [u8],
    chinese: bool,
}

impl Stretch<'_> {
    /// The character at a position, and whether it is punctuation or a symbol; past the end of the stretch there is
    /// none.
    fn at(&self, at: usize) -> (Character, bool) {
        let found = character::<false>(self.text, at);
        if found.is(NUMBER) || is_chinese(self.text, at) != self.chinese {
            return (Character { class: 0, length: 0 }, false);
        }
        let sign = found.length != 0 && !found.is(LETTER | SPACE) && is_sign(self.text, at);
        (found, sign)
    }

    fn run_end(&self, mut at: usize, belongs: impl Fn(Character, bool) -> bool) -> usize {
        loop {
            let (next, sign) = self.at(at);
            if next.length == 0 || !belongs(next, sign) {
                return at;
            }
            at += next.length;
        }
    }

    /// The end of the match that begins at a position, if there is one.
    fn match_end(&self, at: usize) -> Option<usize> {
        let (first, sign) = self.at(at);
        let second = at + first.length;
        let (next, next_sign) = self.at(second);
        if sign && first.length == 1 && self.text.get(second).is_some_and(u8::is_ascii_alphabetic) {
            return Some(self.run_end(second, |c, _| c.length == 1 && c.is(LETTER)));
        }
        let prefixed = !first.is(NEWLINE | LETTER) && !sign && is_word(next);
        if prefixed || is_word(first) {
            return Some(self.run_end(second, |c, _| is_word(c)));
        }
        if sign || self.text[at] == b' ' && next_sign {
            let end = self.run_end(second, |_, sign| sign);
            return Some(self.run_end(end, |c, _| c.is(NEWLINE)));
        }
        first.is(SPACE).then(|| Spaces::of(at, |at| self.at(at).0).behind_newline(at))
    }

    /// Whether a match begins at a position.
    fn matches(&self, at: usize) -> bool {
        let (first, sign) = self.at(at);
        sign || first.is(SPACE) || is_word(first) || is_word(self.at(at + first.length).0)
    }
}

/// `[\p{L}\p{M}]`: marks are the only non-letters that have both case bits.
fn is_word(c: Character) -> bool {
    c.is(LETTER) || c.is(UPPER) && c.is(LOWER)
}

fn is_sign(text: &[u8], at: usize) -> bool {
    char::from_u32(code_at(text, at)).is_some_and(|c| unicode::is(c, SIGN))
}

fn is_chinese(text: &[u8], at: usize) -> bool {
    // All of them have three bytes and one of these first.
    matches!(text.get(at), Some(0xE3..=0xE9)) && matches!(code_at(text, at), 0x4E00..=0x9FA5 | 0x3040..=0x30FF)
}
