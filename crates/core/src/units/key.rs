//! Units of a window, made ready to be looked up: all of them before the first is, so that the table's memory is asked for in time.

use crate::index::long_table;
use crate::index::table::{Key, TableView, MAX_KEY};
use crate::segment::bpe::batch::Span;
use crate::units::cache::Learned;
use crate::units::engine::WINDOW;
use crate::util::cast::{u32_of, us};
use crate::util::simd::read;

/// A unit of the window, ready to be looked up.
#[derive(Clone, Copy, Default)]
pub struct Unit {
    /// Its bytes, if they are few enough.
    pub key: Key,
    /// Its hash.
    pub hash: u64,
    /// Where it begins.
    pub start: u32,
    /// Its length.
    pub len: u32,
    /// Its first character's number in the window, where characters are told apart.
    pub first: u16,
    /// The number of the first character behind it.
    pub behind: u16,
    /// Whether it is only a part of its chunk.
    pub part: bool,
}

impl Span for Unit {
    #[inline(always)]
    fn start(&self) -> u32 {
        self.start
    }

    #[inline(always)]
    fn len(&self) -> u32 {
        self.len
    }

    #[inline(always)]
    fn is_part(&self) -> bool {
        self.part
    }
}

impl Unit {
    /// The same string as a part of a chunk, which may come out otherwise than as a whole one.
    #[inline(always)]
    #[must_use]
    pub fn as_part(self) -> Self {
        let key = self.key.other();
        let hash = if us(self.len) <= MAX_KEY { key.hash() } else { self.hash };
        Self { key, hash, part: true, ..self }
    }

    /// The unit at `start`; it must be followed by readable bytes as a key must.
    #[inline(always)]
    #[must_use]
    pub fn load(text: &[u8], start: u32, len: u32) -> Self {
        let (first, size) = (us(start), us(len));
        let key = Key::load(text, first, size);
        let hash = if size <= MAX_KEY { key.hash() } else { long_hash(text, first, size) };
        Self { key, hash, start, len, first: 0, behind: 0, part: false }
    }
}

/// The hash of a long unit. Not inlined: the loops that load units need their registers for the short ones.
#[inline(never)]
fn long_hash(text: &[u8], first: usize, size: usize) -> u64 {
    long_table::hash(&text[first..first + size])
}

/// Makes units ready to be looked up, by where they end: they begin at `at`, and all of them within a window from there. Asks for
/// what is known of them. Only their bytes, places and lengths are written.
#[inline(always)]
pub fn load_units(text: &[u8], at: usize, ends: impl Iterator<Item = u32>, learned: &Learned, units: &mut [Unit]) {
    let mut padded;
    let bytes = match text[at..].first_chunk() {
        Some(bytes) => bytes,
        None => {
            padded = [0; WINDOW + 16];
            read(text, at, &mut padded)
        }
    };
    if load_short(bytes, u32_of(at), ends, learned.table.view(), units) {
        for unit in units.iter_mut().filter(|unit| us(unit.len) > MAX_KEY) {
            let long = Unit::load(text, unit.start, unit.len);
            (unit.key, unit.hash) = (long.key, long.hash);
            learned.long.prefetch(unit.hash);
        }
    }
}

/// The same as if all were short; `bytes` are those of the window. Whether some are long. Not inlined: this loop needs all registers.
#[inline(never)]
fn load_short(
    bytes: &[u8; WINDOW + 16],
    at: u32,
    ends: impl Iterator<Item = u32>,
    table: TableView<'_>,
    units: &mut [Unit],
) -> bool {
    let (mut start, mut lengths) = (at, 0);
    for (place, end) in units.iter_mut().zip(ends) {
        let (first, len) = (us(start - at) % WINDOW, end - start);
        let Some(raw) = bytes[first..first + 16].first_chunk() else { break };
        let key = Key::short(raw, us(len));
        let hash = key.hash();
        table.prefetch(hash);
        // The rest of it is as it always is.
        (place.key, place.hash, place.start, place.len) = (key, hash, start, len);
        lengths |= len;
        start = end;
    }
    us(lengths) > MAX_KEY
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::table::Table;

    #[test]
    fn short_units_are_as_each_by_itself() {
        let mut state = 7u32;
        let mut text = vec![0; WINDOW + 400];
        for byte in &mut text {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            *byte = state.to_le_bytes()[3];
        }
        let table = Table::new(64);
        for at in [0, 3, 300] {
            let (mut ends, mut end) = (Vec::new(), at);
            while end < at + u32_of(WINDOW) {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                end += 1 + (state >> 24) % if ends.len() % 50 == 49 { 40 } else { 15 };
                ends.push(end);
            }
            let Some(bytes) = text[us(at)..].first_chunk() else { continue };
            let mut units = vec![Unit::default(); ends.len()];
            let has_long = load_short(bytes, at, ends.iter().copied(), table.view(), &mut units);
            let mut start = at;
            for (unit, &end) in units.iter().zip(&ends) {
                let wanted = Unit::load(&text, start, end - start);
                assert!((unit.start, unit.len, unit.part) == (start, end - start, false));
                assert!(us(unit.len) > MAX_KEY || unit.key == wanted.key && unit.hash == wanted.hash);
                start = end;
            }
            assert_eq!(has_long, units.iter().any(|unit| us(unit.len) > MAX_KEY));
        }
    }
}
