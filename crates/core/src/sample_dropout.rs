//! BPE-dropout by what came of the same coins before.
//!
//! Which merges come up in a unit depends on its text and on the coins that were tossed so far, and on nothing else. So the
//! outcomes of a unit are a tree: at each node a coin is tossed, and at each leaf stand ids. The branches that were walked are
//! kept; a unit that goes where none did before is merged.

use crate::cast::{u32_of, us};
use crate::lattice::ready::PADDING;
use crate::random::{limit, Coins, Seed};
use crate::scratch::{Learned, Scratch, Unit};
use crate::tokenizer::Tokenizer;

/// Units looked up at a time.
const GROUP: usize = 64;
/// Longest unit in bytes that is kept.
const MAX_KEPT: usize = 63;
/// Trees may take so many words before all are forgotten.
const MOST_WORDS: usize = 8 << 20;
/// Set in what leads to a leaf.
const LEAF: u32 = 1 << 31;
/// In the place of a branch that nothing is known of.
const UNKNOWN: u32 = 0;
/// In the place of a tree: the unit is not kept.
const NOT_KEPT: u32 = LEAF - 1;

/// The trees of units, at one share.
pub struct Dropping {
    share: f64,
    learned: Learned,
    /// Where each coin leads: one that falls so that a merge is made, and one by which it is passed over.
    nodes: Vec<[u32; 2]>,
    /// How many ids, and the ids.
    leaves: Vec<u32>,
    coins: Vec<bool>,
    found: Vec<(u32, u32)>,
}

impl Dropping {
    fn new(slots: usize, share: f64) -> Self {
        let mut dropping = Self {
            share,
            learned: Learned::new(slots),
            nodes: Vec::new(),
            leaves: Vec::new(),
            coins: Vec::new(),
            found: Vec::new(),
        };
        dropping.forget();
        dropping
    }

    fn forget(&mut self) {
        self.learned.clear();
        self.nodes.clear();
        self.nodes.push([UNKNOWN; 2]);
        self.leaves.clear();
        self.leaves.resize(PADDING + 1, 0);
    }

    fn is_full(&self) -> bool {
        self.learned.is_nearly_full(GROUP) || 2 * self.nodes.len() + self.leaves.len() > MOST_WORDS
    }

    /// Walks a tree; writes the ids of the leaf to the beginning of `out`, which must have room for one a byte and [`PADDING`],
    /// and returns how many they are. Nothing if nobody went that way before.
    #[inline(always)]
    fn walk(&self, tree: u32, mut coins: Coins, out: &mut [u32]) -> Option<usize> {
        let mut at = tree;
        while at & LEAF == 0 {
            // Nothing leads to the node that stands for what is unknown, or for what is not kept.
            at = self.nodes.get(us(at)).filter(|_| at != UNKNOWN)?[usize::from(coins.toss())];
        }
        let leaf = self.leaves.get(us(at & !LEAF)..)?;
        let (&count, ids) = leaf.split_first()?;
        *out.first_chunk_mut::<PADDING>()? = *ids.first_chunk()?;
        if us(count) > PADDING {
            out.get_mut(..us(count))?.copy_from_slice(ids.get(..us(count))?);
        }
        Some(us(count))
    }

    /// Adds the way of the coins that were tossed last to a tree, or to none; returns the tree.
    fn add(&mut self, tree: u32, ids: &[u32]) -> u32 {
        let leaf = LEAF | u32_of(self.leaves.len() - PADDING);
        self.leaves.truncate(self.leaves.len() - PADDING);
        self.leaves.push(u32_of(ids.len()));
        self.leaves.extend_from_slice(ids);
        self.leaves.extend([0; PADDING]);
        let Self { nodes, coins, .. } = self;
        let Some((&last, before)) = coins.split_last() else { return leaf };
        let grown = |nodes: &mut Vec<[u32; 2]>| {
            nodes.push([UNKNOWN; 2]);
            u32_of(nodes.len() - 1)
        };
        let tree = if tree == UNKNOWN { grown(nodes) } else { tree };
        let mut at = us(tree);
        for &coin in before {
            if nodes[at][usize::from(coin)] == UNKNOWN {
                nodes[at][usize::from(coin)] = grown(nodes);
            }
            at = us(nodes[at][usize::from(coin)]);
        }
        nodes[at][usize::from(last)] = leaf;
        tree
    }
}

impl Tokenizer {
    /// Draws the ids of the fragment in the scratch, where merges are passed over with probability `share`; what may hold an
    /// unknown, or is long, is given to `emit`, which says whether it does.
    pub(crate) fn drop_quickly(
        &self,
        share: f64,
        (seed, fragment): (Seed, u64),
        scratch: &mut Scratch,
        ids: &mut Vec<u32>,
        emit: &mut impl FnMut(&[u8], &[(u32, u32)], &mut Vec<u32>) -> bool,
    ) {
        let mut starts = std::mem::take(&mut scratch.starts);
        let normalized = std::mem::take(&mut scratch.normalized);
        self.unit_bounds(&normalized, &mut starts);
        let slots = scratch.learned.most();
        let kept = scratch.dropping.take().filter(|dropping| dropping.share == share);
        let mut dropping = kept.unwrap_or_else(|| Box::new(Dropping::new(slots, share)));
        let (text, limit) = (&normalized.bytes, limit(share));
        let (mut units, mut count) = ([Unit::default(); GROUP], ids.len());
        for first in (0..starts.len() - 1).step_by(GROUP) {
            let group = &starts[first..starts.len().min(first + GROUP + 1)];
            // Between groups, since what is forgotten cannot be gone on from.
            if dropping.is_full() {
                dropping.forget();
            }
            for (unit, pair) in units.iter_mut().zip(group.windows(2)) {
                *unit = Unit::load(text, pair[0].at, pair[1].at - pair[0].at);
                dropping.learned.prefetch(unit);
            }
            for unit in &units[..group.len() - 1] {
                let bytes = &text[us(unit.start)..us(unit.start + unit.len)];
                let known = dropping.learned.numbers(unit, bytes).and_then(|list| list.first().copied());
                let coins = || Coins::new(seed.numbers(fragment, u64::from(unit.start)), limit);
                ids.resize(count + bytes.len() + PADDING, 0);
                let out = ids.get_mut(count..).unwrap_or_default();
                if let Some(copied) = dropping.walk(known.unwrap_or(UNKNOWN), coins(), out) {
                    count += copied;
                    continue;
                }
                ids.truncate(count);
                let mut coins = coins();
                let Dropping { coins: tossed, found, .. } = &mut *dropping;
                tossed.clear();
                found.clear();
                let passes = || {
                    tossed.push(coins.toss());
                    tossed.last() == Some(&true)
                };
                self.drop_out(bytes, share, passes, &mut scratch.buffers, found);
                let has_unknown = emit(bytes, &dropping.found, ids);
                let is_kept = bytes.len() <= MAX_KEPT && known != Some(NOT_KEPT);
                let tree = match known {
                    _ if !is_kept || has_unknown => NOT_KEPT,
                    _ => dropping.add(known.unwrap_or(UNKNOWN), &ids[count..]),
                };
                if known.is_none() {
                    dropping.learned.learn(unit, bytes, &[tree], 0);
                }
                count = ids.len();
            }
        }
        ids.truncate(count);
        scratch.dropping = Some(dropping);
        (scratch.starts, scratch.normalized) = (starts, normalized);
    }
}
