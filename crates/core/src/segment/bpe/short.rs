//! BPE of short units in stack arrays and bit sets.
//!
//! A symbol is identified by its start, which is a bit of a word. For each the merge with the next one is kept, if
//! there is one: its rank above its position, so that the minimum is the next merge, leftmost first.

use crate::index::double_array::{TrieView, DEAD_BASE};
use crate::index::pair_map::PairsView;
use crate::segment::bpe::ranks::{Ranks, MAX_SHORT};
use crate::util::{low32, u64_of, us};

/// Longest unit in bytes that uses the smaller arrays; most units do.
pub const SHORTER: usize = 16;

const NO_MERGE: u64 = u64::MAX;
const PLACE: u32 = 8;

/// The initial symbols.
#[derive(Clone, Copy)]
pub struct Start {
    /// Bit set of the starts of symbols.
    pub begins: u64,
    /// Bit set of the symbols that are not merged.
    pub frozen: u64,
}

impl Start {
    /// Each of `count` bytes is a symbol; at most [`MAX_SHORT`].
    pub const fn bytes(count: usize) -> Self {
        Self { begins: (1 << count) - 1, frozen: 0 }
    }
}

/// Merge look-up for adjacent symbols.
trait Source {
    /// The rank of the merge of the symbols at `left` and at `right`, which ends at `end`; lower ones go first.
    fn rank(&mut self, left: usize, right: usize, end: usize) -> Option<u32>;
    /// Applies the last ranked merge of the symbol at `at`.
    fn take(&mut self, at: usize);
}

/// Merges the symbols that begin at some bits of a unit of `size` positions, below `N`; returns the starts of those
/// that remain, with one bit after the last. `skips` says whether a merge is skipped for good.
#[inline(always)]
fn merge_places<const N: usize>(
    source: &mut impl Source,
    begins: u64,
    size: usize,
    mut skips: impl FnMut() -> bool,
) -> u64 {
    let mut begins = begins | 1 << size;
    let mut merges = [NO_MERGE; N];
    let ranked = |source: &mut _, left: usize, right: usize, end: usize| {
        Source::rank(source, left, right, end).map_or(NO_MERGE, |rank| u64::from(rank) << PLACE | u64_of(left))
    };
    let (mut at, mut right) = (0, behind(begins, 0));
    while right < size {
        let end = behind(begins, right);
        merges[at % N] = ranked(source, at, right, end);
        (at, right) = (right, end);
    }
    // All of a small array, so that the loop has a fixed length.
    let looked = if N > SHORTER { size } else { N };
    loop {
        let best = merges[..looked].iter().fold(NO_MERGE, |best, &merge| best.min(merge));
        if best == NO_MERGE {
            return begins;
        }
        let at = us(low32(best) & 0xFF) % N;
        if skips() {
            merges[at] = NO_MERGE;
            continue;
        }
        source.take(at);
        let right = behind(begins, at);
        begins &= !(1 << right);
        merges[right % N] = NO_MERGE;
        let end = behind(begins, at);
        merges[at] = if end < size { ranked(source, at, end, behind(begins, end)) } else { NO_MERGE };
        let before = begins & !(!0 << at);
        if before != 0 {
            let left = 63 - us(before.leading_zeros());
            merges[left % N] = ranked(source, left, at, end);
        }
    }
}

/// The first set bit after `at`.
#[inline(always)]
fn behind(begins: u64, at: usize) -> usize {
    us((begins & (!1 << at)).trailing_zeros())
}

/// Calls `visit` with where each symbol begins and ends.
#[inline(always)]
fn each(begins: u64, size: usize, mut visit: impl FnMut(usize, usize)) {
    let mut at = 0;
    while at < size {
        let end = behind(begins, at);
        visit(at, end);
        at = end;
    }
}

/// Merge look-up in a trie, continued from each symbol's node. Numbers are one more than ids, and 0 where there is no
/// piece.
struct Walks<'a, R, const N: usize> {
    ranks: &'a R,
    trie: TrieView<'a>,
    text: &'a [u8],
    frozen: u64,
    /// The number of each symbol, and the base of its trie node.
    symbols: [(u32, u32); N],
    /// The number of each symbol joined with the next one, and the base of its trie node.
    joined: [(u32, u32); N],
}

impl<'a, R: Ranks, const N: usize> Walks<'a, R, N> {
    #[inline(always)]
    fn new(ranks: &'a R, trie: TrieView<'a>, text: &'a [u8], start: Start) -> Self {
        let mut symbols = [(0, 0); N];
        each(start.begins | 1 << text.len(), text.len(), |at, end| {
            let found = trie.walk_from(trie.root().base(), &text[at..end]);
            let (base, number) = found.unwrap_or((DEAD_BASE, 0));
            symbols[at % N] = (number, base);
        });
        Self { ranks, trie, text, frozen: start.frozen, symbols, joined: [(0, 0); N] }
    }
}

impl<R: Ranks, const N: usize> Source for Walks<'_, R, N> {
    #[inline(always)]
    fn rank(&mut self, left: usize, right: usize, end: usize) -> Option<u32> {
        if (self.frozen >> left | self.frozen >> right) & 1 == 1 {
            return None;
        }
        let (base, number) = self.trie.walk_from(self.symbols[left % N].1, &self.text[right..end])?;
        self.joined[left % N] = (number, base);
        self.ranks.rank(number.checked_sub(1)?, right - left)
    }

    fn take(&mut self, at: usize) {
        self.symbols[at % N] = self.joined[at % N];
    }
}

/// Merges a unit of one to [`MAX_SHORT`] bytes. Calls `push` for each remaining symbol: with its id, if it is a piece,
/// and its start and end.
#[inline]
pub fn merge<R: Ranks>(
    ranks: &R,
    trie: TrieView<'_>,
    text: &[u8],
    start: Start,
    skips: impl FnMut() -> bool,
    push: impl FnMut(Option<u32>, usize, usize),
) {
    if text.len() <= SHORTER {
        merge_text::<R, SHORTER>(ranks, trie, text, start, skips, push);
    } else {
        merge_text::<R, { MAX_SHORT + 1 }>(ranks, trie, text, start, skips, push);
    }
}

#[inline(always)]
fn merge_text<R: Ranks, const N: usize>(
    ranks: &R,
    trie: TrieView<'_>,
    text: &[u8],
    start: Start,
    skips: impl FnMut() -> bool,
    mut push: impl FnMut(Option<u32>, usize, usize),
) {
    let mut source = Walks::<R, N>::new(ranks, trie, text, start);
    let begins = merge_places::<N>(&mut source, start.begins, text.len(), skips);
    each(begins, text.len(), |at, end| push(source.symbols[at % N].0.checked_sub(1), at, end));
}

/// The numbers of all substrings of a unit from one position, by their lengths less one.
pub type Row = [u32; SHORTER];

/// The numbers of all substrings of a unit.
struct Rows<'a, R> {
    ranks: &'a R,
    rows: &'a [Row],
}

impl<R: Ranks> Source for Rows<'_, R> {
    #[inline(always)]
    fn rank(&mut self, left: usize, right: usize, end: usize) -> Option<u32> {
        let number = self.rows[left][(end - left - 1) % SHORTER];
        self.ranks.rank(number.checked_sub(1)?, right - left)
    }

    fn take(&mut self, _: usize) {}
}

/// Merges at most [`SHORTER`] bytes, each of which is a symbol, by the numbers of all substrings. Calls `push` with the
/// number of each remaining symbol.
#[inline]
pub fn merge_rows<R: Ranks>(ranks: &R, rows: &[Row], mut push: impl FnMut(u32)) {
    let size = rows.len().min(SHORTER);
    let begins = merge_places::<SHORTER>(&mut Rows { ranks, rows }, Start::bytes(size).begins, size, || false);
    each(begins, size, |at, end| push(rows[at][(end - at - 1) % SHORTER]));
}

/// Merge look-up by pairs of ids.
struct Ids<'a> {
    pairs: PairsView<'a>,
    ids: [u32; MAX_SHORT + 1],
    joined: [u32; MAX_SHORT + 1],
}

impl Source for Ids<'_> {
    #[inline(always)]
    fn rank(&mut self, left: usize, right: usize, _: usize) -> Option<u32> {
        let (rank, result) = self.pairs.find(self.ids[left % 64], self.ids[right % 64])?;
        self.joined[left % 64] = result;
        Some(rank)
    }

    fn take(&mut self, at: usize) {
        self.ids[at % 64] = self.joined[at % 64];
    }
}

/// Merges at most [`MAX_SHORT`] symbols, given by id and length in bytes. Calls `push` with id, length and end in bytes
/// of each that remains.
pub fn merge_ids(pairs: PairsView<'_>, symbols: &[(u32, u32)], mut push: impl FnMut(u32, u32, u32)) {
    let size = symbols.len().min(MAX_SHORT);
    let mut source = Ids { pairs, ids: [0; MAX_SHORT + 1], joined: [0; MAX_SHORT + 1] };
    for (place, symbol) in source.ids.iter_mut().zip(symbols) {
        *place = symbol.0;
    }
    let begins = merge_places::<{ MAX_SHORT + 1 }>(&mut source, Start::bytes(size).begins, size, || false);
    let mut done = 0;
    each(begins, size, |at, end| {
        let length = symbols[at..end].iter().map(|symbol| symbol.1).sum::<u32>();
        done += length;
        push(source.ids[at % 64], length, done);
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::double_array::Trie;
    use crate::segment::bpe::heap::{Heap, Skipped, Symbol};
    use crate::segment::bpe::ranks::RankByResult;
    use crate::util::cast::{u32_of, us64};

    /// Shuffled ranks, some of them equal.
    struct Scores(Vec<u32>);

    impl Ranks for Scores {
        fn rank(&self, joined: u32, _: usize) -> Option<u32> {
            Some(self.0[us(joined)])
        }
    }

    fn naive(pieces: &[Vec<u8>], rank: impl Fn(&[u8], &[u8]) -> Option<u32>, text: &[u8]) -> Vec<u32> {
        let mut parts: Vec<Vec<u8>> = text.iter().map(|&byte| vec![byte]).collect();
        loop {
            let ranks = (0..parts.len() - 1).filter_map(|at| Some((rank(&parts[at], &parts[at + 1])?, at)));
            let Some((_, at)) = ranks.min() else { break };
            let right = parts.remove(at + 1);
            parts[at].extend(right);
        }
        let place = |part: &Vec<u8>| pieces.iter().position(|piece| piece == part).map(u32_of);
        parts.iter().filter_map(place).collect()
    }

    #[test]
    fn the_pieces_are_those_of_merging() {
        let mut state = 3u64;
        let mut below = |limit: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            us64(state >> 33) % limit
        };
        for round in 0..300 {
            let mut pieces: Vec<Vec<u8>> = b"abc".iter().map(|&byte| vec![byte]).collect();
            let mut rows = Vec::new();
            for _ in 0..60 {
                let (left, right) = (below(pieces.len()), below(pieces.len()));
                let text = [&pieces[left][..], &pieces[right]].concat();
                let known = pieces.iter().position(|piece| *piece == text);
                if known.is_none() {
                    pieces.push(text);
                }
                let row = [u32_of(left), u32_of(right), u32_of(known.unwrap_or(pieces.len() - 1))];
                if !rows.contains(&row) {
                    rows.push(row);
                }
            }
            let mut keys: Vec<(&[u8], u32)> = pieces.iter().map(Vec::as_slice).zip(0..).collect();
            keys.sort_unstable();
            let trie = Trie::build(&keys).unwrap_or_default();
            let scores = Scores(pieces.iter().map(|_| u32_of(below(20))).collect());
            let offsets: Vec<u32> =
                (0..=pieces.len()).map(|count| u32_of(pieces[..count].iter().map(Vec::len).sum())).collect();
            let made = RankByResult::build(&rows, &offsets);
            let id = |text: &[u8]| pieces.iter().position(|piece| piece == text);
            for _ in 0..20 {
                let text: Vec<u8> =
                    (0..1 + below(if round % 2 == 0 { 16 } else { MAX_SHORT })).map(|_| b"abc"[below(3)]).collect();
                let (mut by_score, mut by_list) = (Vec::new(), Vec::new());
                let start = Start::bytes(text.len());
                merge(&scores, trie.view(), &text, start, || false, |id, _, _| by_score.extend(id));
                merge(&made, trie.view(), &text, start, || false, |id, _, _| by_list.extend(id));
                let rank = |left: &[u8], right: &[u8]| Some(scores.0[id(&[left, right].concat())?]);
                assert_eq!(by_score, naive(&pieces, rank, &text));
                let rank = |left: &[u8], right: &[u8]| {
                    let pair = [u32_of(id(left)?), u32_of(id(right)?)];
                    rows.iter().position(|row| row[..2] == pair).map(u32_of)
                };
                assert_eq!(by_list, naive(&pieces, rank, &text));
                let pair = |one: &Symbol, other: &Symbol| {
                    let row = rows.iter().position(|row| row[..2] == [one.id, other.id])?;
                    Some((u32_of(row), rows[row][2]))
                };
                let mut heap = Heap::default();
                text.iter().for_each(|&byte| heap.push(u32::from(byte - b'a'), 1));
                heap.merge(pair, |_, _, _| (), Skipped::Gone, || false);
                assert!(heap.symbols().map(|symbol| symbol.id).eq(by_list));
            }
        }
    }
}
