//! The pattern of cl100k and its relatives of Llama 3 and Qwen 2.
//!
//! Any one character but a newline joins the letters after it, if it begins a chunk; newlines join the punctuation or
//! white space before them. The variants differ in the number of digits per chunk and in white space at the end of the
//! text, which is one chunk in cl100k even if it contains newlines.

use crate::split::blocks::Masks;
use crate::split::classes::{character, others_end, run_end, LETTER, NEWLINE, NUMBER};
use crate::split::shared::{bytes_end, contraction_end, numbers_end, with_contractions, Scanner, Spaces};

/// `'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,NUMBERS}| ?[^\s\p{L}\p{N}]+[\r\n]*`, then
/// `\s++$` if `TAIL`, then `|\s*[\r\n]+|\s+(?!\S)|\s+`. If `OLD`, in Unicode 15.1, and only ASCII has case.
pub struct Cl100k<const NUMBERS: usize, const TAIL: bool, const OLD: bool>;

impl<const NUMBERS: usize, const TAIL: bool, const OLD: bool> Scanner for Cl100k<NUMBERS, TAIL, OLD> {
    const OLD: bool = OLD;

    fn chunk_end(text: &[u8], at: usize) -> usize {
        if let Some(end) = contraction_end::<true, OLD>(text, at) {
            return end;
        }
        let first = character::<OLD>(text, at);
        let second = at + first.length;
        if first.is(LETTER) {
            return run_end::<OLD>(text, second, LETTER);
        }
        if first.is(NUMBER) {
            return numbers_end::<OLD>(text, second, NUMBERS - 1);
        }
        let next = character::<OLD>(text, second);
        if !first.is(NEWLINE) && next.is(LETTER) {
            return run_end::<OLD>(text, second + next.length, LETTER);
        }
        if first.is_other() || text[at] == b' ' && next.is_other() {
            return bytes_end(text, others_end::<OLD>(text, second), b"\r\n");
        }
        let spaces = Spaces::read::<OLD>(text, at);
        if TAIL && spaces.is_last {
            return spaces.end;
        }
        spaces.behind_newline(at)
    }

    #[inline(always)]
    fn starts(block: &Masks, text: &[u8], at: usize) -> Option<u64> {
        let (starts, new_others) = block.starts(block.absorbed(block.newlines), NUMBERS);
        Some(with_contractions::<true, OLD>(starts, block.quotes & new_others & block.letters >> 1, text, at))
    }
}
