//! A list that grows, in memory of few pages: what is read from it at random waits less for where a page is.

use std::ops::{Deref, DerefMut};

use super::zeroed::Zeroed;
use bytemuck::Pod;

/// The list.
pub struct Growing<T: Pod> {
    memory: Zeroed<T>,
    len: usize,
}

/// Values that a new list has room for.
const FIRST: usize = 1024;

impl<T: Pod> Default for Growing<T> {
    fn default() -> Self {
        Self { memory: Zeroed::default(), len: 0 }
    }
}

impl<T: Pod> Growing<T> {
    /// Puts values behind the last.
    pub fn extend(&mut self, values: &[T]) {
        let end = self.len + values.len();
        if end > self.memory.len() {
            let mut larger = Zeroed::new((2 * end).max(FIRST));
            larger[..self.len].copy_from_slice(&self.memory[..self.len]);
            self.memory = larger;
        }
        self.memory[self.len..end].copy_from_slice(values);
        self.len = end;
    }

    /// Drops what is behind the first so many.
    pub fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }
}

impl<T: Pod> Deref for Growing<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        &self.memory[..self.len]
    }
}

impl<T: Pod> DerefMut for Growing<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.memory[..self.len]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holds_what_was_put_in() {
        let (mut list, mut plain) = (Growing::default(), Vec::new());
        for number in 0..400_000u64 {
            let values = [number, number * 3];
            list.extend(&values[..1 + usize::from(number % 3 == 0)]);
            plain.extend_from_slice(&values[..1 + usize::from(number % 3 == 0)]);
            if number % 1000 == 7 {
                list.truncate(plain.len() - 5);
                plain.truncate(plain.len() - 5);
            }
        }
        assert!(*list == *plain);
        list.truncate(0);
        assert!(list.is_empty());
    }
}
