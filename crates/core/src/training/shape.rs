//! Which strings may be pieces: SentencePiece's rule, over length, scripts, digits and the space mark.

use serde::Deserialize;

use crate::training::alphabet::BOUNDARY;
use crate::unicode::script;

/// What a space looks like inside a piece.
pub const MARK: char = '\u{2581}';

/// The rule's settings, under the names of SentencePiece's options.
#[derive(Debug, Clone, Deserialize)]
#[allow(clippy::struct_excessive_bools)]
pub struct Shape {
    /// Maximum number of characters.
    pub max_sentencepiece_length: usize,
    /// Whether a piece has characters of one script only.
    pub split_by_unicode_script: bool,
    /// Whether digits belong to the script of punctuation; otherwise they go with any other.
    pub split_by_number: bool,
    /// Whether a digit is a piece of its own.
    pub split_digits: bool,
    /// Whether the mark occurs at the border of a piece only; otherwise inside too, but not at the other border.
    pub split_by_whitespace: bool,
    /// Whether marks follow words.
    pub treat_whitespace_as_suffix: bool,
    /// Whether there are pieces of several marks.
    pub allow_whitespace_only_pieces: bool,
}

/// The properties of a character that the rule uses.
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
pub fn class(character: char) -> Class {
    let digit = matches!(character, '0'..='9' | '\u{FF10}'..='\u{FF19}');
    let found = match character {
        '\u{2585}' | '\0' | BOUNDARY | ' ' => Script::Never,
        MARK => Script::Mark,
        // Script 0 is that of code points without a script. SentencePiece treats them as punctuation; with that, the
        // table of `unicode` and its own group all code points alike (tests/parity/test_training.py).
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
    pub fn allows(&self, piece: &[char]) -> bool {
        self.allows_classes(piece.len(), |place| class(piece[place]))
    }

    /// Whether a string of `length` characters of these classes may be a piece.
    #[inline]
    pub fn allows_classes(&self, length: usize, class_at: impl Fn(usize) -> Class) -> bool {
        self.longest(length.wrapping_sub(1), length, class_at) == Some(length)
    }

    /// The length of the longest prefix of a string of `length` characters that may be a piece, if it is above `least`.
    #[inline]
    pub fn longest(&self, least: usize, length: usize, class_at: impl Fn(usize) -> Class) -> Option<usize> {
        let mut found = None;
        let mut scan = Scan::default();
        for place in 0..length.min(self.max_sentencepiece_length) {
            match scan.step(self, place, class_at(place)) {
                Fit::Never => break,
                Fit::Fits if place >= least => found = Some(place + 1),
                Fit::Fits | Fit::NotYet => {}
            }
        }
        found
    }

    /// Whether these two characters are adjacent in no piece. Conservative: false does not imply that there is such a
    /// piece.
    pub fn parts(&self, left: Class, right: Class) -> bool {
        // At the beginning of a piece, and within one.
        [0, 1].into_iter().all(|place| {
            let mut scan = Scan::default();
            scan.step(self, place, left) == Fit::Never || scan.step(self, place + 1, right) == Fit::Never
        })
    }
}

/// The status of the prefix read so far.
#[derive(Debug, PartialEq, Eq)]
enum Fit {
    /// It may be a piece.
    Fits,
    /// It may not, but an extension of it may.
    NotYet,
    /// Neither it nor any extension of it may.
    Never,
}

/// A scan along a string that decides for every prefix whether it may be a piece.
#[derive(Default)]
struct Scan {
    /// The script so far: none at the beginning and after a digit that goes with every script.
    script: Option<u8>,
    digit: bool,
    begins_with_mark: bool,
    /// A mark that is not at the beginning.
    mark: bool,
    other: bool,
}

impl Scan {
    fn step(&mut self, shape: &Shape, place: usize, class: Class) -> Fit {
        let marks_before = self.mark || self.begins_with_mark;
        let is_mark = class.script == Script::Mark;
        let script = match class.script {
            Script::Never => return Fit::Never,
            Script::Mark => self.script,
            _ if class.digit && !shape.split_by_number => None,
            Script::Inherited => self.script,
            Script::Of(script) => Some(script),
        };
        if shape.split_by_unicode_script && self.script.is_some() && script.is_some() && self.script != script {
            return Fit::Never;
        }
        self.script = script;
        self.digit |= class.digit;
        if shape.split_digits && self.digit && place > 0 {
            return Fit::Never;
        }
        self.begins_with_mark |= is_mark && place == 0;
        self.mark |= is_mark && place > 0;
        self.other |= !is_mark;
        if shape.allow_whitespace_only_pieces && !self.other {
            return Fit::Fits;
        }
        let wrong = match (shape.treat_whitespace_as_suffix, shape.split_by_whitespace) {
            (true, true) => marks_before,
            (true, false) => self.begins_with_mark && place > 0,
            (false, true) => self.mark,
            (false, false) if is_mark && place > 0 => return Fit::NotYet,
            (false, false) => false,
        };
        match wrong {
            true => Fit::Never,
            false => Fit::Fits,
        }
    }
}

/// The classes of an alphabet, by index.
pub fn classes(chars: &[char]) -> Vec<Class> {
    chars.iter().map(|&character| class(character)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::training::text::tests::PLAIN;

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
    fn the_longest_piece_is_the_longest_part_that_is_allowed() {
        let letters = ['a', 'б', '1', MARK, '\u{301}', ','];
        for bits in 0..128u32 {
            let on = |bit: u32| bits >> bit & 1 == 1;
            let shape = Shape {
                max_sentencepiece_length: if on(0) { 3 } else { 9 },
                split_by_unicode_script: on(1),
                split_by_number: on(2),
                split_digits: on(3),
                split_by_whitespace: on(4),
                treat_whitespace_as_suffix: on(5),
                allow_whitespace_only_pieces: on(6),
            };
            for number in 0..6usize.pow(4) {
                let text: Vec<char> = (0..4).map(|at| letters[number / 6usize.pow(at) % 6]).collect();
                for least in 0..4 {
                    let wanted = (least + 1..=4).rev().find(|&length| plain(&shape, &text[..length]));
                    assert_eq!(shape.longest(least, 4, |at| class(text[at])), wanted, "{shape:?} {text:?} {least}");
                }
                let crossed = plain(&shape, &text) || plain(&shape, &text[..3]) || plain(&shape, &text[1..]);
                assert!(!crossed || !shape.parts(class(text[1]), class(text[2])), "{shape:?} {text:?}");
            }
        }
    }

    /// The rule by its definition, one condition after the other.
    fn plain(shape: &Shape, piece: &[char]) -> bool {
        let last = piece.len() - 1;
        let only_marks = piece.iter().all(|&c| c == MARK);
        let mut before = None;
        for (place, &character) in piece.iter().enumerate() {
            if character == MARK {
                let fits = match (shape.treat_whitespace_as_suffix, shape.split_by_whitespace) {
                    (true, true) => place == last,
                    (true, false) => place == last || place > 0,
                    (false, true) => place == 0,
                    (false, false) => place == 0 || place < last,
                };
                let exempt = only_marks && shape.allow_whitespace_only_pieces;
                if !fits && !exempt {
                    return false;
                }
                continue;
            }
            let mut current = Some(script(character));
            if character == '\u{301}' {
                current = before;
            }
            if character == '1' && !shape.split_by_number {
                current = None;
            }
            if character == '1' && shape.split_digits && piece.len() > 1 {
                return false;
            }
            if shape.split_by_unicode_script && before.is_some() && current.is_some() && before != current {
                return false;
            }
            before = current;
        }
        piece.len() <= shape.max_sentencepiece_length
    }

    #[test]
    fn length_is_bounded_and_some_characters_are_never_in_a_piece() {
        assert_eq!(allowed(&Shape { max_sentencepiece_length: 2, ..PLAIN }, "ab abc ▁ab"), "ab");
        assert_eq!(allowed(&PLAIN, "a\u{1F} a\0 \u{2585}"), "");
    }
}
