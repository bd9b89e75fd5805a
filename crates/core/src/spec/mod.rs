//! A tokenizer as data, and what makes it acceptable.
//!
//! Every problem is found here, before anything is built; after that, encoding cannot fail because of the vocabulary.

pub mod added;
pub(crate) mod checks;
pub(crate) mod control_checks;
pub(crate) mod merge_checks;
pub mod stages;
pub mod template;
pub mod vocab;

pub(crate) use crate::spec::control_checks::PASSED_OVER;

use std::collections::HashSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::spec::added::{Added, Matching};
use crate::spec::stages::DecodeStep;
use crate::spec::stages::Rule;
use crate::spec::stages::Splitter;
use crate::spec::stages::Step;
use crate::spec::template::{Slot, TrimSpans};
use crate::spec::vocab::{Kind, Vocab};
use crate::util::column::Column;
use crate::util::error::{Error, Result};
use crate::util::join::join_if;

/// How normalized text becomes pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SegmenterKind {
    /// The path of highest total score.
    Unigram,
    /// Merging the adjacent pair that stands first in the list of merges, or without one, that of highest score.
    Bpe,
    /// One piece a character.
    Char,
    /// One piece a word.
    Word,
    /// The longest piece that a chunk goes on with, or the whole chunk unknown.
    Wordpiece,
    /// One piece a chunk.
    WordLevel,
    /// The longest piece that the text goes on with; pieces are bytes.
    Greedy,
    /// The path of highest total of whole numbers, found from the end.
    Plamo,
}

impl SegmenterKind {
    /// Whether an answer is about a whole chunk, so that chunks have no parts and unknown ones stay apart.
    pub const fn is_chunkwise(self) -> bool {
        matches!(self, Self::Wordpiece | Self::WordLevel)
    }
}

/// What merging starts from.
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
    /// Normal, user-defined and unused ones alike, even where user-defined ones are added tokens too. To the normalizer what
    /// a user-defined one begins with is a symbol.
    Unused,
    /// Every piece, whatever its kind, like any other.
    All,
}

/// Where marks for spaces are put.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Spaces {
    /// Where spaces are, and at the edge of the text.
    #[default]
    Edges,
    /// In front of words: of each if extra spaces are removed, else of the first.
    Words,
}

/// How ids become text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Decoding {
    /// Control pieces leave no trace, the unknown piece prints its surface; spaces in front go until something is printed.
    #[default]
    Surface,
    /// Each piece by itself: control, unknown and user-defined ones as they are spelled, unused ones as nothing; one space
    /// in front of the very first piece goes, if one is put there.
    Literal,
    /// Each piece by itself as `Literal` has it; one space in front of the very first piece goes in any case.
    Unspaced,
    /// The bytes of each piece; control pieces leave no trace. For pieces that are bytes.
    Unmarked,
}

impl Decoding {
    /// Whether each piece is shown by itself.
    pub const fn is_literal(self) -> bool {
        matches!(self, Self::Literal | Self::Unspaced)
    }
}

/// What becomes of a symbol that no piece covers, where merges are those of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unknown {
    /// The unknown piece, one for all that stand side by side in a chunk.
    #[default]
    Fuse,
    /// The unknown piece, one for each.
    Each,
    /// Nothing: it is gone before anything is merged.
    Drop,
    /// Nothing: it is gone after everything is merged.
    Omit,
}

/// How path scores are added and compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Arithmetic {
    /// Float throughout; the running score is subtracted when it passes ±100000.
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum UserDefinedScore {
    /// `0.1 * (bytes - 1)`.
    LengthBonus,
    /// `bytes * max(smallest positive float, best normal score) - 0.1`.
    NearBest,
    /// 0.
    Zero,
}

/// What a symbol of `bpe`, `char` or `word` becomes that only a control, byte or unused piece spells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reserved {
    /// The unknown piece, or bytes.
    Unknown,
    /// That piece. Files that do not say it mean this.
    #[default]
    Matched,
}

/// The settings of a Spec. The field names are those of the Python dataclass.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct Config {
    pub segmenter: SegmenterKind,
    #[serde(default)]
    pub symbols: Symbols,
    #[serde(default)]
    pub splitter: Option<Splitter>,
    #[serde(default)]
    pub normalizer: Vec<Step>,
    #[serde(default)]
    pub split_rules: Vec<Rule>,
    #[serde(default)]
    pub whole_chunks: bool,
    /// What pieces that begin a chunk are spelled with in front.
    #[serde(default)]
    pub word_prefix: String,
    /// What pieces within a chunk are spelled with in front.
    #[serde(default)]
    pub continuing_prefix: String,
    /// Chunks of more characters are unknown.
    #[serde(default)]
    pub max_word_chars: Option<u32>,
    #[serde(default)]
    pub unknown: Unknown,
    #[serde(default)]
    pub symbol_prefix: String,
    #[serde(default)]
    pub end_suffix: String,
    #[serde(default)]
    pub matching: Matching,
    pub arithmetic: Arithmetic,
    pub user_defined_score: UserDefinedScore,
    #[serde(default)]
    pub match_kinds: MatchKinds,
    #[serde(default)]
    pub reserved: Reserved,
    #[serde(default)]
    pub spaces: Spaces,
    #[serde(default)]
    pub decoding: Decoding,
    #[serde(default)]
    pub clean_spaces: bool,
    #[serde(default)]
    pub decoder: Option<Vec<DecodeStep>>,
    /// For the callers: what stands around a text, and around two.
    #[serde(default)]
    pub single: Option<Vec<(Slot, u32)>>,
    #[serde(default)]
    pub pair: Option<Vec<(Slot, u32)>>,
    /// For the callers: which spans lose their spaces.
    #[serde(default)]
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
    /// For the callers: which of the marks stand around a text where nothing else is asked for.
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
    /// Left, right and result of each merge, the first ones first; empty = merges by score.
    pub merges: Arc<Column<[u32; 3]>>,
    /// Precompiled map of the normalizer; empty = identity.
    pub charsmap: Column<u8>,
    /// Precompiled map applied to decoded text; empty = identity.
    pub denormalizer: Column<u8>,
    /// Strings that are found before text is segmented.
    pub added: Added,
}

/// Lists of more merges are worked on by two threads.
pub const MANY_MERGES: usize = 100_000;

/// A piece has to be shorter than this many bytes.
pub const MAX_PIECE: usize = 8000;

impl Config {
    /// Reads the settings from JSON.
    pub fn from_json(json: &str) -> Result<Self> {
        serde_json::from_str(json)
            .map_err(|error| Error::new("spec-config", format!("the settings of the Spec cannot be read: {error}")))
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
        // Both take as long as reading the file where a vocabulary is large.
        let (pieces, merges) = join_if(
            self.merges.len() > MANY_MERGES,
            || self.check_pieces().and_then(|()| self.check_duplicates()),
            || self.check_merges(),
        );
        pieces.and(merges)?;
        self.check_fallback()?;
        self.check_special_ids()?;
        self.check_added()?;
        self.check_controls()?;
        self.check_decoder()
    }

    /// Whether the segmenter finds pieces of a kind in text. User-defined ones that are added tokens it does not, and control
    /// pieces never: their ids are for those whom the caller permits them.
    pub fn matches(&self, kind: Kind) -> bool {
        let is_spelled = self.matches_spelled() && matches!(kind, Kind::Unknown | Kind::Byte);
        kind.is_matchable() || is_spelled || self.matches_all() && kind != Kind::Control
    }

    /// The user-defined pieces that are added tokens: they are found by that stage alone.
    pub fn added_symbols(&self) -> HashSet<u32> {
        let apart = !self.matches_all() && !self.matches_unused();
        let ids = self.added.ids.iter().copied().filter(|_| apart);
        ids.filter(|&id| self.vocab.kind(id) == Kind::UserDefined).collect()
    }

    /// Whether unused pieces are like any other.
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

    /// The id of the one unknown piece. Only where merging starts from bytes there is none.
    pub fn unk_id(&self) -> Option<u32> {
        self.vocab.ids_of(Kind::Unknown).next()
    }

    /// Whether pieces are bytes.
    pub fn has_byte_pieces(&self) -> bool {
        self.config.symbols == Symbols::Bytes
    }
}
