//! BytePiece's trainer: pieces from byte n-gram statistics, without an initial vocabulary.
//!
//! Each line is cut where a Viterbi over contexts of growing length restarts; the pieces between two cuts are counted.
//! Then pieces that are too rare, too long or too many are dropped, and their counts go to the pieces of their best
//! segmentation. See `docs/algorithms/bytepiece-training.md`.

pub(crate) mod chain;
pub(crate) mod ngrams;

use std::borrow::Cow;
use std::collections::HashMap;

use serde::Deserialize;

use crate::index::double_array::Trie;
use crate::normalize::steps::words::Ranges;
use crate::training::bytepiece::chain::Chain;
use crate::training::logs::Logs;
use crate::training::words::Words;
use crate::training::{Progress, Watch};
use crate::util::{u64_of, us, Error, Result};

/// Training options, under the names of BytePiece's.
#[derive(Debug, Clone, Deserialize)]
pub struct Options {
    /// The length of the n-grams that are counted, from 1 to 7 bytes.
    pub order: usize,
    /// Sizes of vocabularies with the three special pieces, the largest first; each is cut from the one before.
    pub max_vocab_sizes: Vec<usize>,
    /// The longest piece in bytes.
    pub max_piece_length: usize,
    /// The smallest count of a piece of several bytes.
    pub min_count: u64,
    /// Whether a digit is a line of its own.
    pub isolate_digits: bool,
    /// Whether pieces of several bytes begin where characters begin.
    pub ensure_unicode: bool,
}

/// Pieces with counts, the shortest first, equally long ones in the order of their bytes.
pub type Pieces = Vec<(Vec<u8>, u64)>;

/// Special pieces, which count in sizes.
const SPECIALS: usize = 3;
/// Lines between two reads of the clock.
const LINES: usize = 1 << 12;

/// One vocabulary for each requested size.
pub fn train(words: &Words, options: &Options, watch: Watch<'_>) -> Result<Vec<Pieces>> {
    let total =
        words.iter().try_fold(0u64, |sum, (word, count)| sum.checked_add(count.checked_mul(u64_of(word.len()))?));
    if total.is_none_or(|total| total > u64::MAX / 2) {
        let message = "the text has more than 2^63 bytes; divide the counts of the lines by a common number";
        return Err(Error::new("words-table", message));
    }
    let lines = if options.isolate_digits { Cow::Owned(isolated(words)?) } else { Cow::Borrowed(words) };
    watch(Progress { stage: "n-grams", done: 0, total: 0 })?;
    let statistics = ngrams::Statistics::of(&lines, options.order, options.min_count);
    let singles: Vec<[u8; 1]> = (0..=255).map(|byte| [byte]).collect();
    let mut pieces: HashMap<&[u8], u64> = HashMap::new();
    let mut chain = Chain::new(&statistics, options.ensure_unicode);
    for (number, (line, count)) in lines.iter().enumerate() {
        if number % LINES == 0 {
            watch(Progress { stage: "pieces", done: u64_of(number), total: u64_of(lines.len()) })?;
        }
        chain.cut(line, |piece| *pieces.entry(piece).or_insert(0) += count);
    }
    drop(chain);
    drop(statistics);
    for byte in &singles {
        pieces.entry(byte).or_insert(1);
    }
    prune(pieces, options, watch)
}

/// The lines cut at their digits, by Unicode 14 as in the library.
fn isolated(words: &Words) -> Result<Words> {
    let digits = Ranges::of(r"\p{Nd}", "14.0");
    let mut rows: Vec<(&[u8], u64)> = Vec::with_capacity(words.len());
    for (word, count) in words.iter() {
        let mut from = 0;
        // Invalid UTF-8 has no digits.
        let text = std::str::from_utf8(word).unwrap_or_default();
        for (at, digit) in text.char_indices().filter(|&(_, char)| digits.contains(char)) {
            let end = at + digit.len_utf8();
            rows.push((&word[from..at], count));
            rows.push((&word[at..end], count));
            from = end;
        }
        rows.push((&word[from..], count));
    }
    Words::from_rows(rows)
}

fn prune(pieces: HashMap<&[u8], u64>, options: &Options, watch: Watch<'_>) -> Result<Vec<Pieces>> {
    let logs = Logs::new();
    let keeps = |piece: &[u8], count: u64| {
        piece.len() == 1 || (piece.len() <= options.max_piece_length && count >= options.min_count)
    };
    let (kept, dropped) = pieces.into_iter().partition(|&(piece, count)| keeps(piece, count));
    let mut kept = settled(kept, dropped, &logs, watch)?;
    let mut sizes = options.max_vocab_sizes.clone();
    sizes.sort_unstable_by_key(|&size| std::cmp::Reverse(size));
    let mut made = Vec::with_capacity(sizes.len());
    for size in sizes {
        let most = size.saturating_sub(SPECIALS);
        if kept.len() > most {
            kept.sort_unstable_by(|(a, a_count), (b, b_count)| {
                (a.len() > 1, b_count, b.len(), a).cmp(&(b.len() > 1, a_count, a.len(), b))
            });
            let dropped = kept.split_off(most);
            kept = settled(kept, dropped, &logs, watch)?;
        }
        let mut rows: Pieces = kept.iter().map(|&(piece, count)| (piece.to_vec(), count)).collect();
        rows.sort_unstable_by(|a, b| (a.0.len(), &a.0).cmp(&(b.0.len(), &b.0)));
        made.push(rows);
    }
    Ok(made)
}

type Rows<'p> = Vec<(&'p [u8], u64)>;

/// Distributes the counts of dropped pieces to kept ones, and then drops pieces that are not their own best path, to a
/// fixed point.
fn settled<'p>(mut kept: Rows<'p>, dropped: Rows<'p>, logs: &Logs, watch: Watch<'_>) -> Result<Rows<'p>> {
    kept.sort_unstable();
    let gained = split(&kept, &dropped, logs)?;
    for (row, gained) in kept.iter_mut().zip(gained) {
        row.1 += gained;
    }
    loop {
        watch(Progress { stage: "pruning", done: 0, total: 0 })?;
        let counts = split(&kept, &kept, logs)?;
        let before = kept.len();
        let left = kept.into_iter().zip(counts).filter(|&(_, count)| count > 0);
        kept = left.map(|((piece, _), count)| (piece, count)).collect();
        if kept.len() == before {
            return Ok(kept);
        }
    }
}

/// The number of occurrences of each kept piece in the best paths of some pieces. `kept` is sorted and has all bytes.
fn split(kept: &Rows<'_>, parted: &Rows<'_>, logs: &Logs) -> Result<Vec<u64>> {
    let keys: Vec<(&[u8], u32)> = kept.iter().zip(0..).map(|(row, place)| (row.0, place)).collect();
    let trie = Trie::build(&keys)?;
    let view = trie.view();
    let total = logs.of(kept.iter().map(|row| row.1).sum());
    let scores: Vec<f64> = kept.iter().map(|row| logs.of(row.1) - total).collect();
    let mut counts = vec![0; kept.len()];
    let mut best: Vec<(f64, u32)> = Vec::new();
    for &(piece, count) in parted {
        best.clear();
        best.resize(piece.len() + 1, (f64::NEG_INFINITY, 0));
        best[0].0 = 0.0;
        for start in 0..piece.len() {
            let so_far = best[start].0;
            view.each_prefix(&piece[start..], |length, place| {
                let score = so_far + scores[us(place)];
                // Of ties the path whose last piece is longest was found first.
                if score > best[start + length].0 {
                    best[start + length] = (score, place);
                }
            });
        }
        let mut end = piece.len();
        while end > 0 {
            let place = us(best[end].1);
            counts[place] += count;
            end -= kept[place].0.len().clamp(1, end);
        }
    }
    Ok(counts)
}
