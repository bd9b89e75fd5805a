//! A text as the caller holds it: bytes, or code points. Both give equal ids.

use crate::normalize::code_points::CodePoint;
use crate::specials::Permit;
use crate::tokenizer::scratch::{Scratch, WChar};
use crate::tokenizer::{check_length, Tokenizer};
use crate::units::engine::Engine;
use crate::util::Result;

/// A text as the caller holds it.
#[derive(Clone, Copy)]
pub enum Input<'a> {
    /// Bytes, UTF-8 or not.
    Bytes(&'a [u8]),
    /// Characters.
    Characters(&'a [WChar]),
}

impl Input<'_> {
    /// Approximate length in bytes.
    pub const fn size(&self) -> usize {
        match self {
            Self::Bytes(text) => text.len(),
            Self::Characters(text) => text.len().saturating_mul(3),
        }
    }
}

impl Tokenizer {
    /// The ids of a text of either form.
    pub fn encode_input<'s>(
        &self,
        input: Input<'_>,
        permit: Permit<'_>,
        scratch: &'s mut Scratch,
    ) -> Result<&'s [u32]> {
        match input {
            Input::Bytes(text) => self.encode(text, permit, scratch),
            Input::Characters(text) => match self.encode_code_points(text, permit, scratch) {
                Some(count) => Ok(&scratch.engine.ids[..count]),
                None => self.encode(CodePoint::text(text).as_bytes(), permit, scratch),
            },
        }
    }

    /// The number of ids of a text of either form.
    pub fn count_input(&self, input: Input<'_>, permit: Permit<'_>, scratch: &mut Scratch) -> Result<usize> {
        match input {
            Input::Bytes(text) => self.count(text, permit, usize::MAX, scratch),
            Input::Characters(_) => Ok(self.encode_input(input, permit, scratch)?.len()),
        }
    }

    /// Whether [`Tokenizer::encode_code_points`] is worth trying.
    pub fn reads_code_points(&self, permit: Permit<'_>) -> bool {
        self.reads_characters && self.is_whole(permit)
    }

    /// The number of ids of a text given as code points, which are written to `scratch`; `None` if it has to go through
    /// UTF-8.
    pub fn encode_code_points<T: CodePoint>(
        &self,
        text: &[T],
        permit: Permit<'_>,
        scratch: &mut Scratch,
    ) -> Option<usize> {
        if !self.reads_code_points(permit) {
            return None;
        }
        check_length(text.len().checked_mul(4)?).ok()?;
        let engine = Engine::new(&self.units, &self.spec.vocab, 0);
        let outcome = engine.run_code_points(text, self.normalizer.code_point_table()?, &mut scratch.engine)?;
        scratch.engine.cache.by_characters += 1;
        Some(self.fuse(outcome.count, outcome.unknown, &mut scratch.engine.ids))
    }
}
