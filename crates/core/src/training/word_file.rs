//! Tables of words as files: written in one pass, read in one pass, merged without holding them.
//!
//! Magic, the length of a header and the header; then the words in the order of their bytes, each as four parts: how many bytes
//! it shares with the word before it, how many follow, those bytes, and the count, all numbers as LEB128; two zeros end them.
//! Behind them stand the number of words, the sum of the counts, and the XXH3 of every byte before it, as 64-bit numbers.

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, ErrorKind, Read, Write};
use std::path::Path;

use xxhash_rust::xxh3::Xxh3Default;

use super::words::Words;
use crate::cast::{u64_of, us64};
use crate::error::{Error, Result};

const MAGIC: &[u8; 8] = b"APWORDS\x01";
const BUFFER: usize = 1 << 16;
/// Files that are merged at a time.
const FAN_IN: usize = 64;

/// What a file holds, in numbers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Totals {
    /// Words.
    pub words: u64,
    /// The sum of their counts.
    pub count: u64,
}

/// Writes words in order.
pub struct Writer {
    out: BufWriter<File>,
    hash: Xxh3Default,
    last: Vec<u8>,
    totals: Totals,
    record: Vec<u8>,
}

impl Writer {
    /// A new file with a header.
    pub fn create(path: &Path, header: &[u8]) -> Result<Self> {
        let out = BufWriter::with_capacity(BUFFER, File::create(path).map_err(unwritable)?);
        let (hash, totals) = (Xxh3Default::new(), Totals::default());
        let mut writer = Self { out, hash, last: Vec::new(), totals, record: Vec::new() };
        writer.put(MAGIC)?;
        writer.put(&u64_of(header.len()).to_le_bytes())?;
        writer.put(header)?;
        Ok(writer)
    }

    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.hash.update(bytes);
        self.out.write_all(bytes).map_err(unwritable)
    }

    /// Adds a word that comes after the last one.
    pub fn push(&mut self, word: &[u8], count: u64) -> Result<()> {
        if word <= self.last.as_slice() {
            return Err(Error::new("words-table", "the words of a table are not in order"));
        }
        let shared = self.last.iter().zip(word).take_while(|(one, other)| one == other).count();
        let mut record = std::mem::take(&mut self.record);
        record.clear();
        put_number(u64_of(shared), &mut record);
        put_number(u64_of(word.len() - shared), &mut record);
        record.extend_from_slice(&word[shared..]);
        put_number(count, &mut record);
        self.put(&record)?;
        self.record = record;
        self.last.truncate(shared);
        self.last.extend_from_slice(&word[shared..]);
        self.totals.words += 1;
        self.totals.count = self.totals.count.saturating_add(count);
        Ok(())
    }

    /// Ends the file; it is on the disk then.
    pub fn finish(mut self) -> Result<Totals> {
        let Totals { words, count } = self.totals;
        self.put(&[0, 0])?;
        self.put(&words.to_le_bytes())?;
        self.put(&count.to_le_bytes())?;
        let digest = self.hash.digest();
        self.put(&digest.to_le_bytes())?;
        self.out.flush().map_err(unwritable)?;
        self.out.get_ref().sync_all().map_err(unwritable)?;
        Ok(self.totals)
    }
}

/// Reads words in order.
pub struct Reader {
    input: BufReader<File>,
    hash: Xxh3Default,
    /// Bytes of the file that were not read yet.
    left: u64,
    header: Vec<u8>,
    word: Vec<u8>,
    count: u64,
    totals: Totals,
}

impl Reader {
    /// Opens a file and reads its header.
    pub fn open(path: &Path) -> Result<Self> {
        let file = File::open(path).map_err(unreadable)?;
        let left = file.metadata().map_err(unreadable)?.len();
        let input = BufReader::with_capacity(BUFFER, file);
        let (header, word) = (Vec::new(), Vec::new());
        let (hash, totals) = (Xxh3Default::new(), Totals::default());
        let mut reader = Self { input, hash, left, header, word, count: 0, totals };
        let mut magic = [0; 8];
        if reader.take(&mut magic).is_err() || magic != *MAGIC {
            return Err(Error::new("format-unknown", "this is no table of words; make one with `anypiece words`"));
        }
        let mut length = [0; 8];
        reader.take(&mut length)?;
        reader.header = reader.take_some(u64::from_le_bytes(length))?;
        Ok(reader)
    }

    /// The header.
    #[must_use]
    pub fn header(&self) -> &[u8] {
        &self.header
    }

    fn take(&mut self, bytes: &mut [u8]) -> Result<()> {
        self.input.read_exact(bytes).map_err(unreadable)?;
        self.hash.update(bytes);
        self.left = self.left.saturating_sub(u64_of(bytes.len()));
        Ok(())
    }

    fn take_some(&mut self, length: u64) -> Result<Vec<u8>> {
        if length > self.left {
            return Err(truncated());
        }
        let mut bytes = vec![0; us64(length)];
        self.take(&mut bytes)?;
        Ok(bytes)
    }

    fn take_number(&mut self) -> Result<u64> {
        let mut number = 0u64;
        for shift in (0..64).step_by(7) {
            let mut byte = [0];
            self.take(&mut byte)?;
            let low = u64::from(byte[0] & 0x7F);
            if low << shift >> shift != low {
                break;
            }
            number |= low << shift;
            if byte[0] < 0x80 {
                return Ok(number);
            }
        }
        Err(corrupt("a number has too many bits"))
    }

    /// Goes on to the next word; `false` at the end, where all that was read is held against its checksum.
    pub fn advance(&mut self) -> Result<bool> {
        let (shared, rest) = (self.take_number()?, self.take_number()?);
        if shared == 0 && rest == 0 {
            return self.end().map(|()| false);
        }
        if shared > u64_of(self.word.len()) || rest > self.left {
            return Err(corrupt("a word is longer than the file"));
        }
        let shared = us64(shared);
        let tail = self.take_some(rest)?;
        if tail.as_slice() <= &self.word[shared..] {
            return Err(corrupt("its words are not in order"));
        }
        self.word.truncate(shared);
        self.word.extend_from_slice(&tail);
        self.count = self.take_number()?;
        self.totals.words += 1;
        self.totals.count = self.totals.count.saturating_add(self.count);
        Ok(true)
    }

    fn end(&mut self) -> Result<()> {
        let mut numbers = [[0; 8]; 2];
        for number in &mut numbers {
            self.take(number)?;
        }
        let digest = self.hash.digest();
        let mut written = [0; 8];
        self.take(&mut written)?;
        let totals = Totals { words: u64::from_le_bytes(numbers[0]), count: u64::from_le_bytes(numbers[1]) };
        if digest != u64::from_le_bytes(written) {
            return Err(Error::new("checksum-mismatch", "a table of words does not match its checksum; make it again"));
        }
        if totals != self.totals || !self.input.fill_buf().map_err(unreadable)?.is_empty() {
            return Err(corrupt("its totals are wrong, or something follows them"));
        }
        Ok(())
    }

    /// The word that [`Reader::advance`] went to.
    #[must_use]
    pub fn word(&self) -> &[u8] {
        &self.word
    }

    /// Its count.
    #[must_use]
    pub const fn count(&self) -> u64 {
        self.count
    }
}

/// A reader that stands at a word, ordered by it.
struct Front(Reader);

impl PartialEq for Front {
    fn eq(&self, other: &Self) -> bool {
        self.0.word == other.0.word
    }
}

impl Eq for Front {}

impl PartialOrd for Front {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Front {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.word.cmp(&other.0.word)
    }
}

/// Calls `visit` with each word of some files and the sum of its counts, in order.
pub fn merged(paths: &[&Path], mut visit: impl FnMut(&[u8], u64) -> Result<()>) -> Result<()> {
    if paths.len() > FAN_IN {
        let message = format!("{} tables are too many for one merge; merge at most {FAN_IN} at a time", paths.len());
        return Err(Error::new("words-table", message));
    }
    let mut fronts = BinaryHeap::with_capacity(paths.len());
    for path in paths {
        let mut reader = Reader::open(path)?;
        if reader.advance()? {
            fronts.push(Reverse(Front(reader)));
        }
    }
    let (mut word, mut count) = (Vec::new(), 0u64);
    while let Some(mut top) = fronts.peek_mut() {
        let reader = &mut top.0 .0;
        if reader.word() == word {
            count = count.checked_add(reader.count()).ok_or_else(|| {
                Error::new(
                    "words-table",
                    "the counts of a word add up to more than 2^64; divide them by a common number",
                )
            })?;
        } else {
            if !word.is_empty() {
                visit(&word, count)?;
            }
            word.clear();
            word.extend_from_slice(reader.word());
            count = reader.count();
        }
        if !reader.advance()? {
            std::collections::binary_heap::PeekMut::pop(top);
        }
    }
    if word.is_empty() {
        Ok(())
    } else {
        visit(&word, count)
    }
}

/// What was left out of a table so that it fits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Left {
    /// Words with a smaller count were left out; 1 where none was.
    pub least: u64,
    /// How many they were.
    pub words: u64,
    /// The sum of their counts.
    pub count: u64,
}

/// The words of a file, at most as many as fit into so many bytes: where they do not, the rarest are left out, all that have
/// the same count together.
pub fn load(path: &Path, limit: u64) -> Result<(Words, Left)> {
    let least = least_count(path, limit)?;
    let (mut words, mut left) = (Words::default(), Left { least, ..Left::default() });
    merged(&[path], |word, count| {
        if count >= least {
            return words.push(word, count);
        }
        left.words += 1;
        left.count = left.count.saturating_add(count);
        Ok(())
    })?;
    Ok((words, left))
}

/// Bytes that a word takes beside its text.
const ROW: u64 = 16;
/// Counts from here on are one class.
const CLASSES: usize = 1 << 16;

/// The least count so that all words with at least that many fit.
fn least_count(path: &Path, limit: u64) -> Result<u64> {
    let mut sizes = vec![0u64; CLASSES];
    merged(&[path], |word, count| {
        sizes[us64(count).min(CLASSES - 1)] += u64_of(word.len()) + ROW;
        Ok(())
    })?;
    let mut all = 0;
    for (count, size) in sizes.iter().enumerate().rev() {
        all += size;
        if all > limit {
            return Ok(u64_of(count) + 1);
        }
    }
    Ok(1)
}

fn put_number(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(crate::cast::low8(crate::cast::low32(number)) | 0x80);
        number >>= 7;
    }
    out.push(crate::cast::low8(crate::cast::low32(number)));
}

fn unwritable(error: std::io::Error) -> Error {
    Error::new("file-unwritable", format!("a table of words cannot be written: {error}"))
}

fn unreadable(error: std::io::Error) -> Error {
    if error.kind() == ErrorKind::UnexpectedEof {
        return truncated();
    }
    Error::new("file-unreadable", format!("a table of words cannot be read: {error}"))
}

fn truncated() -> Error {
    Error::new("file-truncated", "a table of words ends too early; make it again")
}

fn corrupt(what: &str) -> Error {
    Error::new("file-corrupt", format!("a table of words is damaged: {what}; make it again"))
}
