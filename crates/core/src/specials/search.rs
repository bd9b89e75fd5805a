//! Resolves overlapping matches, by each matching rule.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use crate::spec::added::{Matching, LSTRIP, RSTRIP, SINGLE_WORD, SPECIAL};
use crate::specials::around::{is_word_before, is_word_behind, trimmed_end, trimmed_start, white_before, white_behind};
use crate::specials::finder::Finder;
use crate::specials::{Hit, Part, Permit, Specials};
use crate::util::Pace;

/// Which matches are considered.
#[derive(Clone, Copy)]
pub(crate) enum SpecialsFilter<'a> {
    /// All, of which those that are not permitted do not count.
    Permit(Permit<'a>),
    /// Of special ones only these, which ascend and do not overlap; of others those that overlap none of these that
    /// counts.
    Kept(&'a [Hit]),
}

impl<'a> SpecialsFilter<'a> {
    /// The listed matches where there is a list, else what is permitted.
    pub(crate) fn of(permit: Permit<'a>, kept: Option<&'a [Hit]>) -> Self {
        kept.map_or(Self::Permit(permit), Self::Kept)
    }

    /// The listed match at a position, if there is one.
    fn kept(&self, start: usize, end: usize, index: usize) -> Option<&Hit> {
        let Self::Kept(hits) = self else { return None };
        let found = hits.get(hits.partition_point(|hit| hit.start < start))?;
        (found.start == start && found.end == end && found.index == index).then_some(found)
    }

    fn is_seen(&self, special: bool, start: usize, end: usize, index: usize) -> bool {
        let Self::Kept(hits) = self else { return true };
        if special {
            return self.kept(start, end, index).is_some();
        }
        let behind = &hits[hits.partition_point(|hit| hit.end <= start)..];
        !behind.iter().take_while(|hit| hit.start < end).any(|hit| hit.counts)
    }

    /// The end of the white space from `at` to `end` that can be stripped: it stops at a listed match.
    fn room_behind(&self, at: usize, end: usize) -> usize {
        let Self::Kept(hits) = self else { return end };
        let behind = hits[hits.partition_point(|hit| hit.start < at)..].iter();
        behind.take_while(|hit| hit.start < end).find(|hit| hit.counts).map_or(end, |hit| hit.start)
    }

    /// The start of the white space from `start` to `at` that can be stripped: it stops at a listed match.
    fn room_before(&self, start: usize, at: usize) -> usize {
        let Self::Kept(hits) = self else { return start };
        let before = hits[..hits.partition_point(|hit| hit.end <= at)].iter().rev();
        before.take_while(|hit| hit.end > start).find(|hit| hit.counts).map_or(start, |hit| hit.end)
    }
}

/// A search for the matches of a finder in a text.
#[derive(Clone, Copy)]
pub(crate) struct Search<'a> {
    pub finder: &'a Finder,
    pub text: &'a [u8],
    pub filter: SpecialsFilter<'a>,
}

impl Specials {
    /// Cuts a text at the matches of a finder, and reports each match that is considered.
    pub(crate) fn part_with(&self, search: Search<'_>, parts: &mut Vec<Part>, tell: impl FnMut(Hit)) {
        parts.clear();
        match self.matching {
            Matching::LeftmostLongest => self.leftmost(search, parts, tell),
            Matching::LongestFirst => self.longest_first(search, parts, tell),
        }
    }

    fn permits(&self, index: usize, permit: Permit<'_>) -> bool {
        match permit {
            _ if self.flags[index] & SPECIAL == 0 => true,
            Permit::Text | Permit::Within(_) => false,
            Permit::All => true,
            Permit::Some(ids) => ids.binary_search(&self.ids[index]).is_ok(),
        }
    }

    /// Whether a match counts, judged by itself and the characters next to it.
    fn counts(&self, filter: SpecialsFilter<'_>, text: &[u8], start: usize, end: usize, index: usize) -> bool {
        let is_free =
            || self.flags[index] & SINGLE_WORD == 0 || !(is_word_before(text, start) || is_word_behind(text, end));
        match filter {
            SpecialsFilter::Permit(permit) => self.permits(index, permit) && is_free(),
            SpecialsFilter::Kept(_) if self.is_special(index) => {
                filter.kept(start, end, index).is_some_and(|hit| hit.counts)
            }
            SpecialsFilter::Kept(_) => is_free(),
        }
    }

    /// As in the reference: a match that does not count is skipped as a whole, and what it hides is not matched; white
    /// space that a match stripped does not prevent a later match from beginning within it, unless nothing is left of
    /// that match.
    fn leftmost(&self, search: Search<'_>, parts: &mut Vec<Part>, mut tell: impl FnMut(Hit)) {
        let Search { finder, text, filter } = search;
        let (mut at, mut done) = (0, 0);
        let is_seen = |start, end, index| filter.is_seen(self.is_special(index), start, end, index);
        let mut pace = Pace::new();
        while let Some((first, last, index)) = finder.next(text, at, is_seen) {
            at = last;
            pace.reach(at);
            let flags = self.flags[index];
            let mut hit = Hit { start: first, end: last, index, counts: self.counts(filter, text, first, last, index) };
            if hit.counts {
                let start = if flags & LSTRIP != 0 { white_before(text, first).max(done) } else { first };
                let taken = || filter.room_behind(last, white_behind(text, last));
                let end = if flags & RSTRIP != 0 { taken() } else { last };
                hit.counts = start < end;
                if hit.counts {
                    if done < start {
                        parts.push(Part { start: done, end: start, id: None });
                    }
                    parts.push(Part { start, end, id: Some(self.ids[index]) });
                    done = end;
                }
            }
            tell(hit);
        }
        if done < text.len() {
            parts.push(Part { start: done, end: text.len(), id: None });
        }
    }

    /// Each added token in turn takes what is left of the text, which equals searching the fragments again for each
    /// token. Of those that begin at a position only the longest is queued; if it no longer fits when its turn comes,
    /// the longest that does is queued instead.
    fn longest_first(&self, search: Search<'_>, parts: &mut Vec<Part>, mut tell: impl FnMut(Hit)) {
        let Search { finder, text, filter } = search;
        let is_wanted = |start, end, index| match filter {
            SpecialsFilter::Permit(permit) => self.permits(index, permit),
            SpecialsFilter::Kept(_) => filter.is_seen(self.is_special(index), start, end, index),
        };
        let longest = |start: usize, end: usize| {
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
            let taken_before = || filter.room_before(start + trimmed_end(&text[start..first]), first);
            let taken_behind = || filter.room_behind(last, last + trimmed_start(&text[last..end]));
            let before = if flags & LSTRIP != 0 { taken_before() } else { first };
            let behind = if flags & RSTRIP != 0 { taken_behind() } else { last };
            if start < before {
                free.insert(start, before);
            }
            if behind < end {
                free.insert(behind, end);
            }
            parts.push(Part { start: before, end: behind, id: Some(self.ids[index]) });
            tell(Hit { start: first, end: last, index, counts: true });
        }
        parts.extend(free.into_iter().map(|(start, end)| Part { start, end, id: None }));
        parts.sort_unstable_by_key(|part| part.start);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::added::Added;
    use crate::util::cast::u32_of;

    fn specials(rows: &[(&str, u8)], matching: Matching) -> Specials {
        let mut offsets = vec![0];
        let mut blob = String::new();
        for (text, _) in rows {
            blob.push_str(text);
            offsets.push(u32_of(blob.len()));
        }
        let added = Added {
            blob: blob.into_bytes().into(),
            offsets: offsets.into(),
            ids: (0..u32_of(rows.len())).collect::<Vec<u32>>().into(),
            flags: rows.iter().map(|row| row.1).collect::<Vec<u8>>().into(),
        };
        Specials::build(&added, matching, |text| Ok(text.to_vec())).unwrap_or_default()
    }

    #[test]
    fn others_give_way_to_special_tokens_that_are_kept() {
        for matching in [Matching::LeftmostLongest, Matching::LongestFirst] {
            let specials = specials(&[("a<s", 0), ("<s>", SPECIAL), ("b", RSTRIP), ("\n", SPECIAL | LSTRIP)], matching);
            let found = |text: &str, filter: SpecialsFilter<'_>| {
                let mut parts = Vec::new();
                let search = Search { finder: &specials.raw, text: text.as_bytes(), filter };
                specials.part_with(search, &mut parts, |_| ());
                parts.into_iter().filter_map(|part| Some((part.start, part.end, part.id?))).collect::<Vec<_>>()
            };
            let kept =
                [Hit { start: 1, end: 4, index: 1, counts: true }, Hit { start: 6, end: 7, index: 3, counts: true }];
            assert_eq!(found("a<s>b \n<s>", SpecialsFilter::Kept(&kept)), [(1, 4, 1), (4, 6, 2), (6, 7, 3)]);
            let plain = found("a<s>b \n<s>", SpecialsFilter::Permit(Permit::All));
            assert_ne!(plain.first(), Some(&(1, 4, 1)), "{matching:?}");
            assert_eq!(found("a<s>b \n<s>", SpecialsFilter::Kept(&[])), [(0, 3, 0), (4, 7, 2)]);
        }
    }
}
