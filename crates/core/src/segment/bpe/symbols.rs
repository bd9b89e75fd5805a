//! The initial symbols of a chunk for merge-list BPE, and the properties of cutting that follow from them.

use crate::index::code_point_map::CodePointMap;
use crate::normalize::push_inner_form;
use crate::segment::fallback::NO_PIECE;
use crate::spec::vocab::{Kind, SPACE_MARK};
use crate::spec::{Spec, Unknown};
use crate::util::utf8::decode;
use crate::util::{u32_of, Pace};

/// Properties of the options and the vocabulary together.
#[derive(Clone, Copy)]
pub struct Nature {
    /// Chunks can be cut where no merge spans two characters.
    pub cuttable: bool,
    /// Unknowns of adjacent units are one token.
    pub fuses: bool,
    /// A token is as long as its piece, a byte piece one byte, an unknown one symbol.
    pub tiles: bool,
    /// Whether part of a text may leave no token.
    pub drops: bool,
    /// Whether symbols are dropped before merging: then later tokens shift to the left.
    pub shifts: bool,
    /// Whether many symbols may become one unknown token.
    pub joins: bool,
    /// Whether a whole chunk may be the unknown piece, or a byte piece, by its spelling.
    pub spells: bool,
}

/// The initial symbols of a chunk.
pub struct Starts {
    /// Symbols by position: 0 alone or first, 1 after the first, 2 last, 3 both. Those equal to position 0 are not
    /// stored.
    pub pages: Vec<CodePointMap>,
    pub prefix: Vec<u8>,
    pub suffix: Vec<u8>,
    /// Byte pieces by byte, if there is byte fallback.
    byte_pieces: Vec<u32>,
    unknown: Unknown,
    unk_id: u32,
}

impl Starts {
    /// Reads them from a Spec.
    pub fn build(spec: &Spec) -> Self {
        let (mut prefix, mut suffix) = (Vec::new(), Vec::new());
        let escape = spec.config.escape_whitespaces;
        push_inner_form(spec.config.symbol_prefix.as_bytes(), escape, &mut prefix);
        push_inner_form(spec.config.end_suffix.as_bytes(), escape, &mut suffix);
        let byte_pieces = if spec.config.byte_fallback { spec.vocab.byte_pieces(NO_PIECE) } else { Vec::new() };
        let unk_id = spec.unk_id().unwrap_or(NO_PIECE);
        let mut starts = Self { pages: Vec::new(), prefix, suffix, byte_pieces, unknown: spec.config.unknown, unk_id };
        starts.pages.resize_with(if starts.has_positions() { 4 } else { 1 }, CodePointMap::default);
        let mut form = Vec::new();
        // Longer ones are no single symbol in any position.
        let longest = 4 + spec.config.symbol_prefix.len() + spec.config.end_suffix.len();
        let matches = |id: &u32| spec.vocab.piece(*id).len() <= longest && !spec.is_apart(spec.vocab.kind(*id));
        for id in (0..u32_of(spec.vocab.len())).filter(matches) {
            form.clear();
            if push_inner_form(spec.vocab.piece(id), escape, &mut form) {
                starts.add(&form, id, spec.has_byte_pieces());
            }
        }
        starts
    }

    /// Enters a piece in every position where it is one symbol.
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

    /// Whether the position in the chunk matters.
    pub fn has_positions(&self) -> bool {
        !self.prefix.is_empty() || !self.suffix.is_empty()
    }

    /// Calls `push` with id and length of each symbol of a chunk.
    pub fn each(&self, text: &[u8], bytes: bool, escape: bool, mut push: impl FnMut(u32, u32)) {
        // As in the original, an unknown is pending until the next symbol that is a piece, past byte pieces.
        let mut waiting = 0;
        let (mut at, mut pace) = (0, Pace::new());
        while at < text.len() {
            pace.reach(at);
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

    /// Pushes the byte pieces of a character with the affixes of its position, if all of them exist.
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
    pub fn is_total(&self, bytes: bool) -> bool {
        let all_letters = || self.pages.iter().all(|pages| (0..256).all(|byte| pages.get(byte).is_some()));
        bytes && all_letters() || self.byte_pieces.len() == 256 && !self.byte_pieces.contains(&NO_PIECE)
    }
}

impl Nature {
    /// Derives them from a Spec.
    pub fn of(spec: &Spec, starts: &Starts) -> Self {
        let total = starts.is_total(spec.has_byte_pieces());
        let is_fallback = |id: u32| matches!(spec.vocab.kind(id), Kind::Unknown | Kind::Byte);
        let named = spec.merges.iter().any(|row| row.iter().any(|&id| is_fallback(id)));
        let unknown_is_letter = starts.pages.iter().any(|pages| pages.holds(starts.unk_id));
        let is_context_free = !starts.has_positions() && !named && !unknown_is_letter;
        let escaped_bytes = spec.config.escape_whitespaces && starts.pages[0].get(u32::from(b' ')).is_none();
        let split = spec.config.splitter.is_some() || !spec.config.split_rules.is_empty();
        let partial = !starts.byte_pieces.is_empty();
        let cuttable = is_context_free
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
            shifts: !total && starts.unknown == Unknown::Drop,
            spells: spec.config.whole_chunks && (spec.unk_id().is_some() || partial),
            joins: named || !total && starts.unknown == Unknown::Fuse,
        }
    }
}
