//! The compiled Spec: frozen, shared by all threads.

pub mod batch;
pub mod decode;
pub(crate) mod fragments;
pub mod input;
pub mod lattice;
pub(crate) mod nbest;
pub(crate) mod rows;
pub(crate) mod sample;
pub(crate) mod sample_nbest;
pub mod scratch;
pub mod spans;
pub(crate) mod special_probe;
pub mod spellings;
pub mod store;
pub mod stream;
pub(crate) mod truncate;
pub(crate) mod trusted;
pub mod words;

use std::sync::Mutex;

use crate::index::double_array::Trie;
use crate::normalize::charsmap::Charsmap;
use crate::normalize::{Normalized, Normalizer};
use crate::segment::fallback::fuse;
use crate::segment::unigram::bounded::Validity;
use crate::segment::{Forms, Mode};
use crate::spec::stages::Splitter;
use crate::spec::vocab::Kind;
use crate::spec::Spec;
use crate::specials::{Permit, Specials};
use crate::split::stages::Stages;
use crate::tokenizer::decode::{Invalid, StreamDecoder};
use crate::tokenizer::fragments::Found;
use crate::tokenizer::scratch::{Scratch, WChar};
use crate::tokenizer::spellings::Spellings;
use crate::units::engine::Engine;
use crate::units::key::{Cut, Unit};
use crate::units::scratch::EngineScratch;
use crate::units::{parallel, Units};
use crate::util::{u32_of, us, Error, Lazy, Result};

/// Longest text in bytes, before and after normalization.
pub const MAX_TEXT: usize = 0xFFFF_0000;
/// Maximum number of pooled scratches.
const POOL: usize = 64;
/// Maximum bytes of a scratch that is returned to the pool.
const MAX_KEPT: usize = 32 << 20;

/// The tokenizer.
pub struct Tokenizer {
    pub(crate) spec: Spec,
    pub(crate) normalizer: Normalizer,
    /// The general stages that replace the normalizer and precede the segmenter, where the Spec lists steps or rules.
    pub(crate) stages: Stages,
    /// A decoder in its initial state; built on first use.
    stream_decoder: Lazy<StreamDecoder>,
    pub(crate) units: Units,
    pub(crate) specials: Specials,
    /// The spellings that a caller may forbid; built on first use.
    pub(crate) spellings: Lazy<Option<Spellings>>,
    /// Whether texts can be read as code points.
    pub(crate) reads_characters: bool,
    /// A trie of all pieces that can match, for lattices of vocabularies without such a trie; built on first use.
    pieces: Lazy<Trie>,
    cache_slots: usize,
    /// Never blocks: a locked slot is skipped, so a fork in the middle of a call cannot deadlock.
    pool: Vec<Mutex<Option<Box<Scratch>>>>,
}

/// Statistics of the unit cache over all pooled scratches.
#[derive(Clone, Copy, Debug, Default)]
#[allow(missing_docs)]
pub struct TableStats {
    pub cache_slots: usize,
    pub cached: usize,
    pub misses: u64,
    pub evictions: u64,
    pub by_characters: u64,
}

impl Tokenizer {
    /// Refuses a Spec that cannot become a tokenizer.
    pub fn check(spec: &Spec) -> Result<()> {
        spec.validate()?;
        Charsmap::check(&spec.charsmap, "charsmap")?;
        Charsmap::check(&spec.denormalizer, "denormalizer")
    }

    /// Validates and compiles a Spec.
    pub fn new(spec: Spec, cache_slots: usize) -> Result<Self> {
        Self::check(&spec)?;
        let normalizer = Normalizer::build(&spec)?;
        let units = Units::build(&spec)?;
        Self::from_parts(spec, normalizer, units, cache_slots)
    }

    pub(crate) fn from_parts(spec: Spec, normalizer: Normalizer, units: Units, cache_slots: usize) -> Result<Self> {
        let stages = Stages::build(&spec)?;
        let specials = Specials::build(&spec.added, spec.config.matching, |text| {
            if let Some(form) = stages.form(text)? {
                return Ok(form);
            }
            let mut form = Normalized::default();
            normalizer.normalize(text, false, &mut form);
            Ok(form.inner().to_vec())
        })?;
        let pool = (0..POOL).map(|_| Mutex::new(None)).collect();
        let (stream_decoder, spellings, pieces) = (Lazy::new(), Lazy::new(), Lazy::new());
        let reads_characters = stages.is_empty() && normalizer.has_code_point_table() && units.reads_code_points();
        Ok(Self {
            spec,
            normalizer,
            stages,
            stream_decoder,
            units,
            specials,
            spellings,
            reads_characters,
            pieces,
            cache_slots,
            pool,
        })
    }

    /// The Spec it was made from.
    pub const fn spec(&self) -> &Spec {
        &self.spec
    }

    /// A trie of all pieces that can match text.
    pub(crate) fn piece_trie(&self) -> &Trie {
        self.pieces.get(|| {
            // Otherwise unused pieces are split again.
            let stays = |kind: Kind| kind != Kind::Unused || self.spec.matches_all();
            let forms = Forms::of(&self.spec, |kind| self.spec.matches(kind) && stays(kind));
            forms.trie(|_| true).unwrap_or_default()
        })
    }

    /// Takes a scratch from the pool, or makes one.
    pub fn scratch(&self) -> Box<Scratch> {
        let held = self.pool.iter().find_map(|slot| slot.try_lock().ok()?.take());
        held.unwrap_or_else(|| Box::new(Scratch::new(self.cache_slots)))
    }

    /// Gives a scratch back.
    pub fn give_back(&self, scratch: Box<Scratch>) {
        let units = size_of::<Unit>() * scratch.engine.units.capacity();
        let ids = 4 * (scratch.engine.ids.len() + scratch.joined.capacity());
        let starts = size_of::<Cut>() * scratch.engine.starts.capacity();
        let characters = size_of::<WChar>() * scratch.code_points.capacity();
        let texts = scratch.normalized.bytes.len() + scratch.work.bytes() + characters;
        if texts + ids + units + starts > MAX_KEPT {
            return;
        }
        let free = self.pool.iter().filter_map(|slot| slot.try_lock().ok()).find(|held| held.is_none());
        if let Some(mut held) = free {
            *held = Some(scratch);
        }
    }

    /// The ids of a text: divide at the specials, normalize, split, segment, fuse.
    pub fn encode<'s>(&self, text: &[u8], permit: Permit<'_>, scratch: &'s mut Scratch) -> Result<&'s [u32]> {
        if self.is_whole(permit) {
            self.prepare_into(text, true, false, scratch)?;
            let count = self.segment(usize::MAX, scratch);
            return Ok(&scratch.engine.ids[..count]);
        }
        scratch.joined = self.encode_parts(text, permit, scratch, |scratch| self.segment(usize::MAX, scratch))?;
        Ok(&scratch.joined)
    }

    /// The number of ids of a text; counting stops shortly after `limit`.
    pub fn count(&self, text: &[u8], permit: Permit<'_>, limit: usize, scratch: &mut Scratch) -> Result<usize> {
        let mut count: usize = 0;
        self.each_part(text, permit, false, scratch, |found, scratch| {
            count += match found {
                Found::Id(..) => 1,
                Found::Fragment(_) => self.segment(limit.saturating_sub(count), scratch),
            };
            Ok(count <= limit)
        })?;
        Ok(count)
    }

    /// The number of ids of a text that is one fragment; stops past `limit`.
    pub(crate) fn count_whole(&self, text: &[u8], limit: usize, scratch: &mut Scratch) -> Result<usize> {
        self.prepare_into(text, true, false, scratch)?;
        Ok(self.segment(limit, scratch))
    }

    /// The ids of a long text, segmented on several threads; equal to those of one thread.
    pub fn encode_threaded(&self, text: &[u8], permit: Permit<'_>, threads: usize) -> Result<Vec<u32>> {
        let mut scratch = self.scratch();
        let ids = self.encode_parts(text, permit, &mut scratch, |scratch| {
            let helpers = threads.min(scratch.normalized.len / parallel::MIN_PART);
            if helpers <= 1 || !self.units.has_units() || self.stages.has_rules() {
                return self.segment(usize::MAX, scratch);
            }
            self.segment_threaded(helpers, scratch)
        });
        self.give_back(scratch);
        ids
    }

    /// Segments the normalized text in `scratch` on several threads.
    fn segment_threaded(&self, threads: usize, scratch: &mut Scratch) -> usize {
        let mut scratches: Vec<Box<Scratch>> = (0..threads).map(|_| self.scratch()).collect();
        let mut engines: Vec<_> = scratches.iter_mut().map(|scratch| &mut scratch.engine).collect();
        let Normalized { bytes, len, .. } = &scratch.normalized;
        let outcome = parallel::run(&self.units, &self.spec.vocab, bytes, *len, &mut engines);
        let count = self.fuse(outcome.count, outcome.unknown, &mut engines[0].ids);
        std::mem::swap(&mut scratch.engine.ids, &mut engines[0].ids);
        scratches.into_iter().for_each(|scratch| self.give_back(scratch));
        count
    }

    /// The ids by the reference path: one segmentation of each whole fragment, without units or cache.
    pub fn encode_reference(&self, text: &[u8], permit: Permit<'_>, scratch: &mut Scratch) -> Result<Vec<u32>> {
        self.encode_parts(text, permit, scratch, |scratch| {
            let mut ids = Vec::new();
            let Scratch { normalized, engine: EngineScratch { buffers, .. }, .. } = scratch;
            let unknown = self.units.exact_text(normalized, Mode::Reference, buffers, &mut ids);
            let count = self.fuse(ids.len(), unknown, &mut ids);
            scratch.engine.ids = ids;
            count
        })
    }

    /// Normalizes into `scratch.normalized`.
    pub fn normalize_into(&self, text: &[u8], origins: bool, scratch: &mut Scratch) -> Result<()> {
        check_length(text.len())?;
        let Scratch { normalized, work, .. } = scratch;
        if self.stages.is_empty() {
            self.normalizer.normalize(text, origins, normalized);
        } else {
            self.stages.normalize(text, origins, work)?;
            self.stages.write(text.len(), work, normalized);
        }
        check_length(normalized.len)
    }

    /// Normalizes into `scratch.normalized`, and cuts it into chunks if there are rules. `first`: it begins the whole
    /// text.
    pub fn prepare_into(&self, text: &[u8], first: bool, origins: bool, scratch: &mut Scratch) -> Result<()> {
        if !self.stages.has_rules() {
            return self.normalize_into(text, origins, scratch);
        }
        check_length(text.len())?;
        let Scratch { normalized, work, .. } = scratch;
        if !self.stages.quickly(text, origins, normalized) {
            self.stages.normalize(text, origins, work)?;
            self.stages.split(first, text.len(), work, normalized)?;
        }
        check_length(normalized.len)
    }

    /// Calls `visit` with start and end of each chunk of a normalized text.
    pub(crate) fn each_chunk(&self, text: &Normalized, mut visit: impl FnMut(usize, usize)) {
        match self.units.splitter {
            _ if self.stages.has_rules() => chunks(text).for_each(|(start, end)| visit(start, end)),
            Some(splitter) => splitter.each_chunk(&text.bytes, text.len, visit),
            None if text.len > 0 => visit(0, text.len),
            None => {}
        }
    }

    /// The chunks of the normalized text in `scratch`: start and end.
    pub fn chunks(&self, scratch: &Scratch) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        self.each_chunk(&scratch.normalized, |start, end| found.push((start, end)));
        found
    }

    /// Whether normalization may change a text.
    pub(crate) fn normalizes(&self) -> bool {
        match self.stages.is_empty() {
            true => !self.normalizer.changes_nothing(),
            false => self.stages.has_steps(),
        }
    }

    /// The splitter, if texts are not changed before it.
    pub(crate) fn raw_splitter(&self) -> Option<Splitter> {
        let is_identity = self.stages.is_empty() && self.normalizer.changes_nothing();
        self.units.splitter.filter(|_| is_identity)
    }

    /// The units of the normalized text in `scratch`: start, end, and whether each result is valid independent of
    /// rounding.
    pub fn units(&self, scratch: &mut Scratch) -> Vec<(usize, usize, bool)> {
        let Scratch { normalized, engine: EngineScratch { buffers, starts, unit, .. }, .. } = scratch;
        let mut units = Vec::new();
        if normalized.len == 0 {
            return units;
        }
        if self.stages.has_rules() {
            return chunks(normalized).map(|(start, end)| (start, end, true)).collect();
        }
        starts.clear();
        starts.push(Cut::default());
        self.units.scan(&normalized.bytes, 0, normalized.len, starts);
        starts.push(Cut { at: u32_of(normalized.len), ..Cut::default() });
        for pair in starts.windows(2) {
            let (start, end) = (us(pair[0].at), us(pair[1].at));
            unit.clear();
            let holds = self.units.segmenter.solve(&normalized.bytes[start..end], buffers, unit).holds;
            units.push((start, end, holds == Validity::Always));
        }
        units
    }

    pub(crate) fn segment(&self, limit: usize, scratch: &mut Scratch) -> usize {
        let (count, unknown) = self.segment_unfused(limit, scratch);
        self.fuse(count, unknown, &mut scratch.engine.ids)
    }

    fn segment_unfused(&self, limit: usize, scratch: &mut Scratch) -> (usize, bool) {
        let normalized = std::mem::take(&mut scratch.normalized);
        let found = if self.units.has_units() {
            let chunks = self.stages.has_rules().then_some(normalized.chunks.as_slice());
            let engine = Engine::new(&self.units, &self.spec.vocab, normalized.len).with_chunks(chunks);
            // Fusing may shrink the count, so a limit is only exact where unknowns become bytes, or are fused chunk by
            // chunk.
            let limit = if self.units.segmenter.fallback.fuses && chunks.is_none() { usize::MAX } else { limit };
            let outcome = engine.run(&normalized.bytes, 0..normalized.len, 0.0, limit, None, &mut scratch.engine);
            (outcome.count, outcome.unknown)
        } else {
            let mut ids = std::mem::take(&mut scratch.engine.ids);
            ids.clear();
            let unknown = self.units.exact_text(&normalized, Mode::Fast, &mut scratch.engine.buffers, &mut ids);
            scratch.engine.ids = ids;
            (scratch.engine.ids.len(), unknown)
        };
        scratch.normalized = normalized;
        found
    }

    pub(crate) fn fuse(&self, count: usize, unknown: bool, ids: &mut [u32]) -> usize {
        if !unknown || !self.units.segmenter.fallback.fuses || self.stages.has_rules() {
            return count;
        }
        fuse(&mut ids[..count], self.units.segmenter.fallback.unk_id, false)
    }

    /// The text of ids.
    pub fn decode(&self, ids: &[u32], invalid: Invalid) -> Result<Vec<u8>> {
        self.check_ids(ids)?;
        self.stream_decoder().decode(&self.spec, ids, invalid)
    }

    /// Refuses ids outside the vocabulary.
    pub fn check_ids(&self, ids: &[u32]) -> Result<()> {
        let size = self.spec.vocab.len();
        match ids.iter().position(|&id| us(id) >= size) {
            None => Ok(()),
            Some(place) => {
                let id = ids[place];
                let message = format!("id {id} at position {place} is not below the vocabulary size {size}");
                Err(Error::new("id-out-of-range", message)
                    .with("id", id)
                    .with("position", place)
                    .with("vocab_size", size))
            }
        }
    }

    /// A decoder for ids that arrive in parts.
    pub fn stream_decoder(&self) -> StreamDecoder {
        self.stream_decoder.get(|| StreamDecoder::new(&self.spec)).clone()
    }

    /// Statistics of the unit cache.
    pub fn table_stats(&self) -> TableStats {
        let mut stats = TableStats { cache_slots: self.cache_slots, ..TableStats::default() };
        for held in self.pool.iter().filter_map(|slot| slot.try_lock().ok()) {
            if let Some(EngineScratch { cache, .. }) = held.as_ref().map(|scratch| &scratch.engine) {
                stats.cached += cache.table.len();
                stats.misses += cache.misses;
                stats.evictions += cache.evictions;
                stats.by_characters += cache.by_characters;
            }
        }
        stats
    }
}

/// Start and end of the chunks of rules.
pub(crate) fn chunks(normalized: &Normalized) -> impl Iterator<Item = (usize, usize)> + '_ {
    let ends = || normalized.chunks.iter().map(|&end| us(end));
    [0].into_iter().chain(ends()).zip(ends())
}

/// Refuses a text that is too long.
pub fn check_length(bytes: usize) -> Result<()> {
    if bytes <= MAX_TEXT {
        return Ok(());
    }
    let message = "the text is longer than 4 GiB; use a stream encoder or split it";
    Err(Error::new("input-too-long", message).with("bytes", bytes))
}
