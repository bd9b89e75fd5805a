//! A strict JSON reader that takes big tables of strings out of a document.
//!
//! The caller names paths (`model/vocab`); the values there become columns, and the rest of the document is returned
//! with `null` in their place. The whole text is validated as serde_json does, which reads all strings, numbers and
//! values besides the paths (no lone surrogates, no control characters in strings, no numbers beyond a double, at most
//! 127 levels). Time is linear in the text, memory is bounded by it.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::{Deserializer, Value};

use crate::util::{u32_of, Error, Pace, Result};

/// The element type of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// `{"a": 0, "b": 1}`: strings and `ints`.
    Ints,
    /// `[["a", -1.5], ["b", -2]]`: strings and `floats`.
    Floats,
    /// `["a", "b"]`: strings.
    Strings,
    /// `[["a", "b"], ["c", "d"]]`: twice as many strings.
    Pairs,
}

/// A table as columns: string `i` is `blob[offsets[i]..offsets[i + 1]]`.
#[derive(Debug)]
#[allow(missing_docs)]
pub struct Table {
    pub shape: Shape,
    pub blob: Vec<u8>,
    pub offsets: Vec<u32>,
    pub ints: Vec<u32>,
    pub floats: Vec<f64>,
}

/// A document without its tables.
pub struct Document {
    /// The text with `null` for each table.
    pub rest: Vec<u8>,
    /// By path: the table there; `None` where there was nothing, or no array or object.
    pub tables: Vec<Option<Table>>,
}

/// Extracts the tables at `places` from a document. A path is a list of keys separated by `/`. With `nearest` the floats
/// of tables are the nearest to what is written; serde_json's, and so those of tokenizers, may be the next one.
pub fn document(data: &[u8], places: &[&str], nearest: bool) -> Result<Document> {
    let (rest, tables, pace) = (Vec::new(), Vec::new(), Pace::new());
    let mut reader = Reader { at: 0, copied: 0, rest, tables, pace, text: "", nearest };
    if data.len() > 0xFFFF_0000 {
        return Err(reader.fail("the file is larger than 4 GiB"));
    }
    reader.text =
        std::str::from_utf8(data).map_err(|error| damaged("a byte is not UTF-8", error.valid_up_to(), data))?;
    reader.tables.resize_with(places.len(), || None);
    let paths: Vec<Vec<&str>> = places.iter().map(|place| place.split('/').collect()).collect();
    reader.space();
    reader.value(&paths.iter().enumerate().map(|(place, path)| (place, &path[..])).collect::<Vec<_>>())?;
    reader.space();
    if reader.at < data.len() {
        return Err(reader.fail("there is more after the end of the document"));
    }
    reader.rest.extend_from_slice(&data[reader.copied..]);
    Ok(Document { rest: reader.rest, tables: reader.tables })
}

/// A path by its number, as the keys that lie before it.
type Path<'p> = (usize, &'p [&'p str]);

struct Reader<'a> {
    text: &'a str,
    at: usize,
    /// End of the text that was copied or left out.
    copied: usize,
    rest: Vec<u8>,
    tables: Vec<Option<Table>>,
    pace: Pace,
    nearest: bool,
}

#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

#[cold]
fn damaged(what: &str, at: usize, data: &[u8]) -> Error {
    let code = if at >= data.len() { "file-truncated" } else { "file-corrupt" };
    Error::new(code, format!("{what} at byte {at}; the JSON is damaged, copy it again or correct it"))
        .with("offset", at)
}

impl<'a> Reader<'a> {
    #[cold]
    fn fail(&self, what: &str) -> Error {
        damaged(what, self.at, self.text.as_bytes())
    }

    fn peek(&self) -> u8 {
        self.text.as_bytes().get(self.at).copied().unwrap_or(0)
    }

    fn space(&mut self) {
        while matches!(self.peek(), b' ' | b'\n' | b'\r' | b'\t') {
            self.at += 1;
            // Indented documents consist mostly of this.
            while self.text.as_bytes().get(self.at..self.at + 8) == Some(b"        ") {
                self.at += 8;
            }
        }
    }

    fn expect(&mut self, byte: u8) -> Result<()> {
        self.space();
        if self.peek() != byte {
            return Err(self.fail(&format!("{:?} is missing", char::from(byte))));
        }
        self.at += 1;
        self.space();
        Ok(())
    }

    /// From an opening bracket to the closing one: reads each element by `read`.
    #[inline]
    fn each(&mut self, close: u8, mut read: impl FnMut(&mut Self) -> Result<()>) -> Result<()> {
        self.at += 1;
        self.space();
        if self.peek() == close {
            self.at += 1;
            return Ok(());
        }
        loop {
            read(self)?;
            self.pace.reach(self.at);
            self.space();
            let byte = self.peek();
            if byte != close && byte != b',' {
                return Err(self.fail(&format!("neither \",\" nor {:?} stands", char::from(close))));
            }
            self.at += 1;
            self.space();
            if byte == close {
                return Ok(());
            }
        }
    }

    /// The current value, as serde_json reads it.
    fn parse<T: Deserialize<'a>>(&mut self) -> Result<T> {
        let rest = &self.text[self.at..];
        let mut values = Deserializer::from_str(rest).into_iter();
        match values.next() {
            Some(Ok(value)) => {
                self.at += values.byte_offset();
                Ok(value)
            }
            Some(Err(error)) => {
                let before: usize = rest.split_inclusive('\n').take(error.line() - 1).map(str::len).sum();
                let place = self.at + before + error.column().saturating_sub(1);
                self.at = if error.is_eof() { self.text.len() } else { place };
                let what = error.to_string();
                Err(self.fail(what.split(" at line ").next().unwrap_or(&what)))
            }
            None => Err(self.fail("a value is missing")),
        }
    }

    /// The current string. One with escapes, or that is none, is left to serde_json.
    fn string(&mut self) -> Result<Cow<'a, str>> {
        let rest = &self.text[self.at..];
        let end = rest.bytes().skip(1).position(|byte| matches!(byte, b'"' | b'\\' | 0..=0x1F)).unwrap_or(0) + 1;
        if rest.as_bytes().get(end) == Some(&b'"') && rest.starts_with('"') {
            self.at += end + 1;
            return Ok(Cow::Borrowed(&rest[1..end]));
        }
        self.parse().map(|Text(text)| text)
    }

    fn int(&mut self) -> Result<u32> {
        let rest = &self.text[self.at..];
        let (digits, tail) = rest.split_at(rest.bytes().take_while(u8::is_ascii_digit).count());
        let is_integer = (digits == "0" || !digits.starts_with('0')) && !tail.starts_with(['.', 'e', 'E']);
        let value = digits.parse().ok().filter(|_| is_integer);
        self.at += if value.is_some() { digits.len() } else { 0 };
        value.ok_or_else(|| self.fail("a whole number from 0 to 4294967295 is missing"))
    }

    /// Skips a value, in which the paths `within` may lie.
    fn value(&mut self, within: &[Path<'_>]) -> Result<()> {
        if within.is_empty() || self.peek() != b'{' {
            return self.parse::<Value>().map(|_| ());
        }
        let mut met = Vec::new();
        self.each(b'}', |reader| {
            let key = reader.string()?;
            reader.expect(b':')?;
            let opened = within.iter().filter_map(|&(place, path)| Some((place, path.split_first()?)));
            let inside = opened.filter(|(_, (first, _))| **first == key).map(|(place, (_, path))| (place, path));
            let inside: Vec<Path<'_>> = inside.collect();
            if inside.iter().any(|(place, _)| met.contains(place)) {
                return Err(reader.fail(&format!("the key {key:?} is there twice")));
            }
            met.extend(inside.iter().map(|&(place, _)| place));
            match inside.iter().find(|(_, path)| path.is_empty()) {
                Some(&(place, _)) if matches!(reader.peek(), b'{' | b'[') => reader.take_table(place),
                _ => reader.value(&inside),
            }
        })
    }

    fn take_table(&mut self, place: usize) -> Result<()> {
        self.rest.extend_from_slice(&self.text.as_bytes()[self.copied..self.at]);
        self.rest.extend_from_slice(b"null");
        let table = if self.peek() == b'{' { self.int_table() } else { self.list_table() }?;
        self.tables[place] = Some(table);
        self.copied = self.at;
        Ok(())
    }

    fn int_table(&mut self) -> Result<Table> {
        let mut table = self.table(Shape::Ints);
        self.each(b'}', |reader| {
            reader.cell(&mut table)?;
            reader.expect(b':')?;
            table.ints.push(reader.int()?);
            Ok(())
        })?;
        Ok(table)
    }

    fn list_table(&mut self) -> Result<Table> {
        let mut table = self.table(Shape::Strings);
        self.each(b']', |reader| {
            if table.offsets.len() == 1 && reader.peek() == b'[' {
                table.shape = reader.row_shape()?;
            }
            reader.row(&mut table)
        })?;
        Ok(table)
    }

    /// An empty table with a capacity that the rest of the text can hardly exceed.
    fn table(&self, shape: Shape) -> Table {
        let room = (self.text.len() - self.at) / 4;
        let (blob, offsets) = (Vec::with_capacity(room), vec![0]);
        Table { shape, blob, offsets, ints: Vec::new(), floats: Vec::new() }
    }

    /// Whether the current row holds two strings, or a string and a number.
    fn row_shape(&mut self) -> Result<Shape> {
        let start = self.at;
        self.expect(b'[')?;
        self.string()?;
        self.expect(b',')?;
        let shape = if self.peek() == b'"' { Shape::Pairs } else { Shape::Floats };
        self.at = start;
        Ok(shape)
    }

    fn row(&mut self, table: &mut Table) -> Result<()> {
        if table.shape == Shape::Strings {
            return self.cell(table);
        }
        self.expect(b'[')?;
        self.cell(table)?;
        self.expect(b',')?;
        if table.shape == Shape::Pairs {
            self.cell(table)?;
        } else {
            let (start, value) = (self.at, self.parse()?);
            let written = self.text[start..self.at].trim();
            table.floats.push(if self.nearest { written.parse().unwrap_or(value) } else { value });
        }
        self.expect(b']')
    }

    fn cell(&mut self, table: &mut Table) -> Result<()> {
        let text = self.string()?;
        table.blob.extend_from_slice(text.as_bytes());
        table.offsets.push(u32_of(table.blob.len()));
        Ok(())
    }
}
