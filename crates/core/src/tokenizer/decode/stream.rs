//! Decoding in stages: of ids that arrive in parts, emits the longest prefix of the text that no later id can change.
//!
//! One exception: a run of byte pieces that is not valid UTF-8 as a whole decodes to one U+FFFD for each byte where the
//! decoder has a step `byte-fallback`, including the characters before the invalid byte. A stream has already emitted
//! those and cannot retract them; the rest of the run equals the result of `decode`.

use std::collections::BTreeMap;

use crate::spec::stages::DecodeStep;
use crate::spec::Spec;
use crate::tokenizer::decode::flow::Flow;
use crate::tokenizer::decode::stages::{replaced, Stage};
use crate::tokenizer::decode::{Decoder, Invalid};
use crate::util::allowance::Bounds;
use crate::util::error::{Error, Result};

/// The replacements that remove the spaces which a word tokenizer inserts, in order.
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
    /// Whether each stage is the first of its step, which is charged for all of them.
    begins: Vec<bool>,
}

impl StreamDecoder {
    /// Before the first id.
    pub fn new(spec: &Spec) -> Self {
        let (mut stages, mut begins) = (Vec::new(), Vec::new());
        if let Some(steps) = &spec.config.decoder {
            let mut is_one = false;
            for step in steps {
                Stage::add(step, is_one, &mut stages);
                begins.push(true);
                begins.resize(stages.len(), false);
                is_one |= matches!(step, DecodeStep::Fuse | DecodeStep::ByteLevel);
            }
        } else {
            if spec.config.clean_spaces {
                stages.extend(replaced(&SPACES));
            }
            if !spec.denormalizer.is_empty() {
                stages.push(Stage::denormalizer(&spec.denormalizer));
            }
        }
        begins.resize(stages.len(), true);
        let made = vec![0; stages.len()];
        Self { decoder: Decoder::new(Invalid::Replace), stages, bounds: Bounds::of(0), made, begins }
    }

    /// Decodes a whole text, before the first id.
    pub fn decode(mut self, spec: &Spec, ids: &[u32], invalid: Invalid) -> Result<Vec<u8>> {
        self.decoder.invalid = invalid;
        self.stages.iter_mut().for_each(|stage| stage.hold(invalid));
        let flow = self.read(spec, ids, true)?;
        self.bounds = match spec.config.decoder {
            Some(_) => Bounds::of(flow.text.len()),
            None => Bounds::up_to(usize::MAX),
        };
        self.run(flow, true)
    }

    /// Adds ids; returns the text that they make final. The Spec must be the one it was made for.
    pub fn push(&mut self, spec: &Spec, ids: &[u32]) -> Result<Vec<u8>> {
        let flow = self.read(spec, ids, false)?;
        self.bounds.grant(flow.text.len());
        self.run(flow, false)
    }

    /// Ends the text; returns the rest of it.
    pub fn finish(&mut self, spec: &Spec) -> Result<Vec<u8>> {
        let flow = self.read(spec, &[], true)?;
        self.bounds.grant(flow.text.len());
        self.run(flow, true)
    }

    /// The tokens of ids: their pieces, where a decoder is listed, else one token with their text.
    fn read(&mut self, spec: &Spec, ids: &[u32], end: bool) -> Result<Flow> {
        let mut flow = Flow::default();
        flow.begin(usize::MAX);
        if spec.config.decoder.is_some() {
            // An empty piece is a gap: no piece has the id, and there is no token.
            for piece in ids.iter().map(|&id| spec.vocab.piece(id)).filter(|piece| !piece.is_empty()) {
                flow.push(piece);
                flow.end();
            }
        } else {
            self.decoder.push(spec, ids, &mut flow.text)?;
            if end {
                self.decoder.finish(spec, &mut flow.text)?;
                flow.end();
            }
        }
        Ok(flow)
    }

    /// Runs the stages; returns the text that is final.
    fn run(&mut self, mut flow: Flow, end: bool) -> Result<Vec<u8>> {
        let (mut next, mut ahead) = (Flow::default(), self.decoder.ahead());
        for ((stage, made), &begins) in self.stages.iter_mut().zip(&mut self.made).zip(&self.begins) {
            if begins {
                self.bounds.spend(flow.text.len() + flow.ends.len())?;
            }
            next.begin(self.bounds.most().saturating_sub(*made));
            stage.run(&flow, end, &mut ahead, &mut next)?;
            if next.is_over() {
                return Err(self.bounds.too_long());
            }
            *made = made.saturating_add(next.text.len());
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
