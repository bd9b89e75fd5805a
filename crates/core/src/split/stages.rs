//! The general normalizer and pre-tokenizer: lists of steps and rules, where a Spec has them.

use crate::normalize::steps::{Draft, Drafts, Steps};
use crate::normalize::Normalized;
use crate::pattern::Room;
use crate::spec::Spec;
use crate::split::one_pass::OnePass;
use crate::split::rules::{Chunks, Rules};
use crate::util::{us, Result};

/// Both lists, compiled.
#[derive(Default)]
pub struct Stages {
    steps: Steps,
    rules: Option<Rules>,
    /// Both fused into one pass, where that is possible.
    fused: Option<OnePass>,
}

/// Buffers of the stages.
#[derive(Default)]
pub struct Work {
    drafts: Drafts,
    chunks: Chunks,
}

impl Work {
    /// Approximate bytes of memory held.
    pub fn bytes(&self) -> usize {
        let drafts = [&self.drafts.now, &self.drafts.next].map(Draft::bytes);
        drafts.iter().sum::<usize>() + self.chunks.bytes()
    }
}

impl Stages {
    /// Compiles the lists of a Spec.
    pub fn build(spec: &Spec) -> Result<Self> {
        let mut room = Room::default();
        let steps = Steps::build(spec, &mut room)?;
        let has_rules = !spec.config.split_rules.is_empty();
        let rules = if has_rules { Some(Rules::build(&spec.config, &mut room)?) } else { None };
        let one_pass = rules.as_ref().and_then(|rules: &Rules| rules.one_pass.as_ref());
        let fused = one_pass.and_then(|rules| rules.after(&spec.config.normalizer));
        Ok(Self { steps, rules, fused })
    }

    /// Whether both lists are empty.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty() && self.rules.is_none()
    }

    /// Whether steps change the text.
    pub fn has_steps(&self) -> bool {
        !self.steps.is_empty()
    }

    /// Whether rules cut the text.
    pub const fn has_rules(&self) -> bool {
        self.rules.is_some()
    }

    /// Whether a text, and so each part of it, is left unchanged.
    pub fn keep(&self, text: &[u8], work: &mut Work) -> bool {
        if self.is_empty() {
            return true;
        }
        let may_keep = self.rules.is_none() && self.steps.only_compose();
        may_keep && self.normalize(text, false, work).is_ok() && work.drafts.now.text.as_bytes() == text
    }

    /// Runs the steps over a text.
    pub fn normalize(&self, text: &[u8], origins: bool, work: &mut Work) -> Result<()> {
        let tracked = origins || self.rules.as_ref().is_some_and(|rules| rules.needs_spans);
        work.drafts.begin(text, tracked);
        self.steps.run(&mut work.drafts)
    }

    /// Normalizes and cuts a text in one fused pass, where that is supported and no origins are recorded; else does
    /// nothing.
    pub fn quickly(&self, text: &[u8], origins: bool, out: &mut Normalized) -> bool {
        !origins && self.fused.as_ref().is_some_and(|fused| fused.run_bytes(text, out))
    }

    /// The end of the last character of a text that separates the text before it from what follows, if there is one.
    pub fn last_gap(&self, text: &[u8]) -> Option<usize> {
        self.fused.as_ref()?.last_gap(text)
    }

    /// Writes the output of [`Stages::normalize`] for a text of `consumed` bytes, not cut into chunks.
    pub fn write(&self, consumed: usize, work: &Work, out: &mut Normalized) {
        let draft = &work.drafts.now;
        out.clear();
        out.append(draft.text.as_bytes(), draft.spans.iter().copied());
        out.close(draft.tracked.then_some(consumed));
    }

    /// Cuts the output of [`Stages::normalize`] for a text of `consumed` bytes into chunks, if there are rules, and
    /// writes it. `first`: it begins the whole text.
    pub fn split(&self, first: bool, consumed: usize, work: &mut Work, out: &mut Normalized) -> Result<()> {
        let Some(rules) = &self.rules else {
            self.write(consumed, work, out);
            return Ok(());
        };
        out.clear();
        rules.run_into(first, &mut work.drafts, &mut work.chunks, out)?;
        out.close(work.drafts.now.tracked.then_some(consumed));
        Ok(())
    }

    /// Splits a part of a text that is already normalized, as [`Stages::write`] leaves it. All parts share the
    /// allowance of the text.
    pub fn split_again(&self, first: bool, work: &mut Work, text: &mut Normalized) -> Result<()> {
        if self.rules.is_none() {
            return Ok(());
        }
        work.drafts.now.read(text);
        let consumed = text.origins.last().map_or(0, |&end| us(end));
        self.split(first, consumed, work, text)?;
        work.drafts.bounds.take(text.len);
        Ok(())
    }

    /// A short text after the steps; `None` if there are none.
    pub fn form(&self, text: &[u8]) -> Result<Option<Vec<u8>>> {
        if self.is_empty() {
            return Ok(None);
        }
        let mut work = Work::default();
        self.normalize(text, false, &mut work)?;
        Ok(Some(work.drafts.now.text.into_bytes()))
    }
}
