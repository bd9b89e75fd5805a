//! Distinct words with 64-bit counts, as columns, in byte order.
//!
//! A table may also record the first occurrence of each word in the corpus, as the number of words before it. That does
//! not depend on how the corpus was divided for threads or files.

use std::cmp::Ordering;

use crate::util::{low64, u64_of, us64, Error, Result};

/// A table of distinct words. No word is empty, no count is 0.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Words {
    text: Vec<u8>,
    /// The end of each word in `text`.
    ends: Vec<usize>,
    counts: Vec<u64>,
    order: Option<Order>,
}

/// The order of first occurrences.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Order {
    /// The number of words before each word's first occurrence.
    firsts: Vec<u64>,
    /// The number of words read in total; a text with a multiplicity was read once.
    read: u64,
}

/// Bytes per word needed for sorting.
pub const SORTING: usize = size_of::<Row<'_>>();

/// A word during sorting.
struct Row<'a> {
    /// Its first bytes: where they differ, the word itself is not compared.
    begin: [u64; 2],
    word: &'a [u8],
    count: u64,
    first: u64,
}

/// The first 16 bytes as integers that order as the bytes do; zero-padded.
fn begin(word: &[u8]) -> [u64; 2] {
    let mut bytes = [0; 16];
    let length = word.len().min(16);
    bytes[..length].copy_from_slice(&word[..length]);
    let whole = u128::from_be_bytes(bytes);
    [low64(whole >> 64), low64(whole)]
}

impl Words {
    /// A table from columns: word `i` is `text[offsets[i]..offsets[i + 1]]`. Words may come in any order and
    /// repeatedly; empty ones and those with a count of 0 are dropped. An `ordered` table uses the order of the rows as
    /// that of reading.
    pub fn from_columns(text: &[u8], offsets: &[u64], counts: &[u64], ordered: bool) -> Result<Self> {
        check_columns(offsets, counts, text.len())?;
        let words = offsets.windows(2).map(|bounds| &text[us64(bounds[0])..us64(bounds[1])]);
        let rows = words.zip(counts).zip(0..).map(|((word, &count), place)| (word, count, place));
        Self::from_read_rows(rows, ordered.then(|| u64_of(counts.len())))
    }

    /// A table from words with counts in any order; counts of equal words are added.
    pub fn from_rows<'a>(rows: impl IntoIterator<Item = (&'a [u8], u64)>) -> Result<Self> {
        Self::from_read_rows(rows.into_iter().map(|(word, count)| (word, count, 0)), None)
    }

    /// A table from words with their counts and, for each, the number of the `read` words before its first occurrence,
    /// which is not recorded if `read` is unknown.
    pub fn from_read_rows<'a>(rows: impl IntoIterator<Item = (&'a [u8], u64, u64)>, read: Option<u64>) -> Result<Self> {
        let rows = rows.into_iter().filter(|(word, count, _)| !word.is_empty() && *count > 0);
        let mut rows: Vec<Row<'_>> =
            rows.map(|(word, count, first)| Row { begin: begin(word), word, count, first }).collect();
        if !rows.is_sorted_by(|a, b| (a.begin, a.word) < (b.begin, b.word)) {
            rows.sort_unstable_by(|a, b| a.begin.cmp(&b.begin).then_with(|| a.word.cmp(b.word)));
        }
        let mut words = Self::new(read);
        words.text.reserve_exact(rows.iter().map(|row| row.word.len()).sum());
        words.ends.reserve_exact(rows.len());
        words.counts.reserve_exact(rows.len());
        for Row { word, count, first, .. } in rows {
            words.push(word, count, first)?;
        }
        Ok(words)
    }

    /// An empty table that records first occurrences among `read` words, if that is known.
    pub fn new(read: Option<u64>) -> Self {
        Self { order: read.map(|read| Order { firsts: Vec::new(), read }), ..Self::default() }
    }

    /// Adds a word not less than the last one; its first occurrence is used where the table records that.
    pub fn push(&mut self, word: &[u8], count: u64, first: u64) -> Result<()> {
        let last = self.len().checked_sub(1);
        let order = last.map_or(Ordering::Greater, |last| word.cmp(self.word(last)));
        match order {
            Ordering::Less => return Err(Error::new("words-table", "the words of a table are not in order")),
            Ordering::Equal => {
                if let Some(total) = self.counts.last_mut() {
                    *total = total.checked_add(count).ok_or_else(too_many)?;
                }
            }
            Ordering::Greater => {
                self.text.extend_from_slice(word);
                self.ends.push(self.text.len());
                self.counts.push(count);
            }
        }
        if let Some(Order { firsts, .. }) = &mut self.order {
            match firsts.last_mut() {
                Some(known) if order.is_eq() => *known = first.min(*known),
                _ => firsts.push(first),
            }
        }
        Ok(())
    }

    /// The number of words.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The bytes of a word.
    pub fn word(&self, index: usize) -> &[u8] {
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[start..self.ends[index]]
    }

    /// Each word with its count, in byte order.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], u64)> {
        (0..self.len()).map(|index| (self.word(index), self.counts[index]))
    }

    /// Each word with its count: in the order of first occurrence, or in byte order.
    pub fn walk(&self, first_seen: bool) -> Result<impl Iterator<Item = (&[u8], u64)>> {
        let order = if first_seen { Some(self.reading_order()?) } else { None };
        Ok((0..self.len()).map(move |at| {
            let index = order.as_ref().map_or(at, |order| order[at]);
            (self.word(index), self.counts[index])
        }))
    }

    fn reading_order(&self) -> Result<Vec<usize>> {
        let firsts = self.firsts().ok_or_else(|| {
            let message = "the words were counted without the order in which they were read; count them again with \
                           ties=\"first-seen\"";
            Error::new("words-table", message)
        })?;
        let mut order: Vec<usize> = (0..self.len()).collect();
        order.sort_unstable_by_key(|&index| (firsts[index], index));
        Ok(order)
    }

    /// The number of words before each word's first occurrence, if recorded.
    pub fn firsts(&self) -> Option<&[u64]> {
        self.order.as_ref().map(|order| order.firsts.as_slice())
    }

    /// The number of words read in total, if recorded.
    pub fn read(&self) -> Option<u64> {
        self.order.as_ref().map(|order| order.read)
    }

    /// Bytes that the table takes in memory.
    pub fn bytes(&self) -> usize {
        self.text.len() + self.len() * row_bytes(self.order.is_some())
    }

    /// The bytes of all words, concatenated.
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// The end of each word in [`Words::text`].
    pub fn ends(&self) -> &[usize] {
        &self.ends
    }

    /// The counts.
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// The sum of all counts.
    pub fn total(&self) -> Result<u64> {
        self.counts.iter().try_fold(0u64, |sum, &count| sum.checked_add(count)).ok_or_else(too_many)
    }
}

/// Refuses offsets that do not ascend from 0 to at most `end`, or are not one more than there are counts.
pub fn check_columns(offsets: &[u64], counts: &[u64], end: usize) -> Result<()> {
    let fit = offsets.len() == counts.len() + 1 && offsets.first() == Some(&0);
    let bounded = offsets.last().is_some_and(|&last| us64(last) <= end);
    if fit && bounded && offsets.is_sorted() {
        return Ok(());
    }
    Err(misfit())
}

/// The error for columns that contradict each other.
pub fn misfit() -> Error {
    Error::new("words-table", "the columns of a table of words do not fit together")
}

/// A word as text; refuses bytes that are not UTF-8.
pub fn text_of(word: &[u8]) -> Result<&str> {
    let message = "a word is not UTF-8; count words of text for this kind of vocabulary";
    std::str::from_utf8(word).map_err(|_| Error::new("words-table", message))
}

/// Bytes that a word takes besides its text.
pub const fn row_bytes(ordered: bool) -> usize {
    16 + if ordered { 8 } else { 0 }
}

fn too_many() -> Error {
    Error::new("words-table", "the counts of words add up to more than 2^64; divide them by a common number")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_words_are_added_and_sorted() {
        let rows: [(&[u8], u64); 5] = [(b"b", 2), (b"a", 1), (b"", 5), (b"b", 3), (b"c", 0)];
        let words = Words::from_rows(rows);
        let rows: Option<Vec<_>> = words.as_ref().ok().map(|words| words.iter().collect());
        assert_eq!(rows, Some(vec![(&b"a"[..], 1), (&b"b"[..], 5)]));
    }

    #[test]
    fn words_that_begin_alike_are_in_order() {
        let long = "\0a".repeat(20).into_bytes();
        let sorted: Vec<&[u8]> = (1..long.len()).map(|length| &long[..length]).collect();
        let words = Words::from_rows(sorted.iter().rev().map(|&word| (word, 1)));
        assert_eq!(words.map(|words| words.iter().map(|row| row.0.to_vec()).collect::<Vec<_>>()).ok(), {
            let mut wanted: Vec<Vec<u8>> = sorted.iter().map(|word| word.to_vec()).collect();
            wanted.sort();
            Some(wanted)
        });
    }

    #[test]
    fn columns_are_checked() {
        assert!(Words::from_columns(b"ab", &[0, 1, 2], &[1, 1], false).is_ok());
        assert!(Words::from_columns(b"ab", &[0, 1, 3], &[1, 1], false).is_err());
        assert!(Words::from_columns(b"ab", &[0, 2, 1], &[1, 1], false).is_err());
        assert!(Words::from_columns(b"ab", &[0, 1], &[1, 1], false).is_err());
    }

    #[test]
    fn words_are_walked_as_they_were_read() {
        let rows: [(&[u8], u64); 4] = [(b"b", 2), (b"c", 1), (b"a", 5), (b"b", 3)];
        let read = rows.into_iter().zip([7, 4, 9, 2]).map(|((word, count), first)| (word, count, first));
        let words = Words::from_read_rows(read, Some(10));
        let walked = |first_seen| {
            let words = words.as_ref().ok()?;
            Some(words.walk(first_seen).ok()?.map(|row| row.0.to_vec()).collect::<Vec<_>>().concat())
        };
        assert_eq!((walked(true), walked(false)), (Some(b"bca".to_vec()), Some(b"abc".to_vec())));
        assert_eq!(words.as_ref().ok().and_then(Words::firsts), Some(&[9, 2, 4][..]));
        let columns = Words::from_columns(b"cba", &[0, 1, 2, 3], &[1, 1, 1], true);
        assert_eq!(columns.as_ref().ok().and_then(Words::firsts), Some(&[2, 1, 0][..]));
        assert!(Words::from_rows(rows).is_ok_and(|words| words.walk(true).is_err()));
    }

    #[test]
    fn sums_beyond_64_bits_are_refused() {
        assert!(Words::from_rows([(&b"a"[..], u64::MAX), (b"a", 1)]).is_err());
    }
}
