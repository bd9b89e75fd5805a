//! Merges without merging: the pieces of a unit from left to right, in time that grows with its length.
//!
//! A row of pieces is what merging makes if and only if each two neighbours are what merging makes of the two alone. So the
//! longest piece is taken that goes with the one before it, else a shorter one, and if none does, the one before is given up.
//! Whether two go together is found by undoing their merges in reverse, at the place where they meet: had a merge across it
//! come first, they would not both be there. `docs/algorithms/long-chunks.md` has the proof.

#[cfg(test)]
mod tests;

use std::collections::HashSet;

use crate::index::double_array::TrieView;
use crate::segment::bpe::derivation::{Derivation, Derivations, Way};
use crate::segment::bpe::heap::{Heap, Symbol};
use crate::util::cast::{u32_of, us, us64};
use crate::util::interrupt::Pace;

/// Longer pieces are not looked into: a unit that has one is merged by a heap.
const MAX_PIECE: usize = 512;
/// Steps for each byte, and some more, before a unit is merged by a heap.
const STEPS_PER_BYTE: usize = 64;
/// What a piece counts for as work, beside the steps.
const EFFORT: usize = 8;
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
    heap: Heap,
}

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
    derivations: &'a Derivations,
    text: &'a [u8],
    buffers: &'a mut Buffers,
    budget: usize,
}

/// Steps that a unit may take: the derivation of one long piece of its takes as many as the square of its length.
fn budget_for(text: &[u8]) -> usize {
    let longest = text.len().min(MAX_PIECE);
    STEPS_PER_BYTE * text.len() + longest * longest
}

/// The pieces of a unit: pushes (id, end). False, and nothing pushed, if this is not the way for it.
pub fn solve<R: Rules>(
    rules: &R,
    derivations: &Derivations,
    text: &[u8],
    buffers: &mut Buffers,
    found: &mut Vec<Found>,
) -> bool {
    let before = found.len();
    buffers.dead.clear();
    buffers.dead.resize(text.len() / 64 + 1, 0);
    buffers.memory.resize(MEMORY, 0);
    let (trie, budget) = (rules.trie(), budget_for(text));
    let mut search = Search { rules, trie, derivations, text, buffers, budget };
    let solved = search.run(found, before).is_some();
    if !solved {
        found.truncate(before);
    }
    solved
}

/// For each prefix of a unit by its length how many pieces it has by itself; [`NO_COUNT`] where it ends within a symbol, or
/// has a piece that is split in the end. `None` if this is not the way for it.
pub fn prefix_counts<R: Rules>(
    rules: &R,
    derivations: &Derivations,
    text: &[u8],
    is_split: impl Fn(u32) -> bool,
    buffers: &mut Buffers,
) -> Option<Vec<u32>> {
    buffers.memory.resize(MEMORY, 0);
    let (trie, budget) = (rules.trie(), budget_for(text));
    let mut search = Search { rules, trie, derivations, text, buffers, budget };
    let (mut counts, mut lasts) = (vec![NO_COUNT; text.len() + 1], vec![(0, 0); text.len() + 1]);
    let mut split = vec![false; text.len() + 1];
    counts[0] = 0;
    let mut pieces: Vec<Piece> = Vec::new();
    let mut unmade: HashSet<u32> = HashSet::new();
    let mut pace = Pace::new();
    for at in 0..text.len() {
        pace.reach(EFFORT * at);
        if counts[at] == NO_COUNT {
            continue;
        }
        pieces.clear();
        trie.each_prefix(&text[at..], |len, id| pieces.push((id, len)));
        // A prefix has one last piece, so what is found first is it.
        for &(id, len) in &pieces {
            let fits = match at {
                _ if counts[at + len] != NO_COUNT => false,
                _ if len > MAX_PIECE && unmade.contains(&id) => false,
                _ if len > MAX_PIECE => {
                    let piece = &text[at..at + len];
                    let is_pair = |&(_, left): &Piece| left < len && trie.find(&piece[left..]).is_some();
                    if pieces.iter().any(is_pair) {
                        return None;
                    }
                    // No two pieces are its text, so that no merge makes it.
                    unmade.insert(id);
                    false
                }
                0 => search.is_reachable(id, 0, len)?,
                _ => search.is_compatible(at, lasts[at], (id, len), usize::MAX)?,
            };
            if fits {
                (counts[at + len], lasts[at + len]) = (counts[at] + 1, (id, len));
                split[at + len] = split[at] || is_split(id);
            }
        }
    }
    for (count, _) in counts.iter_mut().zip(split).filter(|(_, is_split)| *is_split) {
        *count = NO_COUNT;
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
        let (budget, mut looked, mut pace) = (self.budget, 0, Pace::new());
        loop {
            looked += EFFORT;
            pace.reach(looked + budget - self.budget);
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
            self.spend(given_up.1)?;
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
                    Some(before) => self.is_compatible(at, before, next, reach)?,
                    None => self.is_reachable(next.0, at, end)?,
                };
                if fits {
                    return Some(Some(next));
                }
            }
            options.drop_last(self.trie, &self.text[at..]);
            self.spend(1)?;
        }
        Some(None)
    }

    #[inline(always)]
    fn spend(&mut self, steps: usize) -> Option<()> {
        self.budget = self.budget.checked_sub(steps)?;
        Some(())
    }

    fn is_reachable(&mut self, id: u32, start: usize, end: usize) -> Option<bool> {
        Some(self.derivation(id, start, end)?.way != Way::Unreachable)
    }

    /// Whether merging leaves two pieces that meet at `at` as they are.
    #[inline(always)]
    fn is_compatible(&mut self, at: usize, left: Piece, right: Piece, reach: usize) -> Option<bool> {
        let key = u64::from(left.0) << 32 | u64::from(right.0) << 1;
        let slot = us64(key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - MEMORY.trailing_zeros()));
        let held = self.buffers.memory[slot];
        if held & !1 == key && key != 0 {
            return Some(held & 1 == 1);
        }
        let fits = self.check_boundary(at, left, right, reach, u64::MAX)?;
        self.buffers.memory[slot] = key | u64::from(fits);
        Some(fits)
    }

    /// Whether merging leaves two pieces that meet at `at` as they are, worked out as far as merges go whose rank plus one is below
    /// `limit`.
    fn check_boundary(&mut self, at: usize, left: Piece, right: Piece, reach: usize, mut limit: u64) -> Option<bool> {
        let ((mut one, mut one_len), (mut other, mut other_len)) = (left, right);
        let mut made = self.derivation(one, at - one_len, at)?;
        let mut other_made = self.derivation(other, at, at + other_len)?;
        loop {
            self.spend(1)?;
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
                (Way::NonMonotone, _) | (_, Way::NonMonotone) => return self.check_by_merging(at, left, right),
                (Way::Symbol, Way::Symbol) => return Some(true),
                _ => {}
            }
            if made.order > other_made.order {
                limit = u64::from(made.order);
                (one, one_len) = (made.right, one_len - made.left_len);
                made = self.derivation(one, at - one_len, at)?;
            } else {
                // Of equal ranks the left one has come first, and so has a merge across the place.
                limit = u64::from(other_made.order) + 1;
                (other, other_len) = (other_made.left, other_made.left_len);
                other_made = self.derivation(other, at, at + other_len)?;
            }
        }
    }

    /// How the piece that is `text[start..end]` comes about.
    #[inline(always)]
    fn derivation(&mut self, id: u32, start: usize, end: usize) -> Option<Derivation> {
        match self.derivations.get(id) {
            Some(derivation) => Some(derivation),
            None => self.find_history(id, start, end),
        }
    }

    #[cold]
    fn find_history(&mut self, id: u32, start: usize, end: usize) -> Option<Derivation> {
        if !self.derivations.holds(id) {
            return None;
        }
        let text = &self.text[start..end];
        let base = self.trie.base_of(text)?;
        let (symbol, length) = self.rules.symbol(text)?;
        let derivation = if length == text.len() {
            Derivation::of(if symbol == id { Way::Symbol } else { Way::Unreachable }, base)
        } else {
            match self.last_merge(id, start, end)? {
                Some(derivation) => Derivation { base, ..derivation },
                None => Derivation { base, ..self.derivation_by_merging(id, start, end)? },
            }
        };
        self.derivations.set(id, derivation);
        Some(derivation)
    }

    /// The merge that a piece comes of, where all merges before it have lower ranks: its two parts would then stay apart
    /// without this merge and those behind it. There is at most one such merge.
    fn last_merge(&mut self, id: u32, start: usize, end: usize) -> Option<Option<Derivation>> {
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
            let one = self.derivation(left, start, start + len)?;
            let other = self.derivation(right, start + len, end)?;
            let is_plain = |part: Derivation| matches!(part.way, Way::Symbol | Way::Merged) && part.order < order;
            if !is_plain(one) || !is_plain(other) {
                continue;
            }
            if self.check_boundary(start + len, (left, len), (right, text.len() - len), usize::MAX, u64::from(order))? {
                return Some(Some(Derivation { left, right, left_len: len, order, ..Derivation::of(Way::Merged, 0) }));
            }
        }
        Some(None)
    }

    /// Whether merging leaves two pieces that meet at `at` as they are, found by merging their text.
    #[cold]
    fn check_by_merging(&mut self, at: usize, left: Piece, right: Piece) -> Option<bool> {
        let (start, end) = (at - left.1, at + right.1);
        self.spend((end - start) * (end - start))?;
        self.merge(start, end, |_, _, _| ())?;
        let found = self.buffers.heap.symbols().map(|symbol| (symbol.id, us(symbol.end - symbol.start)));
        Some(found.eq([left, right]))
    }

    /// The derivation of a piece, found by merging its text.
    fn derivation_by_merging(&mut self, id: u32, start: usize, end: usize) -> Option<Derivation> {
        let (mut last, mut order, mut sorted) = (Derivation::of(Way::Unreachable, 0), 0, true);
        self.merge(start, end, |one, other, rank| {
            let (left_len, rank) = (us(one.end - one.start), rank.saturating_add(1));
            last =
                Derivation { left: one.id, right: other.id, left_len, order: rank, ..Derivation::of(Way::Merged, 0) };
            sorted &= rank >= order;
            order = rank;
        })?;
        let is_made = self.buffers.heap.symbols().map(|symbol| symbol.id).eq([id]);
        Some(match (is_made, sorted) {
            (true, true) => last,
            (true, false) => Derivation::of(Way::NonMonotone, 0),
            (false, _) => Derivation::of(Way::Unreachable, 0),
        })
    }

    /// Merges a part of the text; `None` if it holds what is no symbol.
    fn merge(&mut self, start: usize, end: usize, tell: impl FnMut(&Symbol, &Symbol, u32)) -> Option<()> {
        let Self { rules, trie, buffers: Buffers { heap, .. }, .. } = self;
        let text = &self.text[start..end];
        heap.open();
        let mut at = 0;
        while at < text.len() {
            let (id, len) = rules.symbol(&text[at..])?;
            heap.push(id, u32_of(len));
            at += len;
        }
        let find = |one: &Symbol, other: &Symbol| {
            let joined = trie.find(&text[us(one.start)..us(other.end)])?;
            rules.merge(one.id, other.id, joined)
        };
        heap.merge(find, tell);
        Some(())
    }
}

/// The length of the longest piece; `None` if there is none, or it is too long.
#[inline(always)]
fn longest_of(options: &Options) -> Option<usize> {
    options.last().map(|piece| piece.1).filter(|&len| len <= MAX_PIECE)
}
