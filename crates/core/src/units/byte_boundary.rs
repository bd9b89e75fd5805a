//! Cut points of byte vocabularies: positions between two characters that no piece spans.
//!
//! A piece of bytes may begin or end within a character. So for each piece and each character start inside it, the pair
//! of the piece's bytes of the character before and of the one after is stored. A position in a text is a cut if no
//! stored pair is a suffix of the one character and a prefix of the other. ASCII pairs are not queried: words are short,
//! and their pieces many.

use std::collections::HashSet;

use foldhash::fast::FixedState;

use crate::segment::Algorithm;
use crate::spec::vocab::{Kind, Vocab};
use crate::units::Units;
use crate::util::utf8::character_length;
use crate::util::{report, Pace};

impl Units {
    /// The cut points within chunks.
    pub fn byte_cuts(&self, vocab: &Vocab) -> &ByteCuts {
        self.byte_cuts.get(|| match &self.segmenter.algorithm {
            Algorithm::Merges(merges) => ByteCuts::build(|visit| merges.each_joined(visit)),
            _ => ByteCuts::of_pieces(vocab),
        })
    }
}

/// The pairs of a vocabulary: the bytes of a piece that end a character, and those that begin the next one, each as an
/// integer.
pub struct ByteCuts {
    pairs: HashSet<(u32, u32), FixedState>,
}

/// A character of a text: its bytes as an integer, and their number.
pub type Character = (u32, usize);

/// Up to four bytes as an integer, unique among byte strings that do not begin with NUL.
fn number(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0, |value, &byte| value << 8 | u32::from(byte))
}

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
        let mut pairs = HashSet::default();
        each(&mut |piece| {
            report(piece.len());
            if !piece.is_ascii() {
                pairs.extend(pairs_of(piece));
            }
        });
        Self { pairs }
    }

    /// Calls `visit` with each pair.
    pub fn each_pair(&self, mut visit: impl FnMut(u32, u32)) {
        self.pairs.iter().for_each(|&(end, beginning)| visit(end, beginning));
    }

    /// Calls `cut` for each cut within a text of complete characters.
    #[inline]
    pub fn each(&self, text: &[u8], mut cut: impl FnMut(usize)) {
        let mut before = character_at(text, 0);
        let (mut at, mut pace) = (before.1, Pace::new());
        while at < text.len() {
            pace.reach(at);
            let behind = character_at(text, at);
            if (before.1 | behind.1) > 1 && self.is_cut(before, behind) {
                cut(at);
            }
            at += behind.1;
            before = behind;
        }
    }

    /// Whether there is a cut between two characters.
    pub fn is_cut(&self, (before, length): Character, (behind, next): Character) -> bool {
        let mut ends = (1..=length).map(|bytes| before & (u32::MAX >> (32 - 8 * bytes)));
        ends.all(|end| (0..next).all(|left| !self.pairs.contains(&(end, behind >> (8 * left)))))
    }
}

/// The pairs of a piece.
fn pairs_of(piece: &[u8]) -> impl Iterator<Item = (u32, u32)> + '_ {
    (1..piece.len()).filter(|&at| !is_inside(piece[at])).filter_map(|at| {
        let before = (0..at).rev().find(|&start| !is_inside(piece[start])).unwrap_or(0);
        let behind = (at + 1..piece.len()).find(|&end| !is_inside(piece[end])).unwrap_or(piece.len());
        let is_pair = at - before <= 4 && behind - at <= 4 && (piece[before] >= 0x80 || piece[at] >= 0x80);
        is_pair.then(|| (number(&piece[before..at]), number(&piece[at..behind])))
    })
}

/// The character at `at`.
pub fn character_at(text: &[u8], at: usize) -> Character {
    let length = text.get(at).map_or(1, |&lead| character_length(lead));
    (number(text.get(at..at + length).unwrap_or_default()), length)
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
                found.each(text.as_bytes(), |at| places.push(at));
                places
            };
            assert_eq!(places("日本"), if spans { vec![] } else { vec![3] }, "{piece:?}");
            assert_eq!(places("本日baé😀"), [3, 6, 8, 10], "{piece:?}");
            assert_eq!(places(" 日"), if spans { vec![1] } else { vec![] });
        }
    }
}
