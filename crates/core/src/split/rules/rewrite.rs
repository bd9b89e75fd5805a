//! Rules that change text.

use crate::normalize::steps::Editor;
use crate::split::rules::Chunk;
use crate::util::cast::{u32_of, us};

/// First character that stands for a byte without a printable Latin 1 character.
const SHIFTED: u32 = 0x100;

/// Spaces become marks; one is inserted before a chunk that does not begin with it.
pub fn metaspace(mark: char, puts: bool, chunk: &Chunk, editor: &mut Editor<'_>) {
    let mut buffer = [0; 4];
    let mark_text: &str = mark.encode_utf8(&mut buffer);
    let text = &editor.rest()[..chunk.end - chunk.start];
    if puts && !text.starts_with([' ', mark]) {
        editor.put(mark_text, Some(chunk.start));
    }
    for (start, _) in text.match_indices(' ') {
        editor.keep_to(chunk.start + start);
        editor.put(mark_text, Some(chunk.start + start));
        editor.skip(1);
    }
    editor.keep_to(chunk.end);
}

/// Inserts a space before a chunk that does not begin with one.
pub fn prefix_space(chunk: &Chunk, editor: &mut Editor<'_>) {
    if !editor.rest().starts_with(' ') {
        editor.put(" ", Some(chunk.start));
    }
    editor.keep_to(chunk.end);
}

/// Maps every byte to a character.
pub fn map_bytes(chunk: &Chunk, editor: &mut Editor<'_>) {
    let text = &editor.rest()[..chunk.end - chunk.start];
    for (at, byte) in text.bytes().enumerate() {
        editor.put(character_of(byte).encode_utf8(&mut [0; 4]), Some(chunk.start + at));
    }
    editor.skip(chunk.end - chunk.start);
}

const fn is_printable(byte: u8) -> bool {
    matches!(byte, b'!'..=b'~' | 0xA1..=0xAC | 0xAE..=0xFF)
}

/// The bytes that are mapped to characters from U+0100 on, in that order.
static HIDDEN: [u8; 68] = {
    let (mut hidden, mut byte, mut found) = ([0; 68], 0, 0);
    loop {
        if !is_printable(byte) {
            hidden[found] = byte;
            found += 1;
        }
        if byte == u8::MAX {
            break hidden;
        }
        byte += 1;
    }
};

fn character_of(byte: u8) -> char {
    if is_printable(byte) {
        return char::from(byte);
    }
    let place = HIDDEN.binary_search(&byte).unwrap_or(0);
    char::from_u32(SHIFTED + u32_of(place)).unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// The inverse: the byte that a character stands for.
pub fn byte_of(character: char) -> u8 {
    let code = u32::from(character);
    u8::try_from(code).ok().or_else(|| HIDDEN.get(us(code - SHIFTED)).copied()).unwrap_or(b'?')
}
