//! Decoding steps, for tokens that may arrive in parts. Each stage passes on what nothing later can change, and holds
//! back no more than necessary; those that look at a whole token hold its parts until it ends.

use std::collections::BTreeMap;
use std::mem::take;
use std::sync::Arc;

use crate::normalize::charsmap::Charsmap;
use crate::normalize::{replace, valid_character};
use crate::spec::stages::DecodeStep;
use crate::tokenizer::decode::byte_runs::ByteRuns;
use crate::tokenizer::decode::flow::{Flow, Part, Tokens};
use crate::tokenizer::decode::replace::{Ahead, Replace};
use crate::tokenizer::decode::{Decoder, Invalid};
use crate::unicode::byte_letters::{byte_of, letter_of};
use crate::util::allowance::Bounds;
use crate::util::Result;

/// The texts of a step's cleanup, in order: they lose their spaces, but for [`NEGATION`].
const CLEANUP: &[&str] = &[" .", " ?", " !", " ,", " ' ", " n't", " 'm", NEGATION, " 's", " 've", " 're"];
/// What becomes a contraction.
const NEGATION: &str = " do not";
/// The texts that lose the spaces which a word tokenizer inserts, in order.
const SPACES: &[&str] = &[" ?", " !", " .", " ,", " ' ", " 's", " 'm", " 're", " 've"];

/// A stage and its state. A clone of a fresh one begins another text.
#[derive(Clone)]
pub struct Stage {
    effect: Effect,
    /// The parts of a token that has not ended, where the stage needs whole ones.
    held: Vec<u8>,
    /// Whether this stage is the first of its step: the bound on a step is charged there.
    is_charged: bool,
    /// The number of bytes written.
    made: usize,
}

#[derive(Clone)]
enum Effect {
    /// The characters of byte-level vocabularies for bytes.
    ByteLetters,
    /// Bytes for these characters, and all tokens become one text. A token with a character that is no letter stays.
    Level(Decoder),
    /// Some tokens become other texts.
    Respell(Arc<BTreeMap<String, String>>),
    /// Tokens that spell bytes become these.
    Runs(ByteRuns),
    /// A text in a token becomes another one.
    Replace(Replace),
    /// All tokens become one.
    Fuse,
    /// Removes a character at the ends of a token.
    Strip(Strip),
    /// Inserts a space before a token but the first, or removes its prefix.
    Word { prefix: Arc<str>, is_first: bool },
    /// A suffix that becomes a space in all tokens but the last.
    Suffix(Suffix),
    /// Collapses adjacent tokens that equal the last one.
    Distinct(Option<Vec<u8>>),
    /// Removes empty tokens.
    Filled,
    /// A separator between every two tokens.
    Join { separator: Arc<str>, is_first: bool },
    /// Keys of a character map become their targets.
    Denormalize(Denormalize),
}

impl Stage {
    /// The stages of a step. `is_one` says that there is only one token.
    pub fn of(step: &DecodeStep, is_one: bool) -> impl Iterator<Item = Self> {
        let stages = effects(step, is_one).into_iter().enumerate();
        stages.map(|(place, effect)| Self { is_charged: place == 0, ..Self::new(effect) })
    }

    /// The stages that remove the spaces which a word tokenizer inserts.
    pub fn spaces() -> impl Iterator<Item = Self> {
        without_spaces(SPACES).map(Self::new)
    }

    /// The stage of a map that is applied to decoded text.
    pub fn denormalizer(map: &[u8]) -> Self {
        Self::new(Effect::Denormalize(Denormalize { map: map.into(), held: Vec::new() }))
    }

    const fn new(effect: Effect) -> Self {
        Self { effect, held: Vec::new(), is_charged: false, made: 0 }
    }

    /// Decodes a text that does not arrive in parts.
    pub fn hold(&mut self, invalid: Invalid) {
        match &mut self.effect {
            Effect::Level(decoder) => decoder.invalid = invalid,
            Effect::Runs(runs) => runs.whole = Some(invalid),
            _ => {}
        }
    }

    /// Passes on what `input` makes final; all of it if that was the `end`. `ahead` holds the possible continuations of
    /// the input, and is updated to those of the output, so that a later stage need not wait for what this one cannot
    /// produce.
    pub fn run(
        &mut self,
        input: &impl Tokens,
        end: bool,
        ahead: &mut Ahead,
        bounds: &mut Bounds,
        out: &mut Flow,
    ) -> Result<()> {
        if self.is_charged {
            bounds.spend(input.size())?;
        }
        out.begin(bounds.most.saturating_sub(self.made));
        self.apply(input, end, ahead, out)?;
        if out.is_over() {
            return Err(bounds.too_long());
        }
        self.made = self.made.saturating_add(out.text.len());
        Ok(())
    }

    fn apply(&mut self, input: &impl Tokens, end: bool, ahead: &mut Ahead, out: &mut Flow) -> Result<()> {
        let (held, before) = (&mut self.held, ahead.take());
        match &mut self.effect {
            Effect::ByteLetters => input.tokens(held, |token| {
                token.iter().for_each(|&byte| out.push(letter_of(byte).encode_utf8(&mut [0; 4]).as_bytes()));
                out.end();
            }),
            Effect::Level(decoder) => {
                input.tokens(held, |token| decoder.queue.extend(byte_level(token).as_deref().unwrap_or(token)));
                decoder.drain(end, true, &mut out.text)?;
                if end {
                    out.end();
                }
                *ahead = decoder.ahead().filter(|_| held.is_empty());
            }
            Effect::Respell(pieces) => input.tokens(held, |token| {
                let spelled = std::str::from_utf8(token).ok().and_then(|token| pieces.get(token));
                out.token(spelled.map_or(token, String::as_bytes));
            }),
            Effect::Runs(runs) => {
                let mut done = Ok(());
                input.tokens(held, |token| {
                    if done.is_ok() {
                        done = runs.push(token, out);
                    }
                });
                done?;
                if end {
                    runs.end_run(out)?;
                }
            }
            Effect::Replace(stage) => {
                input.parts(|part| stage.push(part, out));
                *ahead = stage.settle(before, out);
            }
            Effect::Fuse => {
                input.join(out);
                if end {
                    out.end();
                }
            }
            Effect::Strip(stage) => input.parts(|part| stage.push(part, out)),
            Effect::Word { prefix, is_first } => input.tokens(held, |token| {
                let rest = token.strip_prefix(prefix.as_bytes()).filter(|_| !*is_first);
                out.push(if rest.is_some() || take(is_first) { b"" } else { b" " });
                out.token(rest.unwrap_or(token));
            }),
            Effect::Suffix(stage) => {
                input.tokens(held, |token| stage.push(token, out));
                if end {
                    stage.resolve(b"", out);
                }
            }
            Effect::Distinct(last) => input.tokens(held, |token| {
                if last.as_deref() != Some(token) {
                    out.token(token);
                    *last = Some(token.to_vec());
                }
            }),
            Effect::Filled => input.tokens(held, |token| {
                if !token.is_empty() {
                    out.token(token);
                }
            }),
            Effect::Join { separator, is_first } => input.tokens(held, |token| {
                out.push(if take(is_first) { b"" } else { separator.as_bytes() });
                out.token(token);
            }),
            Effect::Denormalize(stage) => input.parts(|part| stage.push(part, out)),
        }
        Ok(())
    }
}

/// What a step does, in order. `is_one` says that there is only one token.
fn effects(step: &DecodeStep, is_one: bool) -> Vec<Effect> {
    let replace = |pattern: &str, content: &str| Effect::Replace(Replace::new(pattern, content));
    let cleanup = |cleanup: bool| without_spaces(if cleanup { CLEANUP } else { &[] });
    vec![match step {
        DecodeStep::Fuse => Effect::Fuse,
        // One token has no neighbours.
        DecodeStep::Join { .. } if is_one => Effect::Fuse,
        DecodeStep::ByteFallback => Effect::Runs(ByteRuns::default()),
        DecodeStep::Metaspace { replacement, prepended } => {
            let first = if *prepended { "" } else { " " };
            Effect::Replace(Replace::with_first(&replacement.to_string(), " ", first))
        }
        DecodeStep::Replace { pattern, content } => replace(pattern, content),
        DecodeStep::Strip { content, start, stop } => {
            Effect::Strip(Strip { mark: *content, start: *start, stop: *stop, left: *start, held: 0 })
        }
        DecodeStep::Wordpiece { prefix, cleanup: cleans } => {
            let word = Effect::Word { prefix: prefix.as_str().into(), is_first: true };
            return [if is_one { Effect::Fuse } else { word }].into_iter().chain(cleanup(*cleans)).collect();
        }
        DecodeStep::Suffix { suffix } if is_one => replace(suffix, ""),
        DecodeStep::Suffix { suffix } => Effect::Suffix(Suffix { suffix: suffix.as_str().into(), held: None }),
        DecodeStep::Ctc { pad, delimiter, cleanup: cleans } => {
            let mut effects = vec![if is_one { Effect::Fuse } else { Effect::Distinct(None) }];
            effects.extend((!pad.is_empty()).then(|| replace(pad, "")));
            effects.extend(cleanup(*cleans));
            effects.extend((*cleans && !delimiter.is_empty()).then(|| replace(delimiter, " ")));
            effects.extend((!is_one).then_some(Effect::Filled));
            return effects;
        }
        DecodeStep::Join { separator } => Effect::Join { separator: separator.as_str().into(), is_first: true },
        DecodeStep::Respell { pieces } => Effect::Respell(Arc::new(pieces.clone())),
        DecodeStep::ByteLetters => Effect::ByteLetters,
        DecodeStep::ByteLevel => Effect::Level(Decoder::new(Invalid::Replace)),
    }]
}

/// A replacement for each text that loses its spaces.
fn without_spaces(texts: &'static [&str]) -> impl Iterator<Item = Effect> {
    texts.iter().map(|&text| {
        let content = if text == NEGATION { " don't".to_owned() } else { text.replace(' ', "") };
        Effect::Replace(Replace::new(text, &content))
    })
}

/// The bytes that a token's letters stand for, if all are such letters.
fn byte_level(token: &[u8]) -> Option<Vec<u8>> {
    std::str::from_utf8(token).ok()?.chars().map(byte_of).collect()
}

/// A step of the kind `strip`.
#[derive(Clone)]
struct Strip {
    mark: char,
    start: usize,
    stop: usize,
    /// How many may still be removed at the beginning of the token.
    left: usize,
    /// How many the token ends with, at most as many as may be removed.
    held: usize,
}

impl Strip {
    fn push(&mut self, (part, ended): Part<'_>, out: &mut Flow) {
        let mut buffer = [0; 4];
        let mark = self.mark.encode_utf8(&mut buffer).as_bytes();
        let mut text = part;
        while let Some(rest) = text.strip_prefix(mark).filter(|_| self.left > 0) {
            (text, self.left) = (rest, self.left - 1);
        }
        let mut marks = 0;
        while let Some(rest) = text.strip_suffix(mark) {
            (text, marks) = (rest, marks + 1);
        }
        if !text.is_empty() {
            (0..take(&mut self.held)).for_each(|_| out.push(mark));
            out.push(text);
            self.left = 0;
        }
        let found = self.held + marks;
        self.held = found.min(self.stop);
        (self.held..found).for_each(|_| out.push(mark));
        if ended {
            (self.left, self.held) = (self.start, 0);
            out.end();
        }
    }
}

/// A step of the kind `suffix`.
#[derive(Clone)]
struct Suffix {
    suffix: Arc<str>,
    /// The last token from its first suffix on, if it has one.
    held: Option<Vec<u8>>,
}

impl Suffix {
    fn push(&mut self, token: &[u8], out: &mut Flow) {
        self.resolve(b" ", out);
        let suffix = self.suffix.as_bytes();
        match token.windows(suffix.len()).position(|window| window == suffix) {
            Some(at) => {
                out.push(&token[..at]);
                self.held = Some(token[at..].to_vec());
            }
            None => out.token(token),
        }
    }

    /// Passes on the rest of the last token, with `content` for each suffix.
    fn resolve(&mut self, content: &[u8], out: &mut Flow) {
        if let Some(held) = self.held.take() {
            replace(&held, self.suffix.as_bytes(), content, &mut out.text);
            out.end();
        }
    }
}

/// The denormalizer.
#[derive(Clone)]
struct Denormalize {
    map: Arc<[u8]>,
    /// Text that is a prefix of a key.
    held: Vec<u8>,
}

impl Denormalize {
    fn push(&mut self, (part, ended): Part<'_>, out: &mut Flow) {
        self.held.extend_from_slice(part);
        let mut at = 0;
        if let Some(map) = Charsmap::new(&self.map) {
            while at < self.held.len() && (ended || !map.leads_on(&self.held[at..])) {
                let rest = &self.held[at..];
                let (length, target) = map.longest(rest).unwrap_or_else(|| {
                    let length = valid_character(rest).unwrap_or(1);
                    (length, &rest[..length])
                });
                out.push(target);
                at += length;
            }
        }
        self.held.drain(..at);
        if ended {
            out.end();
        }
    }
}
