//! Streaming encoder: a text that arrives in parts, with the ids of the whole.
//!
//! The text is divided at the added tokens as far as nothing that follows can change that; each fragment goes through a
//! stream of its own. Where a Spec lists steps or rules, the text is held back as a whole.

pub(crate) mod fragment;

use crate::specials::{Part, Permit};
use crate::tokenizer::scratch::Scratch;
use crate::tokenizer::stream::fragment::FragmentStream;
use crate::tokenizer::{Tokenizer, MAX_TEXT};
use crate::util::{Error, Result};

/// The state of a stream.
pub struct StreamEncoder {
    /// The ids of the special added tokens that are permitted, ascending; `None` permits all.
    permitted: Option<Vec<u32>>,
    /// Text in which the matches of added tokens are not final.
    raw: Vec<u8>,
    fragment: FragmentStream,
    /// Text of the fragment, where added tokens are matched in its normalized form.
    held: Vec<u8>,
    /// Length at the last search without a result: the buffer must grow by half before the next one, so that a long
    /// stretch is not searched again for each part of it.
    searched: usize,
    /// Whether the fragment has begun.
    begun: bool,
    finished: bool,
}

impl StreamEncoder {
    /// Before the first byte.
    pub fn new(permit: Permit<'_>) -> Self {
        let permitted = match permit {
            Permit::Text | Permit::Within(_) => Some(Vec::new()),
            Permit::All => None,
            Permit::Some(ids) => Some(ids.to_vec()),
        };
        let (raw, held, fragment) = (Vec::new(), Vec::new(), FragmentStream::default());
        Self { permitted, raw, fragment, held, searched: 0, begun: false, finished: false }
    }

    /// Bytes held back.
    pub fn pending(&self) -> usize {
        self.raw.len() + self.held.len() + self.fragment.pending()
    }

    fn permit(&self) -> Permit<'_> {
        self.permitted.as_deref().map_or(Permit::All, Permit::Some)
    }

    /// Adds text; returns the ids that it makes final.
    pub fn push(&mut self, tokenizer: &Tokenizer, text: &[u8], scratch: &mut Scratch) -> Result<Vec<u32>> {
        self.check_open()?;
        if self.pending() + text.len() > MAX_TEXT {
            return Err(Error::new("input-too-long", "more than 4 GiB of text without a place to cut")
                .with("bytes", self.pending()));
        }
        if !tokenizer.stages.is_empty() {
            let gap = tokenizer.stages.last_gap(text).filter(|_| tokenizer.is_whole(self.permit()));
            let end = gap.map_or(0, |end| self.raw.len() + end);
            self.raw.extend_from_slice(text);
            let ids = tokenizer.encode(&self.raw[..end], self.permit(), scratch)?.to_vec();
            self.raw.drain(..end);
            return Ok(ids);
        }
        if tokenizer.is_whole(self.permit()) {
            return Ok(self.fragment.push(tokenizer, text, scratch));
        }
        self.raw.extend_from_slice(text);
        if self.raw.len() < self.searched {
            return Ok(Vec::new());
        }
        let settled = tokenizer.specials.settled(&self.raw);
        let rest = self.raw.len() - settled;
        self.searched = if settled == 0 { rest + rest / 2 + 1 } else { 0 };
        self.advance(tokenizer, settled, scratch)
    }

    /// Ends the text; returns the remaining ids. The stream accepts nothing afterwards.
    pub fn finish(&mut self, tokenizer: &Tokenizer, scratch: &mut Scratch) -> Result<Vec<u32>> {
        self.check_open()?;
        self.finished = true;
        if !tokenizer.stages.is_empty() {
            return tokenizer.encode(&self.raw, self.permit(), scratch).map(<[u32]>::to_vec);
        }
        if tokenizer.is_whole(self.permit()) {
            return Ok(self.fragment.finish(tokenizer, scratch));
        }
        let mut ids = self.advance(tokenizer, self.raw.len(), scratch)?;
        ids.extend(self.end_fragment(tokenizer, scratch)?);
        Ok(ids)
    }

    /// Processes the first `end` bytes, in which the matches of added tokens are final.
    fn advance(&mut self, tokenizer: &Tokenizer, end: usize, scratch: &mut Scratch) -> Result<Vec<u32>> {
        let (mut parts, mut ids): (Vec<Part>, Vec<u32>) = (Vec::new(), Vec::new());
        let raw = std::mem::take(&mut self.raw);
        tokenizer.specials.part(&raw[..end], self.permit(), &mut parts);
        for part in parts {
            match part.id {
                Some(id) => {
                    ids.extend(self.end_fragment(tokenizer, scratch)?);
                    ids.push(id);
                }
                None => {
                    self.begun = true;
                    let text = &raw[part.start..part.end];
                    if tokenizer.specials.in_normalized() {
                        self.held.extend_from_slice(text);
                    } else {
                        ids.extend(self.fragment.push(tokenizer, text, scratch));
                    }
                }
            }
        }
        self.raw = raw;
        self.raw.drain(..end);
        Ok(ids)
    }

    fn end_fragment(&mut self, tokenizer: &Tokenizer, scratch: &mut Scratch) -> Result<Vec<u32>> {
        if !std::mem::take(&mut self.begun) {
            return Ok(Vec::new());
        }
        if tokenizer.specials.in_normalized() {
            let text = std::mem::take(&mut self.held);
            return tokenizer.encode_fragment(&text, self.permit(), scratch);
        }
        let ids = self.fragment.finish(tokenizer, scratch);
        self.fragment = FragmentStream::default();
        Ok(ids)
    }

    fn check_open(&self) -> Result<()> {
        if self.finished {
            return Err(Error::new("stream-finished", "the stream was flushed; make a new one for the next text"));
        }
        Ok(())
    }
}
