//! Derivations of pieces: for each the last merge that makes it, found on first use and cached for all threads.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::util::{low32, u64_of, us, us64};

/// The derivation of one piece in sixteen bytes, so that it lies on one cache line.
#[derive(Default)]
struct Row {
    /// From the top: kind, length of the left part, right part, left part. 0 if not computed yet.
    parts: AtomicU64,
    /// Rank order of the last merge above, the piece's trie base below.
    facts: AtomicU64,
}

const ID_BITS: u32 = 24;
const ID_MASK: u64 = (1 << ID_BITS) - 1;
const LENGTH_SHIFT: u32 = 2 * ID_BITS;
const WAY_SHIFT: u32 = LENGTH_SHIFT + 8;

/// The kinds of derivations.
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

/// The derivation of one piece.
#[derive(Clone, Copy, Debug)]
pub struct Derivation {
    /// Its kind.
    pub way: Way,
    /// Left part, of a merged piece.
    pub left: u32,
    /// Right part, of a merged piece.
    pub right: u32,
    /// Length of the left part.
    pub left_len: usize,
    /// 0 for a symbol, else one more than the rank of the last merge, as far as 32 bits go.
    pub order: u32,
    /// The base of the piece's trie node.
    pub base: u32,
}

impl Derivation {
    /// A piece that is not the result of a merge.
    pub const fn of(way: Way, base: u32) -> Self {
        Self { way, left: 0, right: 0, left_len: 0, order: 0, base }
    }
}

/// The derivations of all pieces.
pub struct Derivations {
    rows: Vec<Row>,
}

impl Derivations {
    /// For `pieces` pieces; nothing is cached for vocabularies of more than 16 million.
    pub fn new(pieces: usize) -> Self {
        let pieces = if pieces > us64(ID_MASK) { 0 } else { pieces };
        Self { rows: (0..pieces).map(|_| Row::default()).collect() }
    }

    /// Whether the derivation of a piece can be cached.
    pub fn holds(&self, id: u32) -> bool {
        us(id) < self.rows.len()
    }

    /// The derivation of a piece, if it is cached.
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

    /// Caches the derivation of a piece whose left part has less than 256 bytes. All threads compute the same value.
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
