//! Encoding by chance: a path of the lattice, or merges that are passed over, drawn unit by unit.
//!
//! Each unit has random numbers of its own, by its place in the normalized text. So what is drawn is a function of the text, the
//! temperature, the method and the seed alone.

use crate::cast::{u32_of, u64_of, us, us64};
use crate::error::{Error, Result};
use crate::fragments::Found;
use crate::lattice::draws::{draw_backward, draw_forward, Method};
use crate::lattice::ready::{Ready, MAX_READY, NOT_READY, PADDING};
use crate::lattice::weighing::Weighing;
use crate::lattice::{Edge, Lattice};
use crate::normalize::Normalized;
use crate::random::{limit, Numbers, Seed, Shared, SHARING};
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
/// So many blocks of first numbers are made at a time: units of a group that lie farther apart have theirs one by one.
const BLOCKS: u64 = 64;

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
    ready: Ready,
    /// The unit at hand.
    lattice: Lattice,
    units: Vec<Unit>,
    found: Vec<(u32, u32)>,
    /// By id what an edge weighs, where it was asked for; NaN elsewhere.
    weights: Vec<f64>,
}

/// The first numbers of the units of a group.
struct Firsts {
    seed: Seed,
    fragment: u64,
    block: u64,
    shared: [Shared; us64(BLOCKS)],
}

impl Firsts {
    #[inline(always)]
    fn new(seed: Seed, fragment: u64, units: &[Unit]) -> Self {
        let block = |unit: Option<&Unit>| unit.map_or(0, |unit| u64::from(unit.start) / SHARING);
        let (first, last) = (block(units.first()), block(units.last()));
        let mut shared = [Shared::default(); us64(BLOCKS)];
        for (place, number) in shared.iter_mut().zip(first..=last) {
            *place = seed.shared(fragment, number);
        }
        Self { seed, fragment, block: first, shared }
    }

    #[inline(always)]
    fn of(&self, place: u64) -> u16 {
        match self.shared.get(us64(place / SHARING - self.block)) {
            Some(shared) => shared.of(place),
            None => self.seed.first(self.fragment, place),
        }
    }
}

impl Sampling {
    fn new(slots: usize, alpha: f64) -> Self {
        Self {
            alpha,
            learned: Learned::new(slots),
            ready: Ready::default(),
            lattice: Lattice::default(),
            units: Vec::new(),
            found: Vec::new(),
            weights: Vec::new(),
        }
    }

    fn forget(&mut self) {
        self.learned.clear();
        self.ready.clear();
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
                                let first = seed.first(fragment, u64_of(start));
                                draw_backward(unit, weighing, first, &mut numbers, &mut found);
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
            if sampling.learned.is_nearly_full(GROUP) || sampling.ready.bytes() > MOST_READY {
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
            let mut numbers = [NOT_READY; GROUP];
            for (number, unit) in numbers.iter_mut().zip(&units) {
                *number = self.ready(&text[us(unit.start)..us(unit.start + unit.len)], unit, &mut sampling);
                sampling.ready.prefetch(*number);
            }
            let firsts = Firsts::new(seed, fragment, &units);
            // A unit has at most as many ids as bytes, and a few more may be written behind them.
            let room = units.last().map_or(0, |last| us(last.start + last.len)) - us(units[0].start) + PADDING;
            ids.resize(count + room, 0);
            for (&number, unit) in numbers.iter().zip(&units) {
                let (start, length) = (u64::from(unit.start), us(unit.len));
                let first = firsts.of(start);
                let more = || seed.numbers(fragment, start);
                if let Some(found) = sampling.ready.draw(number, length, first, more, &mut ids[count..]) {
                    count += found;
                    continue;
                }
                let Sampling { lattice, found, .. } = &mut *sampling;
                let bytes = &text[us(unit.start)..us(unit.start) + length];
                found.clear();
                self.fill(bytes, lattice);
                let weighing = Weighing::new(alpha, self.largest_score(), length);
                for unit in lattice.units() {
                    draw_backward(unit, weighing, first, &mut more(), found);
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
        let Sampling { lattice, ready, alpha, weights, .. } = &mut *sampling;
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
        let number = lattice.units().next().filter(|_| known).map_or(NOT_READY, |unit| match weighing.is_linear() {
            true => ready.add(unit, weighing, kept),
            false => ready.add(unit, weighing, |edge| weighing.weight(edge.score)),
        });
        sampling.learned.learn(unit, text, &[number], 0);
        number
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
