//! From Normalized to ids.
//!
//! A segmenter answers for one unit; `engine` runs it over a text unit by unit, with the unit table in front. The plain
//! path runs the same segmenter over the whole text at once: both give the same ids, which the tests hold them to.

pub mod alphabet;
mod arithmetic;
pub mod bpe;
pub mod byte_cuts;
pub mod byte_draws;
mod byte_paths;
pub mod byte_unigram;
pub mod byte_walks;
mod byte_windows;
pub mod characters;
mod code_points;
pub mod cuts;
pub mod drop_short;
pub mod dropout;
mod edge_scores;
pub mod engine;
pub mod fallback;
pub mod forms;
pub mod greedy;
pub mod histories;
pub mod linear;
pub mod lookup;
mod made_chunks;
pub mod merges;
pub mod neighbours;
pub mod parallel;
mod places;
pub mod plamo;
pub mod running;
mod short;
mod split_windows;
mod symbols;
pub mod teach;
pub mod unigram;
pub mod unigram_characters;
pub mod unigram_units;
pub mod units;
mod wide;
pub mod word_level;
pub mod wordpiece;

use crate::cast::{u32_of, us};
use crate::error::Result;
use crate::index::lazy::Lazy;
use crate::normalize::Normalized;
use crate::spec::{Config, SegmenterKind, Spec};
use crate::split::Splitter;
use crate::tokens::fuse;
use crate::vocab::Kind;
use bpe::Bpe;
use byte_cuts::ByteCuts;
use byte_unigram::ByteUnigram;
use characters::ByteLetters;
use cuts::{Cut, CutRule, Cuts};
use fallback::{Fallback, NO_PIECE};
pub use forms::Forms;
use greedy::Greedy;
use lookup::Lookup;
use merges::Merges;
use plamo::Plamo;
use short::MAX_SHORT;
use unigram::Unigram;
use unigram_units::Holds;
use word_level::WordLevel;
use wordpiece::Wordpiece;

/// Which algorithm.
pub enum Algorithm {
    /// Best path.
    Unigram(Unigram),
    /// Score merges.
    Bpe(Bpe),
    /// Merges of a list.
    Merges(Merges),
    /// Characters or words.
    Lookup(Lookup),
    /// Longest pieces of a chunk.
    Wordpiece(Wordpiece),
    /// Whole chunks.
    WordLevel(WordLevel),
    /// Longest pieces of bytes.
    Greedy(Greedy),
    /// Best path in whole numbers.
    Plamo(Plamo),
}

/// The stage: algorithm, fallback, cut points.
pub struct Segmenter {
    /// Which algorithm.
    pub algorithm: Algorithm,
    /// What becomes of unknown characters.
    pub fallback: Fallback,
    /// Where chunks end, if the text is split before it is segmented; then units are chunks or parts of them.
    pub splitter: Option<Splitter>,
    /// Whether text comes cut into chunks already.
    chunked: bool,
    /// Where chunks can be cut further; made when it is first needed.
    byte_cuts: Lazy<ByteCuts>,
    /// The same by characters.
    byte_letters: Lazy<ByteLetters>,
    /// Where units end, if text is not split.
    pub cuts: Cuts,
}

/// Buffers that the algorithms share.
#[derive(Default)]
pub struct Buffers {
    /// Edges or symbols found: (id, end).
    pub found: Vec<(u32, u32)>,
    /// Cells of the dynamic program.
    pub cells: Vec<unigram::Cell>,
    /// The same where every byte is a piece.
    pub places: byte_walks::Places,
    /// Cells of the dynamic program with runner-up.
    pub pairs: unigram_units::Pairs,
    /// Buffers of the merges.
    pub bpe: bpe::Buffers,
    /// Cells of the path in whole numbers.
    pub whole: Vec<plamo::Cell>,
    /// Buffers of merges of a list.
    pub merges: merges::Buffers,
}

/// What is known of a unit once it was segmented.
#[derive(Clone, Copy)]
pub struct Solved {
    /// At which cells the answer holds; where it does at none, there are no ids.
    pub holds: Holds,
    /// The unknown piece is among the ids.
    pub unknown: bool,
}

impl Solved {
    /// The flags of the unit table.
    #[must_use]
    pub fn flags(self) -> u32 {
        let unknown = u32::from(self.unknown) * engine::UNKNOWN;
        match self.holds {
            Holds::Everywhere => unknown,
            Holds::Near => unknown | engine::NEAR,
            Holds::Nowhere => unknown | engine::UNSETTLED,
        }
    }
}

/// The cut rule of a Spec.
#[must_use]
pub fn cut_rule(spec: &Spec) -> CutRule {
    match spec.config.segmenter {
        SegmenterKind::Word => CutRule::BeforeMark(if spec.config.escape_whitespaces { 0x20 } else { 0x2581 }),
        _ => CutRule::Pairs,
    }
}

/// Whether pairs of characters tell where units end.
#[must_use]
pub fn has_pairs(spec: &Spec) -> bool {
    !spec.has_byte_pieces() && !spec.config.segmenter.is_chunkwise()
}

impl Segmenter {
    /// Compiles the stage from a validated Spec.
    pub fn build(spec: &Spec) -> Result<Self> {
        if spec.has_merges() {
            return Self::with_merges(spec);
        }
        let fallback = Fallback::build(spec);
        let forms = Forms::of(spec, |kind| spec.matches(kind));
        let algorithm = match spec.config.segmenter {
            SegmenterKind::Unigram => Algorithm::Unigram(Unigram::build(spec, &forms, &fallback)?),
            SegmenterKind::Bpe => Algorithm::Bpe(Bpe::build(spec, &forms)?),
            SegmenterKind::Char | SegmenterKind::Word => Algorithm::Lookup(Lookup::build(spec, &forms)?),
            SegmenterKind::Wordpiece => Algorithm::Wordpiece(Wordpiece::build(spec)?),
            SegmenterKind::WordLevel => Algorithm::WordLevel(WordLevel::build(spec)?),
            SegmenterKind::Greedy => Algorithm::Greedy(Greedy::build(spec, &forms)?),
            SegmenterKind::Plamo => Algorithm::Plamo(Plamo::build(spec, &forms)?),
        };
        // A char tokenizer joins only what user-defined symbols hold together.
        let only_symbols = spec.config.segmenter == SegmenterKind::Char;
        let joined = forms.iter().filter(|(_, id)| !only_symbols || spec.vocab.kind(*id) == Kind::UserDefined);
        let mut segmenter = Self::new(algorithm, fallback, &spec.config, Cuts::default());
        if has_pairs(spec) {
            let singles = segmenter.singles(&forms);
            segmenter.cuts = Cuts::build(cut_rule(spec), &singles, |visit| joined.for_each(|(form, _)| visit(form)));
        }
        Ok(segmenter)
    }

    /// The same where merges are those of a list: what they make is in it, and no sorted forms are needed.
    fn with_merges(spec: &Spec) -> Result<Self> {
        let (merges, cuts) = Merges::build(spec, |merges| {
            if !has_pairs(spec) {
                return Cuts::default();
            }
            let singles: Vec<(u32, u32)> = merges.letters().filter(|(character, _)| *character < 0x1_0000).collect();
            Cuts::build(cut_rule(spec), &singles, |visit| merges.each_result(&spec.vocab, visit))
        })?;
        Ok(Self::new(Algorithm::Merges(merges), Fallback::build(spec), &spec.config, cuts))
    }

    /// Puts the stage together.
    #[must_use]
    pub fn new(algorithm: Algorithm, fallback: Fallback, config: &Config, cuts: Cuts) -> Self {
        let fallback = match &algorithm {
            Algorithm::Merges(merges) => fallback.after_merges(merges.nature.fuses),
            _ => fallback,
        };
        let (splitter, chunked) = (config.splitter, !config.split_rules.is_empty());
        Self { algorithm, fallback, splitter, chunked, byte_cuts: Lazy::new(), byte_letters: Lazy::new(), cuts }
    }

    /// The characters that are one id when they stand alone, with that id.
    fn singles(&self, forms: &Forms) -> Vec<(u32, u32)> {
        let (mut buffers, mut ids, mut singles) = (Buffers::default(), Vec::new(), Vec::new());
        for (form, _) in forms.iter().filter(|(form, _)| form.len() <= 3) {
            let (character, length) = cuts::decode(form, 0);
            if length != form.len() {
                continue;
            }
            ids.clear();
            if let (Solved { holds: Holds::Everywhere, unknown: false }, [id]) =
                (self.solve(form, &mut buffers, &mut ids), &ids[..])
            {
                singles.push((character, *id));
            }
        }
        singles
    }

    /// Whether the place of each token can be told from its id.
    #[must_use]
    pub const fn tiles(&self) -> bool {
        match &self.algorithm {
            Algorithm::Merges(merges) => merges.tiles() && !merges.nature.spells,
            _ => true,
        }
    }

    /// Ids that one byte of the inner form can become: a space mark in bytes, with what its place adds.
    #[must_use]
    pub fn ids_per_byte(&self) -> usize {
        match &self.algorithm {
            Algorithm::Bpe(bpe) if bpe.has_byte_pieces() => 1,
            Algorithm::Merges(merges) if merges.has_byte_pieces() => 1 + merges.added_bytes(),
            Algorithm::Merges(merges) => 3 * (1 + merges.added_bytes()),
            _ => 3,
        }
    }

    /// Whether units can be segmented on their own.
    #[must_use]
    pub fn has_units(&self) -> bool {
        let has_chunks = self.splitter.is_some() || self.chunked;
        match &self.algorithm {
            Algorithm::Bpe(bpe) => bpe.has_units() && (has_chunks || !bpe.has_byte_pieces()),
            Algorithm::Merges(merges) => has_chunks || merges.has_units(),
            Algorithm::Wordpiece(_) | Algorithm::WordLevel(_) | Algorithm::Greedy(_) => has_chunks,
            Algorithm::Unigram(_) | Algorithm::Lookup(_) | Algorithm::Plamo(_) => true,
        }
    }

    /// Whether text is cut at pairs of characters.
    #[must_use]
    pub fn has_cuts(&self) -> bool {
        match &self.algorithm {
            Algorithm::Bpe(bpe) => !bpe.has_byte_pieces(),
            Algorithm::Wordpiece(_) | Algorithm::WordLevel(_) | Algorithm::Greedy(_) => false,
            Algorithm::Unigram(unigram) => !unigram.has_byte_pieces(),
            Algorithm::Lookup(_) | Algorithm::Plamo(_) => true,
            Algorithm::Merges(merges) => merges.has_units(),
        }
    }

    /// Whether paths of pieces that are bytes are looked for.
    #[must_use]
    pub const fn has_byte_paths(&self) -> bool {
        match &self.algorithm {
            Algorithm::Unigram(unigram) => unigram.has_byte_pieces(),
            _ => false,
        }
    }

    /// What is known where that is so.
    #[must_use]
    pub const fn plain(&self) -> Option<&ByteUnigram> {
        match &self.algorithm {
            Algorithm::Unigram(unigram) => unigram.plain(),
            _ => None,
        }
    }

    /// Whether chunks can be cut further.
    #[must_use]
    pub const fn has_parts(&self) -> bool {
        match &self.algorithm {
            Algorithm::Merges(merges) => merges.is_cuttable(),
            algorithm => matches!(algorithm, Algorithm::Bpe(_) | Algorithm::Greedy(_)),
        }
    }

    /// Appends where units begin in `text[from + 1..end]`, ascending. `from` must be the beginning of one.
    pub fn scan(&self, text: &[u8], from: usize, end: usize, starts: &mut Vec<Cut>) {
        let Some(splitter) = self.splitter else {
            let is_cut = match &self.algorithm {
                Algorithm::Merges(merges) => merges.is_cuttable() && !merges.has_byte_pieces(),
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

    /// Segments a whole text by the plain path: splits it, then each chunk at once; pushes its ids.
    pub fn exact_text(&self, normalized: &Normalized, buffers: &mut Buffers, ids: &mut Vec<u32>) -> bool {
        if self.chunked {
            self.exact_chunks(normalized, buffers, ids);
            return false;
        }
        let text = normalized.inner();
        let mut unknown = false;
        self.each_chunk(text, |start, end| unknown |= self.exact(&text[start..end], 0.0, buffers, ids).1);
        unknown
    }

    /// Segments chunks that rules made, unknowns fused in each.
    fn exact_chunks(&self, normalized: &Normalized, buffers: &mut Buffers, ids: &mut Vec<u32>) {
        let mut start = 0;
        for &end in &normalized.chunks {
            let first = ids.len();
            let (_, unknown) = self.exact(&normalized.bytes[start..us(end)], 0.0, buffers, ids);
            if unknown {
                self.fuse_from(first, ids);
            }
            start = us(end);
        }
    }

    /// Fuses unknowns among the ids from `first` on.
    pub fn fuse_from(&self, first: usize, ids: &mut Vec<u32>) {
        if self.fallback.fuses() {
            let kept = fuse(&mut ids[first..], self.fallback.unk_id(), false);
            ids.truncate(first + kept);
        }
    }

    /// Calls `visit` for each chunk of a text: where it begins and ends.
    pub fn each_chunk(&self, text: &[u8], mut visit: impl FnMut(usize, usize)) {
        let mut at = 0;
        while at < text.len() {
            let end = self.splitter.map_or(text.len(), |splitter| splitter.chunk_end(text, at, text.len()));
            visit(at, end);
            at = end;
        }
    }

    /// The tokens of a chunk where an answer is about all of it: pushes (id, end). False where it is not.
    pub fn chunk(&self, chunk: &[u8], found: &mut Vec<(u32, u32)>) -> bool {
        match &self.algorithm {
            Algorithm::Wordpiece(wordpiece) => wordpiece.solve(chunk, found),
            Algorithm::WordLevel(words) => words.solve(chunk, found),
            _ => return false,
        }
        true
    }

    /// Segments a short unit without knowing what stands before it; pushes its ids.
    pub fn solve(&self, unit: &[u8], buffers: &mut Buffers, ids: &mut Vec<u32>) -> Solved {
        self.solve_part(unit, true, buffers, ids)
    }

    /// The same for a unit that may be only a part of its chunk.
    pub fn solve_part(&self, unit: &[u8], whole: bool, buffers: &mut Buffers, ids: &mut Vec<u32>) -> Solved {
        buffers.found.clear();
        let mut holds = Holds::Everywhere;
        match &self.algorithm {
            Algorithm::Unigram(unigram) => holds = unigram.solve(unit, &mut buffers.pairs, &mut buffers.found),
            Algorithm::Bpe(bpe) => {
                if unit.len() <= MAX_SHORT && !buffers.bpe.by_the_book {
                    bpe.solve(unit, whole, &mut buffers.found);
                } else {
                    bpe.merge_all(unit, whole, &mut buffers.bpe, &mut buffers.found);
                }
            }
            Algorithm::Merges(merges) => merges.solve(unit, whole, &mut buffers.merges, &mut buffers.found),
            Algorithm::Lookup(lookup) => lookup.solve(unit, &mut buffers.found),
            _ => self.solve_plainly(unit, buffers),
        }
        let unknown = holds != Holds::Nowhere && self.emit(unit, &buffers.found, ids);
        Solved { holds, unknown }
    }

    /// Segments a chunk of any length from a cell by the plain path; pushes its ids and returns the cell after it.
    pub fn exact(&self, text: &[u8], cell: f64, buffers: &mut Buffers, ids: &mut Vec<u32>) -> (f64, bool) {
        self.exact_part(text, true, cell, buffers, ids)
    }

    /// The same for a unit that may be only a part of its chunk.
    pub fn exact_part(
        &self,
        text: &[u8],
        whole: bool,
        cell: f64,
        buffers: &mut Buffers,
        ids: &mut Vec<u32>,
    ) -> (f64, bool) {
        buffers.found.clear();
        let mut after = cell;
        match &self.algorithm {
            Algorithm::Unigram(unigram) => {
                let Buffers { cells, places, found, bpe, .. } = &mut *buffers;
                after = match unigram.plain().filter(|_| !bpe.by_the_book) {
                    Some(plain) => plain.paths(text, 0, &[u32_of(text.len())], cell, places, found),
                    None => unigram.viterbi(text, cell, cells, found),
                };
            }
            Algorithm::Bpe(bpe) => bpe.merge_all(text, whole, &mut buffers.bpe, &mut buffers.found),
            Algorithm::Merges(merges) => merges.solve(text, whole, &mut buffers.merges, &mut buffers.found),
            Algorithm::Lookup(lookup) => self.each_unit(text, |unit, offset| {
                let before = buffers.found.len();
                lookup.solve(unit, &mut buffers.found);
                for (_, end) in &mut buffers.found[before..] {
                    *end += offset;
                }
            }),
            _ => self.solve_plainly(text, buffers),
        }
        let unknown = self.emit(text, &buffers.found, ids);
        (after, unknown)
    }

    /// The algorithms that have one way for units of any length.
    fn solve_plainly(&self, text: &[u8], buffers: &mut Buffers) {
        match &self.algorithm {
            Algorithm::Greedy(greedy) => greedy.solve(text, &mut buffers.found),
            Algorithm::Plamo(plamo) => plamo.solve(text, &mut buffers.whole, &mut buffers.found),
            _ => {
                self.chunk(text, &mut buffers.found);
            }
        }
    }

    /// Calls `visit` for each unit of a text that needs no padding, with its offset.
    fn each_unit(&self, text: &[u8], mut visit: impl FnMut(&[u8], u32)) {
        let view = self.cuts.view();
        let (mut start, mut at) = (0, 0);
        while at < text.len() {
            let (before, length) = cuts::decode(text, at);
            at = (at + length).min(text.len());
            if at == text.len() || view.is_cut(before, cuts::decode(text, at).0) {
                visit(&text[start..at], u32_of(start));
                start = at;
            }
        }
    }

    /// Pushes the ids of a unit whose edges were found: (id, end). Returns whether the unknown piece is among them.
    pub fn emit(&self, text: &[u8], found: &[(u32, u32)], ids: &mut Vec<u32>) -> bool {
        if matches!(self.algorithm, Algorithm::Merges(_)) {
            ids.extend(found.iter().map(|&(id, _)| id).filter(|&id| id != NO_PIECE));
            return self.fallback.fuses() && found.iter().any(|&(id, _)| id == self.fallback.unk_id());
        }
        let mut start = 0;
        let mut unknown = false;
        for &(id, end) in found {
            unknown |= self.fallback.push(id, &text[start..us(end)], ids);
            start = us(end);
        }
        unknown
    }
}
