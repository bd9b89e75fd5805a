//! The buffers of the engine: one set per thread, reused, so that encoding allocates nothing.

use crate::segment::bpe::batch::Lanes;
use crate::segment::Buffers;
use crate::units::byte_boundary::Memory;
use crate::units::cache::UnitCache;
use crate::units::characters::Characters;
use crate::units::key::Cut;
use crate::units::key::Unit;

/// The buffers of one thread.
pub struct EngineScratch {
    /// Buffers of the segmenter.
    pub buffers: Buffers,
    /// Characters of a window.
    pub characters: Box<Characters>,
    /// Unit starts of a window; longer than what counts.
    pub starts: Vec<Cut>,
    /// Ends of chunks; longer than what counts.
    pub ends: Vec<u32>,
    /// The units of a window; longer than what counts.
    pub units: Vec<Unit>,
    /// The units of a window where none is a part of a chunk; longer than what counts.
    pub chunks: Vec<Unit>,
    /// Units of a window that are not cached.
    pub new: Vec<Unit>,
    /// Units of a window that the cache does not answer inline.
    pub pending: Vec<Pending>,
    /// Ids of the cached units between them.
    pub between: Vec<u32>,
    /// Misses that are segmented together.
    pub lanes: Box<Lanes>,
    /// Ids found so far; longer than what counts.
    pub ids: Vec<u32>,
    /// Pairs of characters between which bytes can be cut, or not.
    pub pairs: Memory,
    /// Ids of one unit.
    pub unit: Vec<u32>,
    /// UTF-8 of one unit.
    pub bytes: Vec<u8>,
    /// Units segmented before.
    pub cache: UnitCache,
}

impl EngineScratch {
    /// Empty buffers, and a cache of so many slots.
    pub fn new(slots: usize) -> Self {
        Self {
            buffers: Buffers::default(),
            characters: Box::default(),
            starts: Vec::new(),
            ends: Vec::new(),
            units: Vec::new(),
            chunks: Vec::new(),
            new: Vec::new(),
            pending: Vec::new(),
            between: Vec::new(),
            lanes: Box::default(),
            ids: Vec::new(),
            pairs: Memory::default(),
            unit: Vec::new(),
            bytes: Vec::new(),
            cache: UnitCache::new(slots),
        }
    }
}

/// A unit of a window that was not known, while what follows it was written.
#[derive(Clone, Copy)]
pub struct Pending {
    /// Its number.
    pub(crate) unit: u32,
    /// How many ids of known units stand before it.
    pub(crate) place: u32,
}
