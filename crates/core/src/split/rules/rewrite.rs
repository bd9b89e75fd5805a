//! Rules that change text.

use crate::normalize::steps::Editor;
use crate::split::rules::Chunk;
use crate::unicode::byte_letters::letter_of;

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
        editor.put(letter_of(byte).encode_utf8(&mut [0; 4]), Some(chunk.start + at));
    }
    editor.skip(chunk.end - chunk.start);
}
