//! Canonical composition by Unicode 14, for runs with characters that the tables of `forms` do not have.
//!
//! The tables of `forms` are older. A form never changes for characters that were already assigned, so only the
//! combining classes of newer marks and one newer pair are missing: the other tables serve here too.

use unicode_normalization_alignments::char::{canonical_combining_class, compose, decompose_canonical};

use crate::normalize::steps::marks_table::MARKS;
use crate::normalize::steps::Editor;

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
