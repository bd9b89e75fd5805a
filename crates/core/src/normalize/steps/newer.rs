//! Canonical composition by Unicode 14, for runs with characters that the tables of `forms` do not have.
//!
//! The tables of `forms` are older. A form never changes for characters that were already assigned, so only the
//! combining classes of newer marks and one newer pair are missing: the other tables serve here too.

use unicode_normalization_alignments::char::{canonical_combining_class, compose, decompose_canonical};

use crate::normalize::steps::Editor;

/// Marks that the other tables do not have: first, last, combining class.
const MARKS: [(u32, u32, u8); 51] = [
    (0x7FD, 0x7FD, 220),
    (0x898, 0x898, 230),
    (0x899, 0x89B, 220),
    (0x89C, 0x89F, 230),
    (0x8CA, 0x8CE, 230),
    (0x8CF, 0x8D3, 220),
    (0x9FE, 0x9FE, 230),
    (0xC3C, 0xC3C, 7),
    (0xD3B, 0xD3C, 9),
    (0xEBA, 0xEBA, 9),
    (0x1715, 0x1715, 9),
    (0x1ABF, 0x1AC0, 220),
    (0x1AC1, 0x1AC2, 230),
    (0x1AC3, 0x1AC4, 220),
    (0x1AC5, 0x1AC9, 230),
    (0x1ACA, 0x1ACA, 220),
    (0x1ACB, 0x1ACE, 230),
    (0x1DF6, 0x1DF6, 232),
    (0x1DF7, 0x1DF8, 228),
    (0x1DF9, 0x1DF9, 220),
    (0x1DFA, 0x1DFA, 218),
    (0xA82C, 0xA82C, 9),
    (0x10D24, 0x10D27, 230),
    (0x10EAB, 0x10EAC, 230),
    (0x10F46, 0x10F47, 220),
    (0x10F48, 0x10F4A, 230),
    (0x10F4B, 0x10F4B, 220),
    (0x10F4C, 0x10F4C, 230),
    (0x10F4D, 0x10F50, 220),
    (0x10F82, 0x10F82, 230),
    (0x10F83, 0x10F83, 220),
    (0x10F84, 0x10F84, 230),
    (0x10F85, 0x10F85, 220),
    (0x11070, 0x11070, 9),
    (0x1133B, 0x1133B, 7),
    (0x1145E, 0x1145E, 230),
    (0x11839, 0x11839, 9),
    (0x1183A, 0x1183A, 7),
    (0x1193D, 0x1193E, 9),
    (0x11943, 0x11943, 7),
    (0x119E0, 0x119E0, 9),
    (0x11A34, 0x11A34, 9),
    (0x11A47, 0x11A47, 9),
    (0x11A99, 0x11A99, 9),
    (0x11D42, 0x11D42, 7),
    (0x11D44, 0x11D45, 9),
    (0x11D97, 0x11D97, 9),
    (0x16FF0, 0x16FF1, 6),
    (0x1E130, 0x1E136, 230),
    (0x1E2AE, 0x1E2AE, 230),
    (0x1E2EC, 0x1E2EF, 230),
];
/// The composing pair: two parts and their composition.
const PAIR: (char, char, char) = ('\u{11935}', '\u{11930}', '\u{11938}');

/// Whether a run has to be composed here.
pub fn has_newer(text: &str) -> bool {
    text.chars().any(|c| class_of_newer(c).is_some() || c == PAIR.1)
}

fn class_of_newer(c: char) -> Option<u8> {
    let code = u32::from(c);
    let at = MARKS.partition_point(|&(_, last, _)| last < code);
    MARKS.get(at).filter(|(first, ..)| *first <= code).map(|&(_, _, class)| class)
}

fn class(c: char) -> u8 {
    class_of_newer(c).unwrap_or_else(|| canonical_combining_class(c))
}

fn joined(one: char, other: char) -> Option<char> {
    if (one, other) == (PAIR.0, PAIR.1) {
        return Some(PAIR.2);
    }
    compose(one, other)
}

/// Writes a run in its composed form.
pub fn write(text: &str, editor: &mut Editor<'_>) {
    let mut parts: Vec<(char, isize, u8)> = Vec::new();
    for c in text.chars() {
        let mut change = 0;
        decompose_canonical(c, |part| {
            parts.push((part, change, class(part)));
            change = 1;
        });
    }
    for marks in parts.chunk_by_mut(|one, other| one.2 != 0 && other.2 != 0) {
        marks.sort_by_key(|part| part.2);
    }
    composed(parts).into_iter().for_each(|(c, change)| editor.write(c, change));
}

/// Canonical composition of characters in canonical order, each with the change that it makes to the length of the text
/// and its combining class.
fn composed(parts: Vec<(char, isize, u8)>) -> Vec<(char, isize)> {
    let mut out: Vec<(char, isize)> = Vec::new();
    let (mut starter, mut last): (Option<usize>, u8) = (None, 0);
    for (c, change, class) in parts {
        // A mark is blocked from its starter by one of equal or higher combining class between them.
        if let Some(place) = starter.filter(|&place| last < class || place + 1 == out.len()) {
            if let Some(whole) = joined(out[place].0, c) {
                out[place] = (whole, out[place].1 + change - 1);
                continue;
            }
        }
        if class == 0 {
            starter = Some(out.len());
        }
        out.push((c, change));
        last = class;
    }
    out
}
