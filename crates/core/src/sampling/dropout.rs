//! BPE-dropout with a cache of decision trees per unit.
//!
//! Which merges are candidates in a unit depends only on its text and on the earlier Bernoulli trials. So the outcomes
//! of a unit form a tree: each node is a trial, and each leaf has ids. The branches that were taken are cached; a unit
//! that takes a new branch is merged.

use crate::sampling::cache::PADDING;
use crate::sampling::Sampled;
use crate::segment::{Buffers, Mode};
use crate::units::cache::{Arena, UnitCache};
use crate::units::key::{Cut, Unit};
use crate::util::huge_page_vec::HugePageVec;
use crate::util::rng::{limit, BlockTrials, Seed, Trials, MAX_TRIALS};
use crate::util::{prefetch, report, u32_of, us};

/// Number of units looked up at a time.
const GROUP: usize = 64;
/// Longest unit in bytes that is cached.
const MAX_KEPT: usize = 63;
/// Maximum bytes of all trees before they are cleared.
const MAX_CACHE_BYTES: usize = 32 << 20;
/// Flag of a reference to a leaf.
const LEAF: u32 = 1 << 31;
/// Marks a branch that was not taken yet.
const UNKNOWN: u32 = 0;
/// Marks a unit that is not cached, in place of a tree.
const NOT_KEPT: u32 = LEAF - 1;

/// The cache entry of a unit: its tree; the leaf of the path on which no merge is skipped, if it was taken, and the
/// bits of its trials.
type Known = [u32; 3];

/// The decision trees of units.
#[derive(Default)]
struct Trees {
    /// The children of each node: if the merge is made, and if it is skipped.
    nodes: HugePageVec<[u32; 2]>,
    /// The number of ids, and the ids.
    leaves: HugePageVec<u32>,
}

impl Arena for Trees {
    fn bytes(&self) -> usize {
        size_of::<[u32; 2]>() * self.nodes.len() + size_of::<u32>() * self.leaves.len()
    }

    fn clear(&mut self) {
        self.nodes.truncate(0);
        self.nodes.extend(&[[UNKNOWN; 2]]);
        self.leaves.truncate(0);
        self.leaves.extend(&[0; PADDING + 1]);
    }
}

/// The trees of units, at one dropout probability.
pub struct DropoutCache {
    /// The probability that a merge is skipped.
    pub(crate) share: f64,
    cache: UnitCache<Trees>,
    trials: Vec<bool>,
    found: Vec<(u32, u32)>,
}

impl DropoutCache {
    /// For merges that are skipped with probability `share`, with a cache of `slots` slots.
    pub fn new(slots: usize, share: f64) -> Self {
        let mut cache = UnitCache::<Trees>::new(slots);
        cache.values.clear();
        Self { share, cache, trials: Vec::new(), found: Vec::new() }
    }

    /// Walks a tree; returns the leaf, or `None` if that branch is not cached.
    fn walk(&self, tree: u32, mut trials: Trials) -> Option<u32> {
        let mut at = tree;
        while at & LEAF == 0 {
            // No branch leads to the node that represents an unknown branch, or an uncached unit.
            at = self.cache.values.nodes.get(us(at)).filter(|_| at != UNKNOWN)?[usize::from(trials.next_trial())];
        }
        Some(at)
    }

    /// Walks the trees of units, interleaved so that their cache misses overlap, and prefetches their leaves;
    /// [`UNKNOWN`] where the branch is not cached or long.
    #[inline(never)]
    fn walk_all(&self, units: &[Unit], trees: &[Known], trials: &BlockTrials, leaves: &mut [u32; GROUP]) {
        // Unfinished walks: the bits of their trials, and their indices in the group.
        let (mut walks, mut count) = ([(0, 0); GROUP], 0);
        for (number, ((unit, &[tree, unskipped, bits]), leaf)) in units.iter().zip(trees).zip(&mut *leaves).enumerate()
        {
            *leaf = tree;
            // A leaf is reached without a trial where there is nothing to merge.
            if tree & LEAF != 0 || tree == UNKNOWN || tree == NOT_KEPT {
                continue;
            }
            let Some(outcomes) = trials.outcomes(u64::from(unit.start)) else {
                *leaf = UNKNOWN;
                continue;
            };
            let skips_none = unskipped != UNKNOWN && outcomes & bits == 0;
            *leaf = if skips_none { unskipped } else { tree };
            walks[count % GROUP] = (outcomes, number);
            count += usize::from(!skips_none);
        }
        for _ in 0..MAX_TRIALS {
            let mut left = 0;
            for walk in 0..count {
                let (outcomes, number) = walks[walk % GROUP];
                let leaf = &mut leaves[number % GROUP];
                *leaf = self.cache.values.nodes.get(us(*leaf)).map_or(UNKNOWN, |node| node[us(outcomes & 1)]);
                walks[left % GROUP] = (outcomes >> 1, number);
                left += usize::from((*leaf & LEAF == 0) & (*leaf != UNKNOWN));
            }
            count = left;
        }
        for leaf in leaves {
            *leaf = if *leaf & LEAF == 0 { UNKNOWN } else { *leaf };
            prefetch(&self.cache.values.leaves, us(*leaf & !LEAF));
        }
    }

    /// Writes the ids of a leaf to the beginning of `out`, and returns their number. `None` if there is no room for
    /// them and for [`PADDING`].
    #[inline(always)]
    fn copy(&self, leaf: u32, out: &mut [u32]) -> Option<usize> {
        if leaf == UNKNOWN {
            return None;
        }
        let leaf = self.cache.values.leaves.get(us(leaf & !LEAF)..)?;
        let (&count, ids) = leaf.split_first()?;
        *out.first_chunk_mut::<PADDING>()? = *ids.first_chunk()?;
        if us(count) > PADDING {
            out.get_mut(..us(count))?.copy_from_slice(ids.get(..us(count))?);
        }
        Some(us(count))
    }

    /// Finds the trees of units, and prefetches them.
    #[inline(never)]
    fn find(&self, text: &[u8], units: &[Unit], trees: &mut [Known]) {
        for (unit, tree) in units.iter().zip(trees) {
            *tree = self.tree(text, unit).unwrap_or([UNKNOWN; 3]);
            prefetch(&self.cache.values.nodes, us(tree[0]));
        }
    }

    /// The cache entry of a unit.
    fn tree(&self, text: &[u8], unit: &Unit) -> Option<Known> {
        let bytes = text.get(us(unit.start)..us(unit.start + unit.len))?;
        self.cache.numbers(unit, bytes)?.first_chunk().copied()
    }

    /// Adds the branch of the last trials to a tree, or to a new one; returns the tree and the leaf.
    fn add(&mut self, tree: u32, ids: &[u32]) -> (u32, u32) {
        let Self { cache: UnitCache { values: Trees { nodes, leaves }, .. }, trials, .. } = self;
        let leaf = LEAF | u32_of(leaves.len() - PADDING);
        leaves.truncate(leaves.len() - PADDING);
        leaves.extend(&[u32_of(ids.len())]);
        leaves.extend(ids);
        leaves.extend(&[0; PADDING]);
        let Some((&last, before)) = trials.split_last() else { return (leaf, leaf) };
        let grown = |nodes: &mut HugePageVec<[u32; 2]>| {
            nodes.extend(&[[UNKNOWN; 2]]);
            u32_of(nodes.len() - 1)
        };
        let tree = if tree == UNKNOWN { grown(nodes) } else { tree };
        let mut at = us(tree);
        for &trial in before {
            if nodes[at][usize::from(trial)] == UNKNOWN {
                nodes[at][usize::from(trial)] = grown(nodes);
            }
            at = us(nodes[at][usize::from(trial)]);
        }
        nodes[at][usize::from(last)] = leaf;
        (tree, leaf)
    }

    /// Samples the units of a text that begin at `starts`, the last of which is its end; appends the ids. Units that
    /// may contain an unknown, or are long, are not cached.
    pub fn sample(
        &mut self,
        (text, starts): (&[u8], &[Cut]),
        (seed, fragment): (Seed, u64),
        buffers: &mut Buffers,
        out: &mut Sampled<'_>,
    ) {
        let limit = limit(self.share);
        let trials = BlockTrials::new(seed, fragment, limit);
        let (mut units, mut count) = ([Unit::default(); GROUP], out.ids.len());
        let (mut trees, mut leaves) = ([[UNKNOWN; 3]; GROUP], [UNKNOWN; GROUP]);
        for first in (0..starts.len() - 1).step_by(GROUP) {
            report(GROUP * 4);
            // Between groups, since walks cannot continue in cleared trees.
            self.cache.make_room(GROUP, MAX_CACHE_BYTES);
            let units = self.cache.load(text, &starts[first..], &mut units);
            self.find(text, units, &mut trees);
            self.walk_all(units, &trees, &trials, &mut leaves);
            // Mostly a unit has at most as many ids as bytes; a few more may be written after them.
            let room = units.last().map_or(0, |last| us(last.start + last.len)) - us(units[0].start) + PADDING;
            out.ids.resize(count + room, 0);
            for (unit, &leaf) in units.iter().zip(&leaves) {
                if let Some(copied) = self.copy(leaf, out.ids.get_mut(count..).unwrap_or_default()) {
                    count += copied;
                    continue;
                }
                out.ids.truncate(count);
                let trials = Trials::new(seed.numbers(fragment, u64::from(unit.start)), limit);
                self.sample_uncached((text, unit), trials, buffers, out);
                count = out.ids.len();
                out.ids.resize(count + room, 0);
            }
        }
        out.ids.truncate(count);
    }

    /// Samples a unit whose branch was not cached when its group was looked up.
    #[inline(never)]
    fn sample_uncached(
        &mut self,
        (text, unit): (&[u8], &Unit),
        mut trials: Trials,
        buffers: &mut Buffers,
        out: &mut Sampled<'_>,
    ) {
        let (bytes, count) = (&text[us(unit.start)..us(unit.start + unit.len)], out.ids.len());
        // Another unit of the group may have taken that branch.
        let known = self.tree(text, unit);
        if let Some(leaf) = self.walk(known.map_or(UNKNOWN, |[tree, ..]| tree), trials.clone()) {
            if let Some((&count, leaf)) = self.cache.values.leaves[us(leaf & !LEAF)..].split_first() {
                out.ids.extend_from_slice(&leaf[..us(count)]);
            }
            return;
        }
        let Self { trials: made, found, share, .. } = self;
        made.clear();
        found.clear();
        let passes = || {
            made.push(trials.next_trial());
            made.last() == Some(&true)
        };
        out.segmenter.drop_out(bytes, *share, Mode::Fast, passes, buffers, found);
        let has_unknown = out.emit(bytes, &self.found);
        let tree = known.map_or(UNKNOWN, |[tree, ..]| tree);
        if bytes.len() > MAX_KEPT || tree == NOT_KEPT || has_unknown {
            if known.is_none() {
                self.cache.insert(unit, bytes, &[NOT_KEPT, UNKNOWN, 0], 0);
            }
            return;
        }
        let (tree, leaf) = self.add(tree, &out.ids[count..]);
        // The path on which no merge is skipped is known by the bits of its trials among the first ones of a position.
        let skips_none = self.trials.len() <= MAX_TRIALS && !self.trials.contains(&true);
        let (leaf, bits) = if skips_none { (leaf, (1 << self.trials.len()) - 1) } else { (UNKNOWN, 0) };
        if known.is_none() {
            self.cache.insert(unit, bytes, &[tree, leaf, bits], 0);
        } else if skips_none {
            self.cache.replace_short(unit, [tree, leaf, bits]);
        }
    }
}
