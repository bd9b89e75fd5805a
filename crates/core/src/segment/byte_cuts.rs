//! Cut points where pieces are bytes: places between two characters that no piece spans.
//!
//! Such a piece may begin or end within a character. So for each piece and each place in it where a character begins, the
//! pair is kept of what the piece holds of the character before and of the one behind. A place in a text is a cut if no kept
//! pair is an end of the one character and a beginning of the other. The set is hashed: it may hold too many pairs, never
//! too few. ASCII pairs are cut only where that is asked for: words are short, and their pieces many.

use crate::cast::us64;
use crate::segment::cuts::character_length;
use crate::vocab::{Kind, Vocab};

/// Bits for each pair.
const SPARSE: usize = 32;
/// Smallest set.
const MIN_BITS: usize = 1 << 14;

/// The pairs of a vocabulary.
pub struct ByteCuts {
    words: Vec<u64>,
    /// Shift that takes a hash to its bit.
    shift: u32,
    /// At `a | b << 7`: whether the place between ASCII `a` and ASCII `b` is a cut; empty where there are none.
    ascii: Vec<bool>,
}

/// Up to four bytes as a number that no other string of bytes has, unless it begins with NUL.
#[inline(always)]
fn number(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |value, &byte| value << 8 | u64::from(byte))
}

/// What the ends of a character add to a hash, and what its beginnings add.
const END: u64 = 0x9E37_79B9_7F4A_7C15;
const BEGINNING: u64 = 0xD6E8_FEB8_6659_FD93;

impl ByteCuts {
    /// The pairs of all pieces that text is segmented into.
    #[must_use]
    pub fn of_pieces(vocab: &Vocab) -> Self {
        Self::build(|visit| vocab.ids_of(Kind::Normal).for_each(|id| visit(vocab.piece(id))))
    }

    /// The same, with cuts between characters of ASCII too.
    #[must_use]
    pub fn with_ascii(vocab: &Vocab) -> Self {
        let mut ascii = vec![true; 1 << 14];
        for id in vocab.ids_of(Kind::Normal) {
            for pair in vocab.piece(id).windows(2).filter(|pair| pair.is_ascii()) {
                ascii[ascii_pair(pair[0], pair[1])] = false;
            }
        }
        Self { ascii, ..Self::of_pieces(vocab) }
    }

    /// The pairs of all strings that `each` hands to what it is given.
    pub fn build(each: impl FnOnce(&mut dyn FnMut(&[u8]))) -> Self {
        let mut pairs = Vec::new();
        each(&mut |piece| {
            if !piece.is_ascii() {
                collect_pairs(piece, &mut pairs);
            }
        });
        let bits = (pairs.len() * SPARSE).next_power_of_two().max(MIN_BITS);
        let mut cuts = Self { words: vec![0; bits / 64], shift: 64 - bits.trailing_zeros(), ascii: Vec::new() };
        for hash in pairs {
            let bit = us64(hash >> cuts.shift);
            cuts.words[bit / 64] |= 1 << (bit % 64);
        }
        cuts
    }

    /// Calls `cut` for each place within a valid text that is a cut.
    #[inline]
    pub fn each(&self, text: &str, mut cut: impl FnMut(usize)) {
        let bytes = text.as_bytes();
        let mut before = Character::at(bytes, 0);
        let mut at = before.length;
        while at < bytes.len() {
            let behind = Character::at(bytes, at);
            let found = if (before.length | behind.length) > 1 {
                self.is_cut(&before, &behind)
            } else {
                self.ascii.get(ascii_pair(bytes[at - 1], bytes[at])).is_some_and(|&is_cut| is_cut)
            };
            if found {
                cut(at);
            }
            at += behind.length;
            before = behind;
        }
    }

    #[inline(always)]
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

fn collect_pairs(piece: &[u8], pairs: &mut Vec<u64>) {
    for at in (1..piece.len()).filter(|&at| !is_inside(piece[at])) {
        let before = (0..at).rev().find(|&start| !is_inside(piece[start])).unwrap_or(0);
        let behind = (at + 1..piece.len()).find(|&end| !is_inside(piece[end])).unwrap_or(piece.len());
        if at - before <= 4 && behind - at <= 4 && (piece[before] >= 0x80 || piece[at] >= 0x80) {
            let (end, beginning) = (number(&piece[before..at]), number(&piece[at..behind]));
            pairs.push(end.wrapping_mul(END).wrapping_add(beginning.wrapping_mul(BEGINNING)));
        }
    }
}

/// A character of a text, as the hashes see it.
struct Character {
    length: usize,
    /// For each number of bytes at its end, less one.
    ends: [u64; 4],
    /// For each number of bytes at its beginning, less one.
    beginnings: [u64; 4],
}

impl Character {
    #[inline(always)]
    fn at(text: &[u8], at: usize) -> Self {
        let length = text.get(at).map_or(1, |&lead| character_length(lead)).min(4);
        let whole = number(text.get(at..at + length).unwrap_or_default());
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

#[inline(always)]
fn ascii_pair(one: u8, other: u8) -> usize {
    usize::from(one) | usize::from(other) << 7
}

/// Whether a byte is within a character and not its first.
const fn is_inside(byte: u8) -> bool {
    byte & 0xC0 == 0x80
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cast::u32_of;

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
                found.each(text, |at| places.push(at));
                places
            };
            assert_eq!(places("日本"), if spans { vec![] } else { vec![3] }, "{piece:?}");
            assert_eq!(places("本日baé😀"), [3, 6, 8, 10], "{piece:?}");
            assert_eq!(places(" 日"), if spans { vec![1] } else { vec![] });
        }
    }
}
