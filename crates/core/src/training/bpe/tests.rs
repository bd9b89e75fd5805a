//! The machine compared with a full recount before every merge.

use crate::training::bpe::cells::Cells;
use crate::training::bpe::*;
use crate::util::low32;

/// Merges everything, by ids.
struct Plain {
    symbols: u32,
    wanted: usize,
    never: Vec<(u32, u32)>,
    first_seen: bool,
}

impl Rule for Plain {
    type Rest = ();

    fn is_first_seen(&self) -> bool {
        self.first_seen
    }

    fn allows(&mut self, _: u32, _: u32, _: u32) -> bool {
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
type Found = Vec<(u32, u32, u64)>;

/// A corpus as words of symbols, and the settings of its training.
struct Case {
    words: Words,
    symbols: u32,
    merges: usize,
    never: Vec<(u32, u32)>,
    first_seen: bool,
}

impl Case {
    fn by_recounting(&self) -> Found {
        let (mut words, mut made) = (self.words.clone(), Vec::new());
        while made.len() < self.merges {
            // For each pair its count, and the number of pairs before it.
            let mut counts = std::collections::BTreeMap::new();
            let mut before = 0;
            for (word, count) in &words {
                for pair in word.windows(2).map(|pair| (pair[0], pair[1])) {
                    before += 1;
                    if !self.never.contains(&pair) {
                        counts.entry(pair).or_insert((0, before)).0 += count;
                    }
                }
            }
            let best = counts.into_iter().min_by_key(|&(pair, (count, place))| {
                (std::cmp::Reverse(count), if self.first_seen { place } else { 0 }, pair)
            });
            let Some(((left, right), (count, _))) = best else { break };
            let new = self.symbols + u32_of(made.len());
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

    fn by_machine(&self, first: u64) -> Found {
        let counts: Vec<u64> = self.words.iter().map(|word| word.1).collect();
        let mut cells = Cells::new(&counts, 0);
        for (word, count) in &self.words {
            cells.word(word.iter().copied(), *count);
        }
        let Self { symbols, merges: wanted, first_seen, .. } = *self;
        let mut rule = Plain { symbols, wanted, never: self.never.clone(), first_seen };
        let floor = Floor { lowest: 1, first: Some(first) };
        let found = cells.done(us(self.symbols)).and_then(|cells| merge(cells, &mut rule, floor, &mut |_| Ok(())));
        found.unwrap_or_default().iter().map(|merge| (merge.left, merge.right, merge.count)).collect()
    }
}

#[test]
fn counts_are_those_of_a_recount() {
    let mut state = 1u64;
    let mut draw = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    for round in 0..400 {
        let symbols = 1 + round / 2 % 4;
        let words: Words =
            (0..1 + draw(8)).map(|_| ((0..draw(20)).map(|_| low32(draw(symbols))).collect(), 1 + draw(4))).collect();
        let never = if round % 3 == 0 { vec![(0, 0), (low32(symbols), 0)] } else { Vec::new() };
        let case = Case { words, symbols: low32(symbols), merges: 12, never, first_seen: round % 2 == 0 };
        let wanted = case.by_recounting();
        for first in [1, 2, 50] {
            assert_eq!(case.by_machine(first), wanted, "round {round}, floor {first}");
        }
    }
}
