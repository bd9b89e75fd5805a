//! Memory that is zero at first: for large pieces whole huge pages, where the system has them.
//!
//! A fresh page costs a fault of a microsecond or two when it is first touched; a table of a few megabytes that is filled at
//! random touches them all. With huge pages that is one fault for two megabytes.

use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

use bytemuck::Pod;
use memmap2::MmapMut;

/// From this size on.
pub const LARGE: usize = 2 << 20;

/// So many values, all zero bits at first.
pub struct Zeroed<T: Pod> {
    memory: Memory<T>,
    len: usize,
    values: PhantomData<T>,
}

enum Memory<T> {
    Small(Vec<T>),
    /// With the place at which the values begin.
    Large(MmapMut, usize),
}

impl<T: Pod> Zeroed<T> {
    /// `len` values.
    #[must_use]
    pub fn new(len: usize) -> Self {
        let bytes = len.saturating_mul(size_of::<T>());
        let large = if bytes >= LARGE && align_of::<T>() <= 4096 { map(bytes) } else { None };
        let memory =
            large.map_or_else(|| Memory::Small(vec![T::zeroed(); len]), |(map, start)| Memory::Large(map, start));
        Self { memory, len, values: PhantomData }
    }
}

/// So many bytes, and where in the map they begin: where a huge page does, since a map that begins elsewhere has small pages up
/// to there, and one of hardly more than a huge page has no other.
fn map(bytes: usize) -> Option<(MmapMut, usize)> {
    let map = MmapMut::map_anon(bytes.checked_add(LARGE)?).ok()?;
    let start = map.as_ptr().align_offset(LARGE);
    let start = if start < LARGE { start } else { 0 };
    // Advice only: without it, or where it is refused, the pages are small ones. What is behind the last whole one stays small.
    #[cfg(target_os = "linux")]
    let _ = map.advise_range(memmap2::Advice::HugePage, start, bytes / LARGE * LARGE);
    Some((map, start))
}

impl<T: Pod> Default for Zeroed<T> {
    fn default() -> Self {
        Self::new(0)
    }
}

impl<T: Pod> Deref for Zeroed<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        match &self.memory {
            Memory::Small(values) => values,
            Memory::Large(map, start) => bytemuck::cast_slice(&map[*start..start + self.len * size_of::<T>()]),
        }
    }
}

impl<T: Pod> DerefMut for Zeroed<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        match &mut self.memory {
            Memory::Small(values) => values,
            Memory::Large(map, start) => bytemuck::cast_slice_mut(&mut map[*start..*start + self.len * size_of::<T>()]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_zero_and_can_be_written() {
        for len in [0, 3, LARGE / 8, LARGE / 8 + 5] {
            let mut values = Zeroed::<u64>::new(len);
            assert!(values.len() == len && values.iter().all(|&value| value == 0));
            if let Some(last) = values.last_mut() {
                *last = 7;
            }
            assert_eq!(values.iter().sum::<u64>(), if len == 0 { 0 } else { 7 });
        }
    }
}
