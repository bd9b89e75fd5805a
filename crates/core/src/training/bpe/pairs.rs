//! Pairs with their counts and starts.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use crate::training::bpe::cells::Cells;
use crate::util::{u32_of, us};

/// Two adjacent symbols.
#[derive(Debug, Clone, Copy)]
pub struct Pair {
    pub left: u32,
    pub right: u32,
    pub count: u64,
    /// Start and number of its starts in the list of all, ascending; some may be outdated.
    pub first: usize,
    pub starts: usize,
}

/// All pairs that are kept.
#[derive(Default)]
pub struct Pairs {
    pairs: Vec<Pair>,
    starts: Vec<u32>,
    /// The index of each pair, by [`key`].
    table: HashMap<u64, u32, FixedState>,
}

impl Pairs {
    /// The number of pairs.
    pub fn len(&self) -> u32 {
        u32_of(self.pairs.len())
    }

    pub fn get(&self, index: u32) -> &Pair {
        &self.pairs[us(index)]
    }

    /// Adds a pair with room for its starts, which are written later.
    pub fn add(&mut self, left: u32, right: u32, count: u64, starts: usize) -> u32 {
        let (index, first) = (self.len(), self.starts.len());
        self.starts.resize(first + starts, 0);
        self.table.entry(key(left, right)).or_insert(index);
        self.pairs.push(Pair { left, right, count, first, starts });
        index
    }

    pub fn put(&mut self, at: usize, start: u32) {
        self.starts[at] = start;
    }

    pub fn starts(&self, index: u32) -> &[u32] {
        let pair = self.get(index);
        &self.starts[pair.first..pair.first + pair.starts]
    }

    /// The first recorded start of a pair, which may be outdated.
    pub fn place_of(&self, index: u32) -> u64 {
        self.starts(index).first().map_or(u64::MAX, |&start| u64::from(start))
    }

    /// The first valid start of a pair. Outdated ones before it are dropped, so that each is checked once.
    pub fn first_place(&mut self, index: u32, cells: &Cells) -> u64 {
        let Pair { left, right, .. } = *self.get(index);
        let width = cells.size(left);
        let starts = self.starts(index);
        let gone = starts.iter().take_while(|&&start| !cells.is_at(start, left, right, width)).count();
        let pair = &mut self.pairs[us(index)];
        pair.first += gone;
        pair.starts -= gone;
        self.place_of(index)
    }

    /// Decrements the count of a pair, if it is kept. One that was merged may wrap around; it is not read again.
    pub fn lower(&mut self, (left, right): (u32, u32), by: u64) {
        if let Some(&index) = self.table.get(&key(left, right)) {
            let count = &mut self.pairs[us(index)].count;
            *count = count.wrapping_sub(by);
        }
    }

    /// Finds the starts of all pairs.
    pub fn place(&mut self, cells: &Cells) {
        let mut next: Vec<usize> = self.pairs.iter().map(|pair| pair.first).collect();
        cells.each_pair(|start, left, right, _| {
            if let Some(&index) = self.table.get(&key(left, right)) {
                let next = &mut next[us(index)];
                self.starts[*next] = start;
                *next += 1;
            }
        });
    }
}

/// The count of each pair of all words and the number of its starts, by [`key`].
pub fn count(cells: &Cells) -> HashMap<u64, (u64, usize), FixedState> {
    let mut found: HashMap<u64, (u64, usize), FixedState> = HashMap::default();
    cells.each_pair(|_, left, right, count| {
        let (sum, starts) = found.entry(key(left, right)).or_insert((0, 0));
        *sum += count;
        *starts += 1;
    });
    found
}

/// Two symbols as one number; the order is that of the symbols.
pub fn key(left: u32, right: u32) -> u64 {
    u64::from(left) << 32 | u64::from(right)
}
