//! A map from a pair of numbers to the row that begins with it: open addressing over rows stored elsewhere.

use crate::index::probing::{find_slot, first_slot};
use crate::util::{low32, paced, prefetch, us, Column};

/// Rows of two key numbers and a third one.
pub type Rows = [[u32; 3]];

/// The table. A slot is 0, or one more than a row's number with 32 bits of the pair's hash above it.
#[derive(Default)]
pub struct Pairs {
    pub(crate) slots: Column<u64>,
}

/// Number of rows whose slots are prefetched ahead.
const AHEAD: usize = 16;

#[inline(always)]
fn hash(left: u32, right: u32) -> u64 {
    let mixed = (u64::from(left) << 32 | u64::from(right)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed ^ mixed >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9)
}

impl Pairs {
    /// Indexes the rows; of equal pairs the first wins. Returns the table and the first two rows that share a pair.
    pub fn build(rows: &Rows) -> (Self, Option<(u32, u32)>) {
        let mut slots = vec![0u64; rows.len() * 2 + 1];
        let mut repeated = None;
        for (number, &[left, right, _]) in (1u32..).zip(paced(rows.iter())) {
            if let Some(&[left, right, _]) = rows.get(us(number) + AHEAD) {
                prefetch(&slots, first_slot(hash(left, right), slots.len()));
            }
            let hash = hash(left, right);
            let is_it = |slot: u64| slot >> 32 == hash & 0xFFFF_FFFF && rows[us(low32(slot) - 1)][..2] == [left, right];
            let slot = find_slot(&slots, first_slot(hash, slots.len()), |&slot| slot == 0 || is_it(slot));
            match low32(slots[slot]).checked_sub(1) {
                None => slots[slot] = hash << 32 | u64::from(number),
                Some(row) => repeated = repeated.or(Some((row, number - 1))),
            }
        }
        (Self { slots: slots.into() }, repeated)
    }

    /// Takes a stored table, which may be damaged: its answers are checked against the rows.
    pub const fn from_slots(slots: Column<u64>) -> Self {
        Self { slots }
    }

    /// Borrows the table with its rows.
    pub fn view<'a>(&'a self, rows: &'a Rows) -> PairsView<'a> {
        PairsView { slots: &self.slots, rows }
    }
}

/// Table and rows, borrowed once per call.
#[derive(Clone, Copy)]
pub struct PairsView<'a> {
    slots: &'a [u64],
    rows: &'a Rows,
}

impl PairsView<'_> {
    /// The index of the row of a pair, and its third number.
    #[inline]
    pub fn find(&self, left: u32, right: u32) -> Option<(u32, u32)> {
        let hash = hash(left, right);
        let (before, behind) = self.slots.split_at(first_slot(hash, self.slots.len()));
        // A damaged table may have no free slot: then each slot is probed once.
        for &slot in behind.iter().chain(before) {
            if slot == 0 {
                return None;
            }
            if slot >> 32 == hash & 0xFFFF_FFFF {
                let row = low32(slot).wrapping_sub(1);
                match self.rows.get(us(row)) {
                    Some(&[one, other, third]) if one == left && other == right => return Some((row, third)),
                    _ => {}
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_is_found_and_no_other() {
        let rows: Vec<[u32; 3]> = (0..5000u32).map(|row| [row % 70, row / 70, row * 3]).collect();
        let (pairs, repeated) = Pairs::build(&rows);
        assert_eq!(repeated, None);
        let view = pairs.view(&rows);
        for (row, &[left, right, third]) in (0u32..).zip(&rows) {
            assert_eq!(view.find(left, right), Some((row, third)));
            assert_eq!(view.find(left, right + 100), None);
        }
        assert_eq!(Pairs::default().view(&rows).find(0, 0), None);
    }

    #[test]
    fn repeated_pairs_are_named() {
        assert_eq!(Pairs::build(&[[1, 2, 3], [2, 1, 3], [1, 2, 4]]).1, Some((0, 2)));
    }

    #[test]
    fn a_damaged_table_ends() {
        let rows = [[1, 2, 3]];
        let full = Pairs::from_slots(vec![u64::MAX; 7].into());
        assert_eq!(full.view(&rows).find(1, 2), None);
    }
}
