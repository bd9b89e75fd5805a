//! Unigram training: many seed strings, EM for scores that maximize the likelihood of the text, and pruning of the
//! least useful pieces down to the wanted size.
//!
//! `seeds` finds the strings, `edges` their occurrences in the text, `estimate` scores them (EM), `prune` removes
//! some. The steps are SentencePiece's; `docs/algorithms/unigram-training.md` explains them and
//! their differences, and `anypiece.reference.unigram_training` is the reference. Results do not depend on the number
//! of threads: what threads add up are integers.

pub(crate) mod edges;
pub(crate) mod estimate;
pub(crate) mod model;
pub(crate) mod prune;
pub(crate) mod seeds;

use serde::Deserialize;

use crate::training::alphabet::Alphabet;
use crate::training::shape::Shape;
use crate::training::team::Team;
use crate::training::text::Text;
use crate::training::words::Words;
use crate::training::{Progress, Watch};
use crate::util::{f64_of, u64_of, u64_of_f64, us, us64, Error, Result};

use crate::training::unigram::edges::Edges;
use crate::training::unigram::model::Model;

/// Training options, under the names of SentencePiece's.
#[derive(Debug, Clone, Deserialize)]
pub struct Options {
    /// The characters that pieces are made of.
    pub alphabet: Alphabet,
    /// Which strings may be pieces; of at most 512 characters.
    pub shape: Shape,
    /// Spellings that no piece has.
    pub reserved: Vec<String>,
    /// The number of pieces at which pruning ends.
    pub desired: usize,
    /// The number of seeds, besides the characters.
    pub seed_sentencepiece_size: usize,
    /// Given seeds with frequencies, instead of those found.
    pub seed_sentencepieces: Option<Vec<(String, u64)>>,
    /// Whether a repeated string that cannot be a piece yields its longest prefix that can.
    pub seed_prefixes: bool,
    /// The fraction of the pieces that a round of pruning keeps, below 1.
    pub shrinking_factor: f64,
    /// Number of EM steps between two rounds of pruning.
    pub num_sub_iterations: usize,
}

/// The result: the pieces left by pruning with their log-probabilities, and statistics.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Trained {
    /// The pieces' spellings.
    pub pieces: Vec<String>,
    /// Their scores.
    pub scores: Vec<f64>,
    /// Sizes and objectives of all rounds, and the like.
    pub facts: serde_json::Value,
}

/// The number of pieces and the objective after one EM step, for the report.
type Step = (usize, f64);

/// Trains a vocabulary. Memory: see `docs/algorithms/unigram-training.md`; at most 17 bytes for each character of the
/// distinct segments (see [`Text`]), 48 for each segment, 80 for each seed and 8 more for each thread.
pub fn train(words: &Words, options: &Options, threads: usize, watch: Watch<'_>) -> Result<Trained> {
    let mut team = Team::new(threads, watch);
    let text = Text::of(words, &options.alphabet, &options.shape, options.seed_prefixes, &mut team)?;
    if text.segments() == 0 {
        let message = "there is nothing to train on: the table has no word with a character in it";
        return Err(Error::new("words-table", message));
    }
    let (mut model, edges) = seeds::found(&text, options, &mut team)?;
    let seeds = model.len();
    let mut steps: Vec<Step> = Vec::new();
    rounds(&text, &mut model, edges, options, &mut steps, &mut team)?;
    let present = (0..model.len()).filter(|&piece| model.present[piece]);
    let spelled = |piece: usize| {
        let place = us(model.places[piece]);
        let symbols = &text.symbols()[place..place + usize::from(model.nodes[piece].length)];
        let spelling = symbols.iter().filter_map(|&symbol| options.alphabet.chars().get(us(symbol).wrapping_sub(1)));
        (spelling.collect(), model.scores[piece])
    };
    let (pieces, scores) = present.map(spelled).unzip();
    let facts = serde_json::json!({
        "segments": text.segments(),
        "segment_characters": text.symbols().len() - text.segments(),
        "seeds": seeds,
        "rounds": steps,
    });
    Ok(Trained { pieces, scores, facts })
}

/// Upper bound of the bytes that [`train`] needs besides the words, found by cutting the words into segments.
pub fn memory(words: &Words, options: &Options, threads: usize, watch: Watch<'_>) -> Result<u64> {
    let mut team = Team::new(1, watch);
    let text = Text::of(words, &options.alphabet, &options.shape, options.seed_prefixes, &mut team)?;
    let characters = text.symbols().len() - text.segments();
    // No more seeds are kept than requested, and at most two are found per suffix.
    let seeds = options.seed_sentencepiece_size.min(2 * characters) + options.alphabet.chars().len();
    let longest = (0..text.segments()).map(|index| text.segment(index).len()).max().unwrap_or(0);
    let alone = longest.saturating_mul(48 * threads);
    Ok(u64_of((characters * 17 + text.segments() * 48 + alone).saturating_add(seeds.saturating_mul(80 + 8 * threads))))
}

fn rounds(
    text: &Text,
    model: &mut Model,
    mut edges: Edges,
    options: &Options,
    steps: &mut Vec<Step>,
    team: &mut Team<'_>,
) -> Result<()> {
    let share = f64_of(options.desired) / f64_of(model.len().max(1));
    let rounds = (libm::log(share.min(1.0)) / libm::log(options.shrinking_factor)).ceil().max(0.0) + 1.0;
    let total = us64(u64_of_f64(rounds)).saturating_mul(options.num_sub_iterations);
    let progress = |stage, steps: &[Step]| Progress { stage, done: u64_of(steps.len()), total: u64_of(total) };
    loop {
        for _ in 0..options.num_sub_iterations {
            let objective = estimate::step(model, &edges, progress("scores", steps), team)?;
            steps.push((model.alive(), objective));
            if model.is_sparse() {
                edges.compact(text, model, progress("pruning", steps), team)?;
            }
        }
        if model.alive() <= options.desired {
            return Ok(());
        }
        let keep = options.desired.max(us64(u64_of_f64(options.shrinking_factor * f64_of(model.alive()))));
        prune::prune(model, &edges, keep, progress("pruning", steps), team)?;
        edges.compact(text, model, progress("pruning", steps), team)?;
    }
}
