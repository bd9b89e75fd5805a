//! Text as words, one character at a time: white space becomes a space, control characters are removed, punctuation and
//! Chinese characters are isolated. Uses the classes of Unicode 15.1; accents are removed by keeping the first
//! character of a decomposition.

use regex_syntax::hir::{Class, HirKind};
use unicode_normalization_alignments::char::decompose_canonical;

use crate::normalize::steps::filters::is_chinese;
use crate::normalize::steps::{Drafts, Editor};
use crate::unicode;
use crate::unicode::WHITE;
use crate::util::Result;

/// The step, compiled.
pub struct Words {
    lowercase: bool,
    strip_accents: bool,
    signs: Ranges,
    marks: Ranges,
    controls: Ranges,
    assigned: Ranges,
}

/// The result of a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Letter(char),
    Alone(char),
    Gap,
    Gone,
}

/// Ranges of characters, ascending.
pub(crate) struct Ranges(Vec<(char, char)>);

impl Ranges {
    /// The members of a class that were assigned in a version of Unicode.
    pub(crate) fn of(class: &str, version: &str) -> Self {
        let parsed = regex_syntax::parse(&format!(r"[[{class}]&&\p{{age={version}}}]"));
        match parsed.map(|hir| hir.into_kind()) {
            Ok(HirKind::Class(Class::Unicode(found))) => {
                Self(found.ranges().iter().map(|range| (range.start(), range.end())).collect())
            }
            _ => Self(Vec::new()),
        }
    }

    pub(crate) fn contains(&self, c: char) -> bool {
        let behind = self.0.partition_point(|&(first, _)| first <= c);
        behind.checked_sub(1).and_then(|at| self.0.get(at)).is_some_and(|&(_, last)| c <= last)
    }
}

impl Words {
    /// Compiles the step.
    pub fn new(lowercase: bool, strip_accents: bool) -> Self {
        let [signs, marks, controls, assigned] =
            [r"\p{P}", r"\p{M}", r"\p{Cc}\p{Cf}\p{Co}", r"\p{any}"].map(|class| Ranges::of(class, "15.1"));
        Self { lowercase, strip_accents, signs, marks, controls, assigned }
    }

    /// Rewrites the text.
    pub fn run(&self, drafts: &mut Drafts) -> Result<()> {
        drafts.edit(|mut editor| {
            while let Some(c) = editor.rest().chars().next() {
                match self.fate(c) {
                    Fate::Letter(shown) if shown == c => {
                        editor.keep(c.len_utf8());
                        continue;
                    }
                    Fate::Letter(shown) => put(&mut editor, shown),
                    Fate::Gap => put(&mut editor, ' '),
                    Fate::Gone => {}
                    Fate::Alone(shown) => [' ', shown, ' '].into_iter().for_each(|c| put(&mut editor, c)),
                }
                editor.skip(c.len_utf8());
            }
        })
    }

    fn fate(&self, c: char) -> Fate {
        if c.is_ascii_alphanumeric() {
            return Fate::Letter(if self.lowercase { c.to_ascii_lowercase() } else { c });
        }
        let c = if self.strip_accents { self.first_part(c) } else { c };
        if unicode::is(c, WHITE) {
            return Fate::Gap;
        }
        let goes = matches!(c, '\0' | '\u{FFFD}') || self.controls.contains(c);
        if goes || self.strip_accents && self.marks.contains(c) {
            return Fate::Gone;
        }
        let shown = if self.lowercase { self.lower(c) } else { c };
        if c.is_ascii_punctuation() || self.signs.contains(c) || is_chinese(c) {
            return Fate::Alone(shown);
        }
        Fate::Letter(shown)
    }

    /// The first character of a character's decomposition.
    fn first_part(&self, c: char) -> char {
        if c.is_ascii() || !self.assigned.contains(c) {
            return c;
        }
        // The one decomposing character that is newer than the crate's table.
        if c == '\u{11938}' {
            return '\u{11935}';
        }
        let mut first = None;
        decompose_canonical(c, |part| first = first.or(Some(part)));
        first.unwrap_or(c)
    }

    /// Lower case, one character for one.
    fn lower(&self, c: char) -> char {
        if !self.assigned.contains(c) {
            return c;
        }
        let mut lower = c.to_lowercase();
        match (lower.next(), lower.next()) {
            (Some(one), None) => one,
            // Its dot is dropped.
            _ if c == '\u{130}' => 'i',
            _ => c,
        }
    }
}

fn put(editor: &mut Editor<'_>, c: char) {
    let place = Some(editor.at());
    editor.put(c.encode_utf8(&mut [0; 4]), place);
}

#[cfg(test)]
mod tests {
    use crate::normalize::steps::words::{Fate, Words};

    #[test]
    fn as_many_characters_change_as_in_unicode_15_1() {
        let words = Words::new(true, true);
        let all = || (0..0x11_0000).filter_map(char::from_u32);
        assert_eq!(all().filter(|&c| words.first_part(c) != c).count(), 13_233);
        assert_eq!(all().filter(|&c| words.lower(c) != c).count(), 1433);
        assert_eq!(all().filter(|&c| words.signs.contains(c)).count(), 842);
        assert_eq!(all().filter(|&c| words.marks.contains(c)).count(), 2450);
    }

    #[test]
    fn fates_worked_out_by_hand() {
        let words = Words::new(true, true);
        let code_point_table =
            ['É', '\u{301}', '한', '漢', '~', '€', '\u{200B}', '\u{3000}', '\u{130}', '\0', '\u{10D50}']
                .map(|c| words.fate(c));
        let expected = [
            Fate::Letter('e'),
            Fate::Gone,
            Fate::Letter('\u{1112}'),
            Fate::Alone('漢'),
            Fate::Alone('~'),
            Fate::Letter('€'),
            Fate::Gone,
            Fate::Gap,
            Fate::Letter('i'),
            Fate::Gone,
            Fate::Letter('\u{10D50}'),
        ];
        assert_eq!(code_point_table, expected);
        assert_eq!(Words::new(false, false).fate('É'), Fate::Letter('É'));
    }
}
