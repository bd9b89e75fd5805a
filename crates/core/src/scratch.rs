//! Everything a call writes to: one per thread, reused, so that encoding allocates nothing.

use crate::best::Listing;
use crate::cast::us;
use crate::index::long_table::{self, LongTable};
use crate::index::table::{Key, Table, MAX_KEY};
use crate::normalize::Normalized;
use crate::sample_dropout::Dropping;
use crate::sample_ready::Sampling;
use crate::segment::byte_cuts::Memory;
use crate::segment::byte_draws::Weights;
use crate::segment::characters::Characters;
use crate::segment::cuts::Cut;
use crate::segment::teach::{Group, Other};
use crate::segment::unigram_characters::Openings;
use crate::segment::Buffers;
use crate::specials::Part;
use crate::stages::Work;

/// A character as the system has it: `wchar_t`.
#[cfg(windows)]
pub type WideCharacter = u16;
/// A character as the system has it: `wchar_t`.
#[cfg(not(windows))]
pub type WideCharacter = u32;

/// The buffers of one thread.
pub struct Scratch {
    /// What general stages write to.
    pub work: Work,
    /// The normalized text.
    pub normalized: Normalized,
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
    /// The same where none is a part of a chunk.
    pub chunks: Vec<Unit>,
    /// Those of them that are new.
    pub new: Vec<Unit>,
    /// Those that are not known plainly.
    pub others: Vec<Other>,
    /// Ids of the known ones between them.
    pub between: Vec<u32>,
    /// New units on their way.
    pub group: Box<Group>,
    /// Ids found so far; longer than what counts.
    pub ids: Vec<u32>,
    /// Ids of a text that is parted.
    pub joined: Vec<u32>,
    /// The parts of a text.
    pub parts: Vec<Part>,
    /// Pairs of characters between which bytes can be cut, or not.
    pub pairs: Memory,
    /// Ids of one unit.
    pub unit: Vec<u32>,
    /// The first steps in the trie of pieces, by characters.
    pub openings: Openings,
    /// UTF-8 of one unit.
    pub bytes: Vec<u8>,
    /// A text as code points.
    pub code_points: Vec<WideCharacter>,
    /// Units learned from the texts seen.
    pub learned: Learned,
    /// Ids that were drawn.
    pub drawn: Vec<u32>,
    /// The same for drawing, where that was asked for.
    pub sampling: Option<Box<Sampling>>,
    /// The same for lists of best paths.
    pub listing: Option<Box<Listing>>,
    /// The same for passing over merges.
    pub dropping: Option<Box<Dropping>>,
    /// What pieces weigh that are bytes, where draws were asked for.
    pub byte_weights: Option<Box<Weights>>,
}

/// A unit of the window, ready to be looked up.
#[derive(Clone, Copy, Default)]
pub struct Unit {
    /// Its bytes, if they are few enough.
    pub key: Key,
    /// Its hash.
    pub hash: u64,
    /// Where it begins.
    pub start: u32,
    /// Its length.
    pub len: u32,
    /// Its first character's number in the window, where characters are told apart.
    pub first: u16,
    /// The number of the first character behind it.
    pub behind: u16,
    /// Whether it is only a part of its chunk.
    pub part: bool,
}

impl Unit {
    /// The same string as a part of a chunk, which may come out otherwise than as a whole one.
    #[inline(always)]
    #[must_use]
    pub fn as_part(self) -> Self {
        let key = self.key.other();
        let hash = if us(self.len) <= MAX_KEY { key.hash() } else { self.hash };
        Self { key, hash, part: true, ..self }
    }

    /// The unit at `start`; it must be followed by readable bytes as a key must.
    #[inline(always)]
    #[must_use]
    pub fn load(text: &[u8], start: u32, len: u32) -> Self {
        let (first, size) = (us(start), us(len));
        let key = Key::load(text, first, size);
        let hash = if size <= MAX_KEY { key.hash() } else { long_hash(text, first, size) };
        Self { key, hash, start, len, first: 0, behind: 0, part: false }
    }
}

/// The hash of a long unit. Not inlined: the loops that load units need their registers for the short ones.
#[inline(never)]
fn long_hash(text: &[u8], first: usize, size: usize) -> u64 {
    long_table::hash(&text[first..first + size])
}

/// A thread's own unit table: the units that its texts had. Bounded, forgotten as a whole when it is full.
pub struct Learned {
    /// Short units.
    pub table: Table,
    /// Longer ones.
    pub long: LongTable,
    /// Longer ones that came as code points.
    pub wide: LongTable,
    /// Units found nowhere and segmented.
    pub misses: u64,
    /// How often everything was forgotten.
    pub wipes: u64,
    /// Texts that were read as code points.
    pub by_characters: u64,
}

impl Learned {
    /// An empty memory of so many slots; 0 switches learning off.
    #[must_use]
    pub fn new(slots: usize) -> Self {
        Self {
            table: Table::new(slots),
            long: LongTable::new(slots / 2),
            wide: LongTable::new(slots / 2),
            misses: 0,
            wipes: 0,
            by_characters: 0,
        }
    }

    /// The most slots of the table.
    #[must_use]
    pub const fn most(&self) -> usize {
        self.table.most()
    }

    /// Whether so many more units might make it forget everything.
    #[must_use]
    pub fn is_nearly_full(&self, more: usize) -> bool {
        self.table.len() + 2 * more > self.most() / 8 * 5
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        let most = self.most();
        let Self { misses, wipes, by_characters, .. } = *self;
        *self = Self { misses, wipes: wipes + 1, by_characters, ..Self::new(most) };
    }

    /// Asks for the memory that a unit's entry is in.
    #[inline]
    pub fn prefetch(&self, unit: &Unit) {
        if us(unit.len) <= MAX_KEY {
            self.table.view().prefetch(unit.hash);
        } else {
            self.long.prefetch(unit.hash);
        }
    }

    /// A unit's numbers.
    #[inline]
    #[must_use]
    pub fn numbers(&self, unit: &Unit, text: &[u8]) -> Option<&[u32]> {
        if us(unit.len) <= MAX_KEY {
            Some(self.table.view().find(unit.key, unit.hash)?.list(self.table.more()))
        } else {
            Some(self.long.find(text, unit.hash)?.0)
        }
    }

    /// Remembers a unit that came as code points, which are these bytes.
    pub fn learn_wide(&mut self, unit: &Unit, text: &[u8], ids: &[u32], flags: u32) {
        if unit.key.is_long() {
            self.wide.insert(text, unit.hash, ids, flags);
        } else {
            self.learn(unit, text, ids, flags);
        }
    }

    /// Puts other numbers in the place of those of a short unit that has three.
    pub fn learn_anew(&mut self, unit: &Unit, numbers: [u32; 3]) {
        if us(unit.len) <= MAX_KEY {
            self.table.replace(unit.key, unit.hash, numbers);
        }
    }

    /// Remembers a unit.
    pub fn learn(&mut self, unit: &Unit, text: &[u8], ids: &[u32], flags: u32) {
        if unit.key.is_long() {
            if !unit.part {
                self.long.insert(text, unit.hash, ids, flags);
            }
            return;
        }
        if self.table.slots() == 0 {
            return;
        }
        if self.table.is_full() {
            self.table.clear();
            self.wipes += 1;
        }
        self.table.insert(unit.key, unit.hash, ids, flags);
    }
}

impl Scratch {
    /// Buffers for a tokenizer that learns into so many slots.
    #[must_use]
    pub fn new(learned_slots: usize) -> Self {
        Self {
            work: Work::default(),
            normalized: Normalized::default(),
            buffers: Buffers::default(),
            characters: Box::default(),
            starts: Vec::new(),
            ends: Vec::new(),
            units: Vec::new(),
            chunks: Vec::new(),
            new: Vec::new(),
            others: Vec::new(),
            between: Vec::new(),
            group: Box::default(),
            ids: Vec::new(),
            joined: Vec::new(),
            parts: Vec::new(),
            pairs: Memory::default(),
            unit: Vec::new(),
            openings: Openings::default(),
            bytes: Vec::new(),
            code_points: Vec::new(),
            learned: Learned::new(learned_slots),
            drawn: Vec::new(),
            sampling: None,
            listing: None,
            dropping: None,
            byte_weights: None,
        }
    }
}
