//! Everything a call writes to: one per thread, reused, so that encoding allocates nothing.

use crate::nbest::KBestCache;
use crate::normalize::Normalized;
use crate::sampling::dropout::DropoutCache;
use crate::sampling::engine::Sampling;
use crate::segment::bytepiece::draw::Weights;
use crate::specials::Part;
use crate::split::stages::Work;
use crate::units::scratch::EngineScratch;

/// A character as the system has it: `wchar_t`.
#[cfg(windows)]
pub type WChar = u16;
/// A character as the system has it: `wchar_t`.
#[cfg(not(windows))]
pub type WChar = u32;

/// The buffers of one thread.
pub struct Scratch {
    /// What general stages write to.
    pub work: Work,
    /// The normalized text.
    pub normalized: Normalized,
    /// Of the engine: the ids of the text, and the cache of units.
    pub engine: EngineScratch,
    /// Ids of a text that is parted.
    pub joined: Vec<u32>,
    /// The parts of a text.
    pub parts: Vec<Part>,
    /// A text as code points.
    pub code_points: Vec<WChar>,
    /// Ids that were drawn.
    pub drawn: Vec<u32>,
    /// Memoized distributions of units, where draws were asked for.
    pub sampling: Option<Box<Sampling>>,
    /// Memoized lists of the best paths of units.
    pub kbest: Option<Box<KBestCache>>,
    /// Memoized dropout of units.
    pub dropout: Option<Box<DropoutCache>>,
    /// Weights of byte pieces, where draws were asked for.
    pub byte_weights: Option<Box<Weights>>,
}

impl Scratch {
    /// Buffers for a tokenizer whose cache of units has so many slots.
    pub fn new(slots: usize) -> Self {
        Self {
            work: Work::default(),
            normalized: Normalized::default(),
            engine: EngineScratch::new(slots),
            joined: Vec::new(),
            parts: Vec::new(),
            code_points: Vec::new(),
            drawn: Vec::new(),
            sampling: None,
            kbest: None,
            dropout: None,
            byte_weights: None,
        }
    }
}
