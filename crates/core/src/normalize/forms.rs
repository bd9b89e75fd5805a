//! The two forms of normalized text: the inner one, where an escaped space is the byte 0x20, and the outer one that users see.

use crate::spec::vocab::SPACE_MARK;

/// Writes the inner form as users see it: 0x20 as U+2581 where spaces are escaped.
pub fn outer(inner: &[u8], escape: bool, out: &mut Vec<u8>) {
    match escape {
        true => replace(inner, b" ", SPACE_MARK, out),
        false => out.extend_from_slice(inner),
    }
}

/// Appends a text with `content` in place of each occurrence of a pattern, which is not empty.
pub fn replace(text: &[u8], pattern: &[u8], content: &[u8], out: &mut Vec<u8>) {
    let mut rest = text;
    while let Some(at) = rest.windows(pattern.len()).position(|part| part == pattern) {
        out.extend_from_slice(&rest[..at]);
        out.extend_from_slice(content);
        rest = &rest[at + pattern.len()..];
    }
    out.extend_from_slice(rest);
}

/// Appends a piece in the inner form, or nothing if it can never match (it contains a literal space, which escaping
/// removes).
pub fn push_inner_form(piece: &[u8], escape: bool, out: &mut Vec<u8>) -> bool {
    if !escape {
        out.extend_from_slice(piece);
        return true;
    }
    if piece.contains(&b' ') {
        return false;
    }
    replace(piece, SPACE_MARK, b" ", out);
    true
}

/// Length of the valid UTF-8 character that `text` begins with.
pub fn valid_character(text: &[u8]) -> Option<usize> {
    let length = match text.first()? {
        0x00..=0x7F => return Some(1),
        0xC2..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xF4 => 4,
        _ => return None,
    };
    std::str::from_utf8(text.get(..length)?).ok().map(|_| length)
}
