//! The scratch buffers of a call: one set per thread, reused, so that encoding does not allocate.

use crate::nbest::KBestCache;
use crate::normalize::Normalized;
use crate::sampling::dropout::DropoutCache;
use crate::sampling::engine::SamplingCache;
use crate::segment::bytepiece::draw::Weights;
use crate::specials::Part;
use crate::split::stages::Work;
use crate::units::scratch::EngineScratch;

/// The system's `wchar_t`.
#[cfg(windows)]
pub type WChar = u16;
/// The system's `wchar_t`.
#[cfg(not(windows))]
pub type WChar = u32;

/// The buffers of one thread.
#[derive(Default)]
pub struct Scratch {
    /// Buffers of the general stages.
    pub work: Work,
    /// The normalized text.
    pub normalized: Normalized,
    /// Buffers of the engine: the ids of the text, and the unit cache.
    pub engine: EngineScratch,
    /// Ids of a text with added tokens.
    pub joined: Vec<u32>,
    /// Short texts that are encoded together.
    pub rows: Rows,
    /// The parts of a text.
    pub parts: Vec<Part>,
    /// A text as code points.
    pub code_points: Vec<WChar>,
    /// Sampled ids.
    pub drawn: Vec<u32>,
    /// Memoized distributions of units, once a draw was made.
    pub sampling: Option<Box<SamplingCache>>,
    /// Memoized lists of the best paths of units.
    pub kbest: Option<Box<KBestCache>>,
    /// Memoized dropout of units.
    pub dropout: Option<Box<DropoutCache>>,
    /// Weights of byte pieces, once a draw was made.
    pub byte_weights: Option<Box<Weights>>,
}

impl Scratch {
    /// Buffers for a tokenizer whose unit cache has `slots` slots.
    pub fn new(slots: usize) -> Self {
        Self { engine: EngineScratch::new(slots), ..Self::default() }
    }
}

/// Short texts that are encoded together.
#[derive(Default)]
pub struct Rows {
    /// The normalized texts, one behind the other.
    pub(crate) text: Vec<u8>,
    /// Where each ends.
    pub(crate) ends: Vec<u32>,
    /// The number of ids of each.
    pub(crate) counts: Vec<usize>,
}

impl Rows {
    /// Empties them, keeping the memory.
    pub(crate) fn clear(&mut self) {
        self.text.clear();
        self.ends.clear();
        self.counts.clear();
    }
}
