//! WordPiece: greedy longest match from the beginning of a chunk to its end.
//!
//! Pieces that begin a chunk and pieces within one differ by the prefix of their spelling: `##` within in the files of
//! BERT, `▁` at the beginning in those of llama.cpp. Where no piece matches, or the chunk is too long, all of it is
//! unknown. A trie walk is never longer than the longest piece, so time is linear in the chunk.

use crate::index::double_array::{Node, Trie};
use crate::normalize::push_inner_form;
use crate::segment::fallback::{Fallback, NO_PIECE};
use crate::segment::Forms;
use crate::spec::vocab::Kind;
use crate::spec::Spec;
use crate::util::{u32_of, us, Pace, Result};

/// The stage.
pub struct Wordpiece {
    pub(crate) trie: Trie,
    /// The trie node from which the first piece is matched, if any piece can be the first.
    first: Option<Node>,
    /// The trie node from which later pieces are matched.
    next: Option<Node>,
    /// Chunks of more characters are unknown.
    max_chars: usize,
    unk_id: u32,
}

impl Wordpiece {
    /// Compiles the stage from a validated Spec. The unknown piece matches by its spelling too.
    pub fn build(spec: &Spec) -> Result<Self> {
        let forms = Forms::of(spec, |kind| matches!(kind, Kind::Normal | Kind::UserDefined | Kind::Unknown));
        Ok(Self::from_parts(forms.trie(|_| true)?, spec))
    }

    /// Assembles a stored stage.
    pub fn from_parts(trie: Trie, spec: &Spec) -> Self {
        let start = |prefix: &str| {
            let mut form = Vec::new();
            push_inner_form(prefix.as_bytes(), spec.config.escape_whitespaces, &mut form)
                .then(|| trie.view().walk(trie.view().root(), &form))?
        };
        let (first, next) = (start(&spec.config.word_prefix), start(&spec.config.continuing_prefix));
        let max_chars = spec.config.max_word_chars.map_or(usize::MAX, us);
        Self { trie, first, next, max_chars, unk_id: spec.unk_id().unwrap_or(NO_PIECE) }
    }

    /// The tokens of a chunk: pushes (id, end).
    pub fn solve(&self, text: &[u8], ids: &mut Vec<(u32, u32)>) {
        let before = ids.len();
        if self.is_too_long(text) || self.pieces(text, ids).is_none() {
            ids.truncate(before);
            ids.push((self.unk_id, u32_of(text.len())));
        }
    }

    /// The number of tokens of each prefix of a chunk, by its length.
    pub fn prefix_counts(&self, text: &[u8], fallback: &Fallback) -> Vec<u32> {
        let (mut ids, mut tail) = (Vec::new(), Vec::new());
        // Up to where no piece matches, if that happens.
        let _ = self.pieces(text, &mut ids);
        let mut counts = vec![0; text.len() + 1];
        let (mut before, mut start, mut own, mut chars) = (0, 0, 0, 0);
        // The unknown piece matched by its spelling becomes bytes like any unknown text.
        let width = |id: u32, part: &[u8]| match id == self.unk_id && fallback.has_bytes() {
            true => u32_of(fallback.width(part)),
            false => 1,
        };
        let mut pace = Pace::new();
        for end in 1..=text.len() {
            pace.reach(end);
            chars += usize::from(text[end - 1] & 0xC0 != 0x80);
            while let Some(&(id, next)) = ids.get(before).filter(|&&(_, next)| us(next) <= end) {
                own += width(id, &text[start..us(next)]);
                (before, start) = (before + 1, us(next));
            }
            // A prefix has the pieces of the chunk, but for the one that spans its end.
            tail.clear();
            let rest = &text[start..end];
            let found = match before {
                0 => self.pieces(rest, &mut tail),
                _ => self.go_on(rest, 0, &mut tail),
            };
            counts[end] = if chars > self.max_chars || found.is_none() {
                width(self.unk_id, &text[..end])
            } else {
                let starts = [0].into_iter().chain(tail.iter().map(|&(_, end)| us(end)));
                own + starts.zip(&tail).map(|(from, &(id, to))| width(id, &rest[from..us(to)])).sum::<u32>()
            };
        }
        counts
    }

    fn is_too_long(&self, text: &[u8]) -> bool {
        text.len() > self.max_chars && text.iter().filter(|&&byte| byte & 0xC0 != 0x80).count() > self.max_chars
    }

    fn pieces(&self, text: &[u8], ids: &mut Vec<(u32, u32)>) -> Option<()> {
        let trie = self.trie.view();
        // The prefix inserted before a chunk may be a piece by itself.
        let first = self.first?;
        let (length, id) = trie.keys(first, text).last().or(first.value().map(|id| (0, id)))?;
        ids.push((id, u32_of(length)));
        self.go_on(text, length, ids)
    }

    /// Pieces within a chunk, from `at` to its end.
    fn go_on(&self, text: &[u8], mut at: usize, ids: &mut Vec<(u32, u32)>) -> Option<()> {
        let trie = self.trie.view();
        while at < text.len() {
            let (length, id) = trie.keys(self.next?, &text[at..]).last()?;
            at += length;
            ids.push((id, u32_of(at)));
        }
        Some(())
    }
}
