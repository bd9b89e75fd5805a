//! The lattice of a whole text: normalized, parted at added tokens, cut into units, with the way back to the text.

use super::{Edge, Lattice};
use crate::cast::{u32_of, us};
use crate::error::{Error, Result};
use crate::fragments::Found;
use crate::lattice::draws::{draw_backward, draw_forward, Method, Weighing};
use crate::lattice::sums::Sums;
use crate::normalize::outer;
use crate::random::Seed;
use crate::scratch::Scratch;
use crate::segment::Algorithm;
use crate::specials::Permit;
use crate::tokenizer::Tokenizer;

/// Longest text in bytes, normalized, that a lattice is made of.
pub const MOST_TEXT: usize = 1 << 24;
/// The most edges of a lattice.
pub const MOST_EDGES: usize = 1 << 27;

/// A lattice with the text that it is of.
#[derive(Default)]
pub struct TextLattice {
    /// The edges.
    pub lattice: Lattice,
    /// The normalized text; added tokens stand in it as they are.
    pub inner: Vec<u8>,
    /// For each edge where it is from: start and end in the text.
    pub spans: Vec<(u32, u32)>,
    /// The edges that encoding takes.
    pub best: Vec<u32>,
    /// For each unit what its unknowns are fused within.
    groups: Vec<u32>,
    /// The units that are added tokens.
    added: Vec<u32>,
}

/// What is gathered while the parts of a text go by.
#[derive(Default)]
struct Parts {
    edges: Vec<Edge>,
    spans: Vec<(u32, u32)>,
    best: Vec<(usize, usize, u32)>,
    bounds: Vec<u32>,
    keys: Vec<(u32, u32)>,
    groups: Vec<u32>,
    added: Vec<u32>,
    inner: Vec<u8>,
}

impl Tokenizer {
    /// Refuses vocabularies whose pieces do not lie side by side along the text.
    fn check_lattice(&self) -> Result<()> {
        let has_lattice = match &self.segmenter.algorithm {
            Algorithm::Unigram(_) | Algorithm::Bpe(_) => true,
            Algorithm::Merges(merges) => merges.tiles() && merges.has_byte_pieces(),
            _ => false,
        };
        if has_lattice {
            return Ok(());
        }
        Err(Error::new(
            "lattice-unsupported",
            "only unigram vocabularies, and BPE by rank, score or bytes, have a lattice",
        ))
    }

    /// The lattice of a text.
    pub fn lattice(&self, text: &[u8], permit: Permit<'_>, scratch: &mut Scratch) -> Result<TextLattice> {
        self.check_lattice()?;
        let mut parts = Parts { bounds: vec![0], ..Parts::default() };
        let mut fragment = 0;
        self.each_part(text, permit, true, scratch, |found, scratch| {
            match found {
                Found::Id(id, span) => parts.push_added(id, self.spec.vocab.piece(id), span, fragment),
                Found::Fragment(offset) => self.add_fragment(offset, fragment, scratch, &mut parts)?,
            }
            fragment += 1;
            Ok(true)
        })?;
        let order: Vec<u32> = {
            // Edges are sorted by their ends, and so must be what belongs to them.
            let mut order: Vec<u32> = (0..u32_of(parts.edges.len())).collect();
            order.sort_by_key(|&edge| parts.edges[us(edge)].end);
            order
        };
        let spans = order.iter().map(|&edge| parts.spans[us(edge)]).collect();
        let lattice = Lattice::new(parts.edges, parts.bounds, parts.keys, self.largest_score());
        let best = parts.best.iter().filter_map(|&(start, end, id)| lattice.find(start, end, id)).collect();
        Ok(TextLattice { lattice, inner: parts.inner, spans, best, groups: parts.groups, added: parts.added })
    }

    fn add_fragment(&self, offset: usize, fragment: u32, scratch: &mut Scratch, parts: &mut Parts) -> Result<()> {
        let mut starts = std::mem::take(&mut scratch.starts);
        self.unit_bounds(&scratch.normalized, &mut scratch.pairs, &mut starts);
        let base = parts.inner.len();
        let Scratch { normalized, buffers, .. } = scratch;
        parts.inner.extend_from_slice(normalized.inner());
        if parts.inner.len() > MOST_TEXT {
            let message = format!("a lattice is made of at most {MOST_TEXT} bytes of text; split the text");
            return Err(Error::new("lattice-too-large", message).with("most", MOST_TEXT));
        }
        let by_chunk = self.stages.has_rules();
        for pair in starts.windows(2) {
            let (start, end) = (us(pair[0].at), us(pair[1].at));
            self.each_edge(&normalized.bytes[start..end], |from, to, id, score| {
                let (from, to) = (start + from, start + to);
                let span = normalized.span(from, to);
                parts.spans.push((u32_of(offset + span.0), u32_of(offset + span.1)));
                parts.edges.push(Edge { start: u32_of(base + from), end: u32_of(base + to), id, score });
            });
            let group = if by_chunk { u32_of(parts.groups.len()) } else { u32::MAX - fragment };
            parts.groups.push(group);
            parts.keys.push((fragment, pair[0].at));
            parts.bounds.push(u32_of(base + end));
            if parts.edges.len() > MOST_EDGES {
                let message = format!("this lattice has more than {MOST_EDGES} edges; split the text");
                return Err(Error::new("lattice-too-large", message).with("most", MOST_EDGES));
            }
        }
        let mut ids = Vec::new();
        let chunks: Vec<(usize, usize)> = if by_chunk {
            starts.windows(2).map(|pair| (us(pair[0].at), us(pair[1].at))).collect()
        } else {
            let mut chunks = Vec::new();
            self.segmenter.each_chunk(normalized.inner(), |start, end| chunks.push((start, end)));
            chunks
        };
        for (start, end) in chunks {
            self.segmenter.exact(&normalized.bytes[start..end], 0.0, buffers, &mut ids);
            let mut at = base + start;
            for &(id, length) in &buffers.found {
                let next = base + start + us(length);
                parts.best.push((at, next, id));
                at = next;
            }
        }
        scratch.starts = starts;
        Ok(())
    }

    /// The ids of a path: unknowns as the segmenter has them.
    #[must_use]
    pub fn path_ids(&self, text: &TextLattice, path: &[u32]) -> Vec<u32> {
        let fallback = &self.segmenter.fallback;
        let (mut ids, mut unit, mut unknown) = (Vec::new(), 0, None);
        for &edge in path {
            let Edge { start, end, id, .. } = text.lattice.edges()[us(edge)];
            while us(text.lattice.bounds()[unit + 1]) <= us(start) && unit + 2 < text.lattice.bounds().len() {
                unit += 1;
            }
            if text.added.binary_search(&u32_of(unit)).is_ok() {
                ids.push(id);
                unknown = None;
                continue;
            }
            let group = text.groups[unit];
            let before = ids.len();
            let is_unknown = fallback.push(id, &text.inner[us(start)..us(end)], &mut ids);
            if is_unknown && fallback.fuses() && unknown == Some(group) {
                ids.truncate(before);
            }
            unknown = is_unknown.then_some(group);
        }
        ids
    }

    /// For each edge how many ids it becomes.
    #[must_use]
    pub fn widths(&self, text: &TextLattice) -> Vec<u32> {
        let fallback = &self.segmenter.fallback;
        let mut ids = Vec::new();
        let width = |edge: &Edge| {
            ids.clear();
            fallback.push(edge.id, &text.inner[us(edge.start)..us(edge.end)], &mut ids);
            u32_of(ids.len())
        };
        text.lattice.edges().iter().map(width).collect()
    }

    /// The normalized text as a person reads it.
    #[must_use]
    pub fn shown(&self, text: &TextLattice) -> Vec<u8> {
        let mut shown = Vec::new();
        outer(&text.inner, self.spec.config.escape_whitespaces, &mut shown);
        shown
    }
}

impl Parts {
    fn push_added(&mut self, id: u32, piece: &[u8], span: (usize, usize), fragment: u32) {
        let start = self.inner.len();
        self.inner.extend_from_slice(if piece.is_empty() { b" " } else { piece });
        let end = self.inner.len();
        self.edges.push(Edge { start: u32_of(start), end: u32_of(end), id, score: 0.0 });
        self.spans.push((u32_of(span.0), u32_of(span.1)));
        self.best.push((start, end, id));
        self.added.push(u32_of(self.groups.len()));
        self.groups.push(u32::MAX - fragment);
        self.keys.push((fragment, 0));
        self.bounds.push(u32_of(end));
    }
}

impl TextLattice {
    /// Draws a path as [`Tokenizer::sample`] does; with the logarithm of its probability.
    #[must_use]
    pub fn sample(&self, method: Method, alpha: f64, seed: Seed) -> (Vec<u32>, f64) {
        let (mut path, mut found) = (Vec::new(), Vec::new());
        for (unit, &(fragment, place)) in self.lattice.units().zip(self.lattice.keys()) {
            let mut numbers = seed.numbers(u64::from(fragment), u64::from(place));
            found.clear();
            if method == Method::Lattice {
                let weighing = Weighing::new(alpha, self.lattice.largest(), unit.end - unit.start);
                draw_backward(unit, weighing, &mut numbers, &mut found);
            } else {
                draw_forward(unit, method, alpha, &mut numbers, &mut found);
            }
            let mut start = unit.start;
            for &(id, end) in &found {
                path.extend(self.lattice.find(start, unit.start + us(end), id));
                start = unit.start + us(end);
            }
        }
        let log_probability = alpha * self.lattice.score(&path) - Sums::new(&self.lattice, alpha).partition();
        (path, log_probability)
    }
}
