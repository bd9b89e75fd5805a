//! Byte fallback: tokens that spell bytes. In a stream, a character is passed on when it is complete.

use crate::tokenizer::decode::flow::Flow;
use crate::tokenizer::decode::{Decoder, Invalid, REPLACEMENT};
use crate::util::Result;

/// A step of the kind `byte-fallback`. All bytes of a run that is not valid UTF-8 as a whole are invalid. In a stream,
/// characters passed on before that was known stay, so that a complete character need not wait for the end of its run.
#[derive(Clone, Default)]
pub struct ByteRuns {
    /// Bytes of the run that are not a complete character yet.
    queue: Vec<u8>,
    run: Run,
    /// What invalid bytes become, if there is no stream and runs are passed on as a whole.
    pub(crate) whole: Option<Invalid>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Run {
    /// No run, or nothing of it was passed on.
    #[default]
    Silent,
    /// Its characters are passed on, as one token.
    Shown,
    /// It is not valid UTF-8.
    Bad,
}

impl ByteRuns {
    /// Takes a token.
    pub fn push(&mut self, token: &[u8], out: &mut Flow) -> Result<()> {
        if let Some(byte) = spelled_byte(token) {
            self.push_byte(byte, out);
            return Ok(());
        }
        self.end_run(out)?;
        out.token(token);
        Ok(())
    }

    fn push_byte(&mut self, byte: u8, out: &mut Flow) {
        self.queue.push(byte);
        if self.whole.is_some() {
            return;
        }
        match std::str::from_utf8(&self.queue) {
            _ if self.run == Run::Bad => self.push_bad(out),
            Ok(character) => {
                out.push(character.as_bytes());
                self.queue.clear();
                self.run = Run::Shown;
            }
            Err(error) if error.error_len().is_none() => {}
            Err(_) => self.push_bad(out),
        }
    }

    /// Emits each byte that was not passed on as invalid.
    fn push_bad(&mut self, out: &mut Flow) {
        if self.run == Run::Shown {
            out.end();
        }
        for _ in self.queue.drain(..) {
            out.push(REPLACEMENT);
            out.end();
        }
        self.run = Run::Bad;
    }

    /// Ends the run, if there is one.
    pub fn end_run(&mut self, out: &mut Flow) -> Result<()> {
        if !self.queue.is_empty() {
            let is_text = |invalid: &Invalid| *invalid != Invalid::Replace || std::str::from_utf8(&self.queue).is_ok();
            match self.whole.filter(is_text) {
                Some(invalid) => {
                    let queue = std::mem::take(&mut self.queue);
                    Decoder { queue, ..Decoder::new(invalid) }.drain(true, false, &mut out.text)?;
                    out.end();
                }
                None => self.push_bad(out),
            }
        } else if self.run == Run::Shown {
            out.end();
        }
        self.run = Run::Silent;
        Ok(())
    }
}

/// The byte that a token spells.
fn spelled_byte(token: &[u8]) -> Option<u8> {
    let [b'<', b'0', b'x', high, low, b'>'] = token else { return None };
    // As in the library, where a plus may come first.
    u8::from_str_radix(std::str::from_utf8(&[*high, *low]).ok()?, 16).ok()
}
