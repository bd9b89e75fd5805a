//! Short units merged by the book, everything on the stack.
//!
//! A symbol is the place where it begins. For each is known where the trie goes on behind it, and the merge with the next
//! one, if there is one: its rank above the place, so that the least of all is the merge to make, leftmost first.

use crate::cast::{low32, u32_of, u64_of, us, us64};
use crate::index::trie::TrieView;

/// Longest unit in bytes.
pub const MAX_SHORT: usize = 64;
/// Most units are no longer than this, and have smaller arrays.
const SHORTER: usize = 16;

const NO_MERGE: u64 = u64::MAX;
const PLACE: u32 = 8;

/// In which order symbols are merged.
pub trait Ranks {
    /// The rank of the merge into `joined` whose left part has so many bytes, if there is such a merge; lower ones go first.
    fn rank(&self, joined: u32, left: usize) -> Option<u32>;
}

/// What merging starts from.
#[derive(Clone, Copy)]
pub struct Start {
    /// Bits of the places where symbols begin.
    pub begins: u64,
    /// Those of them that are not merged.
    pub frozen: u64,
}

impl Start {
    /// Each of so many bytes is a symbol; at most [`MAX_SHORT`].
    #[inline(always)]
    #[must_use]
    pub const fn bytes(count: usize) -> Self {
        Self { begins: !0 >> (MAX_SHORT - count), frozen: 0 }
    }
}

struct Symbols<'a, R, const N: usize> {
    ranks: &'a R,
    trie: TrieView<'a>,
    text: &'a [u8],
    begins: u64,
    frozen: u64,
    /// One more than the id, or 0.
    numbers: [u32; N],
    /// Where the trie goes on.
    bases: [u32; N],
    /// The merge with the next symbol.
    merges: [u64; N],
    /// What it makes: number and base.
    made: [(u32, u32); N],
}

/// Merges a unit of one to [`MAX_SHORT`] bytes. Calls `push` for each symbol that is left: with its id, if it is a piece, and
/// where it begins and ends.
#[inline]
pub fn merge<R: Ranks>(
    ranks: &R,
    trie: TrieView<'_>,
    text: &[u8],
    start: Start,
    push: impl FnMut(Option<u32>, usize, usize),
) {
    if text.len() <= SHORTER {
        Symbols::<R, SHORTER>::open(ranks, trie, text, start).run(push);
    } else {
        Symbols::<R, MAX_SHORT>::open(ranks, trie, text, start).run(push);
    }
}

impl<'a, R: Ranks, const N: usize> Symbols<'a, R, N> {
    #[inline(always)]
    fn open(ranks: &'a R, trie: TrieView<'a>, text: &'a [u8], start: Start) -> Self {
        let Start { begins, frozen } = start;
        let (numbers, bases, merges, made) = ([0; N], [trie.dead_base(); N], [NO_MERGE; N], [(0, 0); N]);
        let mut symbols = Self { ranks, trie, text, begins, frozen, numbers, bases, merges, made };
        let (mut left, root) = (begins, trie.root_base());
        while left != 0 {
            let at = first(left);
            left &= left - 1;
            let end = if left == 0 { text.len() } else { first(left) };
            if let Some((base, number)) = trie.walk_from(root, &text[at..end]) {
                (symbols.bases[at], symbols.numbers[at]) = (base, number);
            }
        }
        symbols
    }

    #[inline(always)]
    fn run(mut self, mut push: impl FnMut(Option<u32>, usize, usize)) {
        let mut left = self.begins;
        while left & left.wrapping_sub(1) != 0 {
            let at = first(left);
            left &= left - 1;
            self.propose(at, first(left), self.behind(first(left)));
        }
        loop {
            let best = self.merges[..self.text.len()].iter().copied().min().unwrap_or(NO_MERGE);
            if best == NO_MERGE {
                break;
            }
            let at = us(low32(best & ((1 << PLACE) - 1)));
            let right = self.behind(at);
            (self.numbers[at], self.bases[at]) = self.made[at];
            self.begins &= !(1 << right);
            (self.merges[right], self.merges[at]) = (NO_MERGE, NO_MERGE);
            let end = self.behind(at);
            if end < self.text.len() {
                self.propose(at, end, self.behind(end));
            }
            let before = self.begins & !(!0 << at);
            if before != 0 {
                self.propose(63 - us(before.leading_zeros()), at, end);
            }
        }
        let mut left = self.begins;
        while left != 0 {
            let at = first(left);
            left &= left - 1;
            push(self.numbers[at].checked_sub(1), at, self.behind(at));
        }
    }

    /// Where the symbol at `at` ends.
    #[inline(always)]
    fn behind(&self, at: usize) -> usize {
        let later = self.begins & (!1 << at);
        if later == 0 {
            self.text.len()
        } else {
            first(later)
        }
    }

    /// Finds the merge of the symbol at `left` with that at `right`, which ends at `end`.
    #[inline(always)]
    fn propose(&mut self, left: usize, right: usize, end: usize) {
        self.merges[left] = NO_MERGE;
        if (self.frozen >> left | self.frozen >> right) & 1 == 1 {
            return;
        }
        let Some((base, number)) = self.trie.walk_from(self.bases[left], &self.text[right..end]) else { return };
        let Some(joined) = number.checked_sub(1) else { return };
        if let Some(rank) = self.ranks.rank(joined, right - left) {
            self.merges[left] = u64::from(rank) << PLACE | u64_of(left);
            self.made[left] = (number, base);
        }
    }
}

/// The lowest place.
#[inline(always)]
fn first(places: u64) -> usize {
    us(places.trailing_zeros())
}

/// The ranks of a list of merges, by what they make: the pieces are told apart by their texts, so that the length of the
/// left part tells the merge.
pub struct Made {
    /// By the id of what is made: how one merge makes it, or 0.
    firsts: Vec<u64>,
    /// How others do.
    more: Vec<u64>,
}

/// A merge: rank in the upper half, then length of the left part, then one more than the place of the next one among `more`.
const NEXT_BITS: u32 = 24;
const NEXT_MASK: u64 = (1 << NEXT_BITS) - 1;

impl Made {
    /// Indexes rows of left, right and result, given where the texts of pieces begin; merges that are too long for a short
    /// unit are left out. `None` if there are too many.
    #[must_use]
    pub fn build(rows: &[[u32; 3]], offsets: &[u32]) -> Option<Self> {
        let length = |id: u32| offsets.get(us(id)..us(id) + 2).map_or(0, |place| place[1].wrapping_sub(place[0]));
        let (mut firsts, mut more) = (vec![0u64; offsets.len()], Vec::new());
        for (rank, &[left, _, result]) in (0u32..).zip(rows) {
            let Some(first) = firsts.get_mut(us(result)) else { continue };
            let part = length(left);
            if us(length(result)) > MAX_SHORT || us(part) > MAX_SHORT {
                continue;
            }
            let merge = u64::from(rank) << 32 | u64::from(part) << NEXT_BITS;
            if *first == 0 {
                *first = merge;
            } else {
                more.push(merge | *first & NEXT_MASK);
                *first = *first & !NEXT_MASK | u64::from(u32_of(more.len()));
            }
        }
        (more.len() < us64(NEXT_MASK)).then_some(Self { firsts, more })
    }
}

impl Ranks for Made {
    #[inline(always)]
    fn rank(&self, joined: u32, left: usize) -> Option<u32> {
        let mut merge = self.firsts.get(us(joined)).copied().unwrap_or(0);
        // A part has at least one byte, so that no merge is 0.
        while merge != 0 {
            if us64(merge >> NEXT_BITS & 0xFF) == left {
                return Some(low32(merge >> 32));
            }
            let next = us64(merge & NEXT_MASK).checked_sub(1)?;
            merge = *self.more.get(next)?;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::trie::Trie;

    /// Ranks in no order, some of them equal.
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
            let Some(made) = Made::build(&rows, &offsets) else { return };
            let id = |text: &[u8]| pieces.iter().position(|piece| piece == text);
            for _ in 0..20 {
                let text: Vec<u8> =
                    (0..1 + below(if round % 2 == 0 { 16 } else { 64 })).map(|_| b"abc"[below(3)]).collect();
                let (mut by_score, mut by_list) = (Vec::new(), Vec::new());
                let start = Start::bytes(text.len());
                merge(&scores, trie.view(), &text, start, |id, _, _| by_score.extend(id));
                merge(&made, trie.view(), &text, start, |id, _, _| by_list.extend(id));
                let rank = |left: &[u8], right: &[u8]| Some(scores.0[id(&[left, right].concat())?]);
                assert_eq!(by_score, naive(&pieces, rank, &text));
                let rank = |left: &[u8], right: &[u8]| {
                    let pair = [u32_of(id(left)?), u32_of(id(right)?)];
                    rows.iter().position(|row| row[..2] == pair).map(u32_of)
                };
                assert_eq!(by_list, naive(&pieces, rank, &text));
            }
        }
    }
}
