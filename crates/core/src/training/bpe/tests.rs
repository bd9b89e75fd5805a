//! The machine against a recount before every merge.

use super::cells::Builder;
use super::*;
use crate::cast::low32;

/// Joins everything, by ids.
struct Plain {
    symbols: u32,
    wanted: usize,
    never: Vec<(u32, u32)>,
}

impl Rule for Plain {
    fn allows(&mut self, _: u32, _: u32) -> bool {
        true
    }

    fn join(&mut self, left: u32, right: u32) -> bool {
        if self.never.contains(&(left, right)) {
            return false;
        }
        self.symbols += 1;
        self.wanted -= 1;
        true
    }

    fn wanted(&self) -> usize {
        self.wanted
    }
}

type Words = Vec<(Vec<u32>, u64)>;

fn by_recounting(mut words: Words, symbols: u32, merges: usize, never: &[(u32, u32)]) -> Vec<(u32, u32, u64)> {
    let mut made = Vec::new();
    while made.len() < merges {
        let mut counts = std::collections::BTreeMap::new();
        for (word, count) in &words {
            for pair in word.windows(2).map(|pair| (pair[0], pair[1])).filter(|pair| !never.contains(pair)) {
                *counts.entry(pair).or_insert(0) += count;
            }
        }
        let best = counts.into_iter().min_by_key(|&(pair, count)| (std::cmp::Reverse(count), pair));
        let Some(((left, right), count)) = best else { break };
        let new = symbols + u32_of(made.len());
        made.push((left, right, count));
        for (word, _) in &mut words {
            let mut at = 0;
            while at + 1 < word.len() {
                if (word[at], word[at + 1]) == (left, right) {
                    word.splice(at..at + 2, [new]);
                }
                at += 1;
            }
        }
    }
    made
}

fn by_machine(words: &Words, symbols: u32, merges: usize, never: &[(u32, u32)], first: u64) -> Vec<(u32, u32, u64)> {
    let counts: Vec<u64> = words.iter().map(|word| word.1).collect();
    let mut cells = Builder::new(us(symbols), &counts, 0);
    for (word, count) in words {
        cells.word(word.iter().copied(), *count);
    }
    let mut rule = Plain { symbols, wanted: merges, never: never.to_vec() };
    let floor = Floor { lowest: 1, first: Some(first) };
    let found = cells.done().and_then(|cells| merge(cells, &mut rule, floor, &mut |_| Ok(())));
    found.unwrap_or_default().iter().map(|merge| (merge.left, merge.right, merge.count)).collect()
}

#[test]
fn counts_are_those_of_a_recount() {
    let mut state = 1u64;
    let mut draw = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    for round in 0..200 {
        let symbols = 1 + round % 4;
        let words: Words =
            (0..1 + draw(8)).map(|_| ((0..draw(20)).map(|_| low32(draw(symbols))).collect(), 1 + draw(4))).collect();
        let never = if round % 3 == 0 { vec![(0, 0), (low32(symbols), 0)] } else { Vec::new() };
        let wanted = by_recounting(words.clone(), low32(symbols), 12, &never);
        for first in [1, 2, 50] {
            assert_eq!(by_machine(&words, low32(symbols), 12, &never, first), wanted, "round {round}, floor {first}");
        }
    }
}
