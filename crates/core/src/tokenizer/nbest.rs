//! The k-best paths of a text.

use crate::nbest::{BestIds, KBestCache, MOST_PATHS, MOST_TEXT, MOST_WRITTEN};
use crate::sampling::engine::UnigramTables;
use crate::segment::Algorithm;
use crate::specials::Permit;
use crate::tokenizer::scratch::Scratch;
use crate::tokenizer::Tokenizer;
use crate::util::Result;

impl Tokenizer {
    /// The best `n` paths of a text. `None` if it is long, or contains what has no list: a character without a piece, a
    /// very long unit, an added token. Then the lattice is used.
    pub fn nbest<'s>(
        &self,
        text: &[u8],
        permit: Permit<'_>,
        n: usize,
        scratch: &'s mut Scratch,
    ) -> Result<Option<BestIds<'s>>> {
        let Algorithm::Unigram(unigram) = &self.units.segmenter.algorithm else { return Ok(None) };
        if text.len() > MOST_TEXT
            || !(1..=MOST_PATHS).contains(&n)
            || n * text.len() > MOST_WRITTEN
            || self.units.segmenter.has_byte_paths()
            || !self.is_whole(permit)
        {
            return Ok(None);
        }
        self.prepare_into(text, true, false, scratch)?;
        if scratch.normalized.len > MOST_TEXT {
            return Ok(None);
        }
        self.unit_bounds(&scratch.normalized, &mut scratch.engine.starts);
        let Scratch { normalized, engine, kbest, .. } = scratch;
        let (slots, vocab) = (engine.cache.table.most, &self.spec.vocab);
        let kbest = kbest.get_or_insert_with(|| Box::new(KBestCache::new(slots, vocab.len())));
        let source = UnigramTables { unigram, fallback: &self.units.segmenter.fallback, vocab };
        Ok(source.nbest(&normalized.bytes, &engine.starts, n, kbest))
    }
}
