//! Added tokens as a Spec lists them.

use serde::{Deserialize, Serialize};

use crate::util::{us, Column, Error, Result};

/// Found only where the caller permits it.
pub const SPECIAL: u8 = 1;

/// Strips the white space before it.
pub const LSTRIP: u8 = 2;

/// Strips the white space after it.
pub const RSTRIP: u8 = 4;

/// Found only where no word character touches it.
pub const SINGLE_WORD: u8 = 8;

/// Looked for in the normalized text, by its own normalized form.
pub const NORMALIZED: u8 = 16;

pub(crate) const ALL_FLAGS: u8 = 31;

/// The columns. Text `i` is `blob[offsets[i]..offsets[i + 1]]`.
#[derive(Clone, Default)]
pub struct Added {
    /// All texts, one after the other.
    pub blob: Column<u8>,
    /// One more than there are texts, ascending; or none at all.
    pub offsets: Column<u32>,
    /// The piece that each becomes.
    pub ids: Column<u32>,
    /// Its flags.
    pub flags: Column<u8>,
}

/// Which of several overlapping added tokens wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Matching {
    /// The one that begins first; of those that begin together the longest.
    #[default]
    LeftmostLongest,
    /// The longest anywhere in the text; of equally long ones the first listed, then the first in the text.
    LongestFirst,
}

impl Added {
    /// The number of added tokens.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// The text of an added token.
    pub fn text(&self, index: usize) -> &[u8] {
        &self.blob[us(self.offsets[index])..us(self.offsets[index + 1])]
    }

    /// Checks that the columns belong together.
    pub fn check(&self, pieces: usize) -> Result<()> {
        if self.is_empty() && self.offsets.len() <= 1 && self.flags.is_empty() {
            return Ok(());
        }
        let fit = self.offsets.len() == self.len() + 1 && self.flags.len() == self.len();
        let bounded = self.offsets.last().is_some_and(|&end| us(end) <= self.blob.len());
        let what = if !fit || !bounded || self.offsets.windows(2).any(|pair| pair[0] > pair[1]) {
            "their columns do not fit together"
        } else if self.offsets.windows(2).any(|pair| pair[0] == pair[1]) {
            "one has an empty text"
        } else if self.ids.iter().any(|&id| us(id) >= pieces) {
            "one has an id outside the vocabulary"
        } else if self.flags.iter().any(|&flags| flags & !ALL_FLAGS != 0) {
            "one has a flag that does not exist"
        } else {
            return Ok(());
        };
        Err(Error::new("spec-added", format!("the added tokens cannot be used: {what}")))
    }

    /// Refuses duplicate texts.
    pub fn check_duplicates(&self) -> Result<()> {
        let mut texts: Vec<&[u8]> = (0..self.len()).map(|index| self.text(index)).collect();
        texts.sort_unstable();
        match texts.windows(2).find(|pair| pair[0] == pair[1]) {
            None => Ok(()),
            Some(pair) => {
                let shown = String::from_utf8_lossy(pair[0]).into_owned();
                Err(Error::new("spec-added", format!("the added token {shown:?} is listed twice")).with("text", shown))
            }
        }
    }
}
