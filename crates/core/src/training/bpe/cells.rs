//! Words as rows of symbols that shrink in place.
//!
//! A symbol of size `n` covers `n` cells and is written into the first and the last of them, so that both neighbours of a place
//! are read off without links: what ends in front of it, and what begins behind. A cell within a symbol holds `GONE`, one
//! between two words `BREAK`. A start that was noted once is still one if its cell holds the same symbol: a larger symbol that
//! covers the cell is another one.

use crate::util::cast::{low32, u32_of, u64_of, us};
use crate::util::error::{Error, Result};

const BREAK: u32 = u32::MAX;
const GONE: u32 = u32::MAX - 1;

/// One more than the largest symbol there can be.
const MOST_SYMBOLS: usize = 0xFFFF_0000;

/// A symbol, and the count of the word around it by its place in a list of counts, which is short enough to stay near.
#[derive(Clone, Copy)]
struct Cell {
    symbol: u32,
    count: u32,
}

/// The words.
pub struct Cells {
    cells: Vec<Cell>,
    /// Each count that a word has.
    counts: Vec<u64>,
    /// The number of cells of each symbol.
    sizes: Vec<u32>,
    /// What all pairs together count.
    total: u64,
}

/// Takes words one by one.
pub struct Builder {
    cells: Cells,
    sum: u128,
}

impl Builder {
    /// For symbols below `symbols` in words that have one of `counts`.
    pub fn new(symbols: usize, counts: &[u64], room: usize) -> Self {
        let mut counts = counts.to_vec();
        counts.sort_unstable();
        counts.dedup();
        let mut cells = Vec::with_capacity(room);
        cells.push(Cell { symbol: BREAK, count: 0 });
        Self { cells: Cells { cells, counts, sizes: vec![1; symbols], total: 0 }, sum: 0 }
    }

    /// Adds a word.
    pub fn word(&mut self, symbols: impl Iterator<Item = u32>, count: u64) {
        let at = self.cells.counts.binary_search(&count).unwrap_or(0);
        let before = self.cells.cells.len();
        let count = u32_of(at);
        self.cells.cells.extend(symbols.map(|symbol| Cell { symbol, count }));
        let pairs = u64_of(self.cells.cells.len() - before).saturating_sub(1);
        self.sum += u128::from(pairs) * u128::from(self.cells.counts.get(at).copied().unwrap_or(0));
        self.cells.cells.push(Cell { symbol: BREAK, count });
    }

    /// All words. Refuses counts that a pair could add up to more than 64 bits, and more symbols than 32 bits can number.
    pub fn done(mut self) -> Result<Cells> {
        self.cells.total = u64::try_from(self.sum).map_err(|_| {
            let message =
                "the counts of pairs add up to more than 2^64; divide the counts of the words by a common number";
            Error::new("words-table", message)
        })?;
        // Behind the last word there is room for a look at what follows a symbol.
        if self.cells.cells.len() >= MOST_SYMBOLS {
            let message =
                "the distinct words have more than 4,294,901,760 symbols together; leave out the rarest words, or \
                           split the text into smaller ones";
            return Err(Error::new("words-table", message).with("symbols", u64_of(self.cells.cells.len())));
        }
        Ok(self.cells)
    }
}

impl Cells {
    /// How many symbols there are.
    pub fn symbols(&self) -> usize {
        self.sizes.len()
    }

    /// What all pairs together counted at the beginning.
    pub const fn total(&self) -> u64 {
        self.total
    }

    /// How many cells there are, at least as many as pairs.
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// Whether there are no words.
    pub fn is_empty(&self) -> bool {
        self.cells.len() < 2
    }

    /// The number of cells of a symbol.
    #[inline]
    pub fn size(&self, symbol: u32) -> u32 {
        self.sizes[us(symbol)]
    }

    /// A new symbol that is as large as two others.
    pub fn add_symbol(&mut self, left: u32, right: u32) -> u32 {
        self.sizes.push(self.size(left) + self.size(right));
        u32_of(self.sizes.len()) - 1
    }

    /// Whether a symbol of `width` cells and another one begin at a place where the first once began.
    #[inline]
    pub fn is_at(&self, start: u32, left: u32, right: u32, width: u32) -> bool {
        self.cells[us(start)].symbol == left && self.cells[us(start + width)].symbol == right
    }

    /// Writes `made` over the pair that begins at `start`; what stands in front of it and what behind.
    #[inline]
    pub fn join_at(&mut self, start: u32, width: u32, size: u32, made: u32) -> (Option<u32>, Option<u32>) {
        let (first, end) = (us(start), us(start + size));
        let middle = us(start + width);
        self.cells[middle - 1].symbol = GONE;
        self.cells[middle].symbol = GONE;
        self.cells[first].symbol = made;
        self.cells[end - 1].symbol = made;
        (real(self.cells[first - 1].symbol), real(self.cells[end].symbol))
    }

    /// The count of the word around a place.
    #[inline]
    pub fn count_at(&self, start: u32) -> u64 {
        self.counts[us(self.cells[us(start)].count)]
    }

    /// Each pair of neighbours from left to right: where it begins, both symbols, and the count of the word.
    pub fn each_pair(&self, mut see: impl FnMut(u32, u32, u32, u64)) {
        let mut at = 1;
        while at < self.cells.len() {
            let Cell { symbol, count } = self.cells[at];
            if symbol == BREAK {
                at += 1;
                continue;
            }
            let next = at + us(self.sizes[us(symbol)]);
            let behind = self.cells[next].symbol;
            if behind != BREAK {
                see(low32(u64_of(at)), symbol, behind, self.counts[us(count)]);
            }
            at = next;
        }
    }
}

#[inline(always)]
const fn real(symbol: u32) -> Option<u32> {
    if symbol == BREAK {
        None
    } else {
        Some(symbol)
    }
}
