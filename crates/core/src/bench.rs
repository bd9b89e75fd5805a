//! Entry points for the criterion benchmarks of `crates/bench`: single stages that callers reach only through
//! [`Tokenizer`].

use crate::normalize::Normalized;
use crate::segment::Buffers;
use crate::tokenizer::scratch::Scratch;
use crate::tokenizer::Tokenizer;
use crate::units::key::Cut;
use crate::util::Result;

/// A text as the segmenter sees it.
pub struct Prepared(Normalized);

/// The buffers of the stages.
#[derive(Default)]
pub struct Stages {
    buffers: Buffers,
    ids: Vec<u32>,
    starts: Vec<Cut>,
}

/// Normalizes a text.
pub fn prepare(tokenizer: &Tokenizer, text: &[u8]) -> Result<Prepared> {
    let mut scratch = Scratch::new(0);
    tokenizer.prepare_into(text, true, false, &mut scratch)?;
    Ok(Prepared(std::mem::take(&mut scratch.normalized)))
}

impl Stages {
    /// Finds the unit boundaries of a text; returns their number.
    pub fn scan(&mut self, tokenizer: &Tokenizer, Prepared(normalized): &Prepared) -> usize {
        self.starts.clear();
        tokenizer.units.scan(&normalized.bytes, 0, normalized.len, &mut self.starts);
        self.starts.len()
    }

    /// Segments one unit without a cache; returns the number of its ids.
    pub fn segment(&mut self, tokenizer: &Tokenizer, unit: &[u8]) -> usize {
        self.ids.clear();
        tokenizer.units.segmenter.solve(unit, &mut self.buffers, &mut self.ids);
        self.ids.len()
    }
}
