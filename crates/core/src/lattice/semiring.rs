//! What edges weigh at a temperature, how the weights of ways are added, and which numbers take which choice.

use libm::{exp, log};

use crate::util::cast::{f64_of, share_u16};
use crate::util::rng::limit;

/// What edges weigh at a temperature, and how the weights of ways are added.
#[derive(Clone, Copy, Debug)]
pub struct Weighing {
    /// The inverse temperature.
    pub alpha: f64,
    /// Whether weights are added as they are, which short units with moderate scores allow; otherwise by their logarithms.
    linear: bool,
}

/// The product of weights of a unit is at least the exponential of minus this, and at most of this.
const MAX_LINEAR: f64 = 600.0;

impl Weighing {
    /// For a unit of so many bytes, in a vocabulary with this largest absolute score.
    #[must_use]
    pub fn new(alpha: f64, largest: f64, length: usize) -> Self {
        // At most two ways for each byte.
        Self { alpha, linear: (alpha * largest + 0.7) * f64_of(length) <= MAX_LINEAR }
    }

    /// Whether weights are added as they are.
    #[must_use]
    pub const fn is_linear(self) -> bool {
        self.linear
    }

    /// What an edge weighs: as it is, or its logarithm.
    #[inline]
    #[must_use]
    pub fn weight(self, score: f64) -> f64 {
        if self.linear {
            exp(self.alpha * score)
        } else {
            self.alpha * score
        }
    }

    /// The weight of no edge at all.
    pub(crate) const fn one(self) -> f64 {
        if self.linear {
            1.0
        } else {
            0.0
        }
    }

    #[inline]
    pub(crate) fn along(self, way: f64, weight: f64) -> f64 {
        if self.linear {
            way * weight
        } else {
            way + weight
        }
    }

    /// Turns the weights of ways into their sums up to each; returns the weight of all, and the sum that stands for it.
    #[inline]
    pub(crate) fn sum_up(self, weights: &mut [f64]) -> (f64, f64) {
        let mut sum = 0.0;
        if self.linear {
            for weight in weights.iter_mut() {
                sum += *weight;
                *weight = sum;
            }
            return (sum, sum);
        }
        let most = weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        for weight in weights.iter_mut() {
            sum += exp(*weight - most);
            *weight = sum;
        }
        (if sum == 1.0 { most } else { most + log(sum) }, sum)
    }
}

/// The limits of choices whose weights were summed up: a choice is taken by a number below its limit. The last has all numbers
/// below it.
pub(crate) fn limits(sums: &[f64], whole: f64) -> impl Iterator<Item = u64> + '_ {
    let last = sums.len().saturating_sub(1);
    let scale = 1.0 / whole;
    sums.iter().enumerate().map(move |(index, &sum)| if index == last { u64::MAX } else { limit(sum * scale) })
}

/// The first 16 bits of the same limits but the last.
#[inline(always)]
pub(crate) fn first_limits(sums: &[f64], whole: f64) -> impl Iterator<Item = u16> + '_ {
    let scale = 1.0 / whole;
    sums[..sums.len().saturating_sub(1)].iter().map(move |&sum| share_u16(sum * scale))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::cast::low16;

    #[test]
    fn first_limits_begin_the_limits() {
        for count in 0..20 {
            // Shares from none to more than all.
            let mut sums: Vec<f64> = (1..=count).map(|number| f64_of(number) * 0.3).collect();
            for whole in [0.3 * f64_of(count), 0.3 * f64_of(count).max(1.0) - 1e-12, 1e-300, 1e300] {
                let wanted: Vec<u16> = limits(&sums, whole).map(|limit| low16(limit >> 48)).collect();
                assert!(first_limits(&sums, whole).eq(wanted.into_iter().take(count.saturating_sub(1))));
            }
            if let Some(first) = sums.first_mut() {
                *first = f64::NAN;
            }
            assert!(first_limits(&sums, 1.0)
                .take(1)
                .all(|limit| limit == low16(limits(&sums, 1.0).next().unwrap_or(0) >> 48)));
        }
    }
}
