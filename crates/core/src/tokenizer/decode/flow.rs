//! The token stream between two stages of a decoder.

use crate::util::interrupt::Pace;

/// Complete tokens, and the beginning of one that has not ended.
#[derive(Default)]
pub struct Flow {
    /// The bytes of all tokens, concatenated.
    pub text: Vec<u8>,
    pub(crate) ends: Vec<usize>,
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

    /// Clears it, with a bound of `most` bytes.
    pub fn begin(&mut self, most: usize) {
        self.text.clear();
        self.ends.clear();
        (self.most, self.is_short, self.pace) = (most, false, Pace::new());
    }

    /// Each token with whether it has ended; the last one may be incomplete.
    pub(crate) fn parts(&self) -> impl Iterator<Item = (&[u8], bool)> {
        let last = self.ends.last().copied().unwrap_or(0);
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let ended = starts.zip(&self.ends).map(|(start, &end)| (&self.text[start..end], true));
        ended.chain(Some((&self.text[last..], false)).filter(|(part, _)| !part.is_empty()))
    }
}
