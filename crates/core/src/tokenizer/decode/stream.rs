//! Streaming decoder: emits the longest prefix of the text that no later id can change.
//!
//! One exception: a run of byte pieces that is not valid UTF-8 as a whole decodes to one U+FFFD for each byte where the
//! decoder has a step `byte-fallback`, including the characters before the invalid byte. A stream has already emitted
//! those and cannot retract them; the rest of the run equals the result of `decode`.

use std::collections::BTreeMap;

use crate::spec::stages::DecodeStep;
use crate::spec::Spec;
use crate::tokenizer::decode::byte_runs::ByteRuns;
use crate::tokenizer::decode::flow::Flow;
use crate::tokenizer::decode::replace::Replace;
use crate::tokenizer::decode::stages::{Denormalize, Distinct, Join, Level, Respell, Stage, Strip, Suffix, Word};
use crate::tokenizer::decode::steps::{is_gap, Letters, CLEANUP};
use crate::tokenizer::decode::{Decoder, Invalid};
use crate::util::allowance::Bounds;
use crate::util::error::{Error, Result};

/// The replacements of [`crate::tokenizer::decode::clean_spaces`], in order.
const SPACES: [(&str, &str); 9] = [
    (" ?", "?"),
    (" !", "!"),
    (" .", "."),
    (" ,", ","),
    (" ' ", "'"),
    (" 's", "'s"),
    (" 'm", "'m"),
    (" 're", "'re"),
    (" 've", "'ve"),
];

/// The state of a decoder for one text. A clone of a fresh one begins another text.
#[derive(Clone)]
pub struct StreamDecoder {
    decoder: Decoder,
    stages: Vec<Stage>,
    /// The allowance of the ids so far, less the work of the stages.
    bounds: Bounds,
    /// The number of bytes that each stage has written.
    made: Vec<usize>,
}

impl StreamDecoder {
    /// Before the first id.
    pub fn new(spec: &Spec) -> Self {
        let mut stages = Vec::new();
        if let Some(steps) = &spec.config.decoder {
            let mut is_one = false;
            for step in steps {
                add(step, is_one, &mut stages);
                is_one |= matches!(step, DecodeStep::Fuse | DecodeStep::ByteLevel);
            }
        } else {
            if spec.config.clean_spaces {
                stages.extend(replaced(&SPACES));
            }
            if !spec.denormalizer.is_empty() {
                stages.push(Stage::Denormalize(Denormalize::new(&spec.denormalizer)));
            }
        }
        let made = vec![0; stages.len()];
        Self { decoder: Decoder::new(Invalid::Replace), stages, bounds: Bounds::of(0), made }
    }

    /// Adds ids; returns the text that they make final. The Spec must be the one it was made for.
    pub fn push(&mut self, spec: &Spec, ids: &[u32]) -> Result<Vec<u8>> {
        self.advance(spec, ids, false)
    }

    /// Ends the text; returns the rest of it.
    pub fn finish(&mut self, spec: &Spec) -> Result<Vec<u8>> {
        self.advance(spec, &[], true)
    }

    fn advance(&mut self, spec: &Spec, ids: &[u32], end: bool) -> Result<Vec<u8>> {
        let mut flow = Flow::default();
        flow.begin(usize::MAX);
        if spec.config.decoder.is_some() {
            for piece in ids.iter().map(|&id| spec.vocab.piece(id)).filter(|piece| !is_gap(piece)) {
                flow.push(piece);
                flow.end();
            }
        } else {
            for &id in ids {
                self.decoder.push(spec, id, &mut flow.text)?;
            }
            if end {
                self.decoder.finish(spec, &mut flow.text)?;
                flow.end();
            }
        }
        self.bounds.grant(flow.text.len());
        let (mut next, mut ahead) = (Flow::default(), self.decoder.ahead());
        for (stage, made) in self.stages.iter_mut().zip(&mut self.made) {
            self.bounds.spend(flow.text.len())?;
            next.begin(self.bounds.most().saturating_sub(*made));
            stage.run(&flow, end, &mut ahead, &mut next)?;
            if next.is_short {
                return Err(self.bounds.too_long());
            }
            *made = made.saturating_add(next.text.len());
            std::mem::swap(&mut flow, &mut next);
        }
        Ok(flow.text)
    }
}

fn replaced<'a>(rules: &'a [(&'a str, &'a str)]) -> impl Iterator<Item = Stage> + 'a {
    rules.iter().map(|(pattern, content)| Stage::Replace(Replace::new(pattern, content)))
}

/// Appends the stages of a step. `is_one` says that there is only one token.
fn add(step: &DecodeStep, is_one: bool, stages: &mut Vec<Stage>) {
    let made = match step {
        DecodeStep::ByteFallback => Stage::Runs(ByteRuns::default()),
        DecodeStep::Metaspace { replacement, prepended } => {
            let mark = replacement.to_string();
            Stage::Replace(Replace::with_first(&mark, " ", if *prepended { "" } else { " " }))
        }
        DecodeStep::Replace { pattern, content } => Stage::Replace(Replace::new(pattern, content)),
        DecodeStep::Fuse => Stage::Fuse,
        DecodeStep::Strip { content, start, stop } => Stage::Strip(Strip::new(*content, *start, *stop)),
        DecodeStep::Wordpiece { prefix, cleanup } => {
            stages.push(Stage::Word(Word::new(prefix)));
            stages.extend(replaced(if *cleanup { &CLEANUP } else { &[] }));
            return;
        }
        DecodeStep::Suffix { suffix } if is_one => Stage::Replace(Replace::new(suffix, "")),
        DecodeStep::Suffix { suffix } => Stage::Suffix(Suffix::new(suffix)),
        DecodeStep::Ctc { pad, delimiter, cleanup } => {
            if !is_one {
                stages.push(Stage::Distinct(Distinct::default()));
            }
            if !pad.is_empty() {
                stages.push(Stage::Replace(Replace::new(pad, "")));
            }
            if *cleanup {
                stages.extend(replaced(&CLEANUP));
                if !delimiter.is_empty() {
                    stages.push(Stage::Replace(Replace::new(delimiter, " ")));
                }
            }
            Stage::Filled { has_text: false }
        }
        DecodeStep::Join { separator } => Stage::Join(Join::new(separator)),
        DecodeStep::Respell { pieces } => Stage::Respell(Respell::new(pieces)),
        DecodeStep::ByteLetters => Stage::Letters(std::sync::Arc::new(Letters::new())),
        DecodeStep::ByteLevel => Stage::Level(Level::new()),
    };
    stages.push(made);
}

/// Decoders of many texts, each with a unique number that is never reused.
pub struct StreamDecoders {
    /// A decoder in its initial state.
    fresh: StreamDecoder,
    next: u64,
    running: BTreeMap<u64, StreamDecoder>,
}

impl StreamDecoders {
    /// No texts yet; `fresh` is a decoder in its initial state.
    pub const fn new(fresh: StreamDecoder) -> Self {
        Self { fresh, next: 0, running: BTreeMap::new() }
    }

    /// Adds a text that begins with some ids; their text is not returned.
    pub fn add(&mut self, spec: &Spec, ids: &[u32]) -> Result<u64> {
        let mut stream = self.fresh.clone();
        stream.push(spec, ids)?;
        let number = self.next;
        self.next += 1;
        self.running.insert(number, stream);
        Ok(number)
    }

    /// The numbers of all texts, in insertion order.
    pub fn numbers(&self) -> impl ExactSizeIterator<Item = u64> + '_ {
        self.running.keys().copied()
    }

    /// Adds the ids `rows[i]` to the text `numbers[i]`. Nothing is added if a number is unknown.
    pub fn push(&mut self, spec: &Spec, numbers: &[u64], rows: &[&[u32]]) -> Result<Vec<Vec<u8>>> {
        if let Some(&number) = numbers.iter().find(|number| !self.running.contains_key(number)) {
            return Err(absent(number));
        }
        let push = |(number, row): (&u64, &&[u32])| match self.running.get_mut(number) {
            Some(stream) => stream.push(spec, row),
            None => Err(absent(*number)),
        };
        numbers.iter().zip(rows).map(push).collect()
    }

    /// Ends a text and removes it; returns the rest of it.
    pub fn finish(&mut self, spec: &Spec, number: u64) -> Result<Vec<u8>> {
        self.running.remove(&number).ok_or_else(|| absent(number))?.finish(spec)
    }
}

fn absent(number: u64) -> Error {
    let message = format!("sequence {number} is not in this batch: it was flushed or removed, or never added");
    Error::new("stream-finished", message).with("sequence", number)
}
