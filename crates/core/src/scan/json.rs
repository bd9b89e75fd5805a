//! A strict JSON reader that takes big tables of strings out of a document.
//!
//! The caller names paths (`model/vocab`); the values there become columns, and the rest of the document is returned
//! with `null` in their place. The whole text is validated: RFC 8259 as serde_json reads it (no lone surrogates, no
//! control characters in strings, no numbers beyond a double, at most [`MAX_DEPTH`] levels). Time is linear in the
//! text, memory is bounded by it.

use crate::util::cast::u32_of;
use crate::util::error::{Error, Result};
use crate::util::interrupt::Pace;

/// Maximum nesting depth, as in serde_json.
pub const MAX_DEPTH: usize = 127;

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

/// Extracts the tables at `places` from a document. A path is a list of keys separated by `/`.
pub fn document(data: &[u8], places: &[&str]) -> Result<Document> {
    let mut reader =
        Reader { data, at: 0, copied: 0, rest: Vec::new(), places: Vec::new(), tables: Vec::new(), pace: Pace::new() };
    if data.len() > 0xFFFF_0000 {
        return Err(reader.fail("the file is larger than 4 GiB"));
    }
    if let Err(error) = std::str::from_utf8(data) {
        reader.at = error.valid_up_to();
        return Err(reader.fail("a byte is not UTF-8"));
    }
    reader.places = places.iter().map(|place| place.split('/').map(str::as_bytes).collect()).collect();
    reader.tables.resize_with(places.len(), || None);
    let all: Vec<usize> = (0..places.len()).collect();
    reader.space();
    reader.value(0, &all)?;
    reader.space();
    if reader.at < data.len() {
        return Err(reader.fail("there is more after the end of the document"));
    }
    reader.rest.extend_from_slice(&data[reader.copied..]);
    Ok(Document { rest: reader.rest, tables: reader.tables })
}

struct Reader<'a> {
    data: &'a [u8],
    at: usize,
    /// End of the text that was copied or left out.
    copied: usize,
    rest: Vec<u8>,
    places: Vec<Vec<&'a [u8]>>,
    tables: Vec<Option<Table>>,
    pace: Pace,
}

impl Reader<'_> {
    #[cold]
    fn fail(&self, what: &str) -> Error {
        let code = if self.at >= self.data.len() { "file-truncated" } else { "file-corrupt" };
        Error::new(code, format!("{what} at byte {}; the JSON is damaged, copy it again or correct it", self.at))
            .with("offset", self.at)
    }

    #[inline]
    fn peek(&self) -> u8 {
        self.data.get(self.at).copied().unwrap_or(0)
    }

    #[inline]
    fn space(&mut self) {
        while matches!(self.peek(), b' ' | b'\n' | b'\r' | b'\t') {
            self.at += 1;
            // Indented documents consist mostly of this.
            while self.data.get(self.at..self.at + 8) == Some(b"        ") {
                self.at += 8;
            }
        }
    }

    #[inline]
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

    /// Skips a value; `within` are the paths that may lie in it, whose first `depth` keys matched.
    fn value(&mut self, depth: usize, within: &[usize]) -> Result<()> {
        if depth > MAX_DEPTH {
            return Err(self.fail("arrays and objects are nested too deep"));
        }
        match self.peek() {
            b'{' => self.object(depth, within),
            b'[' => self.each(b']', |reader| reader.value(depth + 1, &[])),
            b'"' => self.string(&mut Vec::new()),
            b't' => self.word(b"true"),
            b'f' => self.word(b"false"),
            b'n' => self.word(b"null"),
            _ => self.number().map(|_| ()),
        }
    }

    fn object(&mut self, depth: usize, within: &[usize]) -> Result<()> {
        let (mut met, mut key) = (Vec::new(), Vec::new());
        self.each(b'}', |reader| {
            key.clear();
            reader.string(&mut key)?;
            reader.expect(b':')?;
            let inside: Vec<usize> =
                within.iter().copied().filter(|&place| reader.places[place].get(depth) == Some(&&key[..])).collect();
            if inside.iter().any(|place| met.contains(place)) {
                return Err(reader.fail(&format!("the key {:?} is there twice", String::from_utf8_lossy(&key))));
            }
            met.extend_from_slice(&inside);
            let ends = |place: &&usize| reader.places[**place].len() == depth + 1;
            match inside.iter().find(ends) {
                Some(&place) if matches!(reader.peek(), b'{' | b'[') => reader.take_table(place),
                _ => reader.value(depth + 1, &inside),
            }
        })
    }

    fn take_table(&mut self, place: usize) -> Result<()> {
        self.rest.extend_from_slice(&self.data[self.copied..self.at]);
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
        let room = (self.data.len() - self.at) / 4;
        let (blob, offsets) = (Vec::with_capacity(room), vec![0]);
        Table { shape, blob, offsets, ints: Vec::new(), floats: Vec::new() }
    }

    /// Whether the current row holds two strings, or a string and a number.
    fn row_shape(&mut self) -> Result<Shape> {
        let start = self.at;
        self.expect(b'[')?;
        self.string(&mut Vec::new())?;
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
            table.floats.push(self.number()?);
        }
        self.expect(b']')
    }

    #[inline]
    fn cell(&mut self, table: &mut Table) -> Result<()> {
        self.string(&mut table.blob)?;
        table.offsets.push(u32_of(table.blob.len()));
        Ok(())
    }

    /// Reads a string and appends its decoded bytes to `out`.
    #[inline]
    fn string(&mut self, out: &mut Vec<u8>) -> Result<()> {
        if self.peek() != b'"' {
            return Err(self.fail("a string is missing"));
        }
        self.at += 1;
        loop {
            let rest = &self.data[self.at..];
            let plain = rest.iter().position(|&byte| matches!(byte, b'"' | b'\\' | 0..=0x1F));
            let Some(plain) = plain else {
                self.at = self.data.len();
                return Err(self.fail("a string has no end"));
            };
            out.extend_from_slice(&rest[..plain]);
            self.at += plain;
            match rest[plain] {
                b'"' => {
                    self.at += 1;
                    return Ok(());
                }
                b'\\' => self.escape(out)?,
                _ => return Err(self.fail("a control character stands in a string")),
            }
        }
    }

    fn escape(&mut self, out: &mut Vec<u8>) -> Result<()> {
        self.at += 1;
        let byte = self.peek();
        self.at += 1;
        out.push(match byte {
            b'"' | b'\\' | b'/' => byte,
            b'b' => 8,
            b'f' => 12,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'u' => return self.code_point(out),
            _ => return Err(self.fail("an escape is unknown")),
        });
        Ok(())
    }

    fn code_point(&mut self, out: &mut Vec<u8>) -> Result<()> {
        let mut code = self.hex()?;
        if (0xD800..0xDC00).contains(&code) && self.data[self.at..].starts_with(b"\\u") {
            self.at += 2;
            let second = self.hex()?;
            if (0xDC00..0xE000).contains(&second) {
                code = 0x10000 + ((code - 0xD800) << 10 | (second - 0xDC00));
            }
        }
        let Some(character) = char::from_u32(code) else {
            return Err(self.fail("an escape is half of a surrogate pair"));
        };
        out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        Ok(())
    }

    fn hex(&mut self) -> Result<u32> {
        let digits = self.data.get(self.at..self.at + 4).and_then(|digits| std::str::from_utf8(digits).ok());
        let plain = digits.filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        match plain.and_then(|digits| u32::from_str_radix(digits, 16).ok()) {
            Some(value) => {
                self.at += 4;
                Ok(value)
            }
            None => Err(self.fail("an escape does not have four digits")),
        }
    }

    #[inline]
    fn int(&mut self) -> Result<u32> {
        let (start, mut value) = (self.at, 0u64);
        while let digit @ b'0'..=b'9' = self.peek() {
            value = value.saturating_mul(10).saturating_add(u64::from(digit - b'0'));
            self.at += 1;
        }
        let length = self.at - start;
        let plain = length == 1 || (length > 1 && self.data[start] != b'0');
        match u32::try_from(value) {
            Ok(value) if plain && !matches!(self.peek(), b'.' | b'e' | b'E') => Ok(value),
            _ => {
                self.at = start;
                Err(self.fail("a whole number from 0 to 4294967295 is missing"))
            }
        }
    }

    /// The current number, read as serde_json does: the nearest double, or one of its neighbours.
    fn number(&mut self) -> Result<f64> {
        let rest = &self.data[self.at..];
        let part = |byte: &u8| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
        let length = rest.iter().position(|byte| !part(byte)).unwrap_or(rest.len());
        match serde_json::from_slice::<f64>(&rest[..length]) {
            Ok(value) => {
                self.at += length;
                Ok(value)
            }
            Err(_) => Err(self.fail("a value is missing, or a number is misspelled or too large")),
        }
    }

    fn word(&mut self, word: &[u8]) -> Result<()> {
        if !self.data[self.at..].starts_with(word) {
            return Err(self.fail("a value is missing"));
        }
        self.at += word.len();
        Ok(())
    }
}
