//! Byte-level letters: printable bytes stand for themselves, the others are characters from U+0100 on.

use crate::util::low8;

/// The letter of a byte.
pub fn letter_of(byte: u8) -> char {
    let code = u32::from(byte);
    let letter = match byte {
        0x00..=0x20 => 0x100 + code,
        0x7F..=0xA0 => 0x121 + code - 0x7F,
        0xAD => 0x143,
        _ => code,
    };
    char::from_u32(letter).unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// The byte that a letter stands for.
pub fn byte_of(letter: char) -> Option<u8> {
    let code = u32::from(letter);
    match code {
        0x100..=0x120 => Some(low8(code - 0x100)),
        0x121..=0x142 => Some(low8(code - 0x121 + 0x7F)),
        0x143 => Some(0xAD),
        0x21..=0x7E | 0xA1..=0xAC | 0xAE..=0xFF => Some(low8(code)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_printable_and_stand_for_one_byte_each() {
        let letters: Vec<char> = (0..=u8::MAX).map(letter_of).collect();
        assert!((0..=u8::MAX).zip(&letters).all(|(byte, &letter)| byte_of(letter) == Some(byte)));
        assert!(letters.iter().all(|letter| !letter.is_control() && !letter.is_whitespace()));
        assert_eq!((letter_of(b' '), letter_of(b'\n'), letter_of(0xAD)), ('Ġ', 'Ċ', 'Ń'));
        assert_eq!(('\0'..=char::MAX).filter(|&letter| byte_of(letter).is_some()).count(), 256);
    }
}
