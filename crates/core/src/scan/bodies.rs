//! JSON of a server's requests and answers, without Python objects: long strings are taken out of a request, and columns
//! of integers are written into an answer.

use memchr::memchr2;
use serde::Serialize;

/// What stands in a document for a string that was taken out. Valid JSON has no such token.
const TAKEN: &[u8] = b"NaN";

/// A document without its long strings.
#[derive(Debug, PartialEq, Eq)]
pub struct Body {
    /// The document with `NaN` in place of each string that was taken out.
    pub rest: Vec<u8>,
    /// The strings in the order of the document, unescaped.
    pub strings: Vec<String>,
}

/// Takes all string values longer than `longest` bytes, as they are written, out of a JSON document.
///
/// Keys stay, and so do strings that a strict reader may refuse or that no UTF-8 can hold. `None` if nothing is taken, the
/// document is not UTF-8, or it has a number that is none (`NaN`, `Infinity`). Nothing else is validated: whoever parses
/// `rest` does that.
pub fn long_strings(document: &[u8], longest: usize) -> Option<Body> {
    let text = std::str::from_utf8(document).ok()?;
    let (mut body, mut copied, mut at) = (Body { rest: Vec::new(), strings: Vec::new() }, 0, 0);
    while let Some(&byte) = document.get(at) {
        if matches!(byte, b'N' | b'I') {
            return None;
        }
        if byte != b'"' {
            at += 1;
            continue;
        }
        let end = closing_quote(document, at + 1)?;
        if end - at - 1 > longest && !is_key(document, end + 1) {
            // Fails for what a reader may refuse, and for half of a surrogate pair.
            if let Ok(string) = serde_json::from_str(&text[at..=end]) {
                body.rest.extend_from_slice(&document[copied..at]);
                body.rest.extend_from_slice(TAKEN);
                body.strings.push(string);
                copied = end + 1;
            }
        }
        at = end + 1;
    }
    body.rest.extend_from_slice(&document[copied..]);
    (!body.strings.is_empty()).then_some(body)
}

/// Where the string ends whose content begins at `at`.
fn closing_quote(document: &[u8], mut at: usize) -> Option<usize> {
    loop {
        at += memchr2(b'"', b'\\', &document[at..])?;
        if document[at] == b'"' {
            return Some(at);
        }
        at = (at + 2 <= document.len()).then_some(at + 2)?;
    }
}

/// Whether the string that ends before `at` is the key of an object.
fn is_key(document: &[u8], at: usize) -> bool {
    document[at..].iter().find(|byte| !matches!(byte, b' ' | b'\t' | b'\n' | b'\r')) == Some(&b':')
}

/// A list of integers as JSON: `[1,-2,3]`.
pub fn integers<T: Serialize>(numbers: &[T]) -> Vec<u8> {
    let mut out = Vec::with_capacity(2 + 7 * numbers.len());
    // Writing numbers to memory does not fail.
    let _ = serde_json::to_writer(&mut out, numbers);
    out
}

#[cfg(test)]
mod tests {
    use super::{integers, long_strings, Body};

    fn taken(document: &str, longest: usize) -> Option<(String, Vec<String>)> {
        let Body { rest, strings } = long_strings(document.as_bytes(), longest)?;
        Some((String::from_utf8(rest).ok()?, strings))
    }

    #[test]
    fn takes_long_values_and_leaves_keys() {
        let found = taken(r#"{"a long key" : "a long value", "b": ["short", "another long"]}"#, 8);
        let strings = vec!["a long value".to_owned(), "another long".to_owned()];
        assert_eq!(found, Some((r#"{"a long key" : NaN, "b": ["short", NaN]}"#.to_owned(), strings)));
        assert_eq!(taken(r#"{"a": "short"}"#, 8), None);
    }

    #[test]
    fn unescapes_as_json_says() {
        let found = taken(r#"["\"\\\/\b\f\n\r\t\u00e9\u4F60\ud83d\ude00é"]"#, 1);
        assert_eq!(found, Some(("[NaN]".to_owned(), vec!["\"\\/\u{8}\u{c}\n\r\té你😀é".to_owned()])));
    }

    #[test]
    fn leaves_what_a_reader_may_refuse() {
        for content in
            [r"\ud83d alone", r"\ude00\ud83d", r"\u12", r"\u+123 45", r"\x41", r"\ud83d\u0041", "a\nb", r"\ud83d\n"]
        {
            assert_eq!(taken(&format!("[\"{content}\"]"), 1), None, "{content}");
        }
        for document in [r#"["a long value", NaN]"#, r#"["open"#, r#"["a long value", "open\"#, r#"["open\""#] {
            assert_eq!(taken(document, 1), None, "{document}");
        }
        assert_eq!(long_strings(b"[\"a long \xff value\"]", 1), None);
    }

    #[test]
    fn writes_integers() {
        assert_eq!(integers::<u32>(&[]), b"[]");
        assert_eq!(integers(&[0u32, 9, 10, u32::MAX]), b"[0,9,10,4294967295]");
        assert_eq!(integers(&[i64::MIN, -1, i64::MAX]), b"[-9223372036854775808,-1,9223372036854775807]");
    }
}
