//! PLaMo: Viterbi over integer scores, computed right to left.
//!
//! Integer sums are exact, so the units of a text are independent, whatever its length. Of ties the path that begins
//! with the longer piece wins; a character that no piece covers costs more than any sensible piece and is spelled in
//! bytes.

use crate::index::double_array::Trie;
use crate::segment::fallback::NO_PIECE;
use crate::segment::Forms;
use crate::spec::vocab::{plamo_score, Kind, PLAMO_UNKNOWN};
use crate::spec::Spec;
use crate::util::utf8::character_length;
use crate::util::{u32_of, us, Pace, Result};

/// Pieces of at most this score never match.
const NEVER: i32 = -20_000_000;

/// The stage.
pub struct Plamo {
    pub(crate) trie: Trie,
    /// By id.
    scores: Vec<i32>,
    unk_id: u32,
}

/// The best path from a position to the end: its total, and its first piece.
#[derive(Clone, Copy)]
pub struct Cell {
    total: i64,
    end: u32,
    id: u32,
}

impl Plamo {
    /// Compiles the stage from a validated Spec.
    pub fn build(spec: &Spec, forms: &Forms) -> Result<Self> {
        let is_matched = |id: u32| {
            matches!(spec.vocab.kind(id), Kind::Normal | Kind::UserDefined)
                && plamo_score(spec.vocab.scores[us(id)]) > NEVER
        };
        Ok(Self::from_parts(forms.trie(is_matched)?, spec))
    }

    /// Assembles a stored stage.
    pub fn from_parts(trie: Trie, spec: &Spec) -> Self {
        let scores = spec.vocab.scores.iter().map(|&score| plamo_score(score)).collect();
        Self { trie, scores, unk_id: spec.unk_id().unwrap_or(NO_PIECE) }
    }

    /// The tokens of a text: pushes (id, end).
    pub fn solve(&self, text: &[u8], cells: &mut Vec<Cell>, ids: &mut Vec<(u32, u32)>) {
        cells.clear();
        cells.resize(text.len() + 1, Cell { total: 0, end: 0, id: self.unk_id });
        let mut pace = Pace::new();
        for at in (0..text.len()).rev().filter(|&at| text[at] & 0xC0 != 0x80) {
            pace.reach(text.len() - at);
            cells[at] = self.best(text, at, cells);
        }
        let mut at = 0;
        while at < text.len() {
            let Cell { end, id, .. } = cells[at];
            at = us(end).max(at + 1);
            ids.push((id, u32_of(at)));
        }
    }

    /// The best path from `at`, given those from all later positions.
    fn best(&self, text: &[u8], at: usize, cells: &[Cell]) -> Cell {
        let cell = |end: usize, id: u32, score: i32| {
            let total = cells[end].total.saturating_add(i64::from(score));
            Cell { total, end: u32_of(end), id }
        };
        let trie = self.trie.view();
        let mut best = cell((at + character_length(text[at])).min(text.len()), self.unk_id, PLAMO_UNKNOWN);
        trie.each_prefix(&text[at..], |length, id| {
            let way = cell(at + length, id, self.scores.get(us(id)).copied().unwrap_or(NEVER));
            if way.total >= best.total {
                best = way;
            }
        });
        best
    }
}
