//! A hint to the processor that a value will be read soon.
//!
//! Unsafe because the intrinsic takes a raw pointer; a prefetch never faults. Without it each probe of a table beyond the
//! second-level cache waits for memory (40 ns per unit in the first experiments, `docs/decisions/unit-table.md`).
#![allow(unsafe_code)]

/// Prefetches the cache line of `values[index]`, or of where it would be; does nothing on targets without the
/// instruction.
#[inline(always)]
pub fn prefetch<T>(values: &[T], index: usize) {
    prefetch_lines::<T, 1>(values, index);
}

/// Prefetches `LINES` cache lines starting at a value; the range may end past the slice.
#[inline(always)]
pub fn prefetch_lines<T, const LINES: usize>(values: &[T], index: usize) {
    #[cfg(target_arch = "x86_64")]
    for line in 0..LINES {
        let place = values.as_ptr().wrapping_add(index).cast::<i8>().wrapping_add(64 * line);
        // SAFETY: prefetching has no architectural effect, whatever the address.
        unsafe { std::arch::x86_64::_mm_prefetch(place, std::arch::x86_64::_MM_HINT_T0) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (values, index);
}
