//! Short texts that are encoded together, as rows of one text.

use crate::normalize::normalized::BEHIND;
use crate::specials::Permit;
use crate::tokenizer::input::Input;
use crate::tokenizer::scratch::Scratch;
use crate::tokenizer::Tokenizer;
use crate::units::engine::rows::is_row;
use crate::units::engine::Engine;
use crate::util::{u32_of, Result};

/// Maximum bytes of a text that is encoded with others: longer ones fill windows of their own.
const SHORT: usize = 512;
/// Bytes of normalized text after which no more texts are added.
const MOST: usize = 8 << 10;

impl Tokenizer {
    /// Encodes the leading texts that are short, together: returns how many, with their numbers of ids in `scratch.rows`
    /// and all ids at the beginning of `scratch.engine.ids`. 0 where the first text has to be encoded by itself.
    pub(crate) fn encode_short(&self, texts: &[Input<'_>], permit: Permit<'_>, scratch: &mut Scratch) -> Result<usize> {
        let short = texts.iter().map_while(|input| match input {
            Input::Bytes(text) if text.len() <= SHORT => Some(*text),
            _ => None,
        });
        if short.clone().next().is_none() || !self.joins_rows(permit) {
            return Ok(0);
        }
        let mut rows = std::mem::take(&mut scratch.rows);
        rows.clear();
        for text in short {
            let normalized = if self.normalizer.changes_nothing() {
                text
            } else {
                self.normalize_into(text, false, scratch)?;
                scratch.normalized.inner()
            };
            if !is_row(normalized) {
                break;
            }
            rows.text.extend_from_slice(normalized);
            rows.ends.push(u32_of(rows.text.len()));
            if rows.text.len() > MOST {
                break;
            }
        }
        rows.text.resize(rows.text.len() + BEHIND, 0);
        let engine = Engine::new(&self.units, &self.spec.vocab, rows.text.len());
        engine.run_rows(&rows.text, &rows.ends, &mut rows.counts, &mut scratch.engine);
        scratch.rows = rows;
        Ok(scratch.rows.counts.len())
    }

    /// Whether texts are one fragment each, without rules, and have units.
    fn joins_rows(&self, permit: Permit<'_>) -> bool {
        let has_units = self.units.has_units() && !self.units.segmenter.has_byte_paths();
        self.is_whole(permit) && self.stages.is_empty() && has_units
    }
}
