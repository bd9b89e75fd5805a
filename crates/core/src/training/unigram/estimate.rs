//! One EM step: the expected count of each piece under the current scores, and the new scores.
//!
//! Forward–backward: `ahead[i]` is the probability of everything up to position `i`, `behind[i]` of everything from
//! there, and an edge from `i` to `j` is used with probability `ahead[i] * p * behind[j]` over that of the whole.
//! Expected counts are accumulated as integer multiples of 2^-k, so that the order of addition does not matter.

use crate::training::team::{added, Team};
use crate::training::unigram::edges::{Edges, Span};
use crate::training::unigram::model::Model;
use crate::training::Progress;
use crate::util::{f64_count, us, Error, Result};

/// Pieces with a smaller expected count are removed.
const LEAST_EXPECTED: f64 = 0.5;
/// Below this probability a span is recomputed with explicit exponents.
const SMALL: f64 = 1e-250;
/// Longer spans, in positions, are computed with explicit exponents at once.
const LONG: usize = 4096;
/// Adding this rounds to an integer, which is then in the low bits: for numbers below 2^51.
const ROUNDING: f64 = 4_503_599_627_370_496.0;

/// The sums of one thread.
#[derive(Default)]
struct Sums {
    expected: Vec<u64>,
    /// The log probability of each task's spans, by task.
    objectives: Vec<(usize, f64)>,
    ahead: Vec<f64>,
    behind: Vec<f64>,
    wide: Vec<Wide>,
    wide_behind: Vec<Wide>,
}

/// Re-estimates all scores and removes pieces with too small expected counts. Returns the mean log-probability of a
/// segment under the old scores.
pub fn step(model: &mut Model, edges: &Edges, now: Progress, team: &mut Team<'_>) -> Result<f64> {
    model.weigh(libm::exp);
    let unit = edges.unit();
    let pass = Pass { edges, model, unit };
    let state = || Sums { expected: vec![0; pass.model.len()], ..Sums::default() };
    let parts = team.run(now, edges.tasks(), state, |own, task| {
        let objective = edges.task(task).iter().map(|&span| pass.add(own, span) * f64_count(span.count)).sum();
        own.objectives.push((task, objective));
    })?;
    let mut objectives: Vec<(usize, f64)> = parts.iter().flat_map(|part| part.objectives.iter().copied()).collect();
    objectives.sort_unstable_by_key(|row| row.0);
    let objective: f64 = objectives.iter().map(|row| row.1).sum();
    let expected = added(parts.into_iter().map(|part| part.expected));
    let expected = expected.into_iter().map(|sum| f64_count(sum) / unit);
    rescore(model, expected.collect())?;
    Ok(objective / edges.weight())
}

/// Scores from expected counts. The digamma function instead of the logarithm penalizes rare pieces.
fn rescore(model: &mut Model, expected: Vec<f64>) -> Result<()> {
    let mut sum = 0.0;
    for (piece, &count) in expected.iter().enumerate() {
        if model.present[piece] && count >= LEAST_EXPECTED {
            sum += count;
        } else {
            model.remove(piece);
        }
    }
    if model.alive() == 0 {
        return Err(Error::new("words-table", "there is too little text to train on: no piece is expected even once"));
    }
    let all = digamma(sum);
    for (piece, &count) in expected.iter().enumerate() {
        if model.present[piece] {
            model.scores[piece] = digamma(count) - all;
        }
    }
    Ok(())
}

/// The digamma function: a recurrence up to 7, then its asymptotic series.
fn digamma(mut x: f64) -> f64 {
    let mut result = 0.0;
    while x < 7.0 {
        result -= 1.0 / x;
        x += 1.0;
    }
    x -= 0.5;
    let square = 1.0 / (x * x);
    let series = square * (1.0 / 24.0 - square * (7.0 / 960.0 - square * (31.0 / 8064.0 - square * (127.0 / 30720.0))));
    result + libm::log(x) + series
}

struct Pass<'p> {
    edges: &'p Edges,
    model: &'p Model,
    unit: f64,
}

impl Pass<'_> {
    /// Adds the expected counts of a span; returns its log-probability.
    fn add(&self, own: &mut Sums, span: Span) -> f64 {
        let places = self.edges.longest(us(span.start), us(span.end - span.start));
        let scale = f64_count(span.count) * self.unit;
        let total = if places.len() <= LONG { self.forward(own, places) } else { 0.0 };
        if total < SMALL {
            return self.add_wide(own, places, scale);
        }
        self.backward(own, places, scale / total);
        libm::log(total)
    }

    fn forward(&self, own: &mut Sums, places: &[u32]) -> f64 {
        let ahead = &mut own.ahead;
        ahead.clear();
        ahead.resize(places.len() + 1, 0.0);
        ahead[0] = 1.0;
        for (from, &longest) in places.iter().enumerate() {
            let sum = ahead[from];
            for (_, node) in self.model.beginning(longest) {
                ahead[from + usize::from(node.length)] += sum * node.weight;
            }
        }
        ahead[places.len()]
    }

    fn backward(&self, own: &mut Sums, places: &[u32], scale: f64) {
        let behind = &mut own.behind;
        behind.resize(places.len() + 1, 0.0);
        behind[places.len()] = 1.0;
        for (from, &longest) in places.iter().enumerate().rev() {
            let scaled = own.ahead[from] * scale;
            let mut sum = 0.0;
            for (piece, node) in self.model.beginning(longest) {
                let rest = node.weight * behind[from + usize::from(node.length)];
                sum += rest;
                let expected = &mut own.expected[us(piece)];
                *expected = expected.wrapping_add(rounded(scaled * rest));
            }
            behind[from] = sum;
        }
    }

    /// Adds the expected counts of a span whose probability underflows a double.
    fn add_wide(&self, own: &mut Sums, places: &[u32], scale: f64) -> f64 {
        let (ahead, behind) = (&mut own.wide, &mut own.wide_behind);
        ahead.clear();
        ahead.resize(places.len() + 1, Wide::ZERO);
        ahead[0] = Wide::ONE;
        for (from, &longest) in places.iter().enumerate() {
            let sum = ahead[from].settled();
            ahead[from] = sum;
            for (_, node) in self.model.beginning(longest) {
                ahead[from + usize::from(node.length)].add(sum.times(node.weight));
            }
        }
        let total = ahead[places.len()].settled();
        behind.resize(places.len() + 1, Wide::ZERO);
        behind[places.len()] = Wide::ONE;
        for (from, &longest) in places.iter().enumerate().rev() {
            let scaled = ahead[from].times(scale / total.number);
            let mut sum = Wide::ZERO;
            for (piece, node) in self.model.beginning(longest) {
                let rest = behind[from + usize::from(node.length)].times(node.weight);
                sum.add(rest);
                let share =
                    Wide { number: scaled.number * rest.number, power: scaled.power + rest.power - total.power };
                let expected = &mut own.expected[us(piece)];
                *expected = expected.wrapping_add(rounded(share.to_f64()));
            }
            behind[from] = sum.settled();
        }
        libm::log(total.number) + f64::from(total.power) * Wide::STEP_LOG
    }
}

/// The nearest integer of a non-negative number below 2^51.
fn rounded(number: f64) -> u64 {
    (number + ROUNDING).to_bits().wrapping_sub(ROUNDING.to_bits())
}

/// A number times a power of 2^256.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Wide {
    number: f64,
    power: i32,
}

impl Wide {
    const ZERO: Self = Self { number: 0.0, power: i32::MIN / 4 };
    const ONE: Self = Self { number: 1.0, power: 0 };
    /// 2^-256.
    const STEP: f64 = f64::from_bits((1023 - 256) << 52);
    /// The logarithm of 2^256.
    const STEP_LOG: f64 = 177.445_678_223_346_f64;

    fn times(self, factor: f64) -> Self {
        Self { number: self.number * factor, power: self.power }
    }

    /// Normalized so that a factor of 2^-500 does not underflow a double.
    fn settled(mut self) -> Self {
        while self.number > 0.0 && self.number < Self::STEP {
            self.number /= Self::STEP;
            self.power -= 1;
        }
        self
    }

    fn add(&mut self, other: Self) {
        match self.power - other.power {
            0 => self.number += other.number,
            1 => self.number += other.number * Self::STEP,
            -1 => *self = Self { number: other.number + self.number * Self::STEP, power: other.power },
            below if below < 0 => *self = other,
            _ => {}
        }
    }

    fn to_f64(self) -> f64 {
        match self.power {
            0 => self.number,
            1 => self.number / Self::STEP,
            2 => self.number / Self::STEP / Self::STEP,
            -1 => self.number * Self::STEP,
            _ => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digamma_is_what_tables_say() {
        for (x, value) in
            [(1.0, -0.577_215_664_9), (0.5, -1.963_510_026_0), (10.0, 2.251_752_589_1), (1e6, 13.815_510_058)]
        {
            assert!((digamma(x) - value).abs() < 1e-9, "{x}");
        }
    }

    #[test]
    fn numbers_are_rounded_to_whole_ones() {
        for (number, whole) in [(0.0, 0), (0.5, 0), (0.51, 1), (1.5, 2), (1e15 + 0.7, 1_000_000_000_000_001)] {
            assert_eq!(rounded(number), whole);
        }
    }

    #[test]
    fn wide_numbers_add_up() {
        let mut sum = Wide { number: Wide::STEP, power: 0 };
        sum.add(Wide { number: 3.0, power: -1 });
        assert_eq!(sum.settled(), Wide { number: 4.0 * Wide::STEP, power: 0 });
        let mut small = Wide { number: 1.0, power: -7 };
        small.add(Wide::ONE);
        assert_eq!(small.to_f64(), 1.0);
        let tiny = Wide { number: 1e-200, power: 0 }.settled();
        assert!(tiny.number >= Wide::STEP && tiny.power < 0);
    }
}
