//! Lines, each with all the newlines after it: `[^\n]*\n+|[^\n]+`.

use crate::split::shared::{bytes_end, Scanner};

/// A line, its newlines included.
pub struct Lines;

impl Scanner for Lines {
    fn chunk_end(text: &[u8], at: usize) -> usize {
        let newline = text[at..].iter().position(|&byte| byte == b'\n').map_or(text.len(), |place| at + place);
        bytes_end(text, newline, b"\n")
    }
}
