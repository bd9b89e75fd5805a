//! Token spans within a chunk, by the reference path.
//!
//! A token starts at the sum of the lengths before it. Where bytes are dropped, the reference counts their byte-level
//! letters, of one byte or two, and continues where the dropped ones were: so does this.

use crate::segment::bpe::merge_list::Merges;
use crate::segment::fallback::NO_PIECE;
use crate::segment::{Algorithm, Buffers};
use crate::units::Units;
use crate::util::us;

impl Units {
    /// Calls `visit` with id, start and end of each token by the reference path, chunk by chunk; nothing is fused
    /// afterwards.
    pub fn each_token(&self, text: &[u8], buffers: &mut Buffers, mut visit: impl FnMut(u32, usize, usize)) {
        let mut ids = Vec::new();
        let lettered = match &self.segmenter.algorithm {
            Algorithm::Merges(merges) if merges.has_byte_pieces && merges.nature.shifts => Some(merges),
            _ => None,
        };
        self.each_chunk(text, |at, end| {
            ids.clear();
            let chunk = &text[at..end];
            self.segmenter.exact(chunk, 0.0, buffers, &mut ids);
            let mut letters = lettered.map(|merges| BytePlaces { merges, chunk, byte: 0, before: 0, place: 0 });
            let mut start = 0;
            for &(id, length) in &buffers.found {
                let end = us(length);
                if id != NO_PIECE {
                    let whole = (start, end);
                    let (from, to) = letters.as_mut().map_or(whole, |letters| letters.next(id, end - start));
                    visit(id, at + from, at + to);
                }
                start = end;
            }
        });
    }
}

/// Walks a chunk by the byte-level letters of its bytes.
struct BytePlaces<'a> {
    merges: &'a Merges,
    chunk: &'a [u8],
    /// The byte that `place` lies in.
    byte: usize,
    /// Length in bytes of the letters before that byte.
    before: usize,
    /// Where the next token begins, in bytes of letters.
    place: usize,
}

impl BytePlaces<'_> {
    fn width(byte: u8) -> usize {
        1 + usize::from(!byte.is_ascii_graphic())
    }

    fn go_to(&mut self, place: usize) {
        while let Some(&byte) = self.chunk.get(self.byte).filter(|&&byte| self.before + Self::width(byte) <= place) {
            self.before += Self::width(byte);
            self.byte += 1;
        }
    }

    /// The range of a token of `length` bytes. The affixes of a symbol's position are one-byte letters.
    fn next(&mut self, id: u32, length: usize) -> (usize, usize) {
        let wide = self.merges.vocab.piece(id).iter().filter(|&&byte| Self::width(byte) > 1).count();
        self.go_to(self.place);
        let start = self.byte;
        self.place += length + wide;
        self.go_to(self.place.saturating_sub(1));
        (start.min(self.chunk.len()), (self.byte + 1).min(self.chunk.len()))
    }
}
