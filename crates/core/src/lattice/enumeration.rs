//! Enumeration of the paths of a short unit, depth first.

use std::ops::Range;

use crate::lattice::semiring::Semiring;
use crate::units::canonical::MAX_ENUMERATED_BYTES;
use crate::util::us;

/// Positions of a unit: a power of two above the longest.
pub(crate) const PLACES: usize = MAX_ENUMERATED_BYTES + 1;
const _: () = assert!(PLACES.is_power_of_two());

/// The current partial path. The buffers are not cleared in between, which would take as long as a short unit does.
pub(crate) struct PathWalk {
    /// The id and the end of each edge.
    pub(crate) ids: [u32; PLACES],
    pub(crate) ends: [u32; PLACES],
    /// For each edge the remaining edges with the same start, and the weight of the path before it.
    left: [Range<usize>; PLACES],
    weights: [f64; PLACES],
}

impl Default for PathWalk {
    fn default() -> Self {
        let (ids, ends) = ([0; PLACES], [0; PLACES]);
        Self { ids, ends, left: [const { 0..0 }; PLACES], weights: [0.0; PLACES] }
    }
}

impl PathWalk {
    /// Calls `visit` for each path over `length` bytes, in lexicographic order of their edges, with the number of its
    /// edges and its weight, until it returns false. `starting` gives the indices of the edges that begin at a position,
    /// `edge` the id, the end and the weight of one.
    #[inline(always)]
    pub(crate) fn each_path(
        &mut self,
        length: usize,
        semiring: Semiring,
        starting: impl Fn(usize) -> Range<usize>,
        edge: impl Fn(usize) -> (u32, u32, f64),
        mut visit: impl FnMut(&Self, usize, f64) -> bool,
    ) {
        let (mut depth, mut next) = (0, starting(0));
        self.weights[0] = semiring.one();
        loop {
            if let Some(number) = next.next() {
                let (id, end, weight) = edge(number);
                (self.ids[depth % PLACES], self.ends[depth % PLACES]) = (id, end);
                let weight = semiring.mul(self.weights[depth % PLACES], weight);
                depth += 1;
                if us(end) < length {
                    self.weights[depth % PLACES] = weight;
                    self.left[depth % PLACES] = next;
                    next = starting(us(end));
                    continue;
                }
                if !visit(self, depth, weight) {
                    return;
                }
                depth -= 1;
            } else if depth > 0 {
                next = self.left[depth % PLACES].clone();
                depth -= 1;
            } else {
                return;
            }
        }
    }
}
