//! Open addressing with linear probing.

use crate::util::{low64, u64_of, us64};

/// The first slot of a hash among any number of slots.
pub fn first_slot(hash: u64, slots: usize) -> usize {
    us64(low64((u128::from(hash) * u128::from(u64_of(slots))) >> 64))
}

/// The first slot, from `first` on and around the end, whose content is `wanted`; there must be one.
#[inline(always)]
pub fn find_slot<S>(slots: &[S], first: usize, wanted: impl Fn(&S) -> bool) -> usize {
    let mut slot = first;
    while !wanted(&slots[slot]) {
        slot = if slot + 1 == slots.len() { 0 } else { slot + 1 };
    }
    slot
}
