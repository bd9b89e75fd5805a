//! Viterbi over a chain of context lengths: where lines are cut into pieces.

use crate::training::bytepiece::ngrams::Statistics;
use crate::util::{low8, u32_of};

/// The chain. In state `j` the `j` bytes before a byte are its context; from each state the path restarts in state 0,
/// where pieces begin, or advances to the next state; the last one loops.
pub struct Chain<'s> {
    statistics: &'s Statistics,
    ensure_unicode: bool,
    scores: Vec<f64>,
    next: Vec<f64>,
    /// For each byte and state the state before it.
    routes: Vec<u8>,
    rows: Vec<u32>,
}

impl<'s> Chain<'s> {
    pub fn new(statistics: &'s Statistics, ensure_unicode: bool) -> Self {
        let order = statistics.order();
        Self {
            statistics,
            ensure_unicode,
            scores: vec![0.0; order],
            next: vec![0.0; order],
            routes: Vec::new(),
            rows: Vec::new(),
        }
    }

    /// Calls `see` with each piece of a line that was counted, from the last to the first.
    pub fn cut<'l>(&mut self, line: &'l [u8], mut see: impl FnMut(&'l [u8])) {
        self.run(line);
        let (mut end, mut state) = (line.len(), 0);
        for (place, &score) in self.scores.iter().enumerate() {
            if score > self.scores[state] {
                state = place;
            }
        }
        for at in (0..line.len()).rev() {
            if state == 0 {
                see(&line[at..end]);
                end = at;
            }
            if at > 0 {
                state = usize::from(self.routes[(at - 1) * self.scores.len() + state]);
            }
        }
    }

    fn run(&mut self, line: &[u8]) {
        let order = self.statistics.order();
        self.rows.clear();
        self.statistics.rows(line, &mut self.rows);
        self.routes.clear();
        for (at, &byte) in line.iter().enumerate() {
            for state in 0..order {
                let mut own = match at.checked_sub(state) {
                    Some(start) => self.statistics.score(self.rows[start], state),
                    None => f64::NEG_INFINITY,
                };
                if state == 0 && self.ensure_unicode && byte & 0xC0 == 0x80 {
                    own = f64::NEG_INFINITY;
                }
                if at == 0 {
                    self.next[state] = own;
                    continue;
                }
                let (score, from) = self.best(state, own);
                self.next[state] = score;
                self.routes.push(from);
            }
            std::mem::swap(&mut self.scores, &mut self.next);
        }
    }

    /// The best transition into a state, of ties from the lowest; where all are impossible, from state 0.
    fn best(&self, state: usize, own: f64) -> (f64, u8) {
        let last = self.scores.len() - 1;
        let mut found = (f64::NEG_INFINITY, 0);
        let mut look = |from: usize| {
            let score = self.scores[from] + own;
            if score > found.0 {
                found = (score, low8(u32_of(from)));
            }
        };
        if state == 0 {
            (0..=last).for_each(&mut look);
        } else {
            look(state - 1);
            if state == last {
                look(state);
            }
        }
        found
    }
}
