//! The kernel of AnyPiece: everything that touches each byte or each token.
//!
//! A [`spec::Spec`] is compiled into a frozen [`tokenizer::Tokenizer`]; a [`scratch::Scratch`] per thread owns every buffer.
//! Modules stand in the order in which the data walks: `normalize`, `split`, `segment`, `tokens`, `decode`. Nothing here
//! knows Python or the name of a foreign file format.

#[cfg(target_endian = "big")]
compile_error!("stored columns are read in place and are little-endian");

pub mod batch;
mod bert;
pub mod best;
mod best_paths;
pub mod bounds;
pub mod cast;
pub mod decode;
pub mod error;
mod fragments;
pub mod index;
pub mod input;
pub mod interrupt;
pub mod lattice;
pub mod normalize;
pub mod pattern;
pub mod random;
pub mod sample;
mod sample_best;
mod sample_dropout;
mod sample_ready;
pub mod scan;
pub mod scratch;
pub mod segment;
pub mod spec;
pub mod specials;
pub mod split;
pub mod stages;
pub mod store;
pub mod stream;
pub mod template;
mod threads;
pub mod tokenizer;
pub mod tokens;
pub mod training;
mod truncate;
pub mod unicode;
pub mod vocab;

pub use error::{Error, Result};
pub use scratch::Scratch;
pub use spec::{Config, Spec};
pub use tokenizer::Tokenizer;
