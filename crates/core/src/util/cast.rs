//! The only places where integers change width. Each function says why nothing is lost.
#![allow(clippy::as_conversions)]

/// `u32` to `usize`: lossless on every target with at least 32-bit pointers, which `spec` demands.
#[inline(always)]
pub const fn us(value: u32) -> usize {
    value as usize
}

/// `usize` to `u32` for lengths and positions that are bounded by [`crate::tokenizer::MAX_TEXT`].
#[inline(always)]
pub const fn u32_of(value: usize) -> u32 {
    debug_assert!(value <= 0xFFFF_FFFF);
    value as u32
}

/// `usize` to `u16` for character counts within a window.
#[inline(always)]
pub const fn u16_of(value: usize) -> u16 {
    debug_assert!(value <= 0xFFFF);
    value as u16
}

/// `u64` to `usize` after a check against a real length; saturates on 32-bit targets.
#[inline(always)]
pub const fn us64(value: u64) -> usize {
    if value > usize::MAX as u64 {
        usize::MAX
    } else {
        value as usize
    }
}

/// `usize` to `u64`: lossless.
#[inline(always)]
pub const fn u64_of(value: usize) -> u64 {
    value as u64
}

/// 32 bits read as a signed number.
#[inline(always)]
pub const fn signed(value: u32) -> i32 {
    value as i32
}

/// The low 32 bits.
#[inline(always)]
pub const fn low32(value: u64) -> u32 {
    value as u32
}

/// The low 16 bits.
#[inline(always)]
pub const fn low16(value: u64) -> u16 {
    value as u16
}

/// The low 8 bits.
#[inline(always)]
pub const fn low8(value: u32) -> u8 {
    value as u8
}

/// The low 64 bits of a product.
#[inline(always)]
pub const fn low64(value: u128) -> u64 {
    value as u64
}

/// `usize` to `i64` for lengths of objects in memory, which never exceed `i64::MAX`.
#[inline(always)]
pub const fn i64_of(value: usize) -> i64 {
    value as i64
}

/// `f64` to the nearest `f32`: the rounding step of the reference's arithmetic.
#[inline(always)]
pub const fn f32_of(value: f64) -> f32 {
    value as f32
}

/// A float's bits as the signed integer that orders like it.
#[inline(always)]
pub const fn bits_i32(value: f32) -> i32 {
    value.to_bits() as i32
}

/// A small count as a float; exact below 2^24.
#[inline(always)]
pub const fn f32_count(value: usize) -> f32 {
    value as f32
}

/// Rounds to the nearest `i32`, halves away from zero; saturates.
#[inline(always)]
pub fn round_i32(value: f64) -> i32 {
    value.round() as i32
}

/// A fraction of the 64-bit range; saturates.
#[inline(always)]
pub fn share_u64(share: f64) -> u64 {
    (share * 18_446_744_073_709_551_616.0) as u64
}

/// A fraction of the 16-bit range: the high 16 bits of [`share_u64`].
#[inline(always)]
pub fn share_u16(share: f64) -> u16 {
    (share * 65_536.0) as u16
}

/// A length as a double; exact below 2^53.
#[inline(always)]
pub const fn f64_of(value: usize) -> f64 {
    value as f64
}

/// A count as a double; exact below 2^53, else rounded to the nearest.
#[inline(always)]
pub const fn f64_count(value: u64) -> f64 {
    value as f64
}

/// Truncates to an integer; saturates to 32 bits.
#[inline(always)]
pub const fn u32_of_f64(value: f64) -> u32 {
    value as u32
}

/// Truncates a non-negative number to an integer; saturates.
#[inline(always)]
pub const fn u64_of_f64(value: f64) -> u64 {
    value as u64
}
