//! Added tokens: strings that are found in a text before it is segmented, and that part it into fragments.
//!
//! Those that are special need the caller's permission, the others are vocabulary and always match. This stage owns where
//! they are found; each fragment between them is normalized and segmented on its own.

mod finder;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use serde::{Deserialize, Serialize};

use crate::cast::{u32_of, us};
use crate::error::{Error, Result};
use crate::index::column::Column;
use finder::Finder;

/// Found only where the caller permits it.
pub const SPECIAL: u8 = 1;
/// Takes the white space before it.
pub const LSTRIP: u8 = 2;
/// Takes the white space behind it.
pub const RSTRIP: u8 = 4;
/// Found only where no word character touches it.
pub const SINGLE_WORD: u8 = 8;
/// Looked for in the normalized text, by its own normalized form.
pub const NORMALIZED: u8 = 16;
const ALL_FLAGS: u8 = 31;

/// The columns. Text `i` is `blob[offsets[i]..offsets[i + 1]]`.
#[derive(Default)]
pub struct Added {
    /// All texts, one after the other.
    pub blob: Column<u8>,
    /// One more than there are texts, ascending; or none at all.
    pub offsets: Column<u32>,
    /// The piece that each becomes.
    pub ids: Column<u32>,
    /// Its flags.
    pub flags: Column<u8>,
}

impl Added {
    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// What is looked for.
    #[must_use]
    pub fn text(&self, index: usize) -> &[u8] {
        &self.blob[us(self.offsets[index])..us(self.offsets[index + 1])]
    }

    /// Checks that the columns belong together.
    pub fn check(&self, pieces: usize) -> Result<()> {
        let fail = |what: &str| Err(Error::new("spec-added", format!("the added tokens cannot be used: {what}")));
        if self.is_empty() && self.offsets.len() <= 1 && self.flags.is_empty() {
            return Ok(());
        }
        let fit = self.offsets.len() == self.len() + 1 && self.flags.len() == self.len();
        let bounded = self.offsets.last().is_some_and(|&end| us(end) <= self.blob.len());
        if !fit || !bounded || self.offsets.windows(2).any(|pair| pair[0] > pair[1]) {
            return fail("their columns do not fit together");
        }
        if self.offsets.windows(2).any(|pair| pair[0] == pair[1]) {
            return fail("one has an empty text");
        }
        if self.ids.iter().any(|&id| us(id) >= pieces) {
            return fail("one has an id outside the vocabulary");
        }
        if self.flags.iter().any(|&flags| flags & !ALL_FLAGS != 0) {
            return fail("one has a flag that does not exist");
        }
        Ok(())
    }

    /// Refuses two with the same text.
    pub fn check_duplicates(&self) -> Result<()> {
        let mut texts: Vec<&[u8]> = (0..self.len()).map(|index| self.text(index)).collect();
        texts.sort_unstable();
        match texts.windows(2).find(|pair| pair[0] == pair[1]) {
            None => Ok(()),
            Some(pair) => {
                let shown = String::from_utf8_lossy(pair[0]).into_owned();
                Err(Error::new("spec-added", format!("the added token {shown:?} is listed twice")).with("text", shown))
            }
        }
    }
}

/// Which of several added tokens that overlap counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Matching {
    /// The one that begins first; of those that begin together the longest.
    #[default]
    LeftmostLongest,
    /// The longest anywhere in the text; of equally long ones the first listed, then the first in the text.
    LongestFirst,
}

/// Which special ones the caller permits. Those that are not special are always found.
#[derive(Clone, Copy, Debug)]
pub enum Permit<'a> {
    /// None of them.
    Text,
    /// All of them.
    All,
    /// Those with these ids, ascending.
    Some(&'a [u32]),
    /// All that lie within one of these ranges of the text, ascending and apart. What lies elsewhere hides nothing, and those
    /// that are looked for in normalized text are never found.
    Within(&'a [(usize, usize)]),
}

/// A part of a text: an added token, or a fragment between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Where it begins.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// The id, if it is an added token.
    pub id: Option<u32>,
}

/// The compiled stage.
#[derive(Default)]
pub struct Specials {
    ids: Vec<u32>,
    flags: Vec<u8>,
    /// For each the place in the order of [`Matching::LongestFirst`].
    order: Vec<u32>,
    matching: Matching,
    raw: Finder,
    normalized: Finder,
    any_flags: u8,
    longest: usize,
    /// Whether all are special.
    all_special: bool,
}

impl Specials {
    /// Compiles the stage. `normalize` gives the form in which a text is looked for in normalized text.
    pub fn build(added: &Added, matching: Matching, normalize: impl Fn(&[u8]) -> Vec<u8>) -> Result<Self> {
        let flags = added.flags.to_vec();
        let (mut raw, mut normalized) = (Vec::new(), Vec::new());
        for (index, &held) in flags.iter().enumerate() {
            let number = u32_of(index);
            if held & NORMALIZED == 0 {
                raw.push((added.text(index).to_vec(), number));
                continue;
            }
            let form = normalize(added.text(index));
            if !form.is_empty() {
                normalized.push((form, number));
            }
        }
        let mut by_length: Vec<usize> = (0..flags.len()).collect();
        by_length.sort_by_key(|&index| Reverse(added.text(index).len()));
        let mut order = vec![0; flags.len()];
        for (place, index) in by_length.into_iter().enumerate() {
            order[index] = u32_of(place);
        }
        Ok(Self {
            ids: added.ids.to_vec(),
            any_flags: flags.iter().fold(0, |all, &held| all | held),
            longest: (0..added.len()).map(|index| added.text(index).len()).max().unwrap_or(0),
            all_special: flags.iter().all(|held| held & SPECIAL != 0),
            flags,
            order,
            matching,
            raw: Finder::build(raw)?,
            normalized: Finder::build(normalized)?,
        })
    }

    /// Whether a text has to be searched at all.
    #[must_use]
    pub fn act(&self, permit: Permit<'_>) -> bool {
        !(self.ids.is_empty() || self.all_special && matches!(permit, Permit::Text | Permit::Some([])))
    }

    /// Whether some are looked for in normalized text.
    #[must_use]
    pub fn in_normalized(&self) -> bool {
        !self.normalized.is_empty()
    }

    /// Whether what stands around a match decides about it.
    #[must_use]
    pub const fn look_around(&self) -> bool {
        self.any_flags & (SINGLE_WORD | LSTRIP | RSTRIP) != 0
    }

    /// Bytes of the longest.
    #[must_use]
    pub const fn longest(&self) -> usize {
        self.longest
    }

    /// Cuts a text at the added tokens; empty fragments are left out.
    pub fn part(&self, text: &[u8], permit: Permit<'_>, parts: &mut Vec<Part>) {
        self.part_with(&self.raw, text, permit, parts);
    }

    /// The same for normalized text.
    pub fn part_normalized(&self, text: &[u8], permit: Permit<'_>, parts: &mut Vec<Part>) {
        self.part_with(&self.normalized, text, permit, parts);
    }

    fn part_with(&self, finder: &Finder, text: &[u8], permit: Permit<'_>, parts: &mut Vec<Part>) {
        parts.clear();
        if finder.is_empty() {
            if !text.is_empty() {
                parts.push(Part { start: 0, end: text.len(), id: None });
            }
            return;
        }
        match self.matching {
            Matching::LeftmostLongest => self.leftmost(finder, text, permit, parts),
            Matching::LongestFirst => self.longest_first(finder, text, permit, parts),
        }
    }

    fn permits(&self, index: usize, permit: Permit<'_>) -> bool {
        match permit {
            _ if self.flags[index] & SPECIAL == 0 => true,
            Permit::Text => false,
            Permit::All => true,
            Permit::Some(ids) => ids.binary_search(&self.ids[index]).is_ok(),
            Permit::Within(_) => true,
        }
    }

    /// Whether a match is to be looked at at all.
    fn is_seen(&self, permit: Permit<'_>, start: usize, end: usize, index: usize) -> bool {
        let Permit::Within(ranges) = permit else { return true };
        let after = ranges.partition_point(|range| range.0 <= start);
        let is_special = self.flags[index] & SPECIAL != 0;
        !is_special || self.flags[index] & NORMALIZED == 0 && after > 0 && end <= ranges[after - 1].1
    }

    /// As the reference does it: a match that does not count is passed over as a whole, and what it hides is not found; white
    /// space that a match took does not keep a later match from beginning within it, unless nothing is left of that match.
    fn leftmost(&self, finder: &Finder, text: &[u8], permit: Permit<'_>, parts: &mut Vec<Part>) {
        let (mut at, mut done) = (0, 0);
        let is_seen = |start: usize, end: usize, index: usize| self.is_seen(permit, start, end, index);
        while let Some((first, last, index)) = finder.next(text, at, is_seen) {
            at = last;
            let flags = self.flags[index];
            let touched = || is_word_before(text, first) || is_word_behind(text, last);
            if !self.permits(index, permit) || flags & SINGLE_WORD != 0 && touched() {
                continue;
            }
            let start = if flags & LSTRIP != 0 { white_before(text, first).max(done) } else { first };
            let end = if flags & RSTRIP != 0 { white_behind(text, last) } else { last };
            if end <= start {
                continue;
            }
            if done < start {
                parts.push(Part { start: done, end: start, id: None });
            }
            parts.push(Part { start, end, id: Some(self.ids[index]) });
            done = end;
        }
        if done < text.len() {
            parts.push(Part { start: done, end: text.len(), id: None });
        }
    }

    /// Each added token in turn takes what is left of the text: the same as searching the fragments again for each of them.
    /// Of those that begin at a place only the longest is waiting; when its turn comes and it does not fit any more, the
    /// longest that does waits in its stead.
    fn longest_first(&self, finder: &Finder, text: &[u8], permit: Permit<'_>, parts: &mut Vec<Part>) {
        let longest = |start: usize, end: usize| {
            let is_wanted = |start, end, index| self.permits(index, permit) && self.is_seen(permit, start, end, index);
            let (end, index) = finder.longest(text, start, end, is_wanted)?;
            Some(Reverse((self.order[index], start, end, index)))
        };
        let mut waiting = BinaryHeap::new();
        let mut at = 0;
        while let Some(start) = finder.candidate(text, at) {
            waiting.extend(longest(start, text.len()));
            at = start + 1;
        }
        let mut free: BTreeMap<usize, usize> = BTreeMap::new();
        if !text.is_empty() {
            free.insert(0, text.len());
        }
        while let Some(Reverse((_, first, last, index))) = waiting.pop() {
            let Some((&start, &end)) = free.range(..=first).next_back().filter(|(_, &end)| first < end) else {
                continue;
            };
            if last > end {
                waiting.extend(longest(first, end));
                continue;
            }
            free.remove(&start);
            let flags = self.flags[index];
            let before = if flags & LSTRIP != 0 { start + plain_end(&text[start..first]) } else { first };
            let behind = if flags & RSTRIP != 0 { last + plain_start(&text[last..end]) } else { last };
            if start < before {
                free.insert(start, before);
            }
            if behind < end {
                free.insert(behind, end);
            }
            parts.push(Part { start: before, end: behind, id: Some(self.ids[index]) });
        }
        parts.extend(free.into_iter().map(|(start, end)| Part { start, end, id: None }));
        parts.sort_unstable_by_key(|part| part.start);
    }

    /// The last place of a text that begins a stream's rest: nothing that is found in the whole, whatever follows, lies across
    /// it, and what stands before it has no say in what is found behind it.
    #[must_use]
    pub fn settled(&self, text: &[u8]) -> usize {
        if self.raw.is_empty() {
            return text.len();
        }
        let around = self.look_around();
        let mut safe = 0;
        // Where the next one may begin, and from where on text may be parted: what stands behind a match counts, too.
        let (mut at, mut from) = (0, 0);
        loop {
            let start = self.raw.candidate(text, at).unwrap_or(text.len());
            safe = self.last_safe(text, from.max(safe), start, around).unwrap_or(safe);
            if start == text.len() {
                return safe;
            }
            let Some(mut end) = self.raw.reach(text, start) else { return safe };
            // Matches that overlap this one may reach farther.
            let mut next = start + 1;
            while next < end {
                let Some(other) = self.raw.candidate(&text[..end], next) else { break };
                let Some(reach) = self.raw.reach(text, other) else { return safe };
                end = end.max(reach);
                next = other + 1;
            }
            at = end.max(start + 1);
            from = at + usize::from(around && end > start);
        }
    }

    /// The last place in `text[from..=to]` where text may be parted, if nothing is found in between.
    fn last_safe(&self, text: &[u8], from: usize, to: usize, around: bool) -> Option<usize> {
        if from > to {
            return None;
        }
        if !around {
            return Some(to);
        }
        let is_plain = |character: Option<char>| character.is_some_and(|character| !character.is_whitespace());
        // The character before a match counts, so the place must lie before it.
        let is_safe = |at: &usize| is_plain(last_character(&text[..*at])) && is_plain(first_character(&text[*at..]));
        (from.max(1)..to).rev().find(is_safe)
    }
}

fn is_word(character: char) -> bool {
    regex_syntax::is_word_character(character)
}

fn is_word_before(text: &[u8], at: usize) -> bool {
    last_character(&text[..at]).is_some_and(is_word)
}

fn is_word_behind(text: &[u8], at: usize) -> bool {
    first_character(&text[at..]).is_some_and(is_word)
}

fn first_character(text: &[u8]) -> Option<char> {
    let head = &text[..text.len().min(4)];
    (1..=head.len()).find_map(|length| std::str::from_utf8(&head[..length]).ok()).and_then(|head| head.chars().next())
}

fn last_character(text: &[u8]) -> Option<char> {
    let tail = &text[text.len().saturating_sub(4)..];
    (0..tail.len()).rev().find_map(|from| std::str::from_utf8(&tail[from..]).ok()).and_then(|tail| tail.chars().next())
}

/// Where the white space before `at` begins.
fn white_before(text: &[u8], at: usize) -> usize {
    let mut start = at;
    while let Some(character) = last_character(&text[..start]).filter(|character| character.is_whitespace()) {
        start -= character.len_utf8();
    }
    start
}

/// Where the white space behind `at` ends.
fn white_behind(text: &[u8], at: usize) -> usize {
    let mut end = at;
    while let Some(character) = first_character(&text[end..]).filter(|character| character.is_whitespace()) {
        end += character.len_utf8();
    }
    end
}

fn is_c_space(byte: u8) -> bool {
    matches!(byte, b' ' | 9..=13)
}

/// Length of a text without the white space at its end, as C counts it.
fn plain_end(text: &[u8]) -> usize {
    text.iter().rposition(|&byte| !is_c_space(byte)).map_or(0, |last| last + 1)
}

/// Length of the white space that a text begins with, as C counts it.
fn plain_start(text: &[u8]) -> usize {
    text.iter().position(|&byte| !is_c_space(byte)).unwrap_or(text.len())
}
