//! The stages as a Spec lists them: names and options of steps and rules. What they do is in the folders of the stages.

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
    /// White space at the ends goes.
    Strip { left: bool, right: bool },
    /// Combining marks go.
    StripAccents {},
    /// Every match becomes `content`.
    Replace { pattern: Pattern, content: String },
    /// `text` is put before a text that is not empty.
    Prepend { text: String },
    /// What BERT does; without `strip_accents` accents go if `lowercase` says so.
    Bert { clean_text: bool, handle_chinese_chars: bool, strip_accents: Option<bool>, lowercase: bool },
    /// The Spec's `charsmap`, for whole graphemes where they are short.
    Charsmap {},
    /// What SentencePiece's rule `nmt` does to control characters and spaces.
    Nmt {},
    /// Signs and Chinese characters get spaces around them, white space becomes a space, control characters go; with the
    /// tables of Unicode 15.1.
    Words { lowercase: bool, strip_accents: bool },
}

/// What becomes of a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Behavior {
    /// It goes.
    Removed,
    /// It is a chunk.
    Isolated,
    /// It ends the chunk before it; behind another match it is a chunk.
    MergedWithPrevious,
    /// It begins the chunk behind it; before another match it is a chunk.
    MergedWithNext,
    /// It is a chunk with the matches next to it.
    Contiguous,
}

/// Where the groups are cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GroupCut {
    /// Behind each group, the first of one to three numbers; what stands before a run goes with its first group. Numbers are
    /// those of Unicode 15.1.
    Behind,
    /// Before each group of three; what is left over at the beginning of a run goes with what stands before it. Numbers are
    /// the digits of ASCII.
    Before,
}

/// When a mark is put in front of a chunk that does not begin with one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Prepend {
    /// Always.
    Always,
    /// Never.
    Never,
    /// If the chunk is from the beginning of the original text.
    First,
}

/// A rule. The names are those of the Spec's field `split_rules`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case", deny_unknown_fields)]
#[allow(missing_docs)]
pub enum Rule {
    /// At the matches of a pattern, or with `invert` at what lies between them.
    Split { pattern: Pattern, behavior: Behavior, invert: bool },
    /// Words, and runs of signs; white space goes.
    Whitespace {},
    /// At white space, which goes.
    WhitespaceSplit {},
    /// At white space, which goes, and at signs.
    Bert {},
    /// Spaces become marks; with `split` a chunk begins at each.
    Metaspace { replacement: char, prepend_scheme: Prepend, split: bool },
    /// At numbers: at each, or at runs of them.
    Digits { individual: bool },
    /// At groups of three numbers, counted from the end of a run of them.
    NumberGroups { cut: GroupCut },
    /// At signs.
    Punctuation { behavior: Behavior },
    /// At a character, which goes.
    CharDelimiter { delimiter: char },
    /// Where the script changes.
    UnicodeScripts {},
    /// Behind every so many characters.
    FixedLength { length: u32 },
    /// As GPT-2 does, if `use_regex`; a space may be put in front of each chunk. Text is bytes from here on.
    ByteLevel { add_prefix_space: bool, use_regex: bool },
}

/// A pattern that text is cut by before its chunks become pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Splitter {
    /// GPT-2, r50k and p50k: a space goes with the word, number or signs behind it.
    Gpt2,
    /// cl100k: any one sign or space goes with the word behind it; at most three numbers.
    Cl100k,
    /// Llama 3: as cl100k, but white space at the end of the text is cut behind its last newline.
    Llama3,
    /// Qwen 2: as Llama 3, but each number is a chunk.
    Qwen2,
    /// o200k and Llama 4: words end where lower case turns into upper case.
    O200k,
    /// Tekken: as o200k, but without contractions, and each number is a chunk.
    Tekken,
    /// StarCoder: as GPT-2, but each number is a chunk, and white space before it too.
    Starcoder,
    /// DeepSeek V3: at most three numbers, runs of Chinese and Japanese, then words, signs and white space.
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
    /// Lines, each with all the newlines behind it.
    Lines,
}

/// One step. The names and options are those of the Spec.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case", deny_unknown_fields)]
#[allow(missing_docs)]
pub enum DecodeStep {
    /// Runs of tokens spelled `<0xNN>` become the bytes.
    ByteFallback,
    /// A mark becomes a space; those of the first token go if one was put in front.
    Metaspace { replacement: char, prepended: bool },
    /// A text becomes another one, in each token.
    Replace { pattern: String, content: String },
    /// All tokens become one.
    Fuse,
    /// At most so many of a character go at the beginning and the end of each token.
    Strip { content: char, start: usize, stop: usize },
    /// A token with the prefix loses it, any other but the first gets a space in front.
    Wordpiece { prefix: String, cleanup: bool },
    /// The suffix becomes a space, and nothing in the last token.
    Suffix { suffix: String },
    /// Of equal tokens in a row one stays, padding goes, the delimiter becomes a space.
    Ctc { pad: String, delimiter: String, cleanup: bool },
    /// Something between every two tokens.
    Join { separator: String },
    /// Some tokens become other texts.
    Respell { pieces: BTreeMap<String, String> },
    /// Each byte of a token becomes the character that stands for it in byte-level vocabularies.
    ByteLetters,
    /// The reverse, and all tokens become one text; a token with another character is taken as it is.
    ByteLevel,
}
