//! What edges weigh at a temperature, how the weights of ways are added, and which numbers take which choice.

use libm::{exp, log};

use crate::util::cast::f64_of;

/// What edges weigh at a temperature, and how the weights of ways are added.
#[derive(Clone, Copy, Debug)]
pub struct Semiring {
    /// The inverse temperature.
    pub alpha: f64,
    /// Whether weights are added as they are, which short units with moderate scores allow; otherwise by their logarithms.
    linear: bool,
}

/// The product of weights of a unit is at least the exponential of minus this, and at most of this.
const MAX_LINEAR: f64 = 600.0;

impl Semiring {
    /// For a unit of so many bytes, in a vocabulary with this largest absolute score.
    pub fn new(alpha: f64, largest: f64, length: usize) -> Self {
        // At most two ways for each byte.
        Self { alpha, linear: (alpha * largest + 0.7) * f64_of(length) <= MAX_LINEAR }
    }

    /// Whether weights are added as they are.
    pub const fn is_linear(self) -> bool {
        self.linear
    }

    /// What an edge weighs: as it is, or its logarithm.
    #[inline]
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
    pub(crate) fn mul(self, way: f64, weight: f64) -> f64 {
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
