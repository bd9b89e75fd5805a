//! Choices by random numbers: which numbers take which of some weighted choices.

use crate::util::cast::share_u16;
use crate::util::rng::{limit, Numbers, Seed};

/// What the numbers of a unit are a function of.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// The caller's seed.
    pub seed: Seed,
    /// Which fragment of the text the unit is in.
    pub fragment: u64,
    /// Where in the fragment it begins.
    pub place: u64,
}

/// Which of some choices a number of 64 bits takes that begins with 16 bits. The others are drawn only if these are the first of a
/// limit.
pub(crate) fn chosen(first: u16, thresholds: &[u64], rest: impl FnOnce() -> u64) -> usize {
    let Some((_, others)) = thresholds.split_last() else { return 0 };
    let mut number = u64::from(first) << 48;
    if others.iter().any(|&limit| limit >> 48 == u64::from(first)) {
        number |= rest() >> 16;
    }
    others.iter().filter(|&&limit| number >= limit).count()
}

impl Key {
    /// The numbers of a place of the unit.
    pub const fn numbers(self, place: u64) -> Numbers {
        self.seed.numbers(self.fragment, self.place + place)
    }

    /// The first number of a place of the unit.
    pub const fn first(self, place: u64) -> u16 {
        self.seed.first(self.fragment, self.place + place)
    }

    /// Which of some choices the first number of a place of the unit takes.
    pub fn choose(self, place: u64, thresholds: &[u64]) -> usize {
        chosen(self.first(place), thresholds, || self.numbers(place).draw64())
    }
}

/// The limits of choices whose weights were summed up: a choice is taken by a number below its limit. The last has all numbers
/// below it.
pub(crate) fn thresholds(sums: &[f64], whole: f64) -> impl Iterator<Item = u64> + '_ {
    let last = sums.len().saturating_sub(1);
    let scale = 1.0 / whole;
    sums.iter().enumerate().map(move |(index, &sum)| if index == last { u64::MAX } else { limit(sum * scale) })
}

/// The first 16 bits of the same limits but the last.
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
            // Shares from none to more than all.
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
                    // By all 64 bits at once.
                    let plain = thresholds[..thresholds.len() - 1].iter().filter(|&&limit| number >= limit).count();
                    assert_eq!(chosen(low16(number >> 48), &thresholds, || number << 16), plain);
                }
            }
        }
    }
}
