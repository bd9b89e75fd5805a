//! A growable list backed by huge pages, so that random reads miss the TLB less often.

use std::ops::{Deref, DerefMut};

use crate::util::huge_page_buf::{HugePageBuf, LARGE};
use bytemuck::Pod;

/// The list.
pub struct HugePageVec<T: Pod> {
    memory: HugePageBuf<T>,
    len: usize,
}

/// Capacity of a new list, in values.
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

impl<T: Pod> Default for HugePageVec<T> {
    fn default() -> Self {
        Self { memory: HugePageBuf::default(), len: 0 }
    }
}

impl<T: Pod> HugePageVec<T> {
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
        if end > self.memory.len() {
            self.grow(end);
        }
        &mut self.memory[start..end]
    }

    /// Sets the end of the list, within the room that was opened.
    pub fn close(&mut self, end: usize) {
        self.len = end.min(self.memory.len());
    }

    #[cold]
    fn grow(&mut self, end: usize) {
        let mut larger = HugePageBuf::new(room(end, size_of::<T>()));
        larger[..self.len].copy_from_slice(&self.memory[..self.len]);
        self.memory = larger;
    }

    /// Drops all but the first `len` values.
    pub fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }
}

impl<T: Pod> Deref for HugePageVec<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        &self.memory[..self.len]
    }
}

impl<T: Pod> DerefMut for HugePageVec<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.memory[..self.len]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
