//! Fixtures shared with the tests of other trainers' modules.

use crate::training::alphabet::{counted, BOUNDARY};
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

/// A text of some words, and its alphabet: all characters that are seen at least `least` times.
pub fn text_of(rows: &[(&str, u64)], least: u64, cut: bool) -> Result<(Text, Alphabet)> {
    let words = Words::from_rows(rows.iter().map(|(word, count)| (word.as_bytes(), *count)))?;
    let counts = counted(&words)?.into_iter().filter(|&(char, count)| char != BOUNDARY && count >= least);
    let mut chars: Vec<(char, u64)> = counts.collect();
    chars.sort_unstable_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
    let alphabet = Alphabet::from(chars);
    let mut watch = |_| Ok(());
    Ok((Text::of(&words, &alphabet, &PLAIN, cut, &mut Team::new(1, &mut watch))?, alphabet))
}

fn shown(rows: &[(&str, u64)], least: u64, cut: bool) -> Vec<(String, u64)> {
    let Ok((text, alphabet)) = text_of(rows, least, cut) else {
        return Vec::new();
    };
    let spelled = |index| text.symbols()[text.segment(index)].iter().map(|&s| alphabet.chars()[us(s) - 1]).collect();
    (0..text.segments()).map(|index| (spelled(index), text.count(index))).collect()
}

#[test]
fn words_are_cut_where_no_piece_can_lie_across() {
    let rows = [("▁ab,", 2), ("▁ab", 3), ("▁ab▁c", 1), ("▁x\u{1F}y", 9)];
    let row = |word: &str, count| (word.to_owned(), count);
    assert_eq!(shown(&rows, 1, true), [row(",", 2), row("y", 9), row("▁ab", 6), row("▁c", 1), row("▁x", 9)]);
    assert_eq!(shown(&rows, 1, false), [row("y", 9), row("▁ab", 3), row("▁ab,", 2), row("▁ab▁c", 1), row("▁x", 9)]);
    assert_eq!(shown(&rows, 7, false), [row("y", 9), row("▁", 7), row("▁x", 9)]);
}
