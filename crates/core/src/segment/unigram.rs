//! Unigram: the path of highest total score, by the reference's rule and in its arithmetic.
//!
//! [`Unigram::viterbi`] is the plain path: it starts from the reference's own cell and adds, compares and rounds as it does,
//! rebasing included. [`Unigram::solve`] works without knowing the cell: it finds the best path of a unit and tells whether
//! rounding at any possible cell could make another path win (`docs/algorithms/unigram.md`).

use crate::cast::{f32_count, f32_of, u32_of, us};
use crate::error::Result;
use crate::index::column::Column;
use crate::index::trie::{Trie, TrieView};
use crate::segment::cuts::character_length;
use crate::segment::fallback::Fallback;
use crate::segment::{Buffers, Forms};
use crate::spec::{Arithmetic, Spec, UserDefinedScore};
use crate::vocab::Kind;

/// What an unknown character costs more than the worst piece.
const UNKNOWN_PENALTY: f32 = 10.0;
/// Beyond this the reference subtracts the running score.
const REBASE: f32 = 100_000.0;
/// Cells up to this size have a rounding step of at most [`Unigram::step`].
const CELL_LIMIT: f32 = 131_072.0;
/// Longest unit in bytes that [`Unigram::solve`] takes.
pub const MAX_SOLVED: usize = 64;

/// The stage.
pub struct Unigram {
    trie: Trie,
    /// By id: what an edge adds, as the arithmetic of the reference has it.
    scores: Column<f64>,
    /// By id: what an emitted token added; byte pieces count once per character.
    emitted: Column<f64>,
    /// By id: the edge's score raised by half a rounding step, for `solve`.
    raised: Column<f32>,
    unknown: f32,
    unk_id: u32,
    arithmetic: Arithmetic,
    /// Largest absolute score of an edge.
    largest: f32,
}

/// One position of the dynamic program.
#[derive(Clone, Copy)]
pub struct Cell {
    score: f32,
    /// Where the last edge starts; `UNSET` if no edge ends here.
    start: u32,
    id: u32,
}

const UNSET: u32 = u32::MAX;
const EMPTY: Cell = Cell { score: 0.0, start: UNSET, id: 0 };

/// One position of `solve`: the best and the second best way there.
#[derive(Clone, Copy)]
pub struct Pair {
    best: f32,
    second: f32,
    start: u8,
    id: u32,
}

const NO_PAIR: Pair = Pair { best: f32::NEG_INFINITY, second: f32::NEG_INFINITY, start: 0, id: 0 };

/// Scores a file must not exceed for units to be settled without their cell.
const LARGEST_SETTLED: f32 = 400.0;

impl Unigram {
    /// Compiles the stage from a validated Spec.
    pub fn build(spec: &Spec, forms: &Forms, fallback: &Fallback) -> Result<Self> {
        let vocab = &spec.vocab;
        let (mut worst, mut best) = (f32::MAX, f32::MIN_POSITIVE);
        for id in vocab.ids_of(Kind::Normal) {
            worst = worst.min(vocab.scores[us(id)]);
            best = best.max(vocab.scores[us(id)]);
        }
        let unknown = worst - UNKNOWN_PENALTY;
        let mut scores = vec![0.0; vocab.len()];
        let mut emitted = vec![0.0; vocab.len()];
        let mut largest = unknown.abs();
        for id in 0..u32_of(vocab.len()) {
            let kind = vocab.kind(id);
            if !matches!(kind, Kind::Normal | Kind::UserDefined) {
                continue;
            }
            let score = match (kind, spec.config.user_defined_score) {
                (Kind::UserDefined, UserDefinedScore::LengthBonus) => {
                    f64::from(f32_of(0.1 * f64::from(u32_of(vocab.piece(id).len()) - 1)))
                }
                (Kind::UserDefined, UserDefinedScore::NearBest) => {
                    f64::from(f32_count(vocab.piece(id).len()) * best) - 0.1
                }
                _ => f64::from(vocab.scores[us(id)]),
            };
            scores[us(id)] = score;
            emitted[us(id)] = score;
            largest = largest.max(f32_of(score.abs()));
        }
        emitted[us(spec.unk_id())] = f64::from(unknown);
        for (byte, &id) in (0u8..=255).zip(fallback.bytes()) {
            let opens_character = byte & 0xC0 != 0x80;
            emitted[us(id)] = if opens_character { f64::from(unknown) } else { 0.0 };
        }
        let mut stage = Self {
            trie: forms.trie(|id| vocab.kind(id) != Kind::Unused)?,
            scores: scores.into(),
            emitted: emitted.into(),
            raised: Column::default(),
            unknown,
            unk_id: spec.unk_id(),
            arithmetic: spec.config.arithmetic,
            largest,
        };
        stage.raised = stage.raised_scores().into();
        Ok(stage)
    }

    /// Puts a stored stage together; `scores` and `emitted` have one value for each piece.
    #[must_use]
    pub fn from_parts(trie: Trie, scores: Column<f64>, emitted: Column<f64>, unknown: f32, spec: &Spec) -> Self {
        let largest = scores.iter().fold(unknown.abs(), |most, score| most.max(f32_of(score.abs())));
        let (unk_id, arithmetic) = (spec.unk_id(), spec.config.arithmetic);
        let mut stage = Self { trie, scores, emitted, raised: Column::default(), unknown, unk_id, arithmetic, largest };
        stage.raised = stage.raised_scores().into();
        stage
    }

    /// Trie, edge scores, emitted scores and the score of an unknown character, for storing.
    #[must_use]
    pub const fn parts(&self) -> (&Trie, &Column<f64>, &Column<f64>, f32) {
        (&self.trie, &self.scores, &self.emitted, self.unknown)
    }

    /// The trie of all pieces that can be matched.
    #[must_use]
    pub const fn trie(&self) -> &Trie {
        &self.trie
    }

    /// The largest rounding error of one addition, twice, at any cell up to [`CELL_LIMIT`].
    const fn step(&self) -> f32 {
        match self.arithmetic {
            Arithmetic::F32Rebased => 1.0 / 128.0,
            // The comparison with a rounded cell can be off by a further half step on each side.
            Arithmetic::F64Compared => 1.0 / 64.0,
        }
    }

    fn raised_scores(&self) -> Vec<f32> {
        let half = self.step() / 2.0;
        self.scores.iter().map(|&score| f32_of(score) + half).collect()
    }

    /// Whether units can be settled without their cell at all.
    #[must_use]
    pub fn settles(&self) -> bool {
        self.largest <= LARGEST_SETTLED
    }

    /// How far a cell can move within so many bytes.
    #[inline]
    #[must_use]
    pub fn reach(&self, bytes: usize) -> f32 {
        f32_count(bytes) * self.largest
    }

    /// Whether settled answers hold for units that stay within `reach` of a cell of this size.
    #[inline]
    #[must_use]
    pub fn holds(&self, cell: f32, reach: f32) -> bool {
        let limit = match self.arithmetic {
            Arithmetic::F32Rebased => REBASE,
            Arithmetic::F64Compared => CELL_LIMIT,
        };
        cell.abs() + reach < limit
    }

    /// The cell after emitting `ids`, if no rebasing happens on the way.
    #[must_use]
    pub fn add(&self, cell: f32, ids: &[u32]) -> f32 {
        let emitted: &[f64] = &self.emitted;
        let score = |id: &u32| emitted.get(us(*id)).copied().unwrap_or(0.0);
        match self.arithmetic {
            Arithmetic::F32Rebased => ids.iter().fold(cell, |cell, id| cell + f32_of(score(id))),
            Arithmetic::F64Compared => ids.iter().fold(cell, |cell, id| f32_of(f64::from(cell) + score(id))),
        }
    }

    /// As [`Unigram::add`], with the largest size that the cell had on the way.
    #[must_use]
    pub fn add_tracked(&self, cell: f32, ids: &[u32]) -> (f32, f32) {
        let mut farthest = cell.abs();
        let after = ids.iter().fold(cell, |cell, id| {
            let next = self.add(cell, std::slice::from_ref(id));
            farthest = farthest.max(next.abs());
            next
        });
        (after, farthest)
    }

    /// The plain path over `text` from a cell: pushes the ids of the edges, returns the cell at the end.
    pub fn viterbi(&self, text: &[u8], cell: f32, cells: &mut Vec<Cell>, ids: &mut Vec<(u32, u32)>) -> f32 {
        match self.arithmetic {
            Arithmetic::F32Rebased => self.viterbi_inner::<F32Rebased>(text, cell, cells, ids),
            Arithmetic::F64Compared => self.viterbi_inner::<F64Compared>(text, cell, cells, ids),
        }
    }

    /// For each length of a prefix of `text` the number of ids it has by itself; 0 inside characters.
    #[must_use]
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
        cell: f32,
        cells: &mut Vec<Cell>,
        ids: &mut Vec<(u32, u32)>,
    ) -> f32 {
        cells.clear();
        cells.resize(text.len() + 1, EMPTY);
        cells[0].score = cell;
        let trie = self.trie.view();
        let scores: &[f64] = &self.scores;
        let mut frontier = 0;
        let mut start = 0;
        while start < text.len() {
            let mut here = cells[start].score;
            if A::REBASES && here.abs() > REBASE {
                rebase(cells, start, frontier, here);
                here = 0.0;
            }
            let length = character_length(text[start]).min(text.len() - start);
            let mut covered = false;
            let mut node = trie.root();
            let mut end = start;
            while let Some(next) = text.get(end).and_then(|&byte| trie.step(node, byte)) {
                node = next;
                end += 1;
                let Some(id) = node.value() else { continue };
                frontier = frontier.max(end);
                covered |= end - start == length;
                A::relax(&mut cells[end], here, scores.get(us(id)).copied().unwrap_or(0.0), start, id);
            }
            if !covered {
                frontier = frontier.max(start + length);
                A::relax_unknown(&mut cells[start + length], here, self.unknown, start, self.unk_id);
            }
            start += length;
        }
        backtrack(cells, text.len(), ids);
        cells[text.len()].score
    }

    /// The best path of a unit of at most [`MAX_SOLVED`] bytes, whatever the cell before it: pushes (id, end) of its edges
    /// and tells whether the answer is settled. If it is not, run [`Unigram::viterbi`] from the cell.
    pub fn solve(&self, text: &[u8], pairs: &mut Vec<Pair>, ids: &mut Vec<(u32, u32)>) -> bool {
        let count = text.len();
        if count > MAX_SOLVED {
            return false;
        }
        pairs.clear();
        pairs.resize(count + 1, NO_PAIR);
        let cells = pairs.as_mut_slice();
        cells[0].best = 0.0;
        self.fill(text, cells);
        let before = ids.len();
        let mut end = count;
        while end > 0 {
            ids.push((cells[end].id, u32_of(end)));
            end = usize::from(cells[end].start);
        }
        ids[before..].reverse();
        let edges = f32_count(ids.len() - before);
        // Rounding of the relative scores here is far below a step; the slack covers it for the longest unit.
        let slack = f32_count(4 * MAX_SOLVED) * f32::EPSILON * self.reach(MAX_SOLVED);
        self.settles() && cells[count].best - edges * self.step() - cells[count].second > slack
    }

    #[inline]
    fn fill(&self, text: &[u8], cells: &mut [Pair]) {
        let trie: TrieView<'_> = self.trie.view();
        let raised: &[f32] = &self.raised;
        let unknown = self.unknown + self.step() / 2.0;
        let mut start = 0;
        while start < text.len() {
            let here = cells[start];
            let length = character_length(text[start]).min(text.len() - start);
            let mut covered = false;
            let mut node = trie.root();
            let mut end = start;
            while let Some(next) = text.get(end).and_then(|&byte| trie.step(node, byte)) {
                node = next;
                end += 1;
                let Some(id) = node.value() else { continue };
                covered |= end - start == length;
                relax_pair(&mut cells[end], here, raised.get(us(id)).copied().unwrap_or(0.0), start, id);
            }
            if !covered {
                relax_pair(&mut cells[start + length], here, unknown, start, self.unk_id);
            }
            start += length;
        }
    }
}

#[inline(always)]
fn relax_pair(cell: &mut Pair, from: Pair, score: f32, start: usize, id: u32) {
    let best = from.best + score;
    let second = from.second + score;
    if best > cell.best {
        cell.second = second.max(cell.best);
        cell.best = best;
        cell.start = crate::cast::low8(u32_of(start));
        cell.id = id;
    } else {
        cell.second = cell.second.max(best);
    }
}

fn rebase(cells: &mut [Cell], start: usize, frontier: usize, offset: f32) {
    for (index, cell) in cells.iter_mut().enumerate().take(frontier + 1).skip(start) {
        if index == start || cell.start != UNSET {
            cell.score -= offset;
        }
    }
    cells[start].score = 0.0;
}

fn backtrack(cells: &[Cell], size: usize, ids: &mut Vec<(u32, u32)>) {
    let before = ids.len();
    let mut end = size;
    while end > 0 {
        let cell = cells[end];
        ids.push((cell.id, u32_of(end)));
        end = us(cell.start).min(end - 1);
    }
    ids[before..].reverse();
}

/// How candidates are made, compared and stored.
trait Adding {
    const REBASES: bool;
    fn relax(cell: &mut Cell, here: f32, score: f64, start: usize, id: u32);
    fn relax_unknown(cell: &mut Cell, here: f32, score: f32, start: usize, id: u32);
}

struct F32Rebased;
struct F64Compared;

impl Adding for F32Rebased {
    const REBASES: bool = true;

    #[inline(always)]
    fn relax(cell: &mut Cell, here: f32, score: f64, start: usize, id: u32) {
        Self::relax_unknown(cell, here, f32_of(score), start, id);
    }

    #[inline(always)]
    fn relax_unknown(cell: &mut Cell, here: f32, score: f32, start: usize, id: u32) {
        let candidate = score + here;
        if cell.start == UNSET || candidate > cell.score {
            *cell = Cell { score: candidate, start: u32_of(start), id };
        }
    }
}

impl Adding for F64Compared {
    const REBASES: bool = false;

    #[inline(always)]
    fn relax(cell: &mut Cell, here: f32, score: f64, start: usize, id: u32) {
        let candidate = score + f64::from(here);
        if cell.start == UNSET || candidate > f64::from(cell.score) {
            *cell = Cell { score: f32_of(candidate), start: u32_of(start), id };
        }
    }

    #[inline(always)]
    fn relax_unknown(cell: &mut Cell, here: f32, score: f32, start: usize, id: u32) {
        F32Rebased::relax_unknown(cell, here, score, start, id);
    }
}
