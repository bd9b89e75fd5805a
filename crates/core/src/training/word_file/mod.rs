//! Word tables as files: written and read in one pass, merged in constant memory.
//!
//! Magic, the length of a header and the header; then the words in byte order, each as four parts: the number of bytes
//! shared with the previous word, the number of further bytes, those bytes, and the count, all numbers as LEB128; two
//! zeros end them. Then follow the number of words, the sum of the counts, and the XXH3 of all bytes before it, as
//! 64-bit numbers. A table with the order of reading has version 2: the number of words read follows the header, and
//! each record has as a fifth part the number of words before its first occurrence. Merged tables count as read one
//! after the other.

pub(crate) mod merge;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, ErrorKind, Read, Write};
use std::path::Path;

use xxhash_rust::xxh3::Xxh3Default;

pub use crate::training::word_file::merge::Merge;
use crate::training::words::{row_bytes, Words};
use crate::util::{low32, low8, u64_of, us64, Error, Result};

const MAGIC: &[u8; 8] = b"APWORDS\x01";
const ORDERED_MAGIC: &[u8; 8] = b"APWORDS\x02";
const BUFFER: usize = 1 << 16;

/// The totals of a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Totals {
    /// The number of words.
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
    read: Option<u64>,
}

impl Writer {
    /// A new file with a header; with the order of words if the number of words read is given.
    pub fn create(path: &Path, header: &[u8], read: Option<u64>) -> Result<Self> {
        let out = BufWriter::with_capacity(BUFFER, File::create(path).map_err(unwritable)?);
        let (hash, totals) = (Xxh3Default::new(), Totals::default());
        let mut writer = Self { out, hash, last: Vec::new(), totals, record: Vec::new(), read };
        writer.put(if read.is_some() { ORDERED_MAGIC } else { MAGIC })?;
        writer.put(&u64_of(header.len()).to_le_bytes())?;
        writer.put(header)?;
        if let Some(read) = read {
            writer.put(&read.to_le_bytes())?;
        }
        Ok(writer)
    }

    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.hash.update(bytes);
        self.out.write_all(bytes).map_err(unwritable)
    }

    /// Writes a table.
    pub fn push_all(&mut self, words: &Words) -> Result<()> {
        let first = |index: usize| words.firsts().map_or(0, |firsts| firsts[index]);
        words.iter().enumerate().try_for_each(|(index, (word, count))| self.push(word, count, first(index)))
    }

    /// Adds a word greater than the last one; its first occurrence is used if the file has an order.
    pub fn push(&mut self, word: &[u8], count: u64, first: u64) -> Result<()> {
        if self.read.is_some_and(|read| first >= read) {
            return Err(Error::new("words-table", "the places of words are not those of the table"));
        }
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
        if self.read.is_some() {
            put_number(first, &mut record);
        }
        self.put(&record)?;
        self.record = record;
        self.last.truncate(shared);
        self.last.extend_from_slice(&word[shared..]);
        self.totals.words += 1;
        self.totals.count = self.totals.count.saturating_add(count);
        Ok(())
    }

    /// Finishes the file and syncs it to disk.
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
    /// Unread bytes of the file.
    left: u64,
    word: Vec<u8>,
    count: u64,
    totals: Totals,
    /// The first occurrence of the word; 0 in a file that has no order.
    first: u64,
    /// The number of words read, in a file that has an order.
    read: Option<u64>,
}

impl Reader {
    /// Opens a file and skips its header.
    pub fn open(path: &Path) -> Result<Self> {
        let file = File::open(path).map_err(unreadable)?;
        let left = file.metadata().map_err(unreadable)?.len();
        let input = BufReader::with_capacity(BUFFER, file);
        let (hash, totals) = (Xxh3Default::new(), Totals::default());
        let mut reader = Self { input, hash, left, word: Vec::new(), count: 0, totals, first: 0, read: None };
        let mut magic = [0; 8];
        if reader.take(&mut magic).is_err() || (magic != *MAGIC && magic != *ORDERED_MAGIC) {
            return Err(Error::new("format-unknown", "this is no table of words; make one with `anypiece words`"));
        }
        let length = reader.take_u64()?;
        reader.take_some(length)?;
        if magic == *ORDERED_MAGIC {
            reader.read = Some(reader.take_u64()?);
        }
        Ok(reader)
    }

    fn take(&mut self, bytes: &mut [u8]) -> Result<()> {
        self.input.read_exact(bytes).map_err(unreadable)?;
        self.hash.update(bytes);
        self.left = self.left.saturating_sub(u64_of(bytes.len()));
        Ok(())
    }

    fn take_u64(&mut self) -> Result<u64> {
        let mut bytes = [0; 8];
        self.take(&mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
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

    /// Advances to the next word; `false` at the end, where the checksum is verified.
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
        if let Some(read) = self.read {
            let first = self.take_number()?;
            if first >= read {
                return Err(corrupt("a word was read behind the last one"));
            }
            self.first = first;
        }
        self.totals.words += 1;
        self.totals.count = self.totals.count.saturating_add(self.count);
        Ok(true)
    }

    fn end(&mut self) -> Result<()> {
        let totals = Totals { words: self.take_u64()?, count: self.take_u64()? };
        let digest = self.hash.digest();
        if digest != self.take_u64()? {
            return Err(Error::new("checksum-mismatch", "a table of words does not match its checksum; make it again"));
        }
        if totals != self.totals || !self.input.fill_buf().map_err(unreadable)?.is_empty() {
            return Err(corrupt("its totals are wrong, or something follows them"));
        }
        Ok(())
    }
}

/// The words dropped from a table so that it fits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Left {
    /// The smallest count kept; 1 where no word was dropped.
    pub least: u64,
    /// The number of dropped words.
    pub words: u64,
    /// The sum of the counts of dropped words.
    pub count: u64,
}

/// The words of a file that fit into `limit` bytes: if not all do, the rarest are dropped, all those of one count
/// together.
pub fn load(path: &Path, limit: u64) -> Result<(Words, Left)> {
    let least = least_count(path, limit)?;
    let merge = Merge::open(&[path])?;
    let mut words = Words::new(merge.read());
    let mut left = Left { least, ..Left::default() };
    merge.each(|word, count, first| {
        if count >= least {
            return words.push(word, count, first);
        }
        left.words += 1;
        left.count = left.count.saturating_add(count);
        Ok(())
    })?;
    Ok((words, left))
}

/// Counts from here on share one class.
const CLASSES: usize = 1 << 16;

/// The smallest count such that all words with at least that count fit.
fn least_count(path: &Path, limit: u64) -> Result<u64> {
    let mut sizes = vec![0u64; CLASSES];
    let merge = Merge::open(&[path])?;
    let row = row_bytes(merge.read().is_some());
    merge.each(|word, count, _| {
        sizes[us64(count).min(CLASSES - 1)] += u64_of(word.len() + row);
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
        out.push(low8(low32(number)) | 0x80);
        number >>= 7;
    }
    out.push(low8(low32(number)));
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
