//! Segmentation of one unit of text into pieces: the algorithms, and the fallback for characters that no piece covers.
//!
//! A unit is a part of a text that can be segmented on its own ([`crate::units`]). Each algorithm has a fast path for
//! short units and a reference path for text of any length; tests compare their ids.

pub mod bpe;
pub mod bytepiece;
pub mod fallback;
pub mod forms;
pub mod greedy;
pub mod lookup;
pub mod plamo;
pub mod unigram;
pub mod word_level;
pub mod wordpiece;

use crate::segment::bpe::merge_list::Merges;
use crate::segment::bpe::ranks::MAX_SHORT;
use crate::segment::bpe::Bpe;
use crate::segment::bytepiece::ByteUnigram;
use crate::segment::fallback::{fuse, Fallback, NO_PIECE};
pub use crate::segment::forms::Forms;
use crate::segment::greedy::Greedy;
use crate::segment::lookup::Lookup;
use crate::segment::plamo::Plamo;
use crate::segment::unigram::bounded::Validity;
use crate::segment::unigram::Unigram;
use crate::segment::word_level::WordLevel;
use crate::segment::wordpiece::Wordpiece;
use crate::spec::{SegmenterKind, Spec};
use crate::util::{u32_of, us, Result};

/// Fast path or reference path, which give equal ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// The fastest algorithm for the text.
    Fast,
    /// The reference path, which tests compare the fast one with.
    Reference,
}

/// The algorithm of a segmenter.
pub enum Algorithm {
    /// Viterbi.
    Unigram(Unigram),
    /// BPE by scores.
    Bpe(Bpe),
    /// BPE by a merge list.
    Merges(Merges),
    /// Characters or words.
    Lookup(Lookup),
    /// Greedy longest match within a chunk.
    Wordpiece(Wordpiece),
    /// Whole chunks.
    WordLevel(WordLevel),
    /// Greedy longest match over bytes.
    Greedy(Greedy),
    /// Viterbi over integer scores.
    Plamo(Plamo),
}

/// An algorithm with its fallback.
pub struct Segmenter {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// The fallback for unknown characters.
    pub fallback: Fallback,
}

/// Buffers that the algorithms share.
#[derive(Default)]
pub struct Buffers {
    /// Edges or symbols found: (id, end).
    pub found: Vec<(u32, u32)>,
    /// Cells of the dynamic program.
    pub cells: Vec<unigram::Cell>,
    /// Cells of the dynamic program where every byte is a piece.
    pub places: bytepiece::viterbi::Places,
    /// Cells of the dynamic program with a runner-up.
    pub pairs: unigram::bounded::Pairs,
    /// Buffers of score BPE.
    pub bpe: bpe::Buffers,
    /// Cells of the integer Viterbi.
    pub whole: Vec<plamo::Cell>,
    /// Buffers of merge-list BPE.
    pub merges: bpe::merge_list::Buffers,
}

/// Flag of a unit whose result depends on the score of the dynamic program before it.
pub const UNSETTLED: u32 = 1;
/// Flag of a unit that contains the unknown piece.
pub const UNKNOWN: u32 = 2;
/// Flag of a unit whose result is valid only for small scores before it.
pub const NEAR: u32 = 4;

/// The result of segmenting a unit.
#[derive(Clone, Copy)]
pub struct Solved {
    /// For which scores before the unit the result is valid; if for none, there are no ids.
    pub holds: Validity,
    /// The unknown piece is among the ids.
    pub unknown: bool,
}

impl Solved {
    /// The flags of the unit cache.
    pub fn flags(self) -> u32 {
        let unknown = u32::from(self.unknown) * UNKNOWN;
        match self.holds {
            Validity::Always => unknown,
            Validity::SmallScores => unknown | NEAR,
            Validity::Never => unknown | UNSETTLED,
        }
    }
}

impl Segmenter {
    /// Compiles it from a validated Spec without a merge list; `forms` are the pieces that match text.
    pub fn build(spec: &Spec, forms: &Forms) -> Result<Self> {
        let fallback = Fallback::build(spec);
        let algorithm = match spec.config.segmenter {
            SegmenterKind::Unigram => Algorithm::Unigram(Unigram::build(spec, forms, &fallback)?),
            SegmenterKind::Bpe => Algorithm::Bpe(Bpe::build(spec, forms)?),
            SegmenterKind::Char | SegmenterKind::Word => Algorithm::Lookup(Lookup::build(spec, forms)?),
            SegmenterKind::Wordpiece => Algorithm::Wordpiece(Wordpiece::build(spec)?),
            SegmenterKind::WordLevel => Algorithm::WordLevel(WordLevel::build(spec)?),
            SegmenterKind::Greedy => Algorithm::Greedy(Greedy::build(spec, forms)?),
            SegmenterKind::Plamo => Algorithm::Plamo(Plamo::build(spec, forms)?),
        };
        Ok(Self::new(algorithm, fallback))
    }

    /// Combines both.
    pub fn new(algorithm: Algorithm, fallback: Fallback) -> Self {
        let fallback = match &algorithm {
            Algorithm::Merges(merges) => fallback.after_merges(merges.nature.fuses),
            _ => fallback,
        };
        Self { algorithm, fallback }
    }

    /// Whether the span of each token follows from its id.
    pub const fn tiles(&self) -> bool {
        match &self.algorithm {
            Algorithm::Merges(merges) => merges.nature.tiles && !merges.nature.spells,
            _ => true,
        }
    }

    /// Maximum ids of one byte of the inner form: a space mark in bytes, with the affixes of its position.
    pub fn ids_per_byte(&self) -> usize {
        match &self.algorithm {
            Algorithm::Bpe(bpe) if bpe.has_byte_pieces => 1,
            Algorithm::Merges(merges) if merges.has_byte_pieces => 1 + merges.added_bytes(),
            Algorithm::Merges(merges) => 3 * (1 + merges.added_bytes()),
            _ => 3,
        }
    }

    /// Whether this is a Viterbi over byte pieces.
    pub const fn has_byte_paths(&self) -> bool {
        match &self.algorithm {
            Algorithm::Unigram(unigram) => unigram.has_byte_pieces,
            _ => false,
        }
    }

    /// The automaton of the Viterbi over byte pieces, if this is one.
    pub const fn byte_automaton(&self) -> Option<&ByteUnigram> {
        match &self.algorithm {
            Algorithm::Unigram(unigram) => unigram.byte_automaton(),
            _ => None,
        }
    }

    /// Fuses unknowns among the ids from `first` on.
    pub fn fuse_from(&self, first: usize, ids: &mut Vec<u32>) {
        if self.fallback.fuses {
            let kept = fuse(&mut ids[first..], self.fallback.unk_id, false);
            ids.truncate(first + kept);
        }
    }

    /// The tokens of a chunk where a whole chunk is one query: pushes (id, end). False for other algorithms.
    pub fn chunk(&self, chunk: &[u8], found: &mut Vec<(u32, u32)>) -> bool {
        match &self.algorithm {
            Algorithm::Wordpiece(wordpiece) => wordpiece.solve(chunk, found),
            Algorithm::WordLevel(words) => words.solve(chunk, found),
            _ => return false,
        }
        true
    }

    /// Segments a short unit independently of the text before it; pushes its ids.
    pub fn solve(&self, unit: &[u8], buffers: &mut Buffers, ids: &mut Vec<u32>) -> Solved {
        self.solve_part(unit, true, buffers, ids)
    }

    /// Segments a short unit, which may be only a part of its chunk, independently of the text before it; pushes its
    /// ids.
    pub fn solve_part(&self, unit: &[u8], whole: bool, buffers: &mut Buffers, ids: &mut Vec<u32>) -> Solved {
        buffers.found.clear();
        let mut holds = Validity::Always;
        match &self.algorithm {
            Algorithm::Unigram(unigram) => holds = unigram.solve(unit, &mut buffers.pairs, &mut buffers.found),
            Algorithm::Bpe(bpe) => {
                if unit.len() <= MAX_SHORT {
                    bpe.solve(unit, whole, &mut buffers.found);
                } else {
                    bpe.merge_all(unit, whole, Mode::Fast, &mut buffers.bpe, &mut buffers.found);
                }
            }
            Algorithm::Merges(merges) => merges.solve(unit, whole, Mode::Fast, &mut buffers.merges, &mut buffers.found),
            Algorithm::Lookup(lookup) => lookup.solve(unit, &mut buffers.found),
            _ => self.solve_reference(unit, buffers),
        }
        let unknown = holds != Validity::Never && self.emit(unit, &buffers.found, ids);
        Solved { holds, unknown }
    }

    /// The id of a unit that has exactly one, whatever the text before it.
    pub fn single(&self, unit: &[u8], whole: bool, buffers: &mut Buffers) -> Option<u32> {
        let mut ids = Vec::new();
        match (self.solve_part(unit, whole, buffers, &mut ids), &ids[..]) {
            (Solved { holds: Validity::Always, unknown: false }, &[id]) => Some(id),
            _ => None,
        }
    }

    /// Segments a chunk of any length by the reference path from a score; pushes its ids and returns the score after
    /// it.
    pub fn exact(&self, text: &[u8], cell: f64, buffers: &mut Buffers, ids: &mut Vec<u32>) -> (f64, bool) {
        self.exact_part(text, true, cell, Mode::Fast, buffers, ids)
    }

    /// Segments a unit of any length, which may be only a part of its chunk, from a score; pushes its ids and returns
    /// the score after it, and whether the unknown piece is among them.
    pub fn exact_part(
        &self,
        text: &[u8],
        whole: bool,
        cell: f64,
        mode: Mode,
        buffers: &mut Buffers,
        ids: &mut Vec<u32>,
    ) -> (f64, bool) {
        buffers.found.clear();
        let mut after = cell;
        match &self.algorithm {
            Algorithm::Unigram(unigram) => {
                let Buffers { cells, places, found, .. } = &mut *buffers;
                after = match unigram.byte_automaton().filter(|_| mode == Mode::Fast) {
                    Some(automaton) => automaton.paths(text, 0, &[u32_of(text.len())], cell, places, found),
                    None => unigram.viterbi(text, cell, cells, found),
                };
            }
            Algorithm::Bpe(bpe) => bpe.merge_all(text, whole, mode, &mut buffers.bpe, &mut buffers.found),
            Algorithm::Merges(merges) => merges.solve(text, whole, mode, &mut buffers.merges, &mut buffers.found),
            Algorithm::Lookup(lookup) => lookup.solve(text, &mut buffers.found),
            _ => self.solve_reference(text, buffers),
        }
        let unknown = self.emit(text, &buffers.found, ids);
        (after, unknown)
    }

    /// The algorithms with a single implementation for units of any length.
    fn solve_reference(&self, text: &[u8], buffers: &mut Buffers) {
        match &self.algorithm {
            Algorithm::Greedy(greedy) => greedy.solve(text, &mut buffers.found),
            Algorithm::Plamo(plamo) => plamo.solve(text, &mut buffers.whole, &mut buffers.found),
            _ => {
                self.chunk(text, &mut buffers.found);
            }
        }
    }

    /// Pushes the ids of a unit whose edges (id, end) were found. Returns whether the unknown piece is among them.
    pub fn emit(&self, text: &[u8], found: &[(u32, u32)], ids: &mut Vec<u32>) -> bool {
        if matches!(self.algorithm, Algorithm::Merges(_)) {
            ids.extend(found.iter().map(|&(id, _)| id).filter(|&id| id != NO_PIECE));
            return self.fallback.fuses && found.iter().any(|&(id, _)| id == self.fallback.unk_id);
        }
        if found.iter().all(|&(id, _)| id != self.fallback.unk_id) {
            ids.extend(found.iter().map(|&(id, _)| id));
            return false;
        }
        let mut start = 0;
        let mut unknown = false;
        for &(id, end) in found {
            unknown |= self.fallback.push(id, &text[start..us(end)], ids);
            start = us(end);
        }
        unknown
    }

    /// BPE-dropout of a chunk: `passes` says which merges are skipped, with probability `share`. Pushes (id, end).
    pub(crate) fn drop_out(
        &self,
        text: &[u8],
        share: f64,
        mode: Mode,
        passes: impl FnMut() -> bool,
        buffers: &mut Buffers,
        found: &mut Vec<(u32, u32)>,
    ) {
        if share <= 0.0 {
            // As in plain encoding: a whole chunk may be a piece that no merges make.
            self.exact_part(text, true, 0.0, mode, buffers, &mut Vec::new());
            found.extend_from_slice(&buffers.found);
            return;
        }
        match &self.algorithm {
            Algorithm::Bpe(bpe) => bpe.drop_out(text, mode, passes, &mut buffers.bpe, found),
            Algorithm::Merges(merges) => merges.drop_out(text, passes, &mut buffers.merges, found),
            _ => {}
        }
    }
}
