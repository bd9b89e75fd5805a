//! An Aho–Corasick automaton over a byte trie: every key that ends at each position of a text, in one pass.
//!
//! A state is a prefix of some key; after each byte the automaton is in the longest prefix that the text ends with. Its
//! failure *link* is the longest proper suffix that is also a state. The keys that end at a state form a contiguous
//! row, the longest first: its own key, if it is one, then the row of its link. As the link's row is a suffix of that
//! row, most rows are stored within others.

use bytemuck::{Pod, Zeroable};

use crate::index::double_array::{Node, Trie};
use crate::util::huge_page_vec::HugePageVec;
use crate::util::{low32, paced, report, u32_of, u64_of, us};

/// A state, at the slot of its node in the trie.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct State {
    /// Base of its children, and in the high bits the failure link. A state without children has the base of its link.
    ways: u64,
    ending: Ending,
}

const NOWHERE: State = State { ways: 0, ending: Ending { near: 0, label: EMPTY, count: 0 } };

impl State {
    /// The base of its transitions.
    const fn base(self) -> u32 {
        low32(self.ways)
    }

    const fn other(self) -> u32 {
        low32(self.ways >> 32)
    }
}

/// The keys that end at a position.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct Ending {
    /// Index of the element that lies `front.len()` before the end of their row.
    pub near: u32,
    /// The byte that leads to the state.
    label: u16,
    /// The number of keys; the highest bit is set if the state is a single byte.
    count: u16,
}

impl Default for Ending {
    fn default() -> Self {
        NOWHERE.ending
    }
}

/// The label of a slot that no byte leads to.
const EMPTY: u16 = 256;
const SINGLE: u16 = 1 << 15;

impl Ending {
    /// The number of keys.
    pub fn count(self) -> usize {
        usize::from(self.count & !SINGLE)
    }

    /// Whether this position is a boundary: no key begins before the last byte and ends with or after it.
    pub const fn is_bound(self) -> bool {
        self.count & SINGLE != 0
    }
}

/// The automaton of a key set that includes every single byte; `T` is the payload of a key.
pub struct Automaton<T: Pod> {
    states: HugePageVec<State>,
    pub(crate) keys: HugePageVec<T>,
    /// Bytes of the longest key.
    longest: usize,
}

/// A window over concatenated texts.
pub struct Window<'a> {
    /// The bytes of the texts.
    pub text: &'a [u8],
    /// Where the first text begins: at the window's start or before it.
    pub begun: usize,
    /// Ends of the texts that end within the window.
    pub ends: &'a [u32],
    /// The first byte of the window.
    pub first: usize,
    /// The end of the window.
    pub last: usize,
}

/// The state of one of several interleaved passes over a window.
#[derive(Clone, Copy, Default)]
struct Lane {
    /// The `ways` of the current state.
    ways: u64,
    /// The current byte, and the end of the lane.
    at: usize,
    last: usize,
    /// The index of the current text, and where it or the lane ends.
    text: usize,
    end: usize,
}

/// Number of interleaved lanes.
const LANES: usize = 4;
// Lanes that remain are run by threes, pairs and singly.
const _: () = assert!(LANES - 3 == 1);

const ROOT: usize = 0;
const NONE: u32 = u32::MAX;

impl<T: Pod> Automaton<T> {
    /// Builds from a trie; `know` maps a key's value and length to its payload, or refuses. `None` where it refuses, or
    /// some byte is no key. Rows take at most as many elements as keys have bytes; `front` is stored before the first
    /// one.
    pub fn build(trie: &Trie, front: &[T], mut know: impl FnMut(u32, u32) -> Option<T>) -> Option<Self> {
        let (view, nodes): (_, &[u64]) = (trie.view(), &trie.nodes);
        if !(0..=255u8).all(|byte| view.find(&[byte]).is_some()) || nodes.len() % 256 != 0 {
            return None;
        }
        let order = Order::of(trie);
        let longest = order.slots.last().map_or(0, |&slot| us(order.depths[us(slot)]));
        // In a damaged file another node may occupy the slot of a child of the root. Without those no pass would end.
        let singles = order.slots.iter().filter(|&&slot| order.depths[us(slot)] == 1).count();
        if longest >= usize::from(SINGLE) || singles < 256 {
            return None;
        }
        let mut automaton = Self { states: HugePageVec::new(nodes.len()), keys: HugePageVec::default(), longest };
        automaton.states.fill(NOWHERE);
        let (keys, next) = automaton.link(nodes, &order);
        let mut listed = front.to_vec();
        // The longest first, so that the rows of their links are suffixes of theirs.
        let mut rows = vec![NONE; nodes.len()];
        for &slot in paced(order.slots.iter().rev()).filter(|&&slot| keys[us(slot)] == slot) {
            let mut at = if rows[us(slot)] == NONE { slot } else { NONE };
            while at != NONE {
                if rows[us(at)] == NONE {
                    rows[us(at)] = u32::try_from(listed.len()).ok()?;
                }
                let value = Node::from(nodes[us(at)]).value()?;
                listed.push(know(value, order.depths[us(at)])?);
                at = next[us(at)];
            }
        }
        for &slot in paced(order.slots.iter()).filter(|&&slot| keys[us(slot)] != NONE) {
            let ending = &mut automaton.states[us(slot)].ending;
            ending.near = rows[us(keys[us(slot)])] + u32::from(ending.count & !SINGLE) - u32_of(front.len());
        }
        automaton.keys = HugePageVec::new(listed.len());
        automaton.keys.copy_from_slice(&listed);
        Some(automaton)
    }

    /// Builds the states without their rows; returns for each slot the longest key that its string ends with, and the
    /// next longest.
    fn link(&mut self, nodes: &[u64], order: &Order) -> (Vec<u32>, Vec<u32>) {
        let (mut keys, mut next, mut links) =
            (vec![NONE; nodes.len()], vec![NONE; nodes.len()], vec![0u32; nodes.len()]);
        for &slot in paced(order.slots.iter()) {
            let (node, slot) = (Node::from(nodes[us(slot)]), us(slot));
            let link = match order.depths[slot] {
                0 | 1 => ROOT,
                _ => us(self.step(us(links[us(order.parents[slot])]), node.label())),
            };
            let (linked, has_children) = (self.states[link], order.first[slot] != NONE);
            let mut count = linked.ending.count & !SINGLE;
            (keys[slot], next[slot], links[slot]) = (keys[link], keys[link], u32_of(link));
            if node.value().is_some() && slot != ROOT {
                keys[slot] = u32_of(slot);
                count += 1;
            }
            let ways = u64::from(node.base()) | u64_of(link) << 32;
            let label = if slot == ROOT { EMPTY } else { u16::from(node.label()) };
            let count = if order.depths[slot] == 1 { count | SINGLE } else { count };
            let ending = Ending { near: 0, label, count };
            self.states[slot] = State { ways: if has_children { ways } else { linked.ways }, ending };
        }
        (keys, next)
    }

    /// The slot after one more byte; every byte is a key.
    fn step(&self, slot: usize, byte: u8) -> u32 {
        let mut from = self.states[slot];
        loop {
            let slot = from.base() ^ u32::from(byte);
            if self.states[us(slot)].ending.label == u16::from(byte) {
                return slot;
            }
            from = self.states[us(from.other())];
        }
    }

    /// Writes for each byte of a window the keys that end there into `found`. The window is cut into lanes that run
    /// interleaved, so that cache misses of one overlap with the others; the state at a lane's start depends only on as
    /// many bytes as the longest key has.
    pub fn pass(&self, window: &Window<'_>, found: &mut [Ending]) {
        let part = (window.last - window.first) / LANES;
        if part < 3 * self.longest {
            let mut lanes = [self.lane(window, window.first, window.last)];
            return self.go(window, &mut lanes, found);
        }
        let mut lanes = [0; LANES].map(|_| Lane::default());
        for (number, lane) in lanes.iter_mut().enumerate() {
            let start = window.first + number * part;
            *lane = self.lane(window, start, if number + 1 == LANES { window.last } else { start + part });
        }
        self.go(window, &mut lanes, found);
        // Finishes the lanes that have bytes left.
        let lanes = self.go_on::<{ LANES - 1 }>(window, &lanes, found);
        let lanes = self.go_on::<{ LANES - 2 }>(window, &lanes, found);
        self.go_on::<{ LANES - 3 }>(window, &lanes, found);
    }

    /// Continues with the `N` lanes that have the most bytes left, until one ends.
    fn go_on<const N: usize>(&self, window: &Window<'_>, lanes: &[Lane], found: &mut [Ending]) -> [Lane; N] {
        let mut sorted = [Lane::default(); LANES];
        sorted[..lanes.len()].copy_from_slice(lanes);
        sorted.sort_unstable_by_key(|lane| std::cmp::Reverse(lane.last - lane.at));
        let mut lanes = [Lane::default(); N];
        lanes.copy_from_slice(&sorted[..N]);
        self.go(window, &mut lanes, found);
        lanes
    }

    /// A lane of a window; it warms up on the bytes before it, as many as the longest key has or as its text has.
    /// Warm-up bytes within the window are written too: their incomplete results are overwritten by the previous lane,
    /// which reaches them at least two rounds later for each byte.
    fn lane(&self, window: &Window<'_>, start: usize, last: usize) -> Lane {
        let passed = window.ends.partition_point(|&end| us(end) <= start);
        let text = passed.checked_sub(1).map_or(window.begun, |number| us(window.ends[number]));
        let from = text.max(start.saturating_sub(self.longest));
        let at = if start == window.first { start } else { from };
        let slot = window.text[from..at].iter().fold(ROOT, |slot, &byte| us(self.step(slot, byte)));
        let end = window.ends.get(passed).map_or(last, |&end| us(end).min(last));
        let place = |at: usize| at - window.first;
        Lane { ways: self.states[slot].ways, at: place(at), end: place(end), last: place(last), text: passed }
    }

    /// Runs `N` lanes until one ends. The only branch is that end: where a state has no transition, the byte is retried
    /// from the failure link.
    #[inline(always)]
    fn go<const N: usize>(&self, window: &Window<'_>, lanes: &mut [Lane; N], found: &mut [Ending]) {
        let states: &[State] = &self.states;
        let text = &window.text[window.first..window.last];
        let found = &mut found[..text.len()];
        loop {
            for lane in lanes.iter_mut() {
                while lane.at == lane.end && lane.end < lane.last {
                    lane.text += 1;
                    let end = window.ends.get(lane.text).map_or(lane.last, |&end| us(end) - window.first);
                    (lane.ways, lane.end) = (states[ROOT].ways, end.min(lane.last));
                }
            }
            let rounds = lanes.iter().map(|lane| lane.end - lane.at).min().unwrap_or(0);
            if rounds == 0 {
                return;
            }
            for _ in 0..rounds {
                for lane in lanes.iter_mut() {
                    let byte = text[lane.at];
                    let (base, other) = (low32(lane.ways), low32(lane.ways >> 32));
                    let (state, other) = (states[us(base ^ u32::from(byte))], states[us(other)].ways);
                    found[lane.at] = state.ending;
                    let goes_on = state.ending.label == u16::from(byte);
                    lane.ways = other ^ ((other ^ state.ways) & u64::from(goes_on).wrapping_neg());
                    lane.at += usize::from(goes_on);
                }
            }
        }
    }
}

/// The nodes of a trie in breadth-first order.
struct Order {
    slots: Vec<u32>,
    /// By slot: the parent, the depth, and the first child.
    parents: Vec<u32>,
    depths: Vec<u32>,
    first: Vec<u32>,
}

impl Order {
    fn of(trie: &Trie) -> Self {
        let nodes: &[u64] = &trie.nodes;
        let count = nodes.len();
        let at = |slot: usize| Node::from(nodes[slot]);
        // No two nodes with children share a base.
        let mut owners = vec![NONE; count];
        for slot in paced(0..count).filter(|&slot| slot == ROOT || !at(slot).is_empty()) {
            if let Some(owner) = owners.get_mut(us(at(slot).base())) {
                *owner = u32_of(slot);
            }
        }
        let (mut parents, mut first, mut next) = (vec![NONE; count], vec![NONE; count], vec![NONE; count]);
        for slot in paced((1..count).rev()).filter(|&slot| !at(slot).is_empty()) {
            let base = slot ^ usize::from(at(slot).label());
            let parent = owners.get(base).copied().unwrap_or(NONE);
            if parent != NONE {
                parents[slot] = parent;
                (next[slot], first[us(parent)]) = (first[us(parent)], u32_of(slot));
            }
        }
        let (mut slots, mut depths) = (vec![u32_of(ROOT)], vec![0; count]);
        parents[ROOT] = u32_of(ROOT);
        let mut done = 0;
        while let Some(&slot) = slots.get(done) {
            report(64);
            let mut child = first[us(slot)];
            while child != NONE {
                depths[us(child)] = depths[us(slot)] + 1;
                slots.push(child);
                child = next[us(child)];
            }
            done += 1;
        }
        Self { slots, parents, depths, first }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::cast::{low8, us64};

    fn number(state: &mut u64, below: u64) -> u64 {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*state >> 33) % below
    }

    /// Single bytes, and strings of few letters, so that many end in others; each with its value.
    fn keys(state: &mut u64, count: u64, letters: u64, most: u64) -> Vec<Vec<u8>> {
        let mut keys: Vec<Vec<u8>> = (0..=255).map(|byte| vec![byte]).collect();
        for _ in 0..count {
            let length = 2 + number(state, most);
            keys.push((0..length).map(|_| low8(u32_of(us64(number(state, letters))))).collect());
        }
        keys.sort_unstable();
        keys.dedup();
        keys
    }

    fn check(keys: &[Vec<u8>], text: &[u8], ends: &[u32], size: usize) {
        let listed: Vec<(&[u8], u32)> = keys.iter().map(Vec::as_slice).zip(0..).collect();
        let trie = Trie::build(&listed).unwrap_or_default();
        let front = [[u32::MAX, 0]; 3];
        let built = Automaton::build(&trie, &front, |value, length| Some([value, length]));
        assert!(built.is_some(), "each byte is a key");
        let Some(automaton) = built else { return };
        let mut found = vec![Ending::default(); size];
        for first in (0..text.len()).step_by(size) {
            let last = text.len().min(first + size);
            let begins = |at: usize| ends.iter().map(|&end| us(end)).rev().find(|&end| end <= at).unwrap_or(0);
            let inside: Vec<u32> = ends.iter().copied().filter(|&end| us(end) > first && us(end) <= last).collect();
            automaton.pass(&Window { text, begun: begins(first), ends: &inside, first, last }, &mut found);
            for at in first..last {
                let (start, ending) = (begins(at), found[at - first]);
                let expected: Vec<[u32; 2]> = (start..=at)
                    .filter_map(|from| Some([trie.view().find(&text[from..=at])?, u32_of(at + 1 - from)]))
                    .collect();
                let row = us(ending.near) + front.len() - ending.count();
                assert_eq!(&automaton.keys[row..row + ending.count()], expected, "{at}");
                let is_inside = |from: usize| keys.iter().any(|key| key.starts_with(&text[from..=at]));
                assert_eq!(ending.is_bound(), !(start..at).any(is_inside), "{at}");
            }
        }
    }

    #[test]
    fn finds_what_ends_at_each_place() {
        let mut state = 1;
        for (count, letters, most) in [(0, 1, 1), (60, 3, 6), (300, 4, 9), (20, 1, 40), (100, 200, 3)] {
            let keys = keys(&mut state, count, letters, most);
            for (length, size) in [(0, 1), (1, 8), (90, 7), (700, 700), (700, 301)] {
                let text: Vec<u8> = (0..length).map(|_| low8(u32_of(us64(number(&mut state, letters + 1))))).collect();
                let mut ends: Vec<u32> = (0..length / 60)
                    .map(|_| u32_of(us64(number(&mut state, crate::util::cast::u64_of(length)))))
                    .collect();
                ends.sort_unstable();
                check(&keys, &text, &ends, size);
            }
        }
    }

    #[test]
    fn refuses_what_it_cannot_go_through() {
        let keys: Vec<[u8; 1]> = (0..=255).map(|byte| [byte]).collect();
        let mut listed: Vec<(&[u8], u32)> = keys.iter().map(<[u8; 1]>::as_slice).zip(0..).collect();
        let built = |listed: &[(&[u8], u32)], most: u32| {
            let trie = Trie::build(listed).unwrap_or_default();
            Automaton::build(&trie, &[0], |value, _| (value < most).then_some(value)).is_some()
        };
        assert!(built(&listed, 256) && !built(&listed, 255));
        let long = vec![b'a'; 40_000];
        listed.insert(98, (&long, 256));
        assert!(!built(&listed, 300));
        listed.remove(0);
        assert!(!built(&listed, 300));
    }

    #[test]
    fn refuses_a_root_whose_children_another_node_has() {
        let mut state = 3;
        let keys = keys(&mut state, 40, 3, 4);
        let listed: Vec<(&[u8], u32)> = keys.iter().map(Vec::as_slice).zip(0..).collect();
        let good = Trie::build(&listed).unwrap_or_default();
        let root = Node::from(good.nodes[ROOT]).base();
        let (mut refused, mut built) = (0, 0);
        for slot in 1..good.nodes.len() {
            let mut nodes = good.nodes.to_vec();
            nodes[slot] ^= u64::from(Node::from(nodes[slot]).base() ^ root);
            let trie = Trie::from_nodes(nodes.into());
            let Some(automaton) = Automaton::build(&trie, &[0], |value, _| Some(value)) else {
                refused += 1;
                continue;
            };
            built += 1;
            let text = b"\0\x01\x02\xFF".repeat(9);
            let window = Window { text: &text, begun: 0, ends: &[], first: 0, last: text.len() };
            automaton.pass(&window, &mut [Ending::default(); 36]);
        }
        assert!(refused > keys.len() / 2 && built > 0, "{refused} {built}");
    }
}
