//! Merges without merging: the pieces of a long unit from left to right, in time that grows with its length.
//!
//! A row of pieces is what merging makes if and only if each two neighbours are what merging makes of the two alone. So the
//! longest piece is taken that goes with the one before it, else a shorter one, and if none does, the one before is given up.
//! Whether two go together is found by undoing their merges in reverse, at the place where they meet: had a merge across it
//! come first, they would not both be there. `docs/algorithms/long-chunks.md` has the proof.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::cast::{low32, u32_of, us, us64};

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
    /// The longest piece that a text begins with, and its length.
    fn longest(&self, text: &[u8]) -> Option<(u32, usize)>;
    /// Calls `visit` with each piece that a text begins with, and its length.
    fn each(&self, text: &[u8], visit: impl FnMut(u32, usize));
    /// Rank and result of the merge of two neighbours whose text is given; lower ranks go first.
    fn merge(&self, left: u32, right: u32, text: &[u8]) -> Option<(u32, u32)>;
}

/// How pieces come about, found when it is first asked.
pub struct Histories {
    rows: Vec<Row>,
}

/// How one piece comes about.
#[derive(Default)]
struct Row {
    /// Left and right part, each plus one; or one of the values below.
    parts: AtomicU64,
    /// Rank of the last merge above, length of the left part below.
    facts: AtomicU64,
}

const UNKNOWN: u64 = 0;
const LETTER: u64 = 1;
/// No merges lead to it.
const UNREACHABLE: u64 = 2;
/// Its merges do not come in the order of their ranks.
const ODD: u64 = 3;

#[derive(Clone, Copy)]
enum History {
    Letter,
    Merged { left: u32, right: u32, rank: u32, left_len: usize },
    Unreachable,
    Odd,
}

impl History {
    /// Whether it is over before a merge of this rank.
    const fn is_before(self, rank: u32) -> bool {
        match self {
            Self::Merged { rank: mine, .. } => mine < rank,
            _ => true,
        }
    }
}

impl Histories {
    /// For so many pieces.
    #[must_use]
    pub fn new(pieces: usize) -> Self {
        Self { rows: (0..pieces).map(|_| Row::default()).collect() }
    }

    fn get(&self, id: u32) -> Option<History> {
        let row = self.rows.get(us(id))?;
        Some(match row.parts.load(Ordering::Acquire) {
            UNKNOWN => return None,
            LETTER => History::Letter,
            UNREACHABLE => History::Unreachable,
            ODD => History::Odd,
            parts => {
                let facts = row.facts.load(Ordering::Relaxed);
                let (left, right) = (low32(parts >> 32) - 1, low32(parts).wrapping_sub(1));
                History::Merged { left, right, rank: low32(facts >> 32), left_len: us(low32(facts)) }
            }
        })
    }

    fn set(&self, id: u32, history: History) {
        let Some(row) = self.rows.get(us(id)) else { return };
        let value = match history {
            History::Letter => LETTER,
            History::Unreachable => UNREACHABLE,
            History::Odd => ODD,
            History::Merged { left, right, rank, left_len } => {
                row.facts.store(u64::from(rank) << 32 | u64::from(u32_of(left_len)), Ordering::Relaxed);
                (u64::from(left) + 1) << 32 | (u64::from(right) + 1)
            }
        };
        row.parts.store(value, Ordering::Release);
    }
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
/// To work out how a longer piece comes about counts as work on the text.
const LONG_PIECE: usize = 512;
/// The count of a prefix that is not known.
pub const NO_COUNT: u32 = u32::MAX;

/// A piece in the text: its id and where it ends.
type Found = (u32, u32);
/// A piece: its id and its length.
type Piece = (u32, usize);

struct Search<'a, R> {
    rules: &'a R,
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
    let mut search = Search { rules, histories, text, buffers, fuel: FUEL * text.len() + MAX_PIECE * MAX_PIECE };
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
    let mut search = Search { rules, histories, text, buffers, fuel: FUEL * text.len() + MAX_PIECE * MAX_PIECE };
    let (mut counts, mut lasts) = (vec![NO_COUNT; text.len() + 1], vec![(0, 0); text.len() + 1]);
    counts[0] = 0;
    let mut pieces: Vec<Piece> = Vec::new();
    for at in 0..text.len() {
        if counts[at] == NO_COUNT {
            continue;
        }
        pieces.clear();
        rules.each(&text[at..], |id, len| pieces.push((id, len)));
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
        let mut next = self.longest(0, self.text.len())?;
        let mut is_longest = true;
        while at < self.text.len() {
            if let Some(piece) = self.fitting(at, next, before, reach)? {
                reach = if is_longest { at + next.1 } else { usize::MAX };
                at += piece.1;
                found.push((piece.0, u32_of(at)));
                before = Some(piece);
                if at < self.text.len() {
                    next = self.longest(at, self.text.len())?;
                    is_longest = true;
                }
                continue;
            }
            self.buffers.dead[at / 64] |= 1 << (at % 64);
            next = before?;
            at -= next.1;
            (reach, is_longest) = (usize::MAX, false);
            found.pop();
            before = match found[first..] {
                [] => None,
                [(id, end)] => Some((id, us(end))),
                [.., (_, start), (id, end)] => Some((id, us(end - start))),
            };
        }
        Some(())
    }

    /// The longest piece at `at`, from `next` downwards, that goes with the one before, from whose beginning no piece goes
    /// beyond `reach`. `None` within if there is none.
    fn fitting(&mut self, at: usize, mut next: Piece, before: Option<Piece>, reach: usize) -> Option<Option<Piece>> {
        loop {
            let (id, len) = next;
            let end = at + len;
            if self.buffers.dead[end / 64] >> (end % 64) & 1 == 0 {
                let fits = match before {
                    Some(before) => self.fits(at, before, next, reach)?,
                    None => self.is_reachable(id, at, end)?,
                };
                if fits {
                    return Some(Some(next));
                }
            }
            match self.rules.longest(&self.text[at..end - 1]) {
                Some(shorter) => next = shorter,
                None => return Some(None),
            }
            self.burn(len)?;
        }
    }

    fn longest(&mut self, at: usize, end: usize) -> Option<Piece> {
        self.rules.longest(&self.text[at..end]).filter(|piece| piece.1 <= MAX_PIECE)
    }

    fn burn(&mut self, steps: usize) -> Option<()> {
        self.fuel = self.fuel.checked_sub(steps)?;
        Some(())
    }

    fn is_reachable(&mut self, id: u32, start: usize, end: usize) -> Option<bool> {
        Some(!matches!(self.history(id, start, end)?, History::Unreachable))
    }

    /// Whether merging leaves two pieces that meet at `at` as they are.
    fn fits(&mut self, at: usize, left: Piece, right: Piece, reach: usize) -> Option<bool> {
        let key = u64::from(left.0) << 32 | u64::from(right.0) << 1;
        let slot = us64(key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - MEMORY.trailing_zeros()));
        let held = self.buffers.memory[slot];
        if held & !1 == key && key != 0 {
            return Some(held & 1 == 1);
        }
        let fits = self.meet(at, left, right, reach)?;
        self.buffers.memory[slot] = key | u64::from(fits);
        Some(fits)
    }

    fn meet(&mut self, at: usize, left: Piece, right: Piece, reach: usize) -> Option<bool> {
        let ((mut one, mut one_len), (mut other, mut other_len)) = (left, right);
        let mut made = self.history(one, at - one_len, at)?;
        let mut other_made = self.history(other, at, at + other_len)?;
        // A merge across the place that has a lower rank has come before.
        let mut limit = u64::MAX;
        loop {
            self.burn(1)?;
            if one_len < left.1 || at + other_len <= reach {
                let across = self.rules.merge(one, other, &self.text[at - one_len..at + other_len]);
                if across.is_some_and(|(rank, _)| u64::from(rank) < limit) {
                    return Some(false);
                }
            }
            match (made, other_made) {
                (History::Unreachable, _) | (_, History::Unreachable) => return Some(false),
                (History::Odd, _) | (_, History::Odd) => return self.meet_by_the_book(at, left, right),
                (History::Letter, History::Letter) => return Some(true),
                (History::Merged { right, rank, left_len, .. }, _) if other_made.is_before(rank) => {
                    (one, one_len, limit) = (right, one_len - left_len, u64::from(rank));
                    made = self.history(one, at - one_len, at)?;
                }
                // Of equal ranks the left one has come first, and so has a merge across the place.
                (_, History::Merged { left, rank, left_len, .. }) => {
                    (other, other_len, limit) = (left, left_len, u64::from(rank) + 1);
                    other_made = self.history(other, at, at + other_len)?;
                }
                (History::Merged { .. }, History::Letter) => return None,
            }
        }
    }

    fn meet_by_the_book(&mut self, at: usize, left: Piece, right: Piece) -> Option<bool> {
        let text = &self.text[at - left.1..at + right.1];
        self.burn(text.len() * text.len())?;
        let symbols = &mut self.buffers.symbols;
        symbols.open(self.rules, text)?;
        symbols.merge(self.rules, text, |_| ());
        Some(symbols.ids == [left.0, right.0] && symbols.lens == [left.1, right.1])
    }

    /// How the piece that is `text[start..end]` comes about.
    fn history(&mut self, id: u32, start: usize, end: usize) -> Option<History> {
        if let Some(history) = self.histories.get(id) {
            return Some(history);
        }
        // Each is worked out once; only a damaged file has many that are so long.
        if end - start > LONG_PIECE {
            self.burn((end - start).pow(2))?;
        }
        let text = &self.text[start..end];
        let symbols = &mut self.buffers.symbols;
        symbols.open(self.rules, text)?;
        if symbols.ids.len() == 1 {
            let history = if symbols.ids[0] == id { History::Letter } else { History::Unreachable };
            self.histories.set(id, history);
            return Some(history);
        }
        let (mut last, mut rank, mut sorted) = (History::Unreachable, 0, true);
        symbols.merge(self.rules, text, |history| {
            if let History::Merged { rank: next, .. } = history {
                sorted &= next >= rank;
                rank = next;
            }
            last = history;
        });
        let history = match (symbols.ids == [id], sorted) {
            (true, true) => last,
            (true, false) => History::Odd,
            (false, _) => History::Unreachable,
        };
        self.histories.set(id, history);
        Some(history)
    }
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
            tell(History::Merged { left: one, right: other, rank: low32(first), left_len: self.lens[left] });
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
        let merge = rules.merge(self.ids[left], self.ids[left + 1], &text[at..end]);
        merge.map_or(NO_MERGE, |(rank, result)| u64::from(rank) << 32 | u64::from(result))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    /// A small vocabulary: pieces by their bytes, and either scores of pieces or merges of pairs.
    struct Small {
        ids: HashMap<Vec<u8>, u32>,
        ranks: Vec<u32>,
        listed: Option<HashMap<(u32, u32), (u32, u32)>>,
    }

    impl Rules for Small {
        fn symbol(&self, text: &[u8]) -> Option<(u32, usize)> {
            Some((*self.ids.get(&text[..1])?, 1))
        }

        fn longest(&self, text: &[u8]) -> Option<(u32, usize)> {
            (1..=text.len().min(24)).rev().find_map(|len| Some((*self.ids.get(&text[..len])?, len)))
        }

        fn each(&self, text: &[u8], mut visit: impl FnMut(u32, usize)) {
            for len in 1..=text.len().min(24) {
                if let Some(&id) = self.ids.get(&text[..len]) {
                    visit(id, len);
                }
            }
        }

        fn merge(&self, left: u32, right: u32, text: &[u8]) -> Option<(u32, u32)> {
            match &self.listed {
                Some(listed) => listed.get(&(left, right)).copied(),
                None => self.ids.get(text).map(|&id| (self.ranks[us(id)], id)),
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
        Small { ids, ranks, listed }
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
