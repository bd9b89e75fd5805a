//! The `char` and `word` segmenters: a chunk is one character (or user-defined symbol), or one word, and its id is
//! looked up.

use crate::index::double_array::Trie;
use crate::normalize::MAX_SHIELD_MATCHES;
use crate::segment::fallback::NO_PIECE;
use crate::segment::Forms;
use crate::spec::vocab::{Kind, SPACE_MARK};
use crate::spec::{Reserved, SegmenterKind, Spec};
use crate::util::utf8::character_length;
use crate::util::{u32_of, Pace, Result};

/// The stage.
pub struct Lookup {
    /// The mark that begins a word; `None` where a chunk is a character or a symbol.
    mark: Option<&'static [u8]>,
    matchable: Trie,
    reserved: Trie,
    symbols: Trie,
    unk_id: u32,
}

impl Lookup {
    /// Compiles the stage from a validated Spec.
    pub fn build(spec: &Spec, forms: &Forms) -> Result<Self> {
        let mark = if spec.config.escape_whitespaces { b" " } else { SPACE_MARK };
        let is_found = spec.config.reserved == Reserved::Matched;
        Ok(Self {
            mark: (spec.config.segmenter == SegmenterKind::Word).then_some(mark),
            matchable: forms.trie(|id| is_found || spec.vocab.kind(id) != Kind::Unused)?,
            reserved: Forms::of(spec, |kind| is_found && kind.is_reserved()).trie(|_| true)?,
            symbols: forms.trie(|id| spec.vocab.kind(id) == Kind::UserDefined)?,
            unk_id: spec.unk_id().unwrap_or(NO_PIECE),
        })
    }

    /// The tokens of a text of any length: pushes (id, end). A word ends before each mark.
    pub fn solve(&self, text: &[u8], ids: &mut Vec<(u32, u32)>) {
        let (mut at, mut pace) = (0, Pace::new());
        while at < text.len() {
            pace.reach(at);
            let end = match self.mark {
                Some(mark) => (at + 1..text.len()).find(|&end| text[end..].starts_with(mark)).unwrap_or(text.len()),
                None => at + self.chunk_length(&text[at..]),
            };
            ids.push((self.id_of(&text[at..end]), u32_of(end)));
            at = end;
        }
    }

    /// Length of the chunk that a text, which must not be empty, begins with.
    pub fn chunk_length(&self, text: &[u8]) -> usize {
        let symbol = self.symbols.view().longest_prefix(text, MAX_SHIELD_MATCHES);
        symbol.map_or_else(|| character_length(text[0]).min(text.len()), |(length, _)| length)
    }

    fn id_of(&self, text: &[u8]) -> u32 {
        self.reserved.view().find(text).or_else(|| self.matchable.view().find(text)).unwrap_or(self.unk_id)
    }
}
