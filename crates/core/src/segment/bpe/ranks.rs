//! Merge ranks: the order in which symbols are merged.

use crate::util::{low32, paced, prefetch, sort_paced, u64_of, us};

/// Longest unit in bytes: one bit of a word is reserved for its end.
pub const MAX_SHORT: usize = 63;

/// Merge order of a vocabulary.
pub trait Ranks {
    /// The rank of the merge into `joined` whose left part has `left` bytes, if there is such a merge; lower ones go
    /// first.
    fn rank(&self, joined: u32, left: usize) -> Option<u32>;
    /// Prefetches what [`Ranks::rank`] will read.
    fn prefetch(&self, _joined: u32) {}
}

/// The ranks of a merge list, by result: pieces are identified by their texts, so the length of the left part
/// identifies the merge.
pub struct RankByResult {
    /// By result id: the rank of the first merge in the upper half, then the lengths of the left parts of it and of the
    /// merges that follow it in the list, the first one lowest. 0 if there is none.
    firsts: Vec<u64>,
    /// Overflow merges: result and length of the left part, then the rank; ascending.
    others: Vec<(u64, u32)>,
}

/// Maximum consecutive merges of one result that are stored inline.
const INLINE: u32 = 4;
/// Set in a first length, if there are overflow merges.
const HAS_OTHERS: u64 = 0x80;

impl RankByResult {
    /// Indexes rows of left, right and result, given the offsets of the pieces' texts; merges that are too long for a
    /// short unit are left out.
    pub fn build(rows: &[[u32; 3]], offsets: &[u32]) -> Self {
        let length = |id: u32| offsets.get(us(id)..us(id) + 2).map_or(0, |place| place[1].wrapping_sub(place[0]));
        let (mut firsts, mut others) = (vec![0u64; offsets.len()], Vec::new());
        for (rank, &[left, _, result]) in (0u32..).zip(paced(rows.iter())) {
            let Some(first) = firsts.get_mut(us(result)) else { continue };
            let part = length(left);
            if us(length(result)) > MAX_SHORT || us(part) > MAX_SHORT || part == 0 {
                continue;
            }
            if *first == 0 {
                *first = u64::from(rank) << 32 | u64::from(part);
                continue;
            }
            let behind = rank - low32(*first >> 32);
            if behind < INLINE && *first & HAS_OTHERS == 0 && *first >> (8 * (behind - 1)) & 0xFF != 0 {
                *first |= u64::from(part) << (8 * behind);
            } else {
                *first |= HAS_OTHERS;
                others.push((u64::from(result) << 8 | u64::from(part), rank));
            }
        }
        sort_paced(&mut others, Ord::cmp);
        Self { firsts, others }
    }
}

impl Ranks for RankByResult {
    #[inline(always)]
    fn rank(&self, joined: u32, left: usize) -> Option<u32> {
        let first = self.firsts.get(us(joined)).copied().unwrap_or(0);
        let (rank, left) = (low32(first >> 32), u64_of(left));
        for behind in 0..INLINE {
            let part = first >> (8 * behind) & 0xFF;
            if part & !HAS_OTHERS == left {
                return Some(rank + behind);
            }
        }
        if first & HAS_OTHERS == 0 {
            return None;
        }
        let key = u64::from(joined) << 8 | left;
        let place = self.others.binary_search_by_key(&key, |&(key, _)| key).ok()?;
        Some(self.others[place].1)
    }

    #[inline(always)]
    fn prefetch(&self, joined: u32) {
        prefetch(&self.firsts, us(joined));
    }
}
