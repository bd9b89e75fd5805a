//! Canonical units: the contract for draws.
//!
//! A sample gives each unit random numbers of its own, keyed by where the unit begins, so unit boundaries decide what a
//! seed draws. The encoder may join units where that is faster: a Bloom filter has false positives, and cuts within
//! words are skipped. Draws use boundaries that depend on the vocabulary and the normalized text alone:
//!
//! - with a pre-tokenizer, the ends of its pre-tokens;
//! - otherwise each position between two characters that are adjacent in no piece.
//!
//! `python/anypiece/reference/cuts.py` is the same definition in Python. A unit of at most [`MAX_ENUMERATED_BYTES`] bytes
//! and [`MAX_ENUMERATED_PATHS`] paths takes one random number, any other unit one for each edge of its path. Changing a
//! line of this comment is an *Output change*.

pub use crate::segment::unigram::edges::{MAX_ENUMERATED_BYTES, MAX_ENUMERATED_PATHS};

use crate::segment::Forms;
use crate::spec::vocab::Kind;
use crate::spec::{SegmenterKind, Spec};
use crate::units::bigrams::Pairs;
use crate::units::key::Cut;
use crate::units::Units;
use crate::util::report;
use crate::util::utf8::decode;

/// The adjacent characters inside the strings that a segmentation step can produce, in the inner form.
fn pairs_of<'a>(strings: impl Iterator<Item = &'a [u8]>) -> Pairs {
    let mut pairs = Pairs::default();
    for string in strings {
        report(string.len());
        let (mut before, mut at) = decode(string, 0);
        while at < string.len() {
            let (character, length) = decode(string, at);
            pairs.insert((before, character));
            (before, at) = (character, at + length);
        }
    }
    pairs
}

/// The strings that join characters, in the inner form. A `char` segmenter joins only those of user-defined symbols.
pub(super) fn joining<'a>(spec: &'a Spec, forms: &'a Forms) -> impl Iterator<Item = &'a [u8]> + 'a {
    let only_symbols = spec.config.segmenter == SegmenterKind::Char;
    let is_joining = move |id: u32| !only_symbols || spec.vocab.kind(id) == Kind::UserDefined;
    forms.iter().filter(move |(_, id)| is_joining(*id)).map(|(form, _)| form)
}

impl Units {
    /// Appends the canonical unit starts in `text[1..end]`, ascending.
    pub fn scan_canonical(&self, spec: &Spec, text: &[u8], end: usize, starts: &mut Vec<Cut>) {
        if self.splitter.is_some() || !self.has_cuts() {
            self.scan(text, 0, end, starts);
            return;
        }
        let pairs = self.pairs.get(|| {
            let forms = Forms::of(spec, |kind| spec.matches(kind));
            pairs_of(joining(spec, &forms))
        });
        self.cuts.view().exact(pairs).scan(text, 0, end, starts);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_the_pairs_of_pieces_and_no_other() {
        let pieces = ["日本語", "ab", "aé", "\u{1F600}\u{FE0F}", "é", ""];
        let pairs = pairs_of(pieces.iter().map(|piece| piece.as_bytes()));
        let has = |text: &str| {
            let codes: Vec<u32> = text.chars().map(u32::from).collect();
            pairs.contains(&(codes[0], codes[1]))
        };
        assert!(["日本", "本語", "ab", "aé", "\u{1F600}\u{FE0F}"].into_iter().all(has));
        assert!(!["日語", "本日", "éa", "ba", "\u{1F600}a"].into_iter().any(has));
    }
}
