//! The only places where integers change width. Each function says why nothing is lost.
#![allow(clippy::as_conversions)]

/// Defines functions that convert by `as` alone.
macro_rules! casts {
    ($($(#[$doc:meta])* $name:ident: $from:ty => $to:ty;)*) => {$(
        $(#[$doc])*
        pub const fn $name(value: $from) -> $to {
            value as $to
        }
    )*};
}

casts! {
    /// `u32` to `usize`: lossless on every target with at least 32-bit pointers, which `spec` demands.
    us: u32 => usize;

    /// `usize` to `u64`: lossless.
    u64_of: usize => u64;

    /// 32 bits read as a signed number.
    signed: u32 => i32;

    /// The low 32 bits.
    low32: u64 => u32;

    /// The low 16 bits.
    low16: u64 => u16;

    /// The low 8 bits.
    low8: u32 => u8;

    /// The low 64 bits of a product.
    low64: u128 => u64;

    /// `usize` to `i64` for lengths of objects in memory, which never exceed `i64::MAX`.
    i64_of: usize => i64;

    /// `f64` to the nearest `f32`: the rounding step of the reference's arithmetic.
    f32_of: f64 => f32;

    /// A small count as a float; exact below 2^24.
    f32_count: usize => f32;

    /// A length as a double; exact below 2^53.
    f64_of: usize => f64;

    /// A count as a double; exact below 2^53, else rounded to the nearest.
    f64_count: u64 => f64;

    /// Truncates a non-negative number to an integer; saturates.
    u64_of_f64: f64 => u64;
}

/// `usize` to `u32` for lengths and positions that are bounded by [`crate::tokenizer::MAX_TEXT`].
pub const fn u32_of(value: usize) -> u32 {
    debug_assert!(value <= 0xFFFF_FFFF);
    value as u32
}

/// `usize` to `u16` for character counts within a window.
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

/// A float's bits as the signed integer that orders like it.
pub const fn bits_i32(value: f32) -> i32 {
    value.to_bits() as i32
}

/// Rounds to the nearest `i32`, halves away from zero; saturates.
pub fn round_i32(value: f64) -> i32 {
    value.round() as i32
}

/// A fraction of the 64-bit range; saturates.
pub fn share_u64(share: f64) -> u64 {
    (share * 18_446_744_073_709_551_616.0) as u64
}

/// A fraction of the 16-bit range: the high 16 bits of [`share_u64`].
pub fn share_u16(share: f64) -> u16 {
    (share * 65_536.0) as u16
}
