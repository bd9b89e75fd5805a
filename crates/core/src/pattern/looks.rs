//! How far the searches for matches look, so that they cannot look through a long text once for each match.
//!
//! An expression such as `a+b|a` makes every search go to the end of a run before it knows that its match is short. The engine
//! does not say how far it went. An automaton of the same expression does: it dies where nothing behind can change the match.
//! It is asked for one match of many, which then stands for the others.

use std::fmt;

use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::nfa::thompson;
use regex_automata::{Anchored, Input};

use crate::util::lazy::Lazy;

/// Bytes that all searches of a text may look at, besides [`LOOKS_PER_BYTE`] for each of its bytes.
pub const LOOKS: usize = 100_000_000;
/// Bytes that all searches of a text may look at for each of its bytes, on average.
pub const LOOKS_PER_BYTE: usize = 1000;
/// One of so many matches is asked about.
const EVERY: usize = 256;
/// Bytes that an automaton may take.
const SIZE: usize = 4 << 20;

/// The automaton of an expression, made when it is first needed.
#[derive(Default)]
pub struct Looks(Lazy<Option<DFA>>);

impl fmt::Debug for Looks {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Looks")
    }
}

/// What the searches of one text have looked at.
pub struct Budget<'a> {
    looks: &'a Looks,
    expression: &'a str,
    cache: Option<Cache>,
    matches: usize,
    left: usize,
}

impl Looks {
    /// For the searches of a text of so many bytes.
    pub const fn budget<'a>(&'a self, expression: &'a str, bytes: usize) -> Budget<'a> {
        let left = LOOKS.saturating_add(bytes.saturating_mul(LOOKS_PER_BYTE));
        Budget { looks: self, expression, cache: None, matches: 0, left }
    }

    /// `None` for an expression that has no automaton: with look-around, or too large.
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
    /// Takes off what the search from `from` looked at that found a match. False if there is nothing left.
    #[inline]
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

/// How many bytes a search looks at.
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
