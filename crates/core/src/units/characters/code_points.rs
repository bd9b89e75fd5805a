//! Runs of code points with one-character results: results, ids, and which of them begin units, with SIMD.
//!
//! A scalar character takes forty instructions, so that only about ten table loads overlap. With AVX2 gathers eight
//! characters are handled at once, and many more loads overlap. The test compares both.

use crate::normalize::code_points::{image_of, CodePoint, CodePointTable, OTHER};
#[cfg(target_arch = "x86_64")]
use crate::units::bigrams::BloomFilter;
use crate::units::char_ids::CharIds;
use crate::units::characters::Characters;

/// Characters per window.
pub const WINDOW: usize = 512;
/// The space mark of normalized text.
pub const MARK: u16 = 0x20;
/// Characters per vector.
const LANES: usize = 8;

/// The look-up tables of characters.
#[derive(Clone, Copy)]
pub struct Tables<'a> {
    /// The result of each character.
    pub code_point_table: &'a CodePointTable,
    /// Whether repeated spaces are dropped.
    pub squeeze: bool,
    /// Single ids, and the filters of adjacent characters.
    pub char_ids: CharIds<'a>,
}

/// Writes a character after the others of a window, without counting it. `before` are the last two.
///
/// Whether it begins a unit depends on the next character as well: that is decided when the next one is written.
#[inline(always)]
pub fn write_one(char_ids: &CharIds<'_>, before: &mut [u16; 2], window: &mut Characters, code: u16) {
    let ([first, second], third) = (before.map(u32::from), u32::from(code));
    let (place, neighbours) = (window.count, char_ids.neighbours);
    let is_three = neighbours.is_three(first, second, third);
    window.codes[place] = code;
    window.ids[place] = char_ids.id(third);
    window.begins[place] = u8::from(!(neighbours.is_couple(second, third) | is_three));
    window.begins[place.saturating_sub(1)] &= u8::from(!is_three);
    *before = [before[1], code];
}

impl Tables<'_> {
    /// Writes results until one is not a single character, the window is full or the text ends; returns the number of
    /// characters read. `before` are the last two characters written, and is updated.
    pub fn write<T: CodePoint>(&self, text: &[T], before: &mut [u16; 2], window: &mut Characters) -> usize {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            return self.write_by_eights(text, before, window);
        }
        self.write_each(text, before, window)
    }

    /// The scalar loop. A dropped space is written but not counted, and precedes the next character: a space is below
    /// [`CJK_START`](crate::units::bigrams::CJK_START), so no trigram with one in the middle is queried.
    #[inline(always)]
    fn write_each<T: CodePoint>(&self, text: &[T], before: &mut [u16; 2], window: &mut Characters) -> usize {
        let Self { code_point_table, squeeze, char_ids } = self;
        let mut read = 0;
        for code in text {
            let code = image_of(code_point_table, code.number());
            if code == OTHER || window.count >= WINDOW {
                break;
            }
            let is_dropped = squeeze & (code == MARK) & (before[1] == MARK);
            write_one(char_ids, before, window, code);
            window.count += usize::from(!is_dropped);
            read += 1;
        }
        read
    }

    /// The SIMD loop; characters that cannot be vectorized are written one by one.
    #[cfg(target_arch = "x86_64")]
    fn write_by_eights<T: CodePoint>(&self, text: &[T], before: &mut [u16; 2], window: &mut Characters) -> usize {
        let mut read = 0;
        loop {
            #[allow(unsafe_code)]
            // SAFETY: the processor has the instructions, as the only caller found.
            let taken = unsafe { self.write_eights(&text[read..], before, window) };
            read += taken;
            let some = &text[read..text.len().min(read + LANES)];
            let taken = self.write_each(some, before, window);
            read += taken;
            if taken < LANES {
                return read;
            }
        }
    }

    /// As [`Tables::write_each`], eight by eight, as long as each has a one-character result and none is dropped.
    ///
    /// # Safety
    /// The processor must have AVX2.
    #[cfg(target_arch = "x86_64")]
    #[allow(unsafe_code, clippy::wildcard_imports)]
    #[target_feature(enable = "avx2")]
    unsafe fn write_eights<T: CodePoint>(&self, text: &[T], before: &mut [u16; 2], window: &mut Characters) -> usize {
        use std::arch::x86_64::*;

        use crate::units::bigrams::{NeighboursView, FIRST_FACTOR};
        use crate::util::cast::signed;

        let (code_point_table, ids) = (self.code_point_table.as_ptr(), self.char_ids.as_ptr());
        let NeighboursView { bigrams, trigrams, .. } = self.char_ids.neighbours;
        let all = |value: u32| _mm256_set1_epi32(signed(value));
        let [behind, ahead] = [_mm256_set_epi32(6, 5, 4, 3, 2, 1, 0, 7), _mm256_set_epi32(0, 7, 6, 5, 4, 3, 2, 1)];
        let squeeze = all(u32::from(self.squeeze).wrapping_neg());
        let [mut earlier, mut last] = before.map(|code| all(u32::from(code)));
        let mut read = 0;
        for eight in text.chunks_exact(LANES) {
            let place = window.count;
            let Some(room) = window.next::<LANES>().filter(|_| place + LANES <= WINDOW) else { break };
            let spanned;
            let numbers: [u32; LANES] = std::array::from_fn(|at| eight[at].number());
            // SAFETY: all gathers stay within the tables: results of code points up to the first beyond the basic
            // plane, of which each load reads the next one as well; ids of all possible results; words by as many bits
            // as index them. Stores are as wide as what they write to.
            unsafe {
                let number = _mm256_min_epu32(_mm256_loadu_si256(numbers.as_ptr().cast()), all(0x1_0000));
                let code = _mm256_and_si256(_mm256_i32gather_epi32::<2>(code_point_table.cast(), number), all(0xFFFF));
                let turned = _mm256_permutevar8x32_epi32(code, behind);
                let before = _mm256_blend_epi32::<1>(turned, last);
                let [is_space, is_after] = [code, before].map(|code| _mm256_cmpeq_epi32(code, all(MARK.into())));
                let is_dropped = _mm256_and_si256(_mm256_and_si256(is_space, is_after), squeeze);
                let is_other = _mm256_or_si256(is_dropped, _mm256_cmpeq_epi32(code, all(OTHER.into())));
                if _mm256_testz_si256(is_other, is_other) == 0 {
                    break;
                }
                let turned_twice = _mm256_permutevar8x32_epi32(before, behind);
                let first = _mm256_blend_epi32::<1>(turned_twice, earlier);
                let id = _mm256_i32gather_epi32::<4>(ids.cast(), code);
                let pair = _mm256_xor_si256(_mm256_slli_epi32::<16>(before), code);
                let three = _mm256_xor_si256(pair, _mm256_mullo_epi32(first, all(FIRST_FACTOR)));
                let (is_couple, is_three) = (eight_are_in(bigrams, pair), eight_are_in(trigrams, three));
                // A trigram spans the position before its second character, too; that of the last one is not known
                // here.
                let next = _mm256_permutevar8x32_epi32(is_three, ahead);
                let is_next = _mm256_blend_epi32::<0x80>(next, _mm256_setzero_si256());
                let is_joined = _mm256_or_si256(_mm256_or_si256(is_couple, is_three), is_next);
                spanned = _mm256_cvtsi256_si32(is_three) != 0;
                let begins = _mm256_andnot_si256(is_joined, all(1));
                let halves = |all| (_mm256_castsi256_si128(all), _mm256_extracti128_si256::<1>(all));
                let ((code, code_later), (begins, begins_later)) = (halves(code), halves(begins));
                let begins = _mm_packs_epi32(begins, begins_later);
                _mm256_storeu_si256(room.ids.as_mut_ptr().cast(), id);
                _mm_storeu_si128(room.codes.as_mut_ptr().cast(), _mm_packus_epi32(code, code_later));
                _mm_storel_epi64(room.begins.as_mut_ptr().cast(), _mm_packs_epi16(begins, begins));
                (earlier, last) = (turned_twice, turned);
            }
            window.begins[place.saturating_sub(1)] &= u8::from(!spanned);
            window.count += LANES;
            read += LANES;
        }
        if read > 0 {
            *before = [window.codes[window.count - 2], window.codes[window.count - 1]];
        }
        read
    }
}

/// Tests eight keys in a filter: all ones for each that may be present.
///
/// # Safety
/// The processor must have AVX2.
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, clippy::wildcard_imports)]
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn eight_are_in(keys: BloomFilter<'_>, key: std::arch::x86_64::__m256i) -> std::arch::x86_64::__m256i {
    use std::arch::x86_64::*;

    let all = |value: u32| _mm256_set1_epi32(crate::util::cast::signed(value));
    let [to_word, to_bits] = BloomFilter::FACTORS.map(all);
    let shift = _mm_set_epi64x(0, i64::from(keys.shift));
    let word = _mm256_srl_epi32(_mm256_mullo_epi32(key, to_word), shift);
    // SAFETY: a word is indexed by as many bits as are left of a hash.
    let word = unsafe { _mm256_i32gather_epi32::<4>(keys.as_ptr().cast(), word) };
    let hash = _mm256_mullo_epi32(key, to_bits);
    let one = _mm256_srli_epi32::<27>(hash);
    let other = _mm256_srli_epi32::<27>(_mm256_slli_epi32::<5>(hash));
    let third = _mm256_srli_epi32::<27>(_mm256_slli_epi32::<10>(hash));
    let [one, other, third] = [one, other, third].map(|bit| _mm256_sllv_epi32(all(1), bit));
    let bits = _mm256_or_si256(_mm256_or_si256(one, other), third);
    _mm256_cmpeq_epi32(_mm256_and_si256(word, bits), bits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::bigrams::{Bigrams, Found};
    use crate::units::char_ids::CharTable;
    use crate::util::cast::{u16_of, us};

    /// Characters, spaces, some with other results, some with several characters, some beyond the basic plane.
    fn text(round: u32, count: usize) -> Vec<u32> {
        let mut state = round.wrapping_mul(0x9E37_79B9) | 1;
        let mut next = move || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state >> 8
        };
        let rare = 3 + round % 40;
        (0..count)
            .map(|_| match next() % rare {
                0 => [0x20, 0x09, 0x3000, 0xFFFE, 0xFFFF, 0x1_0000, 0x1_F600, 0x10_FFFF][us(next() % 8)],
                1 => 0x20,
                _ => 0x3040 + next() % 64,
            })
            .collect()
    }

    /// The contents of a window, and the characters before the next one.
    type Written = (Vec<u16>, Vec<u32>, Vec<u8>, [u16; 2]);

    fn written<T: CodePoint>(
        text: &[T],
        write: impl Fn(&[T], &mut [u16; 2], &mut Characters) -> usize,
    ) -> (Written, usize) {
        let (mut window, mut before, mut read) = (Characters::default(), [MARK; 2], 0);
        while read < text.len() && window.count < WINDOW {
            read += write(&text[read..], &mut before, &mut window);
            // Characters without a one-character result are skipped.
            read += 1;
        }
        let count = window.count;
        let columns = (window.codes[..count].to_vec(), window.ids[..count].to_vec(), window.begins[..count].to_vec());
        ((columns.0, columns.1, columns.2, before), read)
    }

    #[test]
    fn eight_at_once_are_what_each_is() {
        let (mut found, mut ascii) = (Found::default(), vec![1; 1 << 15]);
        // Some pieces of two, and some of three or four.
        for code in 0x3040..0x3080u32 {
            let others = [code, 0x3040 + code * 7 % 64, 0x3040 + code * 13 % 64, 0x20];
            let piece: String = others[..us(2 + code % 3)].iter().filter_map(|&code| char::from_u32(code)).collect();
            found.note(piece.as_bytes(), &mut ascii);
        }
        let singles: Vec<(u32, u32)> = (0x3040..0x3070).map(|code| (code, code - 0x3000)).collect();
        let mut code_point_table: Box<CodePointTable> = Box::new([OTHER; _]);
        for (code, image) in (0..OTHER).zip(code_point_table.iter_mut()) {
            *image = match code {
                0x09 | 0x3000 => MARK,
                0xFFFE => OTHER,
                _ => code,
            };
        }
        let char_table = CharTable::build(&singles, Bigrams::build(found));
        let Some(char_ids) = char_table.char_ids() else { unreachable!() };
        for round in 0..3000 {
            let tables = Tables { code_point_table: &code_point_table, squeeze: round % 2 == 0, char_ids };
            let wide = text(round, us(round) % 700);
            let plain = written(&wide, |text, before, window| tables.write_each(text, before, window));
            assert_eq!(plain, written(&wide, |text, before, window| tables.write(text, before, window)), "{round}");
            let narrow: Vec<u16> = wide.iter().map(|&code| u16_of(us(code & 0xFFFF))).collect();
            let plain = written(&narrow, |text, before, window| tables.write_each(text, before, window));
            assert_eq!(plain, written(&narrow, |text, before, window| tables.write(text, before, window)), "{round}");
        }
    }
}
