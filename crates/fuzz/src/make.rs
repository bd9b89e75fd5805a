//! Random Specs and texts, biased towards hard cases: few characters, many overlaps, ties, unusual kinds.

use std::collections::HashSet;

use anypiece_core::spec::added::Matching;
use anypiece_core::spec::stages::Rule;
use anypiece_core::spec::stages::Splitter;
use anypiece_core::spec::stages::Step;
use anypiece_core::spec::template::TrimSpans;
use anypiece_core::spec::vocab::Kind;
use anypiece_core::spec::{
    Arithmetic, Decoding, MatchKinds, Reserved, SegmenterKind, Spaces, Symbols, Unknown, UserDefinedScore,
};
use anypiece_core::util::cast::{f32_count, u32_of};
use anypiece_core::Config;

use crate::case::{Case, Piece};
use crate::charsmap::Map;
use crate::damage;
use crate::rng::Rng;
use crate::texts;

/// Characters of random alphabets: spaces and marks, one to four bytes, neighbours that share lead bytes.
pub const CHARACTERS: &[&str] = &[
    " ",
    "\u{2581}",
    "a",
    "b",
    "c",
    "A",
    "0",
    ".",
    "<",
    "\t",
    "\n",
    "\u{7F}",
    "\u{80}",
    "\u{E9}",
    "\u{301}",
    "\u{7FF}",
    "\u{800}",
    "\u{3042}",
    "\u{3044}",
    "\u{8A9E}",
    "\u{2580}",
    "\u{2582}",
    "\u{3000}",
    "\u{FF21}",
    "\u{FB01}",
    "\u{FFFD}",
    "\u{FFFF}",
    "\u{10000}",
    "\u{1F600}",
    "\u{1F601}",
    "\u{10FFFF}",
    "\u{200B}",
];

const EXTREME_SCORES: &[f32] = &[
    0.0,
    -0.0,
    1e-40,
    -1e-40,
    f32::MIN_POSITIVE,
    1e-6,
    99_999.9,
    -99_999.9,
    100_000.0,
    -100_000.0,
    16_777_216.0,
    -16_777_217.0,
    1e9,
    -1e9,
    1e30,
    -1e30,
    f32::MAX,
    f32::MIN,
];

/// A whole case.
pub fn case(rng: &mut Rng) -> Case {
    let alphabet = alphabet(rng);
    let mut case = spec(rng, &alphabet);
    let soup = texts::Soup::new(&case, &alphabet);
    let count = 1 + rng.size(4);
    case.texts = (0..count).map(|_| texts::text(rng, &soup)).collect();
    if rng.percent(50) {
        let count = 1 + rng.size(20);
        case.damages = (0..count).map(|_| damage::draw(rng, &case.config)).collect();
    }
    case
}

fn alphabet(rng: &mut Rng) -> Vec<&'static str> {
    let mut alphabet: Vec<&str> = (0..1 + rng.size(8)).map(|_| *rng.pick(CHARACTERS)).collect();
    if rng.percent(80) {
        alphabet.extend(["a", "\u{2581}"]);
    }
    alphabet
}

/// A byte vocabulary: all 256 bytes, and strings that merges make, or do not.
fn byte_spec(rng: &mut Rng, alphabet: &[&str]) -> Case {
    let mut config = config(rng);
    config.segmenter =
        *rng.pick(&[SegmenterKind::Greedy, SegmenterKind::Unigram, SegmenterKind::Bpe, SegmenterKind::Bpe]);
    config.symbols = Symbols::Bytes;
    if config.segmenter == SegmenterKind::Unigram {
        (config.arithmetic, config.match_kinds) = (Arithmetic::F64, MatchKinds::Text);
        config.decoding = if rng.percent(50) { Decoding::Unmarked } else { Decoding::Surface };
    }
    let split = if config.segmenter == SegmenterKind::Greedy { 30 } else { 85 };
    config.splitter = rng.percent(split).then(|| *rng.pick(&Splitter::ALL));
    config.whole_chunks = config.segmenter == SegmenterKind::Bpe && rng.percent(50);
    (config.byte_fallback, config.add_dummy_prefix, config.whitespace_as_suffix) = (false, false, false);
    (config.remove_extra_whitespaces, config.escape_whitespaces) = (false, rng.percent(2));
    let mut pieces: Vec<Piece> = (0..=255).map(|byte| Piece { bytes: vec![byte], score: 0.0, kind: 1 }).collect();
    let count = rng.size(300);
    for rank in 0..count {
        let (one, other) = (rng.below(pieces.len()), rng.below(pieces.len()));
        let bytes =
            if rng.percent(50) { name(rng, alphabet) } else { [&pieces[one].bytes[..], &pieces[other].bytes].concat() };
        let kind = if rng.percent(4) { 3 } else { 1 };
        let score = if rng.percent(90) { -f32_count(rank) } else { f32_count(rng.below(9)) };
        if bytes.len() < 40 && pieces.iter().all(|piece| piece.bytes != bytes) {
            pieces.push(Piece { bytes, score, kind });
        }
    }
    if rng.percent(30) {
        pieces.push(Piece { bytes: Vec::new(), score: 0.0, kind: 5 });
    }
    Case {
        bytes_at: 0,
        charsmap: Map::default(),
        denormalizer: Map::default(),
        learned: *rng.pick(&[0, 1, 16, 256, 4096]),
        texts: Vec::new(),
        damages: Vec::new(),
        draws: rng.next(),
        config,
        pieces,
    }
}

fn spec(rng: &mut Rng, alphabet: &[&str]) -> Case {
    if rng.percent(20) {
        return byte_spec(rng, alphabet);
    }
    let config = config(rng);
    let unknown = Piece { bytes: unknown_name(rng, alphabet), score: 0.0, kind: 2 };
    let mut pieces = ordinary(rng, alphabet);
    if config.segmenter == SegmenterKind::Wordpiece {
        add_prefixes(rng, &config, &mut pieces);
    }
    if rng.percent(95) {
        pieces = distinct(&unknown, pieces, config.segmenter);
    }
    pieces.insert(rng.below(pieces.len() + 1), unknown);
    let mut case = Case {
        bytes_at: rng.below(pieces.len() + 1),
        charsmap: if rng.percent(35) { map(rng, alphabet) } else { Map::default() },
        denormalizer: if rng.percent(12) { map(rng, alphabet) } else { Map::default() },
        learned: *rng.pick(&[0, 1, 16, 256, 4096, 131_072]),
        texts: Vec::new(),
        damages: Vec::new(),
        draws: rng.next(),
        config,
        pieces,
    };
    case.config.bos_id = rng.percent(20).then(|| u32_of(rng.below(case.pieces.len())));
    case
}

fn config(rng: &mut Rng) -> Config {
    let mut config = Config {
        segmenter: SegmenterKind::Unigram,
        symbols: Symbols::Characters,
        splitter: None,
        normalizer: Vec::new(),
        split_rules: Vec::new(),
        whole_chunks: false,
        word_prefix: String::new(),
        continuing_prefix: String::new(),
        max_word_chars: None,
        unknown: Unknown::Fuse,
        symbol_prefix: String::new(),
        end_suffix: String::new(),
        matching: Matching::default(),
        arithmetic: Arithmetic::F32Rebased,
        user_defined_score: UserDefinedScore::LengthBonus,
        reserved: if rng.percent(70) { Reserved::Unknown } else { Reserved::Matched },
        byte_fallback: rng.percent(35),
        add_dummy_prefix: rng.percent(60),
        remove_extra_whitespaces: rng.percent(60),
        escape_whitespaces: rng.percent(80),
        whitespace_as_suffix: rng.percent(25),
        unk_surface: (*rng.pick(&[" \u{2047} ", "", "\u{2581}", " ", "?", "a\u{301}"])).to_owned(),
        bos_id: None,
        eos_id: None,
        pad_id: None,
        add_bos: true,
        add_eos: true,
        match_kinds: MatchKinds::Text,
        spaces: Spaces::Edges,
        decoding: Decoding::Surface,
        clean_spaces: false,
        decoder: None,
        single: None,
        pair: None,
        trim_spans: TrimSpans::None,
    };
    if rng.percent(45) {
        config.segmenter =
            *rng.pick(&[SegmenterKind::Bpe, SegmenterKind::Bpe, SegmenterKind::Char, SegmenterKind::Word]);
    }
    if rng.percent(40) {
        config.arithmetic = Arithmetic::F64Compared;
        config.user_defined_score = UserDefinedScore::NearBest;
    } else if config.segmenter == SegmenterKind::Unigram && rng.percent(30) {
        config.arithmetic = Arithmetic::F64;
        config.match_kinds = if rng.percent(50) { MatchKinds::Spelled } else { MatchKinds::Text };
    }
    if rng.percent(20) {
        chunked(rng, &mut config);
    }
    config
}

/// A segmenter of whole chunks, or PLaMo's.
fn chunked(rng: &mut Rng, config: &mut Config) {
    config.segmenter = *rng.pick(&[SegmenterKind::Wordpiece, SegmenterKind::WordLevel, SegmenterKind::Plamo]);
    if config.segmenter == SegmenterKind::Plamo {
        config.byte_fallback = true;
        return;
    }
    config.max_word_chars = rng.percent(50).then(|| *rng.pick(&[0, 1, 3, 20, 100]));
    config.word_prefix = (*rng.pick(&["", "", "\u{2581}", "a"])).to_owned();
    config.continuing_prefix = (*rng.pick(&["##", "##", "", "b"])).to_owned();
    if rng.percent(80) {
        config.escape_whitespaces = false;
        config.splitter = Some(*rng.pick(&Splitter::ALL));
    }
    if rng.percent(30) {
        as_bert(rng, config);
    }
}

/// BERT's normalizer and pre-tokenizer, which exclude other changes of the text.
fn as_bert(rng: &mut Rng, config: &mut Config) {
    let strip_accents = *rng.pick(&[None, Some(true), Some(false)]);
    let (clean_text, handle_chinese_chars, lowercase) = (rng.percent(80), rng.percent(80), rng.percent(50));
    config.normalizer = vec![Step::Bert { clean_text, handle_chinese_chars, strip_accents, lowercase }];
    config.split_rules = vec![Rule::Bert {}];
    (config.splitter, config.add_dummy_prefix, config.remove_extra_whitespaces) = (None, false, false);
    (config.escape_whitespaces, config.whitespace_as_suffix) = (false, false);
}

/// Spells some pieces as those that begin a chunk and some as those within one.
fn add_prefixes(rng: &mut Rng, config: &Config, pieces: &mut [Piece]) {
    for piece in pieces {
        let prefix = rng.pick(&[&config.word_prefix, &config.symbol_prefix]).as_bytes();
        piece.bytes.splice(0..0, prefix.iter().copied());
    }
}

/// Changes some settings.
pub fn change_config(rng: &mut Rng, config: &mut Config) {
    for _ in 0..1 + rng.size(3) {
        match rng.below(9) {
            0 => config.byte_fallback ^= true,
            1 => config.add_dummy_prefix ^= true,
            2 => config.remove_extra_whitespaces ^= true,
            3 => config.escape_whitespaces ^= true,
            4 => config.whitespace_as_suffix ^= true,
            5 => config.arithmetic = *rng.pick(&[Arithmetic::F32Rebased, Arithmetic::F64Compared, Arithmetic::F64]),
            6 => config.eos_id = Some(rng.word() >> rng.below(32)),
            _ => {
                config.segmenter = *rng.pick(&[
                    SegmenterKind::Unigram,
                    SegmenterKind::Bpe,
                    SegmenterKind::Char,
                    SegmenterKind::Word,
                    SegmenterKind::Wordpiece,
                    SegmenterKind::WordLevel,
                    SegmenterKind::Greedy,
                    SegmenterKind::Plamo,
                ]);
            }
        }
    }
}

fn ordinary(rng: &mut Rng, alphabet: &[&str]) -> Vec<Piece> {
    let count = 1 + {
        let most = *rng.pick(&[12, 40, 300]);
        rng.size(most)
    };
    let style = Style::draw(rng);
    let odd = *rng.pick(&[0, 5, 30]);
    (0..count)
        .map(|index| {
            let bytes = name(rng, alphabet);
            let kind = if rng.percent(odd) { *rng.pick(&[3, 4, 4, 5, 5]) } else { 1 };
            let score = style.score(rng, index, &bytes);
            Piece { bytes, score, kind }
        })
        .collect()
}

/// A concatenation of characters; occasionally a long run of one.
fn name(rng: &mut Rng, alphabet: &[&str]) -> Vec<u8> {
    let length = 1 + rng.size(6);
    if rng.percent(2) {
        let length = *rng.pick(&[15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 1023, 1024, 1500, 2500]);
        return rng.pick(alphabet).repeat(length).into_bytes();
    }
    (0..length).map(|_| *rng.pick(alphabet)).collect::<String>().into_bytes()
}

fn unknown_name(rng: &mut Rng, alphabet: &[&str]) -> Vec<u8> {
    if rng.percent(80) {
        b"<unk>".to_vec()
    } else {
        name(rng, alphabet)
    }
}

fn characters(bytes: &[u8]) -> f32 {
    f32_count(bytes.iter().filter(|&&byte| byte & 0xC0 != 0x80).count())
}

/// How the scores of a vocabulary are drawn.
struct Style {
    kind: usize,
    /// The cost of a character where all segmentations of a text are nearly tied.
    cost: f32,
}

const STYLES: usize = 14;

impl Style {
    fn draw(rng: &mut Rng) -> Self {
        // Large costs bring the running score close to its rebase, and its rounding step close to the gaps.
        Self { kind: rng.below(STYLES), cost: *rng.pick(&[1.1, 7.3, 61.7, 117.3, 250.1, 333.3, 380.9, 1021.7]) }
    }

    fn score(&self, rng: &mut Rng, index: usize, bytes: &[u8]) -> f32 {
        let length = characters(bytes);
        let noise = f32_count(rng.below(1001)) / 1000.0;
        match self.kind {
            0 => -length,
            1 => -1.1 * length,
            2 => -f32_count(index),
            3 => -f32_count(rng.below(4)),
            4 => -15.0 * noise,
            5 => 5.0 * noise,
            6 => (noise - 0.7) * 60_000.0,
            7 => *rng.pick(EXTREME_SCORES),
            8 => {
                let kind = rng.below(STYLES);
                Self { kind: if kind == 8 { 0 } else { kind }, cost: self.cost }.score(rng, index, bytes)
            }
            9 => self.cost * length + gap(rng),
            _ => -self.cost * length + gap(rng),
        }
    }
}

/// The tie-breaking gap between equal paths: around the rounding steps of scores up to the limit of rebasing.
fn gap(rng: &mut Rng) -> f32 {
    let steps = [0.0, 0.0, 1.0, -1.0, 2.0, -3.0, 8.0, -16.0];
    let step = rng.pick(&steps) / *rng.pick(&[4096.0, 1024.0, 256.0, 128.0]);
    if rng.percent(20) {
        step - f32_count(rng.below(100)) / 10.0
    } else {
        step
    }
}

/// Drops later pieces whose names conflict with an earlier one, or with the unknown piece.
fn distinct(unknown: &Piece, pieces: Vec<Piece>, segmenter: SegmenterKind) -> Vec<Piece> {
    let key = |piece: &Piece| {
        let matchable = Kind::from_number(piece.kind).is_some_and(Kind::is_matchable);
        (segmenter == SegmenterKind::Bpe || matchable, piece.bytes.clone())
    };
    let mut seen = HashSet::from([key(unknown)]);
    pieces.into_iter().filter(|piece| seen.insert(key(piece))).collect()
}

fn map(rng: &mut Rng, alphabet: &[&str]) -> Map {
    let mut map = Map::default();
    for _ in 0..1 + rng.size(12) {
        map.rules.push((key(rng, alphabet), target(rng, alphabet)));
    }
    if rng.percent(15) {
        map.patches = (0..1 + rng.size(8)).map(|_| patch(rng)).collect();
    }
    map
}

fn key(rng: &mut Rng, alphabet: &[&str]) -> Vec<u8> {
    if rng.percent(8) {
        return (0..1 + rng.size(3)).map(|_| rng.byte().max(1)).collect();
    }
    let one = |rng: &mut Rng| if rng.percent(70) { *rng.pick(alphabet) } else { *rng.pick(CHARACTERS) };
    (0..1 + rng.size(3)).map(|_| one(rng)).collect::<String>().into_bytes()
}

fn target(rng: &mut Rng, alphabet: &[&str]) -> Vec<u8> {
    let fixed = ["", "", " ", "  ", "\u{2581}", "a", " a", "a "];
    if rng.percent(40) {
        return rng.pick(&fixed).as_bytes().to_vec();
    }
    (0..rng.size(5)).map(|_| *rng.pick(alphabet)).collect::<String>().into_bytes()
}

/// A unit with a likely label and an offset within a small trie; or any value.
fn patch(rng: &mut Rng) -> (u32, u32) {
    let place = rng.word() % 512;
    let label = if rng.percent(50) { u32::from(*rng.pick(b"a b\xE2\x96\x81\xE3")) } else { place & 0xFF };
    let likely = (rng.word() % 512) << 10 | (rng.word() & 0x100) | label;
    (place, if rng.percent(80) { likely } else { rng.word() })
}
