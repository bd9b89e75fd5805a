//! A map from byte strings to numbers: open addressing over strings stored in a blob elsewhere.

use xxhash_rust::xxh3::xxh3_64;

use crate::util::cast::{low64, u64_of, us64};
use crate::util::interrupt::paced;
use crate::util::prefetch::prefetch;

const FREE: u32 = u32::MAX;
/// Number of strings whose slots are prefetched together.
const BATCH: usize = 32;

/// The index. It stores numbers only; the caller supplies the string of a number.
#[derive(Default)]
pub struct StringIndex {
    slots: Vec<u32>,
}

fn slot_of(key: &[u8], slots: usize) -> usize {
    us64(low64((u128::from(xxh3_64(key)) * u128::from(u64_of(slots))) >> 64))
}

impl StringIndex {
    /// Indexes `numbers` in order; of equal strings the first wins. Returns the index and the first repeated pair.
    pub fn build<'a>(
        numbers: impl ExactSizeIterator<Item = u32>,
        text: impl Fn(u32) -> &'a [u8],
    ) -> (Self, Option<(u32, u32)>) {
        let mut slots = vec![FREE; numbers.len() * 2 + 1];
        let mut repeated = None;
        let mut batch = Vec::with_capacity(BATCH);
        let mut numbers = paced(numbers).peekable();
        while numbers.peek().is_some() {
            batch.clear();
            for number in numbers.by_ref().take(BATCH) {
                let slot = slot_of(text(number), slots.len());
                prefetch(&slots, slot);
                batch.push((number, slot));
            }
            for &(number, first) in &batch {
                let mut slot = first;
                loop {
                    if slots[slot] == FREE {
                        slots[slot] = number;
                        break;
                    }
                    if text(slots[slot]) == text(number) {
                        repeated = repeated.or(Some((slots[slot], number)));
                        break;
                    }
                    slot = (slot + 1) % slots.len();
                }
            }
        }
        (Self { slots }, repeated)
    }

    /// The number of `key`.
    pub fn find<'a>(&self, key: &[u8], text: impl Fn(u32) -> &'a [u8]) -> Option<u32> {
        if self.slots.is_empty() {
            return None;
        }
        let mut slot = slot_of(key, self.slots.len());
        loop {
            let number = self.slots[slot];
            if number == FREE {
                return None;
            }
            if text(number) == key {
                return Some(number);
            }
            slot = (slot + 1) % self.slots.len();
        }
    }
}
