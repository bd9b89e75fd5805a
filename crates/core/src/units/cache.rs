//! A thread's cache of segmented units.

use crate::index::long_table::LongTable;
use crate::index::table::{Key, Table, TableView, MAX_KEY};
use crate::units::key::{Unit, WINDOW};
use crate::util::cast::{u32_of, us};
use crate::util::simd::read;

/// The unit cache of one thread. Bounded; cleared as a whole when it is full.
pub struct UnitCache {
    /// Units of up to 15 bytes.
    pub table: Table,
    /// Longer units.
    pub long: LongTable,
    /// Longer units of texts that were read as code points.
    pub wide: LongTable,
    /// Number of misses: units that were segmented.
    pub misses: u64,
    /// Number of times the cache was cleared.
    pub evictions: u64,
    /// Number of texts that were read as code points.
    pub by_characters: u64,
}

impl UnitCache {
    /// An empty cache of `slots` slots; 0 disables caching.
    pub fn new(slots: usize) -> Self {
        Self {
            table: Table::new(slots),
            long: LongTable::new(slots / 2),
            wide: LongTable::new(slots / 2),
            misses: 0,
            evictions: 0,
            by_characters: 0,
        }
    }

    /// Maximum number of slots of the table.
    pub const fn capacity(&self) -> usize {
        self.table.most()
    }

    /// Whether `more` further units might make it clear itself.
    pub fn is_nearly_full(&self, more: usize) -> bool {
        self.table.len() + 2 * more > self.capacity() / 8 * 5
    }

    /// Removes all entries.
    pub fn clear(&mut self) {
        let most = self.capacity();
        let Self { misses, evictions, by_characters, .. } = *self;
        *self = Self { misses, evictions: evictions + 1, by_characters, ..Self::new(most) };
    }

    /// Prefetches a unit's entry.
    #[inline]
    pub fn prefetch(&self, unit: &Unit) {
        if us(unit.len) <= MAX_KEY {
            self.table.view().prefetch(unit.hash);
        } else {
            self.long.prefetch(unit.hash);
        }
    }

    /// The cached numbers of a unit.
    #[inline]
    pub fn numbers(&self, unit: &Unit, text: &[u8]) -> Option<&[u32]> {
        if us(unit.len) <= MAX_KEY {
            Some(self.table.view().find(unit.key, unit.hash)?.list(self.table.more()))
        } else {
            Some(self.long.find(text, unit.hash)?.0)
        }
    }

    /// Caches a unit of code points, whose bytes are `text`.
    pub fn insert_wide(&mut self, unit: &Unit, text: &[u8], ids: &[u32], flags: u32) {
        if unit.key.is_long() {
            self.wide.insert(text, unit.hash, ids, flags);
        } else {
            self.insert(unit, text, ids, flags);
        }
    }

    /// Replaces the numbers of a short unit that has three.
    pub fn replace_short(&mut self, unit: &Unit, numbers: [u32; 3]) {
        if us(unit.len) <= MAX_KEY {
            self.table.replace(unit.key, unit.hash, numbers);
        }
    }

    /// Caches a unit.
    pub fn insert(&mut self, unit: &Unit, text: &[u8], ids: &[u32], flags: u32) {
        if unit.key.is_long() {
            if !unit.part {
                self.long.insert(text, unit.hash, ids, flags);
            }
            return;
        }
        if self.table.slots() == 0 {
            return;
        }
        if self.table.is_full() {
            self.table.clear();
            self.evictions += 1;
        }
        self.table.insert(unit.key, unit.hash, ids, flags);
    }
}

/// Computes keys and hashes of units, given by their ends: they begin at `at`, and all of them within a window from
/// there. Prefetches their entries. Only keys, positions and lengths are written.
#[inline(always)]
pub fn load_units(text: &[u8], at: usize, ends: impl Iterator<Item = u32>, cache: &UnitCache, units: &mut [Unit]) {
    let mut padded;
    let bytes = match text[at..].first_chunk() {
        Some(bytes) => bytes,
        None => {
            padded = [0; WINDOW + 16];
            read(text, at, &mut padded)
        }
    };
    if load_short(bytes, u32_of(at), ends, cache.table.view(), units) {
        for unit in units.iter_mut().filter(|unit| us(unit.len) > MAX_KEY) {
            let long = Unit::load(text, unit.start, unit.len);
            (unit.key, unit.hash) = (long.key, long.hash);
            cache.long.prefetch(unit.hash);
        }
    }
}

/// Keys, hashes and prefetches of units as if all were short; `bytes` are those of the window. Returns whether some are
/// long. Not inlined: this loop needs all registers.
#[inline(never)]
pub(crate) fn load_short(
    bytes: &[u8; WINDOW + 16],
    at: u32,
    ends: impl Iterator<Item = u32>,
    table: TableView<'_>,
    units: &mut [Unit],
) -> bool {
    let (mut start, mut lengths) = (at, 0);
    for (place, end) in units.iter_mut().zip(ends) {
        let (first, len) = (us(start - at) % WINDOW, end - start);
        let Some(raw) = bytes[first..first + 16].first_chunk() else { break };
        let key = Key::short(raw, us(len));
        let hash = key.hash();
        table.prefetch(hash);
        // The other fields keep their constant values.
        (place.key, place.hash, place.start, place.len) = (key, hash, start, len);
        lengths |= len;
        start = end;
    }
    us(lengths) > MAX_KEY
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::table::Table;

    #[test]
    fn short_units_are_as_each_by_itself() {
        let mut state = 7u32;
        let mut text = vec![0; WINDOW + 400];
        for byte in &mut text {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            *byte = state.to_le_bytes()[3];
        }
        let table = Table::new(64);
        for at in [0, 3, 300] {
            let (mut ends, mut end) = (Vec::new(), at);
            while end < at + u32_of(WINDOW) {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                end += 1 + (state >> 24) % if ends.len() % 50 == 49 { 40 } else { 15 };
                ends.push(end);
            }
            let Some(bytes) = text[us(at)..].first_chunk() else { continue };
            let mut units = vec![Unit::default(); ends.len()];
            let has_long = load_short(bytes, at, ends.iter().copied(), table.view(), &mut units);
            let mut start = at;
            for (unit, &end) in units.iter().zip(&ends) {
                let wanted = Unit::load(&text, start, end - start);
                assert!((unit.start, unit.len, unit.part) == (start, end - start, false));
                assert!(us(unit.len) > MAX_KEY || unit.key == wanted.key && unit.hash == wanted.hash);
                start = end;
            }
            assert_eq!(has_long, units.iter().any(|unit| us(unit.len) > MAX_KEY));
        }
    }
}
