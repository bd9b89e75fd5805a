//! A byte trie in one array of 8-byte nodes (an XOR double array).
//!
//! The child of a node over byte `b` stands at `base ^ b` and carries `b` as its label. No two nodes share a base, so the
//! label alone proves the parent. Childless nodes point at a block that stays empty.

use crate::util::{low32, low8, prefetch, report, u32_of, us, Column, Error, Result};

/// A node: base in bits 0–27, label in bits 28–36 (256 = empty slot), value + 1 in bits 37–63.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Node(u64);

const BASE_BITS: u32 = 28;
const LABEL_SHIFT: u32 = BASE_BITS;
const VALUE_SHIFT: u32 = BASE_BITS + 9;
const BASE_MASK: u64 = (1 << BASE_BITS) - 1;
const EMPTY: u64 = 256 << LABEL_SHIFT;
/// A base without children.
pub(crate) const DEAD_BASE: u32 = 256;

/// Values must be below this.
pub const MAX_VALUE: u32 = (1 << 27) - 2;

impl From<u64> for Node {
    fn from(bits: u64) -> Self {
        Self(bits)
    }
}

impl Node {
    fn new(base: u32, label: u8, value: Option<u32>) -> Self {
        let value = value.map_or(0, |value| u64::from(value) + 1);
        Self(u64::from(base) | u64::from(label) << LABEL_SHIFT | value << VALUE_SHIFT)
    }

    /// The base of its children; unique per node.
    pub(crate) const fn base(self) -> u32 {
        low32(self.0 & BASE_MASK)
    }

    /// The byte that leads to it; unspecified for the root and empty slots.
    pub(crate) const fn label(self) -> u8 {
        low8(low32(self.0 >> LABEL_SHIFT))
    }

    /// Whether a byte leads to it.
    pub(crate) fn is(self, byte: u8) -> bool {
        self.0 >> LABEL_SHIFT & 0x1FF == u64::from(byte)
    }

    /// A node after known bytes: its base, and one more than the value of the key that ends there, or 0.
    #[inline(always)]
    pub fn after(base: u32, number: u32) -> Self {
        Self(u64::from(base) | u64::from(number) << VALUE_SHIFT)
    }

    /// Whether no byte leads to it, as for the root and empty slots.
    pub const fn is_empty(self) -> bool {
        self.0 & EMPTY != 0
    }

    /// The value of the key that ends here, plus one; 0 if none does.
    pub fn number(self) -> u32 {
        low32(self.0 >> VALUE_SHIFT)
    }

    /// The value of the key that ends here.
    pub fn value(self) -> Option<u32> {
        self.number().checked_sub(1)
    }
}

/// The trie.
#[derive(Default)]
pub struct Trie {
    pub(crate) nodes: Column<u64>,
}

/// The trie, borrowed once per call: each step is one load.
#[derive(Clone, Copy)]
pub struct TrieView<'a> {
    nodes: &'a [u64],
}

impl<'a> TrieView<'a> {
    /// Where every walk begins.
    #[inline(always)]
    pub fn root(&self) -> Node {
        Node(self.nodes.first().copied().unwrap_or(EMPTY))
    }

    /// The child over a byte, if there is one.
    #[inline(always)]
    pub fn step(&self, node: Node, byte: u8) -> Option<Node> {
        let next = *self.nodes.get(us(node.base() ^ u32::from(byte)))?;
        Node(next).is(byte).then_some(Node(next))
    }

    /// The child over a byte, or a node without children and value.
    #[inline(always)]
    pub fn step_or_dead(&self, node: Node, byte: u8) -> Node {
        self.step(node, byte).unwrap_or(Node::after(DEAD_BASE, 0))
    }

    /// The node that some bytes lead to from another, if there is one.
    #[inline(always)]
    pub fn walk(&self, mut node: Node, bytes: &[u8]) -> Option<Node> {
        for &byte in bytes {
            node = self.step(node, byte)?;
        }
        Some(node)
    }

    /// The value of exactly this key.
    pub fn find(&self, key: &[u8]) -> Option<u32> {
        self.walk(self.root(), key)?.value()
    }

    /// Prefetches the child of a base over a byte.
    #[inline(always)]
    pub fn prefetch(&self, base: u32, byte: u8) {
        prefetch(self.nodes, us(base ^ u32::from(byte)));
    }

    /// The base of the node that a string leads to, for [`TrieView::find_behind`]; `None` if no key begins with it.
    pub fn base_of(&self, text: &[u8]) -> Option<u32> {
        self.walk(self.root(), text).map(Node::base)
    }

    /// Continues from the base of one string over the bytes `rest`: the base there, and one more than the value of the
    /// key that ends there, or 0.
    pub fn walk_from(&self, base: u32, rest: &[u8]) -> Option<(u32, u32)> {
        let node = self.walk(Node(u64::from(base)), rest)?;
        Some((node.base(), node.number()))
    }

    /// The value of the key that is a string followed by `rest`, given the string's [`TrieView::base_of`].
    pub fn find_behind(&self, base: u32, rest: &[u8]) -> Option<u32> {
        self.walk_from(base, rest)?.1.checked_sub(1)
    }

    /// Follows a text from a node as far as keys go. For each byte: the number of bytes read, and the node there.
    #[inline(always)]
    pub fn nodes<'t>(self, from: Node, text: &'t [u8]) -> impl Iterator<Item = (usize, Node)> + 't
    where
        'a: 't,
    {
        let (trie, mut node): (TrieView<'t>, Node) = (self, from);
        (1..).zip(text).map_while(move |(length, &byte)| {
            node = trie.step(node, byte)?;
            Some((length, node))
        })
    }

    /// Length and value of each key that a text from a node on begins with, the shortest first.
    #[inline(always)]
    pub fn keys<'t>(self, from: Node, text: &'t [u8]) -> impl Iterator<Item = (usize, u32)> + 't
    where
        'a: 't,
    {
        self.nodes(from, text).filter_map(|(length, node)| Some((length, node.value()?)))
    }

    /// Calls `visit` with length and value of each key that `text` begins with, the shortest first.
    pub fn each_prefix(&self, text: &[u8], mut visit: impl FnMut(usize, u32)) {
        self.keys(self.root(), text).for_each(|(length, value)| visit(length, value));
    }

    /// Length and value of the longest key that `text` begins with, among the `limit` shortest ones.
    pub fn longest_prefix(&self, text: &[u8], limit: usize) -> Option<(usize, u32)> {
        self.keys(self.root(), text).take(limit).last()
    }
}

impl Trie {
    /// Builds from keys in ascending order, none of them empty.
    pub fn build(keys: &[(&[u8], u32)]) -> Result<Self> {
        let mut builder = Builder::new();
        builder.build(keys)?;
        Ok(Self { nodes: Column::in_few_pages(builder.nodes) })
    }

    /// Takes stored nodes. Any content is memory-safe to walk; only the checksum can tell that it is right.
    pub const fn from_nodes(nodes: Column<u64>) -> Self {
        Self { nodes }
    }

    /// Whether the trie holds no key at all.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Borrows it for walking.
    pub fn view(&self) -> TrieView<'_> {
        TrieView { nodes: &self.nodes }
    }
}

/// Free slots that are tried for a node with several children before a new block is opened.
const TRIES: usize = 48;

struct Builder {
    nodes: Vec<u64>,
    /// Bases already given away, one bit per slot.
    taken: Vec<u64>,
    /// Free slots as a doubly linked ring through slot 0, which is never free.
    next: Vec<u32>,
    prev: Vec<u32>,
}

impl Builder {
    fn new() -> Self {
        let mut builder = Self { nodes: Vec::new(), taken: Vec::new(), next: Vec::new(), prev: Vec::new() };
        builder.grow();
        builder.grow();
        // Slot 0 is the root; block 1 stays empty for childless nodes.
        for slot in DEAD_BASE..DEAD_BASE + 256 {
            builder.unlink(slot);
            builder.take_base(slot);
        }
        builder
    }

    fn grow(&mut self) {
        let start = u32_of(self.nodes.len());
        self.nodes.resize(self.nodes.len() + 256, EMPTY);
        self.taken.resize(self.taken.len() + 4, 0);
        for slot in start..start + 256 {
            self.next.push(slot + 1);
            self.prev.push(slot.wrapping_sub(1));
        }
        let last = start + 255;
        if start > 0 {
            let tail = self.prev[0];
            (self.next[us(tail)], self.prev[us(start)]) = (start, tail);
        }
        (self.next[us(last)], self.prev[0]) = (0, last);
    }

    /// Takes a slot out of the ring; one that was taken out before stays so.
    fn unlink(&mut self, slot: u32) {
        let (next, prev) = (self.next[us(slot)], self.prev[us(slot)]);
        if self.next[us(prev)] == slot && self.prev[us(next)] == slot {
            (self.next[us(prev)], self.prev[us(next)]) = (next, prev);
        }
    }

    fn is_free(&self, slot: u32) -> bool {
        slot != 0 && self.nodes[us(slot)] == EMPTY && slot >> 8 != DEAD_BASE >> 8
    }

    fn take_base(&mut self, base: u32) {
        self.taken[us(base >> 6)] |= 1 << (base & 63);
    }

    fn is_taken(&self, base: u32) -> bool {
        self.taken[us(base >> 6)] >> (base & 63) & 1 == 1
    }

    fn fits(&self, base: u32, labels: &[u8]) -> bool {
        !self.is_taken(base) && labels.iter().all(|&label| self.is_free(base ^ u32::from(label)))
    }

    fn find_base(&mut self, labels: &[u8]) -> Result<u32> {
        let first = u32::from(labels[0]);
        let mut slot = self.next[0];
        let mut tried = 0;
        while slot != 0 && tried < TRIES {
            if self.fits(slot ^ first, labels) {
                return Ok(slot ^ first);
            }
            slot = self.next[us(slot)];
            tried += 1;
        }
        // Slots that were hard to fill are abandoned, so that the search stays short.
        if tried == TRIES && labels.len() > 1 {
            for _ in 0..TRIES / 4 {
                let head = self.next[0];
                if head != 0 && self.nodes.len() > 1024 && us(head) + 512 < self.nodes.len() {
                    self.unlink(head);
                }
            }
        }
        let start = self.nodes.len();
        if start + 256 > us(low32(BASE_MASK)) {
            return Err(Error::new(
                "spec-pieces",
                "the vocabulary has more than 268 million trie nodes; use a smaller one",
            ));
        }
        self.grow();
        Ok(u32_of(start))
    }

    fn build(&mut self, keys: &[(&[u8], u32)]) -> Result<()> {
        let mut labels: Vec<u8> = Vec::with_capacity(256);
        let mut starts: Vec<usize> = Vec::with_capacity(257);
        // (slot of the node, its label, first key, end key, depth)
        let mut work: Vec<(u32, u8, usize, usize, usize)> = vec![(0, 0, 0, keys.len(), 0)];
        while let Some((slot, label, mut first, end, depth)) = work.pop() {
            // Work done here: the keys of the node, and the slots tried.
            report(end - first + TRIES);
            // Of equal keys, which only a damaged file brings, the first counts.
            let whole = keys[first..end].iter().take_while(|key| key.0.len() == depth);
            let value = whole.clone().next().map(|key| key.1);
            first += whole.count();
            labels.clear();
            starts.clear();
            for (offset, (key, _)) in keys[first..end].iter().enumerate() {
                if labels.last() != Some(&key[depth]) {
                    labels.push(key[depth]);
                    starts.push(first + offset);
                }
            }
            if labels.is_empty() {
                self.nodes[us(slot)] = Node::new(DEAD_BASE, label, value).0;
                continue;
            }
            let base = self.find_base(&labels)?;
            self.take_base(base);
            // The root has no parent: with a label of its own, a node of base 0 would reach it over a NUL byte.
            self.nodes[us(slot)] = Node::new(base, label, value).0 | if slot == 0 { EMPTY } else { 0 };
            starts.push(end);
            for (index, &child) in labels.iter().enumerate().rev() {
                let at = base ^ u32::from(child);
                // Claimed now so that no other node takes the slot; filled in when the node is processed.
                self.unlink(at);
                self.nodes[us(at)] = Node::new(DEAD_BASE, child, None).0;
                work.push((at, child, starts[index], starts[index + 1], depth + 1));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(keys: &[&[u8]]) {
        let mut sorted: Vec<(&[u8], u32)> = keys.iter().enumerate().map(|(i, k)| (*k, u32_of(i))).collect();
        sorted.sort_unstable();
        sorted.dedup_by(|a, b| a.0 == b.0);
        let trie = Trie::build(&sorted).unwrap_or_default();
        for (key, value) in &sorted {
            assert_eq!(trie.view().find(key), Some(*value), "{key:?}");
            let mut longer = key.to_vec();
            longer.push(7);
            assert_eq!(trie.view().find(&longer), sorted.iter().find(|(k, _)| *k == &longer[..]).map(|(_, v)| *v));
        }
        assert_eq!(trie.view().find(b""), None);
    }

    #[test]
    fn finds_what_was_put_in_and_nothing_else() {
        check(&[b"a", b"ab", b"abc", b"b", b"\xe2\x96\x81", b"\xff\xff", b"\x00", b"\x00\x00"]);
        check(&[]);
        let mut state = 1u64;
        let mut keys: Vec<Vec<u8>> = Vec::new();
        for _ in 0..20_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let length = 1 + us(low32(state >> 33)) % 6;
            keys.push((0..length).map(|i| crate::util::cast::low8(low32(state >> (8 * i + 3))) % 37).collect());
        }
        check(&keys.iter().map(Vec::as_slice).collect::<Vec<_>>());
    }

    #[test]
    fn longest_prefix_counts_matches() {
        let keys: [(&[u8], u32); 3] = [(b"a", 0), (b"aa", 1), (b"aaaa", 2)];
        let trie = Trie::build(&keys).unwrap_or_default();
        assert_eq!(trie.view().longest_prefix(b"aaaaa", 64), Some((4, 2)));
        assert_eq!(trie.view().longest_prefix(b"aaaaa", 2), Some((2, 1)));
        assert_eq!(trie.view().longest_prefix(b"b", 64), None);
    }
}
