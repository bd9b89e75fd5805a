//! Runs of characters that become one each: what becomes of them, their ids, and which of them begin units.
//!
//! One by one a character is forty instructions, so that the processor waits for the tables of ten at a time. Where it can gather
//! from tables eight are taken at once, and the memory answers many more. The test holds both ways to each other.

use super::super::alphabet::Letters;
use super::super::characters::Characters;
use super::{MARK, WINDOW};
use crate::normalize::code_points::{fate_of, CodePoint, Fates, OTHER};

/// Characters that are taken at once.
const LANES: usize = 8;

/// What is known of characters.
#[derive(Clone, Copy)]
pub struct Tables<'a> {
    /// What becomes of each.
    pub fates: &'a Fates,
    /// Whether spaces that follow others are dropped.
    pub squeeze: bool,
    /// Their ids and pairs.
    pub letters: Letters<'a>,
}

impl Tables<'_> {
    /// Writes what characters become until one becomes other than one, the window is full or the text ends; returns how many were
    /// read. `before` is the last one written, and will be.
    pub fn write<T: CodePoint>(&self, text: &[T], before: &mut u16, window: &mut Characters) -> usize {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            return self.write_by_eights(text, before, window);
        }
        self.write_each(text, before, window)
    }

    /// Some of them: a space that is dropped is written and not counted, and is what is before the next one.
    #[inline(always)]
    fn write_each<T: CodePoint>(&self, text: &[T], before: &mut u16, window: &mut Characters) -> usize {
        let Self { fates, squeeze, letters } = *self;
        let Characters { codes, ids, begins, count, .. } = window;
        let (mut last, mut place, mut read) = (*before, *count, 0);
        for code in text {
            let code = fate_of(fates, code.number());
            if code == OTHER || place >= WINDOW {
                break;
            }
            codes[place] = code;
            ids[place] = letters.id(code.into());
            begins[place] = u8::from(!letters.may_follow(last.into(), code.into()));
            place += usize::from(!(squeeze & (code == MARK) & (last == MARK)));
            last = code;
            read += 1;
        }
        (*before, *count) = (last, place);
        read
    }

    /// Those that cannot be taken at once are taken one by one.
    #[cfg(target_arch = "x86_64")]
    fn write_by_eights<T: CodePoint>(&self, text: &[T], before: &mut u16, window: &mut Characters) -> usize {
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

    /// As [`Tables::write_each`], eight by eight, as long as each becomes one and none is dropped.
    ///
    /// # Safety
    /// The processor must have AVX2.
    #[cfg(target_arch = "x86_64")]
    #[allow(unsafe_code, clippy::wildcard_imports)]
    #[target_feature(enable = "avx2")]
    unsafe fn write_eights<T: CodePoint>(&self, text: &[T], before: &mut u16, window: &mut Characters) -> usize {
        use std::arch::x86_64::*;

        use super::super::alphabet::PairView;
        use crate::cast::signed;

        let (fates, [ids, pairs]) = (self.fates.as_ptr(), self.letters.tables());
        let PairView { shift, .. } = self.letters.pairs();
        let all = |value: u32| _mm256_set1_epi32(signed(value));
        let [to_word, to_bits] = PairView::FACTORS.map(all);
        let behind = _mm256_set_epi32(6, 5, 4, 3, 2, 1, 0, 7);
        let shift = _mm_set_epi64x(0, i64::from(shift));
        let squeeze = all(u32::from(self.squeeze).wrapping_neg());
        let mut last = all(u32::from(*before));
        let mut read = 0;
        for eight in text.chunks_exact(LANES) {
            let place = window.count;
            let Some(room) = window.next::<LANES>().filter(|_| place + LANES <= WINDOW) else { break };
            let numbers: [u32; LANES] = std::array::from_fn(|at| eight[at].number());
            // SAFETY: all gathers are from places that the tables have: fates of those up to the first beyond the basic plane, of
            // which each reads the one behind as well; ids of all that can become of them; words by so many bits as number them.
            // Stores are as wide as what they write to.
            unsafe {
                let number = _mm256_min_epu32(_mm256_loadu_si256(numbers.as_ptr().cast()), all(0x1_0000));
                let code = _mm256_and_si256(_mm256_i32gather_epi32::<2>(fates.cast(), number), all(0xFFFF));
                let turned = _mm256_permutevar8x32_epi32(code, behind);
                let before = _mm256_blend_epi32::<1>(turned, last);
                let [is_space, is_after] = [code, before].map(|code| _mm256_cmpeq_epi32(code, all(MARK.into())));
                let is_dropped = _mm256_and_si256(_mm256_and_si256(is_space, is_after), squeeze);
                let is_other = _mm256_or_si256(is_dropped, _mm256_cmpeq_epi32(code, all(OTHER.into())));
                if _mm256_testz_si256(is_other, is_other) == 0 {
                    break;
                }
                let id = _mm256_i32gather_epi32::<4>(ids.cast(), code);
                let key = _mm256_xor_si256(_mm256_slli_epi32::<16>(before), code);
                let word = _mm256_srl_epi32(_mm256_mullo_epi32(key, to_word), shift);
                let word = _mm256_i32gather_epi32::<4>(pairs.cast(), word);
                let hash = _mm256_mullo_epi32(key, to_bits);
                let one = _mm256_srli_epi32::<27>(hash);
                let other = _mm256_srli_epi32::<27>(_mm256_slli_epi32::<5>(hash));
                let third = _mm256_srli_epi32::<27>(_mm256_slli_epi32::<10>(hash));
                let [one, other, third] = [one, other, third].map(|bit| _mm256_sllv_epi32(all(1), bit));
                let bits = _mm256_or_si256(_mm256_or_si256(one, other), third);
                let is_pair = _mm256_cmpeq_epi32(_mm256_and_si256(word, bits), bits);
                let begins = _mm256_andnot_si256(is_pair, all(1));
                let halves = |all| (_mm256_castsi256_si128(all), _mm256_extracti128_si256::<1>(all));
                let ((code, code_later), (begins, begins_later)) = (halves(code), halves(begins));
                let begins = _mm_packs_epi32(begins, begins_later);
                _mm256_storeu_si256(room.ids.as_mut_ptr().cast(), id);
                _mm_storeu_si128(room.codes.as_mut_ptr().cast(), _mm_packus_epi32(code, code_later));
                _mm_storel_epi64(room.begins.as_mut_ptr().cast(), _mm_packs_epi16(begins, begins));
                last = turned;
            }
            window.count += LANES;
            read += LANES;
        }
        if read > 0 {
            *before = window.codes[window.count - 1];
        }
        read
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cast::{u16_of, us};
    use crate::segment::alphabet::Alphabet;

    /// Characters, spaces, some that become others, some that become more than one, some beyond the basic plane.
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

    /// What a window holds, and what is before the next character.
    type Written = (Vec<u16>, Vec<u32>, Vec<u8>, u16);

    fn written<T: CodePoint>(text: &[T], write: impl Fn(&[T], &mut u16, &mut Characters) -> usize) -> (Written, usize) {
        let (mut window, mut before, mut read) = (Characters::default(), MARK, 0);
        while read < text.len() && window.count < WINDOW {
            read += write(&text[read..], &mut before, &mut window);
            // What becomes other than one is passed over.
            read += 1;
        }
        let count = window.count;
        let columns = (window.codes[..count].to_vec(), window.ids[..count].to_vec(), window.begins[..count].to_vec());
        ((columns.0, columns.1, columns.2, before), read)
    }

    #[test]
    fn eight_at_once_are_what_each_is() {
        let pairs: Vec<(u32, u32)> = (0x3040..0x3080).map(|code| (code, 0x3040 + code * 7 % 64)).collect();
        let singles: Vec<(u32, u32)> = (0x3040..0x3070).map(|code| (code, code - 0x3000)).collect();
        let mut fates: Box<Fates> = Box::new([OTHER; _]);
        for (code, fate) in (0..OTHER).zip(fates.iter_mut()) {
            *fate = match code {
                0x09 | 0x3000 => MARK,
                0xFFFE => OTHER,
                _ => code,
            };
        }
        let alphabet = Alphabet::build(&singles, &pairs);
        let Some(letters) = alphabet.letters() else { unreachable!() };
        for round in 0..3000 {
            let tables = Tables { fates: &fates, squeeze: round % 2 == 0, letters };
            let wide = text(round, us(round) % 700);
            let plain = written(&wide, |text, before, window| tables.write_each(text, before, window));
            assert_eq!(plain, written(&wide, |text, before, window| tables.write(text, before, window)), "{round}");
            let narrow: Vec<u16> = wide.iter().map(|&code| u16_of(us(code & 0xFFFF))).collect();
            let plain = written(&narrow, |text, before, window| tables.write_each(text, before, window));
            assert_eq!(plain, written(&narrow, |text, before, window| tables.write(text, before, window)), "{round}");
        }
    }
}
