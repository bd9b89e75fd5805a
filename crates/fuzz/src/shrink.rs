//! Shrinks a failing case: removes parts as long as the same check still fails.

use std::time::{Duration, Instant};

use crate::case::{Case, Piece};
use crate::checks::{run, Verdict};
use crate::guard::Finding;

/// A failing case, and the time left.
pub struct Shrinker<'a> {
    best: Case,
    finding: Finding,
    deadline: Instant,
    /// Called before every attempt, to tell the watchdog that this is not a hang.
    beat: &'a dyn Fn(),
}

/// The smallest case found within the time, and its finding.
pub fn shrink(case: Case, finding: Finding, time: Duration, beat: &dyn Fn()) -> (Case, Finding) {
    let mut shrinker = Shrinker { best: case, finding, deadline: Instant::now() + time, beat };
    loop {
        let before = shrinker.best.clone();
        shrinker.round();
        if shrinker.best == before || shrinker.is_late() {
            return (shrinker.best, shrinker.finding);
        }
    }
}

impl Shrinker<'_> {
    fn is_late(&self) -> bool {
        Instant::now() >= self.deadline
    }

    /// Accepts the candidate if the same check fails at the same location.
    fn attempt(&mut self, change: impl FnOnce(&mut Case)) -> bool {
        let mut candidate = self.best.clone();
        change(&mut candidate);
        if candidate == self.best || self.is_late() {
            return false;
        }
        (self.beat)();
        match run(&candidate) {
            Verdict::Fails(found) if found.check == self.finding.check && found.place == self.finding.place => {
                (self.best, self.finding) = (candidate, found);
                true
            }
            _ => false,
        }
    }

    fn round(&mut self) {
        self.items(|case| &mut case.texts);
        self.items(|case| &mut case.damages);
        for index in 0..self.best.damages.len() {
            self.items(|case| &mut case.damages[index]);
        }
        for index in 0..self.best.texts.len() {
            self.items(|case| &mut case.texts[index]);
        }
        self.settings();
        self.items(|case| &mut case.pieces);
        self.items(|case| &mut case.charsmap.rules);
        self.items(|case| &mut case.charsmap.patches);
        self.items(|case| &mut case.denormalizer.rules);
        self.items(|case| &mut case.denormalizer.patches);
        for index in 0..self.best.pieces.len() {
            self.attempt(|case| plainer(&mut case.pieces[index]));
        }
    }

    fn settings(&mut self) {
        self.attempt(|case| case.config.byte_fallback = false);
        self.attempt(|case| case.config.bos_id = None);
        self.attempt(|case| case.config.add_dummy_prefix = false);
        self.attempt(|case| case.config.remove_extra_whitespaces = false);
        self.attempt(|case| case.config.whitespace_as_suffix = false);
        self.attempt(|case| case.config.unk_surface = String::new());
        self.attempt(|case| case.bytes_at = 0);
        self.attempt(|case| case.learned = 0);
        self.attempt(|case| case.draws = 0);
        self.attempt(|case| case.denormalizer = crate::charsmap::Map::default());
        self.attempt(|case| case.charsmap = crate::charsmap::Map::default());
    }

    /// Removes ranges of a list, long ones first.
    fn items<T>(&mut self, list: impl Fn(&mut Case) -> &mut Vec<T>) {
        let mut size = list(&mut self.best).len();
        while size > 0 && !self.is_late() {
            let mut at = 0;
            while at < list(&mut self.best).len() && !self.is_late() {
                let taken = self.attempt(|case| {
                    let items = list(case);
                    let end = (at + size).min(items.len());
                    items.drain(at..end);
                });
                at += if taken { 0 } else { size };
            }
            size /= 2;
        }
    }
}

fn plainer(piece: &mut Piece) {
    if piece.kind == 1 {
        piece.score = piece.score.round();
    }
}
