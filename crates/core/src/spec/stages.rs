//! Names and options of the stages' steps and rules, as a Spec lists them. Their behaviour is in the folders of the
//! stages.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::pattern::Pattern;

/// A step. The names are those of the Spec's field `normalizer`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case", deny_unknown_fields)]
#[allow(missing_docs)]
pub enum Step {
    /// Canonical composition.
    Nfc {},
    /// Canonical composition by the tables of Unicode 14, which Python 3.11 has.
    #[serde(rename = "nfc-14.0")]
    Nfc14 {},
    /// Canonical decomposition.
    Nfd {},
    /// Compatibility composition.
    Nfkc {},
    /// Compatibility decomposition.
    Nfkd {},
    /// Every character in lower case.
    Lowercase {},
    /// Removes white space at the ends.
    Strip { left: bool, right: bool },
    /// Removes combining marks.
    StripAccents {},
    /// Every match becomes `content`.
    Replace { pattern: Pattern, content: String },
    /// Inserts `text` before a text that is not empty.
    Prepend { text: String },
    /// BERT's normalizer; without `strip_accents` accents are removed if `lowercase` is set.
    Bert { clean_text: bool, handle_chinese_chars: bool, strip_accents: Option<bool>, lowercase: bool },
    /// The Spec's `charsmap`, for whole graphemes where they are short.
    Charsmap {},
    /// What SentencePiece's rule `nmt` does to control characters and spaces.
    Nmt {},
    /// Spaces around punctuation and Chinese characters, white space becomes a space, control characters are removed;
    /// with the tables of Unicode 15.1.
    Words { lowercase: bool, strip_accents: bool },
}

/// What becomes of a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Behavior {
    /// It is removed.
    Removed,
    /// It is a chunk.
    Isolated,
    /// It ends the chunk before it; after another match it is a chunk of its own.
    MergedWithPrevious,
    /// It begins the chunk after it; before another match it is a chunk of its own.
    MergedWithNext,
    /// It forms one chunk with adjacent matches.
    Contiguous,
}

/// Where digit groups are cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GroupCut {
    /// After each group, the first of one to three digits; what precedes a run goes with its first group. Digits are
    /// those of Unicode 15.1.
    Behind,
    /// Before each group of three; the remainder at the beginning of a run goes with what precedes it. Digits are those
    /// of ASCII.
    Before,
}

/// When a mark is inserted before a chunk that does not begin with one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Prepend {
    /// Always.
    Always,
    /// Never.
    Never,
    /// If the chunk begins the original text.
    First,
}

/// A rule. The names are those of the Spec's field `split_rules`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case", deny_unknown_fields)]
#[allow(missing_docs)]
pub enum Rule {
    /// At the matches of a pattern, or with `invert` at what lies between them.
    Split { pattern: Pattern, behavior: Behavior, invert: bool },
    /// Words, and runs of punctuation; white space is removed.
    Whitespace {},
    /// At white space, which is removed.
    WhitespaceSplit {},
    /// At white space, which is removed, and at punctuation.
    Bert {},
    /// Spaces become marks; with `split` a chunk begins at each.
    Metaspace { replacement: char, prepend_scheme: Prepend, split: bool },
    /// At numbers: at each, or at runs of them.
    Digits { individual: bool },
    /// At groups of three digits, counted from the end of a run.
    NumberGroups { cut: GroupCut },
    /// At punctuation.
    Punctuation { behavior: Behavior },
    /// At a character, which is removed.
    CharDelimiter { delimiter: char },
    /// Where the script changes.
    UnicodeScripts {},
    /// After every `length` characters.
    FixedLength { length: u32 },
    /// With GPT-2's pattern, if `use_regex`; a space may be inserted before each chunk. From here on text is bytes.
    ByteLevel { add_prefix_space: bool, use_regex: bool },
}

/// A pattern that text is cut by before its chunks become pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Splitter {
    /// GPT-2, r50k and p50k: a space goes with the following word, number or punctuation.
    Gpt2,
    /// cl100k: any one sign or space goes with the following word; at most three digits.
    Cl100k,
    /// Llama 3: as cl100k, but white space at the end of the text is cut after its last newline.
    Llama3,
    /// Qwen 2: as Llama 3, but each digit is a chunk.
    Qwen2,
    /// o200k and Llama 4: words end where lower case turns into upper case.
    O200k,
    /// Tekken: as o200k, but without contractions, and each digit is a chunk.
    Tekken,
    /// StarCoder: as GPT-2, but each digit is a chunk, and so is white space before it.
    Starcoder,
    /// DeepSeek V3: at most three digits, runs of Chinese and Japanese, then words, punctuation and white space.
    #[serde(rename = "deepseek-v3")]
    DeepseekV3,
    /// As GPT-2, in Unicode 15.1.
    #[serde(rename = "gpt2-15.1")]
    Gpt2Old,
    /// As Llama 3, in Unicode 15.1, and only ASCII has case.
    #[serde(rename = "llama3-15.1")]
    Llama3Old,
    /// As Qwen 2, in Unicode 15.1, and only ASCII has case.
    #[serde(rename = "qwen2-15.1")]
    Qwen2Old,
    /// Lines, each with all the newlines after it.
    Lines,
}

/// One step. The names and options are those of the Spec.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case", deny_unknown_fields)]
#[allow(missing_docs)]
pub enum DecodeStep {
    /// Runs of tokens spelled `<0xNN>` become the bytes.
    ByteFallback,
    /// A mark becomes a space; leading ones of the first token are removed if one was inserted.
    Metaspace { replacement: char, prepended: bool },
    /// A text becomes another one, in each token.
    Replace { pattern: String, content: String },
    /// All tokens become one.
    Fuse,
    /// Removes at most `start` and `stop` copies of a character at the ends of each token.
    Strip { content: char, start: usize, stop: usize },
    /// A token with the prefix loses it, any other but the first gets a space before it.
    Wordpiece { prefix: String, cleanup: bool },
    /// The suffix becomes a space, and nothing in the last token.
    Suffix { suffix: String },
    /// Collapses adjacent equal tokens, removes padding, and turns the delimiter into a space.
    Ctc { pad: String, delimiter: String, cleanup: bool },
    /// A separator between every two tokens.
    Join { separator: String },
    /// Some tokens become other texts.
    Respell { pieces: BTreeMap<String, String> },
    /// Each byte of a token becomes the character that stands for it in byte-level vocabularies.
    ByteLetters,
    /// The inverse of `ByteLetters`, and all tokens become one text; a token with another character is taken as it is.
    ByteLevel,
}
