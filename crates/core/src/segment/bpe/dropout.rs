//! BPE-dropout where a merge that is passed over comes back: whenever a merge is taken, all that were passed over before it are
//! candidates again.
//!
//! A number is drawn for each candidate that comes up, also for one that has become void; that is how the library whose
//! distribution this is does it (`docs/algorithms/sampling.md`).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::util::cast::{u32_of, us};

/// A stretch of a chunk. One of several byte pieces for one byte of the inner form may have no length.
#[derive(Clone, Copy)]
pub struct Symbol {
    /// The id.
    pub id: u32,
    /// Bytes.
    pub len: u32,
    /// Whether it was merged into the one before it.
    pub is_gone: bool,
    prev: u32,
    next: u32,
}

const NONE: u32 = u32::MAX;

/// The symbols of a chunk in a row.
pub fn linked(symbols: impl Iterator<Item = (u32, u32)>) -> Vec<Symbol> {
    let mut row: Vec<Symbol> = symbols
        .zip(0u32..)
        .map(|((id, len), at)| Symbol {
            id,
            len,
            is_gone: false,
            prev: at.checked_sub(1).unwrap_or(NONE),
            next: at + 1,
        })
        .collect();
    if let Some(last) = row.last_mut() {
        last.next = NONE;
    }
    row
}

/// Merges a row of symbols; `find` gives rank and id of the merge of the symbols at two places, `passes` whether a candidate is
/// passed over.
pub fn merge(
    symbols: &mut [Symbol],
    find: impl Fn(&[Symbol], usize, usize) -> Option<(u32, u32)>,
    mut passes: impl FnMut() -> bool,
) {
    let propose = |symbols: &[Symbol], left: usize, right: usize| {
        find(symbols, left, right).map(|(rank, id)| Reverse((rank, u32_of(left), id)))
    };
    let mut queue: BinaryHeap<Reverse<(u32, u32, u32)>> =
        (1..symbols.len()).filter_map(|right| propose(symbols, right - 1, right)).collect();
    let mut passed = Vec::new();
    while let Some(top) = queue.pop() {
        if passes() {
            passed.push(top);
            continue;
        }
        queue.extend(passed.drain(..));
        let Reverse((_, left, id)) = top;
        let place = us(left);
        let Symbol { len, is_gone, prev, next, .. } = symbols[place];
        if is_gone || next == NONE || find(symbols, place, us(next)).is_none_or(|(_, found)| found != id) {
            continue;
        }
        let right = symbols[us(next)];
        symbols[place] = Symbol { id, len: len + right.len, is_gone, prev, next: right.next };
        symbols[us(next)].is_gone = true;
        if right.next != NONE {
            symbols[us(right.next)].prev = left;
        }
        if prev != NONE {
            queue.extend(propose(symbols, us(prev), place));
        }
        if right.next != NONE {
            queue.extend(propose(symbols, place, us(right.next)));
        }
    }
}
