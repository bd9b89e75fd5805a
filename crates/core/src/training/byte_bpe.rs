//! Byte-level BPE training: words are bytes, or sequences of pieces of a vocabulary that is continued; the result is a
//! merge list.
//!
//! Merges that continue a vocabulary have higher ranks than all its own. So encoding first makes the old pieces, and only
//! then merges them further: counting pairs of old pieces is counting what encoding will see.

use serde::Deserialize;

use crate::training::bpe::cells::Cells;
use crate::training::bpe::spellings::Spellings;
use crate::training::bpe::{merge, Floor, Merge};
use crate::training::words::{check_columns, misfit, Words};
use crate::training::Watch;
use crate::util::{us, us64, Result};

/// Training options.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Options {
    /// The symbol of each byte, below 256; of pairs with equal counts the one with the smallest symbols is merged first.
    /// `None` removes a byte from its words. Not used where words are sequences of pieces.
    #[serde(default)]
    pub symbols: Vec<Option<u32>>,
    /// The number of merges.
    pub merges: usize,
    /// The smallest count of a pair that is merged.
    pub min_frequency: u64,
    /// Exclusive upper bound in symbols of a merge result of more than two symbols.
    pub max_length: Option<u32>,
    /// Spellings that no merge makes.
    pub reserved: Vec<String>,
    /// See [`Floor::first`].
    #[serde(default)]
    pub first_floor: Option<u64>,
    /// Of pairs with equal counts the one that occurs first in the corpus is merged first, whatever its symbols.
    #[serde(default)]
    pub first_seen: bool,
}

/// The merges of words of bytes. Symbols below 256 are those of `options.symbols`, the others are numbered as they are
/// made.
pub fn train(words: &Words, options: &Options, watch: Watch<'_>) -> Result<Vec<Merge>> {
    let mut cells = Cells::new(words.counts(), words.text().len() + words.len() + 1);
    for (word, count) in words.walk(options.first_seen)? {
        cells.word(word.iter().filter_map(|&byte| options.symbols.get(usize::from(byte)).copied().flatten()), count);
    }
    let mut list = vec![Vec::new(); 256];
    for (byte, symbol) in (0u8..=255).zip(&options.symbols) {
        if let Some(spelling) = symbol.and_then(|symbol| list.get_mut(us(symbol))) {
            spelling.push(byte);
        }
    }
    merged(cells, Spellings { list, ..Spellings::default() }, options, watch)
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

/// The merges that continue a vocabulary, none of which makes a piece that exists. Symbols below `pieces.len()` are
/// these, the others are numbered as they are made.
pub fn train_more(rows: Rows<'_>, pieces: &[&[u8]], options: &Options, watch: Watch<'_>) -> Result<Vec<Merge>> {
    check_columns(rows.offsets, rows.counts, rows.ids.len())?;
    if rows.ids.iter().any(|&id| us(id) >= pieces.len()) {
        return Err(misfit());
    }
    let mut cells = Cells::new(rows.counts, rows.ids.len() + rows.counts.len() + 1);
    for (bounds, &count) in rows.offsets.windows(2).zip(rows.counts) {
        cells.word(rows.ids[us64(bounds[0])..us64(bounds[1])].iter().copied(), count);
    }
    let list: Vec<Vec<u8>> = pieces.iter().map(|piece| piece.to_vec()).collect();
    let taken = list.iter().cloned().collect();
    merged(cells, Spellings { list, taken, distinct: true, ..Spellings::default() }, options, watch)
}

fn merged(cells: Cells, mut rule: Spellings<'_>, options: &Options, watch: Watch<'_>) -> Result<Vec<Merge>> {
    rule.taken.extend(options.reserved.iter().map(|name| name.clone().into_bytes()));
    rule.longest = options.max_length;
    rule.most = rule.list.len().saturating_add(options.merges);
    rule.first_seen = options.first_seen;
    let floor = Floor { lowest: options.min_frequency, first: options.first_floor };
    merge(cells.done(rule.list.len())?, &mut rule, floor, watch)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(rows: Rows<'_>, pieces: &[&[u8]], merges: usize, reserved: &[&str]) -> Option<Vec<(u32, u32, u32, u64)>> {
        let reserved = reserved.iter().map(|&text| text.to_owned()).collect();
        let options = Options { merges, min_frequency: 2, reserved, ..Options::default() };
        let found = train_more(rows, pieces, &options, &mut |_| Ok(())).ok()?;
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
