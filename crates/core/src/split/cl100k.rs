//! The pattern of cl100k and its relatives of Llama 3 and Qwen 2.
//!
//! Any one character but a newline joins the letters after it, if it begins a chunk; newlines join the punctuation or
//! white space before them. The variants differ in the number of digits per chunk and in white space at the end of the
//! text, which is one chunk in cl100k even if it contains newlines.

use crate::split::blocks::{follows, Masks};
use crate::split::classes::{character, others_end, run_end, LETTER, NEWLINE, NUMBER};
use crate::split::shared::{contraction_in_any_case, newlines_end, numbers_end, Scanner, Spaces};
use crate::util::cast::us;

/// `'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,NUMBERS}| ?[^\s\p{L}\p{N}]+[\r\n]*`, then
/// `\s++$` if `TAIL`, then `|\s*[\r\n]+|\s+(?!\S)|\s+`. If `OLD`, in Unicode 15.1, and only ASCII has case.
pub struct Cl100k<const NUMBERS: usize, const TAIL: bool, const OLD: bool>;

impl<const NUMBERS: usize, const TAIL: bool, const OLD: bool> Scanner for Cl100k<NUMBERS, TAIL, OLD> {
    const OLD: bool = OLD;
    const CASED: bool = false;

    fn chunk_end(text: &[u8], at: usize) -> usize {
        if text[at] == b'\'' {
            let length = contraction_in_any_case::<OLD>(text, at + 1);
            if length != 0 {
                return at + 1 + length;
            }
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
            return newlines_end::<OLD>(text, others_end::<OLD>(text, second));
        }
        let spaces = Spaces::read::<OLD>(text, at);
        if TAIL && spaces.end == text.len() {
            return spaces.end;
        }
        spaces.behind_newline(text, at)
    }

    #[inline(always)]
    fn starts(block: &Masks, text: &[u8], at: usize) -> Option<u64> {
        let absorbed = block.absorbed(block.newlines);
        let new_others = block.new_others(absorbed);
        let mut starts = new_others
            | block.new_words(new_others)
            | block.new_numbers(NUMBERS)
            | block.new_spaces(absorbed)
            | follows(absorbed) & !absorbed;
        let mut quotes = block.quotes & new_others & block.letters >> 1;
        while quotes != 0 {
            let quote = quotes.trailing_zeros();
            quotes &= quotes - 1;
            let length = contraction_in_any_case::<OLD>(text, at + us(quote) + 1);
            if length != 0 {
                starts |= (1 << quote) << 1 << length;
            }
        }
        Some(starts)
    }
}
