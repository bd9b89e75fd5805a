//! Word level: a chunk is a piece, or unknown.

use crate::index::double_array::Trie;
use crate::segment::fallback::NO_PIECE;
use crate::segment::Forms;
use crate::spec::vocab::Kind;
use crate::spec::Spec;
use crate::util::{u32_of, Result};

/// The stage.
pub struct WordLevel {
    pub(crate) trie: Trie,
    unk_id: u32,
}

impl WordLevel {
    /// Compiles the stage from a validated Spec.
    pub fn build(spec: &Spec) -> Result<Self> {
        let forms = Forms::of(spec, |kind| matches!(kind, Kind::Normal | Kind::UserDefined));
        Ok(Self::from_parts(forms.trie(|_| true)?, spec))
    }

    /// Assembles a stored stage.
    pub fn from_parts(trie: Trie, spec: &Spec) -> Self {
        Self { trie, unk_id: spec.unk_id().unwrap_or(NO_PIECE) }
    }

    /// The token of a chunk: pushes (id, end).
    pub fn solve(&self, text: &[u8], ids: &mut Vec<(u32, u32)>) {
        ids.push((self.trie.view().find(text).unwrap_or(self.unk_id), u32_of(text.len())));
    }
}
