//! Fuses steps that map ASCII characters independently of their neighbours into one pass.
//!
//! The result of each ASCII character is computed once, by running the steps; only runs of other characters go through
//! the steps one by one. An ASCII character that is removed, or whose result ends in a mark, before a Unicode form is
//! applied is part of such a run: the text on both sides of it may be reordered.

use crate::normalize::steps::filters::ascii_end;
use crate::normalize::steps::{Compiled, Drafts, Form, Steps};
use crate::pattern::Matcher;
use crate::unicode;
use crate::util::allowance::{Bounds, GROWTH};
use crate::util::{Pace, Result};

/// Marks a character whose result is not a single ASCII character.
const OTHER: u8 = 0xFF;
/// Maximum number of unchanged characters copied together.
const MOST_SAME: usize = 1 << 12;
/// Marks a character across which its neighbours can be reordered.
const OPEN: u8 = 0xFE;

/// A sequence of steps, and their result for each ASCII character.
pub struct Local {
    pub(crate) steps: Vec<Compiled>,
    map: [u8; 128],
    /// Results that are not a single ASCII character.
    others: Vec<String>,
}

/// The steps, with those fused that can be done in one pass.
pub fn joined(steps: Vec<Compiled>) -> Vec<Compiled> {
    let (mut out, mut steps) = (Vec::new(), steps.into_iter().peekable());
    while let Some(step) = steps.next() {
        if !is_local(&step) {
            out.push(step);
            continue;
        }
        let mut run = vec![step];
        run.extend(std::iter::from_fn(|| steps.next_if(is_local)));
        match Local::build(run) {
            Ok(local) => out.push(Compiled::Local(Box::new(local))),
            Err(run) => out.extend(run),
        }
    }
    out
}

fn is_local(step: &Compiled) -> bool {
    match step {
        Compiled::Form(form) => matches!(form, Form::Nfd | Form::Nfkd),
        Compiled::Filter(_) => true,
        Compiled::Replace(Matcher::Literal(text), content) => {
            text.len() == 1 && content.chars().all(|c| unicode::is(c, unicode::NFD))
        }
        _ => false,
    }
}

impl Local {
    /// Gives the steps back if they make a character very long.
    fn build(steps: Vec<Compiled>) -> std::result::Result<Self, Vec<Compiled>> {
        let steps = Steps { steps, ..Steps::default() };
        let mut drafts = Drafts::default();
        let results = (0..128).map(|byte| result(&steps, byte, &mut drafts)).collect::<Option<Vec<_>>>();
        let Some(results) = results else { return Err(steps.steps) };
        let map =
            std::array::from_fn(|code| match results.get(code).map(|(text, is_open)| (text.as_bytes(), is_open)) {
                Some((_, true)) => OPEN,
                Some((&[byte], _)) if byte.is_ascii() => byte,
                _ => OTHER,
            });
        let others = results.into_iter().map(|(text, _)| text).collect();
        Ok(Self { steps: steps.steps, map, others })
    }

    /// Rewrites a text without recording ranges; `run` applies the steps to a run between ASCII characters.
    pub fn run(&self, drafts: &mut Drafts, run: impl Fn(&mut Drafts) -> Result<()>) -> Result<()> {
        let mut inner = drafts.inner.take().unwrap_or_default();
        inner.bounds = drafts.bounds;
        let (text, out) = (drafts.now.text.as_str(), &mut drafts.next.text);
        out.clear();
        out.reserve(text.len());
        let (mut at, mut ascii) = (0, 0);
        while at < text.len() {
            if ascii <= at {
                ascii = at + ascii_end(&text[at..]);
            }
            at += self.write(&text[at..ascii], &drafts.bounds, out)?;
            let closed = |&byte: &u8| byte.is_ascii() && self.of(byte) != OPEN;
            let length = text.as_bytes()[at..].iter().position(closed).unwrap_or(text.len() - at);
            if length > 0 {
                inner.now.text.clear();
                inner.now.text.push_str(&text[at..at + length]);
                run(&mut inner)?;
                out.push_str(&inner.now.text);
                drafts.bounds.check(out.len())?;
            }
            at += length;
        }
        std::mem::swap(&mut drafts.now.text, &mut drafts.next.text);
        drafts.bounds.go_on(inner.bounds);
        drafts.inner = Some(inner);
        Ok(())
    }

    fn of(&self, byte: u8) -> u8 {
        self.map[usize::from(byte & 0x7F)]
    }

    /// Writes the results of ASCII characters, up to the first open one; returns the number of bytes read.
    fn write(&self, ascii: &str, bounds: &Bounds, out: &mut String) -> Result<usize> {
        let (bytes, mut at, mut pace) = (ascii.as_bytes(), 0, Pace::new());
        while at < bytes.len() {
            pace.reach(at);
            // Most are unchanged, and are copied together.
            let same = bytes[at..].iter().take(MOST_SAME).take_while(|&&byte| self.of(byte) == byte).count();
            out.push_str(&ascii[at..at + same]);
            at += same;
            while let Some(&byte) = bytes.get(at).filter(|&&byte| self.of(byte) < OPEN && self.of(byte) != byte) {
                out.push(char::from(self.of(byte)));
                at += 1;
            }
            match bytes.get(at) {
                Some(&byte) if self.of(byte) == OTHER => out.push_str(&self.others[usize::from(byte & 0x7F)]),
                Some(&byte) if self.of(byte) == OPEN => break,
                _ => continue,
            }
            at += 1;
            bounds.check(out.len())?;
        }
        bounds.check(out.len())?;
        Ok(at)
    }
}

/// The result of an ASCII character, and whether it is empty, or begins or ends with a non-inert character, before a
/// form is applied. `None` if it is very long.
fn result(steps: &Steps, byte: u8, drafts: &mut Drafts) -> Option<(String, bool)> {
    let inert = |end: Option<char>| end.is_some_and(|c| unicode::is(c, unicode::NFKD));
    drafts.begin(&[byte], false);
    drafts.bounds = Bounds::up_to(GROWTH);
    let mut is_open = false;
    for step in &steps.steps {
        if matches!(step, Compiled::Form(_)) {
            let mut ends = drafts.now.text.chars();
            let first = ends.next();
            is_open |= !inert(first) || !inert(ends.next_back().or(first));
        }
        steps.run_all(std::slice::from_ref(step), drafts).ok()?;
    }
    Some((drafts.now.text.clone(), is_open)).filter(|(text, _)| text.len() <= GROWTH)
}
