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
pub mod simd;
pub mod utf8;

// What nearly every module uses.
pub use crate::util::cast::*;
pub(crate) use crate::util::column::Column;
pub(crate) use crate::util::error::{Error, Result};
pub(crate) use crate::util::interrupt::{paced, report, resize_paced, sort_paced, Pace};
pub(crate) use crate::util::lazy::Lazy;
pub(crate) use crate::util::prefetch::{prefetch, prefetch_lines};
