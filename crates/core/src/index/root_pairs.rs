//! A table of the trie nodes after each pair of first bytes: most walks within words are short, and these two steps are
//! most of their cost.

use crate::index::double_array::{TrieView, DEAD_BASE};
use crate::util::u32_of;

/// Number of byte values.
const BYTES: usize = 256;

/// The trie node after two bytes.
#[derive(Clone, Copy, Default)]
pub struct Opening {
    /// The base there, for [`TrieView::walk_from`]; the dead base if no longer key begins with them.
    pub base: u32,
    /// One more than the value of the two-byte key, or 0.
    pub number: u32,
}

/// All pairs of bytes.
pub struct RootTransitions {
    singles: [u32; BYTES],
    pairs: Vec<Opening>,
}

impl RootTransitions {
    /// Precomputes all pairs.
    pub fn build(trie: TrieView<'_>) -> Self {
        let (mut singles, mut pairs) = ([0; BYTES], Vec::with_capacity(BYTES * BYTES));
        let walk = |base: u32, byte: u8| {
            let (base, number) = trie.walk_from(base, &[byte]).unwrap_or((DEAD_BASE, 0));
            Opening { base, number }
        };
        for (first, single) in (0..=u8::MAX).zip(&mut singles) {
            let opening = walk(trie.root().base(), first);
            *single = opening.number;
            pairs.extend((0..=u8::MAX).map(|second| walk(opening.base, second)));
        }
        debug_assert_eq!(u32_of(pairs.len()), 1 << 16);
        Self { singles, pairs }
    }

    /// One more than the value of the one-byte key, or 0.
    pub fn single(&self, byte: u8) -> u32 {
        self.singles[usize::from(byte)]
    }

    /// The trie node after two bytes.
    pub fn pair(&self, first: u8, second: u8) -> Opening {
        self.pairs.get(usize::from(first) << 8 | usize::from(second)).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::double_array::Trie;

    #[test]
    fn they_are_what_two_steps_find() {
        let keys: [(&[u8], u32); 5] = [(b"a", 0), (b"ab", 1), (b"abc", 2), (b"b\0", 3), (b"\xFF\xFE", 4)];
        let trie = Trie::build(&keys).unwrap_or_default();
        let root_transitions = RootTransitions::build(trie.view());
        for first in 0..=u8::MAX {
            let single = trie.view().walk_from(trie.view().root().base(), &[first]);
            assert_eq!(root_transitions.single(first), single.map_or(0, |(_, number)| number));
            for second in 0..=u8::MAX {
                let found = trie.view().walk_from(trie.view().root().base(), &[first, second]);
                let opening = root_transitions.pair(first, second);
                assert_eq!((opening.base, opening.number), found.unwrap_or((DEAD_BASE, 0)), "{first} {second}");
            }
        }
        assert_eq!(root_transitions.pair(b'a', b'b').number, 2);
    }
}
