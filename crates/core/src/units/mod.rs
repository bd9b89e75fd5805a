//! From text to units, and from units to cached ids.
//!
//! A unit is a part of a text that is segmented on its own, because no piece spans its ends: a pre-token of a splitter,
//! or the range between two cut points (`docs/algorithms/cut-points.md`). [`engine`] finds the units of a text window
//! by window, looks them up in the thread's cache and hands the misses to the [`Segmenter`].

pub mod bigrams;
pub mod boundary;
pub mod byte_boundary;
pub(crate) mod byte_paths;
pub mod cache;
pub mod canonical;
pub mod char_ids;
pub mod characters;
pub mod engine;
pub mod key;
pub mod parallel;
pub(crate) mod run;
pub mod scratch;
pub(crate) mod source;
pub(crate) mod token_places;
pub mod viterbi_state;

use crate::normalize::Normalized;
use crate::segment::bpe::merge_list::Merges;
use crate::segment::fallback::Fallback;
use crate::segment::{Algorithm, Buffers, Forms, Mode, Segmenter};
use crate::spec::stages::Splitter;
use crate::spec::{Config, SegmenterKind, Spec};
use crate::units::bigrams::Pairs;
use crate::units::boundary::{CutRule, Cuts};
use crate::units::byte_boundary::ByteCuts;
use crate::units::canonical::joining;
use crate::units::characters::ByteCharIds;
use crate::units::key::Cut;
use crate::util::utf8::decode;
use crate::util::{u32_of, us, Lazy, Result};

/// A segmenter, and where a text can be divided for it.
pub struct Units {
    /// Segments one unit.
    pub segmenter: Segmenter,
    /// The pre-tokenizer, if the text is split before it is segmented; then units are chunks or parts of them.
    pub splitter: Option<Splitter>,
    /// Whether text is already cut into chunks by rules.
    pub(crate) chunked: bool,
    /// Cut points within chunks; built on first use.
    byte_cuts: Lazy<ByteCuts>,
    /// The code-point table of a byte vocabulary; built on first use.
    byte_char_ids: Lazy<ByteCharIds>,
    /// Cut points of text that is not split.
    pub cuts: Cuts,
    /// The exact pairs of [`Units::scan_canonical`]; built on first use.
    pairs: Lazy<Pairs>,
}

/// The cut rule of a Spec.
pub fn cut_rule(spec: &Spec) -> CutRule {
    match spec.config.segmenter {
        SegmenterKind::Word => CutRule::BeforeMark(if spec.config.escape_whitespaces { 0x20 } else { 0x2581 }),
        _ => CutRule::Pairs,
    }
}

/// Whether unit ends depend on pairs of characters.
pub fn has_pairs(spec: &Spec) -> bool {
    !spec.has_byte_pieces() && !spec.config.segmenter.is_chunkwise()
}

/// The characters that are one id as a unit of their own, with that id.
fn singles(segmenter: &Segmenter, forms: &Forms) -> Vec<(u32, u32)> {
    let mut buffers = Buffers::default();
    let single = |(form, _): (&[u8], u32)| {
        let (character, length) = decode(form, 0);
        let is_one = length == form.len();
        Some((character, is_one.then(|| segmenter.single(form, true, &mut buffers))??))
    };
    forms.iter().filter(|(form, _)| form.len() <= 3).filter_map(single).collect()
}

impl Units {
    /// Compiles the stage from a validated Spec.
    pub fn build(spec: &Spec) -> Result<Self> {
        if spec.has_merges() {
            return Self::with_merges(spec);
        }
        let forms = Forms::of(spec, |kind| spec.matches(kind));
        let segmenter = Segmenter::build(spec, &forms)?;
        let cuts = if has_pairs(spec) {
            let singles = singles(&segmenter, &forms);
            Cuts::build(cut_rule(spec), &singles, |visit| joining(spec, &forms).for_each(visit))
        } else {
            Cuts::default()
        };
        Ok(Self::new(segmenter, &spec.config, cuts))
    }

    /// Compiles the stage from a merge list, which has all results, so that no sorted forms are needed.
    fn with_merges(spec: &Spec) -> Result<Self> {
        let (merges, cuts) = Merges::build(spec, |merges| {
            if !has_pairs(spec) {
                return Cuts::default();
            }
            let singles: Vec<(u32, u32)> = merges.letters().filter(|(character, _)| *character < 0x1_0000).collect();
            Cuts::build(cut_rule(spec), &singles, |visit| merges.each_result(visit))
        })?;
        let segmenter = Segmenter::new(Algorithm::Merges(merges), Fallback::build(spec));
        Ok(Self::new(segmenter, &spec.config, cuts))
    }

    /// Combines a segmenter and its cut points.
    pub fn new(segmenter: Segmenter, config: &Config, cuts: Cuts) -> Self {
        let (splitter, chunked) = (config.splitter, !config.split_rules.is_empty());
        let (byte_cuts, byte_char_ids, pairs) = (Lazy::new(), Lazy::new(), Lazy::new());
        Self { segmenter, splitter, chunked, byte_cuts, byte_char_ids, cuts, pairs }
    }

    /// Whether units can be segmented on their own.
    pub fn has_units(&self) -> bool {
        let has_chunks = self.splitter.is_some() || self.chunked;
        match &self.segmenter.algorithm {
            Algorithm::Bpe(bpe) => bpe.has_units() && (has_chunks || !bpe.has_byte_pieces),
            Algorithm::Merges(merges) => has_chunks || merges.has_units(),
            Algorithm::Wordpiece(_) | Algorithm::WordLevel(_) | Algorithm::Greedy(_) => has_chunks,
            Algorithm::Unigram(_) | Algorithm::Lookup(_) | Algorithm::Plamo(_) => true,
        }
    }

    /// Whether text is cut at pairs of characters.
    pub fn has_cuts(&self) -> bool {
        match &self.segmenter.algorithm {
            Algorithm::Bpe(bpe) => !bpe.has_byte_pieces,
            Algorithm::Wordpiece(_) | Algorithm::WordLevel(_) | Algorithm::Greedy(_) => false,
            Algorithm::Unigram(unigram) => !unigram.has_byte_pieces,
            Algorithm::Lookup(_) | Algorithm::Plamo(_) => true,
            Algorithm::Merges(merges) => merges.has_units(),
        }
    }

    /// Whether chunks can be cut further.
    pub const fn has_parts(&self) -> bool {
        match &self.segmenter.algorithm {
            Algorithm::Merges(merges) => merges.nature.cuttable,
            algorithm => matches!(algorithm, Algorithm::Bpe(_) | Algorithm::Greedy(_)),
        }
    }

    /// Appends the unit starts in `text[from + 1..end]`, ascending. `from` must be one.
    pub fn scan(&self, text: &[u8], from: usize, end: usize, starts: &mut Vec<Cut>) {
        let Some(splitter) = self.splitter else {
            let is_cut = match &self.segmenter.algorithm {
                Algorithm::Merges(merges) => merges.nature.cuttable && !merges.has_byte_pieces,
                _ => self.has_cuts(),
            };
            if is_cut {
                self.cuts.view().scan(text, from, end, starts);
            }
            return;
        };
        let mut at = splitter.chunk_end(text, from, end);
        while at < end {
            starts.push(Cut { at: u32_of(at), ..Cut::default() });
            at = splitter.chunk_end(text, at, end);
        }
    }

    /// Segments a whole text by the reference path: splits it, then segments each chunk; pushes its ids.
    pub fn exact_text(&self, normalized: &Normalized, mode: Mode, buffers: &mut Buffers, ids: &mut Vec<u32>) -> bool {
        if self.chunked {
            self.exact_chunks(normalized, mode, buffers, ids);
            return false;
        }
        let text = normalized.inner();
        let mut unknown = false;
        self.each_chunk(text, |start, end| {
            unknown |= self.segmenter.exact_part(&text[start..end], true, 0.0, mode, buffers, ids).1
        });
        unknown
    }

    /// Segments the chunks of rules, with unknowns fused in each.
    fn exact_chunks(&self, normalized: &Normalized, mode: Mode, buffers: &mut Buffers, ids: &mut Vec<u32>) {
        let mut start = 0;
        for &end in &normalized.chunks {
            let first = ids.len();
            let (_, unknown) =
                self.segmenter.exact_part(&normalized.bytes[start..us(end)], true, 0.0, mode, buffers, ids);
            if unknown {
                self.segmenter.fuse_from(first, ids);
            }
            start = us(end);
        }
    }

    /// Calls `visit` with start and end of each chunk of a text.
    pub fn each_chunk(&self, text: &[u8], mut visit: impl FnMut(usize, usize)) {
        let mut at = 0;
        while at < text.len() {
            let end = self.splitter.map_or(text.len(), |splitter| splitter.chunk_end(text, at, text.len()));
            visit(at, end);
            at = end;
        }
    }
}
