//! What a match becomes: removed, isolated, or merged with a neighbour.

use crate::pattern::Stretch;
use crate::spec::stages::Behavior;

impl Behavior {
    /// Turns matches and the ranges between them into chunks; afterwards only removed ranges are marked as matched.
    pub fn apply(self, invert: bool, stretches: &mut Vec<Stretch>) {
        stretches.iter_mut().for_each(|stretch| stretch.matched ^= invert);
        match self {
            Self::Removed => return,
            Self::Isolated => {}
            Self::Contiguous => merge(stretches, |matched, before| matched == before),
            Self::MergedWithPrevious => merge(stretches, |matched, before| matched && !before),
            Self::MergedWithNext => {
                stretches.reverse();
                merge(stretches, |matched, before| matched && !before);
                stretches.reverse();
            }
        }
        stretches.iter_mut().for_each(|stretch| stretch.matched = false);
    }
}

/// Merges a range with the previous one where `joins` says so of the two.
fn merge(stretches: &mut Vec<Stretch>, joins: impl Fn(bool, bool) -> bool) {
    let (mut kept, mut before) = (0, false);
    for index in 0..stretches.len() {
        let stretch = stretches[index];
        if joins(stretch.matched, before) && kept > 0 {
            let last = &mut stretches[kept - 1];
            (last.start, last.end) = (last.start.min(stretch.start), last.end.max(stretch.end));
        } else {
            stretches[kept] = stretch;
            kept += 1;
        }
        before = stretch.matched;
    }
    stretches.truncate(kept);
}
