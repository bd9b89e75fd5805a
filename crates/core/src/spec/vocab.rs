//! The vocabulary: pieces as columns, and the way from a piece's text to its id.

use crate::index::string_index::StringIndex;
use crate::util::{f32_of, paced, round_i32, u32_of, us, Column, Lazy};

/// U+2581 in UTF-8: what an escaped space looks like inside a piece.
pub const SPACE_MARK: &[u8] = "\u{2581}".as_bytes();

/// PLaMo's score of an unknown character; it treats a piece of exactly this score as unknown too.
pub const PLAMO_UNKNOWN: i32 = -10_000_000;

/// A score rounded to the integer that PLaMo uses.
pub fn plamo_score(score: f32) -> i32 {
    round_i32(f64::from(score) * 1e4)
}

/// What a piece is; the numbers are part of the Spec.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Matched by the segmenter.
    Normal = 1,
    /// Stands for what no piece covers.
    Unknown = 2,
    /// Never matches text, invisible when decoded.
    Control = 3,
    /// Always kept whole.
    UserDefined = 4,
    /// In the file, never produced.
    Unused = 5,
    /// One byte of a character that no piece covers.
    Byte = 6,
}

impl Kind {
    /// All kinds, by their numbers.
    const ALL: [Self; 6] = [Self::Normal, Self::Unknown, Self::Control, Self::UserDefined, Self::Unused, Self::Byte];

    /// From the number in a Spec.
    pub fn from_number(number: u8) -> Option<Self> {
        Self::ALL.get(usize::from(number).wrapping_sub(1)).copied()
    }

    /// Whether the segmenter can find such a piece in text.
    pub const fn is_matchable(self) -> bool {
        matches!(self, Self::Normal | Self::UserDefined | Self::Unused)
    }

    /// Whether such a piece is found only by looking up its whole text.
    pub const fn is_reserved(self) -> bool {
        matches!(self, Self::Unknown | Self::Byte)
    }
}

/// The columns. Piece `i` is `blob[offsets[i]..offsets[i + 1]]`.
#[derive(Default)]
pub struct Vocab {
    /// All pieces, one after the other.
    pub blob: Column<u8>,
    /// One more than there are pieces, ascending.
    pub offsets: Column<u32>,
    /// Score of each piece.
    pub scores: Column<f32>,
    /// Scores in double precision, where the source has them; empty otherwise.
    pub doubles: Column<f64>,
    /// Kind of each piece, as its number.
    pub kinds: Column<u8>,
    names: Lazy<StringIndex>,
}

impl Vocab {
    /// Combines columns; `spec::validate` checks that they fit.
    pub fn new(blob: Column<u8>, offsets: Column<u32>, scores: Column<f32>, kinds: Column<u8>) -> Self {
        Self { blob, offsets, scores, doubles: Column::default(), kinds, names: Lazy::new() }
    }

    /// A vocabulary with scores in double precision.
    pub fn with_doubles(blob: Column<u8>, offsets: Column<u32>, doubles: Column<f64>, kinds: Column<u8>) -> Self {
        let scores: Vec<f32> = doubles.iter().map(|&score| f32_of(score)).collect();
        Self { doubles, ..Self::new(blob, offsets, scores.into(), kinds) }
    }

    /// The vocabulary with other kinds.
    pub fn with_kinds(&self, kinds: Column<u8>) -> Self {
        let (blob, offsets, scores) = (self.blob.clone(), self.offsets.clone(), self.scores.clone());
        Self { doubles: self.doubles.clone(), ..Self::new(blob, offsets, scores, kinds) }
    }

    /// The score of a piece in the highest precision available; 0 for an id outside the vocabulary.
    pub fn score(&self, id: u32) -> f64 {
        match self.doubles.get(us(id)) {
            Some(&score) => score,
            None => self.scores.get(us(id)).map_or(0.0, |&score| f64::from(score)),
        }
    }

    /// The column of scores as it was given, as bytes.
    pub fn score_bytes(&self) -> &[u8] {
        if self.doubles.is_empty() {
            self.scores.as_bytes()
        } else {
            self.doubles.as_bytes()
        }
    }

    /// Number of pieces.
    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    /// Whether there is no piece.
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// Bytes of the longest piece.
    pub fn longest(&self) -> usize {
        self.offsets.windows(2).map(|pair| us(pair[1] - pair[0])).max().unwrap_or(0)
    }

    /// By byte the piece of kind [`Kind::Byte`] that stands for it, or `missing`.
    pub fn byte_pieces(&self, missing: u32) -> Vec<u32> {
        let mut pieces = vec![missing; 256];
        for id in self.ids_of(Kind::Byte) {
            if let Some(byte) = byte_of(self.piece(id)) {
                pieces[usize::from(byte)] = id;
            }
        }
        pieces
    }

    /// The bytes of a piece; empty for an id outside the vocabulary.
    pub fn piece(&self, id: u32) -> &[u8] {
        let (Some(&start), Some(&end)) = (self.offsets.get(us(id)), self.offsets.get(us(id) + 1)) else { return &[] };
        self.blob.get(us(start)..us(end)).unwrap_or(&[])
    }

    /// The kind of a piece; UNUSED for a number that is no kind (only a damaged stored file has one).
    pub fn kind(&self, id: u32) -> Kind {
        self.kinds.get(us(id)).and_then(|&number| Kind::from_number(number)).unwrap_or(Kind::Unused)
    }

    /// Each piece that is not ASCII, with its id.
    pub fn wide(&self) -> impl Iterator<Item = (u32, &[u8])> {
        paced((0..u32_of(self.len())).map(|id| (id, self.piece(id)))).filter(|(_, piece)| !piece.is_ascii())
    }

    /// All ids of one kind, ascending.
    pub fn ids_of(&self, kind: Kind) -> impl Iterator<Item = u32> + '_ {
        (0..u32_of(self.len())).filter(move |&id| self.kind(id) == kind)
    }

    /// The id of a piece: control, unknown and byte pieces before the others, as the reference looks them up.
    pub fn find(&self, piece: &[u8]) -> Option<u32> {
        self.names().find(piece, |id| self.piece(id))
    }

    fn names(&self) -> &StringIndex {
        self.names.get(|| {
            let (first, then): (Vec<u32>, Vec<u32>) =
                (0..u32_of(self.len())).partition(|&id| !self.kind(id).is_matchable());
            let order = [first, then].concat();
            StringIndex::build(order.into_iter(), |id| self.piece(id)).0
        })
    }
}

/// The byte that a piece spelled `<0xAB>` stands for.
pub fn byte_of(piece: &[u8]) -> Option<u8> {
    let [b'<', b'0', b'x', high, low, b'>'] = piece else { return None };
    let digit = |character: u8| match character {
        b'0'..=b'9' => Some(character - b'0'),
        b'A'..=b'F' => Some(character - b'A' + 10),
        _ => None,
    };
    Some(digit(*high)? << 4 | digit(*low)?)
}
