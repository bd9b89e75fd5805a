//! How pieces come about: for each the merge that made it last, found when it is first asked for and kept for all threads.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::util::cast::{low32, u64_of, us, us64};

/// What is known of one piece, in sixteen bytes, so that it is on one cache line.
#[derive(Default)]
struct Row {
    /// From the top: how it comes about, length of the left part, right part, left part. 0 if it is not known yet.
    parts: AtomicU64,
    /// Order of the last merge above, where the trie goes on behind the piece below.
    facts: AtomicU64,
}

const ID_BITS: u32 = 24;
const ID_MASK: u64 = (1 << ID_BITS) - 1;
const LENGTH_SHIFT: u32 = 2 * ID_BITS;
const WAY_SHIFT: u32 = LENGTH_SHIFT + 8;

/// The kinds of pieces that merges tell apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// A symbol that merging starts from.
    Symbol,
    /// The result of merges in the order of their ranks.
    Merged,
    /// No merges lead to it.
    Unreachable,
    /// Its merges do not come in the order of their ranks.
    NonMonotone,
}

/// How one piece comes about.
#[derive(Clone, Copy, Debug)]
pub struct Derivation {
    /// Whether it does.
    pub way: Way,
    /// Left part, of a merged piece.
    pub left: u32,
    /// Right part, of a merged piece.
    pub right: u32,
    /// Length of the left part.
    pub left_len: usize,
    /// 0 for a symbol, else one more than the rank of the last merge, as far as 32 bits go.
    pub order: u32,
    /// Where the trie goes on behind the piece.
    pub base: u32,
}

impl Derivation {
    /// A piece that is not merged of others.
    pub const fn of(way: Way, base: u32) -> Self {
        Self { way, left: 0, right: 0, left_len: 0, order: 0, base }
    }
}

/// The histories of all pieces.
pub struct Derivations {
    rows: Vec<Row>,
}

impl Derivations {
    /// For so many pieces; none are kept of more than 16 million.
    pub fn new(pieces: usize) -> Self {
        let pieces = if pieces > us64(ID_MASK) { 0 } else { pieces };
        Self { rows: (0..pieces).map(|_| Row::default()).collect() }
    }

    /// Whether there is room for the history of a piece.
    pub fn holds(&self, id: u32) -> bool {
        us(id) < self.rows.len()
    }

    /// The history of a piece, if it was found before.
    #[inline(always)]
    pub fn get(&self, id: u32) -> Option<Derivation> {
        let row = self.rows.get(us(id))?;
        let parts = row.parts.load(Ordering::Acquire);
        let way = match parts >> WAY_SHIFT {
            1 => Way::Merged,
            2 => Way::Symbol,
            3 => Way::Unreachable,
            4 => Way::NonMonotone,
            _ => return None,
        };
        let facts = row.facts.load(Ordering::Relaxed);
        Some(Derivation {
            way,
            left: low32(parts & ID_MASK),
            right: low32(parts >> ID_BITS & ID_MASK),
            left_len: us64(parts >> LENGTH_SHIFT & 0xFF),
            order: low32(facts >> 32),
            base: low32(facts),
        })
    }

    /// Keeps the history of a piece whose left part has less than 256 bytes. All threads find the same.
    pub fn set(&self, id: u32, derivation: Derivation) {
        let Some(row) = self.rows.get(us(id)) else { return };
        let way = match derivation.way {
            Way::Merged => 1,
            Way::Symbol => 2,
            Way::Unreachable => 3,
            Way::NonMonotone => 4,
        };
        let length = u64_of(derivation.left_len) & 0xFF;
        let parts = u64::from(derivation.right) << ID_BITS | u64::from(derivation.left);
        row.facts.store(u64::from(derivation.order) << 32 | u64::from(derivation.base), Ordering::Relaxed);
        row.parts.store(way << WAY_SHIFT | length << LENGTH_SHIFT | parts, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_comes_back() {
        let derivations = Derivations::new(3);
        assert!(derivations.get(1).is_none() && derivations.get(3).is_none() && !derivations.holds(3));
        let merged =
            Derivation { left: 0xFF_FFFF, right: 7, left_len: 255, order: u32::MAX, ..Derivation::of(Way::Merged, 9) };
        for (id, derivation) in
            [(0, Derivation::of(Way::Symbol, 1 << 27)), (1, merged), (2, Derivation::of(Way::NonMonotone, 5))]
        {
            derivations.set(id, derivation);
            let found = derivations
                .get(id)
                .map(|found| (found.way, found.left, found.right, found.left_len, found.order, found.base));
            let Derivation { way, left, right, left_len, order, base } = derivation;
            assert_eq!(found, Some((way, left, right, left_len, order, base)));
        }
        assert!(!Derivations::new(1 << 25).holds(0));
    }
}
