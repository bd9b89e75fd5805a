//! The semiring of path weights at a temperature, real or log, and cumulative sums for sampling.

use libm::{exp, log};

use crate::util::f64_of;

/// The weights of edges at a temperature, and their addition.
#[derive(Clone, Copy, Debug)]
pub struct Semiring {
    /// The inverse temperature.
    pub alpha: f64,
    /// Whether weights are real numbers, which short units with moderate scores allow; otherwise logarithms.
    pub(crate) is_linear: bool,
}

/// Bound on the absolute log weight of a unit's paths, so that real weights do not overflow.
const MAX_LINEAR: f64 = 600.0;

impl Semiring {
    /// For a unit of `length` bytes, in a vocabulary with this largest absolute score.
    pub fn new(alpha: f64, largest: f64, length: usize) -> Self {
        // At most two paths per byte.
        Self { alpha, is_linear: (alpha * largest + 0.7) * f64_of(length) <= MAX_LINEAR }
    }

    /// The weight of an edge, or its logarithm.
    pub fn weight(self, score: f64) -> f64 {
        if self.is_linear {
            exp(self.alpha * score)
        } else {
            self.alpha * score
        }
    }

    /// The neutral element: the weight of the empty path.
    pub(crate) const fn one(self) -> f64 {
        if self.is_linear {
            1.0
        } else {
            0.0
        }
    }

    #[inline]
    pub(crate) fn mul(self, path: f64, weight: f64) -> f64 {
        if self.is_linear {
            path * weight
        } else {
            path + weight
        }
    }

    /// Turns weights into cumulative sums; returns the total weight, and the cumulative sum that represents it.
    #[inline]
    pub(crate) fn sum_up(self, weights: &mut [f64]) -> (f64, f64) {
        let mut sum = 0.0;
        if self.is_linear {
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
