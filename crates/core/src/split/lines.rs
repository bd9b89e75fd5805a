//! Lines, each with all the newlines after it: `[^\n]*\n+|[^\n]+`.

use crate::util::cast::u32_of;

/// The end of the line that begins at `at`, its newlines included.
pub fn chunk_end(text: &[u8], at: usize) -> usize {
    let newline = text[at..].iter().position(|&byte| byte == b'\n').map_or(text.len(), |place| at + place);
    newline + text[newline..].iter().take_while(|&&byte| byte == b'\n').count()
}

/// See [`crate::spec::stages::Splitter::chunks`].
pub fn chunks(text: &[u8], from: usize, stop: usize, end: usize, ends: &mut [u32]) -> usize {
    let text = &text[..end.min(text.len())];
    let (mut at, mut found) = (from, 0);
    while at < stop.min(text.len()) {
        let Some(place) = ends.get_mut(found) else { break };
        at = chunk_end(text, at);
        *place = u32_of(at);
        found += 1;
    }
    found
}
