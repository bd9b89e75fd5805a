//! Fixtures shared with the tests of other trainers' modules.

use crate::training::alphabet::Choice;
use crate::training::text::*;

/// SentencePiece's defaults.
pub const PLAIN: Shape = Shape {
    max_sentencepiece_length: 16,
    split_by_unicode_script: true,
    split_by_number: true,
    split_digits: false,
    split_by_whitespace: true,
    treat_whitespace_as_suffix: false,
    allow_whitespace_only_pieces: false,
};

/// A text of some words, and its alphabet.
pub fn text_of(rows: &[(&str, u64)], coverage: f64, cut: bool) -> Result<(Text, Alphabet)> {
    let words = Words::from_rows(rows.iter().map(|(word, count)| (word.as_bytes(), *count)))?;
    let alphabet = Alphabet::of(&words, &Choice { coverage, ..Choice::default() })?;
    let mut watch = |_| Ok(());
    Ok((Text::of(&words, &alphabet, &PLAIN, cut, &mut Team::new(1, &mut watch))?, alphabet))
}

fn shown(rows: &[(&str, u64)], coverage: f64, cut: bool) -> Vec<(String, u64)> {
    let Ok((text, alphabet)) = text_of(rows, coverage, cut) else {
        return Vec::new();
    };
    let spelled = |index| text.symbols()[text.segment(index)].iter().map(|&s| alphabet.chars()[us(s) - 1]).collect();
    (0..text.segments()).map(|index| (spelled(index), text.count(index))).collect()
}

#[test]
fn words_are_cut_where_no_piece_can_lie_across() {
    let rows = [("▁ab,", 2), ("▁ab", 3), ("▁ab▁c", 1), ("▁x\u{1F}y", 9)];
    let row = |word: &str, count| (word.to_owned(), count);
    assert_eq!(shown(&rows, 1.0, true), [row(",", 2), row("y", 9), row("▁ab", 6), row("▁c", 1), row("▁x", 9)]);
    assert_eq!(shown(&rows, 1.0, false), [row("y", 9), row("▁ab", 3), row("▁ab,", 2), row("▁ab▁c", 1), row("▁x", 9)]);
    assert_eq!(shown(&rows, 0.5, false), [row("▁", 7), row("▁x", 9)]);
}
