//! User-supplied patterns: a literal text, or a regular expression in the syntax of Oniguruma or of `fancy-regex`.
//!
//! Expressions run in a backtracking engine with a step limit, so that a call can fail, but not hang. Syntax that the
//! two engines interpret differently is translated or refused by `syntax`.

pub(crate) mod looks;
pub(crate) mod room;
pub(crate) mod space_runs;
pub(crate) mod syntax;

use fancy_regex::{Regex, RegexBuilder};
use serde::{Deserialize, Serialize};

use crate::pattern::looks::{Looks, LOOKS, LOOKS_PER_BYTE};
pub use crate::pattern::room::Room;
use crate::pattern::space_runs::SpaceRuns;
use crate::util::{Error, Pace, Result};

/// Number of backtracking steps after which a match fails.
pub const BACKTRACK_LIMIT: usize = 1_000_000;

/// What to look for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Pattern {
    /// This text.
    Literal(String),
    /// What this expression matches.
    Regex(String),
    /// What this expression matches, with the categories of characters as they were in Unicode 15.1.
    #[serde(rename = "regex-15.1")]
    Dated(String),
    /// The matches of an expression in the native syntax of the engine, which tiktoken uses too.
    #[serde(rename = "fancy-regex")]
    Own(String),
}

/// A range of text, and whether the pattern matched it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stretch {
    /// Where it begins.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// Whether it is a match.
    pub matched: bool,
}

/// A pattern that can be searched for.
pub enum Matcher {
    /// A text that is not empty.
    Literal(String),
    /// A regular expression.
    Regex(Box<Expression>),
}

/// A compiled regular expression.
pub struct Expression {
    regex: Regex,
    /// Shortens a match of `regex` where the expression was compiled without its look-ahead.
    space_runs: Option<SpaceRuns>,
    /// Bounds how far searches scan.
    looks: Looks,
}

impl Pattern {
    /// Compiles the pattern if it fits the size budget of the Spec, or says what in it cannot be run.
    pub fn compile(&self, room: &mut Room) -> Result<Matcher> {
        let (source, translated) = match self {
            Self::Literal(text) if !text.is_empty() => return Ok(Matcher::Literal(text.clone())),
            Self::Literal(empty) => (empty, Ok(String::new())),
            Self::Regex(source) => (source, syntax::translate(source)),
            Self::Dated(source) => (source, syntax::translate(source).map(|translated| syntax::dated(&translated))),
            Self::Own(source) => (source, syntax::check_length(source).map(|()| source.clone())),
        };
        regex(source, &translated.map_err(|what| refused(source, &what))?, room)
    }
}

fn refused(source: &str, what: &str) -> Error {
    Error::new("spec-pattern", format!("the pattern {source:?} cannot be run: {what}; rewrite it without that"))
        .with("pattern", source)
        .with("what", what)
}

fn regex(source: &str, translated: &str, room: &mut Room) -> Result<Matcher> {
    let mut built = |expression: &str| {
        room.take(expression).map_err(|what| refused(source, &what))?;
        RegexBuilder::new(expression)
            .backtrack_limit(BACKTRACK_LIMIT)
            .delegate_size_limit(room::MOST)
            .build()
            .map_err(|error| refused(source, &error.to_string()))
    };
    let (regex, space_runs) = match space_runs::rewritten(translated) {
        Some((others, expression)) => {
            let others = if others.is_empty() { None } else { Some(built(others)?) };
            (built(&expression)?, Some(SpaceRuns::new(others)))
        }
        None => (built(translated)?, None),
    };
    Ok(Matcher::Regex(Box::new(Expression { regex, space_runs, looks: Looks::default() })))
}

impl Matcher {
    /// Appends the matches and the ranges between them, which cover the whole text. An empty text has no match.
    pub fn stretches(&self, text: &str, out: &mut Vec<Stretch>) -> Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        let mut gaps = Gaps { out, before: 0 };
        match self {
            Self::Literal(wanted) => {
                text.match_indices(wanted.as_str()).for_each(|(start, found)| gaps.push(start, start + found.len()));
            }
            Self::Regex(expression) => each_match(expression, text, |start, end| gaps.push(start, end))?,
        }
        gaps.end(text.len());
        Ok(())
    }
}

/// Appends matches and the ranges between them.
struct Gaps<'a> {
    out: &'a mut Vec<Stretch>,
    /// The end of the last match.
    before: usize,
}

impl Gaps<'_> {
    fn push(&mut self, start: usize, end: usize) {
        self.end(start);
        self.out.push(Stretch { start, end, matched: true });
        self.before = end;
    }

    fn end(&mut self, end: usize) {
        if self.before != end {
            self.out.push(Stretch { start: self.before, end, matched: false });
        }
    }
}

/// Appends the characters that are wanted, and the ranges between them.
pub fn characters(text: &str, wanted: impl Fn(char) -> bool, out: &mut Vec<Stretch>) {
    let mut gaps = Gaps { out, before: 0 };
    text.match_indices(wanted).for_each(|(start, found)| gaps.push(start, start + found.len()));
    gaps.end(text.len());
}

/// Calls `found` for each match. An empty match right after another match does not count.
fn each_match(expression: &Expression, text: &str, mut found: impl FnMut(usize, usize)) -> Result<()> {
    let Expression { regex, space_runs, looks } = expression;
    let (mut from, mut last, mut pace) = (0, None, Pace::new());
    let mut budget = looks.budget(regex.as_str(), text.len());
    while from <= text.len() {
        pace.reach(from);
        let exceeded = |what: String| {
            let pattern = regex.as_str();
            let message = format!("{what}; shorten the text or simplify the pattern {pattern:?}");
            Error::new("pattern-limit", message).with("at", from).with("pattern", pattern)
        };
        let next = regex.find_from_pos(text, from).map_err(|error| {
            let steps = format!("more than {BACKTRACK_LIMIT} steps back at byte {from} or behind it ({error})");
            exceeded(format!("a pattern took {steps}"))
        })?;
        let Some(next) = next else { break };
        if !budget.spend(text, from) {
            let bytes = format!("more than {LOOKS} bytes and {LOOKS_PER_BYTE} for each byte of the text");
            return Err(exceeded(format!("the searches for a pattern looked at {bytes} before byte {from}")));
        }
        if next.start() == next.end() && last == Some(next.end()) {
            from += text[from..].chars().next().map_or(1, char::len_utf8);
            continue;
        }
        from = match space_runs {
            Some(space_runs) => space_runs.end(text, next.start(), next.end()),
            None => next.end(),
        };
        last = Some(from);
        found(next.start(), from);
    }
    Ok(())
}
