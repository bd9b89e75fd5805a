//! Bounds how many bytes all searches of a text may examine, so that the total cannot become quadratic.
//!
//! An expression such as `a+b|a` makes every search scan to the end of a run before it knows that its match is short.
//! The regex engine does not report how far it scanned. A DFA of the expression does: it dies where no further byte can
//! change the match. It is run for one match in [`EVERY`], which is charged for the others too.

use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::nfa::thompson;
use regex_automata::{Anchored, Input};

use crate::util::Lazy;

/// Fixed budget of bytes that all searches of a text may examine, besides [`LOOKS_PER_BYTE`].
pub const LOOKS: usize = 100_000_000;
/// Budget per byte of the text, on average.
pub const LOOKS_PER_BYTE: usize = 1000;
/// One match in this many is measured.
const EVERY: usize = 256;
/// Maximum size of the DFA in bytes.
const SIZE: usize = 4 << 20;

/// The DFA of an expression, built when it is first needed.
#[derive(Default)]
pub struct Looks(Lazy<Option<DFA>>);

/// The bytes that the searches of one text may still examine.
pub struct Budget<'a> {
    looks: &'a Looks,
    expression: &'a str,
    cache: Option<Cache>,
    matches: usize,
    left: usize,
}

impl Looks {
    /// The budget for a text of `bytes` bytes.
    pub const fn budget<'a>(&'a self, expression: &'a str, bytes: usize) -> Budget<'a> {
        let left = LOOKS.saturating_add(bytes.saturating_mul(LOOKS_PER_BYTE));
        Budget { looks: self, expression, cache: None, matches: 0, left }
    }

    /// `None` for an expression that has no DFA: with look-around, or too large.
    fn automaton(&self, expression: &str) -> Option<&DFA> {
        let build = || {
            let config = DFA::config().unicode_word_boundary(true).skip_cache_capacity_check(true);
            let size = thompson::Config::new().nfa_size_limit(Some(SIZE));
            DFA::builder().configure(config).thompson(size).build(expression).ok()
        };
        self.0.get(build).as_ref()
    }
}

impl Budget<'_> {
    /// Charges the search from `from` that found a match. False if the budget is exhausted.
    pub fn spend(&mut self, text: &str, from: usize) -> bool {
        self.matches += 1;
        if self.matches % EVERY != 0 {
            return true;
        }
        self.spend_many(text, from)
    }

    #[cold]
    fn spend_many(&mut self, text: &str, from: usize) -> bool {
        let Some(automaton) = self.looks.automaton(self.expression) else { return true };
        let cache = self.cache.get_or_insert_with(|| automaton.create_cache());
        let looked = EVERY.saturating_mul(looked(automaton, cache, text, from));
        self.left = self.left.saturating_sub(looked);
        self.left > 0
    }
}

/// The number of bytes that a search examines.
fn looked(automaton: &DFA, cache: &mut Cache, text: &str, from: usize) -> usize {
    let input = Input::new(text).range(from..).anchored(Anchored::No);
    let Ok(mut state) = automaton.start_state_forward(cache, &input) else { return 0 };
    for (place, &byte) in text.as_bytes()[from..].iter().enumerate() {
        match automaton.next_state(cache, state, byte) {
            Ok(next) if next.is_dead() || next.is_quit() => return place + 1,
            Ok(next) => state = next,
            Err(_) => return place,
        }
    }
    text.len() - from
}
