//! Random vocabularies: the backtracking encoder compared with merging.

use crate::index::double_array::Trie;
use crate::segment::bpe::backtrack::*;
use std::collections::HashMap;

/// A small vocabulary: pieces by their bytes, and either scores of pieces or merges of pairs.
struct Small {
    ids: HashMap<Vec<u8>, u32>,
    trie: Trie,
    ranks: Vec<u32>,
    listed: Option<HashMap<(u32, u32), (u32, u32)>>,
}

impl Rules for Small {
    fn symbol(&self, text: &[u8]) -> Option<(u32, usize)> {
        Some((*self.ids.get(&text[..1])?, 1))
    }

    fn trie(&self) -> TrieView<'_> {
        self.trie.view()
    }

    fn merge(&self, left: u32, right: u32, joined: u32) -> Option<(u32, u32)> {
        match &self.listed {
            Some(listed) => listed.get(&(left, right)).copied(),
            None => Some((self.ranks[us(joined)], joined)),
        }
    }
}

struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        us64(self.0 >> 33) % limit
    }
}

/// Pieces made of others, and some that need not be; ranks in their order, with ties, or shuffled.
fn small(chance: &mut Chance) -> Small {
    let letters = 1 + chance.below(4);
    let mut pieces: Vec<Vec<u8>> = b"abcd"[..letters].iter().map(|&letter| vec![letter]).collect();
    for _ in 0..2 + chance.below(40) {
        let (one, other) = (chance.below(pieces.len()), chance.below(pieces.len()));
        let mut piece = [&pieces[one][..], &pieces[other]].concat();
        if chance.below(8) == 0 {
            piece.push(b"abcd"[chance.below(letters)]);
        }
        if piece.len() <= 24 && !pieces.contains(&piece) {
            pieces.push(piece);
        }
    }
    of_pieces(&pieces, chance)
}

fn of_pieces(pieces: &[Vec<u8>], chance: &mut Chance) -> Small {
    let (order, step) = (chance.below(3), 1 + chance.below(3));
    let rank = |index: usize, chance: &mut Chance| match order {
        0 | 1 => u32_of(index / step),
        _ => u32_of(chance.below(pieces.len())),
    };
    let ranks: Vec<u32> = (0..pieces.len()).map(|index| rank(index, chance)).collect();
    let ids: HashMap<Vec<u8>, u32> = pieces.iter().cloned().zip(0..).collect();
    let listed = (chance.below(2) == 0).then(|| {
        let mut pairs = Vec::new();
        for (piece, result) in pieces.iter().zip(0u32..) {
            for at in 1..piece.len() {
                if let (Some(&left), Some(&right)) = (ids.get(&piece[..at]), ids.get(&piece[at..])) {
                    if chance.below(4) > 0 {
                        pairs.push((ranks[us(result)], left, right, result));
                    }
                }
            }
        }
        pairs.sort_by_key(|&(rank, ..)| rank);
        pairs.into_iter().zip(0..).map(|((_, left, right, result), rank)| ((left, right), (rank, result))).collect()
    });
    let mut keys: Vec<(&[u8], u32)> = ids.iter().map(|(piece, &id)| (&piece[..], id)).collect();
    keys.sort_unstable();
    let trie = Trie::build(&keys).unwrap_or_default();
    Small { ids, trie, ranks, listed }
}

/// The pieces of a text, by merging the leftmost pair of lowest rank until none is left.
fn merged(rules: &impl Rules, text: &[u8]) -> Vec<u32> {
    let (mut symbols, mut at) = (Vec::new(), 0);
    while let Some((id, len)) = text.get(at..).filter(|rest| !rest.is_empty()).and_then(|rest| rules.symbol(rest)) {
        symbols.push((id, at, at + len));
        at += len;
    }
    assert_eq!(at, text.len());
    loop {
        let merge = |left: usize| {
            let ((one, start, _), (other, _, end)) = (symbols[left], symbols[left + 1]);
            rules.merge(one, other, rules.trie().find(&text[start..end])?)
        };
        let ranks = (1..symbols.len()).filter_map(|right| Some((merge(right - 1)?.0, right - 1)));
        let Some((_, left)) = ranks.min() else { break };
        let Some((_, result)) = merge(left) else { break };
        symbols[left] = (result, symbols[left].1, symbols[left + 1].2);
        symbols.remove(left + 1);
    }
    symbols.into_iter().map(|symbol| symbol.0).collect()
}

#[test]
fn the_counts_are_those_of_each_prefix() {
    let mut chance = Chance(11);
    for _ in 0..150 {
        let rules = small(&mut chance);
        let letters = rules.ids.keys().filter(|piece| piece.len() == 1).count();
        let (derivations, mut buffers) = (Derivations::new(rules.ids.len()), Buffers::default());
        for _ in 0..4 {
            let text: Vec<u8> = (0..1 + chance.below(40)).map(|_| b"abcd"[chance.below(letters)]).collect();
            let Some(counts) = prefix_counts(&rules, &derivations, &text, |_| false, &mut buffers) else { continue };
            for (end, &count) in counts.iter().enumerate() {
                assert_eq!(
                    us(count),
                    merged(&rules, &text[..end]).len(),
                    "{end} of {}",
                    String::from_utf8_lossy(&text)
                );
            }
        }
    }
}

#[test]
fn a_long_piece_that_no_merge_makes_is_skipped() {
    for seed in 0..20 {
        let pieces = |lens: &[usize]| lens.iter().map(|&len| vec![b'a'; len]).collect::<Vec<_>>();
        let rules = of_pieces(&pieces(&[1, 2, 5, MAX_PIECE + 44]), &mut Chance(seed));
        let (derivations, mut buffers) = (Derivations::new(4), Buffers::default());
        let text = vec![b'a'; MAX_PIECE + 60];
        let counts = prefix_counts(&rules, &derivations, &text, |_| false, &mut buffers).unwrap_or_default();
        assert_eq!(counts.len(), text.len() + 1);
        for (end, &count) in counts.iter().enumerate() {
            assert_eq!(us(count), merged(&rules, &text[..end]).len(), "{end}, seed {seed}");
        }
        let pair = of_pieces(&pieces(&[1, 2, MAX_PIECE, MAX_PIECE + 1]), &mut Chance(seed));
        assert_eq!(prefix_counts(&pair, &Derivations::new(4), &text, |_| false, &mut Buffers::default()), None);
    }
}

#[test]
fn the_pieces_are_those_of_merging() {
    let mut chance = Chance(7);
    let (mut solved, mut given_up) = (0, 0);
    for _ in 0..400 {
        let rules = small(&mut chance);
        let letters = rules.ids.keys().filter(|piece| piece.len() == 1).count();
        let (derivations, mut buffers) = (Derivations::new(rules.ids.len()), Buffers::default());
        for _ in 0..20 {
            let used = 1 + chance.below(letters);
            let text: Vec<u8> = (0..1 + chance.below(90)).map(|_| b"abcd"[chance.below(used)]).collect();
            let mut found = vec![(99, 99)];
            if solve(&rules, &derivations, &text, &mut buffers, &mut found) {
                solved += 1;
                let ids: Vec<u32> = found[1..].iter().map(|&(id, _)| id).collect();
                assert_eq!(ids, merged(&rules, &text), "{}", String::from_utf8_lossy(&text));
                assert_eq!(found.last().map(|&(_, end)| us(end)), Some(text.len()));
            } else {
                given_up += 1;
                assert_eq!(found.len(), 1);
            }
        }
    }
    assert!(solved > 20 * given_up, "{solved} {given_up}");
}
