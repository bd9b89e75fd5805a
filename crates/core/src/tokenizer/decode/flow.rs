//! Tokens on their way through the steps of a stream decoder.

/// Tokens on their way: those that have ended, and the beginning of one that has not.
#[derive(Default)]
pub struct Flow {
    /// All of it, one after the other.
    pub text: Vec<u8>,
    pub(crate) ends: Vec<usize>,
    /// How many bytes there may be.
    pub(crate) most: usize,
    /// Whether more than that was pushed, which is left out.
    pub is_short: bool,
}

/// A token, or what there is of it, and whether it has ended.
pub type Part<'a> = (&'a [u8], bool);

impl Flow {
    /// Adds to the last token, and begins it if it has not begun.
    pub fn push(&mut self, part: &[u8]) {
        if self.text.len().saturating_add(part.len()) > self.most {
            self.is_short = true;
            return;
        }
        self.text.extend_from_slice(part);
    }

    /// Whether there are more bytes than there may be.
    pub fn is_over(&mut self) -> bool {
        self.is_short |= self.text.len() > self.most;
        self.is_short
    }

    /// Ends the last token; one that has not begun is empty.
    pub fn end(&mut self) {
        self.ends.push(self.text.len());
    }

    /// Nothing yet, of at most so many bytes.
    pub fn begin(&mut self, most: usize) {
        self.text.clear();
        self.ends.clear();
        (self.most, self.is_short) = (most, false);
    }

    /// Each token with whether it has ended; of the last only what there is of it.
    pub(crate) fn parts(&self) -> impl Iterator<Item = (&[u8], bool)> {
        let last = self.ends.last().copied().unwrap_or(0);
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let ended = starts.zip(&self.ends).map(|(start, &end)| (&self.text[start..end], true));
        ended.chain(Some((&self.text[last..], false)).filter(|(part, _)| !part.is_empty()))
    }
}
