//! Detects special pieces that a text would become if they were ordinary ones, though neither the text nor its
//! normalized form spells them.
//!
//! A piece's spelling differs from its text where an affix encodes its position (`##s`, `s</w>`), where pieces are
//! bytes (`Ġa` for a space and an a), and where a rule of the splitter inserts text. No vocabulary in use has such a
//! special piece. For one that has, a second tokenizer in which they are ordinary pieces decides whether a text becomes
//! one.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::spec::stages::Rule;
use crate::spec::vocab::Kind;
use crate::spec::{Spec, Symbols};
use crate::specials::Permit;
use crate::tokenizer::Tokenizer;
use crate::util::{us, Column, Result};

/// The number of [`Kind::Normal`].
const NORMAL: u8 = 1;

/// The tokenizer in which special pieces are ordinary ones.
pub(crate) struct Made {
    /// Its special pieces, and the numbers of their spellings.
    numbers: HashMap<u32, u32>,
    tokenizer: Tokenizer,
}

impl Made {
    /// `None` if every special piece is spelled as its text. `spellings` are the special pieces with their ids and
    /// numbers.
    pub(crate) fn build(spec: &Spec, spellings: &[(&[u8], u32, u32)]) -> Result<Option<Self>> {
        let texts: HashSet<&[u8]> = spellings.iter().map(|row| row.0).collect();
        let is_unlike = |id: u32| !texts.contains(spec.vocab.piece(id)) || spec.is_marked(id);
        let unlike = spellings.iter().filter(|(_, id, _)| spec.vocab.kind(*id) == Kind::Control && is_unlike(*id));
        let mut numbers: HashMap<u32, u32> = unlike.map(|&(_, id, number)| (id, number)).collect();
        if numbers.is_empty() {
            return Ok(None);
        }
        // A text that also spells an ordinary piece becomes that one.
        let others = (0..).zip(&*spec.vocab.kinds).filter(|(id, _)| !numbers.contains_key(id));
        let taken: HashSet<&[u8]> = others.map(|(id, _)| spec.vocab.piece(id)).collect();
        numbers.retain(|&id, _| !taken.contains(spec.vocab.piece(id)));
        let tokenizer = Tokenizer::new(spec.with_ordinary(&numbers), 0)?;
        Ok(Some(Self { numbers, tokenizer }))
    }

    /// The first special piece that a text becomes and that is not in `allowed`, which are ascending numbers: its
    /// number and its start.
    pub(crate) fn first(&self, text: &[u8], allowed: &[u32]) -> Result<Option<(u32, usize)>> {
        let added = &self.tokenizer.spec.added;
        let mut ids = allowed.to_vec();
        if !added.is_empty() {
            ids = allowed.iter().filter_map(|&number| added.ids.get(us(number)).copied()).collect();
            ids.sort_unstable();
        }
        let mut scratch = self.tokenizer.scratch();
        let tokens = self.tokenizer.spans(text, Permit::Some(&ids), &mut scratch);
        self.tokenizer.give_back(scratch);
        let mut forbidden = tokens?.into_iter().filter(|(token, _)| ids.binary_search(&token.id).is_err());
        Ok(forbidden.find_map(|(token, _)| Some((*self.numbers.get(&token.id)?, token.span.0))))
    }
}

impl Spec {
    /// Whether a piece contains what the segmenter or a rule of the splitter inserts, so that text may become it
    /// without spelling it.
    fn is_marked(&self, id: u32) -> bool {
        let (config, piece) = (&self.config, self.vocab.piece(id));
        let begins = [&config.word_prefix, &config.continuing_prefix, &config.symbol_prefix];
        let has_mark = begins.iter().any(|mark| !mark.is_empty() && piece.starts_with(mark.as_bytes()))
            || !config.end_suffix.is_empty() && piece.ends_with(config.end_suffix.as_bytes());
        let holds = |mark: char| String::from_utf8_lossy(piece).contains(mark);
        let is_written = |rule: &Rule| match rule {
            Rule::Metaspace { replacement, .. } => holds(*replacement),
            Rule::ByteLevel { add_prefix_space, .. } => {
                let is_mapped = config.symbols == Symbols::Characters && !piece.is_ascii();
                is_mapped || *add_prefix_space && (holds(' ') || holds('Ġ'))
            }
            _ => false,
        };
        has_mark || config.split_rules.iter().any(is_written)
    }

    /// The Spec in which some special pieces are ordinary ones.
    fn with_ordinary(&self, ids: &HashMap<u32, u32>) -> Self {
        let kinds = (0..).zip(&*self.vocab.kinds);
        let kinds: Vec<u8> = kinds.map(|(id, &kind)| if ids.contains_key(&id) { NORMAL } else { kind }).collect();
        let mut config = self.config.clone();
        (config.bos_id, config.eos_id, config.pad_id, config.single, config.pair) = (None, None, None, None, None);
        Self {
            config,
            vocab: Arc::new(self.vocab.with_kinds(kinds.into())),
            merges: Arc::clone(&self.merges),
            charsmap: self.charsmap.clone(),
            denormalizer: Column::default(),
            added: self.added.clone(),
        }
    }
}
