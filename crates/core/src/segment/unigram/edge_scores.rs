//! Edge scores of a unigram vocabulary.

use crate::index::double_array::TrieView;
use crate::normalize::push_inner_form;
use crate::segment::fallback::Fallback;
use crate::segment::unigram::bounded::MAX_SETTLED;
use crate::segment::unigram::score_of;
use crate::spec::vocab::Kind;
use crate::spec::{Arithmetic, Spec, UserDefinedScore};
use crate::util::{f32_count, f32_of, paced, u32_of, us};

/// Penalty of an unknown character below the worst piece, in score units.
const UNKNOWN_PENALTY: f32 = 10.0;
/// By how much a piece must score less than its characters to lose whatever rounding does, in score units.
const DOMINATED: f64 = 1000.0;

/// The score of each piece's edge, as in the reference, and of the ids emitted for unknown characters; the score of an
/// unknown character and the largest absolute score.
pub(crate) fn edge_scores(spec: &Spec, fallback: &Fallback) -> (Vec<f64>, f64, f32) {
    let vocab = &spec.vocab;
    let (mut worst, mut best) = (f64::from(f32::MAX), f32::MIN_POSITIVE);
    for id in vocab.ids_of(Kind::Normal) {
        worst = worst.min(vocab.score(id));
        best = best.max(vocab.scores[us(id)]);
    }
    let unknown = match spec.config.arithmetic {
        Arithmetic::F64 if !spec.matches_unused() => worst - f64::from(UNKNOWN_PENALTY),
        _ => f64::from(f32_of(worst) - UNKNOWN_PENALTY),
    };
    let mut largest = f32_of(unknown.abs());
    let mut scores = vec![0.0; vocab.len()];
    for id in paced(0..u32_of(vocab.len())) {
        scores[us(id)] = match (vocab.kind(id), spec.config.user_defined_score) {
            (Kind::Normal, _) => vocab.score(id),
            (Kind::Unused, _) if spec.matches_unused() => vocab.score(id),
            (Kind::UserDefined, UserDefinedScore::Zero) => 0.0,
            (Kind::UserDefined, UserDefinedScore::LengthBonus) => {
                f64::from(f32_of(0.1 * f64::from(u32_of(vocab.piece(id).len()) - 1)))
            }
            (Kind::UserDefined, UserDefinedScore::NearBest) => f64::from(f32_count(vocab.piece(id).len()) * best) - 0.1,
            _ => continue,
        };
        largest = largest.max(f32_of(scores[us(id)].abs()));
    }
    if let Some(score) = spec.unk_id().and_then(|id| scores.get_mut(us(id))) {
        *score = unknown;
    }
    for (byte, &id) in (0u8..=255).zip(&fallback.bytes) {
        let opens_character = byte & 0xC0 != 0x80;
        // In a damaged file some bytes may have no piece.
        if let Some(score) = scores.get_mut(us(id)) {
            *score = if opens_character { unknown } else { 0.0 };
        }
    }
    (scores, unknown, largest)
}

/// The largest absolute score of an edge that can be on a best path. A piece far below the sum of its characters, each by
/// its own piece or unknown, loses to them wherever it matches: llama.cpp's unused pieces have -10000.
pub(crate) fn largest_competitive(spec: &Spec, trie: &TrieView<'_>, scores: &[f32], unknown: f32) -> f32 {
    let (mut largest, mut form) = (unknown.abs(), Vec::new());
    for (id, &score) in paced((0..).zip(scores)) {
        form.clear();
        if score.abs() > MAX_SETTLED && push_inner_form(spec.vocab.piece(id), spec.config.escape_whitespaces, &mut form)
        {
            let one = |character: char| {
                let id = trie.find(character.encode_utf8(&mut [0; 4]).as_bytes());
                f64::from(id.map_or(unknown, |id| score_of(scores, id)))
            };
            let characters = std::str::from_utf8(&form).map(|text| text.chars().map(one).sum::<f64>());
            if characters.is_ok_and(|sum| f64::from(score) + DOMINATED < sum) {
                continue;
            }
        }
        largest = largest.max(score.abs());
    }
    largest
}

/// The pieces that represent uncovered text.
pub(crate) fn reserved(spec: &Spec) -> impl Iterator<Item = u32> + '_ {
    (0..u32_of(spec.vocab.len())).filter(|&id| matches!(spec.vocab.kind(id), Kind::Unknown | Kind::Byte))
}
