//! Fallback for a character that no piece covers: the unknown piece, or one byte piece for each of its bytes.

use crate::normalize::push_inner_form;
use crate::spec::vocab::SPACE_MARK;
use crate::spec::Spec;

/// An id that no piece has.
pub const NO_PIECE: u32 = u32::MAX;

/// The compiled rule.
pub struct Fallback {
    /// The unknown id, or [`NO_PIECE`].
    pub(crate) unk_id: u32,
    escape: bool,
    /// Ids of the 256 byte pieces, if there is byte fallback after segmenting.
    pub(crate) bytes: Vec<u32>,
    /// Ids of the byte pieces, ascending.
    sorted: Vec<u32>,
    /// Whether neighbouring unknowns become one token.
    pub(crate) fuses: bool,
    /// The inner form of the unknown piece, where it matches text and unknown characters become bytes.
    spelled: Vec<u8>,
}

impl Fallback {
    /// From a validated Spec.
    pub fn build(spec: &Spec) -> Self {
        let mut bytes = Vec::new();
        // Where every piece can match text, the unknown piece can too, and is then like any other.
        let unk_id = spec.unk_id().filter(|_| !spec.matches_all()).unwrap_or(NO_PIECE);
        if spec.has_merges() {
            // Merging has already handled bytes.
        } else if spec.matches_all() {
            bytes.extend(spec.spelled_bytes().iter().map(|id| id.unwrap_or(0)));
        } else if spec.config.byte_fallback {
            bytes = spec.vocab.byte_pieces(unk_id);
        }
        let mut sorted = bytes.clone();
        sorted.sort_unstable();
        let fuses = bytes.is_empty() && unk_id != NO_PIECE && !spec.config.segmenter.is_chunkwise();
        let (escape, mut spelled) = (spec.config.escape_whitespaces, Vec::new());
        if spec.matches_spelled() && !bytes.is_empty() {
            push_inner_form(spec.vocab.piece(unk_id), escape, &mut spelled);
        }
        Self { unk_id, escape, bytes, sorted, fuses, spelled }
    }

    /// The fallback of a segmenter that handles unknown characters itself.
    pub fn after_merges(mut self, fuses: bool) -> Self {
        self.fuses = fuses;
        self
    }

    /// Whether unknown characters become bytes.
    pub fn has_bytes(&self) -> bool {
        !self.bytes.is_empty()
    }

    /// Pushes `id`, or the fallback of `text` if `id` is the unknown piece. Returns whether the unknown piece was
    /// pushed.
    #[inline]
    pub fn push(&self, id: u32, text: &[u8], ids: &mut Vec<u32>) -> bool {
        if id != self.unk_id || self.bytes.is_empty() || text == self.spelled {
            ids.push(id);
            return id == self.unk_id;
        }
        for &byte in text {
            if byte == b' ' && self.escape {
                ids.extend(SPACE_MARK.iter().map(|&byte| self.bytes[usize::from(byte)]));
            } else {
                ids.push(self.bytes[usize::from(byte)]);
            }
        }
        false
    }

    /// The number of pieces of an unknown text of the inner form.
    pub fn width(&self, text: &[u8]) -> usize {
        if text == self.spelled {
            return 1;
        }
        text.iter().map(|&byte| if byte == b' ' && self.escape { SPACE_MARK.len() } else { 1 }).sum()
    }

    /// Whether an id is that of a byte piece.
    pub fn is_byte(&self, id: u32) -> bool {
        self.sorted.binary_search(&id).is_ok()
    }
}

/// Number of ids tested for unknowns at a time.
const CALM: usize = 32;

/// Fuses runs of the unknown id, as the reference does without byte fallback. Returns the new length.
pub fn fuse(ids: &mut [u32], unk_id: u32, after_unknown: bool) -> usize {
    // Mostly there is nothing to fuse: no group of ids, with the one after it, has two adjacent unknowns.
    let is_calm = |from: &usize| {
        let Some(group) = ids[*from..].first_chunk::<{ CALM + 1 }>() else { return false };
        (0..CALM).fold(true, |calm, at| calm & !((group[at] == unk_id) & (group[at + 1] == unk_id)))
    };
    let from = if after_unknown { 0 } else { CALM * (0..ids.len()).step_by(CALM).take_while(is_calm).count() };
    let mut kept = from;
    let mut previous = after_unknown;
    for index in from..ids.len() {
        let id = ids[index];
        let is_unknown = id == unk_id;
        if !(is_unknown && previous) {
            ids[kept] = id;
            kept += 1;
        }
        previous = is_unknown;
    }
    kept
}
