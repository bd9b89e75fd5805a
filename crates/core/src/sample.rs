//! Encoding by chance: a path of the lattice, or merges that are passed over, drawn unit by unit.
//!
//! Each unit has random numbers of its own, by its place in the normalized text. So what is drawn is a function of the text, the
//! temperature, the method and the seed alone.

use crate::cast::{u32_of, u64_of, us};
use crate::error::{Error, Result};
use crate::fragments::Found;
use crate::lattice::draws::{draw_backward, draw_forward, Draws, Method, Weighing, MAX_READY};
use crate::lattice::{Edge, Lattice};
use crate::normalize::Normalized;
use crate::random::{limit, Numbers, Seed};
use crate::scratch::{Learned, Scratch, Unit};
use crate::segment::byte_cuts::Memory;
use crate::segment::cuts::Cut;
use crate::segment::{Algorithm, Buffers};
use crate::specials::Permit;
use crate::tokenizer::Tokenizer;
use crate::tokens::Token;

/// Units looked up at a time.
const GROUP: usize = 64;
/// Units that are ready may take so much memory before all are forgotten.
const MOST_READY: usize = 32 << 20;

/// In the place of a number: the unit is drawn from otherwise.
const NOT_READY: u32 = u32::MAX;

/// Room for the ids of a unit.
const PATH: usize = MAX_READY + 1;

/// Id, start and end of an edge.
type Span = (u32, usize, usize);

/// How to draw.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Draw {
    /// A path of the lattice, with the inverse temperature.
    Path(Method, f64),
    /// Merges are passed over with this probability.
    Dropout(f64),
}

/// Units that were drawn from before, at one temperature.
pub struct Sampling {
    alpha: f64,
    learned: Learned,
    draws: Draws,
    /// The unit at hand.
    lattice: Lattice,
    units: Vec<Unit>,
    found: Vec<(u32, u32)>,
    /// By id what an edge weighs, where it was asked for; NaN elsewhere.
    weights: Vec<f64>,
}

impl Sampling {
    fn new(slots: usize, alpha: f64) -> Self {
        Self {
            alpha,
            learned: Learned::new(slots),
            draws: Draws::default(),
            lattice: Lattice::default(),
            units: Vec::new(),
            found: Vec::new(),
            weights: Vec::new(),
        }
    }

    fn forget(&mut self) {
        self.learned.clear();
        self.draws.clear();
    }
}

impl Tokenizer {
    /// Whether scores are logarithms of probabilities, so that paths have a distribution.
    #[must_use]
    pub const fn has_scores(&self) -> bool {
        matches!(self.segmenter.algorithm, Algorithm::Unigram(_))
    }

    /// Refuses what cannot be drawn from.
    fn check_draw(&self, draw: Draw) -> Result<()> {
        let is_bpe = matches!(self.segmenter.algorithm, Algorithm::Bpe(_) | Algorithm::Merges(_));
        match draw {
            Draw::Dropout(_) if is_bpe => Ok(()),
            Draw::Dropout(_) => {
                Err(Error::new("sample-method", "only merges can be passed over: dropout needs a BPE vocabulary"))
            }
            Draw::Path(..) if self.has_scores() => Ok(()),
            Draw::Path(..) => {
                let message =
                    "scores of this vocabulary are no probabilities: paths are drawn from unigram vocabularies; \
                               for BPE use dropout";
                Err(Error::new("sample-method", message))
            }
        }
    }

    /// Ids of a text, drawn by chance.
    pub fn sample(
        &self,
        text: &[u8],
        permit: Permit<'_>,
        draw: Draw,
        seed: Seed,
        scratch: &mut Scratch,
    ) -> Result<Vec<u32>> {
        self.check_draw(draw)?;
        let (mut ids, mut fragment) = (Vec::new(), 0);
        self.each_part(text, permit, false, scratch, |found, scratch| {
            match found {
                Found::Id(id, _) => ids.push(id),
                Found::Fragment(_) => self.sample_fragment(draw, (seed, fragment), scratch, &mut ids),
            }
            fragment += 1;
            Ok(true)
        })?;
        Ok(ids)
    }

    /// The same with the places of the tokens.
    pub fn sample_spans(
        &self,
        text: &[u8],
        permit: Permit<'_>,
        draw: Draw,
        seed: Seed,
        scratch: &mut Scratch,
    ) -> Result<Vec<(Token, Vec<u8>)>> {
        self.check_draw(draw)?;
        let (mut rows, mut fragment) = (Vec::new(), 0);
        self.each_part(text, permit, true, scratch, |found, scratch| {
            match found {
                Found::Id(id, span) => {
                    rows.push((Token { id, inner: (0, 0), span }, self.spec.vocab.piece(id).to_vec()));
                }
                Found::Fragment(offset) => {
                    let groups = self.sample_edges(draw, (seed, fragment), scratch);
                    let tiling = self.tiling(scratch);
                    let tokens = groups.iter().flat_map(|edges| tiling.tokens_of_edges(edges));
                    rows.extend(tokens.map(|mut token| {
                        token.span = (token.span.0 + offset, token.span.1 + offset);
                        (token, tiling.piece(&token))
                    }));
                }
            }
            fragment += 1;
            Ok(true)
        })?;
        Ok(rows)
    }

    /// Where the units of the normalized text begin, and its end.
    pub(crate) fn unit_bounds(&self, normalized: &Normalized, pairs: &mut Memory, starts: &mut Vec<Cut>) {
        starts.clear();
        starts.push(Cut::default());
        if self.stages.has_rules() {
            starts.extend(normalized.chunks.iter().map(|&at| Cut { at, ..Cut::default() }));
        } else if normalized.len > 0 {
            let is_whole = match &self.segmenter.algorithm {
                Algorithm::Bpe(bpe) => !bpe.has_units(),
                // What is passed over comes back when something is merged, wherever in the chunk that is.
                Algorithm::Merges(_) => self.segmenter.splitter.is_none(),
                _ => false,
            };
            if !is_whole {
                self.segmenter.scan(&normalized.bytes, 0, normalized.len, starts);
            }
            starts.push(Cut::at(normalized.len));
        }
        if matches!(&self.segmenter.algorithm, Algorithm::Unigram(unigram) if unigram.has_byte_pieces()) {
            self.cut_chunks(&normalized.bytes, pairs, starts);
        }
    }

    /// Cuts chunks of bytes where no piece lies across the place between two characters.
    fn cut_chunks(&self, text: &[u8], pairs: &mut Memory, starts: &mut Vec<Cut>) {
        pairs.open();
        let cuts = self.segmenter.byte_cuts(&self.spec.vocab);
        let chunks = std::mem::take(starts);
        starts.extend(chunks.first());
        for pair in chunks.windows(2) {
            let chunk = std::str::from_utf8(&text[us(pair[0].at)..us(pair[1].at)]).unwrap_or_default();
            cuts.each(chunk.as_bytes(), pairs, |place| starts.push(Cut::at(us(pair[0].at) + place)));
            starts.push(pair[1]);
        }
    }

    /// Draws the edges of the fragment in the scratch, (id, start, end), in the groups in which unknowns are fused.
    fn sample_edges(&self, draw: Draw, key: (Seed, u64), scratch: &mut Scratch) -> Vec<Vec<Span>> {
        let (by_chunk, mut groups) = (self.stages.has_rules(), vec![Vec::new()]);
        self.each_drawn(draw, key, scratch, |_, unit, found| {
            if by_chunk {
                groups.push(Vec::new());
            }
            let mut start = unit;
            for &(id, end) in found {
                if let Some(edges) = groups.last_mut() {
                    edges.push((id, start, unit + us(end)));
                }
                start = unit + us(end);
            }
        });
        groups
    }

    /// Draws the ids of the fragment in the scratch.
    fn sample_fragment(&self, draw: Draw, key: (Seed, u64), scratch: &mut Scratch, ids: &mut Vec<u32>) {
        let (first, by_chunk) = (ids.len(), self.stages.has_rules());
        let mut unknown = false;
        let mut emit = |text: &[u8], found: &[(u32, u32)], ids: &mut Vec<u32>| {
            let unit = ids.len();
            let has_unknown = self.segmenter.emit(text, found, ids);
            if has_unknown && by_chunk {
                self.segmenter.fuse_from(unit, ids);
            }
            unknown |= has_unknown;
        };
        if let Draw::Path(Method::Lattice, alpha) = draw {
            self.sample_quickly(alpha, key, scratch, ids, &mut emit);
        } else {
            self.each_drawn(draw, key, scratch, |text, _, found| emit(text, found, ids));
        }
        if unknown && !by_chunk {
            self.segmenter.fuse_from(first, ids);
        }
    }

    /// Calls `visit` for each unit of the fragment in the scratch: its text, where it begins, and what was drawn: (id, end).
    fn each_drawn(
        &self,
        draw: Draw,
        (seed, fragment): (Seed, u64),
        scratch: &mut Scratch,
        mut visit: impl FnMut(&[u8], usize, &[(u32, u32)]),
    ) {
        let mut starts = std::mem::take(&mut scratch.starts);
        let normalized = std::mem::take(&mut scratch.normalized);
        self.unit_bounds(&normalized, &mut scratch.pairs, &mut starts);
        let (mut found, mut lattice) = (Vec::new(), Lattice::default());
        for pair in starts.windows(2) {
            let (start, end) = (us(pair[0].at), us(pair[1].at));
            let text = &normalized.bytes[start..end];
            let mut numbers = seed.numbers(fragment, u64_of(start));
            found.clear();
            match draw {
                Draw::Path(method, alpha) => {
                    self.fill(text, &mut lattice);
                    for unit in lattice.units() {
                        match method {
                            Method::Lattice => {
                                let weighing = Weighing::new(alpha, self.largest_score(), text.len());
                                draw_backward(unit, weighing, &mut numbers, &mut found);
                            }
                            _ => draw_forward(unit, method, alpha, &mut numbers, &mut found),
                        }
                    }
                }
                Draw::Dropout(share) => self.drop_out(text, share, &mut numbers, &mut scratch.buffers, &mut found),
            }
            visit(text, start, &found);
        }
        (scratch.starts, scratch.normalized) = (starts, normalized);
    }

    /// The same for exact draws, with units that are ready. Those that hold an unknown or are too long are given to `emit`.
    fn sample_quickly(
        &self,
        alpha: f64,
        (seed, fragment): (Seed, u64),
        scratch: &mut Scratch,
        ids: &mut Vec<u32>,
        emit: &mut impl FnMut(&[u8], &[(u32, u32)], &mut Vec<u32>),
    ) {
        let mut starts = std::mem::take(&mut scratch.starts);
        let normalized = std::mem::take(&mut scratch.normalized);
        self.unit_bounds(&normalized, &mut scratch.pairs, &mut starts);
        let mut sampling = self.sampling(alpha, scratch);
        let (text, mut count) = (&normalized.bytes, ids.len());
        for first in (0..starts.len() - 1).step_by(GROUP) {
            // Between groups, since what is forgotten cannot be drawn from.
            if sampling.learned.is_nearly_full(GROUP) || sampling.draws.bytes() > MOST_READY {
                sampling.forget();
            }
            let mut units = std::mem::take(&mut sampling.units);
            units.clear();
            for pair in starts[first..starts.len().min(first + GROUP + 1)].windows(2) {
                let unit = Unit::load(text, pair[0].at, pair[1].at - pair[0].at);
                sampling.learned.prefetch(&unit);
                units.push(unit);
            }
            // What a unit needs is asked for before it is needed: first its number, then what stands there.
            let (mut ready, mut blocks) = ([NOT_READY; GROUP], [[0; 4]; GROUP]);
            for ((place, block), unit) in ready.iter_mut().zip(&mut blocks).zip(&units) {
                let bytes = &text[us(unit.start)..us(unit.start + unit.len)];
                *place = self.ready(bytes, unit, &mut sampling);
                sampling.draws.prefetch(*place);
                *block = seed.numbers(fragment, u64::from(unit.start)).block();
            }
            // A unit has at most as many ids as bytes, and a few more may be written behind them.
            let room = units.last().map_or(0, |last| us(last.start + last.len)) - us(units[0].start) + PATH;
            ids.resize(count + room, 0);
            for ((&ready, &block), unit) in ready.iter().zip(&blocks).zip(&units) {
                let (start, length) = (us(unit.start), us(unit.len));
                let mut numbers = seed.numbers(fragment, u64_of(start)).with_block(block);
                if ready != NOT_READY {
                    count += sampling.draws.draw(ready, length, &mut numbers, &mut ids[count..]);
                    continue;
                }
                let Sampling { lattice, found, .. } = &mut *sampling;
                let bytes = &text[start..start + length];
                found.clear();
                self.fill(bytes, lattice);
                let weighing = Weighing::new(alpha, self.largest_score(), length);
                for unit in lattice.units() {
                    draw_backward(unit, weighing, &mut numbers, found);
                }
                ids.truncate(count);
                emit(bytes, found, ids);
                count = ids.len();
                ids.resize(count + room, 0);
            }
            sampling.units = units;
        }
        ids.truncate(count);
        scratch.sampling = Some(sampling);
        (scratch.starts, scratch.normalized) = (starts, normalized);
    }

    fn drop_out(
        &self,
        text: &[u8],
        share: f64,
        numbers: &mut Numbers,
        buffers: &mut Buffers,
        found: &mut Vec<(u32, u32)>,
    ) {
        if share <= 0.0 {
            // As it is encoded: a whole chunk may be a piece that no merges lead to.
            self.segmenter.exact(text, 0.0, buffers, &mut Vec::new());
            found.extend_from_slice(&buffers.found);
            return;
        }
        let limit = limit(share);
        let passes = || numbers.draw64() < limit;
        match &self.segmenter.algorithm {
            Algorithm::Bpe(bpe) => bpe.drop_out(text, passes, &mut buffers.bpe, found),
            Algorithm::Merges(merges) => merges.drop_out(text, passes, found),
            _ => {}
        }
    }

    fn sampling(&self, alpha: f64, scratch: &mut Scratch) -> Box<Sampling> {
        let slots = scratch.learned.most();
        let mut sampling = scratch.sampling.take().unwrap_or_else(|| Box::new(Sampling::new(slots, alpha)));
        if sampling.alpha != alpha {
            sampling.forget();
            sampling.weights.clear();
            sampling.alpha = alpha;
        }
        sampling.weights.resize(self.spec.vocab.len(), f64::NAN);
        sampling
    }

    /// The number of a unit among those that are ready; [`NOT_READY`] if it is too long or has an unknown.
    #[inline]
    fn ready(&self, text: &[u8], unit: &Unit, sampling: &mut Sampling) -> u32 {
        sampling.learned.number(unit, text).unwrap_or_else(|| self.make_ready(text, unit, sampling))
    }

    fn make_ready(&self, text: &[u8], unit: &Unit, sampling: &mut Sampling) -> u32 {
        if text.len() > MAX_READY {
            return NOT_READY;
        }
        self.fill(text, &mut sampling.lattice);
        let Sampling { lattice, draws, alpha, weights, .. } = &mut *sampling;
        let unk_id = self.segmenter.fallback.unk_id();
        let weighing = Weighing::new(*alpha, self.largest_score(), text.len());
        let mut known = true;
        for edge in lattice.edges() {
            known &= edge.id != unk_id;
            if let Some(weight) = weights.get_mut(us(edge.id)).filter(|weight| weight.is_nan()) {
                *weight = Weighing::new(*alpha, 0.0, 0).weight(edge.score);
            }
        }
        let kept = |edge: &Edge| weights[us(edge.id)];
        let number = lattice.units().next().filter(|_| known).and_then(|unit| match weighing.is_linear() {
            true => draws.add(unit, weighing, kept),
            false => draws.add(unit, weighing, |edge| weighing.weight(edge.score)),
        });
        sampling.learned.learn(unit, text, &[number.unwrap_or(NOT_READY)], 0);
        number.unwrap_or(NOT_READY)
    }

    /// Makes the lattice of one unit.
    pub(crate) fn fill(&self, text: &[u8], lattice: &mut Lattice) {
        let mut edges = lattice.take_edges();
        self.each_edge(text, |start, end, id, score| {
            edges.push(Edge { start: u32_of(start), end: u32_of(end), id, score });
        });
        lattice.refill(edges, text.len());
    }

    /// The largest absolute score that an edge can have.
    pub(crate) fn largest_score(&self) -> f64 {
        match &self.segmenter.algorithm {
            Algorithm::Unigram(unigram) => unigram.largest(),
            _ => 0.0,
        }
    }

    /// Calls `visit` with start, end, id and score of every edge over a unit, by start.
    pub(crate) fn each_edge(&self, text: &[u8], mut visit: impl FnMut(usize, usize, u32, f64)) {
        if let Algorithm::Unigram(unigram) = &self.segmenter.algorithm {
            unigram.each_edge(text, &self.spec.vocab, visit);
            return;
        }
        // Where pieces have no probabilities, every piece that fits is an edge, and none is better than another.
        let trie = self.piece_trie().view();
        let unk_id = self.segmenter.fallback.unk_id();
        let mut start = 0;
        while start < text.len() {
            let length = if self.spec.has_byte_pieces() {
                1
            } else {
                crate::segment::cuts::character_length(text[start]).min(text.len() - start)
            };
            let mut covered = false;
            trie.each_prefix(&text[start..], |size, id| {
                covered |= size == length;
                visit(start, start + size, id, 0.0);
            });
            if !covered {
                visit(start, start + length, unk_id, 0.0);
            }
            start += length;
        }
    }
}
