//! Steps that do to an ASCII character what they do to it alone, whatever stands beside it: done in one pass.
//!
//! What each ASCII character becomes is found out once, by running the steps; so only stretches of other characters go through
//! the steps one after the other. An ASCII character that is gone, or that ends in a mark, when a form of Unicode is due is
//! part of such a stretch: what stands on both sides of it may change places.

use crate::normalize::steps::filters::ascii_end;
use crate::normalize::steps::{Compiled, Drafts, Form, Steps};
use crate::pattern::Matcher;
use crate::unicode;
use crate::util::allowance::{Bounds, GROWTH};
use crate::util::error::Result;
use crate::util::interrupt::Pace;

/// Stands for a character that does not become one ASCII character.
const OTHER: u8 = 0xFF;
/// Characters that are copied together, at most.
const MOST_SAME: usize = 1 << 12;
/// Stands for a character that what stands beside it can be moved across.
const OPEN: u8 = 0xFE;

/// Steps in a row, and what they make of ASCII.
pub struct Local {
    steps: Vec<Compiled>,
    map: [u8; 128],
    /// What characters become that are not one.
    others: Vec<String>,
}

/// Steps with those joined that can be done in one pass.
pub fn joined(steps: Vec<Compiled>) -> Vec<Compiled> {
    let (mut out, mut run) = (Vec::new(), Vec::new());
    for step in steps {
        if is_local(&step) {
            run.push(step);
            continue;
        }
        flush(&mut run, &mut out);
        out.push(step);
    }
    flush(&mut run, &mut out);
    out
}

fn flush(run: &mut Vec<Compiled>, out: &mut Vec<Compiled>) {
    if !run.is_empty() {
        match Local::build(std::mem::take(run)) {
            Ok(local) => out.push(Compiled::Local(Box::new(local))),
            Err(steps) => out.extend(steps),
        }
    }
}

fn is_local(step: &Compiled) -> bool {
    match step {
        Compiled::Form(form) => matches!(form, Form::Nfd | Form::Nfkd),
        Compiled::Lowercase
        | Compiled::StripAccents
        | Compiled::Clean
        | Compiled::Chinese
        | Compiled::StripNonspacing
        | Compiled::Nmt => true,
        Compiled::Replace(Matcher::Literal(text), content) => {
            text.len() == 1 && content.chars().all(|c| unicode::is(c, unicode::NFD))
        }
        _ => false,
    }
}

impl Local {
    /// The steps again if they make a character very long.
    fn build(steps: Vec<Compiled>) -> std::result::Result<Self, Vec<Compiled>> {
        let steps = Steps { steps, ..Steps::default() };
        let mut drafts = Drafts::default();
        let mut alone = |byte: u8| {
            drafts.begin(&[byte], false);
            drafts.bounds = Bounds::up_to(GROWTH);
            steps.run(&mut drafts).ok()?;
            Some(drafts.now.text.clone()).filter(|text| text.len() <= GROWTH)
        };
        let Some(others) = (0..128).map(&mut alone).collect::<Option<Vec<String>>>() else {
            return Err(steps.steps);
        };
        let Some(open) = opened(&steps) else { return Err(steps.steps) };
        let map = std::array::from_fn(|code| match others.get(code).map(String::as_bytes) {
            _ if open[code] => OPEN,
            Some(&[byte]) if byte.is_ascii() => byte,
            _ => OTHER,
        });
        Ok(Self { steps: steps.steps, map, others })
    }

    /// The steps.
    pub fn steps(&self) -> &[Compiled] {
        &self.steps
    }

    /// Rewrites a text whose places nobody asks for; `run` does the steps to a stretch between ASCII characters.
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

    /// Writes what ASCII becomes, up to the first open character; how many bytes were read.
    fn write(&self, ascii: &str, bounds: &Bounds, out: &mut String) -> Result<usize> {
        let (bytes, mut at, mut pace) = (ascii.as_bytes(), 0, Pace::new());
        while at < bytes.len() {
            pace.reach(at);
            // Most stay as they are, and are copied together.
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

/// Which ASCII characters are nothing, or begin or end with what is not inert, when one of the forms is due.
fn opened(steps: &Steps) -> Option<[bool; 128]> {
    let mut open = [false; 128];
    let mut drafts = Drafts::default();
    let inert = |end: Option<char>| end.is_some_and(|c| unicode::is(c, unicode::NFKD));
    for (byte, is_open) in (0u8..).zip(&mut open) {
        drafts.begin(&[byte], false);
        drafts.bounds = Bounds::up_to(GROWTH);
        for step in &steps.steps {
            if matches!(step, Compiled::Form(_)) {
                let mut ends = drafts.now.text.chars();
                let first = ends.next();
                *is_open |= !inert(first) || !inert(ends.next_back().or(first));
            }
            steps.run_all(std::slice::from_ref(step), &mut drafts).ok()?;
        }
    }
    Some(open)
}
