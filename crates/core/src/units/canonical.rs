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

use crate::normalize::push_inner_form;
use crate::segment::Forms;
use crate::spec::vocab::{Kind, SPACE_MARK};
use crate::spec::{SegmenterKind, Spec};
use crate::units::bigrams::{Found, Pairs};
use crate::units::boundary::ASCII_PAIRS;
use crate::units::key::Cut;
use crate::units::Units;

/// Whether a piece joins characters. A `char` segmenter joins only those of user-defined symbols.
fn is_joining(spec: &Spec, id: u32) -> bool {
    spec.config.segmenter != SegmenterKind::Char || spec.vocab.kind(id) == Kind::UserDefined
}

/// The strings that join characters, in the inner form.
pub(super) fn joining<'a>(spec: &'a Spec, forms: &'a Forms) -> impl Iterator<Item = &'a [u8]> + 'a {
    forms.iter().filter(|(_, id)| is_joining(spec, *id)).map(|(form, _)| form)
}

/// The adjacent characters, not both ASCII, inside the strings that join characters. A first draw waits for them, so
/// pieces of ASCII, most of those of a Latin vocabulary, are skipped before anything is written.
fn wide_pairs(spec: &Spec) -> Pairs {
    let (escape, is_wanted) = (spec.config.escape_whitespaces, Forms::filter(spec, |kind| spec.matches(kind)));
    let (mut found, mut form, mut ascii) = (Found::default(), Vec::new(), vec![1; ASCII_PAIRS]);
    for (id, piece) in spec.vocab.wide() {
        let behind = if escape { piece.strip_prefix(SPACE_MARK).unwrap_or(piece) } else { piece };
        form.clear();
        if !behind.is_ascii() && is_wanted(&id) && is_joining(spec, id) && push_inner_form(piece, escape, &mut form) {
            found.note(&form, &mut ascii);
        }
    }
    found.pairs
}

impl Units {
    /// Appends the canonical unit starts in `text[1..end]`, ascending.
    pub fn scan_canonical(&self, spec: &Spec, text: &[u8], end: usize, starts: &mut Vec<Cut>) {
        if self.splitter.is_some() || !self.has_cuts() {
            self.scan(text, 0, end, starts);
            return;
        }
        let pairs = self.pairs.get(|| wide_pairs(spec));
        self.cuts.view().exact(pairs).scan(text, 0, end, starts);
    }
}
