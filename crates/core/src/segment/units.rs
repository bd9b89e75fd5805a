//! Units of a window, made ready to be looked up: all of them before the first is, so that the table's memory is asked for in time.

use super::engine::WINDOW;
use crate::cast::{u32_of, us};
use crate::index::lanes::read;
use crate::index::table::{Key, TableView, MAX_KEY};
use crate::scratch::{Learned, Unit};

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
