//! Ensures that no segmentation of plain text yields a special piece.
//!
//! The id of a special piece needs the caller's permission, so text alone must not lead to it. A segmenter that looks
//! pieces up ignores control pieces; with a merge list, merges that make a special piece are skipped. Wherever the
//! original library has no special piece in its result, the result here is equal, unless other pieces are built on a
//! special one; such a vocabulary is refused. A piece's kind says whether it is special.

use std::collections::HashSet;
use std::sync::Arc;

use crate::spec::added::SPECIAL;
use crate::spec::vocab::Kind;
use crate::spec::Spec;
use crate::util::{u32_of, Column, Error, Result};

/// Placeholder for a merge that makes a special piece and is skipped.
pub(crate) const SKIPPED_MERGE: [u32; 3] = [u32::MAX; 3];

/// Control pieces of more bytes are assumed to be reachable by merging.
const LONG: usize = 256;

impl Spec {
    /// The unknown piece, if it is special: uncovered text may become it, but no merge makes it.
    fn special_unknown(&self) -> Option<u32> {
        let flagged = |id: &u32| {
            self.added.ids.iter().zip(&*self.added.flags).any(|(of, flags)| of == id && flags & SPECIAL != 0)
        };
        self.unk_id().filter(flagged)
    }

    /// The merges applied to text: those that make a special piece are replaced by [`SKIPPED_MERGE`].
    pub(crate) fn text_merges(&self) -> Arc<Column<[u32; 3]>> {
        let unknown = self.special_unknown();
        let is_special = |id: u32| self.vocab.kind(id) == Kind::Control || Some(id) == unknown;
        if !self.merges.iter().any(|row| is_special(row[2])) {
            return Arc::clone(&self.merges);
        }
        let rows = self.merges.iter().map(|&row| if is_special(row[2]) { SKIPPED_MERGE } else { row });
        Arc::new(rows.collect::<Vec<_>>().into())
    }

    /// Refuses a vocabulary in which other pieces are built on special ones.
    pub(crate) fn check_controls(&self) -> Result<()> {
        let found = match self.has_merges() {
            true => self.built_by_list(),
            false if self.matches_all() => self.built_by_text(),
            false => None,
        };
        found.map_or(Ok(()), |(part, result)| Err(self.built_on(part, result)))
    }

    /// A special piece and the piece that a merge makes of it. It is the result of another merge, or an initial symbol of
    /// a word (`s</w>`).
    fn built_by_list(&self) -> Option<(u32, u32)> {
        let is_control = |id: u32| self.vocab.kind(id) == Kind::Control;
        self.merges.iter().find_map(|&[left, right, result]| {
            let part = [left, right].into_iter().find(|&id| is_control(id))?;
            (!is_control(result)).then_some((part, result))
        })
    }

    /// A special piece and a piece built on it, in vocabularies in which any two neighbours merge whose concatenation is
    /// a piece.
    fn built_by_text(&self) -> Option<(u32, u32)> {
        let names: HashSet<&[u8]> = (0..u32_of(self.vocab.len())).map(|id| self.vocab.piece(id)).collect();
        let is_symbol = |text: &str| text.chars().nth(1).is_none() || names.contains(text.as_bytes());
        let is_made = |name: &str| {
            let mut places = name.char_indices().skip(1).map(|(place, _)| name.split_at(place));
            name.len() > LONG || places.any(|(left, right)| is_symbol(left) && is_symbol(right))
        };
        let controls = self.vocab.ids_of(Kind::Control);
        let made: HashSet<u32> =
            controls.filter(|&id| std::str::from_utf8(self.vocab.piece(id)).is_ok_and(is_made)).collect();
        if made.is_empty() {
            return None;
        }
        let forwards = self.first_within(&made, <[u8]>::to_vec);
        forwards.or_else(|| self.first_within(&made, |name| name.iter().rev().copied().collect()))
    }

    /// The first of some control pieces that is a prefix of a piece of another kind, both spelled by `spelled`, and
    /// that piece.
    fn first_within(&self, made: &HashSet<u32>, spelled: impl Fn(&[u8]) -> Vec<u8>) -> Option<(u32, u32)> {
        let mut rows: Vec<(Vec<u8>, u32)> =
            (0..u32_of(self.vocab.len())).map(|id| (spelled(self.vocab.piece(id)), id)).collect();
        rows.sort_unstable();
        // In sorted order, what begins with a name follows it.
        rows.iter().enumerate().filter(|(_, (_, id))| made.contains(id)).find_map(|(place, (name, part))| {
            let behind = rows[place + 1..].iter().take_while(|(other, _)| other.starts_with(name));
            let built = behind.into_iter().find(|(_, id)| self.vocab.kind(*id) != Kind::Control)?;
            Some((*part, built.1))
        })
    }

    fn built_on(&self, part: u32, result: u32) -> Error {
        let message = format!(
            "the piece {:?} is built on the special piece {:?}, which no text may become; make that one NORMAL or leave out \
             what merges into it",
            self.shown(result),
            self.shown(part),
        );
        Error::new("spec-merges", message).with("id", result)
    }

    /// The text of a piece, for messages.
    pub(crate) fn shown(&self, id: u32) -> String {
        String::from_utf8_lossy(self.vocab.piece(id)).into_owned()
    }
}
