//! Weighted choice by random numbers: cumulative thresholds, and the key that the numbers of a unit are a function of.

use crate::util::cast::share_u16;
use crate::util::rng::{limit, Numbers, Seed};

/// The counter-based generator's input for one unit.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// The caller's seed.
    pub seed: Seed,
    /// Which fragment of the text the unit is in.
    pub fragment: u64,
    /// Where in the fragment it begins.
    pub place: u64,
}

/// The index of the weighted choice that a 64-bit number falls on, given its high 16 bits. The low 48 bits are drawn
/// only if the high 16 equal those of a threshold.
pub(crate) fn chosen(first: u16, thresholds: &[u64], rest: impl FnOnce() -> u64) -> usize {
    let Some((_, others)) = thresholds.split_last() else { return 0 };
    let mut number = u64::from(first) << 48;
    if others.iter().any(|&limit| limit >> 48 == u64::from(first)) {
        number |= rest() >> 16;
    }
    others.iter().filter(|&&limit| number >= limit).count()
}

impl Key {
    /// The random numbers of a place within the unit.
    pub const fn numbers(self, place: u64) -> Numbers {
        self.seed.numbers(self.fragment, self.place + place)
    }

    /// The first 16-bit number of a place within the unit.
    pub const fn first(self, place: u64) -> u16 {
        self.seed.first(self.fragment, self.place + place)
    }

    /// The index of the choice that the first number of a place within the unit falls on.
    pub fn choose(self, place: u64, thresholds: &[u64]) -> usize {
        chosen(self.first(place), thresholds, || self.numbers(place).draw64())
    }
}

/// Thresholds from cumulative weights: a number below a choice's threshold takes that choice. The last threshold is
/// above all numbers.
pub(crate) fn thresholds(sums: &[f64], whole: f64) -> impl Iterator<Item = u64> + '_ {
    let last = sums.len().saturating_sub(1);
    let scale = 1.0 / whole;
    sums.iter().enumerate().map(move |(index, &sum)| if index == last { u64::MAX } else { limit(sum * scale) })
}

/// The high 16 bits of all [`thresholds`] but the last.
#[inline(always)]
pub(crate) fn first_thresholds(sums: &[f64], whole: f64) -> impl Iterator<Item = u16> + '_ {
    let scale = 1.0 / whole;
    sums[..sums.len().saturating_sub(1)].iter().map(move |&sum| share_u16(sum * scale))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::cast::{f64_of, low16};

    #[test]
    fn first_limits_begin_the_limits() {
        for count in 0..20 {
            // Fractions from none to more than the whole.
            let mut sums: Vec<f64> = (1..=count).map(|number| f64_of(number) * 0.3).collect();
            for whole in [0.3 * f64_of(count), 0.3 * f64_of(count).max(1.0) - 1e-12, 1e-300, 1e300] {
                let wanted: Vec<u16> = thresholds(&sums, whole).map(|limit| low16(limit >> 48)).collect();
                assert!(first_thresholds(&sums, whole).eq(wanted.into_iter().take(count.saturating_sub(1))));
            }
            if let Some(first) = sums.first_mut() {
                *first = f64::NAN;
            }
            assert!(first_thresholds(&sums, 1.0)
                .take(1)
                .all(|limit| limit == low16(thresholds(&sums, 1.0).next().unwrap_or(0) >> 48)));
        }
    }

    #[test]
    fn numbers_that_begin_like_a_limit() {
        let mut numbers = crate::util::rng::Seed { seed: 5, epoch: 0, index: 0 }.numbers(0, 0);
        for _ in 0..200 {
            let number = numbers.draw64();
            for others in [vec![], vec![1], vec![1, 2, 3, 4, 5, 6]] {
                for middle in [number - 1, number, number + 1, number ^ 0x8000_0000] {
                    let thresholds: Vec<u64> = others.iter().copied().chain([middle, u64::MAX - 1, u64::MAX]).collect();
                    // Compares all 64 bits at once.
                    let plain = thresholds[..thresholds.len() - 1].iter().filter(|&&limit| number >= limit).count();
                    assert_eq!(chosen(low16(number >> 48), &thresholds, || number << 16), plain);
                }
            }
        }
    }
}
