//! From texts to words: each text is normalized and cut as it will be before it is segmented, and what is left is counted.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

use super::table::{Table, MAX_WORDS};
use super::words::Words;
use crate::error::{Error, Result};
use crate::fragments::Found;
use crate::index::trie::Trie;
use crate::normalize::{outer, push_inner_form};
use crate::scratch::Scratch;
use crate::specials::Permit;
use crate::tokenizer::Tokenizer;

/// What a word is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cutting {
    /// What the splitter or the rules of the Spec cut; added tokens part the text before, and are not counted.
    Chunks,
    /// What spaces part: each begins with its space, or ends with it; `runs`: spaces side by side stay together.
    Spaces {
        /// A space belongs to the word before it.
        suffix: bool,
        /// Spaces side by side stay together.
        runs: bool,
    },
    /// A whole text.
    Texts,
}

/// How texts become words.
pub struct Cutter {
    tokenizer: Arc<Tokenizer>,
    cutting: Cutting,
    /// Strings that part words and are not counted, in the inner form.
    breaks: Trie,
    /// The bytes that one of them begins with.
    begins: [bool; 256],
    escape: bool,
}

impl Cutter {
    /// A cutter that also cuts `breaks` out of normalized text, the longest where several match.
    pub fn new(tokenizer: Arc<Tokenizer>, cutting: Cutting, breaks: &[Vec<u8>]) -> Result<Self> {
        let escape = tokenizer.spec().config.escape_whitespaces;
        let mut forms: Vec<Vec<u8>> = Vec::new();
        for text in breaks {
            let mut form = Vec::new();
            if push_inner_form(text, escape, &mut form) && !form.is_empty() {
                forms.push(form);
            }
        }
        forms.sort_unstable();
        forms.dedup();
        let mut begins = [false; 256];
        for form in &forms {
            begins[usize::from(form[0])] = true;
        }
        let keys: Vec<(&[u8], u32)> = forms.iter().map(|form| (form.as_slice(), 0)).collect();
        Ok(Self { tokenizer, cutting, breaks: Trie::build(&keys)?, begins, escape })
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
        let (mut start, mut at) = (0, 0);
        while at < text.len() {
            let found = if self.begins[usize::from(text[at])] {
                self.breaks.view().longest_prefix(&text[at..], usize::MAX)
            } else {
                None
            };
            at += 1;
            if let Some((length, _)) = found {
                self.count_part(&text[start..at - 1], times, table);
                at += length - 1;
                start = at;
            }
        }
        self.count_part(&text[start..], times, table);
        Ok(())
    }

    fn count_chunks(&self, text: &[u8], times: u64, scratch: &mut Scratch, table: &mut Table) -> Result<()> {
        self.tokenizer.each_part(text, Permit::All, false, scratch, |found, scratch| {
            if let Found::Fragment(_) = found {
                self.tokenizer.each_chunk(scratch, |chunk| table.add(chunk, times));
            }
            Ok(true)
        })
    }

    /// Counts the words of a part of normalized text.
    fn count_part(&self, text: &[u8], times: u64, table: &mut Table) {
        if text.is_empty() {
            return;
        }
        let Cutting::Spaces { suffix, runs } = self.cutting else {
            table.add(text, times);
            return;
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

    /// The words of tables as one table, as users see them.
    pub fn words(&self, tables: &[Table]) -> Result<Words> {
        if !self.escape {
            return Words::from_rows(tables.iter().flat_map(Table::rows).collect());
        }
        let mut text = Vec::with_capacity(tables.iter().flat_map(Table::rows).map(|(word, _)| word.len() + 2).sum());
        let (mut ends, mut counts) = (Vec::new(), Vec::new());
        for (word, count) in tables.iter().flat_map(Table::rows) {
            outer(word, true, &mut text);
            ends.push(text.len());
            counts.push(count);
        }
        let starts = std::iter::once(&0).chain(&ends);
        let rows = starts.zip(&ends).zip(&counts).map(|((&start, &end), &count)| (&text[start..end], count));
        Words::from_rows(rows.collect())
    }
}

/// Counts many texts, some times each (once where `times` is empty), on as many threads as there are tables.
pub fn count(cutter: &Cutter, texts: &[&[u8]], times: &[u64], tables: &mut [Table]) -> Result<()> {
    if tables.iter().any(|table| table.len() > MAX_WORDS / 2) {
        return Err(Error::new("words-table", "a table of words is full; write it out sooner"));
    }
    let shares = shares(texts);
    let next = AtomicUsize::new(0);
    let work = |table: &mut Table| {
        let mut scratch = cutter.tokenizer.scratch();
        let mut result = Ok(());
        while let Some(share) = shares.get(next.fetch_add(1, Ordering::Relaxed)) {
            for index in share.clone() {
                let times = times.get(index).copied().unwrap_or(1);
                result = result.and_then(|()| cutter.count(texts[index], times, &mut scratch, table));
            }
        }
        cutter.tokenizer.give_back(scratch);
        result
    };
    let Some((first, others)) = tables.split_first_mut() else { return Ok(()) };
    std::thread::scope(|scope| {
        let helpers = shares.len().saturating_sub(1);
        let workers: Vec<_> = others.iter_mut().take(helpers).map(|table| scope.spawn(|| work(table))).collect();
        let mut result = work(first);
        for worker in workers {
            match worker.join() {
                Ok(done) => result = result.and(done),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        result
    })
}

/// The lines of a block with or without their ends, and the numbers of those that are no UTF-8, which are left out.
#[must_use]
pub fn lines(block: &[u8], keep_ends: bool) -> (Vec<&[u8]>, Vec<usize>) {
    let ends = memchr::memchr_iter(b'\n', block).map(|at| at + 1);
    let last = (block.last() != Some(&b'\n') && !block.is_empty()).then_some(block.len());
    let mut start = 0;
    let lines = ends.chain(last).map(|end| &block[std::mem::replace(&mut start, end)..end]);
    let lines = lines.map(|line| match line.split_last() {
        Some((b'\n', text)) if !keep_ends => text.strip_suffix(b"\r").unwrap_or(text),
        _ => line,
    });
    if std::str::from_utf8(block).is_ok() {
        return (lines.collect(), Vec::new());
    }
    let (mut good, mut bad) = (Vec::new(), Vec::new());
    for (number, line) in lines.enumerate() {
        if std::str::from_utf8(line).is_ok() {
            good.push(line);
        } else {
            bad.push(number);
        }
    }
    (good, bad)
}

/// Bytes of text that a thread takes at a time.
const SHARE: usize = 64 * 1024;

fn shares(texts: &[&[u8]]) -> Vec<std::ops::Range<usize>> {
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
