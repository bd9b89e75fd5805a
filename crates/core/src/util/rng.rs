//! Counter-based random numbers: Philox 4x64 with ten rounds.
//!
//! There is no generator state: a key and a place give the same numbers on any thread, in any order and on any machine.

use crate::util::cast::{low16, low32, low64, us64};

const MULTIPLIERS: [u64; 2] = [0xD2E7_470E_E14C_6C93, 0xCA5A_8263_9512_1157];
const STEPS: [u64; 2] = [0x9E37_79B9_7F4A_7C15, 0xBB67_AE85_84CA_A73B];
const ROUNDS: usize = 10;

/// The seed of a draw, besides the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seed {
    /// The caller's seed.
    pub seed: u64,
    /// Which pass over the texts.
    pub epoch: u64,
    /// Which text.
    pub index: u64,
}

/// Number of places that share a block of first numbers.
pub const SHARING: u64 = 16;
/// Bytes of a block.
pub const BLOCK: usize = 32;

/// The first 16-bit numbers of [`SHARING`] consecutive places.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shared([u64; 4]);

impl Shared {
    /// The number of a place, by its index within the block: words in order, the high quarter of each first.
    #[inline(always)]
    pub const fn of(&self, place: u64) -> u16 {
        low16(self.0[us64(place % SHARING / 4)] >> (48 - 16 * (place % 4)))
    }

    /// All numbers in the order of their places, each with its high byte first.
    #[inline(always)]
    fn bytes(&self) -> [u8; BLOCK] {
        let mut bytes = [0; BLOCK];
        for (bytes, word) in bytes.chunks_exact_mut(8).zip(self.0) {
            bytes.copy_from_slice(&word.to_be_bytes());
        }
        bytes
    }
}

/// The stream of numbers of one place.
#[derive(Clone, Copy, Default)]
pub struct Numbers {
    key: [u64; 2],
    counter: [u64; 4],
    /// Words in order, the high half of each first.
    block: [u32; HALVES],
    /// Halves of the block that were consumed.
    used: usize,
}

const HALVES: usize = 8;

impl Seed {
    /// The numbers for a place in a fragment of the text.
    #[inline]
    pub const fn numbers(self, fragment: u64, place: u64) -> Numbers {
        Numbers {
            key: [self.seed, self.index],
            counter: [0, place, self.epoch, fragment],
            block: [0; HALVES],
            used: HALVES,
        }
    }

    /// The first numbers of the places of a fragment.
    pub const fn first_numbers(self, fragment: u64) -> FirstNumbers {
        FirstNumbers { keys: keys([self.seed, self.index]), epoch: self.epoch, fragment }
    }

    /// The first number of a place.
    pub const fn first(self, fragment: u64, place: u64) -> u16 {
        self.first_numbers(fragment).of(place)
    }
}

/// The first numbers of all places of a fragment.
#[derive(Clone, Copy, Debug, Default)]
pub struct FirstNumbers {
    keys: [[u64; 2]; ROUNDS],
    epoch: u64,
    fragment: u64,
}

impl FirstNumbers {
    /// Block `number`, for the places from `SHARING * number` on.
    #[inline(always)]
    pub const fn block(&self, number: u64) -> Shared {
        Shared(self.words(u64::MAX, number))
    }

    /// The words of a place, or of a block, by a first counter.
    #[inline(always)]
    const fn words(&self, first: u64, place: u64) -> [u64; 4] {
        rounds(&self.keys, [first, place, self.epoch, self.fragment])
    }

    /// The first number of a place.
    pub const fn of(&self, place: u64) -> u16 {
        self.block(place / SHARING).of(place)
    }

    /// Writes consecutive blocks from `first` on: the places in order, the high byte of each first.
    pub fn write(&self, first: u64, blocks: &mut [[u8; BLOCK]]) {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("bmi2") {
            #[allow(unsafe_code)]
            // SAFETY: the processor has the instructions.
            return unsafe { self.write_by_mulx(first, blocks) };
        }
        self.write_anywhere(first, blocks);
    }

    /// Compiled for BMI2, whose multiplication takes half as many instructions; the numbers are identical.
    #[cfg(target_arch = "x86_64")]
    #[allow(unsafe_code)]
    #[target_feature(enable = "bmi2")]
    unsafe fn write_by_mulx(&self, first: u64, blocks: &mut [[u8; BLOCK]]) {
        self.write_anywhere(first, blocks);
    }

    #[inline(always)]
    fn write_anywhere(&self, first: u64, blocks: &mut [[u8; BLOCK]]) {
        for (bytes, number) in blocks.iter_mut().zip(first..) {
            *bytes = self.block(number).bytes();
        }
    }
}

impl Numbers {
    /// The next 32-bit number: words of blocks in order, the high half of each first.
    #[inline(always)]
    pub fn draw(&mut self) -> u32 {
        if self.used == HALVES {
            self.refill();
        }
        let number = self.block[self.used % HALVES];
        self.used += 1;
        number
    }

    #[inline(never)]
    fn refill(&mut self) {
        self.block = halves(philox(self.key, self.counter));
        self.counter[0] += 1;
        self.used = 0;
    }

    /// The next 64-bit number.
    pub fn draw64(&mut self) -> u64 {
        let high = self.draw();
        u64::from(high) << 32 | u64::from(self.draw())
    }

    /// A number above 0 and below 1, from 53 random bits.
    pub fn uniform(&mut self) -> f64 {
        unit_of(self.draw64())
    }
}

/// Bernoulli trials of one place, all with one probability.
#[derive(Clone)]
pub struct Trials {
    numbers: Numbers,
    high: u32,
    low: u32,
}

impl Trials {
    /// A trial succeeds if its number is below `limit`.
    #[inline(always)]
    pub const fn new(numbers: Numbers, limit: u64) -> Self {
        Self { numbers, high: low32(limit >> 32), low: low32(limit) }
    }

    /// The next trial: by 32 bits, and by 32 more only where these equal the high half of the limit.
    #[inline(always)]
    pub fn next_trial(&mut self) -> bool {
        let number = self.numbers.draw();
        if number == self.high {
            return self.numbers.draw() < self.low;
        }
        number < self.high
    }
}

/// Number of trials made at a time.
pub const MAX_TRIALS: usize = HALVES;

/// The first Bernoulli trials of the places of a fragment.
#[derive(Clone, Copy, Debug)]
pub struct BlockTrials {
    places: FirstNumbers,
    high: u32,
}

impl BlockTrials {
    /// A trial succeeds if its number is below `limit`.
    pub const fn new(seed: Seed, fragment: u64, limit: u64) -> Self {
        Self { places: seed.first_numbers(fragment), high: low32(limit >> 32) }
    }

    /// Outcomes of the first [`MAX_TRIALS`] trials of a place, the first in the lowest bit: as [`Trials`] gives them, or
    /// `None` if one of them needs more than 32 bits.
    #[inline(always)]
    pub fn outcomes(&self, place: u64) -> Option<u32> {
        let words = self.places.words(0, place);
        let (mut outcomes, mut is_open) = (0, false);
        for (word, place) in words.into_iter().zip([0, 2, 4, 6]) {
            let (one, other) = (low32(word >> 32), low32(word));
            outcomes |= u32::from(one < self.high) << place | u32::from(other < self.high) << (place + 1);
            is_open |= (one == self.high) | (other == self.high);
        }
        (!is_open).then_some(outcomes)
    }
}

/// The 53 high bits of a number, plus one half, over 2^53: above 0 and below 1. The largest result is capped, since it
/// would round to 1.
pub fn unit_of(number: u64) -> f64 {
    let bits = number >> 11;
    // Below 2^53, so each half is exact as a double.
    let (high, low) = (bits >> 32, bits & 0xFFFF_FFFF);
    let value = f64::from(low32(high)) * 4_294_967_296.0 + f64::from(low32(low));
    ((value + 0.5) / 9_007_199_254_740_992.0).min(1.0 - f64::EPSILON / 2.0)
}

/// Words in order, the high half of each first.
#[inline(always)]
fn halves(words: [u64; 4]) -> [u32; HALVES] {
    std::array::from_fn(|at| low32(words[at / 2] >> (32 * (1 - at % 2))))
}

/// One block of four 64-bit numbers.
#[inline]
pub const fn philox(key: [u64; 2], counter: [u64; 4]) -> [u64; 4] {
    rounds(&keys(key), counter)
}

/// The round keys.
const fn keys(key: [u64; 2]) -> [[u64; 2]; ROUNDS] {
    let mut keys = [key; ROUNDS];
    let mut round = 1;
    while round < ROUNDS {
        let [one, other] = keys[round - 1];
        keys[round] = [one.wrapping_add(STEPS[0]), other.wrapping_add(STEPS[1])];
        round += 1;
    }
    keys
}

#[inline(always)]
const fn rounds(keys: &[[u64; 2]; ROUNDS], counter: [u64; 4]) -> [u64; 4] {
    let mut words = counter;
    let mut round = 0;
    while round < ROUNDS {
        let (high0, low0) = widening_mul(MULTIPLIERS[0], words[0]);
        let (high1, low1) = widening_mul(MULTIPLIERS[1], words[2]);
        words = [high1 ^ words[1] ^ keys[round][0], low1, high0 ^ words[3] ^ keys[round][1], low0];
        round += 1;
    }
    words
}

#[inline]
#[allow(clippy::as_conversions)]
const fn widening_mul(one: u64, other: u64) -> (u64, u64) {
    let product = one as u128 * other as u128;
    (low64(product >> 64), low64(product))
}

/// The limit below which a fraction `share` of all 64-bit numbers lies.
#[inline]
pub fn limit(share: f64) -> u64 {
    crate::util::cast::share_u64(share)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_answers() {
        // Test vectors of the Philox paper.
        assert_eq!(
            philox([0; 2], [0; 4]),
            [0x1655_4D9E_CA36_314C, 0xDB20_FE9D_672D_0FDC, 0xD7E7_72CE_E186_176B, 0x7E68_B68A_EC7B_A23B]
        );
        assert_eq!(
            philox([u64::MAX; 2], [u64::MAX; 4]),
            [0x87B0_92C3_013F_E90B, 0x438C_3C67_BE8D_0224, 0x9CC7_D7C6_9CD7_77B6, 0xA09C_AEBF_594F_0BA0]
        );
    }

    #[test]
    fn first_numbers_in_order() {
        let numbers = Seed { seed: 3, epoch: 1, index: 2 }.first_numbers(4);
        let (mut blocks, mut others) = ([[0; BLOCK]; 3], [[0; BLOCK]; 3]);
        numbers.write(5, &mut blocks);
        numbers.write_anywhere(5, &mut others);
        assert_eq!(blocks, others);
        for (place, pair) in (5 * SHARING..).zip(blocks.as_flattened().chunks_exact(2)) {
            assert_eq!(u16::from_be_bytes([pair[0], pair[1]]), numbers.of(place));
        }
    }

    #[test]
    fn coins_of_a_block() {
        let (seed, limit) = (Seed { seed: 3, epoch: 1, index: 2 }, limit(0.3));
        for place in 0..200 {
            let mut trials = Trials::new(seed.numbers(4, place), limit);
            let outcomes: u32 = (0..MAX_TRIALS).map(|next_trial| u32::from(trials.next_trial()) << next_trial).sum();
            assert_eq!(BlockTrials::new(seed, 4, limit).outcomes(place), Some(outcomes));
            // A limit whose high half equals one of the numbers.
            let number = seed.numbers(4, place).draw();
            assert_eq!(BlockTrials::new(seed, 4, u64::from(number) << 32 | 5).outcomes(place), None);
        }
    }

    #[test]
    fn shares() {
        assert_eq!((limit(0.0), limit(1.0), limit(0.5)), (0, u64::MAX, 1 << 63));
        assert!(unit_of(0) > 0.0 && unit_of(u64::MAX) < 1.0);
    }
}
