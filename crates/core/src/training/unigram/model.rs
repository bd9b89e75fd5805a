//! The pieces during training: where each is spelled in the text, its score, and whether it is still present.

use crate::util::{u32_of, us};

/// Penalty below the lowest score for a character that is no piece, as in SentencePiece.
const UNKNOWN_PENALTY: f64 = 10.0;
/// Removed pieces stay in the tables until they exceed this many per thousand.
const SPARSE: usize = 20;

/// Marks the absence of a piece.
pub const NONE: u32 = u32::MAX;

/// The fields of a piece that are needed at each of its occurrences.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Node {
    /// Its probability or score; see [`Model::weigh`].
    pub weight: f64,
    /// The longest piece that is a proper prefix of it, or [`NONE`].
    pub shorter: u32,
    /// Its length in characters.
    pub length: u16,
}

/// Pieces by number. 33 bytes for each. The first ones are the characters, which keep their numbers and edges: one that
/// is no longer a piece represents unknown text, at a low score and credited to no piece.
#[derive(Debug, Default)]
pub struct Model {
    /// A position of the text where the piece is spelled.
    pub places: Vec<u32>,
    /// The prefix tree of pieces.
    pub nodes: Vec<Node>,
    /// Log-probabilities of the present pieces.
    pub scores: Vec<f64>,
    /// Whether each piece is present.
    pub present: Vec<bool>,
    /// The number of characters.
    pub characters: usize,
    alive: usize,
    /// The number of removed strings that still have numbers.
    stale: usize,
}

impl Model {
    /// No pieces yet; the first `characters` will be characters.
    pub fn new(characters: usize) -> Self {
        Self { characters, ..Self::default() }
    }

    /// Adds a piece.
    pub fn push(&mut self, place: u32, length: u16, score: f64) {
        self.places.push(place);
        self.nodes.push(Node { weight: 0.0, shorter: NONE, length });
        self.scores.push(score);
        self.present.push(true);
        self.alive += 1;
    }

    /// The number of numbers in use.
    pub fn len(&self) -> usize {
        self.scores.len()
    }

    /// The number of present pieces.
    pub fn alive(&self) -> usize {
        self.alive
    }

    /// Removes a piece.
    pub fn remove(&mut self, piece: usize) {
        if std::mem::take(&mut self.present[piece]) {
            self.alive -= 1;
            self.stale += usize::from(piece >= self.characters);
        }
    }

    /// The number of removed strings that still have numbers.
    pub fn stale(&self) -> usize {
        self.stale
    }

    /// Whether enough were removed that compacting pays off.
    pub fn is_sparse(&self) -> bool {
        self.stale * 1000 > self.len() * SPARSE
    }

    /// The lowest score of a piece.
    pub fn lowest(&self) -> f64 {
        let scores = self.scores.iter().zip(&self.present).filter(|(_, present)| **present);
        scores.map(|(score, _)| *score).fold(f64::INFINITY, f64::min)
    }

    /// Sets the weight of every node: `of` the score; low for characters that are no pieces, minus infinity for other
    /// removed strings.
    pub fn weigh(&mut self, of: impl Fn(f64) -> f64) {
        let unknown = self.lowest() - UNKNOWN_PENALTY;
        for (piece, node) in self.nodes.iter_mut().enumerate() {
            node.weight = match self.present[piece] {
                true => of(self.scores[piece]),
                false if piece < self.characters => of(unknown),
                false => of(f64::NEG_INFINITY),
            };
        }
    }

    /// The pieces that begin where the longest is `piece`, from the longest to the character.
    pub fn beginning(&self, piece: u32) -> impl Iterator<Item = (u32, Node)> + '_ {
        let mut next = piece;
        std::iter::from_fn(move || {
            let node = *self.nodes.get(us(next))?;
            Some((std::mem::replace(&mut next, node.shorter), node))
        })
    }

    /// Drops the numbers of removed strings. Returns for each old number the new one of its piece, or of its longest
    /// prefix that is present.
    pub fn renumber(&mut self) -> Vec<u32> {
        let mut next = 0;
        let mut number = |piece: usize| {
            let kept = self.present[piece] || piece < self.characters;
            next += u32::from(kept);
            kept.then(|| next - 1)
        };
        let numbers: Vec<Option<u32>> = (0..self.scores.len()).map(&mut number).collect();
        let stays = |mut piece: u32| loop {
            match numbers.get(us(piece)) {
                Some(None) => piece = self.nodes[us(piece)].shorter,
                Some(Some(number)) => return *number,
                None => return NONE,
            }
        };
        let stands_for: Vec<u32> = (0..self.len()).map(|piece| stays(u32_of(piece))).collect();
        for node in &mut self.nodes {
            node.shorter = stands_for.get(us(node.shorter)).copied().unwrap_or(NONE);
        }
        keep(&mut self.nodes, &numbers);
        keep(&mut self.places, &numbers);
        keep(&mut self.scores, &numbers);
        keep(&mut self.present, &numbers);
        self.stale = 0;
        stands_for
    }
}

/// Keeps the items that have a number.
fn keep<T>(items: &mut Vec<T>, numbers: &[Option<u32>]) {
    let mut numbers = numbers.iter();
    items.retain(|_| numbers.next().is_some_and(Option::is_some));
}
