//! BPE-dropout of a short unit of characters where a merge that is passed over is gone.
//!
//! What [`crate::segment::bpe::Bpe`] does with an agenda, for a unit of few bytes: all pieces in it are found first, and each symbol has at
//! most one merge that can come up, that with its right neighbour. The best of them is found by looking at all.

use crate::index::double_array::TrieView;
use crate::util::cast::us;
use crate::util::utf8::character_length;

/// Places of a unit: more than the longest has bytes.
const PLACES: usize = 64;
/// Longest unit in bytes.
pub const MAX_DROPPED: usize = PLACES - 1;
/// The rank of a symbol that nothing can be merged to.
const NO_MERGE: u64 = 0;

/// Buffers for use again; what is in them from another unit is not read.
pub struct Short {
    /// For each place and each end one more than the id of the piece there, up to how far pieces reach.
    numbers: Box<[[u32; PLACES]; PLACES]>,
    reach: [usize; PLACES],
    /// For each symbol, by where it begins: its end, where the one before it begins, and what its merge ranks.
    ends: [usize; PLACES],
    before: [usize; PLACES],
    ranks: [u64; PLACES],
}

impl Default for Short {
    fn default() -> Self {
        Self {
            numbers: Box::new([[0; PLACES]; PLACES]),
            reach: [0; PLACES],
            ends: [0; PLACES],
            before: [0; PLACES],
            ranks: [NO_MERGE; PLACES],
        }
    }
}

impl Short {
    /// Merges the characters of a text of at most [`MAX_DROPPED`] bytes; `order` says for each id which merge comes first: the
    /// largest, the leftmost of equals; `passes` whether it is passed over. Pushes id, if there is a piece, start and end.
    pub fn merge(
        &mut self,
        text: &[u8],
        trie: TrieView<'_>,
        order: &[i32],
        mut passes: impl FnMut() -> bool,
        mut push: impl FnMut(Option<u32>, usize, usize),
    ) {
        let length = text.len().min(MAX_DROPPED);
        self.open(&text[..length], trie);
        let mut at = 0;
        while at < length {
            self.ranks[at % PLACES] = self.rank(at, length, order);
            at = self.ends[at % PLACES];
        }
        loop {
            let mut best = (NO_MERGE, 0);
            for (place, &rank) in self.ranks[..length].iter().enumerate() {
                if rank > best.0 {
                    best = (rank, place);
                }
            }
            let (rank, left) = best;
            if rank == NO_MERGE {
                break;
            }
            self.ranks[left % PLACES] = NO_MERGE;
            if passes() {
                continue;
            }
            let right = self.ends[left % PLACES];
            let end = self.ends[right % PLACES];
            self.ends[left % PLACES] = end;
            self.ranks[right % PLACES] = NO_MERGE;
            if end < length {
                self.before[end % PLACES] = left;
            }
            self.ranks[left % PLACES] = self.rank(left, length, order);
            if left > 0 {
                let before = self.before[left % PLACES];
                self.ranks[before % PLACES] = self.rank(before, length, order);
            }
        }
        let mut at = 0;
        while at < length {
            let end = self.ends[at % PLACES];
            push(self.piece(at, end), at, end);
            at = end;
        }
    }

    /// Finds the pieces from each character on, and makes each a symbol.
    fn open(&mut self, text: &[u8], trie: TrieView<'_>) {
        let (root, mut at, mut before) = (trie.root(), 0, 0);
        self.ranks[..text.len()].fill(NO_MERGE);
        while at < text.len() {
            let (mut node, mut end) = (root, at);
            let numbers = &mut self.numbers[at % PLACES];
            while let Some(next) = text.get(end).and_then(|&byte| trie.step(node, byte)) {
                node = next;
                end += 1;
                numbers[end % PLACES] = node.number();
            }
            self.reach[at % PLACES] = end;
            let next = at + character_length(text[at]).min(text.len() - at);
            (self.ends[at % PLACES], self.before[at % PLACES]) = (next, before);
            (before, at) = (at, next);
        }
    }

    #[inline(always)]
    fn piece(&self, start: usize, end: usize) -> Option<u32> {
        let number = if end <= self.reach[start % PLACES] { self.numbers[start % PLACES][end % PLACES] } else { 0 };
        number.checked_sub(1)
    }

    /// What the merge of a symbol with the next one ranks.
    #[inline(always)]
    fn rank(&self, left: usize, length: usize, order: &[i32]) -> u64 {
        let right = self.ends[left % PLACES];
        if right >= length {
            return NO_MERGE;
        }
        let Some(id) = self.piece(left, self.ends[right % PLACES]) else { return NO_MERGE };
        let order = order.get(us(id)).copied().unwrap_or(0);
        u64::from(order.abs_diff(i32::MIN)) + 1
    }
}
