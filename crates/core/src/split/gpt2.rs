//! The pattern of GPT-2, r50k and p50k, and its relative of StarCoder.
//!
//! Only a space joins what follows it; a run of white space leaves its last character to the next chunk. In StarCoder
//! each number is a chunk, and the ranges between them are cut each as a text of its own.

use crate::split::blocks::{follows, Masks};
use crate::split::classes::{character, code_at, run_end, run_while, Character, LETTER, NUMBER, SPACE};
use crate::split::shared::{contraction_end, with_contractions, Scanner, Spaces};
use crate::unicode;
use crate::unicode::NUMERIC;
use crate::util::simd::BLOCK;

/// `'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s`; if `OLD`, in Unicode 15.1. If
/// `APART`, each number is cut out first, including some newer than the classes.
pub struct Gpt2<const OLD: bool, const APART: bool>;

impl<const OLD: bool, const APART: bool> Scanner for Gpt2<OLD, APART> {
    const OLD: bool = OLD;

    fn chunk_end(text: &[u8], at: usize) -> usize {
        if let Some(end) = contraction_end::<false, OLD>(text, at) {
            return end;
        }
        let is_apart = |at: usize| APART && is_number(text, at);
        if is_apart(at) {
            return at + character::<OLD>(text, at).length;
        }
        let is_other = |next: Character, at: usize| next.is_other() && !is_apart(at);
        let begin = at + usize::from(text[at] == b' ');
        let first = character::<OLD>(text, begin);
        match first.class & (LETTER | NUMBER | SPACE) {
            LETTER => run_end::<OLD>(text, begin, LETTER),
            NUMBER if !APART => run_end::<OLD>(text, begin, NUMBER),
            0 if is_other(first, begin) => run_while::<OLD>(text, begin, is_other),
            _ => {
                let spaces = Spaces::read::<OLD>(text, at);
                if is_apart(spaces.end) {
                    return spaces.end;
                }
                spaces.before_last(at)
            }
        }
    }

    #[inline(always)]
    fn starts(block: &Masks, text: &[u8], at: usize) -> Option<u64> {
        // The numbers that the masks do not cover have four bytes.
        if APART && text[at..text.len().min(at + BLOCK)].contains(&0xF0) {
            return None;
        }
        let Masks { letters, numbers, spaces, blanks, .. } = *block;
        let new_in = |run: u64| run & !follows(run | blanks);
        let new_others = new_in(block.others());
        // White space before a number that is apart is one chunk; before anything else its last character joins that.
        let (new_numbers, whole) = if APART { (numbers, numbers >> 1) } else { (new_in(numbers), 0) };
        let new_spaces = spaces & (!follows(spaces) | !(spaces >> 1) & !whole);
        let starts = new_in(letters) | new_numbers | new_others | new_spaces;
        Some(with_contractions::<false, OLD>(starts, block.quotes & new_others & letters >> 1, text, at))
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
