//! The named normalization rules of SentencePiece's trainer, as rows of a text and its replacement.
//!
//! They approximate NFKC by look-up: each character by itself, and each sequence of characters whose decomposition
//! composes again. The tables are pinned (Unicode 17, as in SentencePiece 0.2.3), whatever else is installed.
//! `charsmap_build` compiles the rows; see docs/algorithms/normalization.md.

pub(crate) mod unicode_table;

use std::collections::HashMap;

use unicode_normalization_alignments::char::{canonical_combining_class, compose, decompose_compatible};

use crate::normalize::rules::unicode_table::{COMPOSED, DECOMPOSED, FOLDED};
use crate::normalize::steps::newer;
use crate::unicode;

/// Characters that `nmt` maps to a space.
const SPACES: [char; 15] = [
    '\t', '\n', '\u{C}', '\r', '\u{61C}', '\u{1680}', '\u{200B}', '\u{200C}', '\u{200E}', '\u{200F}', '\u{2028}',
    '\u{2029}', '\u{2581}', '\u{FEFF}', '\u{FFFD}',
];
/// Left unchanged by `nmt` although not by NFKC: the wide tilde is a distinct sign in Japanese.
const WIDE_TILDE: &str = "\u{FF5E}";

type Rows = HashMap<String, String>;

/// The rows of a rule in ascending order; `None` if there is no rule of that name.
pub fn named(name: &str) -> Option<Vec<(String, String)>> {
    let (nmt, fold) = match name {
        "identity" => return Some(Vec::new()),
        "nfkc" => (false, false),
        "nfkc_cf" => (false, true),
        "nmt_nfkc" => (true, false),
        "nmt_nfkc_cf" => (true, true),
        _ => return None,
    };
    let mut rows = nfkc();
    if nmt {
        add_nmt(&mut rows);
    }
    if fold {
        add_folding(&mut rows);
    }
    let mut rows: Vec<_> = without_redundant(rows).into_iter().collect();
    rows.sort_unstable();
    Some(rows)
}

/// Every character that NFKC changes, and every spelling of a sequence that composes.
fn nfkc() -> Rows {
    let mut rows = Rows::new();
    let mut spellings: HashMap<char, Vec<char>> = HashMap::new();
    let mut sequences = Vec::new();
    let older = ('\u{1}'..=char::MAX).filter(|&c| !unicode::is(c, unicode::NFKD));
    let newer = DECOMPOSED.iter().map(|row| row.0).chain(COMPOSED.iter().map(|row| row.2));
    for c in older.chain(newer) {
        let parts = decomposed(c);
        match parts[..] {
            [part] if part == c => continue,
            [part] => spellings.entry(part).or_default().push(c),
            _ => sequences.push(parts.clone()),
        }
        let form: String = composed(&parts).into_iter().collect();
        if !form.chars().eq([c]) {
            rows.insert(c.to_string(), form);
        }
    }
    // Many characters have the same decomposition.
    sequences.sort_unstable();
    sequences.dedup();
    for parts in sequences {
        let form = composed(&parts);
        if form == parts {
            continue;
        }
        let form: String = form.into_iter().collect();
        for spelling in spelled(&parts, &spellings) {
            if spelling != form {
                rows.insert(spelling, form.clone());
            }
        }
    }
    rows
}

fn decomposed(c: char) -> Vec<char> {
    if let Ok(at) = DECOMPOSED.binary_search_by_key(&c, |row| row.0) {
        return DECOMPOSED[at].1.chars().collect();
    }
    if let Some(&(first, second, _)) = COMPOSED.iter().find(|row| row.2 == c) {
        return [decomposed(first), decomposed(second)].concat();
    }
    let mut parts = Vec::new();
    decompose_compatible(c, |part| parts.push(part));
    parts
}

/// Canonical composition of a decomposition, which is already in canonical order.
fn composed(parts: &[char]) -> Vec<char> {
    let parts = parts.iter().map(|&part| (part, 0, canonical_combining_class(part)));
    newer::composed(parts, pair).into_iter().map(|(c, _)| c).collect()
}

fn pair(first: char, second: char) -> Option<char> {
    let newer = COMPOSED.binary_search_by_key(&(first, second), |row| (row.0, row.1));
    newer.map(|at| COMPOSED[at].2).ok().or_else(|| compose(first, second))
}

/// All sequences of single characters that decompose to `parts`.
fn spelled(parts: &[char], spellings: &HashMap<char, Vec<char>>) -> Vec<String> {
    let mut all = vec![String::new()];
    for part in parts {
        let others = spellings.get(part).map_or(&[][..], Vec::as_slice);
        let mut longer = Vec::with_capacity(all.len() * (1 + others.len()));
        for before in &all {
            for &c in std::iter::once(part).chain(others) {
                let mut spelling = String::with_capacity(16);
                spelling.push_str(before);
                spelling.push(c);
                longer.push(spelling);
            }
        }
        all = longer;
    }
    all
}

fn add_nmt(rows: &mut Rows) {
    let vanishing = ('\u{1}'..='\u{1F}').chain(['\u{7F}', '\u{8F}', '\u{9F}']);
    rows.extend(vanishing.map(|c| (c.to_string(), String::new())));
    rows.extend(SPACES.map(|c| (c.to_string(), " ".to_owned())));
    rows.remove(WIDE_TILDE);
}

/// Case-folds the targets of rules, and the characters without a rule.
fn add_folding(rows: &mut Rows) {
    for target in rows.values_mut() {
        *target = target.chars().map(folded).collect();
    }
    for (first, last, step, image) in FOLDED {
        for (nth, code) in (first..=last).enumerate().filter(|(nth, _)| nth % crate::util::cast::us(step) == 0) {
            let pair = (char::from_u32(code), char::from_u32(image + crate::util::cast::u32_of(nth)));
            if let (Some(c), Some(target)) = pair {
                rows.entry(c.to_string()).or_insert_with(|| target.to_string());
            }
        }
    }
}

/// Simple case folding.
fn folded(c: char) -> char {
    let code = u32::from(c);
    let row = FOLDED.get(FOLDED.partition_point(|row| row.1 < code));
    let found = row.filter(|row| row.0 <= code && (code - row.0) % row.2 == 0);
    found.and_then(|row| char::from_u32(row.3 + (code - row.0))).unwrap_or(c)
}

/// Drops rules that shorter rules imply.
fn without_redundant(rows: Rows) -> Rows {
    let mut by_length: Vec<Vec<(String, String)>> = Vec::new();
    for (key, target) in rows {
        let length = key.chars().count();
        by_length.resize_with(by_length.len().max(length + 1), Vec::new);
        by_length[length].push((key, target));
    }
    let mut kept = Rows::new();
    for (length, group) in by_length.into_iter().enumerate() {
        let needed = |(key, target): &(String, String)| length < 2 || replaced(&kept, key, length - 1) != *target;
        let group: Vec<_> = group.into_iter().filter(needed).collect();
        kept.extend(group);
    }
    kept
}

/// Rewrites a text by the longest rule at each position, of at most `most` characters.
fn replaced(rows: &Rows, text: &str, most: usize) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some(first) = rest.chars().next() {
        let places = rest.char_indices().map(|(at, _)| at).chain([rest.len()]);
        let rule = places.skip(1).take(most).filter_map(|end| Some((end, rows.get(&rest[..end])?))).last();
        match rule {
            Some((end, target)) => {
                out.push_str(target);
                rest = &rest[end..];
            }
            None => {
                out.push(first);
                rest = &rest[first.len_utf8()..];
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use crate::normalize::rules::named;

    const CASES: [(&str, &str, Option<&str>); 15] = [
        ("nfkc", "\u{FF76}\u{FF9E}", Some("\u{30AC}")),
        ("nfkc", "\u{1100}\u{1161}\u{11A8}", Some("\u{AC01}")),
        ("nfkc", "\u{3131}\u{314F}\u{11A8}", Some("\u{AC01}")),
        ("nfkc", "A", None),
        ("nfkc", "\t", None),
        ("nfkc", "\u{FF5E}", Some("~")),
        ("nfkc", "\u{1611E}\u{1611E}\u{1611F}", Some("\u{16126}")),
        ("nmt_nfkc", "\t", Some(" ")),
        ("nmt_nfkc", "\u{B}", Some("")),
        ("nmt_nfkc", "\u{FF5E}", None),
        ("nfkc_cf", "A", Some("a")),
        ("nfkc_cf", "\u{FF21}", Some("a")),
        ("nfkc_cf", "\u{1E9E}", Some("\u{DF}")),
        ("nfkc_cf", "\u{A7D0}", Some("\u{A7D1}")),
        ("nfkc_cf", "\u{A7D1}", None),
    ];

    #[test]
    fn rules_have_the_rows_that_make_them() {
        assert_eq!(named("nfd"), None);
        let counts =
            [("identity", 0), ("nfkc", 225_232), ("nfkc_cf", 226_640), ("nmt_nfkc", 225_276), ("nmt_nfkc_cf", 226_684)];
        for (name, count) in counts {
            let rows = named(name).unwrap_or_default();
            assert_eq!(rows.len(), count, "{name}");
            assert!(rows.windows(2).all(|pair| pair[0].0 < pair[1].0));
            for (_, key, expected) in CASES.iter().filter(|case| case.0 == name) {
                let found = rows.binary_search_by_key(key, |row| &row.0).ok().map(|at| rows[at].1.as_str());
                assert_eq!(found, *expected, "{name} {key:?}");
            }
        }
    }
}
