//! Paths drawn from a unit.
//!
//! Exactly: of few paths one is taken by its share of all weight. Of many, the weight of all ways to each place is summed
//! forward, and a path is drawn backward, one number for each place that more than one edge leads to. What the numbers are
//! compared with depends on the unit and the temperature alone, so it is kept for the next time.

use libm::{exp, log};

use super::{Edge, Unit};
use crate::cast::{f64_of, low32, u16_of, u32_of, us};
use crate::index::prefetch::prefetch;
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

/// Longest unit in bytes that is kept.
pub const MAX_READY: usize = 63;
/// Ids from here on are not kept: they share a word with a place of the unit.
const MAX_ID: u32 = 1 << 26;
/// Words that may be read behind a unit.
const PADDING: usize = 4;

/// A unit of at most so many paths is drawn from as a whole.
const FEW: u32 = 32;
/// Set in the first word of such a unit.
const BY_PATHS: u32 = 1 << 31;

/// Units that are ready to be drawn from, one after the other in words of 32 bits.
///
/// A unit begins with the number of its first low half. Of one that is drawn from as a whole, the number of paths follows, the
/// high halves of their limits, filled up to eights, for each path where its ids begin and how many they are, and the ids. Of
/// others, for each place, and for 0 before them, the number of choices up to there follows, two in a word; then the high
/// halves of all limits, and then (id, start) of all choices. A choice is taken by a number below its limit.
#[derive(Default)]
pub struct Draws {
    words: Vec<u32>,
    /// The low halves of limits, which are hardly ever asked for.
    low: Vec<u32>,
    forward: Vec<f64>,
    weights: Vec<f64>,
    limits: Vec<u64>,
    packed: Vec<u32>,
    paths: Paths,
}

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
    const fn one(self) -> f64 {
        if self.linear {
            1.0
        } else {
            0.0
        }
    }

    #[inline]
    fn along(self, way: f64, weight: f64) -> f64 {
        if self.linear {
            way * weight
        } else {
            way + weight
        }
    }

    /// Turns the weights of ways into their sums up to each; returns the weight of all, and the sum that stands for it.
    #[inline]
    fn sum_up(self, weights: &mut [f64]) -> (f64, f64) {
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

/// The limits of choices whose weights were summed up: the last has all numbers below it.
fn limits(sums: &[f64], whole: f64) -> impl Iterator<Item = u64> + '_ {
    let last = sums.len().saturating_sub(1);
    sums.iter().enumerate().map(move |(index, &sum)| if index == last { u64::MAX } else { limit(sum / whole) })
}

/// Which of some choices a number takes: by its first 32 bits, and by 32 more where they equal those of a limit.
#[inline(always)]
fn choose(high: &[u32], count: usize, numbers: &mut Numbers, low: impl Fn(usize) -> u32) -> usize {
    if count < 2 {
        return 0;
    }
    let number = numbers.draw();
    let others = count - 1;
    let mut index = 0;
    // The first few without a branch: nobody could foresee it.
    for (place, &limit) in high.iter().take(PADDING).enumerate() {
        index += usize::from((number >= limit) & (place < others));
    }
    if others > PADDING {
        index += high[PADDING..others].iter().filter(|&&limit| number >= limit).count();
    }
    // Below the first limit no limit equals it.
    if high[index.saturating_sub(1)] == number {
        return settle(high, others, number, numbers, low);
    }
    index
}

#[cold]
fn settle(high: &[u32], others: usize, number: u32, numbers: &mut Numbers, low: impl Fn(usize) -> u32) -> usize {
    let rest = numbers.draw();
    (0..others).filter(|&place| (number, rest) >= (high[place], low(place))).count()
}

impl Draws {
    /// Forgets all units.
    pub fn clear(&mut self) {
        self.words.clear();
        self.low.clear();
    }

    /// How much memory the units take.
    #[must_use]
    pub fn bytes(&self) -> usize {
        4 * (self.words.len() + self.low.len())
    }

    /// Makes a unit of at most [`MAX_READY`] bytes ready; returns its number, or nothing if it is too large in some way. `weight`
    /// must give what `weighing` does.
    pub fn add(&mut self, unit: Unit<'_>, weighing: Weighing, weight: impl Fn(&Edge) -> f64) -> Option<u32> {
        let length = unit.end - unit.start;
        let number = u32::try_from(self.words.len()).ok()?;
        let Self { words, low, forward, weights, limits: all, packed, paths } = self;
        if length > MAX_READY || unit.edges() > usize::from(u16::MAX) {
            return None;
        }
        words.truncate(words.len().saturating_sub(PADDING));
        let number = if number == 0 { 0 } else { number - u32_of(PADDING) };
        if us(number) + low.len() > us(BY_PATHS - 1) / 2 {
            words.extend([0; PADDING]);
            return None;
        }
        if unit.paths(FEW).is_some() {
            paths.fill(unit, weighing, weight);
            paths.write(words, low);
            words.extend([0; PADDING]);
            return Some(number);
        }
        all.clear();
        packed.clear();
        forward.clear();
        forward.push(weighing.one());
        words.push(u32_of(low.len()));
        let mut counts = [0u16; MAX_READY + 1];
        for place in unit.start + 1..=unit.end {
            let (_, edges) = unit.ending(place);
            weights.clear();
            let way = |edge: &Edge| weighing.along(forward[us(edge.start) - unit.start], weight(edge));
            weights.extend(edges.iter().map(way));
            let (total, whole) = weighing.sum_up(weights);
            forward.push(total);
            all.extend(limits(weights, whole));
            for edge in edges {
                if edge.id >= MAX_ID {
                    words.truncate(us(number));
                    words.extend([0; PADDING]);
                    return None;
                }
                packed.push(edge.id << 6 | (edge.start - u32_of(unit.start)));
            }
            counts[place - unit.start] = u16_of(all.len());
        }
        words.extend(
            counts[..=length]
                .chunks(2)
                .map(|pair| u32::from(pair[0]) | u32::from(pair.get(1).copied().unwrap_or(0)) << 16),
        );
        words.extend(all.iter().map(|&limit| low32(limit >> 32)));
        low.extend(all.iter().map(|&limit| low32(limit)));
        words.extend_from_slice(packed);
        words.extend([0; PADDING]);
        Some(number)
    }

    /// Asks for the memory in which a unit begins.
    #[inline]
    pub fn prefetch(&self, unit: u32) {
        for line in 0..2 {
            prefetch(&self.words, us(unit) + 16 * line);
        }
    }

    /// Draws a path of a unit of so many bytes that was made ready; writes its ids to the beginning of `out`, which must have
    /// room for one a byte and some more, and returns how many they are.
    #[inline(always)]
    pub fn draw(&self, unit: u32, length: usize, numbers: &mut Numbers, out: &mut [u32]) -> usize {
        let words = &self.words[us(unit)..];
        if words[0] & BY_PATHS == 0 {
            return self.draw_places(words, length, numbers, out);
        }
        let paths = us(words[1]);
        let room = paths.next_multiple_of(8);
        let mut index = 0;
        if paths > 1 {
            let number = numbers.draw();
            let mut sums = [0u32; 8];
            for limits in words[2..2 + room].chunks_exact(8) {
                for (sum, &limit) in sums.iter_mut().zip(limits) {
                    *sum += u32::from(number >= limit);
                }
            }
            // What fills up is reached by the largest number only, as is the last limit.
            index = us(sums.iter().sum::<u32>()).min(paths - 1);
            if words[2 + index.saturating_sub(1)] == number {
                let low = |place: usize| self.low[us(words[0] & !BY_PATHS) + place];
                index = settle(&words[2..2 + room], paths - 1, number, numbers, low);
            }
        }
        let place = words[2 + room + index];
        let (from, count) = (us(place >> 8), us(place & 0xFF));
        let ids = &words[2 + room + paths + from..];
        let mut at = 0;
        while at < count {
            match (ids.get(at..at + PADDING), out.get_mut(at..at + PADDING)) {
                (Some(source), Some(place)) => place.copy_from_slice(source),
                _ => break,
            }
            at += PADDING;
        }
        count
    }

    fn draw_places(&self, words: &[u32], length: usize, numbers: &mut Numbers, out: &mut [u32]) -> usize {
        let count_at = |place: usize| us(words[1 + place / 2] >> (16 * (place % 2)) & 0xFFFF);
        let total = count_at(length);
        let first = 2 + length / 2;
        let (high, packed) = (&words[first..], &words[first + total..]);
        let mut path = [0; MAX_READY + 1];
        let (mut place, mut at) = (length, path.len());
        while place > 0 && at > 0 {
            let (from, to) = (count_at(place - 1), count_at(place));
            let low = |index: usize| self.low[us(words[0]) + from + index];
            let chosen = packed[from + choose(&high[from..], to - from, numbers, low)];
            at -= 1;
            path[at] = chosen >> 6;
            place = us(chosen & 0x3F).min(place - 1);
        }
        let ids = &path[at..];
        out[..ids.len()].copy_from_slice(ids);
        ids.len()
    }
}

/// All paths of a unit that has few: by their last edge, then by the one before it.
#[derive(Default)]
struct Paths {
    /// Ids and ends of edges, in order.
    edges: Vec<(u32, u32)>,
    /// Where the edges of each path end.
    ends: Vec<usize>,
    limits: Vec<u64>,
    weights: Vec<f64>,
    behind: Vec<Behind>,
}

/// An edge behind the place at hand: id and end, which it is of those that end there, and the weight of those behind it.
struct Behind {
    id: u32,
    end: u32,
    number: usize,
    way: f64,
}

impl Paths {
    fn fill(&mut self, unit: Unit<'_>, weighing: Weighing, weight: impl Fn(&Edge) -> f64) {
        let Self { edges, ends, limits: all, weights, behind } = self;
        edges.clear();
        ends.clear();
        weights.clear();
        behind.clear();
        let (mut place, mut next, mut way) = (unit.end, 0, weighing.one());
        loop {
            if place == unit.start {
                edges.extend(behind.iter().rev().map(|edge| (edge.id, edge.end - u32_of(unit.start))));
                ends.push(edges.len());
                weights.push(way);
            } else if let Some(edge) = unit.ending(place).1.get(next) {
                behind.push(Behind { id: edge.id, end: edge.end, number: next, way });
                (place, next, way) = (us(edge.start), 0, weighing.along(way, weight(edge)));
                continue;
            }
            let Some(edge) = behind.pop() else { break };
            (place, next, way) = (us(edge.end), edge.number + 1, edge.way);
        }
        let (_, whole) = weighing.sum_up(weights);
        all.clear();
        all.extend(limits(weights, whole));
    }

    fn write(&self, words: &mut Vec<u32>, low: &mut Vec<u32>) {
        words.push(BY_PATHS | u32_of(low.len()));
        words.push(u32_of(self.ends.len()));
        words.extend(self.limits.iter().map(|&limit| low32(limit >> 32)));
        words.resize(words.len() + self.ends.len().next_multiple_of(8) - self.ends.len(), u32::MAX);
        low.extend(self.limits.iter().map(|&limit| low32(limit)));
        let mut start = 0;
        for &end in &self.ends {
            words.push(u32_of(start) << 8 | u32_of(end - start));
            start = end;
        }
        words.extend(self.edges.iter().map(|&(id, _)| id));
    }

    /// Draws one: its edges as (id, end).
    fn draw(&self, numbers: &mut Numbers) -> &[(u32, u32)] {
        let high: Vec<u32> = self.limits.iter().map(|&limit| low32(limit >> 32)).collect();
        let index = choose(&high, high.len(), numbers, |place| low32(self.limits[place]));
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.edges[start..self.ends[index]]
    }
}

/// Draws a path of a unit of any length, as [`Draws::draw`] does of one that is ready; pushes (id, end) of its edges in order.
pub fn draw_backward(unit: Unit<'_>, weighing: Weighing, numbers: &mut Numbers, found: &mut Vec<(u32, u32)>) {
    if unit.end - unit.start <= MAX_READY && unit.paths(FEW).is_some() {
        let mut paths = Paths::default();
        paths.fill(unit, weighing, |edge| weighing.weight(edge.score));
        found.extend_from_slice(paths.draw(numbers));
        return;
    }
    let mut forward = vec![weighing.one(); unit.end - unit.start + 1];
    let mut weights = Vec::new();
    let weigh = |place: usize, forward: &[f64], weights: &mut Vec<f64>| {
        weights.clear();
        let edges = unit.ending(place).1;
        let way = |edge: &Edge| weighing.along(forward[us(edge.start) - unit.start], weighing.weight(edge.score));
        weights.extend(edges.iter().map(way));
        weighing.sum_up(weights)
    };
    for place in unit.start + 1..=unit.end {
        forward[place - unit.start] = weigh(place, &forward, &mut weights).0;
    }
    let before = found.len();
    let (mut place, mut high, mut low) = (unit.end, Vec::new(), Vec::new());
    while place > unit.start {
        let (_, whole) = weigh(place, &forward, &mut weights);
        high.clear();
        low.clear();
        for limit in limits(&weights, whole) {
            high.push(low32(limit >> 32));
            low.push(low32(limit));
        }
        let edges = unit.ending(place).1;
        let Some(edge) = edges.get(choose(&high, edges.len(), numbers, |index| low[index])) else { break };
        found.push((edge.id, u32_of(place - unit.start)));
        place = us(edge.start).min(place - 1);
    }
    found[before..].reverse();
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lattice::Lattice;
    use crate::random::Seed;

    /// By all 64 bits at once.
    fn plainly(limits: &[u64], mut numbers: Numbers) -> usize {
        let number = numbers.draw64();
        limits[..limits.len() - 1].iter().filter(|&&limit| number >= limit).count()
    }

    #[test]
    fn numbers_that_begin_like_a_limit() {
        for index in 0..200 {
            let numbers = Seed { seed: 5, epoch: 0, index }.numbers(0, 0);
            let number = numbers.clone().draw64();
            for others in [vec![], vec![1], vec![1, 2, 3, 4, 5, 6]] {
                for middle in [number - 1, number, number + 1, number ^ 0x8000_0000] {
                    let limits: Vec<u64> = others.iter().copied().chain([middle, u64::MAX - 1, u64::MAX]).collect();
                    let high: Vec<u32> = limits.iter().map(|&limit| low32(limit >> 32)).collect();
                    let found = choose(&high, limits.len(), &mut numbers.clone(), |place| low32(limits[place]));
                    assert_eq!(found, plainly(&limits, numbers.clone()));
                }
            }
        }
    }

    #[test]
    fn ready_units_as_others() {
        // Two bytes, each alone or both at once, drawn by limits that the number begins like.
        let edge = |start, end, id| Edge { start, end, id, score: -1.0 };
        let mut lattice = Lattice::default();
        lattice.refill(vec![edge(0, 1, 7), edge(0, 2, 9), edge(1, 2, 8)], 2);
        for index in 0..200 {
            let numbers = Seed { seed: 6, epoch: 1, index }.numbers(0, 0);
            let number = numbers.clone().draw64();
            for limit in [number - 1, number, number + 1] {
                let mut draws = Draws::default();
                let weighing = Weighing::new(0.5, 1.0, 2);
                let unit = lattice
                    .units()
                    .next()
                    .and_then(|unit| draws.add(unit, weighing, |edge| weighing.weight(edge.score)));
                (draws.words[2], draws.low[0]) = (low32(limit >> 32), low32(limit));
                let mut out = [0; 16];
                let count = draws.draw(unit.unwrap_or(u32::MAX), 2, &mut numbers.clone(), &mut out);
                let expected: &[u32] = if number < limit { &[9] } else { &[7, 8] };
                assert_eq!(&out[..count], expected);
            }
        }
    }
}
