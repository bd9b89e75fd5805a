//! The token stream between two stages of a decoder.

use crate::spec::vocab::Vocab;
use crate::util::Pace;

/// Complete tokens, and the beginning of one that has not ended.
#[derive(Default)]
pub struct Flow {
    /// The bytes of all tokens, concatenated.
    pub text: Vec<u8>,
    ends: Vec<usize>,
    /// Maximum number of bytes.
    pub(crate) most: usize,
    /// Whether more than that was pushed; the excess is dropped.
    pub is_short: bool,
    pace: Pace,
}

/// A token or its beginning, and whether it has ended.
pub type Part<'a> = (&'a [u8], bool);

impl Flow {
    /// Appends to the last token, and begins one if there is none.
    pub fn push(&mut self, part: &[u8]) {
        if self.text.len().saturating_add(part.len()) > self.most {
            self.is_short = true;
            return;
        }
        self.text.extend_from_slice(part);
    }

    /// Whether the bound was exceeded.
    pub fn is_over(&mut self) -> bool {
        self.is_short |= self.text.len() > self.most;
        self.is_short
    }

    /// Ends the last token; one that has not begun is empty.
    pub fn end(&mut self) {
        self.ends.push(self.text.len());
        self.pace.reach(self.text.len() + self.ends.len());
    }

    /// Appends a whole token.
    pub fn token(&mut self, token: &[u8]) {
        self.push(token);
        self.end();
    }

    /// Clears it, with a bound of `most` bytes.
    pub fn begin(&mut self, most: usize) {
        self.text.clear();
        self.ends.clear();
        (self.most, self.is_short, self.pace) = (most, false, Pace::new());
    }
}

/// Tokens that a stage reads.
pub trait Tokens {
    /// Calls `visit` with each token; the last one may be incomplete.
    fn parts(&self, visit: impl FnMut(Part<'_>));

    /// The number of tokens and of their bytes, together.
    fn size(&self) -> usize;

    /// Appends the bytes of all tokens.
    fn join(&self, out: &mut Flow) {
        self.parts(|(part, _)| out.push(part));
    }

    /// Calls `visit` with each complete token, of which `held` has the parts before these tokens; the rest is held.
    #[inline]
    fn tokens(&self, held: &mut Vec<u8>, mut visit: impl FnMut(&[u8])) {
        self.parts(|(part, ended)| {
            if ended && held.is_empty() {
                return visit(part);
            }
            held.extend_from_slice(part);
            if ended {
                visit(held);
                held.clear();
            }
        });
    }
}

impl Tokens for Flow {
    #[inline]
    fn parts(&self, mut visit: impl FnMut(Part<'_>)) {
        let mut start = 0;
        for &end in &self.ends {
            visit((&self.text[start..end], true));
            start = end;
        }
        if start < self.text.len() {
            visit((&self.text[start..], false));
        }
    }

    fn size(&self) -> usize {
        self.text.len() + self.ends.len()
    }

    fn join(&self, out: &mut Flow) {
        out.push(&self.text);
    }
}

/// The pieces of ids. An empty one is a gap: no piece has the id, and there is no token.
pub struct Pieces<'a> {
    vocab: &'a Vocab,
    ids: &'a [u32],
    /// The number of bytes.
    pub bytes: usize,
    gaps: usize,
}

impl<'a> Pieces<'a> {
    /// The pieces of these ids.
    pub fn new(vocab: &'a Vocab, ids: &'a [u32]) -> Self {
        let lengths = ids.iter().map(|&id| vocab.piece(id).len());
        let (bytes, gaps) = lengths.fold((0, 0), |sums, length| (sums.0 + length, sums.1 + usize::from(length == 0)));
        Self { vocab, ids, bytes, gaps }
    }
}

impl Tokens for Pieces<'_> {
    #[inline]
    fn parts(&self, mut visit: impl FnMut(Part<'_>)) {
        let pieces = self.ids.iter().map(|&id| self.vocab.piece(id));
        pieces.filter(|piece| !piece.is_empty()).for_each(|piece| visit((piece, true)));
    }

    fn size(&self) -> usize {
        self.bytes + self.ids.len() - self.gaps
    }
}
