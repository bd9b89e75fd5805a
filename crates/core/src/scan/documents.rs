//! Documents of a block of lines as one column: the lines themselves, or a field of the JSON object on each.
//!
//! A line of JSON whose meaning is beyond doubt is read here. Whatever is not plain (bytes that are not UTF-8, halves of
//! surrogate pairs, numbers beyond a double, objects in objects without end, anything that is no JSON) is left to the
//! caller, who has a reader of its own, says what is wrong, and decides.

use std::borrow::Cow;
use std::fmt;

use bytemuck::NoUninit;
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::Deserialize;

use crate::util::cast::i64_of;
use crate::util::interrupt::report;
use crate::util::join::join_all;

/// Minimum bytes of a block that a thread of its own reads.
const PART: usize = 1 << 18;

/// What became of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, NoUninit)]
#[repr(u8)]
pub enum Kind {
    /// It is a document.
    Text = 0,
    /// It has nothing but white space.
    Blank,
    /// It has no such field.
    NoField,
    /// The field is no string.
    NoText,
    /// The caller reads it.
    Odd,
}

impl Kind {
    /// Its number in [`Documents::kinds`].
    pub fn code(self) -> u8 {
        bytemuck::cast(self)
    }
}

/// A row for each line; those that are no text are empty.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Documents {
    /// The texts, concatenated.
    pub blob: Vec<u8>,
    /// Where each begins in `blob`; one more than there are rows.
    pub offsets: Vec<i64>,
    /// Where each line begins in the block.
    pub places: Vec<i64>,
    /// What became of each line, as [`Kind::code`]; empty if all are documents.
    pub kinds: Vec<u8>,
}

impl Documents {
    fn new(size: usize) -> Self {
        Self { blob: Vec::with_capacity(size), offsets: vec![0], ..Self::default() }
    }

    fn end_row(&mut self, place: usize) {
        self.offsets.push(i64_of(self.blob.len()));
        self.places.push(i64_of(place));
    }

    fn append(&mut self, other: &Self, place: usize) {
        let (before, place) = (i64_of(self.blob.len()), i64_of(place));
        self.blob.extend_from_slice(&other.blob);
        self.offsets.extend(other.offsets.iter().skip(1).map(|end| end + before));
        self.places.extend(other.places.iter().map(|start| start + place));
        self.kinds.extend_from_slice(&other.kinds);
    }
}

/// Calls `each` with every line, without its end, and where it begins. A block that ends with a line end has no line
/// behind it.
fn each_line<'a>(block: &'a [u8], mut each: impl FnMut(&'a [u8], usize)) {
    let mut start = 0;
    for end in memchr::memchr_iter(b'\n', block).chain((!block.ends_with(b"\n")).then_some(block.len())) {
        if start < end || end < block.len() {
            report(end - start);
            each(&block[start..end], start);
        }
        start = end + 1;
    }
}

/// Each line of a block as a document.
pub fn lines(block: &[u8]) -> Documents {
    let mut found = Documents::new(block.len());
    each_line(block, |line, place| {
        found.blob.extend_from_slice(line);
        found.end_row(place);
    });
    found
}

/// The string at `path` in the JSON object on each line. Of equal keys the last one counts.
pub fn json_lines(block: &[u8], path: &[&str], threads: usize) -> Documents {
    let cuts = cuts(block, threads.clamp(1, block.len() / PART + 1));
    let mut parts = cuts.windows(2).map(|pair| (pair[0], &block[pair[0]..pair[1]]));
    let Some((_, first)) = parts.next() else { return Documents::new(0) };
    let rest: Vec<_> = parts.collect();
    let work = rest.iter().map(|&(_, part)| move || objects(part, path, part.len()));
    let (mut found, others) = join_all(|| objects(first, path, block.len()), work);
    for (number, &(place, part)) in rest.iter().enumerate() {
        // What a thread could not be started for, is done here.
        match others.get(number) {
            Some(Ok(other)) => found.append(other, place),
            _ => found.append(&objects(part, path, part.len()), place),
        }
    }
    found
}

/// Places behind line ends that cut a block into about equal parts, its start and end included.
fn cuts(block: &[u8], parts: usize) -> Vec<usize> {
    let mut found = vec![0];
    for part in 1..parts {
        let from = (block.len() / parts * part).max(found.last().copied().unwrap_or(0));
        if let Some(end) = memchr::memchr(b'\n', &block[from..]) {
            found.push(from + end + 1);
        }
    }
    found.push(block.len());
    found
}

fn objects(block: &[u8], path: &[&str], size: usize) -> Documents {
    let mut found = Documents::new(size);
    each_line(block, |line, place| {
        let kind = object(line, path, &mut found.blob);
        found.kinds.push(kind.code());
        found.end_row(place);
    });
    found
}

/// Reads one line, and puts the text behind what is in `blob`.
fn object(line: &[u8], path: &[&str], blob: &mut Vec<u8>) -> Kind {
    // The white space of Python's `bytes.isspace`.
    if line.iter().all(|byte| matches!(byte, b' ' | b'\t'..=b'\r')) {
        return Kind::Blank;
    }
    let Ok(text) = std::str::from_utf8(line) else { return Kind::Odd };
    let mut reader = serde_json::Deserializer::from_str(text);
    match (Field { path: Some(path) }.deserialize(&mut reader), reader.end()) {
        (Ok(Found::Text(text)), Ok(())) => {
            blob.extend_from_slice(text.as_bytes());
            Kind::Text
        }
        (Ok(Found::NoText), Ok(())) => Kind::NoText,
        (Ok(Found::NoField), Ok(())) => Kind::NoField,
        _ => Kind::Odd,
    }
}

enum Found<'a> {
    Text(Cow<'a, str>),
    NoText,
    NoField,
}

/// The value at a path: an empty path is the value itself; a value without one is of no interest.
#[derive(Clone, Copy)]
struct Field<'p> {
    path: Option<&'p [&'p str]>,
}

const SKIPPED: Field<'static> = Field { path: None };

#[derive(Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'de> DeserializeSeed<'de> for Field<'_> {
    type Value = Found<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> std::result::Result<Found<'de>, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl Field<'_> {
    fn is_here(&self) -> bool {
        self.path.is_some_and(<[_]>::is_empty)
    }

    /// What any value but a string and an object is found to be.
    fn other<'de, E>(&self) -> std::result::Result<Found<'de>, E> {
        Ok(if self.is_here() { Found::NoText } else { Found::NoField })
    }
}

/// Values are visited and not skipped: so depth is bounded and numbers are looked at, as the caller's reader does.
impl<'de> Visitor<'de> for Field<'_> {
    type Value = Found<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("JSON")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> std::result::Result<Found<'de>, E> {
        Ok(if self.is_here() { Found::Text(Cow::Borrowed(text)) } else { Found::NoField })
    }

    fn visit_str<E>(self, text: &str) -> std::result::Result<Found<'de>, E> {
        Ok(if self.is_here() { Found::Text(Cow::Owned(text.to_owned())) } else { Found::NoField })
    }

    fn visit_bool<E>(self, _: bool) -> std::result::Result<Found<'de>, E> {
        self.other()
    }

    fn visit_i64<E>(self, _: i64) -> std::result::Result<Found<'de>, E> {
        self.other()
    }

    fn visit_u64<E>(self, _: u64) -> std::result::Result<Found<'de>, E> {
        self.other()
    }

    fn visit_f64<E>(self, _: f64) -> std::result::Result<Found<'de>, E> {
        self.other()
    }

    fn visit_unit<E>(self) -> std::result::Result<Found<'de>, E> {
        self.other()
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> std::result::Result<Found<'de>, A::Error> {
        while values.next_element_seed(SKIPPED)?.is_some() {}
        self.other()
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> std::result::Result<Found<'de>, A::Error> {
        let Some((name, path)) = self.path.and_then(<[_]>::split_first) else {
            while entries.next_key_seed(SKIPPED)?.is_some() {
                entries.next_value_seed(SKIPPED)?;
            }
            return self.other();
        };
        let mut found = Found::NoField;
        while let Some(Key(key)) = entries.next_key()? {
            if key == *name {
                found = entries.next_value_seed(Field { path: Some(path) })?;
            } else {
                entries.next_value_seed(SKIPPED)?;
            }
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(block: &str, path: &str) -> Vec<(u8, String)> {
        let path: Vec<&str> = path.split('.').collect();
        let found = json_lines(block.as_bytes(), &path, 1);
        let text = |pair: &[i64]| {
            let bounds = pair.iter().map(|&end| usize::try_from(end).unwrap_or(0)).collect::<Vec<_>>();
            String::from_utf8_lossy(&found.blob[bounds[0]..bounds[1]]).into_owned()
        };
        found.kinds.iter().copied().zip(found.offsets.windows(2).map(text)).collect()
    }

    #[test]
    fn each_line_is_told_apart() {
        for (line, kind, text) in [
            (r#"{"a": "x\u00e9\ud83e\udd8a\n\/"}"#, Kind::Text, "xé🦊\n/"),
            (r#" {"b": [1, {"a": "n"}], "a": "x"}"#, Kind::Text, "x"),
            (r#"{"a": "x", "a": "y", "\u0061": "z"}"#, Kind::Text, "z"),
            (r#"{"a": "x", "a": 1}"#, Kind::NoText, ""),
            (r#"{"a": {"a": "x"}}"#, Kind::NoText, ""),
            (r#"{"b": "x"}"#, Kind::NoField, ""),
            (r#"["a"]"#, Kind::NoField, ""),
            ("-1.5e3", Kind::NoField, ""),
            ("\u{b}\u{c} \t\r", Kind::Blank, ""),
            ("", Kind::Blank, ""),
            (r#"{"a": "\ud83e"}"#, Kind::Odd, ""),
            (r#"{"a": "x", "b": NaN}"#, Kind::Odd, ""),
            (r#"{"a": "x", "b": 1e999}"#, Kind::Odd, ""),
            (r#"{"a": "x"} 1"#, Kind::Odd, ""),
            ("{\"a\": \"\t\"}", Kind::Odd, ""),
            ("\u{feff}{\"a\": \"x\"}", Kind::Odd, ""),
            (&format!(r#"{{"a": "x", "b": {}1{}}}"#, "[".repeat(500), "]".repeat(500)), Kind::Odd, ""),
        ] {
            assert_eq!(read(&format!("{line}\n"), "a"), [(kind.code(), text.to_owned())], "{line}");
        }
        let nested = r#"{"a": {"b": "x"}, "a": {"c": 1}}"#;
        assert_eq!(read(nested, "a.b"), [(Kind::NoField.code(), String::new())]);
        assert_eq!(read(nested, "a.c"), [(Kind::NoText.code(), String::new())]);
    }

    #[test]
    fn threads_change_nothing() {
        let line = |number: usize| format!("{{\"a\": \"{number}\\n{}\"}}\n", "x".repeat(number % 3000));
        let block: String = (0..2000).map(line).collect();
        let one = json_lines(block.as_bytes(), &["a"], 1);
        assert_eq!(one.places.len(), 2000);
        for threads in [2, 3, 8] {
            assert_eq!(json_lines(block.as_bytes(), &["a"], threads), one);
        }
        for block in ["", "\n", "a", "a\n\nb"] {
            assert_eq!(json_lines(block.as_bytes(), &["a"], 2).places, lines(block.as_bytes()).places, "{block:?}");
        }
        assert_eq!(lines(b"a\n\nb").offsets, [0, 1, 1, 2]);
        assert_eq!(lines(b"a\nb\n").places, [0, 2]);
    }
}
