//! A zero-initialized buffer, backed by transparent huge pages when it is large and the system has them.
//!
//! A fresh page costs a fault of one to two microseconds when it is first touched; a table of a few megabytes that is
//! filled at random touches them all. With huge pages that is one fault per two megabytes. A huge page begins at a
//! multiple of its size, so the buffer is aligned to avoid small pages at its ends.

use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

use bytemuck::Pod;
use memmap2::MmapMut;

/// Size in bytes from which huge pages are used: that of one huge page.
pub const LARGE: usize = 2 << 20;

/// A fixed number of values, all zero bits at first.
pub struct HugePageBuf<T: Pod> {
    memory: Memory<T>,
    len: usize,
    values: PhantomData<T>,
}

enum Memory<T> {
    Small(Vec<T>),
    /// A mapping, and the byte where the values begin.
    Large(MmapMut, usize),
}

impl<T: Pod> HugePageBuf<T> {
    /// `len` values.
    pub fn new(len: usize) -> Self {
        let bytes = len.saturating_mul(size_of::<T>());
        let is_large = bytes >= LARGE && align_of::<T>() <= 4096;
        let large = if is_large { MmapMut::map_anon(bytes.saturating_add(LARGE)).ok() } else { None };
        let memory = match large {
            Some(map) => {
                // Advice only: without it, or where it is refused, the pages are small ones.
                #[cfg(target_os = "linux")]
                let _ = map.advise(memmap2::Advice::HugePage);
                let address = map.as_ptr().addr();
                Memory::Large(map, address.next_multiple_of(LARGE) - address)
            }
            None => Memory::Small(vec![T::zeroed(); len]),
        };
        Self { memory, len, values: PhantomData }
    }
}

impl<T: Pod> Default for HugePageBuf<T> {
    fn default() -> Self {
        Self::new(0)
    }
}

impl<T: Pod> Deref for HugePageBuf<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        match &self.memory {
            Memory::Small(values) => values,
            Memory::Large(map, first) => bytemuck::cast_slice(&map[*first..first + self.len * size_of::<T>()]),
        }
    }
}

impl<T: Pod> DerefMut for HugePageBuf<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        match &mut self.memory {
            Memory::Small(values) => values,
            Memory::Large(map, first) => bytemuck::cast_slice_mut(&mut map[*first..*first + self.len * size_of::<T>()]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_zero_and_can_be_written() {
        for len in [0, 3, LARGE / 8, LARGE / 8 + 5] {
            let mut values = HugePageBuf::<u64>::new(len);
            assert!(values.len() == len && values.iter().all(|&value| value == 0));
            if let Some(last) = values.last_mut() {
                *last = 7;
            }
            assert_eq!(values.iter().sum::<u64>(), if len == 0 { 0 } else { 7 });
            assert!(len < LARGE / 8 || values.as_ptr().addr() % LARGE == 0);
        }
    }
}
