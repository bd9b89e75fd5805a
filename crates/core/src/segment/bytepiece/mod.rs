//! Unigram with every byte as a piece, in double precision: texts of any length, scanned by an Aho–Corasick automaton.
//!
//! Byte vocabularies have few positions to cut at, so the units between them are long and rarely repeat: nothing is
//! cached. The automaton gives the pieces that end at each position; a [`Walk`] consumes them.

pub mod draw;
pub mod viterbi;

use crate::index::aho_corasick::{Automaton, Ending, Window};
use crate::index::double_array::Trie;
use crate::segment::bytepiece::draw::{Chance, Drawing};
use crate::segment::bytepiece::viterbi::{Best, Piece, Places, SOME};
use crate::util::huge_page_vec::HugePageVec;
use crate::util::{f64_of, report, us};

/// The compiled vocabulary.
pub struct ByteUnigram {
    pub(crate) automaton: Automaton<Piece>,
    /// Lengths in bytes of all pieces, in rows.
    pub(crate) lengths: HugePageVec<u16>,
    /// The largest absolute score.
    largest: f64,
    /// Bytes of the longest piece.
    pub(crate) longest: usize,
}

/// A consumer of the pieces that end at each position of a text.
pub trait Walk {
    /// Starts a text at a position.
    fn begin(&mut self, place: usize);
    /// Consumes its next bytes.
    fn go_on(&mut self, endings: &[Ending]);
    /// Ends the text.
    fn end(&mut self);
}

/// Bytes per automaton pass.
const WINDOW: usize = 2048;
/// Maximum difference of the log weights of two positions that an edge connects.
const MOST: f64 = 340.0;

impl ByteUnigram {
    /// `None` unless each byte is a piece and every score a number.
    pub fn build(trie: &Trie, scores: &[f64]) -> Option<Self> {
        let (mut largest, mut longest): (f64, u32) = (0.0, 0);
        let blank = Piece { score: 0.0, id: 0, length: 1 };
        let automaton = Automaton::build(trie, &[blank; SOME], |id, length| {
            let score = scores.get(us(id)).copied().filter(|score| score.is_finite())?;
            largest = largest.max(score.abs());
            longest = longest.max(length);
            Some(Piece { score, id, length })
        })?;
        let mut lengths = HugePageVec::new(automaton.keys.len());
        for (length, piece) in lengths.iter_mut().zip(&*automaton.keys) {
            *length = u16::try_from(piece.length).ok()?;
        }
        Some(Self { automaton, lengths, largest, longest: us(longest) })
    }

    /// Whether an inverse temperature is moderate: the weights of two positions that an edge connects stay within the
    /// range of doubles, with at most two paths per byte.
    pub fn is_moderate(&self, alpha: f64) -> bool {
        (alpha * self.largest + std::f64::consts::LN_2) * f64_of(self.longest) <= MOST
    }

    /// Calls `bound` for each position within a text that neither a piece nor a prefix of a piece spans.
    pub fn each_bound(&self, text: &[u8], mut bound: impl FnMut(usize)) {
        let mut endings = vec![Ending::default(); text.len().min(WINDOW)];
        for first in (0..text.len()).step_by(WINDOW) {
            let last = text.len().min(first + WINDOW);
            report(last - first);
            self.automaton.pass(&Window { text, begun: 0, ends: &[], first, last }, &mut endings);
            for at in (first.max(1)..last).filter(|at| endings[at - first].is_bound()) {
                bound(at);
            }
        }
    }

    /// Walks over concatenated texts from `start` on, each up to one of `ends`.
    fn walk(&self, text: &[u8], start: usize, ends: &[u32], endings: &mut Vec<Ending>, walk: &mut impl Walk) {
        let (mut at, mut begun, mut rest) = (start, start, ends);
        while let Some(last) = rest.last().map(|&last| us(last).min(at + WINDOW)) {
            report(last - at);
            let (inside, behind) = rest.split_at(rest.partition_point(|&end| us(end) <= last));
            endings.resize(endings.len().max(last - at), Ending::default());
            self.automaton.pass(&Window { text, begun, ends: inside, first: at, last }, endings);
            let mut found = &endings[..last - at];
            for &end in inside {
                if at == begun {
                    walk.begin(at);
                }
                let (inner, later) = found.split_at(us(end) - at);
                walk.go_on(inner);
                walk.end();
                (at, begun, found) = (us(end), us(end), later);
            }
            if at < last {
                if at == begun {
                    walk.begin(at);
                }
                walk.go_on(found);
                at = last;
            }
            rest = behind;
        }
    }

    /// Pushes (id, end) of the edges of the best path over each text, with scores added up from `cell`; returns the
    /// score at the end of the last. Of ties the edge that begins first wins.
    pub fn paths(
        &self,
        text: &[u8],
        start: usize,
        ends: &[u32],
        cell: f64,
        places: &mut Places,
        found: &mut Vec<(u32, u32)>,
    ) -> f64 {
        let mut endings = std::mem::take(&mut places.endings);
        let mut best = Best::new(self, cell, places, found);
        self.walk(text, start, ends, &mut endings, &mut best);
        let score = best.score;
        places.endings = endings;
        score
    }

    /// Samples a path over each text; pushes their ids.
    pub fn draws(
        &self,
        text: &[u8],
        start: usize,
        ends: &[u32],
        chance: Chance<'_>,
        places: &mut Places,
        ids: &mut Vec<u32>,
    ) {
        let mut endings = std::mem::take(&mut places.endings);
        self.walk(text, start, ends, &mut endings, &mut Drawing::new(self, chance, places, ids));
        places.endings = endings;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes, and runs of one letter.
    fn unigram() -> Option<ByteUnigram> {
        let mut keys: Vec<Vec<u8>> = (0..=255).map(|byte| vec![byte]).collect();
        keys.extend((2..20).map(|size| vec![b'a'; size]));
        keys.sort_unstable();
        let listed: Vec<(&[u8], u32)> = keys.iter().map(Vec::as_slice).zip(0..).collect();
        ByteUnigram::build(&Trie::build(&listed).ok()?, &vec![-1.5; keys.len()])
    }

    #[test]
    fn memory_is_for_what_lies_between_bounds() {
        let built = unigram();
        assert!(built.is_some(), "each byte is a piece");
        let Some(unigram) = built else { return };
        for (part, most) in [(b"aaaaaaab".repeat(300_000), 20_000), (b"a".repeat(300_000), 1_000_000)] {
            let (mut places, mut found, mut ids) = (Places::default(), Vec::new(), Vec::new());
            let ends = [crate::util::cast::u32_of(part.len())];
            unigram.paths(&part, 0, &ends, 0.0, &mut places, &mut found);
            assert_eq!(found.last().map(|&(_, end)| end), Some(ends[0]));
            let mut weights = crate::segment::bytepiece::draw::Weights::default();
            weights.open(&unigram, 300, 0.1);
            let chance = Chance { weights: &mut weights, seed: crate::util::rng::Seed::default(), fragment: 0 };
            unigram.draws(&part, 0, &ends, chance, &mut places, &mut ids);
            assert!(places.rows.len() < most && ids.len() >= found.len());
        }
    }
}
