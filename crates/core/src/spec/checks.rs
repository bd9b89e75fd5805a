//! Validation of a Spec, except for its merges.

use crate::index::double_array::MAX_VALUE;
use crate::index::string_index::StringIndex;
use crate::spec::stages::{DecodeStep, Step};
use crate::spec::vocab::{byte_of, plamo_score, Kind, PLAMO_UNKNOWN};
use crate::spec::{template, Arithmetic, Decoding, MatchKinds, SegmenterKind, Spec, Symbols, MAX_PIECE};
use crate::util::{paced, u32_of, us, Error, Result};

/// Maximum count of a strip step, in tokens, so that sums cannot overflow.
const MAX_STRIP: usize = 1 << 20;

/// The error of a setting that cannot be used, or not with the others.
pub(crate) fn setting_error(field: &str, what: &str) -> Error {
    Error::new("spec-stages", format!("{field} {what}")).with("field", field)
}

fn refuse(is_wrong: bool, field: &str, what: &str) -> Result<()> {
    match is_wrong {
        true => Err(setting_error(field, what)),
        false => Ok(()),
    }
}

/// Refuses a vocabulary in which some byte has no piece.
fn check_all(has_piece: impl Fn(u8) -> bool) -> Result<()> {
    let missing: Vec<u8> = (0..=255).filter(|&byte| !has_piece(byte)).collect();
    let Some(first) = missing.first() else { return Ok(()) };
    let count = missing.len();
    let message =
        format!("{count} of the 256 bytes have no piece, the first is <0x{first:02X}>: some text could not be encoded");
    Err(Error::new("spec-bytes", message).with("missing", count))
}

impl Spec {
    /// Refuses decoding steps that cannot be run.
    pub(crate) fn check_decoder(&self) -> Result<()> {
        let Some(steps) = &self.config.decoder else { return Ok(()) };
        let is_letters = |step: &DecodeStep| *step == DecodeStep::ByteLetters;
        let is_lettered = steps.first().is_some_and(is_letters);
        let problem = |step: &DecodeStep| match step {
            DecodeStep::Replace { pattern, .. } if pattern.is_empty() => Some("it replaces an empty text"),
            DecodeStep::Suffix { suffix } if suffix.is_empty() => Some("its suffix is empty"),
            DecodeStep::Strip { start, stop, .. } if *start.max(stop) > MAX_STRIP => {
                Some("it strips more than a million characters")
            }
            _ => None,
        };
        let what = match self.has_byte_pieces() != is_lettered || steps.iter().skip(1).any(is_letters) {
            true => {
                "it works on text, and where pieces are bytes \"byte-letters\" must be its first step, and only there"
            }
            false => steps.iter().find_map(problem).unwrap_or_default(),
        };
        if what.is_empty() {
            return Ok(());
        }
        Err(Error::new("spec-decoder", format!("the decoder cannot be used: {what}; change it")))
    }

    /// Checks that the stages are compatible.
    pub fn check_stages(&self) -> Result<()> {
        let config = &self.config;
        let is = |kind: SegmenterKind| config.segmenter == kind;
        self.check_lists()?;
        let cleans_twice = config.clean_spaces && !self.denormalizer.is_empty();
        refuse(cleans_twice, "clean_spaces", "does not go together with a denormalizer")?;
        let has_chunks = is(SegmenterKind::Bpe) && self.has_byte_pieces() || self.has_merges();
        let what = "is for segmenter=\"bpe\" with symbols=\"bytes\" or merges; leave it out";
        refuse(config.whole_chunks && !has_chunks, "whole_chunks", what)?;
        self.check_merge_settings()?;
        let what = "must be on for segmenter=\"plamo\", which spells unknown characters in bytes";
        refuse(is(SegmenterKind::Plamo) && !config.byte_fallback, "byte_fallback", what)?;
        let is_double = is(SegmenterKind::Unigram) && config.arithmetic == Arithmetic::F64;
        let what = "can be \"spelled\" or \"unused\" for segmenter=\"unigram\" with arithmetic=\"f64\" only";
        refuse((self.matches_spelled() || self.matches_unused()) && !is_double, "match_kinds", what)?;
        if config.symbols == Symbols::Characters {
            return self.check_characters();
        }
        let is_known = matches!(config.segmenter, SegmenterKind::Bpe | SegmenterKind::Greedy | SegmenterKind::Unigram);
        let what = "can be \"bytes\" for segmenter=\"bpe\", \"greedy\" and \"unigram\" only";
        refuse(!is_known, "symbols", what)?;
        let is_single = is(SegmenterKind::Unigram) && !is_double;
        refuse(is_single, "arithmetic", "must be \"f64\" for unigram pieces that are bytes")?;
        let matches_more = is(SegmenterKind::Unigram) && config.match_kinds != MatchKinds::Text;
        refuse(matches_more, "match_kinds", "must be \"text\" where pieces are bytes")?;
        let others = [("byte_fallback", config.byte_fallback), ("denormalizer", !self.denormalizer.is_empty())];
        let found = self.text_rules().into_iter().chain(others).find(|(_, set)| *set);
        let what = "changes text, which symbols=\"bytes\" takes as it is; switch it off";
        refuse(found.is_some(), found.unwrap_or_default().0, what)
    }

    /// Checks that the stages are compatible with pieces that are text.
    fn check_characters(&self) -> Result<()> {
        let config = &self.config;
        let is_unmarked = config.decoding == Decoding::Unmarked;
        refuse(is_unmarked, "decoding", "can be \"unmarked\" for symbols=\"bytes\" only")?;
        if self.has_merges() {
            return Ok(());
        }
        let is_greedy = config.segmenter == SegmenterKind::Greedy;
        refuse(is_greedy, "symbols", "must be \"bytes\" for segmenter=\"greedy\"")?;
        let what = "needs symbols=\"bytes\"; leave it out for a vocabulary of characters";
        refuse(config.splitter.is_some() && !config.segmenter.is_chunkwise(), "splitter", what)?;
        let merges_bytes = config.segmenter == SegmenterKind::Bpe && config.byte_fallback;
        let what = "can be \"all\" for segmenter=\"bpe\" with byte_fallback only";
        refuse(self.matches_all() && !merges_bytes, "match_kinds", what)?;
        let what = "hides spaces, which a splitter looks for; switch it off";
        refuse(config.splitter.is_some() && config.escape_whitespaces, "escape_whitespaces", what)
    }

    /// The settings of SentencePiece's normalizer, and whether they are on.
    pub(crate) fn text_rules(&self) -> [(&'static str, bool); 5] {
        let config = &self.config;
        [
            ("add_dummy_prefix", config.add_dummy_prefix),
            ("remove_extra_whitespaces", config.remove_extra_whitespaces),
            ("escape_whitespaces", config.escape_whitespaces),
            ("whitespace_as_suffix", config.whitespace_as_suffix),
            ("charsmap", !config.normalizer.contains(&Step::Charsmap {}) && !self.charsmap.is_empty()),
        ]
    }

    /// Checks that lists of steps and rules are compatible with the other settings.
    pub(crate) fn check_lists(&self) -> Result<()> {
        let config = &self.config;
        let is_mapped = config.normalizer.contains(&Step::Charsmap {}) && self.charsmap.is_empty();
        refuse(is_mapped, "normalizer", "has the step \"charsmap\", and there is no charsmap")?;
        let is_split = config.splitter.is_some() && !config.split_rules.is_empty();
        refuse(is_split, "splitter", "and split_rules exclude each other; leave one out")?;
        let has_lists = !config.normalizer.is_empty() || !config.split_rules.is_empty();
        let found = self.text_rules().into_iter().find(|(_, set)| *set && has_lists);
        let what = "does not go with normalizer or split_rules; switch it off";
        refuse(found.is_some(), found.unwrap_or_default().0, what)
    }

    /// Checks that the columns are consistent: the only part that is repeated for stored files.
    pub fn check_columns(&self) -> Result<()> {
        let vocab = &self.vocab;
        let pieces = vocab.len();
        let fit = vocab.offsets.len() == pieces + 1 && vocab.scores.len() == pieces;
        let fit = fit && (vocab.doubles.is_empty() || vocab.doubles.len() == pieces);
        let ascending = vocab.offsets.windows(2).all(|pair| pair[0] <= pair[1]);
        let bounded = vocab.offsets.last().is_some_and(|&end| us(end) <= vocab.blob.len());
        if pieces == 0 || !fit || !ascending || !bounded {
            return Err(Error::new("spec-pieces", "the vocabulary is empty or its columns do not fit together")
                .with("pieces", pieces));
        }
        let matchable = || (0..u32_of(pieces)).any(|id| self.matches(vocab.kind(id)));
        if self.config.segmenter == SegmenterKind::Unigram && !matchable() {
            return Err(Error::new("spec-pieces", "a unigram vocabulary needs at least one piece that can match text"));
        }
        if pieces > us(MAX_VALUE) {
            return Err(
                Error::new("spec-pieces", "the vocabulary has more than 134 million pieces").with("pieces", pieces)
            );
        }
        Ok(())
    }

    pub(crate) fn check_pieces(&self) -> Result<()> {
        // Where all of it is text, a piece is text if it begins and ends between characters.
        let text = std::str::from_utf8(&self.vocab.blob).ok();
        let range = |id: u32| us(self.vocab.offsets[us(id)])..us(self.vocab.offsets[us(id) + 1]);
        for id in paced(0..u32_of(self.vocab.len())) {
            let piece = self.vocab.piece(id);
            let has_gaps = self.has_byte_pieces() || self.has_merges() || self.config.segmenter.is_chunkwise();
            let is_gap = has_gaps && self.vocab.kind(id) == Kind::Unused;
            let is_text =
                || text.is_some_and(|text| text.get(range(id)).is_some()) || std::str::from_utf8(piece).is_ok();
            // A control piece is looked up by its spelling, unless an added token defines that.
            let is_spelled = || self.vocab.kind(id) == Kind::Control && !self.added.ids.contains(&id);
            let score = self.vocab.scores[us(id)];
            let (code, what) = if Kind::from_number(self.vocab.kinds[us(id)]).is_none() {
                ("spec-kind", "has a kind that is not 1 to 6")
            } else if piece.is_empty() && !is_gap {
                ("spec-piece-empty", "is empty; remove it or give it a text")
            } else if piece.len() >= MAX_PIECE {
                ("spec-piece-too-long", "has 8000 bytes or more")
            } else if !has_gaps && !self.matches_spelled() && piece.contains(&0) {
                ("spec-piece-nul", "contains a NUL byte, which the reference refuses too")
            } else if (!self.has_byte_pieces() || is_spelled()) && !is_text() {
                ("spec-piece-utf8", "is not valid UTF-8")
            } else if !score.is_finite() || !self.vocab.score(id).is_finite() {
                ("spec-score", "has a score that is NaN or infinite")
            } else if self.config.segmenter == SegmenterKind::Plamo && plamo_score(score) == PLAMO_UNKNOWN {
                ("spec-score", "has the score of an unknown character, -1000; change it a little")
            } else {
                continue;
            };
            let shown = String::from_utf8_lossy(&piece[..piece.len().min(40)]).into_owned();
            return Err(Error::new(code, format!("piece {id} ({shown:?}) {what}")).with("id", id).with("piece", shown));
        }
        Ok(())
    }

    pub(crate) fn check_duplicates(&self) -> Result<()> {
        let added = self.added_symbols();
        let is_found = |&id: &u32| self.matches(self.vocab.kind(id)) && !added.contains(&id);
        // Gaps are empty, where there may be some.
        let named = (0..u32_of(self.vocab.len())).filter(|&id| !self.vocab.piece(id).is_empty());
        let groups: Vec<Vec<u32>> = if self.has_merges() {
            let (apart, others) = named.partition(|&id| self.is_apart(self.vocab.kind(id)));
            vec![others, apart]
        } else if self.config.segmenter == SegmenterKind::Bpe && !self.has_byte_pieces() {
            vec![named.collect()]
        } else {
            let (matchable, reserved) = named.partition(is_found);
            vec![matchable, reserved]
        };
        for group in groups {
            if let (_, Some((first, second))) = StringIndex::build(group.into_iter(), |id| self.vocab.piece(id)) {
                let message = format!("pieces {first} and {second} are both {:?}", self.shown(first));
                return Err(Error::new("spec-piece-duplicate", message).with("first", first).with("second", second));
            }
        }
        Ok(())
    }

    pub(crate) fn check_fallback(&self) -> Result<()> {
        if self.has_merges() {
            return self.check_merge_fallback();
        }
        if self.has_byte_pieces() {
            return self.check_single_bytes();
        }
        if self.matches_all() {
            return self.check_spelled_bytes();
        }
        let unknown = self.vocab.ids_of(Kind::Unknown).count();
        if unknown != 1 {
            let message = format!("there are {unknown} pieces of kind UNKNOWN, there must be one");
            return Err(Error::new("spec-unknown", message).with("unknown", unknown));
        }
        let seen = self.check_byte_pieces(self.config.byte_fallback || self.matches_unused())?;
        check_all(|byte| seen[usize::from(byte)] || !self.config.byte_fallback)
    }

    /// Refuses byte pieces that are misspelled, or not allowed; returns which bytes have one.
    pub(crate) fn check_byte_pieces(&self, are_allowed: bool) -> Result<[bool; 256]> {
        let mut seen = [false; 256];
        for id in self.vocab.ids_of(Kind::Byte) {
            let Some(byte) = byte_of(self.vocab.piece(id)).filter(|_| are_allowed) else {
                let shown = self.shown(id);
                let message = format!("byte piece {id} ({shown:?}) is misspelled, or byte_fallback is off");
                return Err(Error::new("spec-bytes", message).with("id", id));
            };
            seen[usize::from(byte)] = true;
        }
        Ok(seen)
    }

    /// Where every piece can match, each byte that can be left over must have a piece that spells it.
    pub(crate) fn check_spelled_bytes(&self) -> Result<()> {
        let bytes = self.spelled_bytes();
        check_all(|byte| bytes[usize::from(byte)].is_some() || matches!(byte, 0xC0 | 0xC1 | 0xF5..=0xFF))
    }

    /// For each byte the piece that spells it, whatever its kind: `<0xAB>`, or the character of ASCII itself.
    pub fn spelled_bytes(&self) -> [Option<u32>; 256] {
        let mut found = [None; 256];
        for id in 0..u32_of(self.vocab.len()) {
            match self.vocab.piece(id) {
                &[byte] => found[usize::from(byte)] = found[usize::from(byte)].or(Some(id)),
                piece => {
                    if let Some(byte) = byte_of(piece) {
                        found[usize::from(byte)] = Some(id);
                    }
                }
            }
        }
        found
    }

    /// Where merging starts from bytes, each byte must be a piece, and no piece stands for others.
    pub(crate) fn check_single_bytes(&self) -> Result<()> {
        let symbols = self.added_symbols();
        let mut seen = [false; 256];
        for id in 0..u32_of(self.vocab.len()) {
            match (self.vocab.kind(id), self.vocab.piece(id)) {
                (Kind::Normal, &[byte]) => seen[usize::from(byte)] = true,
                (Kind::Normal | Kind::Control, _) | (Kind::Unused, []) => {}
                (Kind::UserDefined, _) if symbols.contains(&id) => {}
                _ => {
                    let message = format!("piece {id} is neither normal, control nor an unused id without text");
                    return Err(Error::new("spec-kind", message).with("id", id));
                }
            }
        }
        check_all(|byte| seen[usize::from(byte)])
    }

    /// Checks that the special ids are inside the vocabulary.
    pub fn check_special_ids(&self) -> Result<()> {
        template::check(&self.config, self.vocab.len())?;
        let ids = [("bos_id", self.config.bos_id), ("eos_id", self.config.eos_id), ("pad_id", self.config.pad_id)];
        for (name, id) in ids {
            if id.is_some_and(|id| us(id) >= self.vocab.len()) {
                let message = format!("{name} is outside the vocabulary");
                return Err(Error::new("spec-special-id", message).with("name", name));
            }
        }
        Ok(())
    }
}
