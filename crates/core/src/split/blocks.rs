//! SIMD pre-tokenization: character classes of 64 bytes as masks, and from them the starts of chunks, without a branch
//! per character.
//!
//! A block begins at a chunk start. It is cut at what the masks do not cover: white space and numbers of more than one
//! byte, invalid bytes, mixtures of upper case and caseless letters. From there the scalar scanners continue.

use crate::split::classes::{class_of, LETTER, LONGEST, LOWER, NUMBER, SPACE, UPPER};
use crate::util::simd::{between, continuing, either, equal, high, places, read, Block, BLOCK};
use crate::util::utf8::{decode_word, word_at};
use crate::util::{u32_of, us};

/// Class masks of a block. All bytes of a character have its class.
pub struct Masks {
    /// `\p{L}`
    pub letters: u64,
    /// ASCII digits.
    pub numbers: u64,
    /// ASCII white space.
    pub spaces: u64,
    /// U+0020 only.
    pub blanks: u64,
    /// `[\r\n]`
    pub newlines: u64,
    /// `'`
    pub quotes: u64,
    /// `/`
    pub slashes: u64,
    /// Not the first byte of a character.
    inner: u64,
    /// Upper case and letters without case, with marks.
    uppers: u64,
    /// Lower case and letters without case, with marks.
    lowers: u64,
    /// Number of leading bytes whose classification is final.
    known: u32,
}

/// The bytes right after some bytes.
#[inline(always)]
pub fn follows(bytes: u64) -> u64 {
    bytes << 1
}

/// A mask of the lowest `bits` bits.
#[inline(always)]
fn lowest(bits: u32) -> u64 {
    !(!0u64).checked_shl(bits).unwrap_or(0)
}

impl Masks {
    /// The block at `at`. Bytes from `end` on are not part of the text. `cased` and `old` are those of the scanner.
    #[inline(always)]
    pub fn read(text: &[u8], at: usize, end: usize, cased: bool, old: bool) -> Self {
        let mut padded = [0; BLOCK + 4];
        let bytes = read(text, at, &mut padded);
        let Some(block) = bytes.first_chunk::<BLOCK>() else { return Self::ascii(&[0; BLOCK], 0) };
        let known = u32_of((end - at).min(BLOCK));
        let mut masks = Self::ascii(block, known);
        let non_ascii = high(block) & lowest(known);
        if non_ascii != 0 {
            masks.add_non_ascii(bytes, non_ascii, end - at, cased, old);
        }
        masks
    }

    #[inline(always)]
    fn ascii(block: &Block, known: u32) -> Self {
        let blanks = equal(block, b' ');
        let (uppers, lowers) = (between(block, b'A', b'Z'), between(block, b'a', b'z'));
        // A slash precedes the digits in ASCII, and most blocks have neither.
        let numbers = between(block, b'/', b'9');
        let slashes = if numbers == 0 { 0 } else { equal(block, b'/') };
        Self {
            letters: uppers | lowers,
            numbers: numbers & !slashes,
            spaces: blanks | between(block, b'\t', b'\r'),
            blanks,
            newlines: either(block, b'\n', b'\r'),
            quotes: equal(block, b'\''),
            slashes,
            inner: 0,
            uppers,
            lowers,
            known,
        }
    }

    /// Adds the classes of non-ASCII characters.
    #[inline(always)]
    fn add_non_ascii(&mut self, bytes: &[u8; BLOCK + 4], non_ascii: u64, left: usize, cased: bool, old: bool) {
        let Some(block) = bytes.first_chunk() else { return };
        self.inner = continuing(block);
        let inner = self.inner & lowest(self.known);
        let mut covered = self.add_caseless(block, inner);
        covered |= self.add_cyrillic(block, inner);
        for at in places(non_ascii & !inner & !covered) {
            let Some((code, length)) = decode_word(word_at(bytes, us(at) % BLOCK)) else { break };
            let class = if old { class_of::<true>(code) } else { class_of::<false>(code) };
            if class & (NUMBER | SPACE) != 0 || us(at + length) > left {
                break;
            }
            let all = lowest(length) << at;
            let when = |class_bit: u8| all & u64::from((class / class_bit) & 1).wrapping_neg();
            covered |= all;
            self.letters |= when(LETTER);
            if cased {
                self.uppers |= when(UPPER);
                self.lowers |= when(LOWER);
            }
        }
        let mut unknown = non_ascii & !covered;
        if cased {
            // Caseless letters next to upper case; marks that are not part of a word.
            let (caseless, upper) = (self.uppers & self.lowers, self.upper());
            unknown |= caseless & follows(upper) | upper & follows(caseless) | self.marks() & !follows(self.words());
        }
        self.known = self.known.min(unknown.trailing_zeros());
    }

    /// Adds caseless letters of large ranges, by their lead bytes: U+4E00 to U+9FFF, U+B000 to U+CFFF and nearly all
    /// from U+3041 to U+30FF. Returns the mask of their bytes.
    #[inline(always)]
    fn add_caseless(&mut self, block: &Block, inner: u64) -> u64 {
        if between(block, 0xE3, 0xEC) == 0 {
            return 0;
        }
        let mut first = between(block, 0xE5, 0xE9) | between(block, 0xEB, 0xEC);
        first |= equal(block, 0xE4) & between(block, 0xB8, 0xBF) >> 1;
        let kana = equal(block, 0xE3);
        if kana != 0 {
            let but = |second: u8, third: u64| equal(block, second) >> 1 & !(third >> 2);
            let rows = but(0x81, equal(block, 0x80)) | but(0x82, between(block, 0x97, 0xA0));
            first |= kana & (rows | but(0x83, equal(block, 0xBB)));
        }
        first &= inner >> 1 & inner >> 2;
        let all = first | first << 1 | first << 2;
        self.letters |= all;
        self.uppers |= all;
        self.lowers |= all;
        all
    }

    /// Adds Cyrillic letters: upper case from U+0400 to U+042F, lower case from U+0430 to U+045F. Returns the mask of
    /// their bytes.
    #[inline(always)]
    fn add_cyrillic(&mut self, block: &Block, inner: u64) -> u64 {
        let (first, second) = (equal(block, 0xD0), equal(block, 0xD1));
        if first | second == 0 {
            return 0;
        }
        let high = between(block, 0xB0, 0xBF);
        let upper = first & (inner & !high) >> 1;
        let lower = (first & high >> 1 | second & !(between(block, 0xA0, 0xBF) >> 1)) & inner >> 1;
        let (uppers, lowers) = (upper | upper << 1, lower | lower << 1);
        self.letters |= uppers | lowers;
        self.uppers |= uppers;
        self.lowers |= lowers;
        uppers | lowers
    }

    /// The characters of words.
    #[inline(always)]
    pub fn words(&self) -> u64 {
        self.letters | self.marks()
    }

    /// Marks, where the pattern counts them as part of words.
    #[inline(always)]
    fn marks(&self) -> u64 {
        self.uppers & self.lowers & !self.letters
    }

    /// Upper case only.
    #[inline(always)]
    pub fn upper(&self) -> u64 {
        self.uppers & !self.lowers
    }

    /// Lower case only.
    #[inline(always)]
    pub fn lower(&self) -> u64 {
        self.lowers & !self.uppers
    }

    /// `[^\s\p{L}\p{N}]`, without the marks in words.
    #[inline(always)]
    pub fn others(&self) -> u64 {
        !(self.words() | self.numbers | self.spaces)
    }

    /// Which of some bytes belong to the punctuation before them: a run of them, starting at a newline after
    /// punctuation.
    #[inline(always)]
    pub fn absorbed(&self, some: u64) -> u64 {
        let first = self.newlines & follows(self.others());
        // The carry clears the rest of a run from `first` on.
        some & (!some.wrapping_add(first) | first)
    }

    /// Where runs of others begin, not counting a space before them.
    #[inline(always)]
    fn new_others(&self, absorbed: u64) -> u64 {
        let others = self.others() & !absorbed;
        others & !follows(others | self.blanks)
    }

    /// Where words begin without a preceding character that joins them. At the start of a run of others, one character
    /// joins.
    #[inline(always)]
    fn new_words(&self, new_others: u64) -> u64 {
        let mut taken = new_others;
        if self.inner != 0 {
            for _ in 1..LONGEST {
                taken |= follows(taken) & self.inner;
            }
        }
        let words = self.words();
        words & !follows(words | taken | self.spaces & !self.newlines)
    }

    /// Where chunks begin, contractions and upper case apart, with at most `most` digits in each; and where others
    /// begin. The bytes `absorbed` belong to the punctuation before them.
    #[inline(always)]
    pub fn starts(&self, absorbed: u64, most: usize) -> (u64, u64) {
        let new_others = self.new_others(absorbed);
        let words_and_numbers = self.new_words(new_others) | self.new_numbers(most);
        let spaces = self.new_spaces(absorbed) | follows(absorbed) & !absorbed;
        (new_others | words_and_numbers | spaces, new_others)
    }

    /// Where chunks of at most `most` digits begin.
    #[inline(always)]
    fn new_numbers(&self, most: usize) -> u64 {
        let numbers = self.numbers;
        if most == 1 || numbers == 0 {
            return numbers;
        }
        let mut starts = numbers & !follows(numbers);
        let full = numbers & numbers << 1 & numbers << 2 & numbers << 3;
        let mut next = starts << 3 & full;
        while next != 0 {
            starts |= next;
            next = next << 3 & full;
        }
        starts
    }

    /// Where chunks in runs of white space begin.
    #[inline(always)]
    fn new_spaces(&self, absorbed: u64) -> u64 {
        let (spaces, newlines) = (self.spaces & !absorbed, self.newlines & !absorbed);
        let rest = spaces & !newlines;
        let first = spaces & !follows(spaces);
        let last = rest & !(spaces >> 1);
        first | last | self.behind_last_newlines(rest, newlines)
    }

    /// White space after the last newline of a run; `rest` is white space without newlines.
    #[inline(always)]
    fn behind_last_newlines(&self, rest: u64, newlines: u64) -> u64 {
        let mut behind = rest & follows(newlines);
        let ends = rest.wrapping_add(behind) & !rest;
        if ends & newlines != 0 {
            for place in places(behind) {
                if rest.wrapping_add(1 << place) & !rest & newlines != 0 {
                    behind &= !(1 << place);
                }
            }
        }
        behind
    }

    /// The starts that are final, without the first byte, in a text with `left` more bytes; and whether its end is
    /// final too.
    #[inline(always)]
    pub fn sure(&self, starts: u64, left: usize) -> (u64, bool) {
        if self.known == 0 {
            return (0, false);
        }
        let spaces = (self.spaces << (64 - self.known)).leading_ones();
        let before = self.known - spaces;
        if us(self.known) == left && (spaces < 2 || self.newlines >> (self.known - 1) & 1 == 1) {
            // At the end of a text, white space that ends with a newline is one chunk, and so is a single character.
            let behind = starts & !lowest(before) & lowest(self.known);
            let first = behind & behind.wrapping_neg();
            return ((starts & lowest(before) | first) & !1, true);
        }
        // White space at the end may continue, and the continuation decides where it is cut.
        let limit = before.min(self.known - 1);
        (starts & (!0 >> (63 - limit)) & !1, false)
    }
}
