//! The best path of a unit for any score of the reference before it, and the scores for which that result is valid.
//!
//! Rounding can make another path win, and the more so the larger the running score is. `docs/algorithms/unigram.md`
//! has the proof of the bounds.

use crate::segment::fallback::NO_PIECE;
use crate::segment::unigram::{score_of, Unigram, REBASE};
use crate::spec::Arithmetic;
use crate::util::utf8::character_length;
use crate::util::{f32_count, f32_of, u32_of, us};

/// Running scores up to this magnitude have a rounding step of at most [`Unigram::step`].
const CELL_LIMIT: f32 = 131_072.0;
/// Factor by which small running scores, and their rounding steps, are smaller: a power of two.
const NEAR: f32 = 8.0;
/// Largest absolute piece score for which results can be valid independent of rounding.
pub(crate) const MAX_SETTLED: f32 = 400.0;
/// Longest unit in bytes that [`Unigram::solve`] takes.
pub const MAX_SOLVED: usize = 64;
/// Cells of `solve`: a power of two above [`MAX_SOLVED`], so that no index needs a bounds check.
pub(crate) const ROOM: usize = 128;

/// An edge packs its start above its id of `ID_BITS` bits; all ones stand for [`NO_PIECE`].
pub(crate) const ID_BITS: u32 = u32::BITS - ROOM.trailing_zeros();
const NO_ID: u32 = (1 << ID_BITS) - 1;

/// For which running scores a cached result is valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Validity {
    /// For none with certainty: run [`Unigram::viterbi`] from the running score.
    Never,
    /// For small running scores.
    SmallScores,
    /// For all up to the limit: valid independent of rounding.
    Always,
}

/// One position of `solve`: the scores of the best and the second best path to it.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
pub(crate) struct Pair {
    pub(crate) best: f32,
    /// A scratch slot for the losing edge, and the last edge of the best path.
    edges: [u32; 2],
    second: f32,
}

impl Pair {
    /// Start and id of the last edge of the best path.
    #[inline(always)]
    pub(crate) const fn edge(self) -> (usize, u32) {
        let [_, edge] = self.edges;
        let id = edge & NO_ID;
        (us(edge >> ID_BITS), if id == NO_ID { NO_PIECE } else { id })
    }
}

pub(crate) const NO_PAIR: Pair = Pair { best: f32::NEG_INFINITY, edges: [0; 2], second: f32::NEG_INFINITY };

/// The reusable cells of `solve`.
pub struct Pairs(pub(crate) [Pair; ROOM]);

impl Default for Pairs {
    fn default() -> Self {
        Self([NO_PAIR; ROOM])
    }
}

impl Unigram {
    /// Twice the largest rounding error of one addition, over all running scores for which results must be valid.
    pub(crate) const fn step(&self, holds: Validity) -> f32 {
        let step = match self.arithmetic {
            Arithmetic::F32Rebased => 1.0 / 128.0,
            // The comparison with a rounded score can be off by a further half step on each side.
            Arithmetic::F64Compared => 1.0 / 64.0,
            Arithmetic::F64 => 1.0 / 17_179_869_184.0,
        };
        match holds {
            Validity::SmallScores => step / NEAR,
            _ => step,
        }
    }

    /// Upper bound of the change of the running score over `bytes` bytes.
    pub fn reach(&self, bytes: usize) -> f32 {
        f32_count(bytes) * self.competitive
    }

    /// Whether results valid independent of rounding apply to units within `reach` of this running score.
    #[inline]
    pub fn holds(&self, cell: f64, reach: f32) -> bool {
        f32_of(cell).abs() + reach < self.limit()
    }

    /// Whether results valid for small running scores apply at this one.
    pub fn holds_near(&self, cell: f64, reach: f32) -> bool {
        f32_of(cell).abs() + reach < self.limit() / NEAR
    }

    const fn limit(&self) -> f32 {
        match self.arithmetic {
            Arithmetic::F32Rebased => REBASE,
            Arithmetic::F64Compared | Arithmetic::F64 => CELL_LIMIT,
        }
    }

    /// The best path of a unit of at most [`MAX_SOLVED`] bytes: appends (id, end) of its edges to the empty `ids`, and
    /// returns for which running scores it is valid.
    pub fn solve(&self, text: &[u8], pairs: &mut Pairs, ids: &mut Vec<(u32, u32)>) -> Validity {
        if text.len() > MAX_SOLVED {
            return Validity::Never;
        }
        if self.solve_at(Validity::Always, text, pairs, ids) {
            return Validity::Always;
        }
        self.solve_near(text, pairs, ids)
    }

    #[cold]
    fn solve_near(&self, text: &[u8], pairs: &mut Pairs, ids: &mut Vec<(u32, u32)>) -> Validity {
        ids.clear();
        if self.arithmetic != Arithmetic::F64 && self.solve_at(Validity::SmallScores, text, pairs, ids) {
            return Validity::SmallScores;
        }
        Validity::Never
    }

    /// The best path, and whether it wins for all running scores of `holds`.
    #[inline(always)]
    fn solve_at(&self, holds: Validity, text: &[u8], pairs: &mut Pairs, ids: &mut Vec<(u32, u32)>) -> bool {
        let count = text.len();
        let mut padded = [0; ROOM];
        padded[..count].copy_from_slice(text);
        let Pairs(cells) = pairs;
        cells[..=count].fill(NO_PAIR);
        cells[0].best = 0.0;
        if self.has_byte_pieces || text.is_ascii() {
            self.fill::<true>(&padded, count, holds, cells);
        } else {
            self.fill::<false>(&padded, count, holds, cells);
        }
        let mut end = count;
        while end > 0 {
            let (start, id) = cells[end % ROOM].edge();
            ids.push((id, u32_of(end)));
            end = start.min(end - 1);
        }
        ids.reverse();
        self.wins(holds, cells[count], count, ids.len())
    }

    /// Whether the best path to the end of a unit wins for all running scores of `holds`; it has `edges` edges, of at
    /// most `most`.
    #[inline(always)]
    pub(crate) fn wins(&self, holds: Validity, end: Pair, most: usize, edges: usize) -> bool {
        // Sums of that many scores were rounded on the way here.
        let slack = f32_count(2 * (most + 1) * (most + 1)) * f32::EPSILON * (self.competitive + 1.0);
        let margin = end.best - f32_count(edges) * self.step(holds) - end.second;
        let has_bound = self.competitive <= MAX_SETTLED && self.scores.len() <= us(NO_ID);
        has_bound && margin > slack && end.best < f32::INFINITY
    }

    /// Relaxes every edge, each raised by half a rounding step. `ASCII`: pieces may begin at every byte.
    #[inline(always)]
    fn fill<const ASCII: bool>(&self, text: &[u8; ROOM], count: usize, holds: Validity, cells: &mut [Pair; ROOM]) {
        let (trie, openings) = self.walked();
        let scores: &[f32] = &self.scores;
        let half = self.step(holds) / 2.0;
        let mut start = 0;
        while start < count {
            let (first, here, from) = (start, cells[start % ROOM], u32_of(start) << ID_BITS);
            let [one, other] = [text[first % ROOM], text[(first + 1) % ROOM]];
            start += if ASCII { 1 } else { character_length(one).min(count - start) };
            // First to the end of the character, where an edge must end; then as far as pieces go.
            let (mut node, mut end) = (openings.pair(one, other).node(), first + 2);
            while end < start {
                node = trie.step_or_dead(node, text[end % ROOM]);
                end += 1;
            }
            let is_byte = start - first == 1;
            let number = if is_byte { openings.single(one) } else { node.number() };
            let (score, id) = match number.checked_sub(1) {
                Some(id) => (score_of(scores, id), id),
                None => (self.unknown, self.unk_id & NO_ID),
            };
            relax_pair(&mut cells[start % ROOM], here, score + half, from | id);
            if let Some(id) = node.value().filter(|_| is_byte && end <= count) {
                relax_pair(&mut cells[end % ROOM], here, score_of(scores, id) + half, from | id);
            }
            while end < count {
                let Some(next) = trie.step(node, text[end % ROOM]) else { break };
                node = next;
                end += 1;
                let Some(id) = node.value() else { continue };
                relax_pair(&mut cells[end % ROOM], here, score_of(scores, id) + half, from | id);
            }
        }
    }
}

/// Compares an edge with the best path so far. The branch would be unpredictable, so this is branch-free: maximum and
/// minimum of the scores, and the edge is written to the slot selected by the comparison.
#[inline(always)]
pub(crate) fn relax_pair(cell: &mut Pair, from: Pair, score: f32, edge: u32) {
    let (best, second) = (from.best + score, from.second + score);
    cell.edges[usize::from(best > cell.best)] = edge;
    let worse = if best < cell.best { best } else { cell.best };
    // The runner-up of the worse path is no better than that path, so it cannot change the result.
    let runner_up = if second > cell.second { second } else { cell.second };
    cell.best = if best > cell.best { best } else { cell.best };
    cell.second = if worse > runner_up { worse } else { runner_up };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_has_the_best_edge_and_what_the_second_best_way_costs() {
        let from = Pair { best: -1.0, second: -4.0, ..NO_PAIR };
        // All orders of four scores, of which two are equal: of ties the first wins.
        for order in 0..256u32 {
            let scores = [0, 2, 4, 6].map(|shift| [-3.0f32, -1.5, -0.25, -1.5][us(order >> shift) % 4]);
            let mut cell = NO_PAIR;
            for (id, &score) in (7..).zip(&scores) {
                relax_pair(&mut cell, from, score, 5 << ID_BITS | id);
            }
            let best = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            let first = scores.iter().position(|&score| score == best).unwrap_or(9);
            assert_eq!(cell.edge(), (5, 7 + u32_of(first)));
            let mut ways: Vec<f32> = scores.iter().flat_map(|score| [score - 1.0, score - 4.0]).collect();
            ways.sort_by(|a, b| b.total_cmp(a));
            assert_eq!((cell.best, cell.second), (ways[0], ways[1]));
        }
    }

    #[test]
    fn an_edge_without_a_piece_stays_one() {
        let mut cell = NO_PAIR;
        relax_pair(&mut cell, Pair { best: 0.0, ..NO_PAIR }, -1.0, 3 << ID_BITS | NO_PIECE & NO_ID);
        assert_eq!(cell.edge(), (3, NO_PIECE));
    }
}
