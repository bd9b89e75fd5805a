//! A suffix array of all segments, and the repeated strings in it.
//!
//! Pieces have a maximum length, so suffixes need only be compared up to there: they are sorted by as many symbols as
//! fit into 64 bits at a time, and equal ones by the next symbols. See `docs/algorithms/unigram-training.md`.

use std::sync::Mutex;

use crate::training::team::Team;
use crate::training::text::{Text, END};
use crate::training::Progress;
use crate::util::{u32_of, u64_of, us, Result};

/// Maximum number of counters for bucketing by two symbols; beyond it buckets are by one.
const MOST_BUCKETS: usize = 1 << 20;

/// The sorted suffixes. 4 bytes for each character of the text; 16 more for each of a bucket while it is sorted.
#[derive(Debug, Default)]
pub struct Suffixes {
    order: Vec<u32>,
    /// Starts of the buckets, which share their first symbol or first two; the last entry is the end.
    buckets: Vec<u32>,
    depth: usize,
}

/// A string that suffixes share, or a whole suffix: a node of the suffix tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Node {
    /// The index of the first suffix that begins with it.
    pub left: u32,
    /// The number of these suffixes.
    pub width: u32,
    /// The number of symbols they share.
    pub length: usize,
    /// The length of the next shorter string that these suffixes share with others, or 0.
    pub above: usize,
    /// Its frequency: the sum of the counts of the segments.
    pub frequency: u64,
    /// Whether all of the suffixes end with it.
    pub ends: bool,
}

impl Suffixes {
    /// Sorts the suffixes of a text by their first `depth` symbols; `symbols` is the number of symbol kinds, including
    /// the end.
    pub fn sorted(text: &Text, symbols: usize, depth: usize, team: &mut Team<'_>) -> Result<Self> {
        let pairs = depth > 1 && symbols.saturating_mul(symbols) <= MOST_BUCKETS;
        let (mut order, buckets) = bucketed(text.symbols(), symbols, pairs);
        let mut rest = order.as_mut_slice();
        let mut slices = Vec::with_capacity(buckets.len());
        for bounds in buckets.windows(2) {
            let (slice, others) = rest.split_at_mut(us(bounds[1] - bounds[0]));
            slices.push(Mutex::new(slice));
            rest = others;
        }
        let packing = Packing::of(symbols, depth);
        let known = if pairs { 2 } else { 1 };
        let now = Progress { stage: "suffixes", done: 0, total: u64_of(text.symbols().len()) };
        team.run(now, slices.len(), Vec::new, |keys, task| {
            if let Ok(mut slice) = slices[task].lock() {
                packing.sort(text.symbols(), &mut slice, known, keys);
            }
        })?;
        drop(slices);
        Ok(Self { order, buckets, depth })
    }

    /// The starts of the suffixes, in order.
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// The number of buckets; a string of two symbols or more lies within one.
    pub fn buckets(&self) -> usize {
        self.buckets.len().saturating_sub(1)
    }

    /// The suffixes that begin with `wanted`, as a range of the order. At most `depth` symbols.
    pub fn beginning_with(&self, text: &Text, wanted: &[u32]) -> std::ops::Range<usize> {
        let compare = |place: &u32| {
            let found = text.symbols()[us(*place)..].iter().zip(wanted);
            found.map(|(one, other)| one.cmp(other)).find(|order| order.is_ne()).unwrap_or(std::cmp::Ordering::Equal)
        };
        let left = self.order.partition_point(|place| compare(place).is_lt());
        left..left + self.order[left..].partition_point(|place| compare(place).is_eq())
    }

    /// Visits every string of a bucket, of two to `depth` symbols, that is followed by different symbols or by an end.
    /// `owners` has the segment of each position.
    pub fn visit(&self, text: &Text, owners: &[u32], bucket: usize, mut visit: impl FnMut(Node)) {
        let (first, last) = (us(self.buckets[bucket]), us(self.buckets[bucket + 1]));
        // Strings that the suffixes from `left` on share so far.
        let mut open: Vec<Node> = Vec::new();
        let mut before = None;
        for index in first..last {
            let place = us(self.order[index]);
            let owner = us(owners[place]);
            let rest = text.segment(owner).end - place;
            let shared = before.map_or(0, |before| common(text.symbols(), before, place, self.depth));
            close(&mut open, shared, index, &mut visit);
            let (length, frequency) = (rest.min(self.depth), text.count(owner));
            let left = u32_of(index);
            let leaf = Node { left, width: 0, length, above: 0, frequency, ends: rest <= self.depth };
            match open.last_mut() {
                Some(top) if top.length == leaf.length => {
                    top.frequency = top.frequency.saturating_add(leaf.frequency);
                    top.ends &= leaf.ends;
                }
                _ => open.push(leaf),
            }
            before = Some(place);
        }
        close(&mut open, 0, last, &mut visit);
    }
}

/// Closes all strings that are longer than the prefix shared with the next suffix.
fn close(open: &mut Vec<Node>, shared: usize, end: usize, visit: &mut impl FnMut(Node)) {
    while let Some(top) = open.last().copied().filter(|top| top.length > shared) {
        open.pop();
        let above = open.last().map_or(shared, |below| below.length.max(shared));
        if top.length > 1 {
            visit(Node { width: u32_of(end) - top.left, above, ..top });
        }
        match open.last_mut() {
            Some(below) if below.length == above => {
                below.frequency = below.frequency.saturating_add(top.frequency);
                below.ends = false;
            }
            _ if above > 0 => open.push(Node { length: above, ends: false, ..top }),
            _ => {}
        }
    }
}

fn common(symbols: &[u32], one: usize, other: usize, depth: usize) -> usize {
    let pairs = symbols[one..].iter().zip(&symbols[other..]).take(depth);
    pairs.take_while(|(one, other)| one == other && **one != END).count()
}

/// Positions of suffixes by their first symbol or first two, and where each bucket begins.
fn bucketed(symbols: &[u32], kinds: usize, pairs: bool) -> (Vec<u32>, Vec<u32>) {
    let bucket = |place: usize| match pairs {
        true => us(symbols[place]) * kinds + us(symbols[place + 1]),
        false => us(symbols[place]),
    };
    let places = || (0..symbols.len()).filter(|&place| symbols[place] != END);
    let mut starts = vec![0u32; if pairs { kinds * kinds } else { kinds } + 1];
    for place in places() {
        starts[bucket(place) + 1] += 1;
    }
    for index in 1..starts.len() {
        starts[index] += starts[index - 1];
    }
    let mut bounds = starts.clone();
    bounds.dedup();
    let mut order = vec![0; us(starts.last().copied().unwrap_or(0))];
    for place in places() {
        let next = &mut starts[bucket(place)];
        order[us(*next)] = u32_of(place);
        *next += 1;
    }
    (order, bounds)
}

/// How symbols are packed into keys.
struct Packing {
    bits: u32,
    each: usize,
    depth: usize,
}

impl Packing {
    fn of(symbols: usize, depth: usize) -> Self {
        let bits = (u64::BITS - u64_of(symbols.saturating_sub(1)).leading_zeros()).max(1);
        Self { bits, each: us(u64::BITS / bits), depth }
    }

    /// Sorts suffixes that share their first `known` symbols.
    fn sort(&self, symbols: &[u32], places: &mut [u32], known: usize, keys: &mut Vec<(u64, u32)>) {
        let mut groups = Vec::new();
        if places.first().is_some_and(|&place| symbols[us(place) + known - 1] != END) {
            groups.push((0, places.len(), known));
        }
        while let Some((start, end, known)) = groups.pop() {
            if end - start < 2 || known >= self.depth {
                continue;
            }
            keys.clear();
            keys.extend(places[start..end].iter().map(|&place| (self.key(&symbols[us(place) + known..]), place)));
            keys.sort_unstable();
            for (place, key) in places[start..end].iter_mut().zip(keys.iter()) {
                *place = key.1;
            }
            let mut left = start;
            for alike in keys.chunk_by(|one, other| one.0 == other.0) {
                // A key whose last symbol is an end contains a whole suffix.
                if alike[0].0 & ((1 << self.bits) - 1) != 0 {
                    groups.push((left, left + alike.len(), known + self.each));
                }
                left += alike.len();
            }
        }
    }

    /// The next symbols up to an end, padded with ends. There is an end after every segment.
    fn key(&self, symbols: &[u32]) -> u64 {
        let mut key = 0;
        for (index, &symbol) in symbols.iter().take(self.each).enumerate() {
            key = key << self.bits | u64::from(symbol);
            if symbol == END {
                return key << (self.bits * u32_of(self.each - 1 - index));
            }
        }
        key
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::training::text::tests::text_of;
    use std::collections::BTreeMap;

    const ROWS: [(&str, u64); 7] = [
        ("abababab", 3),
        ("banana", 2),
        ("ananas", 1),
        ("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 5),
        ("b", 1),
        ("ab", 4),
        ("nab", 1),
    ];

    fn sorted(rows: &[(&str, u64)], depth: usize) -> (Text, Suffixes) {
        let mut watch = |_| Ok(());
        let (text, alphabet) = text_of(rows, 1, false).unwrap_or_default();
        let kinds = alphabet.chars().len() + 1;
        let suffixes = Suffixes::sorted(&text, kinds, depth, &mut Team::new(1, &mut watch)).unwrap_or_default();
        (text, suffixes)
    }

    fn string(text: &Text, place: u32, length: usize) -> Vec<u32> {
        text.symbols()[us(place)..].iter().copied().take_while(|&symbol| symbol != END).take(length).collect()
    }

    #[test]
    fn suffixes_are_in_order_up_to_the_depth() {
        let wide: String = (0..2000).filter_map(|code| char::from_u32(0x4E00 + code * 7 % 2000)).collect();
        for rows in [&ROWS[..], &[(&wide, 1), ("\u{4E07}\u{4E0E}", 2)]] {
            for depth in [1, 2, 5, 40] {
                let (text, suffixes) = sorted(rows, depth);
                let strings: Vec<_> = suffixes.order().iter().map(|&place| string(&text, place, depth)).collect();
                assert!(strings.is_sorted(), "{depth}");
                assert_eq!(strings.len(), text.symbols().len() - text.segments());
            }
        }
    }

    #[test]
    fn nodes_are_the_strings_that_different_things_follow() {
        let depth = 6;
        let (text, suffixes) = sorted(&ROWS, depth);
        let mut owners = vec![0; text.symbols().len()];
        for index in 0..text.segments() {
            owners[text.segment(index)].fill(u32_of(index));
        }
        let mut found = BTreeMap::new();
        for bucket in 0..suffixes.buckets() {
            suffixes.visit(&text, &owners, bucket, |node| {
                let key = string(&text, suffixes.order()[us(node.left)], node.length);
                let range = suffixes.beginning_with(&text, &key);
                assert_eq!((range.start, range.len()), (us(node.left), us(node.width)));
                assert!(key.len() == node.length && node.above < node.length);
                assert!(found.insert(key, (node.frequency, node.ends)).is_none());
            });
        }
        assert_eq!(found, plain_nodes(&text, depth));
    }

    /// Every string followed by an end or different symbols, or of maximum length, by brute force.
    fn plain_nodes(text: &Text, depth: usize) -> BTreeMap<Vec<u32>, (u64, bool)> {
        let mut strings: BTreeMap<Vec<u32>, (u64, Vec<u32>)> = BTreeMap::new();
        for index in 0..text.segments() {
            let range = text.segment(index);
            for start in range.clone() {
                for end in start + 2..=range.end.min(start + depth) {
                    let entry = strings.entry(text.symbols()[start..end].to_vec()).or_default();
                    entry.0 += text.count(index);
                    entry.1.push(text.symbols()[end]);
                }
            }
        }
        let parted = |key: &Vec<u32>, next: &[u32]| {
            key.len() == depth || next.contains(&END) || next.iter().any(|symbol| symbol != &next[0])
        };
        let kept = strings.into_iter().filter(|(key, (_, next))| parted(key, next));
        kept.map(|(key, (count, next))| (key, (count, next.iter().all(|&symbol| symbol == END)))).collect()
    }
}
