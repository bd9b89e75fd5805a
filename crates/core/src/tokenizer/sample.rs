//! Stochastic segmentation of a text: fragment by fragment, unit by unit.

use std::ops::Range;

use crate::lattice::draw::{draw_path, Method};
use crate::lattice::semiring::Semiring;
use crate::lattice::{Edge, Lattice};
use crate::normalize::Normalized;
use crate::sampling::dropout::DropoutCache;
use crate::sampling::engine::{SamplingCache, UnigramTables};
use crate::sampling::{Draw, Sampled};
use crate::segment::bytepiece::draw::Chance;
use crate::segment::bytepiece::ByteUnigram;
use crate::segment::{Algorithm, Mode, Segmenter};
use crate::specials::Permit;
use crate::tokenizer::fragments::Found;
use crate::tokenizer::scratch::Scratch;
use crate::tokenizer::spans::{edges, Token};
use crate::tokenizer::Tokenizer;
use crate::units::key::Cut;
use crate::units::scratch::EngineScratch;
use crate::util::draw::Key;
use crate::util::rng::{limit, Seed, Trials};
use crate::util::utf8::character_length;
use crate::util::{report, u32_of, u64_of, us, Error, Result};

impl Tokenizer {
    /// Whether scores are log-probabilities, so that paths have a distribution.
    pub const fn has_scores(&self) -> bool {
        matches!(self.units.segmenter.algorithm, Algorithm::Unigram(_))
    }

    /// Refuses a draw that the vocabulary does not support.
    fn check_draw(&self, draw: Draw) -> Result<()> {
        let is_bpe = matches!(self.units.segmenter.algorithm, Algorithm::Bpe(_) | Algorithm::Merges(_));
        match draw {
            Draw::Dropout(_) if is_bpe => Ok(()),
            Draw::Dropout(_) => {
                Err(Error::new("sample-method", "only merges can be skipped: dropout needs a BPE vocabulary"))
            }
            _ if self.has_scores() => Ok(()),
            _ => {
                let message =
                    "scores of this vocabulary are no probabilities: paths are drawn from unigram vocabularies; \
                               for BPE use dropout";
                Err(Error::new("sample-method", message))
            }
        }
    }

    /// Samples the ids of a text.
    pub fn sample<'s>(
        &self,
        text: &[u8],
        permit: Permit<'_>,
        draw: Draw,
        seed: Seed,
        scratch: &'s mut Scratch,
    ) -> Result<&'s [u32]> {
        self.check_draw(draw)?;
        if draw.is_certain() {
            return self.encode(text, permit, scratch);
        }
        let (mut ids, mut fragment) = (std::mem::take(&mut scratch.drawn), 0);
        ids.clear();
        if let Draw::Best(n, alpha) = draw {
            self.sample_best(text, permit, (n, alpha), seed, scratch, &mut ids)?;
            scratch.drawn = ids;
            return Ok(&scratch.drawn);
        }
        let done = self.each_part(text, permit, false, scratch, |found, scratch| {
            match found {
                Found::Id(id, ..) => ids.push(id),
                Found::Fragment(_) => self.sample_fragment(draw, (seed, fragment), scratch, &mut ids),
            }
            fragment += 1;
            Ok(true)
        });
        scratch.drawn = ids;
        done.map(|()| scratch.drawn.as_slice())
    }

    /// Samples the tokens of a text as [`Tokenizer::sample`] does, with their spans.
    pub fn sample_spans(
        &self,
        text: &[u8],
        permit: Permit<'_>,
        draw: Draw,
        seed: Seed,
        scratch: &mut Scratch,
    ) -> Result<Vec<(Token, Vec<u8>)>> {
        self.check_draw(draw)?;
        if draw.is_certain() {
            return self.spans(text, permit, scratch);
        }
        if let Draw::Best(n, alpha) = draw {
            return self.sample_best_spans(text, permit, (n, alpha), seed, scratch);
        }
        self.spans_by(text, permit, scratch, |fragment, scratch| {
            let (by_chunk, mut found, mut tokens) = (self.stages.has_rules(), Vec::new(), Vec::new());
            self.each_drawn(draw, (seed, fragment), scratch, |text, unit, drawn| {
                found.extend(edges(drawn, unit.start));
                // Unknowns are fused within a chunk of rules, or within the fragment.
                if by_chunk || unit.end == text.len {
                    let tiling = self.tiling_of(text, 0, text.len);
                    tokens.extend(tiling.tokens_of_edges(found.drain(..)));
                }
            });
            tokens
        })
    }

    /// The unit starts of the normalized text, and its end.
    pub(crate) fn unit_bounds(&self, normalized: &Normalized, starts: &mut Vec<Cut>) {
        self.chunk_bounds(normalized, starts);
        let Some(automaton) = self.units.segmenter.byte_automaton() else { return };
        // Bytes are cut where no piece spans the position.
        let chunks = std::mem::take(starts);
        starts.extend(chunks.first());
        for pair in chunks.windows(2) {
            let chunk = &normalized.bytes[us(pair[0].at)..us(pair[1].at)];
            automaton.each_bound(chunk, |place| starts.push(Cut::at(us(pair[0].at) + place)));
            starts.push(pair[1]);
        }
    }

    /// Unit starts, and the end; for byte vocabularies those of whole chunks.
    pub(crate) fn chunk_bounds(&self, normalized: &Normalized, starts: &mut Vec<Cut>) {
        starts.clear();
        starts.push(Cut::default());
        if self.stages.has_rules() {
            starts.extend(normalized.chunks.iter().map(|&at| Cut { at, ..Cut::default() }));
        } else if normalized.len > 0 {
            let is_whole = match &self.units.segmenter.algorithm {
                Algorithm::Bpe(bpe) => !bpe.has_units(),
                // A skipped merge is retried after any other merge in the chunk, so a chunk cannot be cut.
                Algorithm::Merges(_) => self.units.splitter.is_none(),
                _ => false,
            };
            if !is_whole {
                self.units.scan_canonical(&self.spec, &normalized.bytes, normalized.len, starts);
            }
            starts.push(Cut::at(normalized.len));
        }
    }

    /// Samples the ids of the fragment in the scratch.
    fn sample_fragment(&self, draw: Draw, key: (Seed, u64), scratch: &mut Scratch, ids: &mut Vec<u32>) {
        let (first, segmenter, by_chunk) = (ids.len(), &self.units.segmenter, self.stages.has_rules());
        let mut out = Sampled { segmenter, by_chunk, unknown: false, ids };
        match draw {
            Draw::Path(Method::Lattice, alpha) => {
                match segmenter.byte_automaton().filter(|automaton| automaton.is_moderate(alpha)) {
                    Some(automaton) => self.sample_bytes(automaton, alpha, key, scratch, out.ids),
                    None => self.sample_lattice(alpha, key, scratch, &mut out),
                }
            }
            Draw::Dropout(share) if share > 0.0 => self.sample_dropout(share, key, scratch, &mut out),
            _ => self.each_drawn(draw, key, scratch, |text, unit, found| _ = out.emit(&text.bytes[unit], found)),
        }
        if out.unknown && !by_chunk {
            segmenter.fuse_from(first, out.ids);
        }
    }

    /// Calls `visit` for each unit of the fragment in the scratch: that, the unit's range, and the sampled (id, end).
    fn each_drawn(
        &self,
        draw: Draw,
        (seed, fragment): (Seed, u64),
        scratch: &mut Scratch,
        mut visit: impl FnMut(&Normalized, Range<usize>, &[(u32, u32)]),
    ) {
        let mut starts = std::mem::take(&mut scratch.engine.starts);
        let normalized = std::mem::take(&mut scratch.normalized);
        self.unit_bounds(&normalized, &mut starts);
        let (mut found, mut lattice) = (Vec::new(), Lattice::default());
        for pair in starts.windows(2) {
            let (start, end) = (us(pair[0].at), us(pair[1].at));
            let text = &normalized.bytes[start..end];
            report(text.len());
            let key = Key { seed, fragment, place: u64_of(start) };
            found.clear();
            match draw {
                Draw::Path(method, alpha) => {
                    lattice.refill(text.len(), |edges| {
                        self.each_edge(text, |start, end, id, score| {
                            edges.push(Edge { start: u32_of(start), end: u32_of(end), id, score });
                        });
                    });
                    let semiring = Semiring::new(alpha, self.largest_score(), text.len());
                    let by_bytes = self.units.segmenter.has_byte_paths();
                    for unit in lattice.units() {
                        draw_path(unit, method, by_bytes, semiring, key, &mut found);
                    }
                }
                // A path of the whole text is not sampled by unit.
                Draw::Best(..) => {}
                Draw::Dropout(share) => {
                    let (mut trials, buffers) =
                        (Trials::new(key.numbers(0), limit(share)), &mut scratch.engine.buffers);
                    let skips = || trials.next_trial();
                    self.units.segmenter.drop_out(text, share, Mode::Reference, skips, buffers, &mut found);
                }
            }
            visit(&normalized, start..end, &found);
        }
        (scratch.engine.starts, scratch.normalized) = (starts, normalized);
    }

    /// The largest absolute score that an edge can have.
    pub(crate) fn largest_score(&self) -> f64 {
        match &self.units.segmenter.algorithm {
            Algorithm::Unigram(unigram) => f64::from(unigram.largest),
            _ => 0.0,
        }
    }

    /// Calls `visit` with start, end, id and score of every edge over a unit, by start.
    pub(crate) fn each_edge(&self, text: &[u8], mut visit: impl FnMut(usize, usize, u32, f64)) {
        if let Algorithm::Unigram(unigram) = &self.units.segmenter.algorithm {
            unigram.each_edge(text, &self.spec.vocab, visit);
            return;
        }
        // Where pieces have no probabilities, every matching piece is an edge, and all have equal weight.
        let trie = self.piece_trie().view();
        let unk_id = self.units.segmenter.fallback.unk_id;
        // Merging leaves a character with the id of its piece even where text does not match that piece.
        let alone = |text: &[u8]| match &self.units.segmenter.algorithm {
            Algorithm::Bpe(bpe) => bpe.named_alone(bpe.id_of(text)),
            _ => unk_id,
        };
        let mut start = 0;
        while start < text.len() {
            let length =
                if self.spec.has_byte_pieces() { 1 } else { character_length(text[start]).min(text.len() - start) };
            let mut covered = false;
            trie.each_prefix(&text[start..], |size, id| {
                covered |= size == length;
                visit(start, start + size, id, 0.0);
            });
            if !covered {
                visit(start, start + length, alone(&text[start..start + length]), 0.0);
            }
            start += length;
        }
    }

    /// Samples the ids of the fragment in the scratch from memoized distributions of units. Units without one are
    /// drawn one by one.
    fn sample_lattice(&self, alpha: f64, key: (Seed, u64), scratch: &mut Scratch, out: &mut Sampled<'_>) {
        let Segmenter { algorithm: Algorithm::Unigram(unigram), fallback } = &self.units.segmenter else { return };
        self.unit_bounds(&scratch.normalized, &mut scratch.engine.starts);
        let Scratch { normalized, engine, sampling, .. } = scratch;
        let (slots, vocab) = (engine.cache.table.most, &self.spec.vocab);
        let sampling = sampling.get_or_insert_with(|| Box::new(SamplingCache::new(slots, alpha, vocab.len())));
        sampling.set_alpha(alpha);
        let source = UnigramTables { unigram, fallback, vocab };
        source.sample(&normalized.bytes, &engine.starts, key, sampling, out);
    }

    /// Samples the ids of the fragment in the scratch by BPE-dropout.
    fn sample_dropout(&self, share: f64, key: (Seed, u64), scratch: &mut Scratch, out: &mut Sampled<'_>) {
        self.unit_bounds(&scratch.normalized, &mut scratch.engine.starts);
        let Scratch { normalized, engine: EngineScratch { starts, cache, buffers, .. }, dropout, .. } = scratch;
        if dropout.as_ref().is_none_or(|dropout| dropout.share != share) {
            *dropout = Some(Box::new(DropoutCache::new(cache.table.most, share)));
        }
        if let Some(dropout) = dropout {
            dropout.sample((&normalized.bytes, starts), key, buffers, out);
        }
    }

    /// Samples the ids of the fragment in the scratch where every byte is a piece: chunk by chunk, nothing is cached.
    fn sample_bytes(
        &self,
        automaton: &ByteUnigram,
        alpha: f64,
        (seed, fragment): (Seed, u64),
        scratch: &mut Scratch,
        ids: &mut Vec<u32>,
    ) {
        self.chunk_bounds(&scratch.normalized, &mut scratch.engine.starts);
        let Scratch { normalized, engine: EngineScratch { starts, ends, buffers, .. }, byte_weights, .. } = scratch;
        ends.clear();
        ends.extend(starts.iter().skip(1).map(|start| start.at));
        let weights = byte_weights.get_or_insert_default();
        weights.open(automaton, self.spec.vocab.len(), alpha);
        let chance = Chance { weights, seed, fragment };
        automaton.draws(&normalized.bytes, 0, ends, chance, &mut buffers.places, ids);
    }
}
