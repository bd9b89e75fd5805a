//! Merges without merging: the pieces of a unit from left to right, in time that grows with its length.
//!
//! A row of pieces is what merging makes if and only if each two neighbours are what merging makes of the two alone. So the
//! longest piece is taken that goes with the one before it, else a shorter one, and if none does, the one before is given up.
//! Whether two go together is found by undoing their merges in reverse, at the place where they meet: had a merge across it
//! come first, they would not both be there. `docs/algorithms/long-chunks.md` has the proof.

use crate::cast::{low32, u32_of, us, us64};
use crate::index::trie::TrieView;
use crate::segment::histories::{Histories, History, Way};

/// Longer pieces are not looked into: a unit that has one is merged by the book.
const MAX_PIECE: usize = 256;
/// Steps for each byte, and some more, before a unit is merged by the book.
const FUEL: usize = 64;
/// Pairs of pieces that are remembered.
const MEMORY: usize = 1 << 14;

/// What a stage tells of its pieces.
pub trait Rules {
    /// The first symbol of a text, and its length.
    fn symbol(&self, text: &[u8]) -> Option<(u32, usize)>;
    /// The pieces by their texts.
    fn trie(&self) -> TrieView<'_>;
    /// Rank and result of the merge of two neighbours that together are the text of `joined`; lower ranks go first.
    fn merge(&self, left: u32, right: u32, joined: u32) -> Option<(u32, u32)>;
}

/// Buffers, and what is remembered of pairs. They belong to one tokenizer.
#[derive(Default)]
pub struct Buffers {
    /// Bits of places that no row of pieces reaches.
    dead: Vec<u64>,
    /// Pairs that go together or not, by their hash: left above right above the answer.
    memory: Vec<u64>,
    symbols: Symbols,
}

/// A short text on its way through the merges.
#[derive(Default)]
struct Symbols {
    ids: Vec<u32>,
    lens: Vec<usize>,
    /// For each symbol but the last the merge with the next: rank above result, or [`NO_MERGE`].
    merges: Vec<u64>,
}

const NO_MERGE: u64 = u64::MAX;
/// The count of a prefix that is not known.
pub const NO_COUNT: u32 = u32::MAX;

/// A piece in the text: its id and where it ends.
type Found = (u32, u32);
/// A piece: its id and its length.
type Piece = (u32, usize);

/// The longest pieces that a text begins with.
#[derive(Default)]
struct Options {
    /// One more than the id, and the length; the last [`KEPT`] of them, in a ring.
    pieces: [(u32, u32); KEPT + 1],
    /// How many there are, those that are not kept included.
    count: usize,
    /// How many of them are kept.
    kept: usize,
}

/// One less than a power of two: where the next one may come to stand, anything is written.
const KEPT: usize = 15;

impl Options {
    /// Finds them.
    #[inline(always)]
    fn find(&mut self, trie: TrieView<'_>, text: &[u8]) {
        let (mut count, mut node, mut len) = (0, trie.root(), 0);
        for &byte in text {
            let Some(next) = trie.step(node, byte) else { break };
            node = next;
            len += 1;
            self.pieces[count & KEPT] = (node.number(), len);
            count += usize::from(node.number() != 0);
        }
        (self.count, self.kept) = (count, count.min(KEPT));
    }

    /// The longest of those that are left.
    #[inline(always)]
    fn last(&self) -> Option<Piece> {
        let (number, len) = self.pieces[self.count.checked_sub(1)? & KEPT];
        Some((number.wrapping_sub(1), us(len)))
    }

    /// Gives up the longest; `text` is what it began.
    #[inline(always)]
    fn drop_last(&mut self, trie: TrieView<'_>, text: &[u8]) {
        (self.count, self.kept) = (self.count - 1, self.kept - 1);
        if self.kept == 0 && self.count > 0 {
            let len = us(self.pieces[self.count & KEPT].1);
            self.find(trie, &text[..len - 1]);
        }
    }
}

struct Search<'a, R> {
    rules: &'a R,
    trie: TrieView<'a>,
    histories: &'a Histories,
    text: &'a [u8],
    buffers: &'a mut Buffers,
    fuel: usize,
}

/// The pieces of a unit: pushes (id, end). False, and nothing pushed, if this is not the way for it.
pub fn solve<R: Rules>(
    rules: &R,
    histories: &Histories,
    text: &[u8],
    buffers: &mut Buffers,
    found: &mut Vec<Found>,
) -> bool {
    let before = found.len();
    buffers.dead.clear();
    buffers.dead.resize(text.len() / 64 + 1, 0);
    buffers.memory.resize(MEMORY, 0);
    let (trie, fuel) = (rules.trie(), FUEL * text.len() + MAX_PIECE * MAX_PIECE);
    let mut search = Search { rules, trie, histories, text, buffers, fuel };
    let solved = search.run(found, before).is_some();
    if !solved {
        found.truncate(before);
    }
    solved
}

/// For each prefix of a unit by its length how many pieces it has by itself; [`NO_COUNT`] where it ends within a symbol.
/// `None` if this is not the way for it.
pub fn prefix_counts<R: Rules>(
    rules: &R,
    histories: &Histories,
    text: &[u8],
    buffers: &mut Buffers,
) -> Option<Vec<u32>> {
    buffers.memory.resize(MEMORY, 0);
    let (trie, fuel) = (rules.trie(), FUEL * text.len() + MAX_PIECE * MAX_PIECE);
    let mut search = Search { rules, trie, histories, text, buffers, fuel };
    let (mut counts, mut lasts) = (vec![NO_COUNT; text.len() + 1], vec![(0, 0); text.len() + 1]);
    counts[0] = 0;
    let mut pieces: Vec<Piece> = Vec::new();
    for at in 0..text.len() {
        if counts[at] == NO_COUNT {
            continue;
        }
        pieces.clear();
        trie.each_prefix(&text[at..], |len, id| pieces.push((id, len)));
        // A prefix has one last piece, so what is found first is it.
        for &(id, len) in &pieces {
            let fits = match at {
                _ if counts[at + len] != NO_COUNT => false,
                _ if len > MAX_PIECE => return None,
                0 => search.is_reachable(id, 0, len)?,
                _ => search.fits(at, lasts[at], (id, len), usize::MAX)?,
            };
            if fits {
                (counts[at + len], lasts[at + len]) = (counts[at] + 1, (id, len));
            }
        }
    }
    Some(counts)
}

impl<R: Rules> Search<'_, R> {
    fn run(&mut self, found: &mut Vec<Found>, first: usize) -> Option<()> {
        let mut at = 0;
        let (mut before, mut reach) = (None, usize::MAX);
        let mut options = Options::default();
        options.find(self.trie, self.text);
        let mut longest = longest_of(&options)?;
        loop {
            if let Some(piece) = self.fitting(at, &mut options, before, reach)? {
                reach = at.saturating_add(longest);
                at += piece.1;
                found.push((piece.0, u32_of(at)));
                before = Some(piece);
                if at == self.text.len() {
                    return Some(());
                }
                options.find(self.trie, &self.text[at..]);
                longest = longest_of(&options)?;
                continue;
            }
            self.buffers.dead[at / 64] |= 1 << (at % 64);
            let given_up = before?;
            at -= given_up.1;
            options.find(self.trie, &self.text[at..at + given_up.1 - 1]);
            self.burn(given_up.1)?;
            (reach, longest) = (usize::MAX, usize::MAX);
            found.pop();
            before = match found[first..] {
                [] => None,
                [(id, end)] => Some((id, us(end))),
                [.., (_, start), (id, end)] => Some((id, us(end - start))),
            };
        }
    }

    /// The longest piece at `at` that goes with the one before, from whose beginning no piece goes beyond `reach`. `None`
    /// within if there is none.
    #[inline(always)]
    fn fitting(
        &mut self,
        at: usize,
        options: &mut Options,
        before: Option<Piece>,
        reach: usize,
    ) -> Option<Option<Piece>> {
        while let Some(next) = options.last() {
            let end = at + next.1;
            if self.buffers.dead[end / 64] >> (end % 64) & 1 == 0 {
                let fits = match before {
                    Some(before) => self.fits(at, before, next, reach)?,
                    None => self.is_reachable(next.0, at, end)?,
                };
                if fits {
                    return Some(Some(next));
                }
            }
            options.drop_last(self.trie, &self.text[at..]);
            self.burn(1)?;
        }
        Some(None)
    }

    #[inline(always)]
    fn burn(&mut self, steps: usize) -> Option<()> {
        self.fuel = self.fuel.checked_sub(steps)?;
        Some(())
    }

    fn is_reachable(&mut self, id: u32, start: usize, end: usize) -> Option<bool> {
        Some(self.history(id, start, end)?.way != Way::Unreachable)
    }

    /// Whether merging leaves two pieces that meet at `at` as they are.
    #[inline(always)]
    fn fits(&mut self, at: usize, left: Piece, right: Piece, reach: usize) -> Option<bool> {
        let key = u64::from(left.0) << 32 | u64::from(right.0) << 1;
        let slot = us64(key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - MEMORY.trailing_zeros()));
        let held = self.buffers.memory[slot];
        if held & !1 == key && key != 0 {
            return Some(held & 1 == 1);
        }
        let fits = self.meet(at, left, right, reach, u64::MAX)?;
        self.buffers.memory[slot] = key | u64::from(fits);
        Some(fits)
    }

    /// The same worked out, as far as merges go whose rank and one is below `limit`.
    fn meet(&mut self, at: usize, left: Piece, right: Piece, reach: usize, mut limit: u64) -> Option<bool> {
        let ((mut one, mut one_len), (mut other, mut other_len)) = (left, right);
        let mut made = self.history(one, at - one_len, at)?;
        let mut other_made = self.history(other, at, at + other_len)?;
        loop {
            self.burn(1)?;
            if one_len < left.1 || at + other_len <= reach {
                // A merge across the place that has a lower rank has come before.
                let joined = self.trie.find_behind(made.base, &self.text[at..at + other_len]);
                if let Some((rank, _)) = joined.and_then(|joined| self.rules.merge(one, other, joined)) {
                    if u64::from(rank) + 1 < limit {
                        return Some(false);
                    }
                }
            }
            match (made.way, other_made.way) {
                (Way::Unreachable, _) | (_, Way::Unreachable) => return Some(false),
                (Way::Odd, _) | (_, Way::Odd) => return self.meet_by_the_book(at, left, right),
                (Way::Letter, Way::Letter) => return Some(true),
                _ => {}
            }
            if made.order > other_made.order {
                limit = u64::from(made.order);
                (one, one_len) = (made.right, one_len - made.left_len);
                made = self.history(one, at - one_len, at)?;
            } else {
                // Of equal ranks the left one has come first, and so has a merge across the place.
                limit = u64::from(other_made.order) + 1;
                (other, other_len) = (other_made.left, other_made.left_len);
                other_made = self.history(other, at, at + other_len)?;
            }
        }
    }

    #[cold]
    fn meet_by_the_book(&mut self, at: usize, left: Piece, right: Piece) -> Option<bool> {
        let text = &self.text[at - left.1..at + right.1];
        self.burn(text.len() * text.len())?;
        let symbols = &mut self.buffers.symbols;
        symbols.open(self.rules, text)?;
        symbols.merge(self.rules, text, |_| ());
        Some(symbols.ids == [left.0, right.0] && symbols.lens == [left.1, right.1])
    }

    /// How the piece that is `text[start..end]` comes about.
    #[inline(always)]
    fn history(&mut self, id: u32, start: usize, end: usize) -> Option<History> {
        match self.histories.get(id) {
            Some(history) => Some(history),
            None => self.find_history(id, start, end),
        }
    }

    #[cold]
    fn find_history(&mut self, id: u32, start: usize, end: usize) -> Option<History> {
        if !self.histories.holds(id) {
            return None;
        }
        let text = &self.text[start..end];
        let base = self.trie.base_of(text)?;
        let (symbol, length) = self.rules.symbol(text)?;
        let history = if length == text.len() {
            History::of(if symbol == id { Way::Letter } else { Way::Unreachable }, base)
        } else {
            match self.last_merge(id, start, end)? {
                Some(history) => History { base, ..history },
                None => History { base, ..self.history_by_the_book(id, start, end)? },
            }
        };
        self.histories.set(id, history);
        Some(history)
    }

    /// The merge that a piece comes of, where all merges before it have lower ranks: its two parts would then stay apart
    /// without this merge and those behind it. There is at most one such merge.
    fn last_merge(&mut self, id: u32, start: usize, end: usize) -> Option<Option<History>> {
        let text = &self.text[start..end];
        let mut node = self.trie.root();
        for (len, &byte) in (1..text.len()).zip(text) {
            let Some(next) = self.trie.step(node, byte) else { return Some(None) };
            node = next;
            let Some(left) = node.value() else { continue };
            let Some(right) = self.trie.find(&text[len..]) else { continue };
            let Some((rank, result)) = self.rules.merge(left, right, id) else { continue };
            if result != id {
                continue;
            }
            let order = rank.checked_add(1)?;
            let one = self.history(left, start, start + len)?;
            let other = self.history(right, start + len, end)?;
            let is_plain = |part: History| matches!(part.way, Way::Letter | Way::Merged) && part.order < order;
            if !is_plain(one) || !is_plain(other) {
                continue;
            }
            if self.meet(start + len, (left, len), (right, text.len() - len), usize::MAX, u64::from(order))? {
                return Some(Some(History { left, right, left_len: len, order, ..History::of(Way::Merged, 0) }));
            }
        }
        Some(None)
    }

    /// The same by merging.
    fn history_by_the_book(&mut self, id: u32, start: usize, end: usize) -> Option<History> {
        let text = &self.text[start..end];
        let symbols = &mut self.buffers.symbols;
        symbols.open(self.rules, text)?;
        let (mut last, mut order, mut sorted) = (History::of(Way::Unreachable, 0), 0, true);
        symbols.merge(self.rules, text, |history| {
            sorted &= history.order >= order;
            order = history.order;
            last = history;
        });
        Some(match (symbols.ids == [id], sorted) {
            (true, true) => last,
            (true, false) => History::of(Way::Odd, 0),
            (false, _) => History::of(Way::Unreachable, 0),
        })
    }
}

/// The length of the longest piece; `None` if there is none, or it is too long.
#[inline(always)]
fn longest_of(options: &Options) -> Option<usize> {
    options.last().map(|piece| piece.1).filter(|&len| len <= MAX_PIECE)
}

impl Symbols {
    fn open(&mut self, rules: &impl Rules, text: &[u8]) -> Option<()> {
        self.ids.clear();
        self.lens.clear();
        let mut at = 0;
        while at < text.len() {
            let (id, len) = rules.symbol(&text[at..])?;
            self.ids.push(id);
            self.lens.push(len);
            at += len;
        }
        Some(())
    }

    /// Merges all, and tells of each merge.
    fn merge(&mut self, rules: &impl Rules, text: &[u8], mut tell: impl FnMut(History)) {
        self.merges.clear();
        let mut at = 0;
        for index in 1..self.ids.len() {
            self.merges.push(self.proposed(rules, text, index - 1, at));
            at += self.lens[index - 1];
        }
        loop {
            let first = self.merges.iter().map(|merge| merge >> 32).min().unwrap_or(NO_MERGE >> 32);
            if first == NO_MERGE >> 32 {
                return;
            }
            let Some(left) = self.merges.iter().position(|merge| merge >> 32 == first) else { return };
            let result = low32(self.merges[left]);
            let (one, other) = (self.ids[left], self.ids[left + 1]);
            let order = low32(first).saturating_add(1);
            let merged = History::of(Way::Merged, 0);
            tell(History { left: one, right: other, left_len: self.lens[left], order, ..merged });
            self.ids[left] = result;
            self.ids.remove(left + 1);
            self.lens[left] += self.lens.remove(left + 1);
            self.merges.remove(left);
            let at: usize = self.lens[..left].iter().sum();
            if left < self.merges.len() {
                self.merges[left] = self.proposed(rules, text, left, at);
            }
            if left > 0 {
                self.merges[left - 1] = self.proposed(rules, text, left - 1, at - self.lens[left - 1]);
            }
        }
    }

    /// The merge of a symbol, which begins at `at`, with the next one.
    fn proposed(&self, rules: &impl Rules, text: &[u8], left: usize, at: usize) -> u64 {
        let end = at + self.lens[left] + self.lens[left + 1];
        let joined = rules.trie().find(&text[at..end]);
        let merge = joined.and_then(|joined| rules.merge(self.ids[left], self.ids[left + 1], joined));
        merge.map_or(NO_MERGE, |(rank, result)| u64::from(rank) << 32 | u64::from(result))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::trie::Trie;
    use std::collections::HashMap;

    /// A small vocabulary: pieces by their bytes, and either scores of pieces or merges of pairs.
    struct Small {
        ids: HashMap<Vec<u8>, u32>,
        trie: Trie,
        ranks: Vec<u32>,
        listed: Option<HashMap<(u32, u32), (u32, u32)>>,
    }

    impl Rules for Small {
        fn symbol(&self, text: &[u8]) -> Option<(u32, usize)> {
            Some((*self.ids.get(&text[..1])?, 1))
        }

        fn trie(&self) -> TrieView<'_> {
            self.trie.view()
        }

        fn merge(&self, left: u32, right: u32, joined: u32) -> Option<(u32, u32)> {
            match &self.listed {
                Some(listed) => listed.get(&(left, right)).copied(),
                None => Some((self.ranks[us(joined)], joined)),
            }
        }
    }

    struct Chance(u64);

    impl Chance {
        fn below(&mut self, limit: usize) -> usize {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            us64(self.0 >> 33) % limit
        }
    }

    /// Pieces that come of others, and some that need not; ranks in their order, with ties, or in none.
    fn small(chance: &mut Chance) -> Small {
        let letters = 1 + chance.below(4);
        let mut pieces: Vec<Vec<u8>> = b"abcd"[..letters].iter().map(|&letter| vec![letter]).collect();
        for _ in 0..2 + chance.below(40) {
            let (one, other) = (chance.below(pieces.len()), chance.below(pieces.len()));
            let mut piece = [&pieces[one][..], &pieces[other]].concat();
            if chance.below(8) == 0 {
                piece.push(b"abcd"[chance.below(letters)]);
            }
            if piece.len() <= 24 && !pieces.contains(&piece) {
                pieces.push(piece);
            }
        }
        let (order, step) = (chance.below(3), 1 + chance.below(3));
        let rank = |index: usize, chance: &mut Chance| match order {
            0 | 1 => u32_of(index / step),
            _ => u32_of(chance.below(pieces.len())),
        };
        let ranks: Vec<u32> = (0..pieces.len()).map(|index| rank(index, chance)).collect();
        let ids: HashMap<Vec<u8>, u32> = pieces.iter().cloned().zip(0..).collect();
        let listed = (chance.below(2) == 0).then(|| {
            let mut pairs = Vec::new();
            for (piece, result) in pieces.iter().zip(0u32..) {
                for at in 1..piece.len() {
                    if let (Some(&left), Some(&right)) = (ids.get(&piece[..at]), ids.get(&piece[at..])) {
                        if chance.below(4) > 0 {
                            pairs.push((ranks[us(result)], left, right, result));
                        }
                    }
                }
            }
            pairs.sort_by_key(|&(rank, ..)| rank);
            pairs.into_iter().zip(0..).map(|((_, left, right, result), rank)| ((left, right), (rank, result))).collect()
        });
        let mut keys: Vec<(&[u8], u32)> = ids.iter().map(|(piece, &id)| (&piece[..], id)).collect();
        keys.sort_unstable();
        let trie = Trie::build(&keys).unwrap_or_default();
        Small { ids, trie, ranks, listed }
    }

    #[test]
    fn the_counts_are_those_of_each_prefix() {
        let mut chance = Chance(11);
        for _ in 0..150 {
            let rules = small(&mut chance);
            let letters = rules.ids.keys().filter(|piece| piece.len() == 1).count();
            let (histories, mut buffers) = (Histories::new(rules.ids.len()), Buffers::default());
            for _ in 0..4 {
                let text: Vec<u8> = (0..1 + chance.below(40)).map(|_| b"abcd"[chance.below(letters)]).collect();
                let Some(counts) = prefix_counts(&rules, &histories, &text, &mut buffers) else { continue };
                for (end, &count) in counts.iter().enumerate() {
                    let mut symbols = Symbols::default();
                    assert!(symbols.open(&rules, &text[..end]).is_some());
                    symbols.merge(&rules, &text[..end], |_| ());
                    assert_eq!(us(count), symbols.ids.len(), "{end} of {}", String::from_utf8_lossy(&text));
                }
            }
        }
    }

    #[test]
    fn the_pieces_are_those_of_merging() {
        let mut chance = Chance(7);
        let (mut solved, mut given_up) = (0, 0);
        for _ in 0..400 {
            let rules = small(&mut chance);
            let letters = rules.ids.keys().filter(|piece| piece.len() == 1).count();
            let (histories, mut buffers) = (Histories::new(rules.ids.len()), Buffers::default());
            for _ in 0..20 {
                let used = 1 + chance.below(letters);
                let text: Vec<u8> = (0..1 + chance.below(90)).map(|_| b"abcd"[chance.below(used)]).collect();
                let mut symbols = Symbols::default();
                assert!(symbols.open(&rules, &text).is_some());
                symbols.merge(&rules, &text, |_| ());
                let mut found = vec![(99, 99)];
                if solve(&rules, &histories, &text, &mut buffers, &mut found) {
                    solved += 1;
                    let ids: Vec<u32> = found[1..].iter().map(|&(id, _)| id).collect();
                    assert_eq!(ids, symbols.ids, "{}", String::from_utf8_lossy(&text));
                    assert_eq!(found.last().map(|&(_, end)| us(end)), Some(text.len()));
                } else {
                    given_up += 1;
                    assert_eq!(found.len(), 1);
                }
            }
        }
        assert!(solved > 20 * given_up, "{solved} {given_up}");
    }
}
