//! Continued BPE training on top of a fixed vocabulary: words are sequences of its pieces, and new merges are appended.
//!
//! New merges have higher ranks than all old ones. So encoding first makes the old pieces, and only then merges them
//! further: counting pairs of old pieces is counting what encoding will see.

use serde::Deserialize;

use crate::training::bpe::cells::Builder;
use crate::training::bpe::spellings::Spellings;
use crate::training::bpe::{merge, Floor, Merge};
use crate::training::words::{check_columns, misfit};
use crate::training::Watch;
use crate::util::cast::{us, us64};
use crate::util::error::Result;

/// Training options.
#[derive(Debug, Clone, Deserialize)]
pub struct Options {
    /// The number of merges.
    pub merges: usize,
    /// The smallest count of a pair that is merged.
    pub min_frequency: u64,
    /// Spellings that no merge makes, besides those of all pieces.
    pub reserved: Vec<String>,
}

/// Words as ids of pieces: word `i` is `ids[offsets[i]..offsets[i + 1]]` and was seen `counts[i]` times.
#[derive(Debug, Clone, Copy)]
pub struct Rows<'a> {
    /// The ids of all words, concatenated.
    pub ids: &'a [u32],
    /// One more than there are words, ascending from 0.
    pub offsets: &'a [u64],
    /// The count of each word.
    pub counts: &'a [u64],
}

/// The merges. Symbols below `pieces.len()` are these, the others are numbered in order.
pub fn train(rows: Rows<'_>, pieces: &[&[u8]], options: &Options, watch: Watch<'_>) -> Result<Vec<Merge>> {
    check_columns(rows.offsets, rows.counts, rows.ids.len())?;
    if rows.ids.iter().any(|&id| us(id) >= pieces.len()) {
        return Err(misfit());
    }
    let mut cells = Builder::new(rows.counts, rows.ids.len() + rows.counts.len() + 1);
    for (bounds, &count) in rows.offsets.windows(2).zip(rows.counts) {
        cells.word(rows.ids[us64(bounds[0])..us64(bounds[1])].iter().copied(), count);
    }
    let list: Vec<Vec<u8>> = pieces.iter().map(|piece| piece.to_vec()).collect();
    let reserved = options.reserved.iter().map(|name| name.clone().into_bytes());
    let mut rule = Spellings {
        taken: list.iter().cloned().chain(reserved).collect(),
        most: list.len().saturating_add(options.merges),
        list,
        distinct: true,
        ..Spellings::default()
    };
    merge(cells.done(pieces.len())?, &mut rule, Floor { lowest: options.min_frequency, first: None }, watch)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(rows: Rows<'_>, pieces: &[&[u8]], merges: usize, reserved: &[&str]) -> Option<Vec<(u32, u32, u32, u64)>> {
        let reserved = reserved.iter().map(|&text| text.to_owned()).collect();
        let options = Options { merges, min_frequency: 2, reserved };
        let found = train(rows, pieces, &options, &mut |_| Ok(())).ok()?;
        Some(found.iter().map(|merge| (merge.left, merge.right, merge.made, merge.count)).collect())
    }

    #[test]
    fn pieces_are_joined_by_their_counts() {
        let pieces: [&[u8]; 5] = [b"a", b"b", b"ab", b"c", b"abc"];
        let rows = Rows { ids: &[2, 3, 2, 2, 2, 0, 1], offsets: &[0, 2, 5, 7], counts: &[9, 3, 2] };
        // ab + c and a + b spell existing pieces; ab + ab is adjacent twice in a word with a count of three.
        assert_eq!(made(rows, &pieces, 5, &[]), Some(vec![(2, 2, 5, 6), (5, 2, 6, 3)]));
        assert_eq!(made(rows, &pieces, 1, &[]), Some(vec![(2, 2, 5, 6)]));
        assert_eq!(made(rows, &pieces, 5, &["abab"]), Some(Vec::new()));
    }

    #[test]
    fn columns_are_checked() {
        let pieces: [&[u8]; 1] = [b"a"];
        let (ids, counts) = ([0, 0], [1]);
        for offsets in [&[0, 3][..], &[1, 2], &[0], &[0, 2, 1]] {
            assert_eq!(made(Rows { ids: &ids, offsets, counts: &counts }, &pieces, 1, &[]), None);
        }
        assert_eq!(made(Rows { ids: &[0, 1], offsets: &[0, 2], counts: &counts }, &pieces, 1, &[]), None);
    }
}
