//! Unigram: Viterbi for the path of highest total score, by the reference's rule and in its arithmetic.
//!
//! [`Unigram::viterbi`] is the reference path: it starts from the reference's running score and adds, compares and
//! rounds as it does, rebasing included. `bounded` has the results that are valid for any running score.

pub(crate) mod arithmetic;
pub mod bounded;
pub(crate) mod edge_scores;
pub mod edges;

use crate::index::double_array::{Trie, TrieView};
use crate::index::root_pairs::RootTransitions;
use crate::segment::bytepiece::ByteUnigram;
use crate::segment::fallback::Fallback;
use crate::segment::unigram::arithmetic::{Adding, F32Rebased, F64};
use crate::segment::unigram::bounded::MAX_SETTLED;
use crate::segment::unigram::edge_scores::{edge_scores, largest_competitive, reserved};
use crate::segment::unigram::edges::Edges;
use crate::segment::{Buffers, Forms};
use crate::spec::vocab::{Kind, Vocab};
use crate::spec::{Arithmetic, Spec};
use crate::util::utf8::character_length;
use crate::util::{f32_of, prefetch, resize_paced, u32_of, us, Column, Lazy, Pace, Result};

/// Beyond this the reference subtracts the running score.
pub(crate) const REBASE: f32 = 100_000.0;

/// The stage.
pub struct Unigram {
    pub(crate) trie: Trie,
    /// By id: the score of an edge. Ids without an edge hold the score added when they are emitted: the unknown piece,
    /// and byte pieces, which count once per character. Where those are edges too, they hold infinity here.
    pub(crate) scores: Column<f32>,
    /// Edge scores in double precision, if the arithmetic of the reference has it.
    pub(crate) doubles: Vec<f64>,
    /// The score added when an id is emitted, where that differs from `doubles`.
    emitted: Vec<f64>,
    pub(crate) unknown: f32,
    /// The score of an unknown character in double precision.
    pub(crate) unknown_double: f64,
    pub(crate) unk_id: u32,
    pub(crate) arithmetic: Arithmetic,
    /// Largest absolute score of an edge.
    pub(crate) largest: f32,
    /// Largest absolute score of an edge that can be on a best path.
    pub(crate) competitive: f32,
    /// Whether pieces are bytes: then an edge may begin at every byte, and each byte is a piece.
    pub(crate) has_byte_pieces: bool,
    /// The automaton of byte pieces, in double precision.
    byte_automaton: Option<ByteUnigram>,
    /// Built on first use.
    root_transitions: Lazy<RootTransitions>,
}

/// One position of the dynamic program.
#[derive(Clone, Copy)]
pub struct Cell {
    /// In the reference's precision.
    pub(crate) score: f64,
    /// Where the last edge starts; `UNSET` if no edge ends here.
    pub(crate) start: u32,
    pub(crate) id: u32,
}

pub(crate) const UNSET: u32 = u32::MAX;
const EMPTY: Cell = Cell { score: 0.0, start: UNSET, id: 0 };

impl Unigram {
    /// Compiles the stage from a validated Spec.
    pub fn build(spec: &Spec, forms: &Forms, fallback: &Fallback) -> Result<Self> {
        let trie = forms.trie(|id| spec.matches_unused() || spec.vocab.kind(id) != Kind::Unused)?;
        let (scores, unknown, largest) = edge_scores(spec, fallback);
        let mut singles: Vec<f32> = scores.iter().map(|&score| f32_of(score)).collect();
        if spec.matches_spelled() {
            for id in reserved(spec) {
                singles[us(id)] = f32::INFINITY;
            }
        }
        Ok(Self::from_parts(trie, singles.into(), [f32_of(unknown), largest], spec, fallback))
    }

    /// Assembles a stored stage; `scores` has one value for each piece, `bounds` the score of an unknown character and
    /// the largest absolute score.
    pub fn from_parts(trie: Trie, scores: Column<f32>, bounds: [f32; 2], spec: &Spec, fallback: &Fallback) -> Self {
        let (unk_id, arithmetic) = (fallback.unk_id, spec.config.arithmetic);
        let [unknown, largest] = bounds;
        let (mut doubles, mut emitted, mut unknown_double) = (Vec::new(), Vec::new(), f64::from(unknown));
        if arithmetic != Arithmetic::F32Rebased {
            (doubles, unknown_double, _) = edge_scores(spec, fallback);
            if spec.matches_spelled() {
                emitted.clone_from(&doubles);
                for id in reserved(spec) {
                    doubles[us(id)] = spec.vocab.score(id);
                }
            }
        }
        let bytes = spec.has_byte_pieces();
        let is_exact = bytes && arithmetic == Arithmetic::F64;
        let byte_automaton = if is_exact { ByteUnigram::build(&trie, &doubles) } else { None };
        let competitive = if largest <= MAX_SETTLED || bytes {
            largest
        } else {
            largest_competitive(spec, &trie.view(), &scores, unknown)
        };
        Self {
            trie,
            scores,
            doubles,
            emitted,
            unknown,
            unknown_double,
            unk_id,
            arithmetic,
            largest,
            competitive,
            has_byte_pieces: bytes,
            byte_automaton,
            root_transitions: Lazy::new(),
        }
    }

    /// The running score after emitting `ids`, if no rebasing happens on the way.
    pub fn add(&self, cell: f64, ids: &[u32]) -> f64 {
        match self.arithmetic {
            Arithmetic::F32Rebased => {
                let scores: &[f32] = &self.scores;
                f64::from(ids.iter().fold(f32_of(cell), |cell, &id| cell + score_of(scores, id)))
            }
            Arithmetic::F64Compared => {
                let add = |cell, &id: &u32| f32_of(f64::from(cell) + score_of(&self.doubles, id));
                f64::from(ids.iter().fold(f32_of(cell), add))
            }
            Arithmetic::F64 => {
                let scores = if self.emitted.is_empty() { &self.doubles } else { &self.emitted };
                ids.iter().fold(cell, |cell, &id| cell + score_of(scores, id))
            }
        }
    }

    /// As [`Unigram::add`], with the largest magnitude that the running score had on the way.
    pub fn add_tracked(&self, cell: f64, ids: &[u32]) -> (f64, f64) {
        let mut farthest = cell.abs();
        let after = ids.iter().fold(cell, |cell, id| {
            let next = self.add(cell, std::slice::from_ref(id));
            farthest = farthest.max(next.abs());
            next
        });
        (after, farthest)
    }

    /// The automaton, where each byte is a piece and scores are doubles.
    pub const fn byte_automaton(&self) -> Option<&ByteUnigram> {
        self.byte_automaton.as_ref()
    }

    /// The reference path over `text` from a running score: pushes the ids of the edges, returns the score at the end.
    pub fn viterbi(&self, text: &[u8], cell: f64, cells: &mut Vec<Cell>, ids: &mut Vec<(u32, u32)>) -> f64 {
        match self.arithmetic {
            Arithmetic::F32Rebased => self.viterbi_inner::<F32Rebased>(text, cell, cells, ids),
            Arithmetic::F64Compared => self.viterbi_inner::<F64<false>>(text, cell, cells, ids),
            Arithmetic::F64 => self.viterbi_inner::<F64<true>>(text, cell, cells, ids),
        }
    }

    /// Calls `visit` with start, end, id and score of every edge over `text`, by start and then by end.
    pub fn each_edge(&self, text: &[u8], vocab: &Vocab, mut visit: impl FnMut(usize, usize, u32, f64)) {
        let trie = self.trie.view();
        let (mut start, mut pace) = (0, Pace::new());
        while start < text.len() {
            pace.reach(start);
            let length = if self.has_byte_pieces { 1 } else { character_length(text[start]).min(text.len() - start) };
            let mut covered = false;
            trie.each_prefix(&text[start..], |size, id| {
                if !covered && size > length {
                    visit(start, start + length, self.unk_id, self.unknown_double);
                }
                covered |= size >= length;
                visit(start, start + size, id, self.edge_score(id, vocab));
            });
            if !covered {
                visit(start, start + length, self.unk_id, self.unknown_double);
            }
            start += length;
        }
    }

    /// Records the edges of a short unit without their scores, which [`Unigram::edge_score`] gives, and prefetches
    /// their weights, by id. False if there is a character that no piece covers.
    #[inline]
    pub fn note_edges(&self, text: &[u8], edges: &mut Edges, weights: &[f64]) -> bool {
        let ((trie, openings), mut start) = (self.walked(), 0);
        edges.open(text.len());
        let note = |edges: &mut Edges, first: usize, end: usize, number: u32| {
            edges.push(first, end, number);
            // The number is the id plus one: mostly on the same cache line.
            prefetch(weights, us(number));
        };
        while start < text.len() {
            let (first, one, other) = (start, text[start], text.get(start + 1).copied().unwrap_or(0));
            edges.start_row(start);
            start += if self.has_byte_pieces { 1 } else { character_length(one).min(text.len() - start) };
            let (mut node, mut end) = (openings.pair(one, other).node(), first + 2);
            while end < start {
                node = trie.step_or_dead(node, text[end]);
                end += 1;
            }
            let is_byte = start - first == 1;
            let number = if is_byte { openings.single(one) } else { node.number() };
            if number == 0 {
                return false;
            }
            note(edges, first, start, number);
            if is_byte && end <= text.len() {
                note(edges, first, end, node.number());
            }
            while let Some(next) = text.get(end).and_then(|&byte| trie.step(node, byte)) {
                node = next;
                end += 1;
                note(edges, first, end, node.number());
            }
            for within in first + 1..start {
                edges.start_row(within);
            }
        }
        true
    }

    /// The trie, and its nodes after two bytes.
    #[inline(always)]
    pub(crate) fn walked(&self) -> (TrieView<'_>, &RootTransitions) {
        let trie = self.trie.view();
        (trie, self.root_transitions.get(|| RootTransitions::build(trie)))
    }

    /// The score of an edge with this id.
    #[inline]
    pub fn edge_score(&self, id: u32, vocab: &Vocab) -> f64 {
        if !self.doubles.is_empty() {
            return score_of(&self.doubles, id);
        }
        let score = f64::from(score_of(&self.scores, id));
        if score.is_finite() {
            score
        } else {
            vocab.score(id)
        }
    }

    /// For each prefix length of `text` the number of ids of that prefix; 0 inside characters.
    pub fn prefix_counts(&self, text: &[u8], fallback: &Fallback, buffers: &mut Buffers) -> Vec<u32> {
        let Buffers { cells, found, .. } = buffers;
        found.clear();
        self.viterbi(text, 0.0, cells, found);
        let mut counts = vec![0; text.len() + 1];
        for (end, cell) in cells.iter().enumerate().skip(1).filter(|(_, cell)| cell.start != UNSET) {
            let start = us(cell.start);
            let after_unknown = cells[start].start != UNSET && cells[start].id == self.unk_id;
            let added = match (cell.id == self.unk_id, fallback.has_bytes()) {
                (true, true) => u32_of(fallback.width(&text[start..end])),
                (true, false) => u32::from(!after_unknown),
                (false, _) => 1,
            };
            counts[end] = counts[start] + added;
        }
        counts
    }

    fn viterbi_inner<A: Adding>(
        &self,
        text: &[u8],
        cell: f64,
        cells: &mut Vec<Cell>,
        ids: &mut Vec<(u32, u32)>,
    ) -> f64 {
        cells.clear();
        resize_paced(cells, text.len() + 1, EMPTY);
        cells[0].score = cell;
        let trie = self.trie.view();
        let scores = A::scores(self);
        let mut frontier = 0;
        let (mut start, mut pace) = (0, Pace::new());
        while start < text.len() {
            pace.reach(start);
            let mut here = cells[start].score;
            if A::REBASES && f32_of(here.abs()) > REBASE {
                rebase(cells, start, frontier, f32_of(here));
                here = 0.0;
            }
            let length = if self.has_byte_pieces { 1 } else { character_length(text[start]).min(text.len() - start) };
            let mut covered = false;
            trie.each_prefix(&text[start..], |size, id| {
                frontier = frontier.max(start + size);
                covered |= size == length;
                A::relax(&mut cells[start + size], here, score_of(scores, id), start, id);
            });
            if !covered {
                frontier = frontier.max(start + length);
                A::relax_unknown(&mut cells[start + length], here, self, start);
            }
            start += length;
        }
        backtrack(cells, text.len(), ids);
        cells[text.len()].score
    }
}

fn rebase(cells: &mut [Cell], start: usize, frontier: usize, offset: f32) {
    for (index, cell) in cells.iter_mut().enumerate().take(frontier + 1).skip(start) {
        if index == start || cell.start != UNSET {
            cell.score = f64::from(f32_of(cell.score) - offset);
        }
    }
    cells[start].score = 0.0;
}

fn backtrack(cells: &[Cell], size: usize, ids: &mut Vec<(u32, u32)>) {
    let before = ids.len();
    let (mut end, mut pace) = (size, Pace::new());
    while end > 0 {
        pace.reach(size - end);
        let cell = cells[end];
        ids.push((cell.id, u32_of(end)));
        end = us(cell.start).min(end - 1);
    }
    ids[before..].reverse();
}

/// The score of an id; 0 for one out of range, from a damaged file.
#[inline(always)]
pub(crate) fn score_of<T: Copy + Default>(scores: &[T], id: u32) -> T {
    scores.get(us(id)).copied().unwrap_or_default()
}
