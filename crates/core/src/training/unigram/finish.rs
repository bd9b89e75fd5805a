//! The final vocabulary: all characters, then the best pieces.

use crate::training::alphabet::Alphabet;
use crate::training::text::Text;
use crate::training::unigram::model::Model;
use crate::util::cast::us;

/// Score difference between successive characters that are no pieces.
const STEP: f64 = 0.0001;

/// All characters and the best `wanted` of the other pieces with their scores, of ties in byte order. Characters that
/// are no pieces get about the lowest score there is.
pub fn finished(model: &Model, text: &Text, alphabet: &Alphabet, wanted: usize) -> (Vec<String>, Vec<f64>) {
    let lowest = model.lowest();
    let mut missing = 0.0;
    let mut rows: Vec<(f64, String)> = Vec::new();
    for (piece, character) in alphabet.chars().iter().enumerate() {
        let score = match model.present[piece] {
            true => model.scores[piece],
            false => {
                missing += 1.0;
                lowest + (missing - 1.0) * STEP
            }
        };
        rows.push((score, character.to_string()));
    }
    let spelled = |piece: usize| -> String {
        let place = us(model.places[piece]);
        let symbols = &text.symbols()[place..place + usize::from(model.nodes[piece].length)];
        symbols.iter().filter_map(|&symbol| alphabet.chars().get(us(symbol).wrapping_sub(1))).collect()
    };
    let others = (model.characters..model.len()).filter(|&piece| model.present[piece]);
    let mut others: Vec<(f64, String)> = others.map(|piece| (model.scores[piece], spelled(piece))).collect();
    let best_first = |one: &(f64, String), other: &(f64, String)| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1));
    others.sort_unstable_by(best_first);
    others.truncate(wanted);
    rows.append(&mut others);
    rows.sort_unstable_by(best_first);
    rows.into_iter().map(|(score, piece)| (piece, score)).unzip()
}
