//! The kernel of AnyPiece: all work per byte or per token.
//!
//! A [`Spec`] is compiled into a frozen [`Tokenizer`]; a [`Scratch`] per thread owns every buffer. Folders follow the
//! data flow, and a file imports only from its own folder and from those before it: `util`, `unicode`, `index`,
//! `pattern`; `spec`; `normalize`, `split`, `specials`; `segment` (one unit to pieces), `units` (a text to units, and
//! units to cached ids); `lattice`, `sampling`, `nbest`; `tokenizer`; `training`, `scan`. Nothing here knows Python or
//! the name of a foreign file format.

#[cfg(target_endian = "big")]
compile_error!("stored columns are read in place and are little-endian");

#[cfg(feature = "bench")]
pub mod bench;
pub(crate) mod index;
pub(crate) mod lattice;
pub(crate) mod nbest;
pub(crate) mod normalize;
pub(crate) mod pattern;
pub(crate) mod sampling;
pub mod scan;
pub(crate) mod segment;
pub mod spec;
pub(crate) mod specials;
pub(crate) mod split;
pub(crate) mod tokenizer;
pub mod training;
pub(crate) mod unicode;
pub(crate) mod units;
pub mod util;

pub use crate::lattice::draw::Method;
pub use crate::lattice::sums::Sums;
pub use crate::nbest::BestIds;
pub use crate::normalize::charsmap::Charsmap;
pub use crate::normalize::code_points::CodePoint;
pub use crate::normalize::{outer, valid_character};
pub use crate::pattern::{Matcher, Pattern, Room, Stretch};
pub use crate::sampling::Draw;
pub use crate::spec::{Config, Spec};
pub use crate::specials::Permit;
pub use crate::tokenizer::decode::{Invalid, StreamDecoder, StreamDecoders};
pub use crate::tokenizer::input::Input;
pub use crate::tokenizer::lattice::TextLattice;
pub use crate::tokenizer::scratch::{Scratch, WChar};
pub use crate::tokenizer::spans::{CharCounter, Token};
pub use crate::tokenizer::store;
pub use crate::tokenizer::store::Stored;
pub use crate::tokenizer::stream::StreamEncoder;
pub use crate::tokenizer::{batch, Tokenizer};
pub use crate::unicode::script;
pub use crate::util::error::{Error, Result};
