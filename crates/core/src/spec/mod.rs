//! A tokenizer as data, and its validation.
//!
//! Every problem is found here, before anything is built; after that, encoding cannot fail because of the vocabulary.

pub mod added;
pub(crate) mod checks;
pub(crate) mod control_checks;
pub(crate) mod merge_checks;
pub mod stages;
pub mod template;
pub mod vocab;

pub(crate) use crate::spec::checks::setting_error;
pub(crate) use crate::spec::control_checks::SKIPPED_MERGE;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use crate::spec::added::{Added, Matching};
use crate::spec::stages::{DecodeStep, Rule, Splitter, Step};
use crate::spec::template::{Slot, TrimSpans};
use crate::spec::vocab::{Kind, Vocab};
use crate::util::join::join_if;
use crate::util::{Column, Error, Result};

/// How normalized text becomes pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SegmenterKind {
    /// Viterbi: the path of highest total score.
    #[default]
    Unigram,
    /// BPE: merges the adjacent pair of lowest rank in the list of merges, or without a list, of highest score.
    Bpe,
    /// One piece per character.
    Char,
    /// One piece per word.
    Word,
    /// Greedy longest match within a chunk, or the whole chunk unknown.
    Wordpiece,
    /// One piece per chunk.
    WordLevel,
    /// Greedy longest match over bytes.
    Greedy,
    /// Viterbi over integer scores, computed right to left.
    Plamo,
}

impl SegmenterKind {
    /// Whether a whole chunk is one query, so that chunks are not divided and adjacent unknown ones are not fused.
    pub const fn is_chunkwise(self) -> bool {
        matches!(self, Self::Wordpiece | Self::WordLevel)
    }
}

/// The initial symbols of merging.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Symbols {
    /// Characters: pieces are text.
    #[default]
    Characters,
    /// Bytes: pieces are bytes, and each byte is one. Text goes through as it is, UTF-8 or not.
    Bytes,
}

/// Which pieces text can become.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MatchKinds {
    /// Normal, user-defined and unused ones. User-defined ones are kept whole, unused ones are split again.
    #[default]
    Text,
    /// Also the unknown piece and byte pieces, by their spelling.
    Spelled,
    /// Normal, user-defined and unused ones alike, even where user-defined ones are added tokens too. The normalizer
    /// treats any prefix of a user-defined one as a symbol.
    Unused,
    /// Every piece, whatever its kind, like any other.
    All,
}

/// Where space marks are inserted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Spaces {
    /// Where spaces are, and at the edge of the text.
    #[default]
    Edges,
    /// Before words: before each if extra spaces are removed, else before the first.
    Words,
}

/// How ids become text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Decoding {
    /// Control pieces are invisible, the unknown piece prints its surface; leading spaces are removed until something
    /// is printed.
    #[default]
    Surface,
    /// Each piece by itself: control, unknown and user-defined ones as they are spelled, unused ones as nothing; one
    /// space before the very first piece is removed, if the normalizer inserts one.
    Literal,
    /// Each piece as in `Literal`; one space before the very first piece is always removed.
    Unspaced,
    /// The bytes of each piece; control pieces are invisible. For byte vocabularies.
    Unmarked,
}

impl Decoding {
    /// Whether each piece is shown by itself.
    pub const fn is_literal(self) -> bool {
        matches!(self, Self::Literal | Self::Unspaced)
    }
}

/// What an uncovered symbol becomes, with a merge list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unknown {
    /// The unknown piece, one for all adjacent ones in a chunk.
    #[default]
    Fuse,
    /// The unknown piece, one for each.
    Each,
    /// Nothing: removed before merging.
    Drop,
    /// Nothing: removed after merging.
    Omit,
}

/// How path scores are added and compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Arithmetic {
    /// Float throughout; the running score is subtracted when it passes ±100000.
    #[default]
    #[serde(rename = "f32-rebased")]
    F32Rebased,
    /// Added in double, compared with and stored as float.
    #[serde(rename = "f64-compared")]
    F64Compared,
    /// Double throughout.
    #[serde(rename = "f64")]
    F64,
}

/// The unigram score of a user-defined piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum UserDefinedScore {
    /// `0.1 * (bytes - 1)`.
    #[default]
    LengthBonus,
    /// `bytes * max(smallest positive float, best normal score) - 0.1`.
    NearBest,
    /// 0.
    Zero,
}

/// What a symbol of `bpe`, `char` or `word` becomes if only a control, byte or unused piece spells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reserved {
    /// The unknown piece, or bytes.
    Unknown,
    /// That piece. The default of files without the setting.
    #[default]
    Matched,
}

/// The settings of a Spec. The field names are those of the Python dataclass; files lack those of later versions.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[allow(missing_docs)]
pub struct Config {
    pub segmenter: SegmenterKind,
    pub symbols: Symbols,
    pub splitter: Option<Splitter>,
    pub normalizer: Vec<Step>,
    pub split_rules: Vec<Rule>,
    pub whole_chunks: bool,
    /// The prefix of pieces that begin a chunk.
    pub word_prefix: String,
    /// The prefix of pieces within a chunk.
    pub continuing_prefix: String,
    /// Chunks of more characters are unknown.
    pub max_word_chars: Option<u32>,
    pub unknown: Unknown,
    pub symbol_prefix: String,
    pub end_suffix: String,
    pub matching: Matching,
    pub arithmetic: Arithmetic,
    pub user_defined_score: UserDefinedScore,
    pub match_kinds: MatchKinds,
    pub reserved: Reserved,
    pub spaces: Spaces,
    pub decoding: Decoding,
    pub clean_spaces: bool,
    pub decoder: Option<Vec<DecodeStep>>,
    /// For the callers: the tokens around one text, and around two.
    pub single: Option<Vec<(Slot, u32)>>,
    pub pair: Option<Vec<(Slot, u32)>>,
    /// For the callers: which spans are trimmed of spaces.
    pub trim_spans: TrimSpans,
    pub byte_fallback: bool,
    pub add_dummy_prefix: bool,
    pub remove_extra_whitespaces: bool,
    pub escape_whitespaces: bool,
    pub whitespace_as_suffix: bool,
    pub unk_surface: String,
    pub bos_id: Option<u32>,
    pub eos_id: Option<u32>,
    pub pad_id: Option<u32>,
    /// For the callers: which markers are added by default.
    #[serde(default = "yes")]
    pub add_bos: bool,
    #[serde(default = "yes")]
    pub add_eos: bool,
}

const fn yes() -> bool {
    true
}

/// Everything that can change output.
pub struct Spec {
    /// The settings.
    pub config: Config,
    /// The vocabulary.
    pub vocab: Arc<Vocab>,
    /// Left, right and result of each merge, by ascending rank; empty = merges by score.
    pub merges: Arc<Column<[u32; 3]>>,
    /// Precompiled map of the normalizer; empty = identity.
    pub charsmap: Column<u8>,
    /// Precompiled map applied to decoded text; empty = identity.
    pub denormalizer: Column<u8>,
    /// Strings that are found before text is segmented.
    pub added: Added,
}

/// Longer merge lists are processed by two threads.
pub const MANY_MERGES: usize = 100_000;

/// Exclusive upper bound of a piece's length, in bytes.
pub const MAX_PIECE: usize = 8000;

/// The settings that each file has had since the first version. An absent one is a damaged file, not a default.
const REQUIRED: [&str; 9] = [
    "segmenter",
    "arithmetic",
    "user_defined_score",
    "byte_fallback",
    "add_dummy_prefix",
    "remove_extra_whitespaces",
    "escape_whitespaces",
    "whitespace_as_suffix",
    "unk_surface",
];

impl Config {
    /// Reads the settings from JSON; `spec-config` if one is not known, has a value that it cannot have, or is required
    /// and absent.
    pub fn from_json(json: &str) -> Result<Self> {
        let refused =
            |what: String| Error::new("spec-config", format!("the settings of the Spec cannot be read: {what}"));
        let config = serde_json::from_str(json).map_err(|error| refused(error.to_string()))?;
        let given: HashMap<String, IgnoredAny> =
            serde_json::from_str(json).map_err(|error| refused(error.to_string()))?;
        match REQUIRED.into_iter().find(|field| !given.contains_key(*field)) {
            Some(field) => Err(refused(format!("{field} is missing; write the file again")).with("field", field)),
            None => Ok(config),
        }
    }

    /// Writes the settings as JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

impl Spec {
    /// Refuses what cannot become a tokenizer.
    pub fn validate(&self) -> Result<()> {
        self.check_columns()?;
        self.check_stages()?;
        // For a large vocabulary each takes as long as reading the file.
        let (pieces, merges) = join_if(
            self.merges.len() > MANY_MERGES,
            || self.check_pieces().and_then(|()| self.check_duplicates()),
            || self.check_merges(),
        );
        pieces.and(merges)?;
        self.check_fallback()?;
        self.check_special_ids()?;
        self.added.check(self.vocab.len())?;
        self.added.check_duplicates()?;
        self.check_controls()?;
        self.check_decoder()
    }

    /// Whether the segmenter finds pieces of a kind in text. It never finds control pieces, which need the caller's
    /// permission, nor user-defined ones that are added tokens.
    pub fn matches(&self, kind: Kind) -> bool {
        let is_spelled = self.matches_spelled() && matches!(kind, Kind::Unknown | Kind::Byte);
        kind.is_matchable() || is_spelled || self.matches_all() && kind != Kind::Control
    }

    /// The user-defined pieces that are added tokens: only that stage finds them.
    pub fn added_symbols(&self) -> HashSet<u32> {
        let apart = !self.matches_all() && !self.matches_unused();
        let ids = self.added.ids.iter().copied().filter(|_| apart);
        ids.filter(|&id| self.vocab.kind(id) == Kind::UserDefined).collect()
    }

    /// Whether unused pieces match like any other.
    pub fn matches_unused(&self) -> bool {
        self.config.match_kinds == MatchKinds::Unused
    }

    /// Whether reserved pieces can be found by their spelling.
    pub fn matches_spelled(&self) -> bool {
        self.config.match_kinds == MatchKinds::Spelled
    }

    /// Whether all pieces can be found in text, and none is special to the segmenter.
    pub fn matches_all(&self) -> bool {
        self.config.match_kinds == MatchKinds::All
    }

    /// The id of the unknown piece. Only byte-level merging has none.
    pub fn unk_id(&self) -> Option<u32> {
        self.vocab.ids_of(Kind::Unknown).next()
    }

    /// Whether pieces are bytes.
    pub fn has_byte_pieces(&self) -> bool {
        self.config.symbols == Symbols::Bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_without(absent: &[&str]) -> Result<Config> {
        let written = Config::default().to_json();
        let mut settings: HashMap<String, serde_json::Value> = serde_json::from_str(&written).unwrap_or_default();
        settings.retain(|field, _| !absent.contains(&field.as_str()));
        Config::from_json(&serde_json::to_string(&settings).unwrap_or_default())
    }

    #[test]
    fn settings_are_read_as_they_are_written() {
        let config = Config { unk_surface: "?".to_owned(), byte_fallback: true, ..Config::default() };
        assert_eq!(Config::from_json(&config.to_json()), Ok(config));
    }

    #[test]
    fn a_required_setting_that_is_absent_is_named() {
        for field in REQUIRED {
            let error = read_without(&[field]).err();
            assert_eq!(error.as_ref().map(Error::code), Some("spec-config"));
            assert!(error.is_some_and(|error| error.message().contains(field) && error.facts_json().contains(field)));
        }
    }

    #[test]
    fn settings_of_later_versions_may_be_absent() {
        let later = ["symbols", "splitter", "decoder", "reserved", "pad_id", "add_bos", "add_eos"];
        let config = Config { add_bos: true, add_eos: true, ..Config::default() };
        assert_eq!(read_without(&later), Ok(config));
    }

    #[test]
    fn a_list_is_no_settings() {
        assert_eq!(Config::from_json("[]").map_err(|error| error.code()), Err("spec-config"));
    }
}
