//! Byte n-gram statistics: the conditional probability of each byte given the bytes before it.
//!
//! Only the longest n-grams are counted, each at its start, truncated at the end of the line. In sorted order those
//! with one prefix are adjacent, and the counts of all shorter n-grams are sums over them.

use crate::training::logs::Logs;
use crate::training::words::Words;
use crate::util::cast::{low64, u32_of, u64_of, us, us64};

/// The longest n-gram, in bytes: the eighth byte of a key holds the length.
pub const MOST: usize = 7;

/// N-grams with the log-probability of each of their bytes.
pub struct Statistics {
    order: usize,
    table: Table,
    /// `order` values for each n-gram: the bits of doubles, in the storage of the counts.
    scores: Vec<u64>,
}

impl Statistics {
    /// Counts all lines. N-grams of several bytes below `min_count` are impossible.
    pub fn of(lines: &Words, order: usize, min_count: u64) -> Self {
        let order = order.clamp(1, MOST);
        let mut table = Table::new();
        for (line, count) in lines.iter() {
            each_key(line, order, |key| table.add(key, count));
        }
        let mut leaves = table.take();
        leaves.sort_unstable();
        let scores = scores(&leaves, order, min_count);
        table.fill((0u64..).zip(&leaves).map(|(row, leaf)| (leaf.0, row)));
        Self { order, table, scores }
    }

    pub const fn order(&self) -> usize {
        self.order
    }

    /// The row of the n-gram that begins at each byte of a line.
    pub fn rows(&self, line: &[u8], rows: &mut Vec<u32>) {
        each_key(line, self.order, |key| rows.push(u32_of(us64(self.table.get(key)))));
        rows.reverse();
    }

    /// The log-probability of byte `place` of an n-gram given those before it.
    #[inline]
    pub fn score(&self, row: u32, place: usize) -> f64 {
        f64::from_bits(self.scores[us(row) * self.order + place])
    }
}

/// Calls `see` with the key of the n-gram that begins at each byte, from the last byte to the first.
#[inline]
fn each_key(line: &[u8], order: usize, mut see: impl FnMut(u64)) {
    let mask = u64::MAX << (64 - 8 * order);
    let mut window = 0u64;
    for (length, &byte) in (1..).zip(line.iter().rev()) {
        window = window >> 8 | u64::from(byte) << 56;
        see(window & mask | u64_of(order.min(length)));
    }
}

/// For each n-gram and position the score; n-grams are sorted by key.
fn scores(leaves: &[(u64, u64)], order: usize, min_count: u64) -> Vec<u64> {
    let mut counts = vec![0u64; leaves.len() * order];
    for length in 1..=order {
        let beginning = |key: u64| key >> (64 - 8 * length);
        let long = || (0..leaves.len()).filter(|&row| us64(leaves[row].0 & 0xFF) >= length);
        let mut sums: Vec<u64> = Vec::new();
        let mut last = None;
        for row in long() {
            let (key, count) = leaves[row];
            if last != Some(beginning(key)) {
                last = Some(beginning(key));
                sums.push(0);
            }
            if let Some(sum) = sums.last_mut() {
                *sum += count;
            }
        }
        let mut groups = sums.into_iter();
        let (mut sum, mut last) = (0, None);
        for row in long() {
            if last != Some(beginning(leaves[row].0)) {
                last = Some(beginning(leaves[row].0));
                sum = groups.next().unwrap_or(0);
            }
            counts[row * order + length - 1] = sum;
        }
    }
    // A byte that never occurs gets a count of one.
    let mut seen = [false; 256];
    leaves.iter().for_each(|leaf| seen[us64(leaf.0 >> 56)] = true);
    let missing = u64_of(seen.iter().filter(|&&seen| !seen).count());
    let logs = Logs::new();
    let all = logs.of(leaves.iter().map(|leaf| leaf.1).sum::<u64>() + missing);
    for row in counts.chunks_exact_mut(order) {
        let mut before = all;
        let mut is_possible = true;
        for (place, cell) in row.iter_mut().enumerate() {
            is_possible = is_possible && *cell > 0 && (place == 0 || *cell >= min_count);
            let own = logs.of(*cell);
            *cell = if is_possible { own - before } else { f64::NEG_INFINITY }.to_bits();
            before = own;
        }
    }
    counts
}

/// A map from nonzero keys to numbers: open addressing.
struct Table {
    slots: Vec<(u64, u64)>,
    used: usize,
}

const SMALLEST: usize = 1 << 12;

impl Table {
    fn new() -> Self {
        Self { slots: vec![(0, 0); SMALLEST], used: 0 }
    }

    /// The slot of a key, or the free one for it.
    #[inline(always)]
    fn slot(&self, key: u64) -> usize {
        let mixed = (key ^ key >> 31).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mut at = us64(low64((u128::from(mixed) * u128::from(u64_of(self.slots.len()))) >> 64));
        while self.slots[at].0 != key && self.slots[at].0 != 0 {
            at = if at + 1 == self.slots.len() { 0 } else { at + 1 };
        }
        at
    }

    #[inline]
    fn get(&self, key: u64) -> u64 {
        self.slots[self.slot(key)].1
    }

    #[inline]
    fn add(&mut self, key: u64, count: u64) {
        let at = self.slot(key);
        if self.slots[at].0 == 0 {
            self.slots[at].0 = key;
            self.used += 1;
        }
        self.slots[at].1 += count;
        if self.used * 4 > self.slots.len() * 3 {
            let larger = self.slots.len() * 2;
            let old = std::mem::replace(&mut self.slots, vec![(0, 0); larger]);
            self.fill(old.into_iter().filter(|slot| slot.0 != 0));
        }
    }

    /// Takes all keys with their numbers; the table keeps its size and becomes empty.
    fn take(&mut self) -> Vec<(u64, u64)> {
        let found = self.slots.iter().copied().filter(|slot| slot.0 != 0).collect();
        self.slots.fill((0, 0));
        found
    }

    fn fill(&mut self, rows: impl Iterator<Item = (u64, u64)>) {
        for (key, number) in rows {
            let at = self.slot(key);
            self.slots[at] = (key, number);
        }
    }
}
