//! Pre-tokenization as a list of named rules, each of which cuts the chunks of the one before it.
//!
//! The rules are those of `tokenizers`. They may remove and insert text, so the output is a text of its own with the
//! ends of its chunks. `split::Splitter` is the fast path for the common lists that only cut.

pub(crate) mod behavior;
pub(crate) mod find;
pub(crate) mod groups;
pub(crate) mod rewrite;

use crate::normalize::steps::{Drafts, Editor};
use crate::normalize::Normalized;
use crate::pattern::{Room, Stretch};
use crate::spec::stages::{Behavior, GroupCut, Prepend, Rule};
use crate::spec::{Config, Symbols};
use crate::split::one_pass::{Metaspace, OnePass};
use crate::split::rules::find::Finder;
use crate::split::rules::rewrite::{map_bytes, metaspace, prefix_space};
use crate::unicode::byte_letters::byte_of;
use crate::unicode::{NUMERIC, PUNCTUATION, WHITE};
use crate::util::{u32_of, us, Error, Pace, Result};

/// A range of the text that is cut independently.
#[derive(Debug, Clone, Copy)]
pub struct Chunk {
    /// Where it begins.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// Whether it begins the part of the original text that it belongs to.
    pub leads: bool,
}

/// Fixed cost of cutting a chunk, in bytes, besides those that are read.
const CHUNK: usize = 4;

/// Chunk lists that rules read from and write to.
#[derive(Default)]
pub struct Chunks {
    now: Vec<Chunk>,
    next: Vec<Chunk>,
    stretches: Vec<Stretch>,
}

impl Chunks {
    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        size_of::<Chunk>() * (self.now.capacity() + self.next.capacity())
    }
}

/// The rules of a Spec, compiled.
#[derive(Default)]
pub struct Rules {
    rules: Vec<Compiled>,
    /// Whether bytes were mapped to characters and have to be mapped back.
    mapped: bool,
    /// Whether a rule depends on the origin of a chunk.
    pub(crate) needs_spans: bool,
    /// The rules fused into one pass, where they depend on single characters only.
    pub(crate) one_pass: Option<OnePass>,
}

pub(crate) enum Compiled {
    Split(Finder, Behavior, bool),
    NumberGroups(GroupCut),
    Scripts,
    FixedLength(usize),
    Metaspace(char, Prepend),
    PrefixSpace,
    MapBytes,
}

impl Rules {
    /// Compiles the rules of a Spec.
    pub fn build(config: &Config, room: &mut Room) -> Result<Self> {
        let mut rules = Vec::new();
        for rule in &config.split_rules {
            compile(rule, room, &mut rules)?;
        }
        let levels = config.split_rules.iter().any(|rule| matches!(rule, Rule::ByteLevel { .. }));
        let mut mapped = levels && config.symbols == Symbols::Bytes;
        if mapped && matches!(rules.last(), Some(Compiled::MapBytes)) {
            // No rule reads the mapped characters, so the mapping and its inverse cancel out.
            rules.pop();
            mapped = false;
        }
        let first = |rule: &Compiled| matches!(rule, Compiled::Metaspace(_, Prepend::First));
        // Where no step removed anything, the whole text is from its beginning.
        let known = usize::from(config.normalizer.is_empty());
        let needs_spans = rules.iter().skip(known).any(first);
        let one_pass = one_pass(&rules);
        Ok(Self { rules, mapped, needs_spans, one_pass })
    }

    /// Cuts `drafts.now` as [`Rules::run`] does, and appends the chunks to `out`.
    pub fn run_into(&self, first: bool, drafts: &mut Drafts, chunks: &mut Chunks, out: &mut Normalized) -> Result<()> {
        let draft = &drafts.now;
        if self.one_pass.as_ref().is_some_and(|pass| !draft.tracked && pass.run(&draft.text, first, out)) {
            return drafts.bounds.check(out.len);
        }
        self.run(first, drafts, chunks)?;
        self.write(drafts, chunks, out);
        Ok(())
    }

    /// Cuts `drafts.now`, which the rules may rewrite. `first`: it begins the original text.
    fn run(&self, first: bool, drafts: &mut Drafts, chunks: &mut Chunks) -> Result<()> {
        chunks.now.clear();
        if !drafts.now.text.is_empty() {
            let leads = drafts.now.spans.first().is_none_or(|span| span.0 == 0);
            chunks.now.push(Chunk { start: 0, end: drafts.now.text.len(), leads });
        }
        for rule in &self.rules {
            drafts.bounds.spend(drafts.now.text.len() + CHUNK * chunks.now.len())?;
            match rule {
                Compiled::Split(finder, behavior, invert) => {
                    chunks.cut(drafts, |text, out| {
                        finder.stretches(text, out)?;
                        behavior.apply(*invert, out);
                        Ok(())
                    })?;
                }
                Compiled::NumberGroups(cut) => chunks.cut(drafts, |text, out| groups::stretches(*cut, text, out))?,
                Compiled::Scripts => chunks.cut(drafts, find::scripts)?,
                Compiled::FixedLength(length) => chunks.cut(drafts, |text, out| find::pieces(text, *length, out))?,
                Compiled::Metaspace(mark, prepend) => chunks.rewrite(drafts, |chunk, editor| {
                    let puts = match prepend {
                        Prepend::Always => true,
                        Prepend::Never => false,
                        Prepend::First => first && chunk.leads,
                    };
                    metaspace(*mark, puts, chunk, editor);
                })?,
                Compiled::PrefixSpace => chunks.rewrite(drafts, prefix_space)?,
                Compiled::MapBytes => chunks.rewrite(drafts, map_bytes)?,
            }
        }
        Ok(())
    }

    /// Appends the chunks to `out`.
    fn write(&self, drafts: &Drafts, chunks: &Chunks, out: &mut Normalized) {
        let draft = &drafts.now;
        let mut pace = Pace::new();
        for chunk in &chunks.now {
            pace.reach(chunk.start);
            let text = &draft.text[chunk.start..chunk.end];
            if self.mapped {
                let byte = |c: char| byte_of(c).or_else(|| u8::try_from(u32::from(c)).ok()).unwrap_or(b'?');
                let bytes: Vec<u8> = text.chars().map(byte).collect();
                let places = text.char_indices().map(|(at, _)| chunk.start + at);
                out.append(&bytes, places.filter_map(|at| draft.spans.get(at).copied()));
            } else {
                let spans = if draft.tracked { &draft.spans[chunk.start..chunk.end] } else { &[] };
                out.append(text.as_bytes(), spans.iter().copied());
            }
            out.chunks.push(u32_of(out.len));
        }
    }
}

impl Chunks {
    /// Cuts every chunk at the ranges of `find`; ranges marked as matched are removed, and so are empty ones.
    fn cut(&mut self, drafts: &Drafts, mut find: impl FnMut(&str, &mut Vec<Stretch>) -> Result<()>) -> Result<()> {
        let draft = &drafts.now;
        self.next.clear();
        let mut pace = Pace::new();
        for chunk in &self.now {
            pace.reach(chunk.start);
            self.stretches.clear();
            find(&draft.text[chunk.start..chunk.end], &mut self.stretches)?;
            for stretch in self.stretches.iter().filter(|stretch| !stretch.matched && stretch.start < stretch.end) {
                let (start, end) = (chunk.start + stretch.start, chunk.start + stretch.end);
                let leads = draft.spans.get(start).map_or(chunk.leads && stretch.start == 0, |span| span.0 == 0);
                self.next.push(Chunk { start, end, leads });
            }
        }
        std::mem::swap(&mut self.now, &mut self.next);
        Ok(())
    }

    /// Rewrites every chunk; text outside of chunks is removed.
    fn rewrite(&mut self, drafts: &mut Drafts, mut write: impl FnMut(&Chunk, &mut Editor<'_>)) -> Result<()> {
        let now = &mut self.now;
        drafts.edit(|mut editor| {
            for chunk in now {
                editor.skip(chunk.start - editor.at());
                let start = editor.written();
                write(chunk, &mut editor);
                *chunk = Chunk { start, end: editor.written(), ..*chunk };
            }
        })
    }
}

/// The rules in one pass, if they allow it: they remove and isolate characters of some classes, then Metaspace may follow.
fn one_pass(rules: &[Compiled]) -> Option<OnePass> {
    let (mut removed, mut isolated, mut metaspace) = (0, 0, None::<Metaspace>);
    for rule in rules {
        match (rule, &mut metaspace) {
            (Compiled::Split(Finder::Class(flags), Behavior::Removed, false), None) => removed |= flags,
            (Compiled::Split(Finder::Class(flags), Behavior::Isolated, false), None) => isolated |= flags,
            (&Compiled::Metaspace(mark, prepend), none @ None) => {
                *none = Some(Metaspace { mark, prepend, cuts: false });
            }
            (Compiled::Split(Finder::Character(mark), Behavior::MergedWithNext, false), Some(rule))
                if rule.mark == *mark =>
            {
                rule.cuts = true;
            }
            _ => return None,
        }
    }
    Some(OnePass::new(removed, isolated, metaspace))
}

fn compile(rule: &Rule, room: &mut Room, rules: &mut Vec<Compiled>) -> Result<()> {
    let split = |finder: Finder, behavior: Behavior| Compiled::Split(finder, behavior, false);
    let last = match rule {
        Rule::Split { pattern, behavior, invert } => {
            Compiled::Split(Finder::Pattern(pattern.compile(room)?), *behavior, *invert)
        }
        Rule::Whitespace {} => Compiled::Split(Finder::Words, Behavior::Removed, true),
        Rule::WhitespaceSplit {} => split(Finder::Class(WHITE), Behavior::Removed),
        Rule::Bert {} => {
            rules.push(split(Finder::Class(WHITE), Behavior::Removed));
            split(Finder::Class(PUNCTUATION), Behavior::Isolated)
        }
        Rule::Metaspace { replacement, prepend_scheme, split: cuts } => {
            rules.push(Compiled::Metaspace(*replacement, *prepend_scheme));
            let cut = cuts.then(|| split(Finder::Character(*replacement), Behavior::MergedWithNext));
            rules.extend(cut);
            return Ok(());
        }
        Rule::Digits { individual: true } => split(Finder::Class(NUMERIC), Behavior::Isolated),
        Rule::Digits { individual: false } => split(Finder::Class(NUMERIC), Behavior::Contiguous),
        Rule::NumberGroups { cut } => Compiled::NumberGroups(*cut),
        Rule::Punctuation { behavior } => split(Finder::Class(PUNCTUATION), *behavior),
        Rule::CharDelimiter { delimiter } => split(Finder::Character(*delimiter), Behavior::Removed),
        Rule::UnicodeScripts {} => Compiled::Scripts,
        Rule::FixedLength { length: 0 } => {
            let message = "split_rules: the length of a fixed-length rule must be 1 or more";
            return Err(Error::new("spec-stages", message).with("field", "split_rules"));
        }
        Rule::FixedLength { length } => Compiled::FixedLength(us(*length)),
        Rule::ByteLevel { add_prefix_space, use_regex } => {
            rules.extend(add_prefix_space.then_some(Compiled::PrefixSpace));
            rules.extend(use_regex.then_some(split(Finder::Gpt2, Behavior::Isolated)));
            Compiled::MapBytes
        }
    };
    rules.push(last);
    Ok(())
}
