//! A thread's cache of segmented units.

use crate::index::long_table::LongTable;
use crate::index::table::{Key, Table, TableView, MAX_KEY};
use crate::normalize::normalized::BEHIND;
use crate::units::key::{Cut, Unit, WINDOW};
use crate::util::simd::read;
use crate::util::{u32_of, us};

/// What the entries of a [`UnitCache`] refer to besides their own numbers: lists, trees, distributions.
pub trait Arena {
    /// Bytes of memory in use.
    fn bytes(&self) -> usize;
    /// Removes everything.
    fn clear(&mut self);
}

impl Arena for () {
    fn bytes(&self) -> usize {
        0
    }

    fn clear(&mut self) {}
}

/// The unit cache of one thread: for each unit a list of numbers, which are its ids or refer to `values`. Bounded;
/// cleared as a whole when it is full.
#[derive(Default)]
pub struct UnitCache<V = ()> {
    /// Units of up to 15 bytes.
    pub table: Table,
    /// Longer units.
    pub long: LongTable,
    /// Longer units of texts that were read as code points.
    pub wide: LongTable,
    /// What the numbers refer to.
    pub values: V,
    /// Number of misses: units that were segmented.
    pub misses: u64,
    /// Number of times the cache was cleared.
    pub evictions: u64,
    /// Number of texts that were read as code points.
    pub by_characters: u64,
}

impl<V: Arena + Default> UnitCache<V> {
    /// An empty cache of `slots` slots; 0 disables caching.
    pub fn new(slots: usize) -> Self {
        let (table, [long, wide]) = (Table::new(slots), [slots / 2; 2].map(LongTable::new));
        Self { table, long, wide, ..Self::default() }
    }

    /// Whether `more` further units might make it clear itself.
    pub fn is_nearly_full(&self, more: usize) -> bool {
        self.table.len() + 2 * more > self.table.most / 8 * 5
    }

    /// Clears it if `more` further units might fill it, or if its values take more than `bytes` bytes. Numbers read
    /// before may refer to nothing then.
    pub fn make_room(&mut self, more: usize, bytes: usize) {
        if self.is_nearly_full(more) || self.values.bytes() > bytes {
            self.clear();
        }
    }

    /// Removes all entries and what they refer to.
    pub fn clear(&mut self) {
        let most = self.table.most;
        (self.table, self.long, self.wide) = (Table::new(most), LongTable::new(most / 2), LongTable::new(most / 2));
        self.values.clear();
        self.evictions += 1;
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

    /// Loads the units that begin at `starts`, the last of which is an end, as many as `units` holds, and prefetches
    /// their entries.
    pub fn load<'u>(&self, text: &[u8], starts: &[Cut], units: &'u mut [Unit]) -> &'u [Unit] {
        let count = (starts.len() - 1).min(units.len());
        let units = &mut units[..count];
        let (first, last) = (us(starts[0].at), us(starts[count].at));
        if last - first <= WINDOW {
            load_units(text, first, starts[1..].iter().map(|start| start.at), self, units);
        } else {
            for (unit, pair) in units.iter_mut().zip(starts.windows(2)) {
                *unit = Unit::load(text, pair[0].at, pair[1].at - pair[0].at);
                self.prefetch(unit);
            }
        }
        units
    }

    /// The cached numbers of a unit.
    #[inline]
    pub fn numbers(&self, unit: &Unit, text: &[u8]) -> Option<&[u32]> {
        if us(unit.len) <= MAX_KEY {
            Some(self.table.view().find(unit.key, unit.hash)?.list(&self.table.more))
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

/// Units at the end of a normalized text are read where they are.
const _: () = assert!(BEHIND >= WINDOW + 16);

/// Computes keys and hashes of units, given by their ends: they begin at `at`, and all of them within a window from
/// there. Prefetches their entries. Only keys, positions and lengths are written.
#[inline(always)]
pub fn load_units<V>(
    text: &[u8],
    at: usize,
    ends: impl Iterator<Item = u32>,
    cache: &UnitCache<V>,
    units: &mut [Unit],
) {
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

    /// Lists of units, addressed by where they begin.
    #[derive(Default)]
    struct Lists(Vec<u32>);

    impl Arena for Lists {
        fn bytes(&self) -> usize {
            4 * self.0.len()
        }

        fn clear(&mut self) {
            self.0.clear();
        }
    }

    #[test]
    fn values_are_cleared_with_the_entries_that_refer_to_them() {
        let mut cache = UnitCache::<Lists>::new(1 << 10);
        let (mut texts, mut ends) = (Vec::new(), vec![0]);
        for number in 0..9000u32 {
            texts.extend(format!("{number:x}{}", "x".repeat(us(number % 20))).bytes());
            ends.push(u32_of(texts.len()));
        }
        texts.extend([0; 16]);
        let unit = |number: u32| {
            let (start, end) = (ends[us(number)], ends[us(number) + 1]);
            (Unit::load(&texts, start, end - start), &texts[us(start)..us(end)])
        };
        for number in 0..9000 {
            let (unit, text) = unit(number);
            let before = cache.evictions;
            cache.make_room(1, 4000);
            assert!(cache.evictions == before || cache.values.0.is_empty() && cache.table.len() == 0);
            if cache.numbers(&unit, text).is_none() {
                cache.values.0.push(number);
                cache.insert(&unit, text, &[u32_of(cache.values.0.len() - 1)], 0);
            }
            assert!(cache.values.bytes() <= 4004);
        }
        assert!(cache.evictions >= 8);
        let value = |number: u32| {
            let (unit, text) = unit(number);
            Some(cache.values.0[us(cache.numbers(&unit, text)?[0])])
        };
        let known: Vec<u32> = (0..9000).filter(|&number| value(number).is_some()).collect();
        assert!(!known.is_empty());
        known.iter().for_each(|&number| assert_eq!(value(number), Some(number), "{known:?}"));
    }

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
