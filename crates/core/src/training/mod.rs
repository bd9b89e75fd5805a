//! Training of vocabularies: counts in, pieces out.
//!
//! `words` is the input of every trainer: distinct words with their counts, in byte order, so that a result depends on
//! the counts alone and never on threads, nor on the order of the corpus unless requested. `alphabet` and `shape`
//! define what pieces are made of, `text` is words as numbers, `suffix` finds repeated strings, `team` is a thread pool
//! with progress reports. Trainers know nothing of files, special pieces or the assembly of a Spec; that is Python's
//! part.

pub mod alphabet;
pub mod bpe;
pub mod byte_bpe;
pub mod bytepiece;
pub mod count;
pub(crate) mod logs;
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

use crate::util::{Error, Result};

/// The progress of a trainer: the current stage, the work done, and the total.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// The current stage.
    pub stage: &'static str,
    /// Work done so far, in the unit of the stage.
    pub done: u64,
    /// Total work; 0 where it is unknown.
    pub total: u64,
}

/// Receives progress a few times a second, and may cancel the work with an error.
pub type Watch<'w> = &'w mut dyn FnMut(Progress) -> Result<()>;

/// The options of a trainer from JSON.
pub fn read_options<T: DeserializeOwned>(json: &str) -> Result<T> {
    serde_json::from_str(json).map_err(|error| Error::new("train-option", format!("the options do not fit: {error}")))
}
