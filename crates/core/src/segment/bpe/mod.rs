//! Score BPE: repeatedly merges the adjacent pair whose concatenation is the piece of highest score, leftmost first.
//!
//! There is no merge list. Characters need not be pieces themselves; user-defined symbols stay whole; unused pieces may be
//! merged through and are split back at the end. Where pieces are bytes, merging starts from bytes, and a chunk that is a
//! piece may be taken as it is.

pub mod backtrack;
pub mod batch;
pub mod derivation;
pub(crate) mod heap;
pub mod merge_list;
pub(crate) mod ranks;
pub(crate) mod short;
pub(crate) mod symbols;

use std::collections::HashMap;

use crate::index::double_array::{Trie, TrieView};
use crate::index::root_pairs::RootTransitions;
use crate::normalize::MAX_SHIELD_MATCHES;
use crate::segment::bpe::backtrack::Rules;
use crate::segment::bpe::batch::{BatchSolver, BatchSupport, Lanes, Span};
use crate::segment::bpe::derivation::Derivations;
use crate::segment::bpe::heap::{Heap, Skipped, Symbol};
use crate::segment::bpe::ranks::{Ranks, MAX_SHORT};
use crate::segment::bpe::short::Start;
use crate::segment::fallback::NO_PIECE;
use crate::segment::{Forms, Mode};
use crate::spec::vocab::Kind;
use crate::spec::{Arithmetic, Reserved, Spec};
use crate::util::utf8::character_length;
use crate::util::{bits_i32, paced, u32_of, us, Column, Lazy, Result};

/// Maximum depth to which an unused piece is split.
const MAX_SPLITS: u32 = 100;

/// The stage.
pub struct Bpe {
    /// Normal, user-defined and unused pieces.
    pub(crate) trie: Trie,
    /// User-defined symbols.
    pub(crate) frozen: Trie,
    /// Control, unknown and byte pieces, which a single character can equal.
    pub(crate) reserved: Trie,
    /// By id: an integer that orders as the reference orders scores.
    order: Column<i32>,
    /// Whether scores descend with the ids, so that ids are ranks.
    is_sorted: bool,
    unk_id: u32,
    unused: Vec<u32>,
    /// Whether an unused piece that cannot be split becomes unknown.
    hides_unused: bool,
    longest: usize,
    /// Whether merging starts from bytes.
    pub(crate) has_byte_pieces: bool,
    /// Whether a chunk that is a piece is kept whole.
    whole_chunks: bool,
    derivations: Lazy<Derivations>,
    root_transitions: Lazy<RootTransitions>,
}

/// Buffers for texts and long units.
#[derive(Default)]
pub struct Buffers {
    heap: Heap,
    splits: HashMap<u32, u32>,
    backtrack: backtrack::Buffers,
}

/// The id of a symbol that is not merged.
const FROZEN: u32 = u32::MAX;

impl Bpe {
    /// Compiles the stage from a validated Spec.
    pub fn build(spec: &Spec, forms: &Forms) -> Result<Self> {
        let frozen = forms.trie(|id| spec.vocab.kind(id) == Kind::UserDefined && !spec.matches_all())?;
        let is_found = !spec.has_byte_pieces() && spec.config.reserved == Reserved::Matched;
        let is_reserved = |kind: Kind| is_found && !spec.matches(kind) && kind.is_reserved();
        let reserved = Forms::of(spec, is_reserved).trie(|_| true)?;
        Ok(Self::from_parts(forms.trie(|_| true)?, frozen, reserved, spec))
    }

    /// Assembles a stored stage.
    pub fn from_parts(trie: Trie, frozen: Trie, reserved: Trie, spec: &Spec) -> Self {
        let vocab = &spec.vocab;
        let order: Vec<i32> =
            paced(vocab.scores.iter()).map(|&score| order_of(score, spec.config.arithmetic)).collect();
        let is_matched = |id: u32| spec.matches(vocab.kind(id)) && !vocab.piece(id).is_empty();
        let matched = (0u32..).zip(&order).filter(|(id, _)| is_matched(*id)).map(|(_, order)| *order);
        let is_sorted = matched.is_sorted_by(|one, other| one > other);
        let stay = spec.has_byte_pieces() || spec.matches_all();
        let unused = if stay { Vec::new() } else { vocab.ids_of(Kind::Unused).collect() };
        Self {
            trie,
            frozen,
            reserved,
            order: order.into(),
            is_sorted,
            unk_id: spec.unk_id().filter(|_| !spec.matches_all()).unwrap_or(NO_PIECE),
            hides_unused: spec.config.reserved == Reserved::Unknown && !unused.is_empty(),
            unused,
            longest: vocab.longest(),
            has_byte_pieces: spec.has_byte_pieces(),
            whole_chunks: spec.config.whole_chunks,
            derivations: Lazy::new(),
            root_transitions: Lazy::new(),
        }
    }

    /// Whether units are independent: the split of an unused piece is shared across the whole text.
    pub fn has_units(&self) -> bool {
        self.unused.is_empty()
    }

    /// The pieces of a unit of at most [`MAX_SHORT`] bytes: pushes (id, end). `whole` says that it is a whole chunk.
    pub fn solve(&self, text: &[u8], whole: bool, ids: &mut Vec<(u32, u32)>) {
        match whole.then(|| self.whole(text)).flatten() {
            Some(id) => ids.push((id, u32_of(text.len()))),
            None => self.merge_short(text, || false, ids),
        }
    }

    /// Merges a unit of at most [`MAX_SHORT`] bytes, where `skips` says which merges are skipped for good
    /// (BPE-dropout).
    fn merge_short(&self, text: &[u8], skips: impl FnMut() -> bool, ids: &mut Vec<(u32, u32)>) {
        let (start, trie) = (self.start(text), self.trie.view());
        let push = |id: Option<u32>, at: usize, end: usize| {
            ids.push((id.unwrap_or_else(|| self.id_of(&text[at..end])), u32_of(end)));
        };
        short::merge(&self.by_score(), trie, text, start, skips, push);
    }

    /// The initial symbols of a short unit.
    fn start(&self, text: &[u8]) -> Start {
        if self.frozen.is_empty() && (self.has_byte_pieces || text.is_ascii()) {
            return Start::bytes(text.len());
        }
        let (mut start, mut at) = (Start { begins: 0, frozen: 0 }, 0);
        let frozen = self.frozen.view();
        while at < text.len() {
            start.begins |= 1 << at;
            let symbol = frozen.longest_prefix(&text[at..], MAX_SHIELD_MATCHES);
            start.frozen |= u64::from(symbol.is_some()) << at;
            at += symbol.map_or_else(|| self.symbol_length(&text[at..]), |(length, _)| length);
        }
        start
    }

    /// The pieces of a chunk of any length, or of a part of one: pushes (id, end).
    pub fn merge_all(&self, text: &[u8], whole: bool, mode: Mode, buffers: &mut Buffers, ids: &mut Vec<(u32, u32)>) {
        if let Some(id) = self.whole(text).filter(|_| whole) {
            ids.push((id, u32_of(text.len())));
            return;
        }
        let is_merged = text.len() <= MAX_SHORT || mode == Mode::Reference;
        if is_merged || !self.search(text, &mut buffers.backtrack, ids) {
            self.merge_via_heap(text, || false, buffers, ids);
        }
    }

    /// BPE-dropout of a unit, or of a chunk of bytes: pushes (id, end). A skipped merge of characters is never retried;
    /// one of bytes is.
    pub fn drop_out(
        &self,
        text: &[u8],
        mode: Mode,
        passes: impl FnMut() -> bool,
        buffers: &mut Buffers,
        ids: &mut Vec<(u32, u32)>,
    ) {
        if !self.has_byte_pieces {
            if mode == Mode::Reference || text.len() > MAX_SHORT || !self.unused.is_empty() {
                self.merge_via_heap(text, passes, buffers, ids);
            } else {
                self.merge_short(text, passes, ids);
            }
            return;
        }
        let by_score = self.by_score();
        buffers.heap.open();
        for byte in text {
            buffers.heap.push(self.id_of(&[*byte]), 1);
        }
        let find = |one: &Symbol, other: &Symbol| {
            by_score.merge(0, 0, by_score.trie.find(&text[us(one.start)..us(other.end)])?)
        };
        buffers.heap.merge(find, |_, _, _| (), Skipped::Returns, passes);
        ids.extend(buffers.heap.symbols().map(|symbol| (symbol.id, symbol.end)));
    }

    /// Whether a text contains a symbol that is not merged.
    fn has_frozen(&self, text: &[u8]) -> bool {
        let frozen = self.frozen.view();
        let is_frozen = |at: usize| frozen.longest_prefix(&text[at..], MAX_SHIELD_MATCHES).is_some();
        !self.frozen.is_empty() && (0..text.len()).any(is_frozen)
    }

    /// Segments by the backtracking encoder, if it applies.
    fn search(&self, text: &[u8], buffers: &mut backtrack::Buffers, ids: &mut Vec<(u32, u32)>) -> bool {
        if !self.frozen.is_empty() || !self.unused.is_empty() {
            return false;
        }
        backtrack::solve(&self.by_score(), self.derivations(), text, buffers, ids)
    }

    /// For each prefix length of a whole chunk the number of pieces of that prefix; see [`backtrack::prefix_counts`].
    pub fn prefix_counts(&self, text: &[u8], buffers: &mut Buffers) -> Option<Vec<u32>> {
        if self.has_frozen(text) {
            return None;
        }
        let is_split = |id: u32| self.unused.binary_search(&id).is_ok();
        let mut counts =
            backtrack::prefix_counts(&self.by_score(), self.derivations(), text, is_split, &mut buffers.backtrack)?;
        if self.whole_chunks {
            self.trie.view().each_prefix(text, |length, _| counts[length] = 1);
        }
        Some(counts)
    }

    /// Which units can be segmented in a batch: those whose initial symbols are bytes.
    pub fn batch_support(&self) -> BatchSupport {
        match self.frozen.is_empty() && self.unused.is_empty() {
            true if self.has_byte_pieces => BatchSupport::All,
            true => BatchSupport::Ascii,
            false => BatchSupport::None,
        }
    }

    /// Segments a batch of cache misses, where [`Bpe::batch_support`] allows it.
    pub fn solve_batch<U: Span>(
        &self,
        text: &[u8],
        units: &[U],
        lanes: &mut Lanes,
        mut insert: impl FnMut(&U, &[u32]),
    ) {
        let (trie, whole) = (self.trie.view(), self.whole_chunks);
        // Units with the unknown piece, where text can spell it, are left to the reference path.
        let insert = |unit: &U, ids: &[u32]| {
            if !ids.contains(&self.unk_id) {
                insert(unit, ids);
            }
        };
        let root_transitions = self.root_transitions.get(|| RootTransitions::build(trie));
        BatchSolver { trie, root_transitions, ranks: &self.by_score(), whole }.solve(text, units, lanes, insert);
    }

    fn by_score(&self) -> ByScore<'_> {
        ByScore { bpe: self, trie: self.trie.view(), order: (!self.is_sorted).then(|| &*self.order) }
    }

    fn derivations(&self) -> &Derivations {
        self.derivations.get(|| Derivations::new(self.order.len()))
    }

    /// Merges by a heap, where `skips` says which merges are skipped for good (BPE-dropout).
    fn merge_via_heap(
        &self,
        text: &[u8],
        skips: impl FnMut() -> bool,
        buffers: &mut Buffers,
        ids: &mut Vec<(u32, u32)>,
    ) {
        let (frozen, Buffers { heap, splits, .. }) = (self.frozen.view(), buffers);
        heap.open();
        splits.clear();
        let mut at = 0;
        while at < text.len() {
            let symbol = frozen.longest_prefix(&text[at..], MAX_SHIELD_MATCHES);
            let length = symbol.map_or_else(|| self.symbol_length(&text[at..]), |(length, _)| length);
            heap.push(if symbol.is_some() { FROZEN } else { 0 }, u32_of(length));
            at += length;
        }
        let by_score = self.by_score();
        heap.merge(|one, other| by_score.find(text, one, other, splits), |_, _, _| (), Skipped::Gone, skips);
        for symbol in heap.symbols() {
            self.split_unused(text, symbol.start, symbol.end, splits, 0, ids);
        }
    }

    /// The piece that equals a chunk, where such chunks are kept whole.
    fn whole(&self, text: &[u8]) -> Option<u32> {
        if !self.whole_chunks {
            return None;
        }
        self.trie.view().find(text)
    }

    /// Length of the first symbol of a text.
    fn symbol_length(&self, text: &[u8]) -> usize {
        if self.has_byte_pieces {
            1
        } else {
            character_length(text[0]).min(text.len())
        }
    }

    fn split_unused(
        &self,
        text: &[u8],
        start: u32,
        end: u32,
        splits: &HashMap<u32, u32>,
        depth: u32,
        ids: &mut Vec<(u32, u32)>,
    ) {
        let id = self.id_of(&text[us(start)..us(end)]);
        if splits.is_empty() && !self.hides_unused {
            ids.push((id, end));
            return;
        }
        match splits.get(&id) {
            Some(&left) if depth <= MAX_SPLITS && start + left < end && self.unused.binary_search(&id).is_ok() => {
                self.split_unused(text, start, start + left, splits, depth + 1, ids);
                self.split_unused(text, start + left, end, splits, depth + 1, ids);
            }
            _ => ids.push((self.named_alone(id), end)),
        }
    }

    /// The id of an unmerged symbol that is spelled like this piece.
    pub(crate) fn named_alone(&self, id: u32) -> u32 {
        let is_hidden = self.hides_unused && self.unused.binary_search(&id).is_ok();
        if is_hidden {
            self.unk_id
        } else {
            id
        }
    }

    pub(crate) fn id_of(&self, text: &[u8]) -> u32 {
        self.trie.view().find(text).or_else(|| self.reserved.view().find(text)).unwrap_or(self.unk_id)
    }
}

/// Merge look-up by score: any two neighbours whose concatenation is a piece.
struct ByScore<'a> {
    bpe: &'a Bpe,
    trie: TrieView<'a>,
    /// By id, unless ids are ranks.
    order: Option<&'a [i32]>,
}

impl ByScore<'_> {
    /// Rank and result of the merge of two neighbours. The parts of an unused piece are recorded in `splits`.
    fn find(&self, text: &[u8], one: &Symbol, other: &Symbol, splits: &mut HashMap<u32, u32>) -> Option<(u32, u32)> {
        if one.id == FROZEN || other.id == FROZEN || us(other.end - one.start) > self.bpe.longest {
            return None;
        }
        let id = self.trie.find(&text[us(one.start)..us(other.end)])?;
        if !self.bpe.unused.is_empty() && self.bpe.unused.binary_search(&id).is_ok() {
            splits.insert(id, other.start - one.start);
        }
        Some((self.rank(id, 0)?, id))
    }
}

impl Rules for ByScore<'_> {
    #[inline]
    fn symbol(&self, text: &[u8]) -> Option<(u32, usize)> {
        let length = self.bpe.symbol_length(text);
        Some((self.trie.find(&text[..length])?, length))
    }

    fn trie(&self) -> TrieView<'_> {
        self.trie
    }

    #[inline(always)]
    fn merge(&self, _: u32, _: u32, joined: u32) -> Option<(u32, u32)> {
        Some((self.rank(joined, 0)?, joined))
    }
}

impl Ranks for ByScore<'_> {
    #[inline(always)]
    fn rank(&self, joined: u32, _: usize) -> Option<u32> {
        let Some(order) = self.order else { return Some(joined) };
        Some(i32::MAX.abs_diff(order.get(us(joined)).copied().unwrap_or(0)))
    }
}

/// An integer that orders as the reference orders scores: by bits (−0.0 below 0.0), or as floats (−0.0 equal to 0.0).
fn order_of(score: f32, arithmetic: Arithmetic) -> i32 {
    let score = if arithmetic == Arithmetic::F64Compared && score == 0.0 { 0.0 } else { score };
    let bits = bits_i32(score);
    if bits < 0 {
        bits ^ 0x7FFF_FFFF
    } else {
        bits
    }
}
