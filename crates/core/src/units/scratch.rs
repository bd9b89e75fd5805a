//! The scratch buffers of the engine: one set per thread, reused, so that encoding does not allocate.

use crate::segment::bpe::batch::Lanes;
use crate::segment::Buffers;
use crate::units::cache::UnitCache;
use crate::units::characters::Characters;
use crate::units::key::{Cut, Unit};

/// The buffers of one thread.
#[derive(Default)]
pub struct EngineScratch {
    /// Buffers of the segmenter.
    pub buffers: Buffers,
    /// Characters of a window.
    pub characters: Box<Characters>,
    /// Unit starts of a window; may have unused entries at the end.
    pub starts: Vec<Cut>,
    /// Ends of chunks; may have unused entries at the end.
    pub ends: Vec<u32>,
    /// The units of a window; may have unused entries at the end.
    pub units: Vec<Unit>,
    /// The units of a window where none is a part of a chunk; may have unused entries at the end.
    pub chunks: Vec<Unit>,
    /// For each row of a window, the number of units before its end.
    pub rows: Vec<u32>,
    /// Units of a window that are not cached.
    pub new: Vec<Unit>,
    /// Units of a window that the cache does not answer inline.
    pub pending: Vec<Pending>,
    /// Ids of the cached units between them.
    pub between: Vec<u32>,
    /// Misses that are segmented together.
    pub lanes: Box<Lanes>,
    /// Ids found so far; may have unused entries at the end.
    pub ids: Vec<u32>,
    /// Ids of one unit.
    pub unit: Vec<u32>,
    /// UTF-8 of one unit.
    pub bytes: Vec<u8>,
    /// The unit cache.
    pub cache: UnitCache,
}

impl EngineScratch {
    /// Empty buffers, and a cache of `slots` slots.
    pub fn new(slots: usize) -> Self {
        Self { cache: UnitCache::new(slots), ..Self::default() }
    }
}

/// A miss of a window, while later cached units were written.
#[derive(Clone, Copy)]
pub struct Pending {
    /// Its index.
    pub(crate) unit: u32,
    /// The number of ids of cached units before it.
    pub(crate) place: u32,
}
