//! Scanners of file formats and of JSON bodies that extract fields without interpreting them.

pub mod bodies;
pub mod documents;
pub mod json;
pub mod lines;
pub mod literals;
pub mod merges;
pub mod strings;
pub mod table;

use std::ops::Range;

use crate::util::{low32, low8, u32_of, us64, Error, Pace, Result};

/// Records of protobuf-wire bytes as columns.
#[derive(Default)]
pub struct WireRecords {
    /// Subfield 1 of all records, concatenated.
    pub blob: Vec<u8>,
    /// One more than there are records.
    pub offsets: Vec<u32>,
    /// Subfield 2 (fixed32) as float, 0.0 if absent.
    pub floats: Vec<f32>,
    /// Subfield 3 (varint), 0 if absent.
    pub ints: Vec<u32>,
    /// Other subfields: record and raw range.
    pub strays: Vec<(usize, usize, usize)>,
    /// Other fields: number, start, end, records before it.
    pub rest: Vec<(u32, usize, usize, usize)>,
}

/// Maximum fields besides the records, and maximum unknown subfields of a small file.
const MAX_OTHER: usize = 1024;

struct Reader<'a> {
    data: &'a [u8],
    at: usize,
    end: usize,
}

/// A field: its number, its wire type, the value of a varint, and the range of the content of all others.
type Field = (u32, u8, u64, Range<usize>);
const VARINT: u8 = 0;
const BYTES: u8 = 2;
const FIXED32: u8 = 5;

impl Reader<'_> {
    fn fail(&self, code: &'static str, what: &str) -> Error {
        Error::new(code, format!("{what} at byte {}; the file is damaged or not of this format", self.at))
            .with("offset", self.at)
    }

    fn varint(&mut self) -> Result<u64> {
        let mut value = 0u64;
        for shift in 0..10 {
            if self.at >= self.end {
                return Err(self.fail("file-truncated", "a number runs past the end"));
            }
            let byte = self.data[self.at];
            self.at += 1;
            value |= u64::from(byte & 0x7F) << (7 * shift);
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(self.fail("file-corrupt", "a number has more than ten bytes"))
    }

    fn skip(&mut self, bytes: usize) -> Result<Range<usize>> {
        let start = self.at;
        let end = start.checked_add(bytes).filter(|&end| end <= self.end);
        self.at = end.ok_or_else(|| self.fail("file-truncated", "a field runs past the end"))?;
        Ok(start..self.at)
    }

    fn field(&mut self) -> Result<Field> {
        let tag = self.varint()?;
        let number = tag >> 3;
        if number == 0 || number > 0x1FFF_FFFF {
            return Err(self.fail("file-corrupt", "a field has an impossible number"));
        }
        let (kind, mut value) = (low8(low32(tag & 7)), 0);
        let size = match kind {
            VARINT => {
                value = self.varint()?;
                0
            }
            1 => 8,
            BYTES => us64(self.varint()?),
            FIXED32 => 4,
            _ => return Err(self.fail("file-corrupt", "a field has an unknown wire type")),
        };
        Ok((low32(number), kind, value, self.skip(size)?))
    }
}

/// Splits `data`: each length-delimited `field` is a record.
pub fn wire_records(data: &[u8], field: u32) -> Result<WireRecords> {
    let mut records = WireRecords { offsets: vec![0], ..WireRecords::default() };
    let mut reader = Reader { data, at: 0, end: data.len() };
    if data.len() > 0xFFFF_0000 {
        return Err(reader.fail("file-corrupt", "the file is larger than 4 GiB"));
    }
    let mut pace = Pace::new();
    while reader.at < reader.end {
        pace.reach(reader.at);
        let start = reader.at;
        match reader.field()? {
            (number, BYTES, _, range) if number == field => record(data, range, &mut records)?,
            (number, ..) => records.rest.push((number, start, reader.at, records.floats.len())),
        }
        // Each costs the caller an object of its own; a file made of them would cost many times its size.
        if records.rest.len() > MAX_OTHER || records.strays.len() > data.len() / 16 + MAX_OTHER {
            return Err(reader.fail("file-corrupt", "more unknown fields than a real file has"));
        }
    }
    Ok(records)
}

fn record(data: &[u8], range: Range<usize>, records: &mut WireRecords) -> Result<()> {
    let mut reader = Reader { data, at: range.start, end: range.end };
    let (mut text, mut float, mut int) = (0..0, 0.0, 0);
    while reader.at < reader.end {
        let start = reader.at;
        match reader.field()? {
            (1, BYTES, _, range) => text = range,
            (2, FIXED32, _, range) => float = data[range].first_chunk().map_or(0.0, |bytes| f32::from_le_bytes(*bytes)),
            (3, VARINT, value, _) => int = u32::try_from(value).unwrap_or(u32::MAX),
            _ => records.strays.push((records.floats.len(), start, reader.at)),
        }
    }
    records.blob.extend_from_slice(&data[text]);
    records.offsets.push(u32_of(records.blob.len()));
    records.floats.push(float);
    records.ints.push(int);
    Ok(())
}
