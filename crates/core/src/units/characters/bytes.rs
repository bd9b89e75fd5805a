//! The characters of a window for byte vocabularies with a splitter: units end with chunks, and where no piece spans
//! two characters.
//!
//! A piece may begin or end within a character. One that ends within a character spans its start and all characters
//! with that prefix: these are in the filter of adjacent characters. One that begins within a character spans any with
//! that suffix: too many to be stored, so positions before its next character are queried in [`ByteCuts`].

use std::ops::RangeInclusive;

use crate::segment::Buffers;
use crate::spec::vocab::Vocab;
use crate::units::bigrams::{Bigrams, Pairs};
use crate::units::byte_boundary::ByteCuts;
use crate::units::char_ids::{CharIds, CharTable};
use crate::units::characters::{each_in_block, Characters, BLOCK};
use crate::units::Units;
use crate::util::simd::{self, equal, read};
use crate::util::utf8::{character_length, decode};
use crate::util::{u32_of, us};

/// Maximum bytes read at a time.
pub const REACH: usize = 2048;
/// One bit for each byte that is read and for padding after them; a power of two.
pub type Marks = [u64; 2 * REACH / BLOCK];

/// Flag of a position that is a cut if [`ByteCuts`] says so.
const UNSURE: u8 = 2;
/// The index shared by all characters outside the basic plane.
const OTHERS: u32 = 0x1_0000;

impl Units {
    /// The code-point table for cuts within chunks.
    pub fn byte_char_ids(&self, vocab: &Vocab) -> &ByteCharIds {
        self.byte_char_ids.get(|| {
            let (mut buffers, mut singles) = (Buffers::default(), Vec::new());
            let mut add = |form: &[u8]| {
                let (character, length) = decode(form, 0);
                if length == form.len() && character < OTHERS {
                    let whole = self.segmenter.single(form, true, &mut buffers);
                    let part = self.segmenter.single(form, false, &mut buffers);
                    singles.extend(whole.filter(|_| whole == part).map(|id| (character, id)));
                }
            };
            (0..0x80).for_each(|byte| add(&[byte]));
            vocab.wide().for_each(|(_, piece)| {
                if piece.len() <= 3 && std::str::from_utf8(piece).is_ok() {
                    add(piece);
                }
            });
            ByteCharIds::build(self.byte_cuts(vocab), &singles)
        })
    }
}

/// The code-point table of a byte vocabulary.
pub struct ByteCharIds {
    char_table: CharTable,
    /// A bit for each character before which [`ByteCuts`] is queried.
    unsure: Vec<u64>,
}

impl ByteCharIds {
    /// From the pairs of [`ByteCuts`], and the characters that are one id both as a chunk and as a part of one.
    pub fn build(cuts: &ByteCuts, singles: &[(u32, u32)]) -> Self {
        let mut unsure = vec![0; us(OTHERS) / BLOCK + 1];
        let mut pairs = Pairs::default();
        cuts.each_pair(|end, beginning| {
            let bytes = end.to_be_bytes();
            let bytes = &bytes[us(end.leading_zeros() / 8).min(3)..];
            let behind = characters_of(beginning);
            match bytes[0] {
                0x80..=0xBF => behind.for_each(|code| unsure[us(code) / BLOCK] |= 1 << (us(code) % BLOCK)),
                lead if character_length(lead) == bytes.len() => {
                    let before = *characters_of(end).start();
                    pairs.extend(behind.map(|code| (before, code)));
                }
                // Not valid UTF-8: no text contains it.
                _ => {}
            }
        });
        Self { char_table: CharTable::build(singles, Bigrams::of_pairs(&pairs)), unsure }
    }

    /// Borrows it.
    pub fn view(&self) -> Option<ByteCharIdsView<'_>> {
        Some(ByteCharIdsView { char_ids: self.char_table.char_ids()?, unsure: &self.unsure })
    }
}

/// The characters with these first bytes, up to the first one outside the basic plane, which represents all of those.
fn characters_of(beginning: u32) -> RangeInclusive<u32> {
    let bytes = beginning.to_be_bytes();
    let bytes = &bytes[us(beginning.leading_zeros() / 8).min(3)..];
    let length = character_length(bytes[0]);
    let Some(missing) = length.checked_sub(bytes.len()) else { return RangeInclusive::new(1, 0) };
    let (lead, least) = match length {
        1 => return beginning..=beginning,
        2 => (0x1F, 0x80),
        3 => (0x0F, 0x800),
        _ => return OTHERS..=OTHERS,
    };
    let first = u32::from(bytes[0] & lead);
    let code = bytes[1..].iter().fold(first, |code, &byte| code << 6 | u32::from(byte & 0x3F));
    let shift = 6 * u32_of(missing);
    (code << shift).max(least)..=code << shift | ((1 << shift) - 1)
}

/// The code-point table, borrowed once per window.
#[derive(Clone, Copy)]
pub struct ByteCharIdsView<'a> {
    char_ids: CharIds<'a>,
    unsure: &'a [u64],
}

impl ByteCharIdsView<'_> {
    /// [`UNSURE`] for a character before which [`ByteCuts`] is queried.
    #[inline(always)]
    fn unsure(&self, code: u32) -> u8 {
        u8::from(self.unsure.get(us(code) / BLOCK).is_none_or(|word| word >> (us(code) % BLOCK) & 1 == 1)) * UNSURE
    }
}

/// Whether a chunk begins `place` bytes after the first one.
#[inline(always)]
pub fn has(marks: &Marks, place: u32) -> bool {
    marks[us(place) / BLOCK % marks.len()] >> (us(place) % BLOCK) & 1 == 1
}

impl Characters {
    /// Reads the characters that begin in `text[from..end]`, valid UTF-8 of at most [`REACH`] bytes, as far as there is
    /// room; `from` must be a unit start. Returns where it stopped. `marks` are the chunk starts, counted from `from`;
    /// `is_cut` says of the positions of two adjacent characters whether there is a cut between them.
    #[inline]
    pub fn read_bytes(
        &mut self,
        text: &[u8],
        from: usize,
        end: usize,
        char_ids: &ByteCharIdsView<'_>,
        marks: &Marks,
        mut is_cut: impl FnMut(usize, usize) -> bool,
    ) -> usize {
        self.count = 0;
        let base = u32_of(from);
        let (mut at, mut before, mut before_at) = (from, 0, base);
        while at < end {
            let places = self.at[self.count..].first_chunk_mut::<BLOCK>();
            let ids = self.ids[self.count..].first_chunk_mut::<BLOCK>();
            let begins = self.begins[self.count..].first_chunk_mut::<BLOCK>();
            let (Some(places), Some(ids), Some(begins)) = (places, ids, begins) else { break };
            begins.fill(0);
            let mut found = 0;
            at = each_in_block(read(text, at, &mut [0; BLOCK + 4]), at, end, |code, at| {
                let code = code.min(OTHERS);
                let place = found % BLOCK;
                places[place] = at;
                ids[place] = char_ids.char_ids.id(code);
                // ASCII words are not cut.
                let is_cut = !char_ids.char_ids.neighbours.may_follow(before, code) & ((before | code) >= 0x80);
                let unsure = u8::from(is_cut) * char_ids.unsure(code);
                begins[place] = u8::from(is_cut | has(marks, at - base)) | unsure;
                before = code;
                found += 1;
            });
            for place in simd::places(equal(begins, 1 | UNSURE)) {
                let place = us(place) % BLOCK;
                let before = if place == 0 { before_at } else { places[place - 1] };
                let begin = has(marks, places[place] - base) || is_cut(us(before), us(places[place]));
                begins[place] = u8::from(begin);
            }
            before_at = places[found.wrapping_sub(1) % BLOCK];
            self.count += found;
        }
        self.begins[0] = 1;
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::byte_boundary::character_at;
    use crate::util::cast::us64;

    /// Pieces that begin and end within characters, and complete ones.
    fn pieces() -> Vec<Vec<u8>> {
        let text = "日本語を書くaéя😀".as_bytes();
        let lengths = [2, 4, 5, 6, 3, 7];
        (0..text.len())
            .zip(lengths.iter().cycle())
            .map(|(at, &length)| text[at..].iter().take(length))
            .map(|piece| piece.copied().collect())
            .collect()
    }

    #[test]
    fn units_begin_where_no_piece_lies_across() {
        let mut state = 5u64;
        let mut below = |limit: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            us64(state >> 33) % limit
        };
        let all: Vec<char> = "日本語を書くaéя😀中b ".chars().collect();
        let (mut found, mut possible) = (0, 0);
        for round in 0..300 {
            let every = pieces();
            let chosen: Vec<&Vec<u8>> = every.iter().filter(|_| below(3) == 0).collect();
            let cuts = ByteCuts::build(|visit| chosen.iter().for_each(|piece| visit(piece)));
            let char_ids = ByteCharIds::build(&cuts, &[(u32::from('日'), 7)]);
            let text: String = (0..1 + round).map(|_| all[below(all.len())]).collect();
            let mut bytes = text.clone().into_bytes();
            bytes.extend([0; 80]);
            let mut marks: Marks = [1; 2 * REACH / BLOCK];
            marks[1..].fill(0);
            let mark = text.char_indices().nth(below(1 + round)).map_or(0, |(at, _)| at);
            marks[mark / BLOCK] |= 1 << (mark % BLOCK);
            let mut characters = Characters::default();
            let is_cut = |one, other| cuts.is_cut(character_at(&bytes, one), character_at(&bytes, other));
            let reached =
                char_ids.view().map(|view| characters.read_bytes(&bytes, 0, text.len(), &view, &marks, is_cut));
            assert_eq!((reached, characters.count), (Some(text.len()), text.chars().count()));
            let mut pairs = Vec::new();
            cuts.each_pair(|end, beginning| pairs.push((end, beginning)));
            let number = |bytes: &[u8]| bytes.iter().fold(0u32, |value, &byte| value << 8 | u32::from(byte));
            let spans = |one: &[u8], other: &[u8]| {
                let ends = (0..one.len()).map(|from| number(&one[from..]));
                ends.flat_map(|end| (1..=other.len()).map(move |to| (end, number(&other[..to]))))
                    .any(|pair| pairs.contains(&pair))
            };
            let places: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
            let between = |three: &[usize]| {
                let (one, other) = (&bytes[three[0]..three[1]], &bytes[three[1]..three[2]]);
                !(spans(one, other) || one.is_ascii() && other.is_ascii())
            };
            let mut exact = vec![0, mark];
            exact.extend(places.windows(3).filter(|three| between(three)).map(|three| three[1]));
            for (index, (at, character)) in text.char_indices().enumerate() {
                assert_eq!(us(characters.at[index]), at);
                assert_eq!(characters.ids[index] == 7, character == '日');
                let begins = characters.begins[index] == 1;
                assert!(characters.begins[index] < 2 && (!begins || exact.contains(&at)), "{text} at {at}");
                assert!(begins || (at != 0 && at != mark));
                found += usize::from(begins);
                possible += usize::from(exact.contains(&at));
            }
        }
        // The filter may have false positives.
        assert!(found * 100 > possible * 95, "{found} of {possible}");
    }
}
