//! A bounded memory for strings that are too long to be keys of their own: found by hash, proved by comparing bytes.

use xxhash_rust::xxh3::xxh3_64;

use crate::cast::{low32, u32_of, us};

const PROBES: usize = 4;

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

/// The memory.
#[derive(Default)]
pub struct LongTable {
    slots: Vec<Slot>,
    bytes: Vec<u8>,
    lists: Vec<u32>,
    filled: usize,
}

impl LongTable {
    /// Room for so many slots, a power of two; 0 for a memory that keeps nothing.
    #[must_use]
    pub fn new(slots: usize) -> Self {
        let slots = if slots == 0 { 0 } else { slots.max(PROBES).next_power_of_two() + PROBES };
        Self { slots: vec![Slot::default(); slots], ..Self::default() }
    }

    /// Number of entries.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.filled
    }

    /// Whether there is no entry.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.filled == 0
    }

    fn place(&self, hash: u64) -> usize {
        us(low32(hash >> 32)) & (self.slots.len() - PROBES - 1)
    }

    /// The numbers and flags of a string.
    #[must_use]
    pub fn find(&self, text: &[u8]) -> Option<(&[u32], u32)> {
        if self.slots.is_empty() {
            return None;
        }
        let hash = xxh3_64(text);
        let start = self.place(hash);
        let slot = self.slots[start..start + PROBES]
            .iter()
            .find(|slot| slot.hash == low32(hash) && usize::from(slot.len) == text.len() && self.text(slot) == text)?;
        Some((&self.lists[us(slot.list)..us(slot.list) + usize::from(slot.count)], slot.flags))
    }

    fn text(&self, slot: &Slot) -> &[u8] {
        &self.bytes[us(slot.bytes)..us(slot.bytes) + usize::from(slot.len)]
    }

    /// Remembers a string; forgets everything first when five eighths are filled.
    pub fn insert(&mut self, text: &[u8], list: &[u32], flags: u32) {
        let (Ok(len), Ok(count)) = (u16::try_from(text.len()), u16::try_from(list.len())) else { return };
        if self.slots.is_empty() || len == 0 {
            return;
        }
        if self.filled >= self.slots.len() / 8 * 5 {
            self.slots.fill(Slot::default());
            self.bytes.clear();
            self.lists.clear();
            self.filled = 0;
        }
        let hash = xxh3_64(text);
        let start = self.place(hash);
        let (bytes, lists) = (u32_of(self.bytes.len()), u32_of(self.lists.len()));
        let Some(slot) = self.slots[start..start + PROBES].iter_mut().find(|slot| slot.len == 0) else { return };
        *slot = Slot { hash: low32(hash), bytes, len, count, list: lists, flags };
        self.bytes.extend_from_slice(text);
        self.lists.extend_from_slice(list);
        self.filled += 1;
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
            table.insert(text.as_bytes(), &[number, number + 1], number & 3);
            if let Some((list, flags)) = table.find(text.as_bytes()) {
                assert_eq!((list, flags), (&[number, number + 1][..], number & 3));
            }
            assert!(table.len() <= 42);
        }
        assert!(!table.is_empty());
        assert!(table.find(b"another").is_none());
        let mut nothing = LongTable::new(0);
        nothing.insert(b"a", &[1], 0);
        assert!(nothing.find(b"a").is_none());
    }
}
