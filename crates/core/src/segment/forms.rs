//! The pieces as spelled in normalized text, sorted: the input of tries and cut points.

use crate::index::double_array::Trie;
use crate::normalize::push_inner_form;
use crate::spec::vocab::{Kind, Vocab};
use crate::spec::Spec;
use crate::util::{paced, sort_paced, u32_of, us, Result};

/// Pieces in the inner form, sorted.
pub struct Forms {
    blob: Vec<u8>,
    /// Start, end and id.
    rows: Vec<(u32, u32, u32)>,
}

impl Forms {
    /// The pieces of some kinds. Those that can never match are left out.
    pub fn of(spec: &Spec, wanted: impl Fn(Kind) -> bool) -> Self {
        let ids = (0..u32_of(spec.vocab.len())).filter(Self::filter(spec, wanted));
        Self::of_ids(&spec.vocab, spec.config.escape_whitespaces, ids)
    }

    /// Whether a piece is of these kinds, and segmentation can find it.
    pub fn filter<'a>(spec: &'a Spec, wanted: impl Fn(Kind) -> bool + 'a) -> impl Fn(&u32) -> bool + 'a {
        let (vocab, added) = (&spec.vocab, spec.added_symbols());
        move |id| wanted(vocab.kind(*id)) && !vocab.piece(*id).is_empty() && !added.contains(id)
    }

    /// Pieces by their ids.
    pub fn of_ids(vocab: &Vocab, escape: bool, ids: impl Iterator<Item = u32>) -> Self {
        let (mut blob, mut rows) = (Vec::with_capacity(vocab.blob.len()), Vec::with_capacity(vocab.len()));
        for id in paced(ids) {
            let start = u32_of(blob.len());
            if push_inner_form(vocab.piece(id), escape, &mut blob) {
                rows.push((start, u32_of(blob.len()), id));
            }
        }
        let mut keyed: Vec<(u64, (u32, u32, u32))> = rows.iter().map(|&row| (prefix(&blob, row), row)).collect();
        let text = |row: (u32, u32, u32)| &blob[us(row.0)..us(row.1)];
        sort_paced(&mut keyed, |one, other| {
            one.0.cmp(&other.0).then_with(|| text(one.1).cmp(text(other.1))).then(one.1.cmp(&other.1))
        });
        let rows = keyed.into_iter().map(|(_, row)| row).collect();
        Self { blob, rows }
    }

    /// The forms with their ids, ascending.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], u32)> + '_ {
        self.rows.iter().map(|&(start, end, id)| (&self.blob[us(start)..us(end)], id))
    }

    /// A trie of those with wanted ids.
    pub fn trie(&self, wanted: impl Fn(u32) -> bool) -> Result<Trie> {
        let keys: Vec<(&[u8], u32)> = self.iter().filter(|(_, id)| wanted(*id)).collect();
        if keys.is_empty() {
            return Ok(Trie::default());
        }
        Trie::build(&keys)
    }
}

/// The first eight bytes as an integer that orders as they do.
fn prefix(blob: &[u8], (start, end, _): (u32, u32, u32)) -> u64 {
    let text = &blob[us(start)..us(end)];
    text.iter().take(8).fold(0, |value, &byte| value << 8 | u64::from(byte)) << (8 * (8 - text.len().min(8)))
}
