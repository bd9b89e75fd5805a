//! Making vocabularies: counts in, pieces out.
//!
//! `words` is what every trainer reads: distinct words with their counts, in the order of their bytes, so that a result
//! depends on the counts alone and never on threads, nor on the order of the corpus unless it is asked for. `alphabet` and `shape` say what pieces are made
//! of, `text` is words as numbers, `suffix` finds what they share, `team` is threads that report. Trainers know nothing of files, of
//! special pieces or of how a Spec is put together; that is Python's part.

pub mod alphabet;
pub mod bpe;
pub mod byte_bpe;
pub mod bytepiece;
pub mod count;
pub(crate) mod logs;
pub mod lookup;
pub mod more_bpe;
pub mod score_bpe;
pub mod shape;
pub mod spelled_bpe;
pub mod suffix;
pub mod table;
pub mod tables;
pub mod team;
pub mod text;
pub mod unigram;
pub mod word_file;
pub mod words;

use serde::de::DeserializeOwned;

use crate::util::error::{Error, Result};

/// How far a trainer is: the name of what it does now, how much of that is done, and of how much.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// What is being done.
    pub stage: &'static str,
    /// Done so far, in whatever the stage counts.
    pub done: u64,
    /// All there is to do; 0 where it is not known.
    pub total: u64,
}

/// Is told about progress a few times a second, and ends the work with an error where it wants that.
pub type Watch<'w> = &'w mut dyn FnMut(Progress) -> Result<()>;

/// The options of a trainer from JSON.
pub fn read_options<T: DeserializeOwned>(json: &str) -> Result<T> {
    serde_json::from_str(json).map_err(|error| Error::new("train-option", format!("the options do not fit: {error}")))
}
