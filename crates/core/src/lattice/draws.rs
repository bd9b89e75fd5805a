//! Paths drawn from a unit.
//!
//! Exactly: the weight of all ways to each place is summed forward, and a path is drawn backward, one number for each place that
//! more than one edge leads to. What the numbers are compared with depends on the unit and the temperature alone, so it is kept
//! for the next time.

use libm::{exp, log};

use super::Unit;
use crate::cast::{u32_of, us};
use crate::random::{limit, Numbers};

/// How a path is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// From the distribution over all paths.
    Lattice,
    /// By accepting each edge instead of the one before it by a sigmoid of the difference of the two scores: biased.
    Viterbi,
    /// In one pass, by keeping one edge for each place as from a reservoir: the same distribution as `Lattice`.
    Reservoir,
}

/// The edges that lead to a place.
#[derive(Clone, Copy, Default)]
struct Place {
    first: u32,
    count: u32,
}

/// One of them: it is taken by a number below the limit.
#[derive(Clone, Copy)]
struct Choice {
    limit: u64,
    id: u32,
    /// Where the edge begins, from the beginning of the unit on.
    start: u32,
}

/// Units that are ready to be drawn from.
#[derive(Default)]
pub struct Draws {
    places: Vec<Place>,
    choices: Vec<Choice>,
    forward: Vec<f64>,
    weights: Vec<f64>,
}

impl Draws {
    /// Forgets all units.
    pub fn clear(&mut self) {
        self.places.clear();
        self.choices.clear();
    }

    /// Forgets a unit and all that were made ready after it.
    pub fn drop_from(&mut self, unit: u32) {
        if let Some(place) = self.places.get(us(unit)) {
            self.choices.truncate(us(place.first));
            self.places.truncate(us(unit));
        }
    }

    /// How much memory the units take.
    #[must_use]
    pub fn bytes(&self) -> usize {
        size_of::<Place>() * self.places.len() + size_of::<Choice>() * self.choices.len()
    }

    /// Makes a unit ready; returns its number.
    pub fn add(&mut self, unit: Unit<'_>, alpha: f64) -> u32 {
        let number = u32_of(self.places.len());
        let Self { places, choices, forward, weights } = self;
        forward.clear();
        forward.push(0.0);
        for place in unit.start + 1..=unit.end {
            let (_, edges) = unit.ending(place);
            let first = u32_of(choices.len());
            places.push(Place { first, count: u32_of(edges.len()) });
            weights.clear();
            weights.extend(edges.iter().map(|edge| forward[us(edge.start) - unit.start] + alpha * edge.score));
            let most = weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let starts = edges.iter().map(|edge| (edge.id, edge.start - u32_of(unit.start)));
            if edges.len() < 2 {
                choices.extend(starts.map(|(id, start)| Choice { limit: u64::MAX, id, start }));
                forward.push(most);
                continue;
            }
            let mut sum = 0.0;
            for weight in weights.iter_mut() {
                sum += exp(*weight - most);
                *weight = sum;
            }
            choices.extend(weights.iter().zip(starts).map(|(&below, (id, start))| {
                let share = below / sum;
                Choice { limit: limit(share), id, start }
            }));
            forward.push(most + log(sum));
        }
        number
    }

    /// Draws a path of a unit of so many bytes that was made ready; pushes (id, end) of its edges in order.
    #[inline]
    pub fn draw(&self, unit: u32, length: usize, numbers: &mut Numbers, found: &mut Vec<(u32, u32)>) {
        let before = found.len();
        let mut place = length;
        while place > 0 {
            let Some(&Place { first, count }) = self.places.get(us(unit) + place - 1) else { break };
            let choices = &self.choices[us(first)..us(first) + us(count)];
            let chosen = match choices {
                [] => break,
                [one] => one,
                [one, other] => {
                    if numbers.draw() < one.limit {
                        one
                    } else {
                        other
                    }
                }
                _ => {
                    let number = numbers.draw();
                    let last = &choices[choices.len() - 1];
                    choices.iter().find(|choice| number < choice.limit).unwrap_or(last)
                }
            };
            found.push((chosen.id, u32_of(place)));
            place = us(chosen.start).min(place - 1);
        }
        found[before..].reverse();
    }
}

/// Draws a path edge by edge in one pass over the unit; pushes (id, end) of its edges in order.
pub fn draw_forward(unit: Unit<'_>, method: Method, alpha: f64, numbers: &mut Numbers, found: &mut Vec<(u32, u32)>) {
    // For each place its score or the logarithm of the weight of all ways there, and the edge kept: start and id.
    let mut kept: Vec<(f64, u32, u32)> = vec![(f64::NEG_INFINITY, 0, 0); unit.end - unit.start + 1];
    kept[0].0 = 0.0;
    for place in unit.start + 1..=unit.end {
        let (_, edges) = unit.ending(place);
        let mut now = (f64::NEG_INFINITY, 0, 0);
        for edge in edges {
            let start = edge.start - u32_of(unit.start);
            let before = kept[us(start)].0;
            let is_first = now.0 == f64::NEG_INFINITY;
            match method {
                Method::Viterbi => {
                    let score = before + edge.score;
                    if is_first || numbers.uniform() < 1.0 / (1.0 + exp(-alpha * (score - now.0))) {
                        now = (score, start, edge.id);
                    }
                }
                Method::Lattice | Method::Reservoir => {
                    let weight = before + alpha * edge.score;
                    let most = weight.max(now.0);
                    let sum = if is_first { weight } else { most + log(exp(weight - most) + exp(now.0 - most)) };
                    if is_first || numbers.uniform() < exp(weight - sum) {
                        (now.1, now.2) = (start, edge.id);
                    }
                    now.0 = sum;
                }
            }
        }
        kept[place - unit.start] = now;
    }
    let before = found.len();
    let mut place = unit.end - unit.start;
    while place > 0 {
        let (_, start, id) = kept[place];
        found.push((id, u32_of(place)));
        place = us(start).min(place - 1);
    }
    found[before..].reverse();
}
