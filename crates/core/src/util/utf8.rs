//! UTF-8: characters to code points and back.

/// The character at `at` of valid UTF-8 and its length; never reads past the end.
#[inline(always)]
pub fn decode(text: &[u8], at: usize) -> (u32, usize) {
    let Some(&[first, second, third, fourth]) = text[at..].first_chunk() else { return decode_at_end(&text[at..]) };
    decode_four(first, second, third, fourth)
}

#[inline(always)]
fn decode_four(first: u8, second: u8, third: u8, fourth: u8) -> (u32, usize) {
    let (lead, rest) = (u32::from(first), |byte: u8| u32::from(byte & 0x3F));
    match first {
        0x00..=0xBF => (lead, 1),
        0xC0..=0xDF => ((lead & 0x1F) << 6 | rest(second), 2),
        0xE0..=0xEF => ((lead & 0x0F) << 12 | rest(second) << 6 | rest(third), 3),
        _ => ((lead & 0x07) << 18 | rest(second) << 12 | rest(third) << 6 | rest(fourth), 4),
    }
}

#[cold]
fn decode_at_end(text: &[u8]) -> (u32, usize) {
    let byte = |index: usize| text.get(index).copied().unwrap_or(0);
    let (character, length) = decode_four(byte(0), byte(1), byte(2), byte(3));
    (character, length.min(text.len().max(1)))
}

/// Length of the character that a lead byte opens: what the reference advances by.
#[inline(always)]
pub const fn character_length(lead: u8) -> usize {
    match lead {
        0x00..=0xBF => 1,
        0xC0..=0xDF => 2,
        0xE0..=0xEF => 3,
        _ => 4,
    }
}

/// The character that ends at `end`, which must be a character start above 0.
#[inline]
pub(crate) fn last_character(text: &[u8], end: usize) -> u32 {
    let mut at = end - 1;
    while at > 0 && text[at] & 0xC0 == 0x80 {
        at -= 1;
    }
    decode(text, at).0
}
