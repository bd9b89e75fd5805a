//! Merge-list BPE: repeatedly merges the adjacent pair of lowest rank, leftmost first.
//!
//! A chunk starts as one symbol per character or byte. A symbol that is no piece becomes byte pieces or the unknown
//! piece before merging, and may take part in merges. See `docs/algorithms/merge-bpe.md`.

use std::sync::Arc;

use crate::index::code_point_map::CodePointMap;
use crate::index::double_array::{Trie, TrieView};
use crate::index::pair_map::{Pairs, PairsView};
use crate::index::root_pairs::RootTransitions;
use crate::normalize::push_inner_form;
use crate::segment::bpe::backtrack::Rules;
use crate::segment::bpe::batch::{BatchSolver, BatchSupport, Lanes, Span};
use crate::segment::bpe::derivation::Derivations;
use crate::segment::bpe::heap::{Heap, Skipped, Symbol};
use crate::segment::bpe::ranks::{RankByResult, MAX_SHORT};
use crate::segment::bpe::short::Start;
use crate::segment::bpe::symbols::{Nature, Starts};
use crate::segment::bpe::{backtrack, short};
use crate::segment::fallback::NO_PIECE;
use crate::segment::{Forms, Mode};
use crate::spec::vocab::{Kind, Vocab};
use crate::spec::{Spec, MANY_MERGES, SKIPPED_MERGE};
use crate::util::join::join_if;
use crate::util::utf8::decode;
use crate::util::{paced, u32_of, us, Column, Error, Lazy, Result};

/// Minimum bytes of a unit for the backtracking encoder.
const LONG: usize = 2048;

/// The stage.
pub struct Merges {
    rows: Arc<Column<[u32; 3]>>,
    pub(crate) pairs: Pairs,
    /// Pieces that a whole chunk is matched against before merging.
    pub(crate) whole: Trie,
    starts: Starts,
    pub(crate) has_byte_pieces: bool,
    escape: bool,
    /// Properties derived from its options.
    pub(crate) nature: Nature,
    pub(crate) vocab: Arc<Vocab>,
    /// Whether symbols are bytes, each byte is one, and merges name only pieces with unique spellings.
    merges_by_text: bool,
    /// Whether all merge results are in `whole`.
    whole_has_all: bool,
    /// Symbols and merge results, where symbols are bytes and not all of these are in `whole`.
    pub(crate) pieces: Trie,
    /// The trie of the pieces' texts, built for the first long unit.
    trie: Lazy<Trie>,
    /// Ranks for short units.
    ranks: Lazy<RankByResult>,
    derivations: Lazy<Derivations>,
    root_transitions: Lazy<RootTransitions>,
}

/// Buffers for one chunk.
#[derive(Default)]
pub struct Buffers {
    heap: Heap,
    /// Id and length of each symbol of a short chunk.
    symbols: Vec<(u32, u32)>,
    backtrack: backtrack::Buffers,
}

impl Merges {
    /// Compiles the stage from a validated Spec; `more` runs in parallel while the pairs are indexed.
    pub fn build<T>(spec: &Spec, more: impl FnOnce(&Self) -> T) -> Result<(Self, T)> {
        let many = spec.merges.len() > MANY_MERGES;
        let others = || Self::without_pairs(spec).map(|merges| (more(&merges), merges));
        let (ranks, (pairs, repeated)) = join_if(many, others, || Pairs::build(&spec.merges));
        if let Some((first, second)) = repeated {
            let message = format!("merges {first} and {second} are of the same pair; keep the one that counts");
            return Err(Error::new("spec-merges", message).with("first", first).with("second", second));
        }
        let (more, merges) = ranks?;
        Ok((Self { pairs, ..merges }, more))
    }

    fn without_pairs(spec: &Spec) -> Result<Self> {
        let whole = if spec.config.whole_chunks {
            // llama.cpp looks a chunk up among all tokens, so one that is unused is found as well.
            Forms::of(spec, |kind| kind == Kind::Unused || !spec.is_apart(kind)).trie(|_| true)?
        } else {
            Trie::default()
        };
        let mut merges = Self::from_parts(Pairs::default(), whole, Trie::default(), spec);
        if merges.merges_by_text && !merges.whole_has_all {
            merges.pieces = merges.reachable();
        }
        if merges.merges_by_text {
            merges.ranks();
        }
        Ok(merges)
    }

    /// Assembles a stored stage.
    pub fn from_parts(pairs: Pairs, whole: Trie, pieces: Trie, spec: &Spec) -> Self {
        let starts = Starts::build(spec);
        let is_apart = |id: &u32| spec.is_apart(spec.vocab.kind(*id));
        let rows = spec.text_merges();
        let named = rows.iter().filter(|row| **row != SKIPPED_MERGE).flatten();
        let is_told = !spec.config.escape_whitespaces && !named.into_iter().any(is_apart);
        let nature = Nature::of(spec, &starts);
        let (bytes, escape) = (spec.has_byte_pieces(), spec.config.escape_whitespaces);
        let is_total = bytes && !starts.has_positions() && starts.is_total(bytes);
        Self {
            rows,
            pairs,
            whole_has_all: is_told && !whole.is_empty(),
            whole,
            starts,
            has_byte_pieces: bytes,
            escape,
            nature,
            vocab: Arc::clone(&spec.vocab),
            merges_by_text: is_told && is_total,
            pieces,
            trie: Lazy::new(),
            ranks: Lazy::new(),
            derivations: Lazy::new(),
            root_transitions: Lazy::new(),
        }
    }

    /// Whether a text that is not split can be cut, each part being segmented on its own.
    pub fn has_units(&self) -> bool {
        self.nature.cuttable && !self.has_byte_pieces && self.whole.is_empty()
    }

    /// Whether each token covers at most the longest piece's length, and each symbol is in some token.
    pub const fn is_bounded(&self) -> bool {
        !self.nature.drops && !self.nature.joins
    }

    /// A trie with all possible tokens, if there is one.
    pub fn reached(&self) -> Option<TrieView<'_>> {
        Some(self.walked())
            .filter(|trie| !trie.is_empty() && (self.whole_has_all || self.whole.is_empty()))
            .map(Trie::view)
    }

    /// The single-character pieces, with their ids.
    pub fn letters(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.starts.pages.iter().take(1).flat_map(CodePointMap::iter)
    }

    /// Bytes that a symbol's position can add to it.
    pub fn added_bytes(&self) -> usize {
        self.starts.prefix.len() + self.starts.suffix.len()
    }

    /// By id whether merges make the piece.
    fn made(&self) -> Vec<bool> {
        let mut made = vec![false; self.vocab.len()];
        for &[_, _, result] in paced(self.rows.iter()) {
            if let Some(is_made) = made.get_mut(us(result)) {
                *is_made = true;
            }
        }
        made
    }

    /// Calls `visit` with each string that merges make, in the inner form.
    pub fn each_result(&self, mut visit: impl FnMut(&[u8])) {
        let mut form = Vec::new();
        for (id, _) in (0..).zip(self.made()).filter(|(_, is_made)| *is_made) {
            form.clear();
            if push_inner_form(self.vocab.piece(id), self.escape, &mut form) {
                visit(&form);
            }
        }
    }

    /// Calls `visit` with the inner form of each piece that merges make or that a whole chunk can be, unless it is ASCII:
    /// no cut lies within one.
    pub fn each_joined(&self, visit: &mut dyn FnMut(&[u8])) {
        let (whole, made, mut form) = (self.whole.view(), self.made(), Vec::new());
        for (id, piece) in self.vocab.wide() {
            form.clear();
            if push_inner_form(piece, self.escape, &mut form) && (made[us(id)] || whole.find(&form).is_some()) {
                visit(&form);
            }
        }
    }

    /// The pieces of a chunk, or of a part of one: pushes (id, end), with [`NO_PIECE`] for symbols that leave no token.
    pub fn solve(&self, text: &[u8], whole: bool, mode: Mode, buffers: &mut Buffers, found: &mut Vec<(u32, u32)>) {
        if let Some(id) = whole.then(|| self.whole.view().find(text)).flatten() {
            found.push((id, u32_of(text.len())));
            return;
        }
        let is_done = match text.len() {
            _ if mode == Mode::Reference => false,
            ..=MAX_SHORT => self.solve_short(text, found),
            length if length < LONG && !self.has_byte_pieces => false,
            _ => self.search(text, &mut buffers.backtrack, found),
        };
        if !is_done {
            self.merge(text, mode, buffers, found);
        }
    }

    /// Which units can be segmented in a batch: a chunk that is a piece is found by the same walks, if their trie has
    /// all pieces.
    pub fn batch_support(&self) -> BatchSupport {
        match self.merges_by_text && (self.whole.is_empty() || self.whole_has_all) {
            true => BatchSupport::All,
            false => BatchSupport::None,
        }
    }

    /// Segments a batch of cache misses, where [`Merges::batch_support`] allows it.
    pub fn solve_batch<U: Span>(&self, text: &[u8], units: &[U], lanes: &mut Lanes, insert: impl FnMut(&U, &[u32])) {
        if self.walked().is_empty() {
            return;
        }
        let (trie, whole) = (self.walked().view(), !self.whole.is_empty());
        let root_transitions = self.root_transitions.get(|| RootTransitions::build(trie));
        BatchSolver { trie, root_transitions, ranks: self.ranks(), whole }.solve(text, units, lanes, insert);
    }

    fn ranks(&self) -> &RankByResult {
        self.ranks.get(|| RankByResult::build(&self.rows, &self.vocab.offsets))
    }

    /// Merges a short unit of bytes by the texts of pieces, if each byte is a piece.
    fn solve_short(&self, text: &[u8], found: &mut Vec<(u32, u32)>) -> bool {
        if !self.merges_by_text || text.is_empty() {
            return false;
        }
        let trie = self.walked();
        if trie.is_empty() {
            return false;
        }
        let push = |id: Option<u32>, _, end: usize| found.push((id.unwrap_or(NO_PIECE), u32_of(end)));
        short::merge(self.ranks(), trie.view(), text, Start::bytes(text.len()), || false, push);
        true
    }

    /// Segments by the backtracking encoder, if it applies.
    fn search(&self, text: &[u8], buffers: &mut backtrack::Buffers, found: &mut Vec<(u32, u32)>) -> bool {
        !self.starts.has_positions() && backtrack::solve(&self.by_list(), self.derivations(), text, buffers, found)
    }

    /// For each prefix length of a whole chunk the number of pieces of that prefix; see [`backtrack::prefix_counts`].
    pub fn prefix_counts(&self, text: &[u8], buffers: &mut Buffers) -> Option<Vec<u32>> {
        if self.starts.has_positions() {
            return None;
        }
        let mut counts =
            backtrack::prefix_counts(&self.by_list(), self.derivations(), text, |_| false, &mut buffers.backtrack)?;
        self.whole.view().each_prefix(text, |length, _| counts[length] = 1);
        Some(counts)
    }

    /// Symbols and merge results, perhaps with pieces that merges never make.
    fn walked(&self) -> &Trie {
        match (self.whole_has_all, self.pieces.is_empty()) {
            (true, _) => &self.whole,
            (_, false) => &self.pieces,
            _ => self.trie.get(|| self.reachable()),
        }
    }

    fn by_list(&self) -> ByList<'_> {
        let pairs = self.pairs.view(&self.rows);
        ByList { starts: &self.starts, has_byte_pieces: self.has_byte_pieces, trie: self.walked().view(), pairs }
    }

    fn derivations(&self) -> &Derivations {
        self.derivations.get(|| Derivations::new(self.vocab.len()))
    }

    /// A trie of symbols and merge results; an empty one if two of them are spelled alike.
    fn reachable(&self) -> Trie {
        let mut is_reachable = self.made();
        self.letters().for_each(|(_, id)| is_reachable[us(id)] = true);
        let ids = (0u32..).zip(&is_reachable).filter(|(_, &flag)| flag).map(|(id, _)| id);
        let forms = Forms::of_ids(&self.vocab, self.escape, ids);
        let keys: Vec<(&[u8], u32)> = forms.iter().collect();
        if keys.is_empty() || keys.windows(2).any(|pair| pair[0].0 == pair[1].0) {
            return Trie::default();
        }
        Trie::build(&keys).unwrap_or_default()
    }

    /// BPE-dropout of a chunk, where a skipped merge can be retried: pushes (id, end).
    pub fn drop_out(
        &self,
        text: &[u8],
        skips: impl FnMut() -> bool,
        buffers: &mut Buffers,
        found: &mut Vec<(u32, u32)>,
    ) {
        let pairs = self.pairs.view(&self.rows);
        self.open(text, &mut buffers.heap);
        buffers.heap.merge(|one, other| pairs.find(one.id, other.id), |_, _, _| (), Skipped::Returns, skips);
        write(&buffers.heap, found);
    }

    fn merge(&self, text: &[u8], mode: Mode, buffers: &mut Buffers, found: &mut Vec<(u32, u32)>) {
        let (pairs, Buffers { heap, symbols, .. }) = (self.pairs.view(&self.rows), buffers);
        symbols.clear();
        self.starts.each(text, self.has_byte_pieces, self.escape, |id, len| symbols.push((id, len)));
        if mode == Mode::Fast && symbols.len() <= MAX_SHORT {
            short::merge_ids(pairs, symbols, |id, len, end| {
                if id != NO_PIECE || len > 0 {
                    found.push((id, end));
                }
            });
            return;
        }
        self.open(text, heap);
        heap.merge(|one, other| pairs.find(one.id, other.id), |_, _, _| (), Skipped::Gone, || false);
        write(heap, found);
    }

    fn open(&self, text: &[u8], heap: &mut Heap) {
        heap.open();
        self.starts.each(text, self.has_byte_pieces, self.escape, |id, len| heap.push(id, len));
    }
}

/// Pushes the remaining symbols: (id, end). One that is no piece and has no bytes leaves nothing.
fn write(heap: &Heap, found: &mut Vec<(u32, u32)>) {
    let is_something = |symbol: &&Symbol| symbol.id != NO_PIECE || symbol.end > symbol.start;
    found.extend(heap.symbols().filter(is_something).map(|symbol| (symbol.id, symbol.end)));
}

/// Merge look-up by the list.
struct ByList<'a> {
    starts: &'a Starts,
    has_byte_pieces: bool,
    trie: TrieView<'a>,
    pairs: PairsView<'a>,
}

impl Rules for ByList<'_> {
    #[inline]
    fn symbol(&self, text: &[u8]) -> Option<(u32, usize)> {
        let (symbol, length) = if self.has_byte_pieces { (u32::from(text[0]), 1) } else { decode(text, 0) };
        Some((self.starts.pages[0].get(symbol)?, length.min(text.len())))
    }

    fn trie(&self) -> TrieView<'_> {
        self.trie
    }

    #[inline]
    fn merge(&self, left: u32, right: u32, _: u32) -> Option<(u32, u32)> {
        self.pairs.find(left, right)
    }
}
