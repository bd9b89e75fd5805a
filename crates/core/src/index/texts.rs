//! From a short string to its number: four bytes a slot, some bits of the hash beside the number.
//!
//! A string that is not there costs one look at four bytes, as a rule, and one that is there no more than a comparison with
//! the string of its number: two or three places in memory, where a trie has one for each byte.

use crate::cast::{low32, low64, u32_of, u64_of, us64};

/// Longest string that is indexed.
pub const MAX_TEXT: usize = 16;

/// The index. It stores numbers only; the caller supplies the string of a number.
#[derive(Default)]
pub struct Texts {
    /// 0, or one more than a number with bits of the hash above it.
    slots: Vec<u32>,
    /// Which bits are the number.
    mask: u32,
    /// Shift that takes a hash to its first slot.
    shift: u32,
}

#[inline(always)]
fn hash(text: &[u8]) -> u64 {
    let (one, other) = match (text.first_chunk(), text.last_chunk(), text.first_chunk(), text.last_chunk()) {
        (Some(first), Some(last), _, _) => (u64::from_le_bytes(*first), u64::from_le_bytes(*last)),
        (_, _, Some(first), Some(last)) => {
            (u64::from(u32::from_le_bytes(*first)), u64::from(u32::from_le_bytes(*last)))
        }
        _ => (text.iter().fold(0, |value, &byte| value << 8 | u64::from(byte)), 0),
    };
    let length = u64_of(text.len()) << 56;
    let product = u128::from(one ^ 0x9E37_79B9_7F4A_7C15) * u128::from(other ^ length ^ 0xD6E8_FEB8_6659_FD93);
    (low64(product) ^ low64(product >> 64)).wrapping_mul(0xBF58_476D_1CE4_E5B9)
}

impl Texts {
    /// Indexes all of `numbers` whose strings have 1 to [`MAX_TEXT`] bytes. Strings must differ, and numbers be below `count`.
    pub fn build<'a>(count: usize, numbers: impl Iterator<Item = u32>, text: impl Fn(u32) -> &'a [u8]) -> Self {
        let size = (2 * count).next_power_of_two().max(64);
        let mut texts = Self {
            slots: vec![0; size],
            mask: u32_of((count + 1).next_power_of_two()) - 1,
            shift: 64 - size.trailing_zeros(),
        };
        for number in numbers {
            let key = text(number);
            if key.is_empty() || key.len() > MAX_TEXT {
                continue;
            }
            let hash = hash(key);
            let mut slot = us64(hash >> texts.shift);
            while texts.slots[slot] != 0 {
                slot = (slot + 1) & (size - 1);
            }
            texts.slots[slot] = low32(hash) & !texts.mask | (number + 1);
        }
        texts
    }

    /// The number of a string of at most [`MAX_TEXT`] bytes.
    #[inline]
    pub fn find<'a>(&self, key: &[u8], text: impl Fn(u32) -> &'a [u8]) -> Option<u32> {
        let hash = hash(key);
        let mut slot = us64(hash >> self.shift);
        loop {
            let held = *self.slots.get(slot)?;
            if held == 0 {
                return None;
            }
            if (held ^ low32(hash)) & !self.mask == 0 {
                let number = (held & self.mask) - 1;
                if text(number) == key {
                    return Some(number);
                }
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cast::us;

    #[test]
    fn every_short_string_is_found_and_no_other() {
        let strings: Vec<Vec<u8>> =
            (0..3000u32).map(|number| format!("{:x}", number * 7919).repeat(1 + us(number) % 3).into_bytes()).collect();
        let text = |number: u32| &strings[us(number)][..];
        let texts = Texts::build(strings.len(), (0..3000).filter(|number| number % 5 > 0), text);
        for (number, string) in (0u32..).zip(&strings) {
            let expected = (number % 5 > 0 && string.len() <= MAX_TEXT).then_some(number);
            assert_eq!(texts.find(string, text), expected, "{number}");
            let mut other = string.clone();
            other[0] = b'-';
            assert_eq!(texts.find(&other, text), None);
        }
        assert_eq!(Texts::build(0, std::iter::empty(), text).find(b"a", text), None);
    }
}
