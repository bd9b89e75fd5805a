//! A thread's cache of segmented units.

use crate::index::long_table::LongTable;
use crate::index::table::{Table, MAX_KEY};
use crate::units::key::Unit;
use crate::util::cast::us;

/// A thread's own unit table: the units that its texts had. Bounded, forgotten as a whole when it is full.
pub struct Learned {
    /// Short units.
    pub table: Table,
    /// Longer ones.
    pub long: LongTable,
    /// Longer ones that came as code points.
    pub wide: LongTable,
    /// Units found nowhere and segmented.
    pub misses: u64,
    /// How often everything was forgotten.
    pub wipes: u64,
    /// Texts that were read as code points.
    pub by_characters: u64,
}

impl Learned {
    /// An empty memory of so many slots; 0 switches learning off.
    #[must_use]
    pub fn new(slots: usize) -> Self {
        Self {
            table: Table::new(slots),
            long: LongTable::new(slots / 2),
            wide: LongTable::new(slots / 2),
            misses: 0,
            wipes: 0,
            by_characters: 0,
        }
    }

    /// The most slots of the table.
    #[must_use]
    pub const fn most(&self) -> usize {
        self.table.most()
    }

    /// Whether so many more units might make it forget everything.
    #[must_use]
    pub fn is_nearly_full(&self, more: usize) -> bool {
        self.table.len() + 2 * more > self.most() / 8 * 5
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        let most = self.most();
        let Self { misses, wipes, by_characters, .. } = *self;
        *self = Self { misses, wipes: wipes + 1, by_characters, ..Self::new(most) };
    }

    /// Asks for the memory that a unit's entry is in.
    #[inline]
    pub fn prefetch(&self, unit: &Unit) {
        if us(unit.len) <= MAX_KEY {
            self.table.view().prefetch(unit.hash);
        } else {
            self.long.prefetch(unit.hash);
        }
    }

    /// A unit's numbers.
    #[inline]
    #[must_use]
    pub fn numbers(&self, unit: &Unit, text: &[u8]) -> Option<&[u32]> {
        if us(unit.len) <= MAX_KEY {
            Some(self.table.view().find(unit.key, unit.hash)?.list(self.table.more()))
        } else {
            Some(self.long.find(text, unit.hash)?.0)
        }
    }

    /// Remembers a unit that came as code points, which are these bytes.
    pub fn learn_wide(&mut self, unit: &Unit, text: &[u8], ids: &[u32], flags: u32) {
        if unit.key.is_long() {
            self.wide.insert(text, unit.hash, ids, flags);
        } else {
            self.learn(unit, text, ids, flags);
        }
    }

    /// Puts other numbers in the place of those of a short unit that has three.
    pub fn learn_anew(&mut self, unit: &Unit, numbers: [u32; 3]) {
        if us(unit.len) <= MAX_KEY {
            self.table.replace(unit.key, unit.hash, numbers);
        }
    }

    /// Remembers a unit.
    pub fn learn(&mut self, unit: &Unit, text: &[u8], ids: &[u32], flags: u32) {
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
            self.wipes += 1;
        }
        self.table.insert(unit.key, unit.hash, ids, flags);
    }
}
