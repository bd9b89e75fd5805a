//! Edge scores of a unigram vocabulary.

use crate::segment::fallback::Fallback;
use crate::spec::vocab::Kind;
use crate::spec::{Arithmetic, Spec, UserDefinedScore};
use crate::util::cast::{f32_count, f32_of, u32_of, us};
use crate::util::interrupt::paced;

/// Penalty of an unknown character below the worst piece, in score units.
const UNKNOWN_PENALTY: f32 = 10.0;

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
    for (byte, &id) in (0u8..=255).zip(fallback.bytes()) {
        let opens_character = byte & 0xC0 != 0x80;
        // In a damaged file some bytes may have no piece.
        if let Some(score) = scores.get_mut(us(id)) {
            *score = if opens_character { unknown } else { 0.0 };
        }
    }
    (scores, unknown, largest)
}

/// The pieces that represent uncovered text.
pub(crate) fn reserved(spec: &Spec) -> impl Iterator<Item = u32> + '_ {
    (0..u32_of(spec.vocab.len())).filter(|&id| matches!(spec.vocab.kind(id), Kind::Unknown | Kind::Byte))
}
