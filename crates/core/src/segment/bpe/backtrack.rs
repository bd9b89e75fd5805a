//! Backtracking BPE encoder: the pieces of a unit from left to right, in linear time.
//!
//! A sequence of pieces is the BPE result if and only if each adjacent pair is the BPE result of its own text. So the
//! longest piece compatible with the previous one is taken, else a shorter one, and if none is compatible, the previous
//! one is popped. Compatibility of two pieces is found by undoing their merges in reverse at their boundary: had a
//! merge across it come first, they would not both exist. `docs/algorithms/long-chunks.md` has the proof.

#[cfg(test)]
mod tests;

use std::collections::HashSet;

use crate::index::double_array::TrieView;
use crate::segment::bpe::derivation::{Derivation, Derivations, Way};
use crate::segment::bpe::heap::{Heap, Skipped, Symbol};
use crate::util::cast::{u32_of, us, us64};
use crate::util::interrupt::Pace;

/// Maximum bytes of a piece that is expanded: a unit with a longer one is merged by the heap.
const MAX_PIECE: usize = 512;
/// Step budget per byte; beyond it a unit is merged by the heap.
const STEPS_PER_BYTE: usize = 64;
/// Work of a piece, in bytes reported, besides its steps.
const EFFORT: usize = 8;
/// Entries of the compatibility cache.
const MEMORY: usize = 1 << 14;

/// The vocabulary and merge order of a stage.
pub trait Rules {
    /// The first symbol of a text, and its length.
    fn symbol(&self, text: &[u8]) -> Option<(u32, usize)>;
    /// The trie of the pieces' texts.
    fn trie(&self) -> TrieView<'_>;
    /// Rank and result of the merge of two neighbours that together are the text of `joined`; lower ranks go first.
    fn merge(&self, left: u32, right: u32, joined: u32) -> Option<(u32, u32)>;
}

/// Buffers, and the compatibility cache. They belong to one tokenizer.
#[derive(Default)]
pub struct Buffers {
    /// Bit set of the positions that no valid sequence of pieces reaches.
    dead: Vec<u64>,
    /// Compatibility cache by hash: left above right above the answer.
    memory: Vec<u64>,
    heap: Heap,
}

/// The count of a prefix that is unknown.
pub const NO_COUNT: u32 = u32::MAX;

/// A piece in the text: its id and where it ends.
type Found = (u32, u32);
/// A piece: its id and its length.
type Piece = (u32, usize);

/// Finds the pieces that are prefixes of a text, the longest last.
#[inline(always)]
fn find_pieces(trie: TrieView<'_>, text: &[u8], pieces: &mut Vec<Piece>) {
    pieces.clear();
    trie.each_prefix(text, |len, id| pieces.push((id, len)));
}

struct Search<'a, R> {
    rules: &'a R,
    trie: TrieView<'a>,
    derivations: &'a Derivations,
    text: &'a [u8],
    buffers: &'a mut Buffers,
    budget: usize,
}

/// Step budget of a unit: the derivation of one long piece can take as many steps as the square of its length.
fn budget_for(text: &[u8]) -> usize {
    let longest = text.len().min(MAX_PIECE);
    STEPS_PER_BYTE * text.len() + longest * longest
}

/// The pieces of a unit: pushes (id, end). False, and nothing pushed, if the unit has to be merged by the heap.
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

/// For each prefix length of a unit the number of pieces of that prefix; [`NO_COUNT`] where it ends within a symbol, or
/// has a piece that is split at the end. `None` if the unit has to be merged by the heap.
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
        find_pieces(trie, &text[at..], &mut pieces);
        // A prefix has exactly one last piece, so the first one found is it.
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
                    // No two pieces concatenate to its text, so no merge makes it.
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
        let mut options = Vec::new();
        find_pieces(self.trie, self.text, &mut options);
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
                find_pieces(self.trie, &self.text[at..], &mut options);
                longest = longest_of(&options)?;
                continue;
            }
            self.buffers.dead[at / 64] |= 1 << (at % 64);
            let given_up = before?;
            at -= given_up.1;
            find_pieces(self.trie, &self.text[at..at + given_up.1 - 1], &mut options);
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

    /// The longest piece at `at` that is compatible with `before`; no piece that starts where `before` does ends beyond
    /// `reach`. The inner `None` means there is none.
    #[inline(always)]
    fn fitting(
        &mut self,
        at: usize,
        options: &mut Vec<Piece>,
        before: Option<Piece>,
        reach: usize,
    ) -> Option<Option<Piece>> {
        while let Some(&next) = options.last() {
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
            options.pop();
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

    /// Whether merging leaves two pieces that meet at `at` unchanged; cached.
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

    /// Whether merging leaves two pieces that meet at `at` unchanged, considering only merges whose rank plus one is
    /// below `limit`.
    fn check_boundary(&mut self, at: usize, left: Piece, right: Piece, reach: usize, mut limit: u64) -> Option<bool> {
        let ((mut one, mut one_len), (mut other, mut other_len)) = (left, right);
        let mut made = self.derivation(one, at - one_len, at)?;
        let mut other_made = self.derivation(other, at, at + other_len)?;
        loop {
            self.spend(1)?;
            if one_len < left.1 || at + other_len <= reach {
                // A merge across the boundary with a lower rank came first.
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
                // Of equal ranks the leftmost came first, and so did a merge across the boundary.
                limit = u64::from(other_made.order) + 1;
                (other, other_len) = (other_made.left, other_made.left_len);
                other_made = self.derivation(other, at, at + other_len)?;
            }
        }
    }

    /// The derivation of the piece `text[start..end]`.
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

    /// The last merge of a piece, where all merges before it have lower ranks: without this merge and later ones its
    /// two parts would stay apart. There is at most one such merge.
    fn last_merge(&mut self, id: u32, start: usize, end: usize) -> Option<Option<Derivation>> {
        let text = &self.text[start..end];
        for (len, left) in self.trie.keys(self.trie.root(), &text[..text.len() - 1]) {
            let Some(right) = self.trie.find(&text[len..]) else { continue };
            let Some((rank, result)) = self.rules.merge(left, right, id) else { continue };
            if result != id {
                continue;
            }
            let order = rank.checked_add(1)?;
            let one = self.derivation(left, start, start + len)?;
            let other = self.derivation(right, start + len, end)?;
            let is_earlier = |part: Derivation| matches!(part.way, Way::Symbol | Way::Merged) && part.order < order;
            if !is_earlier(one) || !is_earlier(other) {
                continue;
            }
            if self.check_boundary(start + len, (left, len), (right, text.len() - len), usize::MAX, u64::from(order))? {
                return Some(Some(Derivation { left, right, left_len: len, order, ..Derivation::of(Way::Merged, 0) }));
            }
        }
        Some(None)
    }

    /// Whether merging leaves two pieces that meet at `at` unchanged, found by merging their text.
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

    /// Merges a part of the text; `None` if it contains what is no symbol.
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
        heap.merge(find, tell, Skipped::Gone, || false);
        Some(())
    }
}

/// The length of the longest piece; `None` if there is none, or it is too long.
fn longest_of(options: &[Piece]) -> Option<usize> {
    options.last().map(|piece| piece.1).filter(|&len| len <= MAX_PIECE)
}
