//! StarCoder: each digit is a chunk; the ranges between them are cut with GPT-2's pattern, each as a text of its own.

use crate::split::blocks::{follows, Masks};
use crate::split::classes::{character, code_at, run_end, run_while, Character, LETTER, NUMBER, SPACE};
use crate::split::shared::{contraction_end, with_contractions, Scanner, Spaces};
use crate::unicode;
use crate::unicode::NUMERIC;
use crate::util::simd::BLOCK;

/// A number, including some newer than the classes, then `'(?:[sdmt]|ll|ve|re)| ?\p{L}+|
/// ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`.
pub struct Starcoder;

impl Scanner for Starcoder {
    fn chunk_end(text: &[u8], at: usize) -> usize {
        if let Some(end) = contraction_end::<false, false>(text, at) {
            return end;
        }
        let first = character::<false>(text, at);
        if is_number(text, at) {
            return at + first.length;
        }
        let is_other = |next: Character, at: usize| next.is_other() && !is_number(text, at);
        let begin = at + usize::from(text[at] == b' ');
        let next = character::<false>(text, begin);
        match next.class & (LETTER | NUMBER | SPACE) {
            LETTER => run_end::<false>(text, begin, LETTER),
            0 if is_other(next, begin) => run_while::<false>(text, begin, is_other),
            _ => {
                let spaces = Spaces::read::<false>(text, at);
                if is_number(text, spaces.end) {
                    return spaces.end;
                }
                spaces.before_last(at)
            }
        }
    }

    #[inline(always)]
    fn starts(block: &Masks, text: &[u8], at: usize) -> Option<u64> {
        // The numbers that the masks do not cover have four bytes.
        if text[at..text.len().min(at + BLOCK)].contains(&0xF0) {
            return None;
        }
        let Masks { letters, numbers, spaces, blanks, .. } = *block;
        let others = block.others();
        let new_in = |run: u64| run & !follows(run | blanks);
        let new_others = new_in(others);
        // White space before a number is one chunk; before anything else its last character joins that.
        let split_last = spaces & !(spaces >> 1) & !(numbers >> 1);
        let starts = new_in(letters) | block.new_numbers(1) | new_others | spaces & !follows(spaces) | split_last;
        Some(with_contractions::<false, false>(starts, block.quotes & new_others & letters >> 1, text, at))
    }
}

/// Numbers by the Unicode tables of the original library, which has a few more than the classes.
fn is_number(text: &[u8], at: usize) -> bool {
    match text.get(at) {
        None => false,
        Some(byte) if byte.is_ascii() => byte.is_ascii_digit(),
        Some(_) => char::from_u32(code_at(text, at)).is_some_and(|c| unicode::is(c, NUMERIC)),
    }
}
