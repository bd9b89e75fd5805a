//! Templates of the special tokens around texts: the part of a Spec that the callers apply.

use serde::{Deserialize, Serialize};

use crate::spec::Config;
use crate::util::{us, Error, Result};

/// A place in a template: a piece, or one of the texts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Slot {
    /// A piece.
    Id(u32),
    /// A text: `A` or `B`.
    Text(String),
}

/// Which spans are trimmed of the spaces that their tokens begin and end with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TrimSpans {
    /// None.
    #[default]
    None,
    /// All, but one space at the beginning of the text stays.
    Inner,
    /// All.
    All,
}

/// Refuses templates that do not contain each text exactly once, or that name ids outside the vocabulary.
pub fn check(config: &Config, pieces: usize) -> Result<()> {
    for (name, slots) in [("single", &config.single), ("pair", &config.pair)] {
        let Some(slots) = slots else { continue };
        let mut texts: Vec<&str> = slots
            .iter()
            .filter_map(|(slot, _)| match slot {
                Slot::Text(text) => Some(text.as_str()),
                Slot::Id(_) => None,
            })
            .collect();
        texts.sort_unstable();
        let fits = texts == if name == "single" { &["A"][..] } else { &["A", "B"][..] };
        let inside = slots.iter().all(|(slot, _)| !matches!(slot, Slot::Id(id) if us(*id) >= pieces));
        if !fits || !inside {
            let message = format!("{name} must have each text once, and pieces of the vocabulary around them");
            return Err(Error::new("spec-special-id", message).with("name", name));
        }
    }
    Ok(())
}
