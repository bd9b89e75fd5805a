//! A table of the trie nodes after each pair of first bytes: most walks within words are short, and these two steps are
//! most of their cost.

use crate::index::double_array::{Node, TrieView, DEAD_BASE};

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

impl Opening {
    /// The node itself.
    #[inline(always)]
    pub fn node(self) -> Node {
        Node::after(self.base, self.number)
    }
}

/// All pairs of bytes.
pub struct RootTransitions {
    singles: [u32; BYTES],
    pairs: Vec<Opening>,
}

impl RootTransitions {
    /// Precomputes all pairs.
    pub fn build(trie: TrieView<'_>) -> Self {
        let mut singles = [0; BYTES];
        let mut pairs = vec![Opening { base: DEAD_BASE, number: 0 }; BYTES * BYTES];
        for ((first, single), row) in (0..=u8::MAX).zip(&mut singles).zip(pairs.chunks_exact_mut(BYTES)) {
            let Some((base, number)) = trie.walk_from(trie.root().base(), &[first]) else { continue };
            *single = number;
            for (second, opening) in (0..=u8::MAX).zip(row).filter(|_| base != DEAD_BASE) {
                if let Some((base, number)) = trie.walk_from(base, &[second]) {
                    *opening = Opening { base, number };
                }
            }
        }
        Self { singles, pairs }
    }

    /// One more than the value of the one-byte key, or 0.
    #[inline(always)]
    pub fn single(&self, byte: u8) -> u32 {
        self.singles[usize::from(byte)]
    }

    /// The trie node after two bytes.
    #[inline(always)]
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
