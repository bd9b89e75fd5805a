//! Vocabularies that are only looked up: the most frequent characters or words.

use crate::training::score_bpe::Options;
use crate::training::words::Words;
use crate::util::error::Result;

/// Pieces with their counts, the most frequent first, and the total that frequencies are relative to.
pub type Counted = (Vec<(Vec<u8>, u64)>, u64);

/// The characters that cover enough of the text.
pub fn characters(words: &Words, options: &Options) -> Result<Counted> {
    let alphabet = options.alphabet(words)?;
    let total = alphabet.counts().iter().sum();
    let rows = alphabet.chars().iter().zip(alphabet.counts());
    let pieces = rows.map(|(char, &count)| (char.to_string().into_bytes(), count));
    Ok((pieces.take(most(options)).collect(), total))
}

/// The words made only of characters of the alphabet. Frequencies are relative to all words.
pub fn words(words: &Words, options: &Options) -> Result<Counted> {
    let alphabet = options.alphabet(words)?;
    let known = |word: &[u8]| {
        let text = std::str::from_utf8(word).unwrap_or("\u{2585}");
        text.chars().all(|char| alphabet.place(char).is_some())
    };
    let mut rows: Vec<(&[u8], u64)> = words
        .iter()
        .filter(|(word, _)| known(word) && !options.reserved.iter().any(|name| name.as_bytes() == *word))
        .collect();
    // The table is in byte order, which breaks ties.
    rows.sort_by_key(|row| std::cmp::Reverse(row.1));
    rows.truncate(most(options));
    let total = words.total()?;
    Ok((rows.into_iter().map(|(word, count)| (word.to_vec(), count)).collect(), total))
}

const fn most(options: &Options) -> usize {
    if options.use_all_vocab {
        usize::MAX
    } else {
        options.vocab_size.saturating_sub(options.meta_size)
    }
}
