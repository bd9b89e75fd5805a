//! Steps that do to an ASCII character what they do to it alone, whatever stands beside it: done in one pass.
//!
//! What each ASCII character becomes is found out once, by running the steps; so only stretches of other characters go through
//! the steps one after the other.

use super::filters::ascii_end;
use super::{Compiled, Drafts, Form, Steps, GROWTH};
use crate::error::Result;
use crate::pattern::Matcher;
use crate::unicode;

/// Stands for a character that does not become one ASCII character.
const OTHER: u8 = 0xFF;

/// Steps in a row, and what they make of ASCII.
pub struct Local {
    steps: Vec<Compiled>,
    map: [u8; 128],
    /// What characters become that are not one.
    others: Vec<String>,
}

/// The same steps, with those joined that can be done in one pass.
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
            drafts.most = GROWTH;
            steps.run(&mut drafts).ok()?;
            Some(drafts.now.text.clone()).filter(|text| text.len() <= GROWTH)
        };
        let Some(others) = (0..128).map(&mut alone).collect::<Option<Vec<String>>>() else {
            return Err(steps.steps);
        };
        let map = std::array::from_fn(|code| match others.get(code).map(String::as_bytes) {
            Some(&[byte]) if byte.is_ascii() => byte,
            _ => OTHER,
        });
        Ok(Self { steps: steps.steps, map, others })
    }

    /// The steps.
    pub fn steps(&self) -> &[Compiled] {
        &self.steps
    }

    /// Rewrites a text whose places nobody asks for; `run` does the steps to a stretch without ASCII.
    pub fn run(&self, drafts: &mut Drafts, run: impl Fn(&mut Drafts) -> Result<()>) -> Result<()> {
        let mut inner = drafts.inner.take().unwrap_or_default();
        inner.most = drafts.most;
        let (mut rest, out) = (drafts.now.text.as_str(), &mut drafts.next.text);
        out.clear();
        out.reserve(rest.len());
        while !rest.is_empty() {
            let (ascii, later) = rest.split_at(ascii_end(rest));
            self.write(ascii.as_bytes(), out);
            let (others, later) = later.split_at(later.bytes().position(|byte| byte.is_ascii()).unwrap_or(later.len()));
            if !others.is_empty() {
                inner.now.text.clear();
                inner.now.text.push_str(others);
                run(&mut inner)?;
                out.push_str(&inner.now.text);
            }
            rest = later;
        }
        std::mem::swap(&mut drafts.now.text, &mut drafts.next.text);
        drafts.inner = Some(inner);
        Ok(())
    }

    fn write(&self, mut ascii: &[u8], out: &mut String) {
        while !ascii.is_empty() {
            let plain = ascii.iter().take_while(|&&byte| self.map[usize::from(byte & 0x7F)] != OTHER).count();
            out.extend(ascii[..plain].iter().map(|&byte| char::from(self.map[usize::from(byte & 0x7F)])));
            if let Some(&byte) = ascii.get(plain) {
                out.push_str(&self.others[usize::from(byte & 0x7F)]);
            }
            ascii = ascii.get(plain + 1..).unwrap_or(&[]);
        }
    }
}
