//! Pairs with their counts and starts, and the hash table from two symbols to their pair.

use crate::training::bpe::cells::Cells;
use crate::util::cast::{low64, u32_of, u64_of, us, us64};

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
    table: Table,
}

impl Pairs {
    pub fn clear(&mut self) {
        self.pairs.clear();
        self.starts.clear();
        self.table.clear();
    }

    /// The number of pairs.
    pub fn len(&self) -> u32 {
        u32_of(self.pairs.len())
    }

    #[inline]
    pub fn get(&self, index: u32) -> &Pair {
        &self.pairs[us(index)]
    }

    /// Adds a pair with room for its starts, which are written later.
    pub fn add(&mut self, mut pair: Pair, starts: usize) -> u32 {
        pair.first = self.starts.len();
        self.starts.resize(pair.first + starts, 0);
        let index = u32_of(self.pairs.len());
        self.table.put(pair.left, pair.right, index);
        self.pairs.push(pair);
        index
    }

    #[inline]
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
    #[inline]
    pub fn lower(&mut self, (left, right): (u32, u32), by: u64) {
        if let Some(index) = self.table.get(left, right) {
            let count = &mut self.pairs[us(index)].count;
            *count = count.wrapping_sub(by);
        }
    }

    /// Writes the starts of a recount into the room of the kept pairs.
    pub fn place(&mut self, cells: &Cells, numbers: &[u32], kept: &[Option<u32>]) {
        let mut next: Vec<usize> =
            kept.iter().map(|kept| kept.map_or(usize::MAX, |index| self.get(index).first)).collect();
        let mut numbers = numbers.iter();
        cells.each_pair(|start, _, _, _| {
            let Some(next) = numbers.next().and_then(|&number| next.get_mut(us(number))) else { return };
            if *next != usize::MAX {
                self.starts[*next] = start;
                *next += 1;
            }
        });
    }
}

/// All pairs of all words.
#[derive(Default)]
pub struct Found {
    pub pairs: Vec<(u32, u32)>,
    /// The count of each, and the number of its starts.
    pub counts: Vec<(u64, usize)>,
    /// Indices of pairs from left to right.
    pub numbers: Vec<u32>,
}

/// Counts all pairs, numbered in order of occurrence.
pub fn count(cells: &Cells) -> Found {
    let mut found = Found { numbers: Vec::with_capacity(cells.len()), ..Found::default() };
    let mut table = Table::default();
    cells.each_pair(|_, left, right, count| {
        let number = table.get(left, right).unwrap_or_else(|| {
            let number = u32_of(found.pairs.len());
            table.put(left, right, number);
            found.pairs.push((left, right));
            found.counts.push((0, 0));
            number
        });
        let (total, starts) = &mut found.counts[us(number)];
        *total += count;
        *starts += 1;
        found.numbers.push(number);
    });
    found
}

/// A map from two symbols to a number: open addressing, the key next to the number.
#[derive(Default)]
struct Table {
    slots: Vec<(u64, u32)>,
    used: usize,
}

/// Marks a free slot: no symbol is that large.
const FREE: u64 = u64::MAX;
const SMALLEST: usize = 1 << 10;

#[inline(always)]
fn key(left: u32, right: u32) -> u64 {
    u64::from(left) << 32 | u64::from(right)
}

impl Table {
    fn clear(&mut self) {
        self.slots.fill((FREE, 0));
        self.used = 0;
    }

    #[inline(always)]
    fn slot(&self, key: u64) -> usize {
        let mixed = (key ^ key >> 32).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        us64(low64((u128::from(mixed) * u128::from(u64_of(self.slots.len()))) >> 64))
    }

    #[inline]
    fn get(&self, left: u32, right: u32) -> Option<u32> {
        let key = key(left, right);
        if self.slots.is_empty() {
            return None;
        }
        let mut at = self.slot(key);
        loop {
            let (found, number) = self.slots[at];
            if found == key {
                return Some(number);
            }
            if found == FREE {
                return None;
            }
            at = if at + 1 == self.slots.len() { 0 } else { at + 1 };
        }
    }

    /// Adds a pair that is not there.
    fn put(&mut self, left: u32, right: u32, number: u32) {
        if (self.used + 1) * 4 > self.slots.len() * 3 {
            let larger = (self.slots.len() * 2).max(SMALLEST);
            let old = std::mem::replace(&mut self.slots, vec![(FREE, 0); larger]);
            for (key, number) in old.into_iter().filter(|slot| slot.0 != FREE) {
                self.insert(key, number);
            }
        }
        self.used += 1;
        self.insert(key(left, right), number);
    }

    fn insert(&mut self, key: u64, number: u32) {
        let mut at = self.slot(key);
        while self.slots[at].0 != FREE {
            at = if at + 1 == self.slots.len() { 0 } else { at + 1 };
        }
        self.slots[at] = (key, number);
    }
}
