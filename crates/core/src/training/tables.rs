//! The per-thread count tables, and their reduction.
//!
//! Text is handed out in shares. The position of a word is the number of its share and its index within; the number of
//! words in earlier shares is known when they are done, so positions become global when the words are taken.

use crate::normalize::outer;
use crate::training::table::{Table, IN_SHARE, MAX_WORDS};
use crate::training::words::Words;
use crate::util::{low32, u64_of, us, Error, Result};

/// Some tables.
pub struct Tables {
    tables: Vec<Table>,
    shares: Option<Shares>,
}

/// The number of words before each share, and in total.
#[derive(Default)]
struct Shares {
    before: Vec<u64>,
    read: u64,
}

impl Tables {
    /// One table per thread; `ordered` ones record the first occurrence of each word.
    pub fn new(threads: usize, ordered: bool) -> Self {
        let tables = (0..threads.max(1)).map(|_| Table::new(ordered)).collect();
        Self { tables, shares: ordered.then(Shares::default) }
    }

    /// The tables and the number of the next share. Refuses full tables.
    pub(crate) fn open(&mut self) -> Result<(&mut [Table], u64)> {
        if self.tables.iter().any(|table| table.words() > MAX_WORDS / 2) {
            return Err(Error::new("words-table", "a table of words is full; write it out sooner"));
        }
        let next = self.shares.as_ref().map_or(0, |shares| u64_of(shares.before.len()));
        Ok((&mut self.tables, next))
    }

    /// Records the number of words of the next share.
    pub(crate) fn note(&mut self, read: u64) -> Result<()> {
        let Some(shares) = &mut self.shares else { return Ok(()) };
        if read >> IN_SHARE != 0 || u64_of(shares.before.len()) >> (64 - IN_SHARE) != 0 {
            let message = "a text has more than 2^32 words, or the corpus more than 2^32 parts; split it";
            return Err(Error::new("words-table", message));
        }
        shares.before.push(shares.read);
        shares.read += read;
        Ok(())
    }

    /// Approximate memory of the tables, in bytes, including that for sorting them.
    pub fn bytes(&self) -> usize {
        let shares = self.shares.as_ref().map_or(0, |shares| size_of::<u64>() * shares.before.capacity());
        self.tables.iter().map(Table::bytes).sum::<usize>() + shares
    }

    /// Takes the words of all tables as one, with spaces written as marks if they are `escaped`; the tables
    /// become empty.
    pub fn take(&mut self, escaped: bool) -> Result<Words> {
        let words = self.words(escaped)?;
        *self = Self::new(self.tables.len(), self.shares.is_some());
        Ok(words)
    }

    fn words(&self, escaped: bool) -> Result<Words> {
        let rows = || self.tables.iter().flat_map(Table::rows).map(|(word, count, at)| (word, count, self.place(at)));
        let read = self.shares.as_ref().map(|shares| shares.read);
        if !escaped {
            return Words::from_read_rows(rows(), read);
        }
        let mut text = Vec::with_capacity(rows().map(|(word, ..)| word.len() + 2).sum());
        let mut ends = vec![0];
        for (word, ..) in rows() {
            outer(word, true, &mut text);
            ends.push(text.len());
        }
        let words = ends.windows(2).map(|bounds| &text[bounds[0]..bounds[1]]);
        Words::from_read_rows(words.zip(rows()).map(|(word, (_, count, first))| (word, count, first)), read)
    }

    /// The number of words before a position in a share.
    fn place(&self, at: u64) -> u64 {
        let shares = self.shares.as_ref();
        let before = shares.and_then(|shares| shares.before.get(us(low32(at >> IN_SHARE))).copied());
        before.unwrap_or(0) + u64::from(low32(at))
    }
}
