//! Decoding steps, for tokens that may arrive in parts. Each stage passes on what nothing later can change, and holds
//! back no more than necessary.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::normalize::charsmap::Charsmap;
use crate::normalize::{replace, valid_character};
use crate::spec::stages::DecodeStep;
use crate::tokenizer::decode::byte_runs::ByteRuns;
use crate::tokenizer::decode::flow::{Flow, Part};
use crate::tokenizer::decode::replace::{Ahead, Replace};
use crate::tokenizer::decode::{Decoder, Invalid};
use crate::unicode::byte_letters::{byte_of, letter_of};
use crate::util::error::Result;

/// The replacements of a step's cleanup, in order.
const CLEANUP: [(&str, &str); 11] = [
    (" .", "."),
    (" ?", "?"),
    (" !", "!"),
    (" ,", ","),
    (" ' ", "'"),
    (" n't", "n't"),
    (" 'm", "'m"),
    (" do not", " don't"),
    (" 's", "'s"),
    (" 've", "'ve"),
    (" 're", "'re"),
];

/// The state of a stage. A clone of a fresh one begins another text.
#[derive(Clone)]
pub enum Stage {
    /// Letters for bytes.
    Letters,
    /// Bytes for letters, and all tokens become one text.
    Level(Level),
    /// Some tokens become other texts.
    Respell(Respell),
    /// Tokens that spell bytes become these.
    Runs(ByteRuns),
    /// A text in a token becomes another one.
    Replace(Replace),
    /// All tokens become one.
    Fuse,
    /// Removes a character at the ends of a token.
    Strip(Strip),
    /// Inserts a space before a token, or removes its prefix.
    Word(Word),
    /// A suffix that becomes a space in all tokens but the last.
    Suffix(Suffix),
    /// Collapses adjacent equal tokens.
    Distinct(Distinct),
    /// Removes empty tokens.
    Filled {
        /// Whether the token has any text.
        has_text: bool,
    },
    /// A separator between every two tokens.
    Join(Join),
    /// Keys of a character map become their targets.
    Denormalize(Denormalize),
}

impl Stage {
    /// Appends the stages of a step. `is_one` says that there is only one token.
    pub fn add(step: &DecodeStep, is_one: bool, stages: &mut Vec<Self>) {
        let replace = |pattern: &str, content: &str| Self::Replace(Replace::new(pattern, content));
        let last = match step {
            DecodeStep::ByteFallback => Self::Runs(ByteRuns::default()),
            DecodeStep::Metaspace { replacement, prepended } => {
                let first = if *prepended { "" } else { " " };
                Self::Replace(Replace::with_first(&replacement.to_string(), " ", first))
            }
            DecodeStep::Replace { pattern, content } => replace(pattern, content),
            DecodeStep::Fuse => Self::Fuse,
            DecodeStep::Strip { content, start, stop } => {
                Self::Strip(Strip { mark: *content, start: *start, stop: *stop, left: *start, held: 0 })
            }
            DecodeStep::Wordpiece { prefix, cleanup } => {
                let prefix = prefix.as_str().into();
                stages.push(Self::Word(Word { prefix, held: Vec::new(), is_decided: false, is_first: true }));
                stages.extend(replaced(if *cleanup { &CLEANUP } else { &[] }));
                return;
            }
            DecodeStep::Suffix { suffix } if is_one => replace(suffix, ""),
            DecodeStep::Suffix { suffix } => {
                let suffix = suffix.as_str().into();
                Self::Suffix(Suffix { suffix, held: Vec::new(), has_suffix: false, has_ended: false })
            }
            DecodeStep::Ctc { pad, delimiter, cleanup } => {
                stages.extend((!is_one).then(|| Self::Distinct(Distinct::default())));
                stages.extend((!pad.is_empty()).then(|| replace(pad, "")));
                stages.extend(replaced(if *cleanup { &CLEANUP } else { &[] }));
                stages.extend((*cleanup && !delimiter.is_empty()).then(|| replace(delimiter, " ")));
                Self::Filled { has_text: false }
            }
            DecodeStep::Join { separator } => {
                Self::Join(Join { separator: separator.as_str().into(), is_first: true, has_begun: false })
            }
            DecodeStep::Respell { pieces } => {
                Self::Respell(Respell { pieces: Arc::new(pieces.clone()), held: Vec::new() })
            }
            DecodeStep::ByteLetters => Self::Letters,
            DecodeStep::ByteLevel => Self::Level(Level { held: Vec::new(), decoder: Decoder::new(Invalid::Replace) }),
        };
        stages.push(last);
    }

    /// The stage of a map that is applied to decoded text.
    pub fn denormalizer(map: &[u8]) -> Self {
        Self::Denormalize(Denormalize { map: map.into(), held: Vec::new() })
    }

    /// Passes on what `input` makes final; all of it if that was the `end`. `ahead` holds the possible continuations of
    /// the input, and is updated to those of the output, so that a later stage need not wait for what this one cannot
    /// produce.
    pub fn run(&mut self, input: &Flow, end: bool, ahead: &mut Ahead, out: &mut Flow) -> Result<()> {
        input.parts().try_for_each(|part| self.push(part, out))?;
        match self {
            Self::Level(stage) => stage.decoder.drain(end, true, &mut out.text)?,
            Self::Runs(stage) if end => stage.end_run(out)?,
            Self::Suffix(stage) if end => stage.resolve(b"", out),
            _ => {}
        }
        if end && matches!(self, Self::Fuse | Self::Level(_)) {
            out.end();
        }
        *ahead = match self {
            Self::Replace(stage) => stage.settle(ahead.take(), out),
            Self::Level(stage) if stage.held.is_empty() => stage.decoder.ahead(),
            _ => None,
        };
        Ok(())
    }

    /// Decodes a text that does not arrive in parts.
    pub fn hold(&mut self, invalid: Invalid) {
        match self {
            Self::Level(stage) => stage.decoder.invalid = invalid,
            Self::Runs(stage) => stage.whole = Some(invalid),
            _ => {}
        }
    }

    fn push(&mut self, part: Part<'_>, out: &mut Flow) -> Result<()> {
        match self {
            Self::Letters => push_letters(part, out),
            Self::Level(stage) => stage.push(part),
            Self::Respell(stage) => stage.push(part, out),
            Self::Runs(stage) => return stage.push(part, out),
            Self::Replace(stage) => stage.push(part, out),
            Self::Fuse => out.push(part.0),
            Self::Strip(stage) => stage.push(part, out),
            Self::Word(stage) => stage.push(part, out),
            Self::Suffix(stage) => stage.push(part, out),
            Self::Distinct(stage) => stage.push(part, out),
            Self::Filled { has_text } => {
                *has_text |= !part.0.is_empty();
                out.push(part.0);
                if part.1 && std::mem::take(has_text) {
                    out.end();
                }
            }
            Self::Join(stage) => stage.push(part, out),
            Self::Denormalize(stage) => stage.push(part, out),
        }
        Ok(())
    }
}

/// A stage for each replacement.
pub fn replaced<'a>(rules: &'a [(&'a str, &'a str)]) -> impl Iterator<Item = Stage> + 'a {
    rules.iter().map(|(pattern, content)| Stage::Replace(Replace::new(pattern, content)))
}

fn push_letters((part, ended): Part<'_>, out: &mut Flow) {
    part.iter().for_each(|&byte| out.push(letter_of(byte).encode_utf8(&mut [0; 4]).as_bytes()));
    if ended {
        out.end();
    }
}

/// A step of the kind `byte-level`.
#[derive(Clone)]
pub struct Level {
    /// The token so far: one with a character that is no byte-level letter is taken as it is.
    held: Vec<u8>,
    decoder: Decoder,
}

impl Level {
    fn push(&mut self, (part, ended): Part<'_>) {
        self.held.extend_from_slice(part);
        if ended {
            let text = std::str::from_utf8(&self.held).unwrap_or_default();
            let bytes = text.chars().map(byte_of).collect::<Option<Vec<u8>>>().filter(|bytes| !bytes.is_empty());
            self.decoder.queue.extend(bytes.as_ref().unwrap_or(&self.held));
            self.held.clear();
        }
    }
}

/// A step of the kind `respell`.
#[derive(Clone)]
pub struct Respell {
    pieces: Arc<BTreeMap<String, String>>,
    held: Vec<u8>,
}

impl Respell {
    fn push(&mut self, (part, ended): Part<'_>, out: &mut Flow) {
        self.held.extend_from_slice(part);
        if ended {
            let spelled = std::str::from_utf8(&self.held).ok().and_then(|token| self.pieces.get(token));
            out.push(spelled.map_or(self.held.as_slice(), String::as_bytes));
            out.end();
            self.held.clear();
        }
    }
}

/// A step of the kind `strip`.
#[derive(Clone)]
pub struct Strip {
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
        let mut rest = part;
        while !rest.is_empty() {
            if let Some(behind) = rest.strip_prefix(mark) {
                rest = behind;
                if self.left > 0 {
                    self.left -= 1;
                } else if self.held < self.stop {
                    self.held += 1;
                } else {
                    out.push(mark);
                }
                continue;
            }
            self.left = 0;
            (0..std::mem::take(&mut self.held)).for_each(|_| out.push(mark));
            let next = rest.windows(mark.len()).position(|window| window == mark).unwrap_or(rest.len());
            out.push(&rest[..next]);
            rest = &rest[next..];
        }
        if ended {
            (self.left, self.held) = (self.start, 0);
            out.end();
        }
    }
}

/// A step of the kind `wordpiece`, without its cleanup.
#[derive(Clone)]
pub struct Word {
    prefix: Arc<str>,
    /// The token so far, while it may begin with the prefix.
    held: Vec<u8>,
    is_decided: bool,
    is_first: bool,
}

impl Word {
    fn push(&mut self, (part, ended): Part<'_>, out: &mut Flow) {
        if self.is_decided {
            out.push(part);
        } else {
            self.held.extend_from_slice(part);
            let prefix = self.prefix.as_bytes();
            if self.is_first {
                out.push(&self.held);
            } else if let Some(rest) = self.held.strip_prefix(prefix) {
                out.push(rest);
            } else if prefix.starts_with(&self.held) && !ended {
                return;
            } else {
                out.push(b" ");
                out.push(&self.held);
            }
            self.held.clear();
            self.is_decided = true;
        }
        if ended {
            out.end();
            (self.is_decided, self.is_first) = (false, false);
        }
    }
}

/// A step of the kind `suffix`.
#[derive(Clone)]
pub struct Suffix {
    suffix: Arc<str>,
    /// The token from the first suffix on, or a prefix of one.
    held: Vec<u8>,
    has_suffix: bool,
    has_ended: bool,
}

impl Suffix {
    fn push(&mut self, (part, ended): Part<'_>, out: &mut Flow) {
        self.resolve(b" ", out);
        self.held.extend_from_slice(part);
        if !self.has_suffix {
            let suffix = self.suffix.as_bytes();
            let found = self.held.windows(suffix.len()).position(|window| window == suffix);
            let begun = || (0..suffix.len()).rev().find(|&length| self.held.ends_with(&suffix[..length])).unwrap_or(0);
            self.has_suffix = found.is_some();
            let certain = match found {
                Some(at) => at,
                None if ended => self.held.len(),
                None => self.held.len() - begun(),
            };
            out.push(&self.held[..certain]);
            self.held.drain(..certain);
        }
        if ended && !self.has_suffix {
            out.end();
        }
        self.has_ended = ended && self.has_suffix;
    }

    /// Passes on a token that has ended, with `content` for each suffix.
    fn resolve(&mut self, content: &[u8], out: &mut Flow) {
        if !self.has_ended {
            return;
        }
        replace(&self.held, self.suffix.as_bytes(), content, &mut out.text);
        out.end();
        self.held.clear();
        (self.has_suffix, self.has_ended) = (false, false);
    }
}

/// The first of adjacent equal tokens.
#[derive(Clone, Default)]
pub struct Distinct {
    held: Vec<u8>,
    last: Option<Vec<u8>>,
}

impl Distinct {
    fn push(&mut self, (part, ended): Part<'_>, out: &mut Flow) {
        self.held.extend_from_slice(part);
        if !ended {
            return;
        }
        let token = std::mem::take(&mut self.held);
        if self.last.as_ref() != Some(&token) {
            out.push(&token);
            out.end();
            self.last = Some(token);
        }
    }
}

/// A step of the kind `join`.
#[derive(Clone)]
pub struct Join {
    separator: Arc<str>,
    is_first: bool,
    has_begun: bool,
}

impl Join {
    fn push(&mut self, (part, ended): Part<'_>, out: &mut Flow) {
        if !self.has_begun && !self.is_first {
            out.push(self.separator.as_bytes());
        }
        out.push(part);
        self.has_begun = !ended;
        if ended {
            out.end();
            self.is_first = false;
        }
    }
}

/// The denormalizer.
#[derive(Clone)]
pub struct Denormalize {
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
