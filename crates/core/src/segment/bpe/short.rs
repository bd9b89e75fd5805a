//! Short units merged on the stack.
//!
//! A symbol is the place where it begins. For each is known where the trie goes on behind it, and the merge with the next
//! one, if there is one: its rank above the place, so that the least of all is the merge to make, leftmost first.

use crate::index::double_array::TrieView;
use crate::util::cast::{low32, u64_of, us};
use crate::util::interrupt::{paced, sort_paced};
use crate::util::prefetch::prefetch;

/// Longest unit in bytes.
pub const MAX_SHORT: usize = 64;
/// Most units are no longer than this, and have smaller arrays.
pub const SHORTER: usize = 16;

const NO_MERGE: u64 = u64::MAX;
const PLACE: u32 = 8;

/// In which order symbols are merged.
pub trait Ranks {
    /// The rank of the merge into `joined` whose left part has so many bytes, if there is such a merge; lower ones go first.
    fn rank(&self, joined: u32, left: usize) -> Option<u32>;
    /// Asks for what [`Ranks::rank`] will read.
    fn prefetch(&self, _joined: u32) {}
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
    pub const fn bytes(count: usize) -> Self {
        Self { begins: !0 >> (MAX_SHORT - count), frozen: 0 }
    }
}

/// Where what two symbols make is found. Numbers are one more than ids, and 0 where there is no piece.
trait Source {
    /// The number of a symbol that merging starts from.
    fn symbol(&mut self, at: usize, end: usize) -> u32;
    /// The number of the symbols at `left` and at `right`, which ends at `end`, together.
    fn join(&mut self, left: usize, right: usize, end: usize) -> u32;
    /// The symbol at `at` was joined as the last time it was asked.
    fn take(&mut self, at: usize);
}

/// The trie itself, walked from where each symbol ends in it.
struct Walks<'a, const N: usize> {
    trie: TrieView<'a>,
    text: &'a [u8],
    /// Where the trie goes on behind each symbol.
    bases: [u32; N],
    /// The same behind what it and the next one make.
    joined: [u32; N],
}

impl<const N: usize> Source for Walks<'_, N> {
    #[inline(always)]
    fn symbol(&mut self, at: usize, end: usize) -> u32 {
        let found = self.trie.walk_from(self.trie.root_base(), &self.text[at..end]);
        let (base, number) = found.unwrap_or((self.trie.dead_base(), 0));
        self.bases[at] = base;
        number
    }

    #[inline(always)]
    fn join(&mut self, left: usize, right: usize, end: usize) -> u32 {
        let Some((base, number)) = self.trie.walk_from(self.bases[left], &self.text[right..end]) else { return 0 };
        self.joined[left] = base;
        number
    }

    #[inline(always)]
    fn take(&mut self, at: usize) {
        self.bases[at] = self.joined[at];
    }
}

/// The numbers of all strings of a unit, by their beginnings and lengths less one.
pub type Row = [u32; SHORTER];

struct Symbols<'a, R, S, const N: usize> {
    ranks: &'a R,
    source: S,
    size: usize,
    begins: u64,
    frozen: u64,
    /// One more than the id, or 0.
    numbers: [u32; N],
    /// The merge with the next symbol.
    merges: [u64; N],
    /// What it makes.
    made: [u32; N],
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
        let source = Walks { trie, text, bases: [0; SHORTER], joined: [0; SHORTER] };
        Symbols::<_, _, SHORTER>::new(ranks, source, text.len(), start).run(push);
    } else {
        let source = Walks { trie, text, bases: [0; MAX_SHORT], joined: [0; MAX_SHORT] };
        Symbols::<_, _, MAX_SHORT>::new(ranks, source, text.len(), start).run(push);
    }
}

/// The same for at most 16 bytes, each of which is a symbol, by the numbers of all their strings. Calls `push` with the number of
/// each symbol that is left.
#[inline]
pub fn merge_rows<R: Ranks>(ranks: &R, rows: &[Row], mut push: impl FnMut(u32)) {
    let size = rows.len().min(SHORTER);
    // A symbol is the place where it begins; one bit stands behind the last.
    let mut begins: u32 = (2 << size) - 1;
    let mut merges = [NO_MERGE; SHORTER];
    let behind = |begins: u32, at: usize| us((begins & (!1 << at)).trailing_zeros());
    let merge = |left: usize, right: usize, end: usize| {
        let number = rows[left][(end - left - 1) % SHORTER];
        let rank = number.checked_sub(1).and_then(|joined| ranks.rank(joined, right - left));
        rank.map_or(NO_MERGE, |rank| u64::from(rank) << PLACE | u64_of(left))
    };
    for at in 1..size {
        merges[at - 1] = merge(at - 1, at, at + 1);
    }
    loop {
        let best = merges.iter().fold(NO_MERGE, |best, &merge| best.min(merge));
        if best == NO_MERGE {
            break;
        }
        let at = us(low32(best)) % SHORTER;
        let right = behind(begins, at);
        begins &= !(1 << right);
        merges[right % SHORTER] = NO_MERGE;
        let end = behind(begins, at);
        merges[at] = if end < size { merge(at, end, behind(begins, end)) } else { NO_MERGE };
        let before = begins & !(!0 << at);
        if before != 0 {
            let left = us(31 - before.leading_zeros());
            merges[left % SHORTER] = merge(left, at, end);
        }
    }
    let mut at = 0;
    while at < size {
        let end = behind(begins, at);
        push(rows[at][(end - at - 1) % SHORTER]);
        at = end;
    }
}

impl<'a, R: Ranks, S: Source, const N: usize> Symbols<'a, R, S, N> {
    #[inline(always)]
    const fn new(ranks: &'a R, source: S, size: usize, start: Start) -> Self {
        let Start { begins, frozen } = start;
        Self { ranks, source, size, begins, frozen, numbers: [0; N], merges: [NO_MERGE; N], made: [0; N] }
    }

    #[inline(always)]
    fn run(mut self, mut push: impl FnMut(Option<u32>, usize, usize)) {
        let mut left = self.begins;
        while left != 0 {
            let at = first(left);
            left &= left - 1;
            self.numbers[at] = self.source.symbol(at, self.behind(at));
        }
        left = self.begins;
        while left & left.wrapping_sub(1) != 0 {
            let at = first(left);
            left &= left - 1;
            self.propose(at, first(left), self.behind(first(left)));
        }
        loop {
            let best = self.merges[..self.size].iter().copied().min().unwrap_or(NO_MERGE);
            if best == NO_MERGE {
                break;
            }
            let at = us(low32(best & ((1 << PLACE) - 1)));
            let right = self.behind(at);
            self.source.take(at);
            self.numbers[at] = self.made[at];
            self.begins &= !(1 << right);
            (self.merges[right], self.merges[at]) = (NO_MERGE, NO_MERGE);
            let end = self.behind(at);
            if end < self.size {
                self.propose(at, end, self.behind(end));
            }
            let before = self.begins & !(!0 << at);
            if before != 0 {
                self.propose(63 - us(before.leading_zeros()), at, end);
            }
        }
        left = self.begins;
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
            self.size
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
        let number = self.source.join(left, right, end);
        let Some(joined) = number.checked_sub(1) else { return };
        if let Some(rank) = self.ranks.rank(joined, right - left) {
            self.merges[left] = u64::from(rank) << PLACE | u64_of(left);
            self.made[left] = number;
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
pub struct RankByResult {
    /// By the id of what is made: the rank of the first merge in the upper half, then the lengths of the left parts of it and
    /// of those that follow it in the list, the first one lowest. 0 if there is none.
    firsts: Vec<u64>,
    /// Other merges: what is made and the length of the left part, then the rank; ascending.
    others: Vec<(u64, u32)>,
}

/// Merges that stand one behind the other in a list and in one number.
const INLINE: u32 = 4;
/// Set in a first length, if there are others.
const HAS_OTHERS: u64 = 0x80;

impl RankByResult {
    /// Indexes rows of left, right and result, given where the texts of pieces begin; merges that are too long for a short
    /// unit are left out.
    pub fn build(rows: &[[u32; 3]], offsets: &[u32]) -> Self {
        let length = |id: u32| offsets.get(us(id)..us(id) + 2).map_or(0, |place| place[1].wrapping_sub(place[0]));
        let (mut firsts, mut others) = (vec![0u64; offsets.len()], Vec::new());
        for (rank, &[left, _, result]) in (0u32..).zip(paced(rows.iter())) {
            let Some(first) = firsts.get_mut(us(result)) else { continue };
            let part = length(left);
            if us(length(result)) > MAX_SHORT || us(part) > MAX_SHORT || part == 0 {
                continue;
            }
            if *first == 0 {
                *first = u64::from(rank) << 32 | u64::from(part);
                continue;
            }
            let behind = rank - low32(*first >> 32);
            if behind < INLINE && *first & HAS_OTHERS == 0 && *first >> (8 * (behind - 1)) & 0xFF != 0 {
                *first |= u64::from(part) << (8 * behind);
            } else {
                *first |= HAS_OTHERS;
                others.push((u64::from(result) << 8 | u64::from(part), rank));
            }
        }
        sort_paced(&mut others, Ord::cmp);
        Self { firsts, others }
    }
}

impl Ranks for RankByResult {
    #[inline(always)]
    fn rank(&self, joined: u32, left: usize) -> Option<u32> {
        let first = self.firsts.get(us(joined)).copied().unwrap_or(0);
        let (rank, left) = (low32(first >> 32), u64_of(left));
        for behind in 0..INLINE {
            let part = first >> (8 * behind) & 0xFF;
            if part & !HAS_OTHERS == left {
                return Some(rank + behind);
            }
        }
        if first & HAS_OTHERS == 0 {
            return None;
        }
        let key = u64::from(joined) << 8 | left;
        let place = self.others.binary_search_by_key(&key, |&(key, _)| key).ok()?;
        Some(self.others[place].1)
    }

    #[inline(always)]
    fn prefetch(&self, joined: u32) {
        prefetch(&self.firsts, us(joined));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::double_array::Trie;
    use crate::util::cast::{u32_of, us64};

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
            let made = RankByResult::build(&rows, &offsets);
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
