//! SIMD over 64-byte blocks: byte predicates as 64-bit masks.
//!
//! With SSE2, which every x86-64 has, 16 bytes take two instructions and a move; elsewhere eight bytes are compared in
//! a 64-bit integer (SWAR). The tests compare both with the definition.

/// Bytes per block.
pub const BLOCK: usize = 64;

/// One block of bytes.
pub type Block = [u8; BLOCK];

/// `N` bytes of a text from `at` on; bytes past its end come from `padded`, which is zero.
#[inline(always)]
pub fn read<'a, const N: usize>(text: &'a [u8], at: usize, padded: &'a mut [u8; N]) -> &'a [u8; N] {
    let rest = &text[at..];
    match rest.first_chunk() {
        Some(bytes) => bytes,
        None => {
            padded[..rest.len()].copy_from_slice(rest);
            padded
        }
    }
}

/// Which bytes are printable ASCII other than the space.
#[inline(always)]
pub fn printable(block: &Block) -> u64 {
    between(block, b'!', b'~')
}

/// The places of a mask's bits, ascending.
#[inline(always)]
pub fn places(mut mask: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let place = mask.trailing_zeros();
        mask &= mask.wrapping_sub(1);
        (place < 64).then_some(place)
    })
}

#[cfg(not(target_arch = "x86_64"))]
use scalar as kind;
#[cfg(target_arch = "x86_64")]
use sse2 as kind;

/// Which bytes are not ASCII.
pub(crate) use kind::high;

/// Which bytes are `byte`.
pub(crate) use kind::equal;

/// Which bytes are one of two.
pub(crate) use kind::either;

/// Which bytes are from `low` to `last`: both ASCII, above 0 and below 0x7F; or both above 0x80 and below 0xFF.
pub(crate) use kind::between;

/// Mask of the continuation bytes of UTF-8: from 0x80 to 0xBF.
pub(crate) use kind::continuing;

/// Mask of the lead bytes of two- or four-byte characters: from 0xC0 to 0xDF, or from 0xF0 on.
pub(crate) use kind::lead_of_two_or_four;

/// Length of the prefix of `limits` whose elements are at most `number`.
pub(crate) use kind::reached;

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod sse2 {
    use crate::util::cast::us;
    use crate::util::simd::Block;
    use std::arch::x86_64::{
        __m128i, _mm_add_epi8, _mm_and_si128, _mm_andnot_si128, _mm_cmpeq_epi16, _mm_cmpeq_epi8, _mm_cmpgt_epi8,
        _mm_movemask_epi8, _mm_or_si128, _mm_packs_epi16, _mm_set1_epi16, _mm_set1_epi8, _mm_set_epi64x,
        _mm_setzero_si128, _mm_subs_epu16,
    };

    #[inline(always)]
    pub fn reached(limits: &[u16; 16], number: u16) -> usize {
        let words: [i64; 4] = bytemuck::cast(*limits);
        // SAFETY: no pointers here; the instructions are part of SSE2, which every x86-64 processor has.
        let found = unsafe {
            let number = _mm_set1_epi16(i16::from_ne_bytes(number.to_ne_bytes()));
            let half = |low: i64, top: i64| {
                _mm_cmpeq_epi16(_mm_subs_epu16(_mm_set_epi64x(top, low), number), _mm_setzero_si128())
            };
            _mm_movemask_epi8(_mm_packs_epi16(half(words[0], words[1]), half(words[2], words[3])))
        };
        us(found.trailing_ones())
    }

    #[inline(always)]
    fn gather(block: &Block, compare: impl Fn(__m128i) -> __m128i) -> u64 {
        let mut bits = 0;
        for (part, bytes) in block.chunks_exact(16).enumerate() {
            let (low, top) = bytes.split_at(8);
            let half = |half: &[u8]| half.first_chunk().map_or(0, |bytes| i64::from_le_bytes(*bytes));
            // SAFETY: no pointers here; the instructions are part of SSE2, which every x86-64 processor has.
            let found = unsafe { _mm_movemask_epi8(compare(_mm_set_epi64x(half(top), half(low)))) };
            bits |= u64::from(u32::from_ne_bytes(found.to_ne_bytes())) << (16 * part);
        }
        bits
    }

    #[inline(always)]
    pub fn high(block: &Block) -> u64 {
        gather(block, |bytes| bytes)
    }

    #[inline(always)]
    pub fn equal(block: &Block, byte: u8) -> u64 {
        // SAFETY: as above.
        gather(block, |bytes| unsafe { _mm_cmpeq_epi8(bytes, _mm_set1_epi8(i8::from_ne_bytes([byte]))) })
    }

    #[inline(always)]
    pub fn either(block: &Block, one: u8, other: u8) -> u64 {
        let each = |byte: u8| i8::from_ne_bytes([byte]);
        // SAFETY: as above.
        gather(block, |bytes| unsafe {
            let (one, other) = (_mm_set1_epi8(each(one)), _mm_set1_epi8(each(other)));
            _mm_or_si128(_mm_cmpeq_epi8(bytes, one), _mm_cmpeq_epi8(bytes, other))
        })
    }

    #[inline(always)]
    pub fn continuing(block: &Block) -> u64 {
        // SAFETY: as above.
        gather(block, |bytes| unsafe { _mm_cmpgt_epi8(_mm_set1_epi8(-0x40), bytes) })
    }

    #[inline(always)]
    pub fn lead_of_two_or_four(block: &Block) -> u64 {
        // SAFETY: as above.
        gather(block, |bytes| unsafe {
            let three = _mm_cmpeq_epi8(_mm_and_si128(bytes, _mm_set1_epi8(-0x10)), _mm_set1_epi8(-0x20));
            let lead = _mm_and_si128(_mm_cmpgt_epi8(bytes, _mm_set1_epi8(-0x41)), bytes);
            _mm_andnot_si128(three, lead)
        })
    }

    #[inline(always)]
    pub fn between(block: &Block, low: u8, last: u8) -> u64 {
        // Rotates the range so that `last` becomes the highest signed value.
        let (turn, below) = (0x7Fu8.wrapping_sub(last), 0x7E - (last - low));
        let each = |byte: u8| i8::from_ne_bytes([byte]);
        // SAFETY: as above.
        gather(block, |bytes| unsafe {
            _mm_cmpgt_epi8(_mm_add_epi8(bytes, _mm_set1_epi8(each(turn))), _mm_set1_epi8(each(below)))
        })
    }
}

#[cfg(any(test, not(target_arch = "x86_64")))]
mod scalar {
    use crate::util::simd::Block;

    #[inline(always)]
    pub fn reached(limits: &[u16; 16], number: u16) -> usize {
        limits.iter().take_while(|&&limit| number >= limit).count()
    }

    const LOW: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;

    #[inline(always)]
    fn gather(block: &Block, compare: impl Fn(u64) -> u64) -> u64 {
        let mut bits = 0;
        for (part, bytes) in block.chunks_exact(8).enumerate() {
            let word = bytes.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
            // Gathers bit 7 of each byte into adjacent bits.
            let found = ((compare(word) & HIGH) >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56;
            bits |= found << (8 * part);
        }
        bits
    }

    #[inline(always)]
    pub fn high(block: &Block) -> u64 {
        gather(block, |word| word)
    }

    #[inline(always)]
    pub fn equal(block: &Block, byte: u8) -> u64 {
        gather(block, |word| {
            let other = word ^ (LOW * u64::from(byte));
            !(((other & !HIGH) + !HIGH) | other)
        })
    }

    #[inline(always)]
    pub fn either(block: &Block, one: u8, other: u8) -> u64 {
        equal(block, one) | equal(block, other)
    }

    #[inline(always)]
    pub fn continuing(block: &Block) -> u64 {
        gather(block, |word| word & !(word << 1))
    }

    #[inline(always)]
    pub fn lead_of_two_or_four(block: &Block) -> u64 {
        gather(block, |word| word & word << 1 & (!(word << 2) | word << 3))
    }

    #[inline(always)]
    pub fn between(block: &Block, low: u8, last: u8) -> u64 {
        let (low, last, half) = (low & 0x7F, last & 0x7F, if low < 0x80 { 0 } else { HIGH });
        gather(block, |word| {
            let rest = word & !HIGH;
            let (from, past) = (rest + LOW * u64::from(0x80 - low), rest + LOW * u64::from(0x7F - last));
            from & !past & !(word ^ half)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits(block: &Block, wanted: impl Fn(u8) -> bool) -> u64 {
        block.iter().enumerate().map(|(at, &byte)| u64::from(wanted(byte)) << at).sum()
    }

    #[test]
    fn every_way_reaches_as_many() {
        let mut state = 5u32;
        for round in 0..2000u32 {
            let mut limits = [u16::MAX; 16];
            for limit in limits.iter_mut().take(crate::util::cast::us(round % 17)) {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                *limit = crate::util::cast::low16(u64::from(state >> 16));
            }
            // All sorted, or only the first half: the rest is arbitrary.
            limits[..if round % 2 == 0 { 16 } else { 8 }].sort_unstable();
            for number in limits.into_iter().flat_map(|limit| [limit, limit.wrapping_add(1), limit.wrapping_sub(1)]) {
                let wanted = limits.iter().position(|&limit| limit > number).unwrap_or(limits.len());
                assert_eq!((reached(&limits, number), scalar::reached(&limits, number)), (wanted, wanted));
            }
        }
    }

    #[test]
    fn every_way_is_the_definition() {
        let mut state = 5u32;
        for round in 0..2000u32 {
            let mut block = [0u8; BLOCK];
            for byte in &mut block {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                *byte = crate::util::cast::low8(state >> 24) & if round % 2 == 0 { 0xFF } else { 0x7F };
            }
            let byte = block[0];
            let (low, last) = (1 + (block[1] & 0x7F).min(0x7D), 1 + (block[2] & 0x7F).min(0x7D));
            let (low, last) = (low.min(last), low.max(last));
            assert_eq!(high(&block), bits(&block, |byte| byte >= 0x80));
            assert_eq!(scalar::high(&block), high(&block));
            assert_eq!(equal(&block, byte), bits(&block, |other| other == byte));
            assert_eq!(scalar::equal(&block, byte), equal(&block, byte));
            let other = block[3];
            assert_eq!(either(&block, byte, other), bits(&block, |found| found == byte || found == other));
            assert_eq!(scalar::either(&block, byte, other), either(&block, byte, other));
            assert_eq!(continuing(&block), bits(&block, |byte| byte & 0xC0 == 0x80));
            assert_eq!(scalar::continuing(&block), continuing(&block));
            let two_or_four = bits(&block, |byte| (0xC0..=0xDF).contains(&byte) || byte >= 0xF0);
            assert_eq!((lead_of_two_or_four(&block), scalar::lead_of_two_or_four(&block)), (two_or_four, two_or_four));
            assert_eq!(between(&block, low, last), bits(&block, |byte| (low..=last).contains(&byte)));
            assert_eq!(scalar::between(&block, low, last), between(&block, low, last));
            let (low, last) = (low | 0x80, last | 0x80);
            assert_eq!(between(&block, low, last), bits(&block, |byte| (low..=last).contains(&byte)));
            assert_eq!(scalar::between(&block, low, last), between(&block, low, last));
        }
    }
}
