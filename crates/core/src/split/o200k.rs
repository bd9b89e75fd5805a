//! The pattern of o200k and Llama 4, and its relative of Tekken.
//!
//! As in cl100k, but words have a shape: upper case, then lower case, then an optional contraction. Caseless letters
//! and marks are both. So a word that is upper case to its end has to end after the last letter that could be lower
//! case, and only if there is none is it taken whole. Tekken has no contractions, and each digit is a chunk.

use crate::split::blocks::{follows, Masks};
use crate::split::classes::{character, others_end, run_end, Character, LETTER, LOWER, NEWLINE, NUMBER, UPPER};
use crate::split::shared::{bytes_end, contraction, contraction_end, numbers_end, Scanner, Spaces};
use crate::util::simd::places;
use crate::util::us;

/// ```text
/// [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?
/// |[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?
/// |\p{N}{1,NUMBERS}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+
/// ```
/// Without the contractions if there are none.
pub struct O200k<const NUMBERS: usize, const CONTRACTIONS: bool>;

impl<const NUMBERS: usize, const CONTRACTIONS: bool> Scanner for O200k<NUMBERS, CONTRACTIONS> {
    const CASED: bool = true;

    fn chunk_end(text: &[u8], at: usize) -> usize {
        let first = character::<false>(text, at);
        if first.is(NUMBER) {
            return numbers_end::<false>(text, at + first.length, NUMBERS - 1);
        }
        if let Some(end) = word_end(text, at, first) {
            return contraction_end::<true, false>(text, end).filter(|_| CONTRACTIONS).unwrap_or(end);
        }
        if first.is_other() || text[at] == b' ' && character::<false>(text, at + 1).is_other() {
            return bytes_end(text, others_end::<false>(text, at + first.length), b"\r\n/");
        }
        Spaces::read::<false>(text, at).behind_newline(at)
    }

    #[inline(always)]
    fn starts(block: &Masks, text: &[u8], at: usize) -> Option<u64> {
        let (mut starts, _) = block.starts(block.absorbed(block.newlines | block.slashes), NUMBERS);
        starts |= block.upper() & follows(block.lower());
        let quotes = if CONTRACTIONS { block.quotes & follows(block.words()) } else { 0 };
        let mut behind = 0u64;
        for quote in places(quotes) {
            let length = contraction::<true, false>(text, at + us(quote) + 1);
            // A word has one contraction; a quote after it begins the next chunk.
            if length != 0 && 1 << quote != behind {
                behind = (1 << quote) << 1 << length;
                starts = starts & !(behind.wrapping_sub(1 << quote)) | behind;
            }
        }
        Some(starts)
    }
}

/// The end of the word at `at`, without its contraction.
#[inline(always)]
fn word_end(text: &[u8], at: usize, first: Character) -> Option<usize> {
    let prefixed = !first.is(LETTER | NEWLINE);
    let begin = if prefixed { at + first.length } else { at };
    // Upper case as far as it goes; `lower` is the last position after a character that may be lower case as well.
    let (mut end, mut lower) = (begin, None);
    let next = loop {
        let next = character::<false>(text, end);
        if !next.is(UPPER) {
            break next;
        }
        end += next.length;
        if next.is(LOWER) {
            lower = Some(end);
        }
    };
    if next.is(LOWER) {
        return Some(run_end::<false>(text, end, LOWER));
    }
    // A mark that cannot be the prefix of a word is a word itself.
    let alone = (prefixed && first.is(LOWER)).then_some(begin);
    lower.or(alone).or((end > begin).then_some(end))
}
