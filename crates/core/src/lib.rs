//! The kernel of AnyPiece: everything that touches each byte or each token.
//!
//! A [`Spec`] is compiled into a frozen [`Tokenizer`]; a [`Scratch`] per thread owns every buffer. Folders stand in the order in
//! which data walks, and a file imports only from its own folder and from those before it: `util`, `unicode`, `index`, `pattern`;
//! `spec`; `normalize`, `split`, `specials`; `segment` (one unit to pieces), `units` (a text to units, and units to cached ids);
//! `lattice`, `sampling`, `nbest`; `tokenizer`; `training`, `scan`. Nothing here knows Python or the name of a foreign file format.

#[cfg(target_endian = "big")]
compile_error!("stored columns are read in place and are little-endian");

mod index;
mod lattice;
mod nbest;
mod normalize;
mod pattern;
mod sampling;
pub mod scan;
mod segment;
pub mod spec;
mod specials;
mod split;
mod tokenizer;
pub mod training;
mod unicode;
mod units;
pub mod util;

pub use lattice::draws::Method;
pub use lattice::sums::Sums;
pub use nbest::BestIds;
pub use normalize::charsmap::Charsmap;
pub use normalize::charsmap_build;
pub use normalize::code_points::CodePoint;
pub use normalize::rules;
pub use normalize::{outer, valid_character};
pub use pattern::{Matcher, Pattern, Room, Stretch};
pub use sampling::Draw;
pub use spec::{Config, Spec};
pub use specials::Permit;
pub use tokenizer::decode::{Invalid, StreamDecoder, StreamDecoders};
pub use tokenizer::input::Input;
pub use tokenizer::lattice::TextLattice;
pub use tokenizer::scratch::{Scratch, WideCharacter};
pub use tokenizer::spans::{CharCounter, Token};
pub use tokenizer::store::{self, Stored};
pub use tokenizer::stream::StreamEncoder;
pub use tokenizer::{batch, Tokenizer};
pub use unicode::script;
pub use util::error::{Error, Result};
