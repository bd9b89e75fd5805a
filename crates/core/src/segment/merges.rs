//! Merge-list BPE: of all adjacent pairs that the list has, merge the one that stands first in it, leftmost first.
//!
//! A chunk begins as one symbol a character, or a byte. What is no piece by itself becomes byte pieces or the unknown piece
//! before anything is merged, and may take part in merges. See `docs/algorithms/merge-bpe.md`.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use crate::cast::{u32_of, us};
use crate::error::{Error, Result};
use crate::index::column::Column;
use crate::index::lazy::Lazy;
use crate::index::pages::Pages;
use crate::index::pairs::{Pairs, PairsView};
use crate::index::trie::{Trie, TrieView};
use crate::normalize::push_inner_form;
use crate::segment::byte_cuts::ByteCuts;
use crate::segment::cuts::decode;
use crate::segment::fallback::NO_PIECE;
use crate::segment::linear::{self, Histories, Rules};
use crate::segment::Forms;
use crate::spec::{Spec, Unknown};
use crate::vocab::{byte_of, Kind, Vocab, SPACE_MARK};

/// Units of so many bytes are searched from left to right.
const LONG: usize = 2048;
/// So many symbols are merged by looking at all of them each time; more of them by a queue.
const FEW: usize = 48;

/// The stage.
pub struct Merges {
    rows: Arc<Column<[u32; 3]>>,
    pairs: Pairs,
    /// Pieces that a whole chunk can be, if it is then not merged.
    whole: Trie,
    starts: Starts,
    bytes: bool,
    escape: bool,
    nature: Nature,
    vocab: Arc<Vocab>,
    /// Pieces by their beginnings, for long units.
    trie: Lazy<Trie>,
    histories: Lazy<Histories>,
}

/// What the options and the vocabulary together amount to.
#[derive(Clone, Copy)]
struct Nature {
    /// Chunks can be cut where no merge spans two characters.
    cuttable: bool,
    /// Unknowns of neighbouring units are one token.
    fuses: bool,
    /// A token is as long as its piece, a byte piece one byte, an unknown one symbol.
    tiles: bool,
    /// Whether something of a text may leave no token.
    drops: bool,
    /// Whether many symbols may become one unknown token.
    joins: bool,
}

/// What the symbols of a chunk are before merging.
struct Starts {
    /// Symbols by position: 0 alone or first, 1 after the first, 2 last, 3 both. Those that are as at 0 are not kept.
    pages: Vec<Pages>,
    prefix: Vec<u8>,
    suffix: Vec<u8>,
    /// Byte pieces by byte, if there is byte fallback.
    byte_pieces: Vec<u32>,
    unknown: Unknown,
    unk_id: u32,
}

/// Buffers for one chunk.
#[derive(Default)]
pub struct Buffers {
    ids: Vec<u32>,
    lens: Vec<u32>,
    /// For each symbol the merge with the next one, packed; [`NO_MERGE`] if there is none.
    merges: Vec<u64>,
    links: Vec<(u32, u32)>,
    queue: BinaryHeap<Reverse<u64>>,
    linear: linear::Buffers,
    /// Long units are merged like others, as the plain path does.
    pub by_the_book: bool,
}

const NO_MERGE: u64 = u64::MAX;
const NONE: u32 = u32::MAX;

/// Rank above result: orders as ranks do.
#[inline(always)]
fn packed(pairs: PairsView<'_>, left: u32, right: u32) -> u64 {
    pairs.find(left, right).map_or(NO_MERGE, |(rank, result)| u64::from(rank) << 32 | u64::from(result))
}

impl Merges {
    /// Compiles the stage from a validated Spec.
    pub fn build(spec: &Spec) -> Result<Self> {
        let (pairs, repeated) = Pairs::build(&spec.merges);
        if let Some((first, second)) = repeated {
            let message = format!("merges {first} and {second} are of the same pair; keep the one that counts");
            return Err(Error::new("spec-merges", message).with("first", first).with("second", second));
        }
        let whole = if spec.config.whole_chunks {
            Forms::of(spec, |kind| !spec.is_apart(kind)).trie(|_| true)?
        } else {
            Trie::default()
        };
        Ok(Self::from_parts(pairs, whole, spec))
    }

    /// Puts a stored stage together.
    #[must_use]
    pub fn from_parts(pairs: Pairs, whole: Trie, spec: &Spec) -> Self {
        let starts = Starts::build(spec);
        let nature = Nature::of(spec, &starts);
        let (bytes, escape) = (spec.has_byte_pieces(), spec.config.escape_whitespaces);
        Self {
            rows: Arc::clone(&spec.merges),
            pairs,
            whole,
            starts,
            bytes,
            escape,
            nature,
            vocab: Arc::clone(&spec.vocab),
            trie: Lazy::new(),
            histories: Lazy::new(),
        }
    }

    /// The tables, for storing.
    #[must_use]
    pub const fn parts(&self) -> (&Pairs, &Trie) {
        (&self.pairs, &self.whole)
    }

    /// Whether symbols are bytes.
    #[must_use]
    pub const fn has_byte_pieces(&self) -> bool {
        self.bytes
    }

    /// Whether a chunk can be cut where no merge spans two characters.
    #[must_use]
    pub const fn is_cuttable(&self) -> bool {
        self.nature.cuttable
    }

    /// Whether a text that is not split can be cut, each part being segmented on its own.
    #[must_use]
    pub fn has_units(&self) -> bool {
        self.nature.cuttable && !self.bytes && self.whole.is_empty()
    }

    /// Whether unknowns of neighbouring units are one token.
    #[must_use]
    pub const fn fuses(&self) -> bool {
        self.nature.fuses
    }

    /// Whether the place of each token can be told from the lengths of pieces.
    #[must_use]
    pub const fn tiles(&self) -> bool {
        self.nature.tiles
    }

    /// Whether each token covers at most the longest piece's length, and each symbol is in some token.
    #[must_use]
    pub const fn is_bounded(&self) -> bool {
        !self.nature.drops && !self.nature.joins
    }

    /// The characters that are pieces, with their ids.
    pub fn letters(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.starts.pages.iter().take(1).flat_map(Pages::iter)
    }

    /// Bytes that its place can add to a symbol.
    #[must_use]
    pub fn added_bytes(&self) -> usize {
        self.starts.prefix.len() + self.starts.suffix.len()
    }

    /// The strings that merges make, in the inner form, one after the other.
    pub fn each_result(&self, vocab: &Vocab, mut visit: impl FnMut(&[u8])) {
        let (mut form, mut seen) = (Vec::new(), vec![false; vocab.len()]);
        for &[_, _, result] in self.rows.iter() {
            let Some(is_seen) = seen.get_mut(us(result)) else { continue };
            if std::mem::replace(is_seen, true) {
                continue;
            }
            form.clear();
            if push_inner_form(vocab.piece(result), self.escape, &mut form) {
                visit(&form);
            }
        }
    }

    /// Where chunks can be cut further.
    #[must_use]
    pub fn byte_cuts(&self, vocab: &Vocab) -> ByteCuts {
        ByteCuts::build(|visit| self.each_result(vocab, visit))
    }

    /// The pieces of a chunk, or of a part of one: pushes (id, end), with [`NO_PIECE`] for what leaves no token.
    pub fn solve(&self, text: &[u8], whole: bool, buffers: &mut Buffers, found: &mut Vec<(u32, u32)>) {
        if let Some(id) = self.whole.view().find(text).filter(|_| whole) {
            found.push((id, u32_of(text.len())));
        } else if text.len() < LONG || buffers.by_the_book || !self.solve_long(text, &mut buffers.linear, found) {
            self.merge(text, buffers, found);
        }
    }

    fn solve_long(&self, text: &[u8], buffers: &mut linear::Buffers, found: &mut Vec<(u32, u32)>) -> bool {
        if self.starts.has_positions() {
            return false;
        }
        linear::solve(&self.by_list(), self.histories(), text, buffers, found)
    }

    /// For each prefix of a whole chunk by its length how many pieces it has by itself; see [`linear::prefix_counts`].
    pub fn prefix_counts(&self, text: &[u8], buffers: &mut Buffers) -> Option<Vec<u32>> {
        if self.starts.has_positions() {
            return None;
        }
        let mut counts = linear::prefix_counts(&self.by_list(), self.histories(), text, &mut buffers.linear)?;
        self.whole.view().each_prefix(text, |length, _| counts[length] = 1);
        Some(counts)
    }

    fn by_list(&self) -> ByList<'_> {
        let trie = self.trie.get(|| self.reachable()).view();
        ByList { starts: &self.starts, bytes: self.bytes, trie, pairs: self.pairs.view(&self.rows) }
    }

    fn histories(&self) -> &Histories {
        self.histories.get(|| Histories::new(self.vocab.len()))
    }

    /// A trie of what symbols and merges can be; an empty one if two of them are spelled alike.
    fn reachable(&self) -> Trie {
        let mut is_reachable = vec![false; self.vocab.len()];
        let results = self.rows.iter().map(|row| row[2]);
        for id in results.chain(self.letters().map(|(_, id)| id)) {
            if let Some(flag) = is_reachable.get_mut(us(id)) {
                *flag = true;
            }
        }
        let ids = (0u32..).zip(&is_reachable).filter(|(_, &flag)| flag).map(|(id, _)| id);
        let forms = Forms::of_ids(&self.vocab, self.escape, ids);
        let keys: Vec<(&[u8], u32)> = forms.iter().collect();
        if keys.is_empty() || keys.windows(2).any(|pair| pair[0].0 == pair[1].0) {
            return Trie::default();
        }
        Trie::build(&keys).unwrap_or_default()
    }

    fn merge(&self, text: &[u8], buffers: &mut Buffers, found: &mut Vec<(u32, u32)>) {
        let Buffers { ids, lens, .. } = buffers;
        ids.clear();
        lens.clear();
        let push = |id: u32, len: u32| {
            ids.push(id);
            lens.push(len);
        };
        self.starts.each(text, self.bytes, self.escape, push);
        if buffers.ids.len() <= FEW {
            self.merge_few(buffers);
        } else {
            self.merge_via_queue(buffers);
        }
        let mut end = 0;
        for (&id, &len) in buffers.ids.iter().zip(&buffers.lens) {
            end += len;
            if id != NO_PIECE || len > 0 {
                found.push((id, end));
            }
        }
    }

    fn merge_few(&self, buffers: &mut Buffers) {
        let Buffers { ids, lens, merges, .. } = buffers;
        let pairs = self.pairs.view(&self.rows);
        merges.clear();
        merges.extend(ids.windows(2).map(|pair| packed(pairs, pair[0], pair[1])));
        loop {
            let first = merges.iter().copied().min().unwrap_or(NO_MERGE);
            if first == NO_MERGE {
                return;
            }
            let Some(left) = merges.iter().position(|&merge| merge == first) else { return };
            ids[left] = crate::cast::low32(first);
            ids.remove(left + 1);
            lens[left] += lens.remove(left + 1);
            merges.remove(left);
            if left < merges.len() {
                merges[left] = packed(pairs, ids[left], ids[left + 1]);
            }
            if left > 0 {
                merges[left - 1] = packed(pairs, ids[left - 1], ids[left]);
            }
        }
    }

    fn merge_via_queue(&self, buffers: &mut Buffers) {
        let Buffers { ids, lens, merges, links, queue, .. } = buffers;
        let pairs = self.pairs.view(&self.rows);
        let count = u32_of(ids.len());
        merges.clear();
        merges.extend(ids.windows(2).map(|pair| packed(pairs, pair[0], pair[1])));
        merges.push(NO_MERGE);
        links.clear();
        links.extend((0..count).map(|at| (at.wrapping_sub(1), if at + 1 == count { NONE } else { at + 1 })));
        let mut entries = std::mem::take(queue).into_vec();
        entries.clear();
        let first = (0u32..).zip(merges.iter()).filter(|(_, &merge)| merge != NO_MERGE);
        entries.extend(first.map(|(at, &merge)| Reverse(merge & !0xFFFF_FFFF | u64::from(at))));
        *queue = BinaryHeap::from(entries);
        while let Some(Reverse(entry)) = queue.pop() {
            let left = us(crate::cast::low32(entry));
            let merge = merges[left];
            if merge == NO_MERGE || merge >> 32 != entry >> 32 {
                continue;
            }
            let (before, right) = links[left];
            let after = links[us(right)].1;
            ids[left] = crate::cast::low32(merge);
            lens[left] += lens[us(right)];
            ids[us(right)] = NO_PIECE;
            lens[us(right)] = 0;
            merges[us(right)] = NO_MERGE;
            links[left].1 = after;
            let mut propose = |at: u32, merge: u64| {
                merges[us(at)] = merge;
                if merge != NO_MERGE {
                    queue.push(Reverse(merge & !0xFFFF_FFFF | u64::from(at)));
                }
            };
            let place = crate::cast::low32(entry);
            if after == NONE {
                propose(place, NO_MERGE);
            } else {
                links[us(after)].0 = place;
                propose(place, packed(pairs, ids[left], ids[us(after)]));
            }
            if before != NONE {
                propose(before, packed(pairs, ids[us(before)], ids[left]));
            }
        }
    }
}

/// Neighbours are merged if the list has them.
struct ByList<'a> {
    starts: &'a Starts,
    bytes: bool,
    trie: TrieView<'a>,
    pairs: PairsView<'a>,
}

impl Rules for ByList<'_> {
    #[inline]
    fn symbol(&self, text: &[u8]) -> Option<(u32, usize)> {
        let (symbol, length) = if self.bytes { (u32::from(text[0]), 1) } else { decode(text, 0) };
        Some((self.starts.pages[0].get(symbol)?, length.min(text.len())))
    }

    #[inline]
    fn longest(&self, text: &[u8]) -> Option<(u32, usize)> {
        self.trie.longest_prefix(text, usize::MAX).map(|(length, id)| (id, length))
    }

    fn each(&self, text: &[u8], mut visit: impl FnMut(u32, usize)) {
        self.trie.each_prefix(text, |length, id| visit(id, length));
    }

    #[inline]
    fn merge(&self, left: u32, right: u32, text: &[u8]) -> Option<(u32, u32)> {
        // Mostly there is no such piece, and a walk ends sooner than a probe of a large table.
        self.trie.find(text)?;
        self.pairs.find(left, right)
    }
}

impl Starts {
    fn build(spec: &Spec) -> Self {
        let (mut prefix, mut suffix) = (Vec::new(), Vec::new());
        let escape = spec.config.escape_whitespaces;
        push_inner_form(spec.config.symbol_prefix.as_bytes(), escape, &mut prefix);
        push_inner_form(spec.config.end_suffix.as_bytes(), escape, &mut suffix);
        let mut byte_pieces = Vec::new();
        if spec.config.byte_fallback {
            byte_pieces.resize(256, NO_PIECE);
            for id in spec.vocab.ids_of(Kind::Byte) {
                if let Some(byte) = byte_of(spec.vocab.piece(id)) {
                    byte_pieces[usize::from(byte)] = id;
                }
            }
        }
        let unk_id = spec.unk_id().unwrap_or(NO_PIECE);
        let mut starts = Self { pages: Vec::new(), prefix, suffix, byte_pieces, unknown: spec.config.unknown, unk_id };
        starts.pages.resize_with(if starts.has_positions() { 4 } else { 1 }, Pages::default);
        let mut form = Vec::new();
        let matches = |id: &u32| !spec.is_apart(spec.vocab.kind(*id));
        for id in (0..u32_of(spec.vocab.len())).filter(matches) {
            form.clear();
            if push_inner_form(spec.vocab.piece(id), escape, &mut form) {
                starts.add(&form, id, spec.has_byte_pieces());
            }
        }
        starts
    }

    /// Enters a piece wherever it is one symbol.
    fn add(&mut self, form: &[u8], id: u32, bytes: bool) {
        for (position, pages) in self.pages.iter_mut().enumerate() {
            let prefix = if position & 1 == 1 { &self.prefix[..] } else { &[] };
            let suffix = if position & 2 == 2 { &self.suffix[..] } else { &[] };
            let Some(symbol) = form.strip_prefix(prefix).and_then(|rest| rest.strip_suffix(suffix)) else { continue };
            match symbol {
                [] => {}
                &[byte] if bytes => pages.set(u32::from(byte), id),
                _ if bytes => {}
                _ => {
                    let (character, length) = decode(symbol, 0);
                    if length == symbol.len() {
                        pages.set(character, id);
                    }
                }
            }
        }
    }

    fn has_positions(&self) -> bool {
        !self.prefix.is_empty() || !self.suffix.is_empty()
    }

    /// Calls `push` with id and length of each symbol of a chunk.
    fn each(&self, text: &[u8], bytes: bool, escape: bool, mut push: impl FnMut(u32, u32)) {
        // As in the original, an unknown waits for the next symbol that is a piece, past byte pieces.
        let mut waiting = 0;
        let mut at = 0;
        while at < text.len() {
            let (symbol, length) = if bytes { (u32::from(text[at]), 1) } else { decode(text, at) };
            let end = (at + length).min(text.len());
            let position =
                if self.pages.len() == 1 { 0 } else { usize::from(at > 0) | usize::from(end == text.len()) << 1 };
            if let Some(id) = self.pages[position].get(symbol) {
                if waiting > 0 {
                    push(self.unk_id, std::mem::take(&mut waiting));
                }
                push(id, u32_of(end - at));
            } else if !self.push_bytes(&text[at..end], position, escape, &mut push) {
                let length = u32_of(end - at);
                match self.unknown {
                    Unknown::Fuse => waiting += length,
                    Unknown::Each => {
                        if waiting > 0 {
                            push(self.unk_id, waiting);
                        }
                        waiting = length;
                    }
                    Unknown::Drop => {}
                    Unknown::Omit => push(NO_PIECE, length),
                }
            }
            at = end;
        }
        if waiting > 0 {
            push(self.unk_id, waiting);
        }
    }

    /// Pushes the byte pieces of a character with what its position adds, if all of them exist.
    fn push_bytes(&self, character: &[u8], position: usize, escape: bool, push: &mut impl FnMut(u32, u32)) -> bool {
        if self.byte_pieces.is_empty() {
            return false;
        }
        let prefix = if position & 1 == 1 { &self.prefix[..] } else { &[] };
        let suffix = if position & 2 == 2 { &self.suffix[..] } else { &[] };
        let piece = |byte: u8| self.byte_pieces[usize::from(byte)];
        let bytes = || prefix.iter().chain(character).chain(suffix).copied();
        let spelled = |byte: u8| if byte == b' ' && escape { SPACE_MARK } else { &[] };
        let exists = |byte: u8| match spelled(byte) {
            [] => piece(byte) != NO_PIECE,
            mark => mark.iter().all(|&byte| piece(byte) != NO_PIECE),
        };
        if !bytes().all(exists) {
            return false;
        }
        for byte in bytes() {
            match spelled(byte) {
                [] => push(piece(byte), 1),
                mark => (0usize..).zip(mark).for_each(|(at, &byte)| push(piece(byte), u32::from(at + 1 == mark.len()))),
            }
        }
        true
    }

    /// Whether no symbol can be unknown.
    fn is_total(&self, bytes: bool) -> bool {
        let all_letters = || self.pages.iter().all(|pages| (0..256).all(|byte| pages.get(byte).is_some()));
        bytes && all_letters() || self.byte_pieces.len() == 256 && !self.byte_pieces.contains(&NO_PIECE)
    }
}

impl Nature {
    fn of(spec: &Spec, starts: &Starts) -> Self {
        let total = starts.is_total(spec.has_byte_pieces());
        let is_fallback = |id: u32| matches!(spec.vocab.kind(id), Kind::Unknown | Kind::Byte);
        let named = spec.merges.iter().any(|row| row.iter().any(|&id| is_fallback(id)));
        let unknown_is_letter = starts.pages.iter().any(|pages| pages.holds(starts.unk_id));
        let plain = !starts.has_positions() && !named && !unknown_is_letter;
        let escaped_bytes = spec.config.escape_whitespaces && starts.pages[0].get(u32::from(b' ')).is_none();
        let (partial, split) = (!starts.byte_pieces.is_empty(), spec.config.splitter.is_some());
        let cuttable = plain
            && (total
                || match starts.unknown {
                    Unknown::Fuse => !partial && !split,
                    Unknown::Each => !partial,
                    Unknown::Drop => false,
                    Unknown::Omit => true,
                });
        Self {
            cuttable,
            fuses: cuttable && !total && starts.unknown == Unknown::Fuse,
            tiles: cuttable && (total || starts.unknown == Unknown::Each) && !(escaped_bytes && partial),
            drops: !total && matches!(starts.unknown, Unknown::Drop | Unknown::Omit),
            joins: named || !total && starts.unknown == Unknown::Fuse,
        }
    }
}
