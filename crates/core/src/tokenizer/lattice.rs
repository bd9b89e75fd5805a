//! The lattice of a whole text: normalized, divided at added tokens, cut into units, with the mapping back to the text.

use crate::lattice::draw::{draw_path, Method};
use crate::lattice::semiring::Semiring;
use crate::lattice::sums::Sums;
use crate::lattice::{Edge, Lattice};
use crate::nbest::Best;
use crate::segment::fallback::NO_PIECE;
use crate::segment::{Algorithm, Buffers};
use crate::specials::Permit;
use crate::tokenizer::fragments::Found;
use crate::tokenizer::scratch::Scratch;
use crate::tokenizer::spans::edges;
use crate::tokenizer::Tokenizer;
use crate::util::draw::Key;
use crate::util::rng::Seed;
use crate::util::{i64_of, report, u32_of, us, Error, Result};

/// Maximum length of a text with a lattice, in bytes after normalization.
pub const MOST_TEXT: usize = 1 << 24;
/// Maximum number of edges of a lattice.
pub const MOST_EDGES: usize = 1 << 27;

/// A lattice with its text.
#[derive(Default)]
pub struct TextLattice {
    /// The edges.
    pub lattice: Lattice,
    /// The normalized text, with the added tokens as they are.
    pub inner: Vec<u8>,
    /// For each position, the position in the original text of an edge that begins there, and of one that ends there.
    pub sources: Vec<(u32, u32)>,
    /// Whether pieces are bytes, for which paths are sampled backward.
    by_bytes: bool,
    /// Whether an edge is the unknown piece.
    has_unknown: bool,
    /// The added tokens, and the ranges that are segmented on their own: start, and end.
    chunks: Vec<(u32, u32)>,
    /// For each unit the group within which its unknowns are fused.
    groups: Vec<u32>,
    /// Where added tokens begin.
    added: Vec<u32>,
}

/// Collects the parts of a text.
struct Parts {
    text: TextLattice,
    edges: Vec<Edge>,
    bounds: Vec<u32>,
    keys: Vec<(u32, u32)>,
}

impl Tokenizer {
    /// Refuses vocabularies whose pieces do not tile the text.
    fn check_lattice(&self) -> Result<()> {
        let has_lattice = match &self.units.segmenter.algorithm {
            Algorithm::Unigram(_) | Algorithm::Bpe(_) => true,
            Algorithm::Merges(merges) => merges.nature.tiles && merges.has_byte_pieces,
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
        let by_bytes = self.units.segmenter.has_byte_paths();
        let text_lattice = TextLattice { sources: vec![(0, 0)], by_bytes, ..TextLattice::default() };
        let mut parts = Parts { text: text_lattice, edges: Vec::new(), bounds: vec![0], keys: Vec::new() };
        let mut fragment = 0;
        self.each_part(text, permit, true, scratch, |found, scratch| {
            match found {
                Found::Id(id, span, _) => parts.push_added(id, self.spec.vocab.piece(id), span, fragment),
                Found::Fragment(offset) => self.add_fragment(offset, fragment, scratch, &mut parts)?,
            }
            fragment += 1;
            Ok(true)
        })?;
        let lattice = Lattice::new(parts.edges, parts.bounds, parts.keys, self.largest_score());
        Ok(TextLattice { lattice, ..parts.text })
    }

    fn add_fragment(&self, offset: usize, fragment: u32, scratch: &mut Scratch, parts: &mut Parts) -> Result<()> {
        let Parts { text, edges, bounds, keys } = parts;
        let mut starts = std::mem::take(&mut scratch.engine.starts);
        self.unit_bounds(&scratch.normalized, &mut starts);
        let base = text.inner.len();
        let Scratch { normalized, .. } = scratch;
        text.inner.extend_from_slice(normalized.inner());
        if text.inner.len() > MOST_TEXT {
            let message = format!("a lattice is made of at most {MOST_TEXT} bytes of text; split the text");
            return Err(Error::new("lattice-too-large", message).with("most", MOST_TEXT));
        }
        // The position at which a fragment begins is the end of what is before it.
        let source = |at: usize| u32_of(offset + normalized.span(at, at).0);
        if let Some(last) = text.sources.last_mut() {
            last.0 = source(0);
        }
        text.sources
            .extend((1..=normalized.len).map(|at| (source(at), u32_of(offset + normalized.span(at - 1, at).1))));
        let by_chunk = self.stages.has_rules();
        let unk_id = self.units.segmenter.fallback.unk_id;
        for pair in starts.windows(2) {
            let (start, end) = (us(pair[0].at), us(pair[1].at));
            report(end - start);
            self.each_edge(&normalized.bytes[start..end], |from, to, id, score| {
                text.has_unknown |= id == unk_id;
                let (start, end) = (u32_of(base + start + from), u32_of(base + start + to));
                edges.push(Edge { start, end, id, score });
            });
            let group = if by_chunk { u32_of(text.groups.len()) } else { u32::MAX - fragment };
            text.groups.push(group);
            keys.push((fragment, pair[0].at));
            bounds.push(u32_of(base + end));
            if edges.len() > MOST_EDGES {
                let message = format!("this lattice has more than {MOST_EDGES} edges; split the text");
                return Err(Error::new("lattice-too-large", message).with("most", MOST_EDGES));
            }
        }
        let mut push = |start: usize, end: usize| text.chunks.push((u32_of(base + start), u32_of(base + end)));
        if by_chunk {
            starts.windows(2).for_each(|pair| push(us(pair[0].at), us(pair[1].at)));
        } else {
            self.units.each_chunk(normalized.inner(), push);
        }
        scratch.engine.starts = starts;
        Ok(())
    }

    /// The path of encoding.
    pub fn best_path(&self, text: &TextLattice) -> Vec<u32> {
        let (mut buffers, mut ids, mut path) = (Buffers::default(), Vec::new(), Vec::new());
        for &(start, end) in &text.chunks {
            if text.added.binary_search(&start).is_ok() {
                // Only one edge begins there.
                path.extend(text.lattice.starting(us(start)));
                continue;
            }
            self.units.segmenter.exact(&text.inner[us(start)..us(end)], 0.0, &mut buffers, &mut ids);
            let found = edges(&buffers.found, us(start));
            path.extend(found.filter_map(|(id, start, end)| text.lattice.find(start, end, id)));
        }
        path
    }

    /// The ids of paths, concatenated, and where those of each begin.
    pub fn ids_of_best(&self, text: &TextLattice, best: &Best) -> (Vec<u32>, Vec<i64>) {
        let (mut ids, mut offsets, edges) = (Vec::with_capacity(best.edges.len()), vec![0], &text.lattice.edges);
        for path in best.paths() {
            report(path.len());
            if text.has_unknown {
                ids.extend(self.path_ids(text, path));
            } else {
                ids.extend(path.iter().map(|&edge| edges[us(edge)].id));
            }
            offsets.push(i64_of(ids.len()));
        }
        (ids, offsets)
    }

    /// The ids of a path: unknowns as the segmenter has them.
    pub fn path_ids(&self, text: &TextLattice, path: &[u32]) -> Vec<u32> {
        let mut ids = Vec::new();
        self.each_token_edge(text, path, &mut ids, |_, _| ());
        ids
    }

    /// The score of each id of a path: of several bytes of a character the first has the whole score.
    pub fn path_scores(&self, text: &TextLattice, path: &[u32]) -> Vec<f64> {
        let mut scores: Vec<f64> = Vec::new();
        self.each_token_edge(text, path, &mut Vec::new(), |count, score| {
            let before = scores.len();
            scores.resize(count, 0.0);
            if let Some(own) = scores.get_mut(before.min(count.saturating_sub(1))) {
                *own += score;
            }
        });
        scores
    }

    /// Pushes the ids of a path; calls `visit` after each edge with the number of ids, and the score of the edge.
    fn each_token_edge(&self, text: &TextLattice, path: &[u32], ids: &mut Vec<u32>, mut visit: impl FnMut(usize, f64)) {
        let fallback = &self.units.segmenter.fallback;
        let (mut unit, mut unknown) = (0, None);
        for &edge in path {
            let Edge { start, end, id, score } = text.lattice.edges[us(edge)];
            while us(text.lattice.bounds[unit + 1]) <= us(start) && unit + 2 < text.lattice.bounds.len() {
                unit += 1;
            }
            if text.added.binary_search(&start).is_ok() {
                ids.push(id);
                unknown = None;
            } else {
                let (group, before) = (text.groups[unit], ids.len());
                let is_unknown = fallback.push(id, &text.inner[us(start)..us(end)], ids);
                if is_unknown && fallback.fuses && unknown == Some(group) {
                    ids.truncate(before);
                }
                unknown = is_unknown.then_some(group);
            }
            visit(ids.len(), score);
        }
    }

    /// The id of an edge; where no piece covers its text, the unknown piece, or the first of its byte pieces.
    pub fn edge_id(&self, text: &TextLattice, edge: &Edge) -> u32 {
        if edge.id != NO_PIECE {
            return edge.id;
        }
        let mut ids = Vec::new();
        self.units.segmenter.fallback.push(edge.id, &text.inner[us(edge.start)..us(edge.end)], &mut ids);
        self.spec.unk_id().or_else(|| ids.first().copied()).unwrap_or(edge.id)
    }

    /// The number of ids of each edge.
    pub fn widths(&self, text: &TextLattice) -> Vec<u32> {
        let fallback = &self.units.segmenter.fallback;
        let mut ids = Vec::new();
        let width = |edge: &Edge| {
            ids.clear();
            fallback.push(edge.id, &text.inner[us(edge.start)..us(edge.end)], &mut ids);
            // An added token is one id, even if it is the unknown piece.
            if text.added.binary_search(&edge.start).is_ok() {
                1
            } else {
                u32_of(ids.len())
            }
        };
        text.lattice.edges.iter().map(width).collect()
    }
}

impl Parts {
    fn push_added(&mut self, id: u32, piece: &[u8], span: (usize, usize), fragment: u32) {
        let text = &mut self.text;
        let start = text.inner.len();
        text.inner.extend_from_slice(if piece.is_empty() { b" " } else { piece });
        let end = text.inner.len();
        self.edges.push(Edge { start: u32_of(start), end: u32_of(end), id, score: 0.0 });
        if let Some(last) = text.sources.last_mut() {
            last.0 = u32_of(span.0);
        }
        // No edge begins or ends within it.
        text.sources.resize(end + 1, (u32_of(span.1), u32_of(span.1)));
        text.added.push(u32_of(start));
        text.chunks.push((u32_of(start), u32_of(end)));
        text.groups.push(u32::MAX - fragment);
        self.keys.push((fragment, 0));
        self.bounds.push(u32_of(end));
    }
}

impl TextLattice {
    /// The best `n` paths.
    pub fn nbest(&self, n: usize) -> Result<Best> {
        Best::of(&self.lattice, n)
    }

    /// Samples a path as [`Tokenizer::sample`] does; returns it with its log-probability.
    pub fn sample(&self, method: Method, alpha: f64, seed: Seed) -> (Vec<u32>, f64) {
        let (mut path, mut found) = (Vec::new(), Vec::new());
        for (unit, &(fragment, place)) in self.lattice.units().zip(&self.lattice.keys) {
            let key = Key { seed, fragment: u64::from(fragment), place: u64::from(place) };
            found.clear();
            let semiring = Semiring::new(alpha, self.lattice.largest, unit.end - unit.start);
            draw_path(unit, method, self.by_bytes, semiring, key, &mut found);
            path.extend(edges(&found, unit.start).filter_map(|(id, start, end)| self.lattice.find(start, end, id)));
        }
        let log_probability = alpha * self.lattice.score(&path) - Sums::new(&self.lattice, alpha).partition();
        (path, log_probability)
    }
}
