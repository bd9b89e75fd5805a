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

/// The start of the character that ends at `end`, which must be a character start above 0.
pub(crate) fn last_start(text: &[u8], end: usize) -> usize {
    let mut at = end - 1;
    while at > 0 && text[at] & 0xC0 == 0x80 {
        at -= 1;
    }
    at
}

/// The character that ends at `end`, which must be a character start above 0.
pub(crate) fn last_character(text: &[u8], end: usize) -> u32 {
    decode(text, last_start(text, end)).0
}

/// The four bytes at `at`, which is no more than the length of the text; 0 past its end.
#[inline(always)]
pub(crate) fn word_at(text: &[u8], at: usize) -> u32 {
    let rest = &text[at..];
    match rest.first_chunk() {
        Some(bytes) => u32::from_le_bytes(*bytes),
        None => rest.iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte)),
    }
}

/// The multi-byte character at the start of four bytes, and its length; `None` if there is none.
#[inline(always)]
pub(crate) fn decode_word(word: u32) -> Option<(u32, u32)> {
    let (second, third, fourth) = (word >> 8 & 0x3F, word >> 16 & 0x3F, word >> 24 & 0x3F);
    if word & 0x00C0_C0F0 == 0x0080_80E0 {
        let code = (word & 0x0F) << 12 | second << 6 | third;
        (code >= 0x800 && code >> 11 != 0xD800 >> 11).then_some((code, 3))
    } else if word & 0xC0E0 == 0x80C0 {
        let code = (word & 0x1F) << 6 | second;
        (code >= 0x80).then_some((code, 2))
    } else if word & 0xC0C0_C0F8 == 0x8080_80F0 {
        let code = (word & 0x07) << 18 | second << 12 | third << 6 | fourth;
        (0x1_0000..0x11_0000).contains(&code).then_some((code, 4))
    } else {
        None
    }
}

/// A character of the basic plane as the bytes of a word, lowest first, and its length.
#[inline(always)]
pub(crate) fn encode_word(code: u16) -> (u32, usize) {
    let code = u32::from(code);
    let [low, middle] = [code, code >> 6].map(|bits| 0x80 | bits & 0x3F);
    match code {
        0..0x80 => (code, 1),
        0x80..0x800 => (0xC0 | code >> 6 | low << 8, 2),
        _ => (0xE0 | code >> 12 | middle << 8 | low << 16, 3),
    }
}

/// Length of the prefix whose characters cannot change, whatever is appended: all but an incomplete last character.
pub(crate) fn complete(text: &[u8]) -> usize {
    for back in 1..4.min(text.len() + 1) {
        match text[text.len() - back] {
            0x80..=0xBF => {}
            lead @ 0xC0..=0xFF if character_length(lead) > back => return text.len() - back,
            _ => break,
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_has_the_bytes_of_its_character() {
        for code in 0..=u16::MAX {
            let Some(character) = char::from_u32(code.into()) else { continue };
            let (word, length) = encode_word(code);
            assert_eq!(&word.to_le_bytes()[..length], character.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }
}
