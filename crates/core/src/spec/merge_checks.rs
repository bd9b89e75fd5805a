//! Validation of a merge list, and of the fallback of vocabularies that have one.

use crate::spec::vocab::{byte_of, Kind, Vocab};
use crate::spec::{setting_error, SegmenterKind, Spec, Symbols, Unknown};
use crate::util::{paced, prefetch, u32_of, us, Error, Result};

/// Maximum number of merges: ranks are 32 bits.
const MAX_MERGES: usize = 0xFFFF_FFFE;

impl Spec {
    /// Whether merges are those of a list.
    pub fn has_merges(&self) -> bool {
        !self.merges.is_empty()
    }

    /// Whether pieces of a kind can be neither a symbol nor a whole chunk: control and unused ones, and user-defined
    /// ones that are matched as added tokens.
    pub(crate) fn is_apart(&self, kind: Kind) -> bool {
        let added = kind == Kind::UserDefined && !self.added.is_empty();
        kind == Kind::Control || !self.matches_all() && (kind == Kind::Unused || added)
    }

    /// Checks that each merge's result is the concatenation of its pieces. Duplicate pairs are found when the merge
    /// table is built.
    pub(crate) fn check_merges(&self) -> Result<()> {
        if self.config.segmenter != SegmenterKind::Bpe && self.has_merges() {
            return Err(setting_error("merges", "need segmenter=\"bpe\""));
        }
        if self.merges.len() > MAX_MERGES {
            return Err(Error::new("spec-merges", "there are more than 4 billion merges"));
        }
        let prefix = self.config.symbol_prefix.len();
        let (mut last, mut made) = (None, None);
        for (rank, &[left, right, result]) in paced(self.merges.iter()).enumerate() {
            let fail = |what: String| Err(Error::new("spec-merges", format!("merge {rank} {what}")).with("rank", rank));
            if let Some(id) = [left, right, result].into_iter().find(|&id| us(id) >= self.vocab.len()) {
                return fail(format!("names id {id}, which is outside the vocabulary; remove it or add the piece"));
            }
            if prefix == 0 {
                if let Some(&[left, right, _]) = self.merges.get(rank + AHEAD) {
                    prefetch_pieces(&self.vocab, [left, right]);
                }
                // Lists have all merges of one result in succession.
                if last != Some(result) {
                    (last, made) = (Some(result), short(&self.vocab, result));
                }
                if is_sum(short(&self.vocab, left), short(&self.vocab, right), made) {
                    continue;
                }
            }
            let (one, other, made) = (self.vocab.piece(left), self.vocab.piece(right), self.vocab.piece(result));
            let fits = made.strip_prefix(one).is_some_and(|rest| other.get(prefix..) == Some(rest));
            if !fits || one.is_empty() || other.is_empty() {
                let [one, other, made] = [left, right, result].map(|id| self.shown(id));
                return fail(format!(
                    "of {one:?} and {other:?} cannot make {made:?}; give the piece that they are together"
                ));
            }
        }
        Ok(())
    }

    /// Refuses settings that have a meaning only with a merge list.
    pub(crate) fn check_merge_settings(&self) -> Result<()> {
        let config = &self.config;
        let settings = [
            ("unknown", config.unknown != Unknown::Fuse),
            ("symbol_prefix", !config.symbol_prefix.is_empty()),
            ("end_suffix", !config.end_suffix.is_empty()),
        ];
        let found = settings.iter().find(|(_, set)| *set && !self.has_merges());
        found.map_or(Ok(()), |(field, _)| Err(setting_error(field, "needs merges; leave it out")))
    }

    /// With a merge list, uncovered text may also be dropped, and some byte pieces may be missing.
    pub(crate) fn check_merge_fallback(&self) -> Result<()> {
        let unknown = self.vocab.ids_of(Kind::Unknown).count();
        let is_named = matches!(self.config.unknown, Unknown::Fuse | Unknown::Each);
        if unknown > 1 || unknown == 0 && is_named && !self.is_total() {
            let message = format!("there are {unknown} pieces of kind UNKNOWN; have one, or set unknown=\"drop\"");
            return Err(Error::new("spec-unknown", message).with("unknown", unknown));
        }
        self.check_byte_pieces(self.config.byte_fallback).map(|_| ())
    }

    /// Whether each byte is a piece, or has a byte piece.
    fn is_total(&self) -> bool {
        let mut seen = [false; 256];
        for id in 0..u32_of(self.vocab.len()) {
            let byte = match (self.vocab.kind(id), self.vocab.piece(id), self.config.symbols) {
                (kind, ..) if self.is_apart(kind) => None,
                (_, &[byte], Symbols::Bytes) => Some(byte),
                (Kind::Byte, piece, Symbols::Characters) => byte_of(piece),
                _ => None,
            };
            if let Some(byte) = byte {
                seen[usize::from(byte)] = true;
            }
        }
        seen.iter().all(|&found| found)
    }
}

/// Number of merges whose pieces are prefetched ahead.
const AHEAD: usize = 12;
/// Maximum bytes of a short piece.
const SHORT: u32 = 16;

/// A piece of at most [`SHORT`] bytes as a number, and its length; `None` for another, and for the last few of the blob.
#[inline(always)]
fn short(vocab: &Vocab, id: u32) -> Option<(u128, u32)> {
    let (&start, &end) = (vocab.offsets.get(us(id))?, vocab.offsets.get(us(id) + 1)?);
    let bytes = u128::from_le_bytes(*vocab.blob.get(us(start)..)?.first_chunk()?);
    let length = end.checked_sub(start).filter(|length| (1..=SHORT).contains(length))?;
    Some((bytes & (u128::MAX >> (8 * (SHORT - length))), length))
}

/// Whether a piece is the concatenation of two others, neither empty; `false` where they are long. Branch-free: nearly
/// all pieces of a long list are short, and the check is bound by memory latency.
fn is_sum(one: Option<(u128, u32)>, other: Option<(u128, u32)>, made: Option<(u128, u32)>) -> bool {
    let (Some(one), Some(other), Some(made)) = (one, other, made) else { return false };
    one.1 + other.1 == made.1 && one.0 | other.0 << (8 * one.1) == made.0
}

/// Prefetches the bytes of pieces.
#[inline(always)]
fn prefetch_pieces(vocab: &Vocab, ids: [u32; 2]) {
    for &start in ids.iter().filter_map(|&id| vocab.offsets.get(us(id))) {
        prefetch(&vocab.blob, us(start));
    }
}
