//! The pattern of GPT-2, r50k and p50k.
//!
//! Only a space joins what follows it; a run of white space leaves its last character to the next chunk.

use crate::split::blocks::{follows, Masks};
use crate::split::classes::{character, others_end, run_end, LETTER, NUMBER, SPACE};
use crate::split::shared::{contraction_end, with_contractions, Scanner, Spaces};

/// `'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s`; if `OLD`, in Unicode 15.1.
pub struct Gpt2<const OLD: bool>;

impl<const OLD: bool> Scanner for Gpt2<OLD> {
    const OLD: bool = OLD;

    fn chunk_end(text: &[u8], at: usize) -> usize {
        if let Some(end) = contraction_end::<false, OLD>(text, at) {
            return end;
        }
        let begin = at + usize::from(text[at] == b' ');
        let first = character::<OLD>(text, begin);
        match first.class & (LETTER | NUMBER | SPACE) {
            LETTER => run_end::<OLD>(text, begin, LETTER),
            NUMBER => run_end::<OLD>(text, begin, NUMBER),
            0 if first.is_other() => others_end::<OLD>(text, begin),
            _ => Spaces::read::<OLD>(text, at).before_last(at),
        }
    }

    #[inline(always)]
    fn starts(block: &Masks, text: &[u8], at: usize) -> Option<u64> {
        let Masks { letters, numbers, spaces, blanks, .. } = *block;
        let others = block.others();
        let new_in = |run: u64| run & !follows(run | blanks);
        let new_others = new_in(others);
        let starts = new_in(letters) | new_in(numbers) | new_others | spaces & (!follows(spaces) | !(spaces >> 1));
        Some(with_contractions::<false, OLD>(starts, block.quotes & new_others & letters >> 1, text, at))
    }
}
