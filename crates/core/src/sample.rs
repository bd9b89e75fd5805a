//! Encoding by chance: a path of the lattice, or merges that are passed over, drawn unit by unit.
//!
//! Each unit has random numbers of its own, by its place in the normalized text. So what is drawn is a function of the text, the
//! temperature, the method and the seed alone.

use crate::cast::{u32_of, u64_of, us};
use crate::error::{Error, Result};
use crate::fragments::Found;
use crate::lattice::draws::{draw_forward, Draws, Method};
use crate::lattice::{Edge, Lattice};
use crate::normalize::Normalized;
use crate::random::{limit, Numbers, Seed};
use crate::scratch::{Learned, Scratch, Unit};
use crate::segment::cuts::Cut;
use crate::segment::unigram::MAX_SOLVED;
use crate::segment::{Algorithm, Buffers};
use crate::specials::Permit;
use crate::tokenizer::Tokenizer;
use crate::tokens::Token;

/// Units looked up at a time.
const GROUP: usize = 64;
/// Units that are ready may take so much memory before all are forgotten.
const MOST_READY: usize = 64 << 20;

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
        }
    }

    /// About how much memory it holds beside its tables.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.draws.bytes()
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
                Found::Fragment(_) => self.sample_fragment(draw, seed, fragment, scratch, &mut ids),
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
                    let groups = self.sample_edges(draw, seed, fragment, scratch);
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
    pub(crate) fn unit_bounds(&self, normalized: &Normalized, starts: &mut Vec<Cut>) {
        starts.clear();
        starts.push(Cut::default());
        if self.stages.has_rules() {
            starts.extend(normalized.chunks.iter().map(|&at| Cut { at, ..Cut::default() }));
            return;
        }
        let is_whole = match &self.segmenter.algorithm {
            Algorithm::Bpe(bpe) => !bpe.has_units(),
            // What is passed over comes back when something is merged, wherever in the chunk that is.
            Algorithm::Merges(_) => self.segmenter.splitter.is_none(),
            _ => false,
        };
        if !is_whole && normalized.len > 0 {
            self.segmenter.scan(&normalized.bytes, 0, normalized.len, starts);
        }
        if normalized.len > 0 {
            starts.push(Cut::at(normalized.len));
        }
    }

    /// Draws the edges of the fragment in the scratch, (id, start, end), in the groups in which unknowns are fused.
    fn sample_edges(&self, draw: Draw, seed: Seed, fragment: u64, scratch: &mut Scratch) -> Vec<Vec<Span>> {
        let (by_chunk, mut groups) = (self.stages.has_rules(), vec![Vec::new()]);
        self.each_drawn(draw, seed, fragment, scratch, |_, unit, found| {
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
    fn sample_fragment(&self, draw: Draw, seed: Seed, fragment: u64, scratch: &mut Scratch, ids: &mut Vec<u32>) {
        let (first, mut unknown) = (ids.len(), false);
        let by_chunk = self.stages.has_rules();
        self.each_drawn(draw, seed, fragment, scratch, |text, _, found| {
            let unit = ids.len();
            let has_unknown = self.segmenter.emit(text, found, ids);
            if has_unknown && by_chunk {
                self.segmenter.fuse_from(unit, ids);
            }
            unknown |= has_unknown;
        });
        if unknown && !by_chunk {
            self.segmenter.fuse_from(first, ids);
        }
    }

    /// Calls `visit` for each unit of the fragment in the scratch: its text, where it begins, and what was drawn: (id, end).
    fn each_drawn(
        &self,
        draw: Draw,
        seed: Seed,
        fragment: u64,
        scratch: &mut Scratch,
        mut visit: impl FnMut(&[u8], usize, &[(u32, u32)]),
    ) {
        let mut starts = std::mem::take(&mut scratch.starts);
        let normalized = std::mem::take(&mut scratch.normalized);
        self.unit_bounds(&normalized, &mut starts);
        match draw {
            Draw::Path(Method::Lattice, alpha) => {
                let mut sampling = self.sampling(alpha, scratch);
                for first in (0..starts.len() - 1).step_by(GROUP) {
                    let group = &starts[first..starts.len().min(first + GROUP + 1)];
                    self.draw_group(&normalized.bytes, group, (seed, fragment), &mut sampling, &mut visit);
                }
                scratch.sampling = Some(sampling);
            }
            _ => {
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
                                draw_forward(unit, method, alpha, &mut numbers, &mut found);
                            }
                        }
                        Draw::Dropout(share) => {
                            self.drop_out(text, share, &mut numbers, &mut scratch.buffers, &mut found)
                        }
                    }
                    visit(text, start, &found);
                }
            }
        }
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
        let (limit, never) = (limit(share), share <= 0.0);
        let passes = || !never && numbers.draw() < limit;
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
            sampling.alpha = alpha;
        }
        sampling
    }

    fn draw_group(
        &self,
        text: &[u8],
        starts: &[Cut],
        (seed, fragment): (Seed, u64),
        sampling: &mut Sampling,
        visit: &mut impl FnMut(&[u8], usize, &[(u32, u32)]),
    ) {
        let mut units = std::mem::take(&mut sampling.units);
        units.clear();
        for pair in starts.windows(2) {
            let unit = Unit::load(text, pair[0].at, pair[1].at - pair[0].at);
            sampling.learned.prefetch(&unit);
            units.push(unit);
        }
        let mut found = std::mem::take(&mut sampling.found);
        for unit in &units {
            let (start, length) = (us(unit.start), us(unit.len));
            let bytes = &text[start..start + length];
            let mut numbers = seed.numbers(fragment, u64_of(start));
            found.clear();
            let ready = self.ready(bytes, unit, sampling);
            sampling.draws.draw(ready, length, &mut numbers, &mut found);
            visit(bytes, start, &found);
            if length > MAX_SOLVED {
                sampling.draws.drop_from(ready);
            }
        }
        (sampling.units, sampling.found) = (units, found);
    }

    /// The number of a unit among those that are ready.
    fn ready(&self, text: &[u8], unit: &Unit, sampling: &mut Sampling) -> u32 {
        if text.len() > MAX_SOLVED {
            self.fill(text, &mut sampling.lattice);
            return add(sampling);
        }
        if let Some(number) = sampling.learned.number(unit, text) {
            return number;
        }
        if sampling.learned.table.is_full() || sampling.draws.bytes() > MOST_READY {
            sampling.forget();
        }
        self.fill(text, &mut sampling.lattice);
        let number = add(sampling);
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

fn add(sampling: &mut Sampling) -> u32 {
    let Sampling { lattice, draws, alpha, .. } = sampling;
    lattice.units().next().map_or(0, |unit| draws.add(unit, *alpha))
}
