//! A column of plain values: owned, or a view into a file that was read or mapped.

use std::fs::File;
use std::io::Read;
use std::ops::Deref;
use std::path::Path;
use std::sync::Arc;

pub use bytemuck::Pod;
use bytemuck::Zeroable;

use crate::util::huge_page_vec::{HugePageVec, LARGE};

/// 64 bytes at a 64-byte boundary: what a file is read into, so that any section can be viewed in place.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C, align(64))]
pub struct Line(pub [u8; 64]);

/// The bytes of a whole file.
pub enum Buffer {
    /// Read into memory; the length in bytes may be less than that of the lines.
    Lines(HugePageVec<Line>, usize),
    /// Mapped from the file.
    Mapped(memmap2::Mmap),
}

impl Buffer {
    /// Reads a file to a 64-byte boundary.
    pub fn read(path: &Path) -> std::io::Result<Self> {
        let mut file = File::open(path)?;
        let length = usize::try_from(file.metadata()?.len()).unwrap_or(usize::MAX);
        let mut lines = HugePageVec::<Line>::new(length.div_ceil(64));
        let bytes = bytemuck::cast_slice_mut::<Line, u8>(&mut lines);
        let mut filled = 0;
        while filled < length {
            match file.read(&mut bytes[filled..length])? {
                0 => break,
                read => filled += read,
            }
        }
        Ok(Self::Lines(lines, filled))
    }

    /// Maps a file. Changes made to the file while it is mapped are visible here.
    #[allow(unsafe_code)]
    pub fn map(path: &Path) -> std::io::Result<Self> {
        let file = File::open(path)?;
        // SAFETY: the map is only ever read as plain bytes and numbers, for which every bit pattern is valid, and every
        // index taken from it is checked when it is used. A file truncated by another process ends the process with SIGBUS,
        // which is why mapping is opt-in and documented so.
        Ok(Self::Mapped(unsafe { memmap2::Mmap::map(&file)? }))
    }

    /// Copies bytes to a 64-byte boundary.
    pub fn copy_of(bytes: &[u8]) -> Self {
        let mut lines = HugePageVec::<Line>::new(bytes.len().div_ceil(64));
        bytemuck::cast_slice_mut::<Line, u8>(&mut lines)[..bytes.len()].copy_from_slice(bytes);
        Self::Lines(lines, bytes.len())
    }

    /// All bytes.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Lines(lines, len) => &bytemuck::cast_slice::<Line, u8>(lines)[..*len],
            Self::Mapped(map) => map,
        }
    }
}

/// Values of one type, read-only.
#[derive(Clone)]
pub enum Column<T: Pod> {
    /// Built here.
    Owned(Vec<T>),
    /// A section of a file: owner, first byte, number of values.
    Shared(Arc<Buffer>, usize, usize),
}

impl<T: Pod> Column<T> {
    /// A view of `len` values at byte `start`, or `None` if it does not fit or is not aligned.
    pub fn view(owner: &Arc<Buffer>, start: usize, len: usize) -> Option<Self> {
        let end = start.checked_add(len.checked_mul(size_of::<T>())?)?;
        let bytes = owner.bytes().get(start..end)?;
        bytemuck::try_cast_slice::<u8, T>(bytes).ok()?;
        Some(Self::Shared(Arc::clone(owner), start, len))
    }

    /// A copy of the values in `bytes`, whatever their alignment; `None` if there is a remainder.
    pub fn copy_of(bytes: &[u8]) -> Option<Self> {
        (bytes.len() % size_of::<T>() == 0).then(|| Self::Owned(bytemuck::pod_collect_to_vec(bytes)))
    }

    /// Built here, and moved to huge pages if it is large, since it will be read at random.
    pub fn in_few_pages(values: Vec<T>) -> Self {
        if size_of_val(values.as_slice()) < LARGE {
            return Self::Owned(values);
        }
        let owner = Arc::new(Buffer::copy_of(bytemuck::cast_slice(&values)));
        Self::view(&owner, 0, values.len()).unwrap_or(Self::Owned(values))
    }

    /// The values as bytes.
    pub fn as_bytes(&self) -> &[u8] {
        bytemuck::cast_slice(self)
    }
}

impl<T: Pod> Deref for Column<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        match self {
            Self::Owned(values) => values,
            Self::Shared(owner, start, len) => {
                bytemuck::cast_slice(&owner.bytes()[*start..*start + *len * size_of::<T>()])
            }
        }
    }
}

impl<T: Pod> From<Vec<T>> for Column<T> {
    fn from(values: Vec<T>) -> Self {
        Self::Owned(values)
    }
}

impl<T: Pod> Default for Column<T> {
    fn default() -> Self {
        Self::Owned(Vec::new())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_are_bounded_and_aligned() {
        let owner = Arc::new(Buffer::copy_of(&[1, 0, 0, 0, 2, 0, 0, 0, 9]));
        let column = Column::<u32>::view(&owner, 0, 2);
        assert_eq!(column.as_deref(), Some(&[1u32, 2][..]));
        assert!(Column::<u32>::view(&owner, 0, 3).is_none());
        assert!(Column::<u32>::view(&owner, 1, 1).is_none());
        assert!(Column::<u32>::view(&owner, usize::MAX - 3, 1).is_none());
    }

    #[test]
    fn few_pages_hold_the_same() {
        for len in [0, 5, LARGE / 8 - 1, LARGE / 8, LARGE / 8 + 5] {
            let values: Vec<u64> = (0..).take(len).collect();
            let column = Column::in_few_pages(values.clone());
            assert!(*column == *values && matches!(column, Column::Owned(_)) == (len < LARGE / 8));
        }
    }
}
