//! Ids to text as they arrive: what is given out is the longest beginning that no later id can change.
//!
//! One exception: a run of byte pieces that is no UTF-8 as a whole decodes to one U+FFFD for each byte where the decoder has
//! a step `byte-fallback`, characters before the bad byte included. A stream has given those out and cannot take them back;
//! the rest of the run is as `decode` has it.

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

/// What [`crate::tokenizer::decode::clean_spaces`] takes away, in its order.
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

/// A decoder in the middle of its work, for one text. A clone of one that has not begun begins another text.
#[derive(Clone)]
pub struct StreamDecoder {
    decoder: Decoder,
    stages: Vec<Stage>,
    /// What the ids so far are allowed, less what the stages read.
    bounds: Bounds,
    /// How many bytes each stage has made.
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

    /// Adds ids; returns the text that is settled by them. The Spec is the one it was made for.
    pub fn push(&mut self, spec: &Spec, ids: &[u32]) -> Result<Vec<u8>> {
        self.advance(spec, ids, false)
    }

    /// Ends the text; returns what is left of it.
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

/// Adds the stages of a step. `is_one` says that there is one token only.
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

/// Decoders of many texts, each with a number of its own that is never used again.
pub struct StreamDecoders {
    /// One that has not begun.
    fresh: StreamDecoder,
    next: u64,
    running: BTreeMap<u64, StreamDecoder>,
}

impl StreamDecoders {
    /// None yet; `fresh` is one that has not begun.
    pub const fn new(fresh: StreamDecoder) -> Self {
        Self { fresh, next: 0, running: BTreeMap::new() }
    }

    /// Adds a text that begins with some ids; what they settle is not returned.
    pub fn add(&mut self, spec: &Spec, ids: &[u32]) -> Result<u64> {
        let mut stream = self.fresh.clone();
        stream.push(spec, ids)?;
        let number = self.next;
        self.next += 1;
        self.running.insert(number, stream);
        Ok(number)
    }

    /// The numbers of all texts, in the order in which they were added.
    pub fn numbers(&self) -> impl ExactSizeIterator<Item = u64> + '_ {
        self.running.keys().copied()
    }

    /// Adds ids to texts: to the one of `numbers[i]` those of `rows[i]`. Nothing is added where a number is not there.
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

    /// Ends a text and forgets it; returns what is left of it.
    pub fn finish(&mut self, spec: &Spec, number: u64) -> Result<Vec<u8>> {
        self.running.remove(&number).ok_or_else(|| absent(number))?.finish(spec)
    }
}

fn absent(number: u64) -> Error {
    let message = format!("sequence {number} is not in this batch: it was flushed or removed, or never added");
    Error::new("stream-finished", message).with("sequence", number)
}
