//! Samples one of the k-best paths of a text, by its weight among them.

use libm::exp;

use crate::specials::Permit;
use crate::tokenizer::lattice::TextLattice;
use crate::tokenizer::scratch::Scratch;
use crate::tokenizer::spans::Token;
use crate::tokenizer::Tokenizer;
use crate::util::rng::Seed;
use crate::util::{us, us64, Result};

/// The key of random numbers about a text as a whole, and of the position for k-best draws.
const WHOLE: u64 = u64::MAX;
const PLACE: u64 = 1;

/// The index of the sampled path, given scores in descending order.
fn drawn(scores: &[f64], alpha: f64, seed: Seed) -> usize {
    let best = scores.first().copied().unwrap_or(0.0);
    if alpha.is_infinite() {
        return 0;
    }
    let mut sum = 0.0;
    let mut add = |score: &f64| {
        sum += exp(alpha * (score - best));
        sum
    };
    let sums: Vec<f64> = scores.iter().map(&mut add).collect();
    let number = seed.numbers(WHOLE, PLACE).uniform() * sum;
    sums.iter().filter(|&&sum| sum <= number).count().min(scores.len().saturating_sub(1))
}

impl Tokenizer {
    /// Pushes the ids of one of the best `n` paths.
    pub(crate) fn sample_best(
        &self,
        text: &[u8],
        permit: Permit<'_>,
        (n, alpha): (usize, f64),
        seed: Seed,
        scratch: &mut Scratch,
        ids: &mut Vec<u32>,
    ) -> Result<()> {
        if let Some(best) = self.nbest(text, permit, n, scratch)? {
            let offsets = best.offsets.get(drawn(best.scores, alpha, seed)..).unwrap_or_default();
            if let [start, end, ..] = *offsets {
                ids.extend_from_slice(&best.ids[us64(start.unsigned_abs())..us64(end.unsigned_abs())]);
            }
            return Ok(());
        }
        let (lattice, path) = self.best_drawn(text, permit, (n, alpha), seed, scratch)?;
        ids.extend(self.path_ids(&lattice, &path));
        Ok(())
    }

    /// The tokens of the path that [`Tokenizer::sample_best`] samples, with their spans.
    pub(crate) fn sample_best_spans(
        &self,
        text: &[u8],
        permit: Permit<'_>,
        draw: (usize, f64),
        seed: Seed,
        scratch: &mut Scratch,
    ) -> Result<Vec<(Token, Vec<u8>)>> {
        let (lattice, path) = self.best_drawn(text, permit, draw, seed, scratch)?;
        let (by_chunk, edges) = (self.stages.has_rules(), &lattice.lattice.edges);
        let mut units = lattice.lattice.units().zip(&lattice.lattice.keys).peekable();
        let mut path = path.iter().map(|&edge| edges[us(edge)]).peekable();
        self.spans_by(text, permit, scratch, |fragment, scratch| {
            let tiling = self.tiling(scratch);
            let (mut found, mut tokens) = (Vec::new(), Vec::new());
            while let Some((unit, key)) = units.next_if(|(_, key)| u64::from(key.0) <= fragment) {
                while let Some(edge) = path.next_if(|edge| us(edge.end) <= unit.end) {
                    let moved = |at: u32| us(at) - unit.start + us(key.1);
                    // Added tokens before the fragment are parts of their own.
                    if u64::from(key.0) == fragment {
                        found.push((edge.id, moved(edge.start), moved(edge.end)));
                    }
                }
                if by_chunk {
                    tokens.extend(tiling.tokens_of_edges(found.drain(..)));
                }
            }
            tokens.extend(tiling.tokens_of_edges(found));
            tokens
        })
    }

    /// The lattice of a text, and the edges of the sampled path.
    fn best_drawn(
        &self,
        text: &[u8],
        permit: Permit<'_>,
        (n, alpha): (usize, f64),
        seed: Seed,
        scratch: &mut Scratch,
    ) -> Result<(TextLattice, Vec<u32>)> {
        let lattice = self.lattice(text, permit, scratch)?;
        let best = lattice.nbest(n)?;
        let path = best.paths().nth(drawn(&best.scores, alpha, seed)).unwrap_or_default().to_vec();
        Ok((lattice, path))
    }
}
