//! Blocked Bloom filters of the character bigrams and trigrams inside pieces.
//!
//! A false positive only joins two units, which changes no id; there are no false negatives. All bits of a key are in
//! one word, so a query is one load.
//!
//! Between two characters that are adjacent in no piece is a cut. Where words are not separated by spaces, trigrams
//! find more cuts: most pairs of such characters occur in a few long pieces, and a text seldom continues as these do. A
//! piece that spans the position between two characters is just the two, or contains the character before them or after
//! them as well.

use std::collections::HashSet;

use foldhash::fast::FixedState;

use crate::util::utf8::decode;
use crate::util::{paced, u32_of, us, Column};

/// First code point of ideographs, kana and hangul: between two characters from here on trigrams are queried.
pub const CJK_START: u32 = 0x2E80;
/// Minimum bits of a filter for each bigram, and for each trigram: two trigrams are queried at each position.
const BITS_PER_BIGRAM: usize = 16;
const BITS_PER_TRIGRAM: usize = 64;
/// Minimum words of a filter, since a shift by all bits of a hash is undefined; and maximum, so that a word index fits
/// a signed 32-bit integer.
const MIN_WORDS: usize = 2;
const MAX_WORDS: usize = 1 << 26;
/// Hash factor of the first character of a trigram.
pub const FIRST_FACTOR: u32 = 0xC2B2_AE35;

/// Pairs of characters.
pub type Pairs = HashSet<(u32, u32), FixedState>;

/// The key of a bigram.
fn pair(before: u32, after: u32) -> u32 {
    before << 16 ^ after
}

/// The key of a trigram.
fn three(first: u32, second: u32, third: u32) -> u32 {
    pair(second, third) ^ first.wrapping_mul(FIRST_FACTOR)
}

fn are_dense(one: u32, other: u32) -> bool {
    one.min(other) >= CJK_START
}

/// A Bloom filter, borrowed: a power of two of words.
#[derive(Clone, Copy)]
pub struct BloomFilter<'a> {
    words: &'a [u32],
    /// Right shift that takes a hash to its word.
    pub shift: u32,
}

/// The mask of a key in its word.
fn bits(key: u32) -> u32 {
    let hash = key.wrapping_mul(BloomFilter::FACTORS[1]);
    1 << (hash >> 27) | 1 << (hash << 5 >> 27) | 1 << (hash << 10 >> 27)
}

impl<'a> BloomFilter<'a> {
    /// Hash factors of a key for its word, and for its bits.
    pub const FACTORS: [u32; 2] = [0x9E37_79B1, 0x85EB_CA6B];

    fn new(words: &'a [u32]) -> Self {
        Self { words, shift: 32 - words.len().max(MIN_WORDS).ilog2() }
    }

    fn word(self, key: u32) -> usize {
        us(key.wrapping_mul(BloomFilter::FACTORS[0]) >> self.shift)
    }

    #[inline(always)]
    fn has(self, key: u32) -> bool {
        let bits = bits(key);
        self.words.get(self.word(key)).is_none_or(|word| word & bits == bits)
    }

    /// The address of the words, indexed by a shifted hash.
    pub const fn as_ptr(self) -> *const u32 {
        self.words.as_ptr()
    }
}

/// Builds the words of a filter.
fn words_of(keys: impl ExactSizeIterator<Item = u32>, sparse: usize) -> Column<u32> {
    let mut words = vec![0; (keys.len() * sparse / 32).next_power_of_two().clamp(MIN_WORDS, MAX_WORDS)];
    let shift = BloomFilter::new(&words).shift;
    for key in paced(keys) {
        words[us(key.wrapping_mul(BloomFilter::FACTORS[0]) >> shift)] |= bits(key);
    }
    words.into()
}

fn are_words(words: &Column<u32>) -> bool {
    (MIN_WORDS..=MAX_WORDS).contains(&words.len()) && words.len().is_power_of_two()
}

/// The filters.
#[derive(Default)]
pub struct Bigrams {
    /// All bigrams.
    pub(crate) pairs: Column<u32>,
    /// Bigrams that are not both from [`CJK_START`] on, or that are a piece.
    pub(crate) bigrams: Column<u32>,
    /// Trigrams with two adjacent characters from [`CJK_START`] on.
    pub(crate) trigrams: Column<u32>,
}

impl Bigrams {
    /// Bigrams alone.
    pub fn of_pairs(pairs: &Pairs) -> Self {
        Self::of(pairs, pairs, &HashSet::default())
    }

    /// Builds the filters from collected n-grams.
    pub fn build(found: Found) -> Self {
        let Found { pairs, mut bigrams, trigrams } = found;
        bigrams.extend(pairs.iter().filter(|(before, after)| !are_dense(*before, *after)));
        Self::of(&pairs, &bigrams, &trigrams)
    }

    fn of(pairs: &Pairs, bigrams: &Pairs, trigrams: &HashSet<u32, FixedState>) -> Self {
        let filter =
            |pairs: &Pairs| words_of(pairs.iter().map(|&(before, after)| pair(before, after)), BITS_PER_BIGRAM);
        let trigrams = words_of(trigrams.iter().copied(), BITS_PER_TRIGRAM);
        Self { pairs: filter(pairs), bigrams: filter(bigrams), trigrams }
    }

    /// Takes stored columns; `None` if one is no filter.
    pub fn from_columns(columns: [Column<u32>; 3]) -> Option<Self> {
        let is_each_one = columns.iter().all(are_words);
        let [pairs, bigrams, trigrams] = columns;
        is_each_one.then_some(Self { pairs, bigrams, trigrams })
    }

    /// Whether there are no filters at all.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// Borrows them.
    pub fn view(&self) -> NeighboursView<'_> {
        let [pairs, bigrams, trigrams] =
            [&self.pairs, &self.bigrams, &self.trigrams].map(|words| BloomFilter::new(words));
        NeighboursView { pairs, bigrams, trigrams }
    }
}

/// The filters, borrowed.
#[derive(Clone, Copy)]
pub struct NeighboursView<'a> {
    pairs: BloomFilter<'a>,
    /// Bigrams that are not both from [`CJK_START`] on, or that are a piece.
    pub bigrams: BloomFilter<'a>,
    /// Trigrams with two adjacent characters from [`CJK_START`] on.
    pub trigrams: BloomFilter<'a>,
}

impl NeighboursView<'_> {
    /// False means: these two are adjacent in no piece.
    #[inline(always)]
    pub fn may_follow(self, before: u32, after: u32) -> bool {
        self.pairs.has(pair(before, after))
    }

    /// False means: a piece with this bigram has a trigram with the character before or after it.
    #[inline(always)]
    pub fn is_couple(self, before: u32, after: u32) -> bool {
        self.bigrams.has(pair(before, after))
    }

    /// False means: no piece has this trigram, if two adjacent characters of it are from [`CJK_START`] on.
    #[inline(always)]
    pub fn is_three(self, first: u32, second: u32, third: u32) -> bool {
        self.trigrams.has(three(first, second, third))
    }
}

/// N-grams collected from pieces.
#[derive(Default)]
pub struct Found {
    /// Bigrams that are not both ASCII.
    pub(crate) pairs: Pairs,
    /// Pieces of two characters from [`CJK_START`] on.
    bigrams: Pairs,
    trigrams: HashSet<u32, FixedState>,
}

impl Found {
    /// Collects the n-grams of a piece; for an ASCII bigram `a`, `b` a 0 is written to `ascii[a
    /// b << 8]`.
    pub fn note(&mut self, string: &[u8], ascii: &mut [u8]) {
        if string.is_ascii() {
            for pair in string.windows(2) {
                ascii[usize::from(pair[0]) | usize::from(pair[1]) << 8] = 0;
            }
            return;
        }
        let (mut at, mut count) = (0, 0);
        let (mut earlier, mut before) = (0, 0);
        while at < string.len() {
            let (character, length) = decode(string, at);
            if count >= 2 && (are_dense(earlier, before) || are_dense(before, character)) {
                self.trigrams.insert(three(earlier, before, character));
            }
            if count >= 1 && before.max(character) < 0x80 {
                ascii[us(before | character << 8)] = 0;
            } else if count >= 1 {
                self.pairs.insert((before, character));
            }
            (earlier, before) = (before, character);
            at += length;
            count += 1;
        }
        if count == 2 && are_dense(earlier, before) {
            self.bigrams.insert((earlier, before));
        }
    }

    /// Adds the ASCII bigrams, those with a 0 in `ascii`: in non-ASCII text they are queried like all others.
    pub fn add_ascii(&mut self, ascii: &[u8]) {
        let pairs = (0..u32_of(ascii.len())).zip(ascii).filter(|(_, &cut)| cut == 0);
        self.pairs.extend(pairs.map(|(pair, _)| (pair & 0xFF, pair >> 8)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn never_denies_a_pair_it_holds() {
        let mut pairs: Pairs =
            (0..5000u32).map(|n| (n.wrapping_mul(7919) % 3000, n.wrapping_mul(104_729) % 70_000)).collect();
        pairs.extend([(0x1_F600, 0xFE0F), (0x1_F601, 0x200D), (0x1_F600, 0x1_F601)]);
        let neighbours = Bigrams::of_pairs(&pairs);
        let view = neighbours.view();
        assert!(pairs.iter().all(|&(first, second)| view.may_follow(first, second)));
        let denied = (0..3000).filter(|&n| !view.may_follow(n, n + 70_001)).count();
        assert!(denied > 2900, "{denied}");
    }

    /// Whether some piece of a text spans the position before a character.
    fn spans(pieces: &[&str], text: &[char], at: usize) -> bool {
        pieces.iter().any(|piece| {
            let piece: Vec<char> = piece.chars().collect();
            (0..text.len()).any(|start| {
                start < at && at < start + piece.len() && text.get(start..start + piece.len()) == Some(&piece[..])
            })
        })
    }

    #[test]
    fn a_place_that_a_piece_spans_is_never_a_cut() {
        let pieces = ["日本語", "日本", "本a", "aあい", "い語語", "ab", "abé", "éあ", "語", "a", "あいう", " 日本人だ"];
        let (mut found, mut ascii) = (Found::default(), vec![1; 1 << 15]);
        for piece in pieces {
            found.note(piece.as_bytes(), &mut ascii);
        }
        found.add_ascii(&ascii);
        let neighbours = Bigrams::build(found);
        let (view, letters) = (neighbours.view(), ['日', '本', '語', 'a', 'b', 'é', 'あ', 'い', 'う', ' ', '人', 'だ']);
        let (mut state, mut cuts, mut fewer) = (1u32, 0, 0);
        for _ in 0..20_000 {
            let drawn = std::iter::repeat_with(|| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                letters[us(state >> 16) % letters.len()]
            });
            let text: Vec<char> = drawn.take(6).collect();
            let code = |at: usize| text.get(at).map_or(0, |&one| u32::from(one));
            for at in 2..5 {
                let joined = view.is_couple(code(at - 1), code(at))
                    | view.is_three(code(at - 2), code(at - 1), code(at))
                    | view.is_three(code(at - 1), code(at), code(at + 1));
                assert!(joined || !spans(&pieces, &text, at), "{text:?} {at}");
                cuts += usize::from(!joined);
                fewer += usize::from(!view.may_follow(code(at - 1), code(at)));
            }
        }
        assert!(fewer < cuts, "{fewer} {cuts}");
    }
}
