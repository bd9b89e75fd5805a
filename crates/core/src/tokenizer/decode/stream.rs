//! Decoding in stages: of ids that arrive in parts, emits the longest prefix of the text that no later id can change.
//!
//! One exception: a run of byte pieces that is not valid UTF-8 as a whole decodes to one U+FFFD for each byte where the
//! decoder has a step `byte-fallback`, including the characters before the invalid byte. A stream has already emitted
//! those and cannot retract them; the rest of the run equals the result of `decode`.

use std::collections::BTreeMap;

use crate::spec::stages::DecodeStep;
use crate::spec::Spec;
use crate::tokenizer::decode::flow::{Flow, Pieces, Tokens};
use crate::tokenizer::decode::stages::Stage;
use crate::tokenizer::decode::{Decoder, Invalid};
use crate::util::allowance::Bounds;
use crate::util::{Error, Result};

/// The state of a decoder for one text. A clone of a fresh one begins another text.
#[derive(Clone)]
pub struct StreamDecoder {
    decoder: Decoder,
    stages: Vec<Stage>,
    /// The allowance of the ids so far, less the work of the stages.
    bounds: Bounds,
}

impl StreamDecoder {
    /// Before the first id.
    pub fn new(spec: &Spec) -> Self {
        let mut stages = Vec::new();
        if let Some(steps) = &spec.config.decoder {
            let mut is_one = false;
            for step in steps {
                stages.extend(Stage::of(step, is_one));
                is_one |= matches!(step, DecodeStep::Fuse | DecodeStep::ByteLevel);
            }
        } else {
            stages.extend(spec.config.clean_spaces.then(Stage::spaces).into_iter().flatten());
            stages.extend((!spec.denormalizer.is_empty()).then(|| Stage::denormalizer(&spec.denormalizer)));
        }
        Self { decoder: Decoder::new(Invalid::Replace), stages, bounds: Bounds::of(0) }
    }

    /// Decodes a whole text, before the first id.
    pub fn decode(mut self, spec: &Spec, ids: &[u32], invalid: Invalid) -> Result<Vec<u8>> {
        self.decoder.invalid = invalid;
        self.stages.iter_mut().for_each(|stage| stage.hold(invalid));
        self.run(spec, ids, true, |bounds, bytes| {
            *bounds = if spec.config.decoder.is_some() { Bounds::of(bytes) } else { Bounds::up_to(usize::MAX) };
        })
    }

    /// Adds ids; returns the text that they make final. The Spec must be the one it was made for.
    pub fn push(&mut self, spec: &Spec, ids: &[u32]) -> Result<Vec<u8>> {
        self.run(spec, ids, false, Bounds::grant)
    }

    /// Ends the text; returns the rest of it.
    pub fn finish(&mut self, spec: &Spec) -> Result<Vec<u8>> {
        self.run(spec, &[], true, Bounds::grant)
    }

    /// Runs the stages; returns the text that is final. They begin with the pieces of ids, where a decoder is listed,
    /// else with one token, their text. `allow` sets the bounds to that many bytes.
    fn run(&mut self, spec: &Spec, ids: &[u32], end: bool, allow: impl Fn(&mut Bounds, usize)) -> Result<Vec<u8>> {
        let (mut flow, mut next) = (Flow::default(), Flow::default());
        let mut ahead = None;
        let mut stages = self.stages.iter_mut();
        if spec.config.decoder.is_some() {
            let pieces = Pieces::new(&spec.vocab, ids);
            allow(&mut self.bounds, pieces.bytes);
            match stages.next() {
                Some(first) => first.run(&pieces, end, &mut ahead, &mut self.bounds, &mut flow)?,
                None => {
                    flow.begin(usize::MAX);
                    pieces.join(&mut flow);
                }
            }
        } else {
            self.decoder.push(spec, ids, &mut flow.text)?;
            if end {
                self.decoder.finish(spec, &mut flow.text)?;
                flow.end();
            }
            allow(&mut self.bounds, flow.text.len());
            ahead = self.decoder.ahead();
        }
        for stage in stages {
            stage.run(&flow, end, &mut ahead, &mut self.bounds, &mut next)?;
            std::mem::swap(&mut flow, &mut next);
        }
        Ok(flow.text)
    }
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
        let push = |(number, row): (&u64, &&[u32])| {
            self.running.get_mut(number).ok_or_else(|| absent(*number))?.push(spec, row)
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
