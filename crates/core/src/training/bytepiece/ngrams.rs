//! Byte n-gram statistics: the conditional probability of each byte given the bytes before it.
//!
//! Only the longest n-grams are counted, each at its start, truncated at the end of the line. In sorted order those
//! with one prefix are adjacent, and the counts of all shorter n-grams are sums over them.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use crate::training::logs::Logs;
use crate::training::words::Words;
use crate::util::{u32_of, u64_of, us, us64};

/// The longest n-gram, in bytes: the eighth byte of a key holds the length.
pub const MOST: usize = 7;

/// N-grams with the log-probability of each of their bytes.
pub struct Statistics {
    order: usize,
    /// The row of each n-gram.
    table: HashMap<u64, u64, FixedState>,
    /// `order` values for each n-gram: the bits of doubles, in the storage of the counts.
    scores: Vec<u64>,
}

impl Statistics {
    /// Counts all lines. N-grams of several bytes below `min_count` are impossible.
    pub fn of(lines: &Words, order: usize, min_count: u64) -> Self {
        let order = order.clamp(1, MOST);
        let mut table: HashMap<u64, u64, FixedState> = HashMap::default();
        for (line, count) in lines.iter() {
            each_key(line, order, |key| *table.entry(key).or_insert(0) += count);
        }
        let mut leaves: Vec<(u64, u64)> = table.iter().map(|(&key, &count)| (key, count)).collect();
        leaves.sort_unstable();
        let scores = scores(&leaves, order, min_count);
        for (row, leaf) in (0..).zip(&leaves) {
            table.insert(leaf.0, row);
        }
        Self { order, table, scores }
    }

    pub const fn order(&self) -> usize {
        self.order
    }

    /// The row of the n-gram that begins at each byte of a line.
    pub fn rows(&self, line: &[u8], rows: &mut Vec<u32>) {
        each_key(line, self.order, |key| rows.push(u32_of(us64(self.table.get(&key).copied().unwrap_or(0)))));
        rows.reverse();
    }

    /// The log-probability of byte `place` of an n-gram given those before it.
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
        let long: Vec<usize> = (0..leaves.len()).filter(|&row| us64(leaves[row].0 & 0xFF) >= length).collect();
        for group in long.chunk_by(|&one, &other| beginning(leaves[one].0) == beginning(leaves[other].0)) {
            let sum = group.iter().map(|&row| leaves[row].1).sum();
            group.iter().for_each(|&row| counts[row * order + length - 1] = sum);
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
