//! The seed vocabulary: all characters, and the strings that cover most of the text.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashSet};

use crate::training::alphabet::Alphabet;
use crate::training::suffix::{Node, Suffixes};
use crate::training::team::Team;
use crate::training::text::Text;
use crate::training::unigram::edges::Edges;
use crate::training::unigram::model::Model;
use crate::training::unigram::Options;
use crate::training::Progress;
use crate::util::{f64_count, u16_of, u32_of, u64_of, us, Result};

/// A prefix of suffixes: its frequency times its length, and its range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Seed {
    score: u64,
    left: Reverse<u32>,
    length: Reverse<u16>,
    width: u32,
}

/// The seed pieces, and their ranges in the suffix array.
pub fn found(text: &Text, options: &Options, team: &mut Team<'_>) -> Result<(Model, Edges)> {
    let alphabet = &options.alphabet;
    // One more symbol distinguishes a string that is too long from one of maximum length.
    let depth = options.shape.max_sentencepiece_length + usize::from(!options.seed_prefixes);
    let suffixes = Suffixes::sorted(text, alphabet.chars().len() + 1, depth, team)?;
    let mut seeds = match &options.seed_sentencepieces {
        Some(given) => named(text, options, &suffixes, given),
        None => repeated(text, options, &suffixes, team)?,
    };
    // Meta pieces with characters outside the alphabet cannot occur.
    let reserved: HashSet<Vec<u32>> = options.reserved.iter().filter_map(|piece| symbols(alphabet, piece)).collect();
    seeds.retain(|seed| !reserved.contains(&text.symbols()[range(&suffixes, *seed)]));
    seeds.sort_unstable_by(|one, other| other.cmp(one));
    seeds.truncate(options.seed_sentencepiece_size);
    let now = Progress { stage: "matches", done: 0, total: u64_of(seeds.len()) };
    team.report(now)?;
    let characters = characters(text, alphabet, &suffixes);
    let rows = || characters.iter().chain(&seeds);
    let sum: f64 = rows().map(|seed| f64_count(seed.score)).sum();
    let mut model = Model::new(characters.len());
    for seed in rows() {
        let place = suffixes.order().get(us(seed.left.0)).copied().unwrap_or(0);
        model.push(place, seed.length.0, libm::log(f64_count(seed.score)) - libm::log(sum));
        if seed.width == 0 {
            model.remove(model.len() - 1);
        }
    }
    let ranges: Vec<(u32, u32)> = rows().map(|seed| (seed.left.0, seed.width)).collect();
    drop(seeds);
    let edges = Edges::of(text, &mut model, suffixes.order(), &ranges, now, team)?;
    Ok((model, edges))
}

fn range(suffixes: &Suffixes, seed: Seed) -> std::ops::Range<usize> {
    let place = us(suffixes.order()[us(seed.left.0)]);
    place..place + usize::from(seed.length.0)
}

fn symbols(alphabet: &Alphabet, piece: &str) -> Option<Vec<u32>> {
    piece.chars().map(|character| alphabet.place(character).map(|place| place + 1)).collect()
}

/// The characters of the alphabet, in its order. One that does not occur has no suffixes.
fn characters(text: &Text, alphabet: &Alphabet, suffixes: &Suffixes) -> Vec<Seed> {
    let seed = |symbol: u32| {
        let range = suffixes.beginning_with(text, &[symbol]);
        let (left, width) = (u32_of(range.start), u32_of(range.len()));
        Seed { score: alphabet.counts()[us(symbol) - 1], left: Reverse(left), length: Reverse(1), width }
    };
    (1..=u32_of(alphabet.chars().len())).map(seed).collect()
}

/// The strings that occur more than once and can be pieces.
fn repeated(text: &Text, options: &Options, suffixes: &Suffixes, team: &mut Team<'_>) -> Result<Vec<Seed>> {
    let mut owners = vec![0; text.symbols().len()];
    for index in 0..text.segments() {
        owners[text.segment(index)].fill(u32_of(index));
    }
    let now = Progress { stage: "seeds", done: 0, total: u64_of(suffixes.order().len()) };
    let most = options.seed_sentencepiece_size;
    let parts = team.run(
        now,
        suffixes.buckets(),
        // The best seeds so far, the worst of them on top.
        BinaryHeap::new,
        |best: &mut BinaryHeap<Reverse<Seed>>, bucket| {
            suffixes.visit(text, &owners, bucket, |node| {
                if let Some(length) = piece_of(text, options, suffixes, &node) {
                    let score = node.frequency.saturating_mul(u64_of(length));
                    let length = Reverse(u16_of(length));
                    best.push(Reverse(Seed { score, left: Reverse(node.left), length, width: node.width }));
                    if best.len() > most {
                        best.pop();
                    }
                }
            });
        },
    )?;
    Ok(parts.into_iter().flatten().map(|Reverse(seed)| seed).collect())
}

/// The length of the piece that a shared string gives.
fn piece_of(text: &Text, options: &Options, suffixes: &Suffixes, node: &Node) -> Option<usize> {
    if node.frequency < 2 || (node.ends && !options.seed_prefixes) {
        return None;
    }
    let place = us(suffixes.order()[us(node.left)]);
    let least = if options.seed_prefixes { node.above.max(1) } else { node.length - 1 };
    options.shape.longest(least, node.length, |index| text.class(place + index))
}

/// The given strings that occur in the text, at their given frequencies.
fn named(text: &Text, options: &Options, suffixes: &Suffixes, given: &[(String, u64)]) -> Vec<Seed> {
    let alphabet = &options.alphabet;
    let mut frequencies: BTreeMap<Vec<u32>, u64> = BTreeMap::new();
    for (piece, frequency) in given {
        if let Some(wanted) = symbols(alphabet, piece) {
            let sum = frequencies.entry(wanted).or_insert(0);
            *sum = sum.saturating_add(*frequency);
        }
    }
    let mut seeds = Vec::new();
    for (wanted, frequency) in frequencies {
        let piece: Vec<char> = wanted.iter().map(|&symbol| alphabet.chars()[us(symbol) - 1]).collect();
        let range = match wanted.len() > 1 && options.shape.allows(&piece) {
            true => suffixes.beginning_with(text, &wanted),
            false => continue,
        };
        if !range.is_empty() {
            let score = frequency.saturating_mul(u64_of(wanted.len()));
            let (left, width) = (Reverse(u32_of(range.start)), u32_of(range.len()));
            seeds.push(Seed { score, left, length: Reverse(u16_of(wanted.len())), width });
        }
    }
    seeds
}
