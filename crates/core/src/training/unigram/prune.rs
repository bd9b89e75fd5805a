//! Pruning: the loss in likelihood if each piece were replaced by the best path of the others.

use crate::training::team::{added, Team};
use crate::training::unigram::edges::Edges;
use crate::training::unigram::model::{Model, NONE};
use crate::training::Progress;
use crate::util::{f64_count, f64_of, u32_of, us, Result};

/// Number of pieces per task.
const TASK: usize = 1 << 12;

/// The best path of a part of the text.
#[derive(Default)]
struct Path {
    best: Vec<f64>,
    /// Back-pointers: for each position the start and the piece of the best edge.
    from: Vec<(u32, u32)>,
}

impl Path {
    /// Finds the best path from a position over `length` characters, of ties the first; without the piece `but`.
    /// Returns its score.
    fn find(&mut self, model: &Model, edges: &Edges, start: usize, length: usize, but: u32) -> f64 {
        self.best.clear();
        self.best.resize(length + 1, f64::NEG_INFINITY);
        self.best[0] = 0.0;
        self.from.clear();
        self.from.resize(length + 1, (0, 0));
        for (from, &longest) in edges.longest(start, length).iter().enumerate() {
            let so_far = self.best[from];
            for (piece, node) in model.beginning(longest) {
                let to = from + usize::from(node.length);
                let score = so_far + node.weight;
                if to <= length && piece != but && score > self.best[to] {
                    self.best[to] = score;
                    self.from[to] = (u32_of(from), piece);
                }
            }
        }
        self.best[length]
    }

    /// The pieces of the path, from the last to the first.
    fn pieces(&self) -> impl Iterator<Item = usize> + '_ {
        let mut at = self.from.len() - 1;
        std::iter::from_fn(move || {
            let (from, piece) = *self.from.get(at)?;
            (at > 0).then(|| {
                at = us(from);
                us(piece)
            })
        })
    }
}

/// Keeps the `keep` pieces with the greatest loss.
pub fn prune(model: &mut Model, edges: &Edges, keep: usize, now: Progress, team: &mut Team<'_>) -> Result<()> {
    model.weigh(|score| score);
    let counts = used(model, edges, now, team)?;
    let losses = Losses { model, edges, counts: &counts, sum: counts.iter().map(|&count| f64_count(count)).sum() };
    let tasks = model.len().div_ceil(TASK);
    let state = || (Path::default(), Vec::new());
    let parts = team.run(now, tasks, state, |(path, rows): &mut (Path, Vec<(f64, u32)>), task| {
        let pieces = task * TASK..model.len().min((task + 1) * TASK);
        rows.extend(pieces.filter_map(|piece| losses.of(path, piece).map(|loss| (loss, u32_of(piece)))));
    })?;
    let mut rows: Vec<(f64, u32)> = parts.into_iter().flat_map(|part| part.1).collect();
    rows.sort_unstable_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
    let mut kept = vec![false; model.len()];
    for (place, (loss, piece)) in rows.into_iter().enumerate() {
        kept[us(piece)] = place < keep || loss == f64::INFINITY;
    }
    for (piece, kept) in kept.into_iter().enumerate() {
        if !kept {
            model.remove(piece);
        }
    }
    Ok(())
}

/// The number of occurrences of each piece in the best paths of the text.
fn used(model: &Model, edges: &Edges, now: Progress, team: &mut Team<'_>) -> Result<Vec<u64>> {
    let state = || (Path::default(), vec![0u64; model.len()]);
    let parts = team.run(now, edges.tasks(), state, |(path, counts), task| {
        for span in edges.task(task) {
            path.find(model, edges, us(span.start), us(span.end - span.start), NONE);
            for piece in path.pieces() {
                counts[piece] = counts[piece].saturating_add(span.count);
            }
        }
    })?;
    Ok(added(parts.into_iter().map(|part| part.1)))
}

struct Losses<'l> {
    model: &'l Model,
    edges: &'l Edges,
    counts: &'l [u64],
    /// The sum of all counts.
    sum: f64,
}

impl Losses<'_> {
    /// The loss in log-probability of the text without a piece: none for one that is not worth keeping, infinite for
    /// one that nothing can replace.
    fn of(&self, path: &mut Path, piece: usize) -> Option<f64> {
        let count = self.counts[piece];
        if !self.model.present[piece] || count == 0 {
            return None;
        }
        let length = usize::from(self.model.nodes[piece].length);
        if length == 1 {
            return Some(f64::INFINITY);
        }
        let start = us(self.model.places[piece]);
        let others = path.find(self.model, self.edges, start, length, u32_of(piece));
        if others > self.model.scores[piece] {
            return None;
        }
        let count = f64_count(count);
        let number = f64_of(path.pieces().count());
        let log_sum = libm::log(self.sum + count * (number - 1.0));
        // Each of the others would gain the count of the piece. One that is unknown so far counts as new.
        let other = |other: usize| {
            let before = if self.model.present[other] { f64_count(self.counts[other]) } else { 0.0 };
            libm::log(before + count) - log_sum
        };
        let instead: f64 = path.pieces().map(other).sum();
        Some(count * (libm::log(count) - libm::log(self.sum) - instead))
    }
}
