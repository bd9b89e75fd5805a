//! Cut points of byte vocabularies: positions between two characters that no piece spans.
//!
//! A piece of bytes may begin or end within a character. So for each piece and each character start inside it, the pair
//! of the piece's bytes of the character before and of the one after is stored. A position in a text is a cut if no
//! stored pair is a suffix of the one character and a prefix of the other. The Bloom filter may have false positives,
//! never false negatives. ASCII pairs are not queried: words are short, and their pieces many.

use crate::segment::Algorithm;
use crate::spec::vocab::{Kind, Vocab};
use crate::units::Units;
use crate::util::cast::{low32, us64};
use crate::util::interrupt::{paced, report, Pace};
use crate::util::utf8::character_length;

/// Bits of the filter for each pair.
const BITS_PER_BIGRAM: usize = 32;
/// Minimum bits of the filter.
const MIN_BITS: usize = 1 << 14;

impl Units {
    /// The cut points within chunks.
    pub fn byte_cuts(&self, vocab: &Vocab) -> &ByteCuts {
        self.byte_cuts.get(|| match &self.segmenter.algorithm {
            Algorithm::Merges(merges) => ByteCuts::build(|visit| merges.each_joined(vocab, visit)),
            _ => ByteCuts::of_pieces(vocab),
        })
    }
}

/// The filter of a vocabulary.
pub struct ByteCuts {
    words: Vec<u64>,
    /// Shift that takes a hash to its bit.
    shift: u32,
    /// The pairs themselves, each a suffix above a prefix; with few duplicates.
    pairs: Vec<u64>,
}

/// Up to four bytes as an integer, unique among byte strings that do not begin with NUL.
#[inline(always)]
fn number(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |value, &byte| value << 8 | u64::from(byte))
}

/// Hash factors of a character's suffixes, and of its prefixes.
const END: u64 = 0x9E37_79B9_7F4A_7C15;
const BEGINNING: u64 = 0xD6E8_FEB8_6659_FD93;

impl ByteCuts {
    /// The pairs of all pieces that text is segmented into.
    pub fn of_pieces(vocab: &Vocab) -> Self {
        Self::build(|visit| {
            vocab.wide().for_each(|(id, piece)| {
                if vocab.kind(id) == Kind::Normal {
                    visit(piece);
                }
            });
        })
    }

    /// The pairs of all strings that `each` visits.
    pub fn build(each: impl FnOnce(&mut dyn FnMut(&[u8]))) -> Self {
        let (mut pairs, mut recent) = (Vec::new(), vec![0; RECENT]);
        each(&mut |piece| {
            report(piece.len());
            if !piece.is_ascii() {
                collect_pairs(piece, &mut recent, &mut pairs);
            }
        });
        let bits = (pairs.len() * BITS_PER_BIGRAM).next_power_of_two().max(MIN_BITS);
        let shift = 64 - bits.trailing_zeros();
        let mut words = vec![0; bits / 64];
        for pair in paced(pairs.iter()) {
            let (end, beginning) = (pair >> 32, pair & 0xFFFF_FFFF);
            let hash = end.wrapping_mul(END).wrapping_add(beginning.wrapping_mul(BEGINNING));
            let bit = us64(hash >> shift);
            words[bit / 64] |= 1 << (bit % 64);
        }
        Self { words, shift, pairs }
    }

    /// Calls `visit` with each pair, as bytes in an integer: a piece's bytes of a character and of the next one.
    pub fn each_pair(&self, mut visit: impl FnMut(u32, u32)) {
        self.pairs.iter().for_each(|&pair| visit(low32(pair >> 32), low32(pair)));
    }

    /// Calls `cut` for each cut within a text of complete characters. `memory` must belong to this filter.
    #[inline]
    pub fn each(&self, text: &[u8], memory: &mut Memory, mut cut: impl FnMut(usize)) {
        let (mut before, mut length) = whole(text, 0);
        let (mut at, mut pace) = (length, Pace::new());
        while at < text.len() {
            pace.reach(at);
            let (behind, next) = whole(text, at);
            if (length | next) > 1 && self.between((before, length), (behind, next), memory) {
                cut(at);
            }
            at += next;
            (before, length) = (behind, next);
        }
    }

    /// Whether there is a cut between two characters, given as their bytes in an integer, with their lengths.
    #[inline]
    pub fn between(&self, before: (u64, usize), behind: (u64, usize), memory: &mut Memory) -> bool {
        memory.get(before.0, behind.0).unwrap_or_else(|| {
            let is_cut = self.is_cut(&Character::new(before.0, before.1), &Character::new(behind.0, behind.1));
            memory.set(before.0, behind.0, is_cut);
            is_cut
        })
    }

    #[cold]
    fn is_cut(&self, before: &Character, behind: &Character) -> bool {
        let mut cut = true;
        for &end in &before.ends[..before.length] {
            for &beginning in &behind.beginnings[..behind.length] {
                cut &= !self.has(end.wrapping_add(beginning));
            }
        }
        cut
    }

    #[inline(always)]
    fn has(&self, hash: u64) -> bool {
        let bit = us64(hash >> self.shift);
        self.words.get(bit / 64).is_none_or(|word| word >> (bit % 64) & 1 == 1)
    }
}

/// Slots of the direct-mapped cache of recent pairs, which drops most duplicates.
const RECENT: usize = 1 << 14;

fn collect_pairs(piece: &[u8], recent: &mut [u64], pairs: &mut Vec<u64>) {
    for at in (1..piece.len()).filter(|&at| !is_inside(piece[at])) {
        let before = (0..at).rev().find(|&start| !is_inside(piece[start])).unwrap_or(0);
        let behind = (at + 1..piece.len()).find(|&end| !is_inside(piece[end])).unwrap_or(piece.len());
        if at - before <= 4 && behind - at <= 4 && (piece[before] >= 0x80 || piece[at] >= 0x80) {
            let pair = number(&piece[before..at]) << 32 | number(&piece[at..behind]);
            let place = us64(pair.wrapping_mul(END) >> 32) % RECENT;
            if recent[place] != pair {
                recent[place] = pair;
                pairs.push(pair);
            }
        }
    }
}

/// The hashes of a character of a text.
struct Character {
    length: usize,
    /// For each suffix, by its number of bytes less one.
    ends: [u64; 4],
    /// For each prefix, by its number of bytes less one.
    beginnings: [u64; 4],
}

/// The bytes of the character at `at` as an integer, and their number.
#[inline(always)]
pub fn whole(text: &[u8], at: usize) -> (u64, usize) {
    if let Some(&[one @ 0xE0..=0xEF, two, three]) = text[at..].first_chunk() {
        return (u64::from(one) << 16 | u64::from(two) << 8 | u64::from(three), 3);
    }
    let length = text.get(at).map_or(1, |&lead| character_length(lead)).min(4);
    (number(text.get(at..at + length).unwrap_or_default()), length)
}

/// Direct-mapped cache of the answers for pairs of characters, by hash.
#[derive(Default)]
pub struct Memory {
    /// The two characters one above the other, 31 and 32 bits, and the answer below them; 0 if empty.
    slots: Vec<u64>,
}

/// Slots of the cache.
const REMEMBERED: usize = 1 << 15;

impl Memory {
    /// Allocates the slots, if there are none yet.
    pub fn open(&mut self) {
        self.slots.resize(REMEMBERED, 0);
    }

    /// The key of a pair. All characters fit: only the top bit of four-byte ones is lost, which all of them have set.
    #[inline(always)]
    fn key(before: u64, behind: u64) -> (u64, usize) {
        let key = before << 33 | behind << 1;
        (key, us64(key.wrapping_mul(END) >> (64 - REMEMBERED.trailing_zeros())))
    }

    #[inline(always)]
    fn get(&self, before: u64, behind: u64) -> Option<bool> {
        let (key, slot) = Self::key(before, behind);
        let held = *self.slots.get(slot)?;
        (held >> 1 == key >> 1 && held != 0).then_some(held & 1 == 1)
    }

    #[inline(always)]
    fn set(&mut self, before: u64, behind: u64, is_cut: bool) {
        let (key, slot) = Self::key(before, behind);
        if let Some(held) = self.slots.get_mut(slot) {
            *held = key | u64::from(is_cut);
        }
    }
}

impl Character {
    #[inline(always)]
    fn new(whole: u64, length: usize) -> Self {
        let (mut ends, mut beginnings) = ([0; 4], [0; 4]);
        let mut shift = 0;
        for index in 0..length {
            shift += 8;
            ends[index] = (whole & ((1 << shift) - 1)).wrapping_mul(END);
            beginnings[length - 1 - index] = (whole >> (shift - 8)).wrapping_mul(BEGINNING);
        }
        Self { length, ends, beginnings }
    }
}

/// Whether a byte is a continuation byte.
const fn is_inside(byte: u8) -> bool {
    byte & 0xC0 == 0x80
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::cast::u32_of;

    fn cuts(pieces: &[&[u8]]) -> ByteCuts {
        let offsets: Vec<u32> =
            (0..=pieces.len()).map(|count| u32_of(pieces[..count].iter().map(|piece| piece.len()).sum())).collect();
        let (scores, kinds) = (vec![0.0f32; pieces.len()], vec![1u8; pieces.len()]);
        ByteCuts::of_pieces(&Vocab::new(pieces.concat().into(), offsets.into(), scores.into(), kinds.into()))
    }

    #[test]
    fn a_place_is_a_cut_unless_a_piece_spans_it() {
        let (day, book) = ("日".as_bytes(), "本".as_bytes());
        let whole = [day, book].concat();
        for piece in [&whole[..], &whole[..4], &whole[..5], &whole[1..], &whole[2..4], b" \xE6"] {
            let (found, spans) = (cuts(&[piece, b"ab"]), piece != b" \xE6");
            let places = |text: &str| {
                let mut places = Vec::new();
                let mut memory = Memory::default();
                for _ in 0..3 {
                    places.clear();
                    found.each(text.as_bytes(), &mut memory, |at| places.push(at));
                    // Without slots, with empty slots, with cached answers.
                    memory.open();
                }
                places
            };
            assert_eq!(places("日本"), if spans { vec![] } else { vec![3] }, "{piece:?}");
            assert_eq!(places("本日baé😀"), [3, 6, 8, 10], "{piece:?}");
            assert_eq!(places(" 日"), if spans { vec![1] } else { vec![] });
        }
    }
}
