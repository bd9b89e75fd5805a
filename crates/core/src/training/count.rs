//! Counts words: each text is normalized and pre-tokenized as for encoding, and the chunks are counted.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use crate::normalize::push_inner_form;
use crate::spec::stages::Splitter;
use crate::specials::finder::Finder;
use crate::specials::Permit;
use crate::tokenizer::fragments::Found;
use crate::tokenizer::scratch::Scratch;
use crate::tokenizer::{Tokenizer, MAX_TEXT};
use crate::training::alphabet::BOUNDARY;
use crate::training::table::Table;
use crate::training::tables::Tables;
use crate::training::team::Team;
use crate::training::Progress;
use crate::util::simd::BLOCK;
use crate::util::{u64_of, us, Result};

/// Which parts of a text are counted as words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cutting {
    /// The chunks of the Spec's splitter or rules; added tokens divide the text before, and are not counted.
    Chunks,
    /// Words separated by spaces: each begins with its space, or ends with it.
    Spaces {
        /// A space belongs to the word before it.
        suffix: bool,
        /// Adjacent spaces stay together.
        runs: bool,
    },
    /// Words separated by spaces, each with its space before it; a break stays inside as [`BOUNDARY`], and makes its
    /// word no piece.
    Words,
    /// A whole text.
    Texts,
}

/// Turns texts into words.
pub struct Cutter {
    tokenizer: Arc<Tokenizer>,
    cutting: Cutting,
    /// Strings that separate words and are not counted, or that words are marked for, in the inner form.
    breaks: Finder,
    escape: bool,
    /// The splitter of texts that nothing changes before.
    raw_splitter: Option<Splitter>,
}

impl Cutter {
    /// A cutter that also cuts `breaks` out of normalized text, the longest where several match.
    pub fn new(tokenizer: Arc<Tokenizer>, cutting: Cutting, breaks: &[Vec<u8>]) -> Result<Self> {
        let escape = tokenizer.spec().config.escape_whitespaces;
        let inner = |text: &Vec<u8>| {
            let mut form = Vec::new();
            (push_inner_form(text, escape, &mut form) && !form.is_empty()).then_some(form)
        };
        let forms: BTreeSet<Vec<u8>> = breaks.iter().filter_map(inner).collect();
        let breaks = Finder::build(forms.into_iter().map(|form| (form, 0)).collect())?;
        let raw_splitter = if cutting == Cutting::Chunks { tokenizer.raw_splitter() } else { None };
        Ok(Self { tokenizer, cutting, breaks, escape, raw_splitter })
    }

    /// Counts the words of lines of UTF-8; returns the number of lines, and the indices of invalid ones, which are
    /// skipped.
    fn count_lines(
        &self,
        block: &[u8],
        keep_ends: bool,
        scratch: &mut Scratch,
        table: &mut Table,
    ) -> Result<(usize, Vec<usize>)> {
        let is_text = std::str::from_utf8(block).is_ok();
        if let Some(splitter) = self.raw_splitter.filter(|_| is_text && keep_ends && block.len() <= MAX_TEXT) {
            if self.tokenizer.has_no_added(block) {
                return Ok((count_pre_tokens(splitter, block, scratch, table), Vec::new()));
            }
        }
        let (mut count, mut bad) = (0, Vec::new());
        for line in lines(block, keep_ends) {
            if is_text || std::str::from_utf8(line).is_ok() {
                self.count(line, 1, scratch, table)?;
            } else {
                bad.push(count);
            }
            count += 1;
        }
        Ok((count, bad))
    }

    /// Counts the words of a text, each `times` times.
    fn count(&self, text: &[u8], times: u64, scratch: &mut Scratch, table: &mut Table) -> Result<()> {
        if self.cutting == Cutting::Chunks {
            return self.count_chunks(text, times, scratch, table);
        }
        self.tokenizer.normalize_into(text, false, scratch)?;
        let text = scratch.normalized.inner();
        if self.breaks.is_empty() {
            self.count_part(text, times, table);
            return Ok(());
        }
        if self.cutting == Cutting::Words {
            let mut marked = Vec::with_capacity(text.len());
            self.each_part(text, |part| {
                marked.extend_from_slice(part);
                marked.extend_from_slice(BOUNDARY.encode_utf8(&mut [0; 4]).as_bytes());
            });
            marked.truncate(marked.len() - BOUNDARY.len_utf8());
            self.count_part(&marked, times, table);
        } else {
            self.each_part(text, |part| self.count_part(part, times, table));
        }
        Ok(())
    }

    /// The parts of a normalized text between breaks, empty ones too.
    fn each_part<'t>(&self, text: &'t [u8], mut visit: impl FnMut(&'t [u8])) {
        let mut at = 0;
        while let Some((start, end, _)) = self.breaks.next(text, at, |_, _, _| true) {
            visit(&text[at..start]);
            at = end;
        }
        visit(&text[at..]);
    }

    fn count_chunks(&self, text: &[u8], times: u64, scratch: &mut Scratch, table: &mut Table) -> Result<()> {
        self.tokenizer.each_part(text, Permit::All, false, scratch, |found, scratch| {
            if let Found::Fragment(_) = found {
                let text = &scratch.normalized;
                self.tokenizer.each_chunk(text, |start, end| table.add(&text.bytes[start..end], times));
            }
            Ok(true)
        })
    }

    /// Counts the words of a part of normalized text.
    fn count_part(&self, text: &[u8], times: u64, table: &mut Table) {
        if text.is_empty() {
            return;
        }
        let (suffix, runs) = match self.cutting {
            Cutting::Spaces { suffix, runs } => (suffix, runs),
            Cutting::Words => (false, false),
            Cutting::Texts | Cutting::Chunks => {
                table.add(text, times);
                return;
            }
        };
        let (mut start, mut before) = (0, false);
        for (at, &byte) in text.iter().enumerate() {
            let space = byte == b' ';
            let cut = match (suffix, runs) {
                (false, false) => space,
                (false, true) => space && !before,
                (true, false) => before,
                (true, true) => before && !space,
            };
            if cut && at > start {
                table.add(&text[start..at], times);
                start = at;
            }
            before = space;
        }
        table.add(&text[start..], times);
    }

    /// Whether spaces are shown as marks to users.
    pub const fn escapes(&self) -> bool {
        self.escape
    }
}

/// Number of chunks that are found before they are counted.
const CHUNKS: usize = 1024;

/// Counts the chunks of lines, each of which is split as a text of its own; returns the number of lines. Chunks of all
/// lines are adjacent.
fn count_pre_tokens(splitter: Splitter, text: &[u8], scratch: &mut Scratch, table: &mut Table) -> usize {
    let ends = &mut scratch.engine.ends;
    ends.resize(ends.len().max(CHUNKS), 0);
    let (mut count, mut line_end, mut at) = (0, 0, 0);
    while at < text.len() {
        let (start, mut found) = (at, 0);
        while at < text.len() && found + BLOCK <= ends.len() {
            if at == line_end {
                line_end = memchr::memchr(b'\n', &text[at..]).map_or(text.len(), |place| at + place + 1);
                count += 1;
            }
            found += splitter.chunks(text, at, line_end, line_end, &mut ends[found..]);
            at = us(ends[found - 1]);
        }
        table.add_all(text, start, &ends[..found], 1);
    }
    count
}

/// Counts many texts, some times each (once where `times` is empty), on as many threads as there are tables.
pub fn count(cutter: &Cutter, texts: &[&[u8]], times: &[u64], tables: &mut Tables) -> Result<()> {
    let shares = shares(texts);
    on_threads(cutter, &shares, tables, |share, scratch, table| {
        share.clone().try_for_each(|index| {
            let times = times.get(index).copied().unwrap_or(1);
            cutter.count(texts[index], times, scratch, table)
        })
    })
    .map(|_| ())
}

/// Counts the words of the lines of a block, with or without their ends. Returns the number of lines, and the indices
/// of those that are not UTF-8, which are skipped.
pub fn count_lines(cutter: &Cutter, block: &[u8], keep_ends: bool, tables: &mut Tables) -> Result<(usize, Vec<usize>)> {
    let shares = line_shares(block);
    let done = on_threads(cutter, &shares, tables, |share, scratch, table| {
        cutter.count_lines(&block[share.clone()], keep_ends, scratch, table)
    })?;
    let (mut count, mut bad) = (0, Vec::new());
    for (lines, numbers) in done {
        bad.extend(numbers.into_iter().map(|number| count + number));
        count += lines;
    }
    Ok((count, bad))
}

/// Processes all shares, each thread with a table of its own; returns the results in order.
fn on_threads<T: Send>(
    cutter: &Cutter,
    shares: &[Range<usize>],
    tables: &mut Tables,
    work: impl Fn(&Range<usize>, &mut Scratch, &mut Table) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let (own, first_share) = tables.open()?;
    let (threads, free) = (own.len(), Mutex::new(own.iter_mut()));
    let state = || {
        // A team has at most as many states as threads, so there is a table for each.
        let table = free.lock().unwrap_or_else(PoisonError::into_inner).next();
        (table, cutter.tokenizer.scratch(), Vec::new())
    };
    let now = Progress { stage: "words", done: 0, total: u64_of(shares.len()) };
    let parts =
        Team::new(threads, &mut |_| Ok(())).run(now, shares.len(), state, |(table, scratch, done), number| {
            if let Some(table) = table {
                table.begin(first_share + u64_of(number));
                let made = work(&shares[number], scratch, table);
                done.push((number, table.read(), made));
            }
        })?;
    let mut done = Vec::with_capacity(shares.len());
    for (_, scratch, more) in parts {
        cutter.tokenizer.give_back(scratch);
        done.extend(more);
    }
    done.sort_unstable_by_key(|row| row.0);
    done.into_iter()
        .map(|(_, read, made)| {
            tables.note(read)?;
            made
        })
        .collect()
}

/// The lines of a block with or without their ends.
fn lines(block: &[u8], keep_ends: bool) -> impl Iterator<Item = &[u8]> {
    let ends = memchr::memchr_iter(b'\n', block).map(|at| at + 1);
    let last = (block.last() != Some(&b'\n') && !block.is_empty()).then_some(block.len());
    let mut start = 0;
    let lines = ends.chain(last).map(move |end| &block[std::mem::replace(&mut start, end)..end]);
    lines.map(move |line| match line.split_last() {
        Some((b'\n', text)) if !keep_ends => text.strip_suffix(b"\r").unwrap_or(text),
        _ => line,
    })
}

/// The number of newlines.
pub fn newlines(block: &[u8]) -> usize {
    memchr::memchr_iter(b'\n', block).count()
}

/// Bytes of text in a share, the unit of work of a thread.
const SHARE: usize = 64 * 1024;

fn shares(texts: &[&[u8]]) -> Vec<Range<usize>> {
    let (mut shares, mut start, mut bytes) = (Vec::new(), 0, 0);
    for (index, text) in texts.iter().enumerate() {
        bytes += text.len() + 64;
        if bytes >= SHARE {
            shares.push(start..index + 1);
            (start, bytes) = (index + 1, 0);
        }
    }
    if start < texts.len() {
        shares.push(start..texts.len());
    }
    shares
}

/// Shares of whole lines.
fn line_shares(block: &[u8]) -> Vec<Range<usize>> {
    let (mut shares, mut start) = (Vec::new(), 0);
    while start < block.len() {
        let rest = block.get(start + SHARE..).unwrap_or(&[]);
        let end = memchr::memchr(b'\n', rest).map_or(block.len(), |place| start + SHARE + place + 1);
        shares.push(start..end);
        start = end;
    }
    shares
}
