//! Unigram where every byte is a piece, in double precision: texts of any length, gone through by an automaton.
//!
//! Pieces of bytes leave few places to cut, so that what lies between them is long and never comes twice: nothing is remembered.
//! The automaton tells the pieces that end at each place; what becomes of them is for a [`Walk`] to say.

pub mod draw;
pub mod viterbi;

use crate::index::aho_corasick::{Automaton, Ending, Window};
use crate::index::double_array::Trie;
use crate::segment::bytepiece::draw::{Chance, Drawing};
use crate::segment::bytepiece::viterbi::{Best, Piece, Places, SOME};
use crate::util::cast::{f64_of, us};
use crate::util::huge_page_buf::HugePageBuf;
use crate::util::interrupt::report;

/// What is known of such a vocabulary.
pub struct ByteUnigram {
    automaton: Automaton<Piece>,
    /// Of all pieces in rows how many bytes they have.
    lengths: HugePageBuf<u16>,
    /// The largest absolute score.
    largest: f64,
    /// Bytes of the longest piece.
    longest: usize,
}

/// What is made of the pieces that end at each place of a text.
pub trait Walk {
    /// Before the text that begins at a place.
    fn begin(&mut self, place: usize);
    /// By its next bytes.
    fn go_on(&mut self, endings: &[Ending]);
    /// Behind its last byte.
    fn end(&mut self);
}

/// Bytes that go through the automaton at a time.
const WINDOW: usize = 2048;
/// By how much the logarithms of the weights of places may differ that an edge leads from and to.
const MOST: f64 = 340.0;

impl ByteUnigram {
    /// If each byte is a piece, and every score a number.
    pub fn build(trie: &Trie, scores: &[f64]) -> Option<Self> {
        let (mut largest, mut longest): (f64, u32) = (0.0, 0);
        let blank = Piece { score: 0.0, id: 0, length: 1 };
        let automaton = Automaton::build(trie, &[blank; SOME], |id, length| {
            let score = scores.get(us(id)).copied().filter(|score| score.is_finite())?;
            largest = largest.max(score.abs());
            longest = longest.max(length);
            Some(Piece { score, id, length })
        })?;
        let mut lengths = HugePageBuf::new(automaton.keys().len());
        for (length, piece) in lengths.iter_mut().zip(automaton.keys()) {
            *length = u16::try_from(piece.length).ok()?;
        }
        Some(Self { automaton, lengths, largest, longest: us(longest) })
    }

    /// Bytes of the longest piece.
    pub const fn longest(&self) -> usize {
        self.longest
    }

    /// All pieces, in rows of those that end at one place, the longest first.
    pub fn rows(&self) -> &[Piece] {
        self.automaton.keys()
    }

    /// How many bytes they have.
    pub fn lengths(&self) -> &[u16] {
        &self.lengths
    }

    /// Whether an inverse temperature is moderate: places that an edge leads from and to may not differ by more than numbers have
    /// room for, at most two ways for each byte.
    pub fn is_moderate(&self, alpha: f64) -> bool {
        (alpha * self.largest + std::f64::consts::LN_2) * f64_of(self.longest) <= MOST
    }

    /// Calls `bound` for each place within a text that no piece lies across, nor anything that a piece begins with.
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

    /// Walks over texts that stand one behind the other from `start` on, each up to one of `ends`.
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

    /// Pushes (id, end) of the edges of the best path over each of some texts, added up from `cell` on; returns the score at the end
    /// of the last. Of equals the edge that begins first is kept.
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
        let score = best.score();
        places.endings = endings;
        score
    }

    /// Draws a path over each of some texts; pushes their ids.
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
    fn plain() -> Option<ByteUnigram> {
        let mut keys: Vec<Vec<u8>> = (0..=255).map(|byte| vec![byte]).collect();
        keys.extend((2..20).map(|size| vec![b'a'; size]));
        keys.sort_unstable();
        let listed: Vec<(&[u8], u32)> = keys.iter().map(Vec::as_slice).zip(0..).collect();
        ByteUnigram::build(&Trie::build(&listed).ok()?, &vec![-1.5; keys.len()])
    }

    #[test]
    fn memory_is_for_what_lies_between_bounds() {
        let built = plain();
        assert!(built.is_some(), "each byte is a piece");
        let Some(plain) = built else { return };
        for (part, most) in [(b"aaaaaaab".repeat(300_000), 20_000), (b"a".repeat(300_000), 1_000_000)] {
            let (mut places, mut found, mut ids) = (Places::default(), Vec::new(), Vec::new());
            let ends = [crate::util::cast::u32_of(part.len())];
            plain.paths(&part, 0, &ends, 0.0, &mut places, &mut found);
            assert_eq!(found.last().map(|&(_, end)| end), Some(ends[0]));
            let mut weights = crate::segment::bytepiece::draw::Weights::default();
            weights.open(&plain, 300, 0.1);
            let chance = Chance { weights: &mut weights, seed: crate::util::rng::Seed::default(), fragment: 0 };
            plain.draws(&part, 0, &ends, chance, &mut places, &mut ids);
            assert!(places.room() < most && ids.len() >= found.len());
        }
    }
}
