//! Unigram where every byte is a piece, in double precision: the best path, and draws from all paths, of texts of any length.
//!
//! Pieces of bytes leave few cuts, so that units are long and none comes twice: they are walked through every time. Nothing in a
//! walk depends on what is found but where it ends, since a string that is no piece is one that weighs nothing.

use crate::cast::{f64_of, low32, u32_of, us};
use crate::index::trie::{Trie, TrieView};
use crate::random::Numbers;

/// What is known of such a vocabulary.
pub struct ByteUnigram {
    /// By id, one higher, what an edge adds; infinitely little for 0, which is no piece.
    scores: Vec<f64>,
    longest: usize,
}

/// One position: the best score up to there, and the last edge of that path: where it begins, `<< 32`, and its id, one higher.
#[derive(Clone, Copy)]
pub struct Step {
    score: f64,
    edge: u64,
}

/// Buffers of draws: what all ways from each place on weigh, as a number and a power of two.
#[derive(Default)]
pub struct Behind {
    weights: Vec<f64>,
    shifts: Vec<i32>,
    sums: Vec<f64>,
    ends: Vec<(u32, u32)>,
}

/// The weight of all ways on from a place is kept between this and one over it, and so is that of places that an edge leads to
/// times this or over it.
const LARGE: f64 = 1e150;
const SHIFT: i32 = 498;
/// By how much the logarithms of the weights of such places may differ: that of `LARGE`, and a little less.
const MOST: f64 = 340.0;

impl ByteUnigram {
    /// If each byte is a piece, and every score a number. No piece has more than `longest` bytes.
    #[must_use]
    pub fn build(trie: &Trie, scores: &[f64], longest: usize) -> Option<Self> {
        let view = trie.view();
        let covers = (0..=255u8).all(|byte| view.find(&[byte]).is_some());
        if !covers || !scores.iter().all(|score| score.is_finite()) {
            return None;
        }
        let scores = [f64::NEG_INFINITY].into_iter().chain(scores.iter().copied()).collect();
        Some(Self { scores, longest })
    }

    /// Pushes (id, end) of the edges of the best path over `text`, added up from `cell` on; returns the score at its end. Of equals
    /// the edge that begins first is kept.
    pub fn viterbi(
        &self,
        trie: TrieView<'_>,
        text: &[u8],
        cell: f64,
        steps: &mut Vec<Step>,
        ids: &mut Vec<(u32, u32)>,
    ) -> f64 {
        steps.clear();
        steps.resize(text.len() + 1, Step { score: f64::NEG_INFINITY, edge: 0 });
        steps[0].score = cell;
        for start in 0..text.len() {
            let (here, from) = (steps[start].score, u64::from(u32_of(start)) << 32);
            let (ends, mut node) = (&mut steps[start + 1..], trie.root());
            for (&byte, step) in text[start..].iter().zip(ends) {
                let Some(next) = trie.step(node, byte) else { break };
                node = next;
                let number = node.number();
                let score = here + self.scores.get(us(number)).copied().unwrap_or(f64::NEG_INFINITY);
                let better = score > step.score;
                step.score = if better { score } else { step.score };
                step.edge = if better { from | u64::from(number) } else { step.edge };
            }
        }
        let (before, mut end) = (ids.len(), text.len());
        while end > 0 {
            let edge = steps[end].edge;
            ids.push((low32(edge).saturating_sub(1), u32_of(end)));
            end = us(low32(edge >> 32)).min(end - 1);
        }
        ids[before..].reverse();
        steps[text.len()].score
    }

    /// By id, one higher, what an edge weighs at an inverse temperature, if that is moderate: places that an edge leads from and to
    /// may not differ by more than numbers have room for, at most two ways for each byte.
    #[must_use]
    pub fn weights(&self, alpha: f64) -> Option<Vec<f64>> {
        let largest = self.scores[1..].iter().fold(0.0, |most: f64, score| most.max(score.abs()));
        let weigh = |&score: &f64| if score == f64::NEG_INFINITY { 0.0 } else { libm::exp(alpha * score) };
        let apart = (alpha * largest + std::f64::consts::LN_2) * f64_of(self.longest);
        (apart <= MOST).then(|| self.scores.iter().map(weigh).collect())
    }

    /// Draws a path from all of `text`, an edge after the other by its share of what all ways on weigh; pushes ids.
    pub fn draw(
        &self,
        trie: TrieView<'_>,
        weights: &[f64],
        text: &[u8],
        numbers: &mut Numbers,
        behind: &mut Behind,
        ids: &mut Vec<u32>,
    ) {
        let Behind { weights: ways, shifts, sums, ends } = behind;
        let weight = |number: u32| weights.get(us(number)).copied().unwrap_or(0.0);
        ways.clear();
        ways.resize(text.len() + 1, 1.0);
        shifts.clear();
        shifts.resize(text.len() + 1, 0);
        let mut shift = 0;
        for start in (0..text.len()).rev() {
            let (mut sum, mut node) = (0.0, trie.root());
            for (&byte, &way) in text[start..].iter().zip(&ways[start + 1..]) {
                let Some(next) = trie.step(node, byte) else { break };
                node = next;
                sum += weight(node.number()) * way;
            }
            (ways[start], shifts[start]) = (sum, shift);
            if !(1.0 / LARGE..LARGE).contains(&sum) {
                // All that edges from before this place lead to.
                let last = (start + self.longest).min(text.len());
                let by = if sum < 1.0 { -SHIFT } else { SHIFT };
                let factor = libm::exp2(f64::from(-by));
                ways[start..=last].iter_mut().for_each(|way| *way *= factor);
                shifts[start..=last].iter_mut().for_each(|shift| *shift += by);
                shift += by;
            }
        }
        let mut place = 0;
        while place < text.len() {
            ends.clear();
            sums.clear();
            let (mut node, mut largest) = (trie.root(), i32::MIN);
            for (&byte, end) in text[place..].iter().zip(place + 1..) {
                let Some(next) = trie.step(node, byte) else { break };
                node = next;
                if let Some(id) = node.value() {
                    largest = largest.max(shifts[end]);
                    ends.push((id, u32_of(end)));
                }
            }
            let mut sum = 0.0;
            for &(id, end) in &*ends {
                let (way, apart) = (ways[us(end)], shifts[us(end)] - largest);
                let scaled = if apart == 0 { way } else { way * libm::exp2(f64::from(apart)) };
                sum += weight(id + 1) * scaled;
                sums.push(sum);
            }
            let index = if ends.len() > 1 { crate::lattice::draws::taken(sums, numbers) } else { 0 };
            let Some(&(id, end)) = ends.get(index) else { break };
            ids.push(id);
            place = us(end);
        }
    }
}
