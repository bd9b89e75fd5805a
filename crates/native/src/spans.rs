//! Tokens with their spans, as Python objects.

use std::borrow::Cow;

use anypiece_core::Tokenizer as Kernel;
use anypiece_core::{CharCounter, Token};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

/// Id, piece and span of a token.
pub type Row<Piece> = (u32, Piece, usize, usize);

/// Rows of tokens, and by index the bytes of pieces that are not UTF-8, which a string cannot hold.
pub type ShownRows<'py> = (Vec<Row<Bound<'py, PyString>>>, Vec<(usize, Bound<'py, PyBytes>)>);

/// Rows of tokens as Python objects.
pub fn shown_rows(py: Python<'_>, rows: Vec<Row<Vec<u8>>>) -> ShownRows<'_> {
    let mut lost = Vec::new();
    let shown = |(number, (id, piece, start, end)): (usize, Row<Vec<u8>>)| {
        let text = String::from_utf8_lossy(&piece);
        if matches!(text, Cow::Owned(_)) {
            lost.push((number, PyBytes::new(py, &piece)));
        }
        (id, PyString::new(py, &text), start, end)
    };
    let rows = rows.into_iter().enumerate().map(shown).collect();
    (rows, lost)
}

/// Id, piece and span of tokens, in characters if requested.
pub fn span_rows(kernel: &Kernel, text: &[u8], rows: Vec<(Token, Vec<u8>)>, chars: bool) -> Vec<Row<Vec<u8>>> {
    let mut counter = CharCounter::new(text);
    let mut last = CharCounter::new(text);
    let bytes = kernel.spec().has_byte_pieces();
    let row = |(token, piece): (Token, Vec<u8>)| {
        let (start, end) = match (token.span, chars) {
            (span, false) => span,
            // A byte piece that ends within a character extends to its end.
            ((start, end), true) if bytes => (counter.at(start), last.at_or_after(end)),
            // Tokens of merges, and text inserted by steps, may share an origin.
            ((start, end), true) => (counter.at(start), last.at(end)),
        };
        (token.id, piece, start, end)
    };
    rows.into_iter().map(row).collect()
}
