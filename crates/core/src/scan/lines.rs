//! Lines of base64, a space and a number, as columns; malformed input is left to the caller to diagnose.

use base64::engine::general_purpose::STANDARD;
use base64::Engine;

use crate::index::string_index::StringIndex;
use crate::util::{u32_of, us, Pace};

/// Maximum digits of a number.
const DIGITS: usize = 8;

/// Lines as columns.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Lines {
    /// The decoded base64 of all lines, concatenated.
    pub blob: Vec<u8>,
    /// One more than there are lines.
    pub offsets: Vec<u32>,
    /// The number of each line.
    pub numbers: Vec<u32>,
}

/// The columns of a text in which every line is canonical base64 (of at least one byte), one space, a number of up to
/// eight digits without leading zeros, and LF, and no two lines decode to equal bytes; otherwise `None`.
pub fn base64_lines(text: &[u8]) -> Option<Lines> {
    u32::try_from(text.len()).ok()?;
    let mut lines = Lines { blob: Vec::with_capacity(text.len() / 2), offsets: vec![0], ..Lines::default() };
    let (mut at, mut pace) = (0, Pace::new());
    for end in memchr::memchr_iter(b'\n', text) {
        pace.reach(end);
        let line = &text[at..end];
        at = end + 1;
        let space = memchr::memchr(b' ', line).filter(|&size| size > 0)?;
        STANDARD.decode_vec(&line[..space], &mut lines.blob).ok()?;
        lines.offsets.push(u32_of(lines.blob.len()));
        lines.numbers.push(number(&line[space + 1..])?);
    }
    let piece = |line: u32| &lines.blob[us(lines.offsets[us(line)])..us(lines.offsets[us(line) + 1])];
    let repeated = StringIndex::build(0..u32_of(lines.numbers.len()), piece).1;
    (at == text.len() && repeated.is_none()).then_some(lines)
}

/// A number without leading zeros.
fn number(digits: &[u8]) -> Option<u32> {
    let is_canonical = matches!(digits, [b'0'] | [b'1'..=b'9', ..]) && digits.len() <= DIGITS;
    std::str::from_utf8(digits).ok()?.parse().ok().filter(|_| is_canonical)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_become_columns() {
        let found = base64_lines(b"IQ== 0\nISE= 1\nISEh 23\nISEhIQ== 12345678\n");
        let expected =
            Lines { blob: b"!!!!!!!!!!".to_vec(), offsets: vec![0, 1, 3, 6, 10], numbers: vec![0, 1, 23, 12_345_678] };
        assert_eq!(found, Some(expected));
        assert_eq!(base64_lines(b""), Some(Lines { offsets: vec![0], ..Lines::default() }));
    }

    #[test]
    fn anything_else_is_left_to_the_caller() {
        let odd: [&[u8]; 18] = [
            b"IQ== 0",
            b"IQ== 0\r\n",
            b"IQ==0\n",
            b"IQ==  0\n",
            b" 0\n",
            b"IQ= 0\n",
            b"IR== 0\n",
            b"ISF= 0\n",
            b"I=== 0\n",
            b"IQ==IQ== 0\n",
            b"I-== 0\n",
            b"IQ== 00\n",
            b"IQ== 01\n",
            b"IQ== \n",
            b"IQ== 123456789\n",
            b"IQ== -1\n",
            b"IQ== 0\n\n",
            b"IQ== 0\nIQ== 1\n",
        ];
        for text in odd {
            assert_eq!(base64_lines(text), None, "{}", String::from_utf8_lossy(text));
        }
    }
}
