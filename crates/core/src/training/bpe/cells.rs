//! Words as arrays of symbols that are merged in place.
//!
//! A symbol of size `n` covers `n` cells and is written into the first and the last of them, so that both neighbours of
//! a position are read without links. A cell within a symbol holds `GONE`, one between two words `BREAK`. A recorded
//! start is still valid if its cell holds the same symbol: a larger symbol that covers the cell is another one.

use crate::util::{low32, u32_of, u64_of, us, Error, Result};

const BREAK: u32 = u32::MAX;
const GONE: u32 = u32::MAX - 1;

/// One more than the largest symbol there can be.
const MOST_SYMBOLS: usize = 0xFFFF_0000;

/// A symbol, and the index of its word's count in a list of distinct counts, which is short enough to stay in cache.
#[derive(Clone, Copy)]
struct Cell {
    symbol: u32,
    count: u32,
}

/// The words.
pub struct Cells {
    cells: Vec<Cell>,
    /// The distinct counts of words.
    counts: Vec<u64>,
    /// The number of cells of each symbol.
    sizes: Vec<u32>,
    /// The sum of the counts of all pairs.
    total: u64,
}

impl Cells {
    /// No words yet; they will have one of `counts`.
    pub fn new(counts: &[u64], room: usize) -> Self {
        let mut counts = counts.to_vec();
        counts.sort_unstable();
        counts.dedup();
        let mut cells = Vec::with_capacity(room);
        cells.push(Cell { symbol: BREAK, count: 0 });
        Self { cells, counts, sizes: Vec::new(), total: 0 }
    }

    /// Adds a word.
    pub fn word(&mut self, symbols: impl Iterator<Item = u32>, count: u64) {
        let count = u32_of(self.counts.binary_search(&count).unwrap_or(0));
        self.cells.extend(symbols.map(|symbol| Cell { symbol, count }));
        self.cells.push(Cell { symbol: BREAK, count });
    }

    /// Finishes the words, whose symbols are below `symbols`. Refuses counts that could overflow 64 bits in a pair, and
    /// more symbols than 32 bits can number.
    pub fn done(mut self, symbols: usize) -> Result<Self> {
        // After the last word there is padding for reading the next symbol.
        if self.cells.len() >= MOST_SYMBOLS {
            let message = "the distinct words have more than 4,294,901,760 symbols together; leave out the rarest \
                           words, or split the text into smaller ones";
            return Err(Error::new("words-table", message).with("symbols", u64_of(self.cells.len())));
        }
        self.sizes = vec![1; symbols];
        let mut sum = 0u128;
        self.each_pair(|_, _, _, count| sum += u128::from(count));
        self.total = u64::try_from(sum).map_err(|_| {
            let message =
                "the counts of pairs add up to more than 2^64; divide the counts of the words by a common number";
            Error::new("words-table", message)
        })?;
        Ok(self)
    }

    /// The number of symbols.
    pub fn symbols(&self) -> usize {
        self.sizes.len()
    }

    /// The sum of the counts of all pairs at the beginning.
    pub const fn total(&self) -> u64 {
        self.total
    }

    /// The number of cells of a symbol.
    pub fn size(&self, symbol: u32) -> u32 {
        self.sizes[us(symbol)]
    }

    /// A new symbol with the size of two others together.
    pub fn add_symbol(&mut self, left: u32, right: u32) -> u32 {
        self.sizes.push(self.size(left) + self.size(right));
        u32_of(self.sizes.len()) - 1
    }

    /// Whether a pair, whose left symbol has `width` cells, is still at a recorded start.
    pub fn is_at(&self, start: u32, left: u32, right: u32, width: u32) -> bool {
        self.cells[us(start)].symbol == left && self.cells[us(start + width)].symbol == right
    }

    /// Writes `made` over the pair that begins at `start`; returns the symbols before and after it.
    pub fn join_at(&mut self, start: u32, width: u32, size: u32, made: u32) -> (Option<u32>, Option<u32>) {
        let (first, end) = (us(start), us(start + size));
        let middle = us(start + width);
        self.cells[middle - 1].symbol = GONE;
        self.cells[middle].symbol = GONE;
        self.cells[first].symbol = made;
        self.cells[end - 1].symbol = made;
        (real(self.cells[first - 1].symbol), real(self.cells[end].symbol))
    }

    /// The count of the word around a position.
    pub fn count_at(&self, start: u32) -> u64 {
        self.counts[us(self.cells[us(start)].count)]
    }

    /// Visits each adjacent pair from left to right: its start, both symbols, and the count of the word.
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
fn real(symbol: u32) -> Option<u32> {
    (symbol != BREAK).then_some(symbol)
}
