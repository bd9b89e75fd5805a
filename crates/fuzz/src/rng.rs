//! Deterministic random numbers from a seed: splitmix64, equal on every platform.

use anypiece_core::util::cast::{low32, low8, u64_of, us64};

/// A stream of numbers.
pub struct Rng(u64);

impl Rng {
    /// The stream of a seed.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The stream of a case of a run: streams of adjacent cases are unrelated.
    pub fn of_case(seed: u64, case: u64) -> Self {
        let mut first = Self(seed);
        let mixed = first.next() ^ case.wrapping_mul(0xD6E8_FEB8_6659_FD93);
        Self(mixed)
    }

    /// The next 64 bits.
    pub const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`; 0 if that is 0.
    pub fn below(&mut self, end: usize) -> usize {
        us64(self.next() % u64_of(end.max(1)))
    }

    /// True with a probability of `chance` percent.
    pub fn percent(&mut self, chance: usize) -> bool {
        self.below(100) < chance
    }

    /// Any byte.
    pub const fn byte(&mut self) -> u8 {
        low8(low32(self.next()))
    }

    /// Any 32 bits.
    pub const fn word(&mut self) -> u32 {
        low32(self.next())
    }

    /// One of the items, of which there must be at least one.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    /// At most `most`, and mostly far less: the range is drawn first.
    pub fn size(&mut self, most: usize) -> usize {
        let mut range = 1;
        while range < most && self.percent(70) {
            range *= 3;
        }
        self.below(range.min(most) + 1)
    }
}
