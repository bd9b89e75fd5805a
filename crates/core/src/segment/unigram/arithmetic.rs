//! The references' floating-point arithmetic: single precision with rebasing, double with single cells, double
//! throughout.

use crate::segment::unigram::{Cell, Unigram, UNSET};
use crate::util::{f32_of, u32_of};

/// How candidates are computed, compared and stored.
pub(crate) trait Adding {
    const REBASES: bool;
    type Score: Copy + Default;
    fn scores(stage: &Unigram) -> &[Self::Score];
    fn relax(cell: &mut Cell, here: f64, score: Self::Score, start: usize, id: u32);
    fn relax_unknown(cell: &mut Cell, here: f64, stage: &Unigram, start: usize);
}

/// Float throughout; the running score is subtracted when its magnitude grows large.
pub(crate) struct F32Rebased;
/// Added in double: throughout if `EXACT`, else compared with and stored as a float.
pub(crate) struct F64<const EXACT: bool>;

#[inline(always)]
fn keep(cell: &mut Cell, candidate: f64, stored: f64, start: usize, id: u32) {
    if cell.start == UNSET || candidate > cell.score {
        *cell = Cell { score: stored, start: u32_of(start), id };
    }
}

impl Adding for F32Rebased {
    const REBASES: bool = true;
    type Score = f32;

    fn scores(stage: &Unigram) -> &[f32] {
        &stage.scores
    }

    fn relax(cell: &mut Cell, here: f64, score: f32, start: usize, id: u32) {
        let candidate = f64::from(score + f32_of(here));
        keep(cell, candidate, candidate, start, id);
    }

    fn relax_unknown(cell: &mut Cell, here: f64, stage: &Unigram, start: usize) {
        Self::relax(cell, here, stage.unknown, start, stage.unk_id);
    }
}

impl<const EXACT: bool> Adding for F64<EXACT> {
    const REBASES: bool = false;
    type Score = f64;

    fn scores(stage: &Unigram) -> &[f64] {
        &stage.doubles
    }

    fn relax(cell: &mut Cell, here: f64, score: f64, start: usize, id: u32) {
        let candidate = score + here;
        keep(cell, candidate, if EXACT { candidate } else { f64::from(f32_of(candidate)) }, start, id);
    }

    fn relax_unknown(cell: &mut Cell, here: f64, stage: &Unigram, start: usize) {
        if EXACT {
            Self::relax(cell, here, stage.unknown_double, start, stage.unk_id);
        } else {
            F32Rebased::relax_unknown(cell, here, stage, start);
        }
    }
}
