//! The pieces while they are trained: where each is spelled in the text, its score, and whether it is still there.

use crate::cast::us;

/// What is taken off the lowest score for a character that is no piece, as SentencePiece does.
const UNKNOWN_PENALTY: f64 = 10.0;
/// Pieces that are gone stay in the tables until there are this many in a thousand of them.
const SPARSE: usize = 20;

/// Pieces by number. The first ones are the characters, which keep their numbers and places in the text for good: one that is no
/// piece any more stands for what is unknown there, at a low score and credited to no piece.
#[derive(Debug, Default)]
pub struct Model {
    /// A place of the text where the piece is spelled.
    pub places: Vec<u32>,
    /// How many characters it has.
    pub lengths: Vec<u16>,
    /// Log probabilities of the pieces that are there.
    pub scores: Vec<f64>,
    /// Which are there.
    pub present: Vec<bool>,
    /// How many of them are characters.
    pub characters: usize,
    alive: usize,
    /// How many strings are gone that still have numbers.
    stale: usize,
}

impl Model {
    /// No pieces yet; the first so many will be characters.
    pub fn new(characters: usize) -> Self {
        Self { characters, ..Self::default() }
    }

    /// Adds a piece.
    pub fn push(&mut self, place: u32, length: u16, score: f64) {
        self.places.push(place);
        self.lengths.push(length);
        self.scores.push(score);
        self.present.push(true);
        self.alive += 1;
    }

    /// How many numbers there are.
    pub fn len(&self) -> usize {
        self.scores.len()
    }

    /// How many pieces are there.
    pub fn alive(&self) -> usize {
        self.alive
    }

    /// Takes a piece away.
    pub fn remove(&mut self, piece: usize) {
        if std::mem::take(&mut self.present[piece]) {
            self.alive -= 1;
            self.stale += usize::from(piece >= self.characters);
        }
    }

    /// How many strings are gone that still have numbers.
    pub fn stale(&self) -> usize {
        self.stale
    }

    /// Whether so many are gone that their edges are worth removing.
    pub fn is_sparse(&self) -> bool {
        self.stale * 1000 > self.len() * SPARSE
    }

    /// The lowest score of a piece.
    pub fn lowest(&self) -> f64 {
        let scores = self.scores.iter().zip(&self.present).filter(|(_, present)| **present);
        scores.map(|(score, _)| *score).fold(f64::INFINITY, f64::min)
    }

    /// Scores for searching: those of characters that are no pieces are low, those of other strings are minus infinity.
    pub fn search_scores(&self) -> Vec<f64> {
        let unknown = self.lowest() - UNKNOWN_PENALTY;
        let score = |(piece, (&score, &present))| match present {
            true => score,
            false if piece < self.characters => unknown,
            false => f64::NEG_INFINITY,
        };
        self.scores.iter().zip(&self.present).enumerate().map(score).collect()
    }

    /// Forgets the numbers of strings that are gone. The new number of each piece, or nothing.
    pub fn renumber(&mut self) -> Vec<Option<u32>> {
        let mut next = 0;
        let mut number = |piece: usize| {
            let kept = self.present[piece] || piece < self.characters;
            next += u32::from(kept);
            kept.then(|| next - 1)
        };
        let numbers: Vec<Option<u32>> = (0..self.scores.len()).map(&mut number).collect();
        for (piece, number) in numbers.iter().enumerate() {
            if let Some(number) = number.map(us) {
                self.places[number] = self.places[piece];
                self.lengths[number] = self.lengths[piece];
                self.scores[number] = self.scores[piece];
                self.present[number] = self.present[piece];
            }
        }
        self.stale = 0;
        let left = us(next);
        self.places.truncate(left);
        self.lengths.truncate(left);
        self.scores.truncate(left);
        self.present.truncate(left);
        numbers
    }
}
