//! Open addressing with linear probing, and a map from 64-bit keys to values.

use crate::util::cast::{low64, u64_of, us64};

/// The first slot of a hash among any number of slots.
#[inline(always)]
pub fn first_slot(hash: u64, slots: usize) -> usize {
    us64(low64((u128::from(hash) * u128::from(u64_of(slots))) >> 64))
}

/// The first slot, from `first` on and around the end, whose content is `wanted`; there must be one.
#[inline(always)]
pub fn find_slot<S>(slots: &[S], first: usize, wanted: impl Fn(&S) -> bool) -> usize {
    let mut slot = first;
    while !wanted(&slots[slot]) {
        slot = if slot + 1 == slots.len() { 0 } else { slot + 1 };
    }
    slot
}

/// Marks a free slot; never a key.
const FREE: u64 = u64::MAX;
const FIRST_SLOTS: usize = 1 << 10;

/// The map: each key next to its value, at least a quarter of the slots free.
pub struct KeyMap<V> {
    slots: Vec<(u64, V)>,
    used: usize,
}

impl<V: Copy + Default> Default for KeyMap<V> {
    fn default() -> Self {
        Self { slots: vec![(FREE, V::default()); FIRST_SLOTS], used: 0 }
    }
}

impl<V: Copy + Default> KeyMap<V> {
    /// The slot of a key, or the free one for it.
    #[inline(always)]
    fn slot(&self, key: u64) -> usize {
        let hash = (key ^ key >> 32).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        find_slot(&self.slots, first_slot(hash, self.slots.len()), |slot| slot.0 == key || slot.0 == FREE)
    }

    /// The value of a key.
    #[inline]
    pub fn get(&self, key: u64) -> Option<V> {
        let (found, value) = self.slots[self.slot(key)];
        (found == key).then_some(value)
    }

    /// The value of a key, which is `new()` if it was not there.
    #[inline]
    pub fn entry(&mut self, key: u64, new: impl FnOnce() -> V) -> &mut V {
        let mut slot = self.slot(key);
        if self.slots[slot].0 == FREE {
            if (self.used + 1) * 4 > self.slots.len() * 3 {
                self.grow();
                slot = self.slot(key);
            }
            self.used += 1;
            self.slots[slot] = (key, new());
        }
        &mut self.slots[slot].1
    }

    #[cold]
    fn grow(&mut self) {
        let larger = vec![(FREE, V::default()); self.slots.len() * 2];
        for row in std::mem::replace(&mut self.slots, larger).into_iter().filter(|row| row.0 != FREE) {
            let slot = self.slot(row.0);
            self.slots[slot] = row;
        }
    }

    /// All keys with their values, unordered.
    pub fn iter(&self) -> impl Iterator<Item = (u64, V)> + '_ {
        self.slots.iter().copied().filter(|row| row.0 != FREE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holds_what_was_put_in() {
        let (mut map, mut state) = (KeyMap::default(), 7u64);
        let mut keys = Vec::new();
        for number in 0..5000u32 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            keys.push((state >> 20, number));
            assert_eq!(map.get(state >> 20), None);
            assert_eq!(*map.entry(state >> 20, || number), number);
        }
        assert!(keys.iter().all(|&(key, number)| map.get(key) == Some(number)));
        *map.entry(keys[0].0, || 1) += 9;
        keys[0].1 += 9;
        let mut found: Vec<_> = map.iter().collect();
        found.sort_unstable();
        keys.sort_unstable();
        assert_eq!(found, keys);
    }
}
