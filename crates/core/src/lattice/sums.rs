//! Sums over all paths in the log semiring, unit by unit: partition function, marginals, entropy.
//!
//! At inverse temperature `alpha` a path has the weight `exp(alpha * score)`.

use libm::{exp, log};

use crate::lattice::Lattice;
use crate::util::{report, us};

/// The sums of a lattice at one temperature.
pub struct Sums {
    /// For each position the log weight of all paths from the beginning of its unit; 0 at boundaries.
    pub(crate) forward: Vec<f64>,
    /// For each unit the log weight of all its paths.
    partitions: Vec<f64>,
    alpha: f64,
}

/// Log-sum-exp; minus infinity for no values.
pub(crate) fn log_sum(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let most = values.clone().fold(f64::NEG_INFINITY, f64::max);
    let mut count = 0;
    let sum: f64 = values.inspect(|_| count += 1).map(|value| exp(value - most)).sum();
    if count < 2 {
        return most;
    }
    most + log(sum)
}

impl Sums {
    /// Forward sums from the beginning of each unit.
    pub fn new(lattice: &Lattice, alpha: f64) -> Self {
        let mut forward = vec![f64::NEG_INFINITY; lattice.length() + 1];
        let mut partitions = Vec::with_capacity(lattice.bounds.len());
        for unit in lattice.units() {
            report(unit.end - unit.start);
            forward[unit.start] = 0.0;
            for place in unit.start + 1..=unit.end {
                let (_, edges) = unit.ending(place);
                forward[place] = log_sum(edges.iter().map(|edge| forward[us(edge.start)] + alpha * edge.score));
            }
            partitions.push(forward[unit.end]);
            forward[unit.end] = 0.0;
        }
        Self { forward, partitions, alpha }
    }

    /// The log weight of all paths: the log partition function.
    pub fn partition(&self) -> f64 {
        // An empty sum would be -0.0.
        self.partitions.iter().sum::<f64>() + 0.0
    }

    /// For each position the log weight of all paths from the beginning of the unit that it ends or is in.
    pub fn totals(&self, lattice: &Lattice) -> Vec<f64> {
        let mut totals = self.forward.clone();
        for (unit, &partition) in lattice.units().zip(&self.partitions) {
            totals[unit.end] = partition;
        }
        totals
    }

    /// For each edge the marginal probability: the share of the total weight of the paths through it.
    pub fn marginals(&self, lattice: &Lattice) -> Vec<f64> {
        let mut marginals = vec![0.0; lattice.edges.len()];
        let mut behind = vec![f64::NEG_INFINITY; lattice.length() + 1];
        for (number, unit) in lattice.units().enumerate() {
            behind[unit.end] = 0.0;
            for place in (unit.start + 1..=unit.end).rev() {
                let (first, edges) = unit.ending(place);
                for (index, edge) in edges.iter().enumerate() {
                    let (start, weight) = (us(edge.start), self.alpha * edge.score + behind[place]);
                    let total = &mut behind[start];
                    *total = log_sum([*total, weight].into_iter());
                    marginals[first + index] = exp(self.forward[start] + weight - self.partitions[number]).min(1.0);
                }
            }
            behind[unit.start] = 0.0;
        }
        marginals
    }

    /// The entropy of the distribution over paths, in nats.
    pub fn entropy(&self, lattice: &Lattice) -> f64 {
        let (mut entropy, totals) = (vec![0.0; lattice.length() + 1], self.totals(lattice));
        let mut sum = 0.0;
        for unit in lattice.units() {
            entropy[unit.start] = 0.0;
            for place in unit.start + 1..=unit.end {
                entropy[place] = unit.ending(place).1.iter().fold(0.0, |sum, edge| {
                    let share = self.forward[us(edge.start)] + self.alpha * edge.score - totals[place];
                    let weight = exp(share);
                    if weight > 0.0 {
                        sum + weight * (entropy[us(edge.start)] - share)
                    } else {
                        sum
                    }
                });
            }
            sum += entropy[unit.end];
        }
        sum
    }
}
