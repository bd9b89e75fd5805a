//! Greedy longest match: repeatedly takes the longest piece that is a prefix of the rest.
//!
//! Pieces are bytes, and every byte is one, so there is always a next piece. Tokens before a position are final once at
//! least the length of the longest piece follows it: streams need no more.

use crate::index::double_array::Trie;
use crate::segment::fallback::NO_PIECE;
use crate::segment::Forms;
use crate::spec::Spec;
use crate::util::{u32_of, Pace, Result};

/// The stage.
pub struct Greedy {
    pub(crate) trie: Trie,
    /// Bytes of the longest piece.
    longest: usize,
}

impl Greedy {
    /// Compiles the stage from a validated Spec.
    pub fn build(spec: &Spec, forms: &Forms) -> Result<Self> {
        Ok(Self::from_parts(forms.trie(|_| true)?, spec))
    }

    /// Assembles a stored stage.
    pub fn from_parts(trie: Trie, spec: &Spec) -> Self {
        Self { trie, longest: spec.vocab.longest().max(1) }
    }

    /// The tokens of a text: pushes (id, end).
    pub fn solve(&self, text: &[u8], ids: &mut Vec<(u32, u32)>) {
        self.advance(text, text.len(), ids);
    }

    /// The tokens of a text that no appended text can change: pushes (id, end).
    pub fn settled(&self, text: &[u8], ids: &mut Vec<(u32, u32)>) {
        self.advance(text, (text.len() + 1).saturating_sub(self.longest), ids);
    }

    /// The tokens that begin before `stop`.
    fn advance(&self, text: &[u8], stop: usize, ids: &mut Vec<(u32, u32)>) {
        let trie = self.trie.view();
        let (mut at, mut pace) = (0, Pace::new());
        while at < stop {
            pace.reach(at);
            let (length, id) = trie.longest_prefix(&text[at..], usize::MAX).unwrap_or((1, NO_PIECE));
            at += length;
            ids.push((id, u32_of(at)));
        }
    }
}
