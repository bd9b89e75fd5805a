//! A list that is zero at first, backed by transparent huge pages when it is large and the system has them.
//!
//! A fresh page costs a fault of one to two microseconds when it is first touched; a table of a few megabytes that is
//! filled at random touches them all. With huge pages that is one fault per two megabytes, and random reads miss the
//! TLB less often. A huge page begins at a multiple of its size, so the list is aligned to avoid small pages at its
//! ends.

use std::ops::{Deref, DerefMut};

use bytemuck::Pod;
use memmap2::MmapMut;

/// Size in bytes from which huge pages are used: that of one huge page.
pub const LARGE: usize = 2 << 20;

/// A list of values, in room that is zero until it is written.
pub struct HugePageVec<T: Pod> {
    memory: Memory<T>,
    /// The room, in values.
    room: usize,
    len: usize,
}

enum Memory<T> {
    Small(Vec<T>),
    /// A mapping, and the byte where the values begin.
    Large(MmapMut, usize),
}

/// Capacity of a list that grows, in values.
const FIRST: usize = 1024;
/// Initial capacity in bytes of a list that spans several pages. Untouched pages take no memory, while copying to a
/// larger place touches every page again.
const ROOM: usize = 16 * LARGE;

/// The capacity, in values of `size` bytes, for a list that must hold `values`.
const fn room(values: usize, size: usize) -> usize {
    let more = if values < FIRST / 2 { FIRST } else { 2 * values };
    if more * size < LARGE || more * size >= ROOM {
        more
    } else {
        ROOM / size
    }
}

impl<T: Pod> HugePageVec<T> {
    /// `len` values, all zero bits.
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
        Self { memory, room: len, len }
    }

    /// The number of values.
    pub(crate) const fn len(&self) -> usize {
        self.len
    }

    /// The first `end` values of the room.
    #[inline(always)]
    fn first_mut(&mut self, end: usize) -> &mut [T] {
        match &mut self.memory {
            Memory::Small(values) => &mut values[..end],
            Memory::Large(map, first) => bytemuck::cast_slice_mut(&mut map[*first..*first + end * size_of::<T>()]),
        }
    }

    /// Appends values.
    pub fn extend(&mut self, values: &[T]) {
        let end = self.len + values.len();
        self.open(self.len, values.len()).copy_from_slice(values);
        self.len = end;
    }

    /// Room for `count` values from `start` on, which may lie past the end; their contents are unspecified.
    #[inline]
    pub fn open(&mut self, start: usize, count: usize) -> &mut [T] {
        let end = start + count;
        if end > self.room {
            self.grow(end);
        }
        &mut self.first_mut(end)[start..]
    }

    /// Sets the end of the list, within the room that was opened.
    pub fn close(&mut self, end: usize) {
        self.len = end.min(self.room);
    }

    #[cold]
    fn grow(&mut self, end: usize) {
        let mut larger = Self::new(room(end, size_of::<T>()));
        larger[..self.len].copy_from_slice(self);
        *self = Self { len: self.len, ..larger };
    }

    /// Drops all but the first `len` values.
    pub fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }
}

impl<T: Pod> Default for HugePageVec<T> {
    fn default() -> Self {
        Self::new(0)
    }
}

impl<T: Pod> Deref for HugePageVec<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        match &self.memory {
            Memory::Small(values) => &values[..self.len],
            Memory::Large(map, first) => bytemuck::cast_slice(&map[*first..first + self.len * size_of::<T>()]),
        }
    }
}

impl<T: Pod> DerefMut for HugePageVec<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        self.first_mut(self.len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_zero_and_can_be_written() {
        for len in [0, 3, LARGE / 8, LARGE / 8 + 5] {
            let mut values = HugePageVec::<u64>::new(len);
            assert!(values.len() == len && values.iter().all(|&value| value == 0));
            if let Some(last) = values.last_mut() {
                *last = 7;
            }
            assert_eq!(values.iter().sum::<u64>(), if len == 0 { 0 } else { 7 });
            assert!(len < LARGE / 8 || values.as_ptr().addr() % LARGE == 0);
        }
    }

    #[test]
    fn holds_what_was_put_in() {
        let (mut list, mut plain) = (HugePageVec::default(), Vec::new());
        for number in 0..400_000u64 {
            let values = [number, number * 3];
            list.extend(&values[..1 + usize::from(number % 3 == 0)]);
            plain.extend_from_slice(&values[..1 + usize::from(number % 3 == 0)]);
            if number % 1000 == 7 {
                list.truncate(plain.len() - 5);
                plain.truncate(plain.len() - 5);
            }
            if number % 1000 == 8 {
                let place = list.open(plain.len(), 900);
                place[0] = number;
                list.close(plain.len() + 1);
                plain.push(number);
            }
        }
        assert!(*list == *plain);
        list.truncate(0);
        assert!(list.is_empty());
    }

    #[test]
    fn has_room_for_what_is_asked_and_is_seldom_copied() {
        assert_eq!((room(1, 4), room(FIRST, 4), room(0, 0)), (FIRST, 2 * FIRST, FIRST));
        assert_eq!((room(LARGE / 8, 4), room(ROOM / 8 - 1, 4)), (ROOM / 4, ROOM / 4));
        assert_eq!((room(ROOM / 8, 4), room(ROOM / 4, 4)), (ROOM / 4, ROOM / 2));
    }
}
