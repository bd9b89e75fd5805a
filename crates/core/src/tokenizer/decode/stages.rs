//! Streaming decoding steps, for tokens that arrive in parts. Each stage passes on what nothing later can change, and
//! holds back no more than necessary.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::normalize::charsmap::Charsmap;
use crate::normalize::valid_character;
use crate::tokenizer::decode::byte_runs::ByteRuns;
use crate::tokenizer::decode::flow::{Flow, Part};
use crate::tokenizer::decode::replace::{Ahead, Replace};
use crate::tokenizer::decode::steps::{push_byte_level, Letters};
use crate::tokenizer::decode::{Decoder, Invalid};
use crate::util::error::Result;

/// The state of a stage. A clone of a fresh one begins another text.
#[derive(Clone)]
pub enum Stage {
    /// Letters for bytes.
    Letters(Arc<Letters>),
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
    /// Passes on what `input` makes final; all of it if that was the `end`. `ahead` holds the possible continuations of
    /// the input, and is updated to those of the output, so that a later stage need not wait for what this one cannot
    /// produce.
    pub fn run(&mut self, input: &Flow, end: bool, ahead: &mut Ahead, out: &mut Flow) -> Result<()> {
        self.advance(input, end, out)?;
        *ahead = match self {
            Self::Replace(stage) => stage.settle(ahead.take(), out),
            Self::Level(stage) if stage.held.is_empty() => stage.decoder.ahead(),
            _ => None,
        };
        Ok(())
    }

    fn advance(&mut self, input: &Flow, end: bool, out: &mut Flow) -> Result<()> {
        let parts = input.parts();
        match self {
            Self::Letters(letters) => parts.for_each(|part| push_letters(letters, part, out)),
            Self::Level(stage) => return stage.run(parts, end, out),
            Self::Respell(stage) => parts.for_each(|part| stage.push(part, out)),
            Self::Runs(stage) => {
                parts.for_each(|part| stage.push(part, out));
                if end {
                    stage.end_run(out);
                }
            }
            Self::Replace(stage) => parts.for_each(|part| stage.push(part, out)),
            Self::Fuse => {
                out.push(&input.text);
                if end {
                    out.end();
                }
            }
            Self::Strip(stage) => parts.for_each(|part| stage.push(part, out)),
            Self::Word(stage) => parts.for_each(|part| stage.push(part, out)),
            Self::Suffix(stage) => {
                parts.for_each(|part| stage.push(part, out));
                if end {
                    stage.resolve(b"", out);
                }
            }
            Self::Distinct(stage) => parts.for_each(|part| stage.push(part, out)),
            Self::Filled { has_text } => {
                for (part, ended) in parts {
                    *has_text |= !part.is_empty();
                    out.push(part);
                    if ended && std::mem::take(has_text) {
                        out.end();
                    }
                }
            }
            Self::Join(stage) => parts.for_each(|part| stage.push(part, out)),
            Self::Denormalize(stage) => parts.for_each(|part| stage.push(part, out)),
        }
        Ok(())
    }
}

fn push_letters(letters: &Letters, (part, ended): Part<'_>, out: &mut Flow) {
    let mut buffer = [0; 4];
    part.iter().for_each(|&byte| out.push(letters.of(byte).encode_utf8(&mut buffer).as_bytes()));
    if ended {
        out.end();
    }
}

/// A step of the kind `byte-level`.
#[derive(Clone)]
pub struct Level {
    letters: Arc<Letters>,
    /// The token so far: one with a character that is no byte-level letter is taken as it is.
    held: Vec<u8>,
    decoder: Decoder,
}

impl Level {
    pub fn new() -> Self {
        Self { letters: Arc::new(Letters::new()), held: Vec::new(), decoder: Decoder::new(Invalid::Replace) }
    }

    fn run<'a>(&mut self, parts: impl Iterator<Item = Part<'a>>, end: bool, out: &mut Flow) -> Result<()> {
        for (part, ended) in parts {
            self.held.extend_from_slice(part);
            if ended {
                push_byte_level(&self.letters, &self.held, &mut self.decoder.queue);
                self.held.clear();
            }
        }
        self.decoder.drain_parts(end, &mut out.text)?;
        if end {
            out.end();
        }
        Ok(())
    }
}

/// A step of the kind `respell`.
#[derive(Clone)]
pub struct Respell {
    pieces: Arc<BTreeMap<String, String>>,
    held: Vec<u8>,
}

impl Respell {
    pub fn new(pieces: &BTreeMap<String, String>) -> Self {
        Self { pieces: Arc::new(pieces.clone()), held: Vec::new() }
    }

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
    pub const fn new(mark: char, start: usize, stop: usize) -> Self {
        Self { mark, start, stop, left: start, held: 0 }
    }

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
    pub fn new(prefix: &str) -> Self {
        Self { prefix: prefix.into(), held: Vec::new(), is_decided: false, is_first: true }
    }

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
    pub fn new(suffix: &str) -> Self {
        Self { suffix: suffix.into(), held: Vec::new(), has_suffix: false, has_ended: false }
    }

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
        let mut rest = self.held.as_slice();
        while let Some((first, behind)) = rest.split_first() {
            if let Some(after) = rest.strip_prefix(self.suffix.as_bytes()) {
                out.push(content);
                rest = after;
            } else {
                out.push(std::slice::from_ref(first));
                rest = behind;
            }
        }
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
    pub fn new(separator: &str) -> Self {
        Self { separator: separator.into(), is_first: true, has_begun: false }
    }

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
    pub fn new(map: &[u8]) -> Self {
        Self { map: map.into(), held: Vec::new() }
    }

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
