//! The kernel of AnyPiece: everything that touches each byte or each token.
//!
//! A [`spec::Spec`] is compiled into a frozen [`tokenizer::Tokenizer`]; a [`scratch::Scratch`] per thread owns every buffer.
//! Modules stand in the order in which the data walks: `normalize`, `split`, `segment`, `tokens`, `decode`. Nothing here
//! knows Python or the name of a foreign file format.

#[cfg(target_endian = "big")]
compile_error!("stored columns are read in place and are little-endian");

pub mod index;
pub mod lattice;
pub mod nbest;
pub mod normalize;
pub mod pattern;
pub mod sampling;
pub mod scan;
pub mod segment;
pub mod spec;
pub mod specials;
pub mod split;
pub mod tokenizer;
pub mod training;
pub mod unicode;
pub mod units;
pub mod util;

pub use crate::spec::{Config, Spec};
pub use crate::tokenizer::scratch::Scratch;
pub use crate::tokenizer::Tokenizer;
pub use crate::util::error::{Error, Result};
