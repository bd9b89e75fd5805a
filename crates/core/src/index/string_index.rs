//! A map from byte strings to numbers: open addressing over strings stored elsewhere.

use xxhash_rust::xxh3::xxh3_64;

use crate::index::probing::{find_slot, first_slot};
use crate::util::{low32, paced, prefetch};

/// Number of strings whose slots are prefetched together.
const BATCH: usize = 32;

/// The index. It stores numbers and parts of hashes; the caller supplies the string of a number.
#[derive(Default)]
pub struct StringIndex {
    /// 0, or one more than a number with 32 bits of the string's hash above it.
    slots: Vec<u64>,
}

impl StringIndex {
    /// Indexes `numbers` in order; of equal strings the first wins. Returns the index and the first repeated pair.
    pub fn build<'a>(
        numbers: impl ExactSizeIterator<Item = u32>,
        text: impl Fn(u32) -> &'a [u8],
    ) -> (Self, Option<(u32, u32)>) {
        let mut index = Self { slots: vec![0; numbers.len() * 2 + 1] };
        let mut repeated = None;
        let mut batch = Vec::with_capacity(BATCH);
        let mut numbers = paced(numbers).peekable();
        while numbers.peek().is_some() {
            batch.clear();
            for number in numbers.by_ref().take(BATCH) {
                batch.push((number, index.prefetch(text(number))));
            }
            for &(number, hash) in &batch {
                let found = index.insert(text(number), hash, number, &text);
                repeated = repeated.or(found.map(|found| (found, number)));
            }
        }
        (index, repeated)
    }

    /// The slot of `key`, or the free one for it.
    fn slot<'a>(&self, key: &[u8], hash: u64, text: impl Fn(u32) -> &'a [u8]) -> usize {
        let is_it = |slot: u64| slot >> 32 == hash & 0xFFFF_FFFF && text(low32(slot) - 1) == key;
        find_slot(&self.slots, first_slot(hash, self.slots.len()), |&slot| slot == 0 || is_it(slot))
    }

    /// Puts a string into a slot that is free; returns the number of an equal one if there is one.
    fn insert<'a>(&mut self, key: &[u8], hash: u64, number: u32, text: impl Fn(u32) -> &'a [u8]) -> Option<u32> {
        let slot = self.slot(key, hash, text);
        let found = low32(self.slots[slot]).checked_sub(1);
        if found.is_none() {
            self.slots[slot] = hash << 32 | (u64::from(number) + 1);
        }
        found
    }

    /// The hash of `key`, whose slot is prefetched.
    pub fn prefetch(&self, key: &[u8]) -> u64 {
        let hash = xxh3_64(key);
        prefetch(&self.slots, first_slot(hash, self.slots.len()));
        hash
    }

    /// The number of `key`.
    pub fn find<'a>(&self, key: &[u8], text: impl Fn(u32) -> &'a [u8]) -> Option<u32> {
        self.find_hashed(key, xxh3_64(key), text)
    }

    /// The number of `key`, given its hash.
    #[inline]
    pub fn find_hashed<'a>(&self, key: &[u8], hash: u64, text: impl Fn(u32) -> &'a [u8]) -> Option<u32> {
        if self.slots.is_empty() {
            return None;
        }
        low32(self.slots[self.slot(key, hash, text)]).checked_sub(1)
    }
}
