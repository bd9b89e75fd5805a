//! Helpers that know nothing of tokenizers: casts, errors, UTF-8, SIMD, memory, threads, random numbers.

pub mod allowance;
pub mod cast;
pub mod column;
pub mod draw;
pub mod error;
pub mod huge_page_vec;
pub mod interrupt;
pub(crate) mod join;
pub mod lazy;
pub mod prefetch;
pub mod rng;
pub(crate) mod simd;
pub mod utf8;
