//! Unit sources: each finds the boundaries of the units of a text, window by window, for the one engine that looks units
//! up.

pub(crate) mod byte_characters;
pub(crate) mod code_points;
pub(crate) mod pretokenized;
pub(crate) mod split;
pub(crate) mod unsplit;
