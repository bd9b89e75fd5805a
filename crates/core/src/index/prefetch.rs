//! A hint to the processor that a value will be read soon.
//!
//! Unsafe because the intrinsic takes a raw pointer; a prefetch never faults. Without it each probe of a table beyond the
//! second-level cache waits for memory (40 ns per unit in the first experiments, `docs/decisions/unit-table.md`).
#![allow(unsafe_code)]

/// Asks for the cache line of `values[index]`; does nothing where there is no such value or no such instruction.
#[inline(always)]
pub fn prefetch<T>(values: &[T], index: usize) {
    #[cfg(target_arch = "x86_64")]
    if let Some(value) = values.get(index) {
        // SAFETY: the pointer comes from a live reference, and prefetching has no architectural effect.
        unsafe {
            std::arch::x86_64::_mm_prefetch(std::ptr::from_ref(value).cast::<i8>(), std::arch::x86_64::_MM_HINT_T0);
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (values, index);
}
