//! Which strings may be pieces: SentencePiece's rule, over length, scripts, digits and the mark for spaces.

use serde::Deserialize;

use crate::cast::us;
use crate::unicode::script;

/// What a space looks like inside a piece.
pub const MARK: char = '\u{2581}';

/// The rule's settings, under the names of SentencePiece's options.
#[derive(Debug, Clone, Deserialize)]
#[allow(clippy::struct_excessive_bools)]
pub struct Shape {
    /// The greatest number of characters.
    pub max_sentencepiece_length: usize,
    /// Whether a piece has characters of one script only.
    pub split_by_unicode_script: bool,
    /// Whether digits belong to the script of signs; otherwise they go with any other.
    pub split_by_number: bool,
    /// Whether a digit is a piece of its own.
    pub split_digits: bool,
    /// Whether the mark stands at the border of a piece only; otherwise inside too, but not at the other border.
    pub split_by_whitespace: bool,
    /// Whether marks stand behind words.
    pub treat_whitespace_as_suffix: bool,
    /// Whether there are pieces of several marks.
    pub allow_whitespace_only_pieces: bool,
}

/// What the rule knows of a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Class {
    script: Script,
    digit: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Script {
    Never,
    Mark,
    Inherited,
    Of(u8),
}

/// The class of a character.
#[must_use]
pub fn class(character: char) -> Class {
    let digit = matches!(character, '0'..='9' | '\u{FF10}'..='\u{FF19}');
    let found = match character {
        '\u{2585}' | '\0' | '\t' | ' ' => Script::Never,
        MARK => Script::Mark,
        // Script 0 is that of code points without a script. SentencePiece takes them for signs; with that, the table of
        // `unicode` and its own put all code points into the same groups (tests/parity/test_training.py).
        _ => match script(character) {
            0 => Script::Of(script('!')),
            inherited if inherited == script('\u{300}') => Script::Inherited,
            other => Script::Of(other),
        },
    };
    Class { script: found, digit }
}

impl Shape {
    /// Whether a string may be a piece.
    #[must_use]
    pub fn allows(&self, piece: &[char]) -> bool {
        self.allows_classes(piece.len(), |place| class(piece[place]))
    }

    /// Whether a string of `length` characters of these classes may be a piece.
    #[inline]
    pub fn allows_classes(&self, length: usize, class_at: impl Fn(usize) -> Class) -> bool {
        if length == 0 || length > self.max_sentencepiece_length {
            return false;
        }
        // Nothing before, or a digit that goes with everything.
        let mut before = None;
        let mut only_marks = None;
        for place in 0..length {
            let class = class_at(place);
            let current = match class.script {
                Script::Never => return false,
                Script::Mark => {
                    let exempt = self.allow_whitespace_only_pieces
                        && *only_marks.get_or_insert_with(|| (0..length).all(|at| class_at(at).script == Script::Mark));
                    if !exempt && !self.mark_fits(place, length) {
                        return false;
                    }
                    continue;
                }
                _ if class.digit && self.split_digits && length > 1 => return false,
                _ if class.digit && !self.split_by_number => None,
                Script::Inherited => before,
                Script::Of(script) => Some(script),
            };
            if self.split_by_unicode_script && before.is_some() && current.is_some() && before != current {
                return false;
            }
            before = current;
        }
        true
    }

    fn mark_fits(&self, place: usize, length: usize) -> bool {
        let (first, last) = (place == 0, place + 1 == length);
        match (self.treat_whitespace_as_suffix, self.split_by_whitespace) {
            (true, true) => last,
            (true, false) => last || !first,
            (false, true) => first,
            (false, false) => first || !last,
        }
    }
}

/// The classes of an alphabet, to be looked up by place.
#[must_use]
pub fn classes(chars: &[char]) -> Vec<Class> {
    chars.iter().map(|&character| class(character)).collect()
}

/// The class at a place of [`classes`].
#[inline]
#[must_use]
pub fn class_of(classes: &[Class], place: u32) -> Class {
    classes[us(place)]
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Shape = Shape {
        max_sentencepiece_length: 16,
        split_by_unicode_script: true,
        split_by_number: true,
        split_digits: false,
        split_by_whitespace: true,
        treat_whitespace_as_suffix: false,
        allow_whitespace_only_pieces: false,
    };

    fn allowed(shape: &Shape, pieces: &str) -> String {
        let fits = |piece: &&str| shape.allows(&piece.chars().collect::<Vec<_>>());
        pieces.split(' ').filter(fits).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn scripts_do_not_mix() {
        let pieces = "ab ▁ab a1 ▁12 аb 漢かナー a\u{301}b \u{301}a 漢a ab, ,.";
        assert_eq!(allowed(&PLAIN, pieces), "ab ▁ab ▁12 漢かナー a\u{301}b \u{301}a ,.");
        let mixed = Shape { split_by_unicode_script: false, ..PLAIN };
        assert_eq!(allowed(&mixed, pieces), pieces);
    }

    #[test]
    fn digits_can_go_with_everything_or_with_nothing() {
        let pieces = "1 12 a1 1a a1b 1,  １２";
        assert_eq!(allowed(&Shape { split_by_number: false, ..PLAIN }, pieces), "1 12 a1 1a a1b 1, １２");
        assert_eq!(allowed(&Shape { split_digits: true, ..PLAIN }, pieces), "1");
    }

    #[test]
    fn marks_stand_where_words_begin_or_end() {
        let pieces = "▁ ▁a a▁ ▁▁ a▁b ▁a▁b ▁▁a";
        assert_eq!(allowed(&PLAIN, pieces), "▁ ▁a");
        assert_eq!(allowed(&Shape { split_by_whitespace: false, ..PLAIN }, pieces), "▁ ▁a a▁b ▁a▁b ▁▁a");
        let suffix = Shape { treat_whitespace_as_suffix: true, ..PLAIN };
        assert_eq!(allowed(&suffix, pieces), "▁ a▁");
        assert_eq!(allowed(&Shape { split_by_whitespace: false, ..suffix }, pieces), "▁ a▁ a▁b");
        assert_eq!(allowed(&Shape { allow_whitespace_only_pieces: true, ..PLAIN }, pieces), "▁ ▁a ▁▁");
    }

    #[test]
    fn length_is_bounded_and_some_characters_are_never_in_a_piece() {
        assert_eq!(allowed(&Shape { max_sentencepiece_length: 2, ..PLAIN }, "ab abc ▁ab"), "ab");
        assert_eq!(allowed(&PLAIN, "a\t a\0 \u{2585}"), "");
    }
}
