//! A bounded cache for strings too long to be inline keys: found by hash, verified by comparing bytes.

use xxhash_rust::xxh3::xxh3_64;

use crate::util::{low32, prefetch, u32_of, us};

const PROBES: usize = 8;

#[derive(Clone, Copy, Default)]
struct Slot {
    hash: u32,
    /// Where the bytes begin; the length is 0 in a free slot.
    bytes: u32,
    len: u16,
    count: u16,
    /// Where the numbers begin.
    list: u32,
    flags: u32,
}

/// The cache.
#[derive(Default)]
pub struct LongTable {
    slots: Vec<Slot>,
    bytes: Vec<u8>,
    lists: Vec<u32>,
    filled: usize,
    /// Maximum number of slots.
    most: usize,
}

/// Slots of a new cache.
const FIRST_SLOTS: usize = 1024;
/// Growth factor.
const GROWTH: usize = 4;

/// The hash of a string.
#[inline]
pub fn hash(text: &[u8]) -> u64 {
    xxh3_64(text)
}

impl LongTable {
    /// Room for at most `most` slots, rounded up to a power of two; 0 for a cache that stores nothing.
    pub fn new(most: usize) -> Self {
        let most = if most == 0 { 0 } else { most.max(PROBES).next_power_of_two() };
        let slots = if most == 0 { 0 } else { most.min(FIRST_SLOTS) + PROBES };
        Self { slots: vec![Slot::default(); slots], most, ..Self::default() }
    }

    #[inline]
    fn place(&self, hash: u64) -> usize {
        us(low32(hash >> 32)) & (self.slots.len() - PROBES - 1)
    }

    /// Prefetches the cache line that a hash leads to.
    #[inline]
    pub fn prefetch(&self, hash: u64) {
        if !self.slots.is_empty() {
            prefetch(&self.slots, self.place(hash));
        }
    }

    /// The numbers and flags of a string.
    pub fn find(&self, text: &[u8], hash: u64) -> Option<(&[u32], u32)> {
        if self.slots.is_empty() {
            return None;
        }
        let start = self.place(hash);
        let slot = self.slots[start..start + PROBES]
            .iter()
            .take_while(|slot| slot.len > 0)
            .find(|slot| slot.hash == low32(hash) && usize::from(slot.len) == text.len() && self.text(slot) == text)?;
        Some((&self.lists[us(slot.list)..us(slot.list) + usize::from(slot.count)], slot.flags))
    }

    fn text(&self, slot: &Slot) -> &[u8] {
        &self.bytes[us(slot.bytes)..us(slot.bytes) + usize::from(slot.len)]
    }

    /// Caches a string. Grows at a load of five eighths; at its bound it is cleared first.
    pub fn insert(&mut self, text: &[u8], hash: u64, list: &[u32], flags: u32) {
        let (Ok(len), Ok(count)) = (u16::try_from(text.len()), u16::try_from(list.len())) else { return };
        if self.slots.is_empty() || len == 0 {
            return;
        }
        if self.filled >= self.slots.len() / 8 * 5 {
            self.make_room();
        }
        let (bytes, lists) = (u32_of(self.bytes.len()), u32_of(self.lists.len()));
        if self.put(Slot { hash: low32(hash), bytes, len, count, list: lists, flags }, hash) {
            self.bytes.extend_from_slice(text);
            self.lists.extend_from_slice(list);
        }
    }

    fn put(&mut self, slot: Slot, hash: u64) -> bool {
        let start = self.place(hash);
        let free = self.slots[start..start + PROBES].iter_mut().find(|slot| slot.len == 0);
        let found = free.map(|place| *place = slot).is_some();
        self.filled += usize::from(found);
        found
    }

    #[cold]
    fn make_room(&mut self) {
        let slots = self.slots.len() - PROBES;
        self.filled = 0;
        if slots == self.most {
            self.slots.fill(Slot::default());
            self.bytes.clear();
            self.lists.clear();
            return;
        }
        let larger = vec![Slot::default(); (slots * GROWTH).min(self.most) + PROBES];
        for slot in std::mem::replace(&mut self.slots, larger) {
            if slot.len > 0 {
                let hash = hash(self.text(&slot));
                self.put(slot, hash);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remembers_and_forgets() {
        let mut table = LongTable::new(64);
        for number in 0..1000u32 {
            let text = format!("a string of some length {number}");
            table.insert(text.as_bytes(), hash(text.as_bytes()), &[number, number + 1], number & 3);
            if let Some((list, flags)) = table.find(text.as_bytes(), hash(text.as_bytes())) {
                assert_eq!((list, flags), (&[number, number + 1][..], number & 3));
            }
            assert!(table.filled <= 45);
        }
        assert!(table.filled > 0);
        assert!(table.find(b"another", hash(b"another")).is_none());
        let mut large = LongTable::new(1 << 14);
        let texts: Vec<String> = (0..9000).map(|number| format!("a string of some length {number}")).collect();
        for (text, number) in texts.iter().zip(0u32..) {
            large.insert(text.as_bytes(), hash(text.as_bytes()), &[number], 0);
        }
        let found = |text: &String| large.find(text.as_bytes(), hash(text.as_bytes())).map(|(list, _)| list[0]);
        assert!(texts.iter().zip(0u32..).all(|(text, number)| found(text).is_none_or(|other| other == number)));
        assert!(texts.iter().filter(|text| found(text).is_some()).count() > 8500);
        let mut nothing = LongTable::new(0);
        nothing.insert(b"a", hash(b"a"), &[1], 0);
        assert!(nothing.find(b"a", hash(b"a")).is_none());
    }
}
