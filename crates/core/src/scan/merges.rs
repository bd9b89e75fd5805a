//! Merges as files list them, by the spellings of two names, resolved to numbers.

use std::ops::Range;

use crate::index::string_index::StringIndex;
use crate::scan::strings::Column;
use crate::spec::MANY_MERGES;
use crate::util::join::join_if;
use crate::util::{paced, report, u32_of, us};

/// How the names of a merge are spelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Listing {
    /// As two strings.
    Pairs,
    /// In one string with exactly one space, which is between them.
    OneSpace,
    /// In one string, with a space after the first that is not the first character; a string without one is no merge.
    FirstSpace,
}

/// A list of merges.
#[derive(Clone, Copy)]
pub struct Merges<'a> {
    /// The strings.
    pub strings: Column<'a>,
    /// How names are spelled in them.
    pub listing: Listing,
    /// Bytes that a right name begins with, and that the concatenation leaves out.
    pub prefix: usize,
    /// Whether of equal merges the last wins; otherwise the first does.
    pub keeps_last: bool,
}

impl<'a> Merges<'a> {
    fn count(self) -> usize {
        self.strings.count() / if self.listing == Listing::Pairs { 2 } else { 1 }
    }

    fn names(self, number: u32) -> Option<[&'a [u8]; 2]> {
        if self.listing == Listing::Pairs {
            return Some([self.strings.get(2 * number), self.strings.get(2 * number + 1)]);
        }
        let text = self.strings.get(number);
        let from = usize::from(self.listing == Listing::FirstSpace);
        let space = from + memchr::memchr(b' ', text.get(from..)?)?;
        let (left, right) = (&text[..space], &text[space + 1..]);
        (self.listing == Listing::FirstSpace || !right.contains(&b' ')).then_some([left, right])
    }
}

/// The numbers of two names, and of their concatenation.
type Rows = Vec<[u32; 3]>;

/// Number of merges that are looked up together, so that their cache misses overlap.
const BATCH: usize = 32;

/// Resolves merges in the order of the list. Empty names represent numbers without a name. Also returns the first merge
/// that is misspelled or has an unknown name.
pub fn merge_rows(names: Column<'_>, merges: Merges<'_>) -> (Rows, Option<u32>) {
    let index = names.index();
    let (half, whole) = (u32_of(merges.count() / 2), u32_of(merges.count()));
    let resolve = |range: Range<u32>| rows_of(&index, names, merges, range);
    let (one, other) = join_if(merges.count() > MANY_MERGES, || resolve(0..half), || resolve(half..whole));
    let ((mut rows, first_odd), (more, odd)) = (one, other);
    rows.extend_from_slice(&more);
    drop_repeated(&mut rows, names.count(), merges.keeps_last);
    (rows, first_odd.or(odd))
}

fn rows_of(index: &StringIndex, names: Column<'_>, merges: Merges<'_>, range: Range<u32>) -> (Rows, Option<u32>) {
    let (mut rows, mut odd) = (Rows::with_capacity(range.len()), None);
    let (mut joined, mut batch, mut result) = (Vec::new(), Vec::with_capacity(BATCH), 0);
    let mut numbers = range.peekable();
    while numbers.peek().is_some() {
        report(BATCH * 64);
        batch.clear();
        for number in numbers.by_ref().take(BATCH) {
            match merges.names(number) {
                Some(sides) => batch.push((number, sides, sides.map(|name| index.prefetch(name)))),
                None => odd = odd.or(Some(number).filter(|_| merges.listing != Listing::FirstSpace)),
            }
        }
        for &(number, [left, right], hashes) in &batch {
            joined.clear();
            joined.extend_from_slice(left);
            joined.extend_from_slice(right.get(merges.prefix..).unwrap_or(&[]));
            // Most lists have all merges of one result in succession, and results in the order of their numbers.
            let guess = [result, result + 1].into_iter().find(|&guess| names.is(guess, &joined));
            let name = |number: u32| names.get(number);
            let sides = (index.find_hashed(left, hashes[0], name), index.find_hashed(right, hashes[1], name));
            match (sides, guess.or_else(|| index.find(&joined, name))) {
                ((Some(left), Some(right)), Some(both)) => {
                    rows.push([left, right, both]);
                    result = both;
                }
                _ => odd = odd.or(Some(number)),
            }
        }
    }
    (rows, odd)
}

/// Keeps one of equal pairs. They have equal results, and few rows share a result: so each row is compared with those
/// of its result that were visited before.
fn drop_repeated(rows: &mut Rows, names: usize, keeps_last: bool) {
    let count = u32_of(rows.len());
    // By result one more than its last visited row, and by row the same for the one visited before it.
    let (mut last, mut before) = (vec![0; names], vec![0; rows.len()]);
    let mut dropped = vec![false; rows.len()];
    for number in paced((0..count).map(|step| if keeps_last { count - 1 - step } else { step })) {
        let [left, right, result] = rows[us(number)];
        let mut at = last[us(result)];
        while at > 0 && rows[us(at) - 1][..2] != [left, right] {
            at = before[us(at) - 1];
        }
        dropped[us(number)] = at > 0;
        if at == 0 {
            before[us(number)] = last[us(result)];
            last[us(result)] = number + 1;
        }
    }
    let mut dropped = dropped.into_iter();
    rows.retain(|_| dropped.next() == Some(false));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by_first_space(strings: Column<'_>) -> Merges<'_> {
        Merges { strings, listing: Listing::FirstSpace, prefix: 0, keeps_last: false }
    }

    /// Short and long names, in random order, and every concatenation of two; some pairs occur twice, some have no
    /// result.
    #[test]
    fn rows_are_those_of_a_plain_search() {
        let (mut names, mut state) = (Vec::new(), 7u32);
        let mut draw = |below: usize| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            us(state >> 8) % below
        };
        for _ in 0..400 {
            let length = 1 + draw(24);
            let name: String = (0..length).map(|_| ["a", "b", "\u{e9}"][draw(3)]).collect();
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let mut pairs = Vec::new();
        for _ in 0..3000 {
            let (one, other) = (names[draw(names.len())].clone(), names[draw(names.len())].clone());
            let both = format!("{one}{other}");
            if names.len() < 1500 && draw(2) == 0 && !names.contains(&both) {
                names.push(both);
            }
            pairs.push(format!("{one} {other}"));
        }
        let find = |name: &str| names.iter().position(|other| other == name).map(u32_of);
        let (mut wanted, mut odd): (Rows, Option<u32>) = (Vec::new(), None);
        for (index, pair) in (0u32..).zip(&pairs) {
            let Some((one, other)) = pair.split_once(' ') else { continue };
            match (find(one), find(other), find(&format!("{one}{other}"))) {
                (Some(one), Some(other), Some(both)) => {
                    if !wanted.iter().any(|row| row[..2] == [one, other]) {
                        wanted.push([one, other, both]);
                    }
                }
                _ => odd = odd.or(Some(index)),
            }
        }
        let columns = |texts: &[String]| {
            let ends = texts.iter().scan(0, |end, text| {
                *end += u32_of(text.len());
                Some(*end)
            });
            (texts.concat().into_bytes(), std::iter::once(0).chain(ends).collect::<Vec<u32>>())
        };
        let (names, pairs) = (columns(&names), columns(&pairs));
        let (Ok(names), Ok(pairs)) = (Column::new(&names.0, &names.1), Column::new(&pairs.0, &pairs.1)) else {
            unreachable!()
        };
        assert!(wanted.len() > 500 && odd.is_some());
        assert_eq!(merge_rows(names, by_first_space(pairs)), (wanted, odd));
    }

    #[test]
    fn names_are_joined_by_their_numbers() {
        let names = Column::new(b"ababc ", &[0, 1, 2, 4, 5, 6]);
        let pairs = Column::new(b"a bab cnoa b  a x", &[0, 3, 7, 9, 12, 13, 17]);
        let (Ok(names), Ok(pairs)) = (names, pairs) else { unreachable!() };
        assert_eq!(merge_rows(names, by_first_space(pairs)), (vec![[0, 1, 2]], Some(1)));
        assert!(Column::new(b"ab", &[0, 3]).is_err());
        assert!(Column::new(b"ab", &[]).is_err());
    }
}
