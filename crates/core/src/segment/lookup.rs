//! Char and word: no search at all. A chunk is one character (or one user-defined symbol), or one word; its id is looked up.

use crate::cast::u32_of;
use crate::error::Result;
use crate::index::trie::Trie;
use crate::interrupt::Pace;
use crate::normalize::MAX_SHIELD_MATCHES;
use crate::segment::cuts::character_length;
use crate::segment::fallback::NO_PIECE;
use crate::segment::Forms;
use crate::spec::{Reserved, SegmenterKind, Spec};
use crate::vocab::Kind;

/// The stage.
pub struct Lookup {
    words: bool,
    matchable: Trie,
    reserved: Trie,
    symbols: Trie,
    unk_id: u32,
}

impl Lookup {
    /// Compiles the stage from a validated Spec.
    pub fn build(spec: &Spec, forms: &Forms) -> Result<Self> {
        let is_found = spec.config.reserved == Reserved::Matched;
        Ok(Self {
            words: spec.config.segmenter == SegmenterKind::Word,
            matchable: forms.trie(|id| is_found || spec.vocab.kind(id) != Kind::Unused)?,
            reserved: Forms::of(spec, |kind| is_found && kind.is_reserved()).trie(|_| true)?,
            symbols: forms.trie(|id| spec.vocab.kind(id) == Kind::UserDefined)?,
            unk_id: spec.unk_id().unwrap_or(NO_PIECE),
        })
    }

    /// The tokens of a unit: pushes (id, end). A unit of a word tokenizer is one word.
    pub fn solve(&self, text: &[u8], ids: &mut Vec<(u32, u32)>) {
        let (mut at, mut pace) = (0, Pace::new());
        while at < text.len() {
            pace.reach(at);
            let length = if self.words { text.len() } else { self.chunk_length(&text[at..]) };
            ids.push((self.id_of(&text[at..at + length]), u32_of(at + length)));
            at += length;
        }
    }

    /// Length of the chunk that a text, which must not be empty, begins with.
    #[must_use]
    pub fn chunk_length(&self, text: &[u8]) -> usize {
        let symbol = self.symbols.view().longest_prefix(text, MAX_SHIELD_MATCHES);
        symbol.map_or_else(|| character_length(text[0]).min(text.len()), |(length, _)| length)
    }

    fn id_of(&self, text: &[u8]) -> u32 {
        self.reserved.view().find(text).or_else(|| self.matchable.view().find(text)).unwrap_or(self.unk_id)
    }
}
