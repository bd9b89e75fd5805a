//! Scanners of file formats that extract fields without interpreting them.

pub mod json;
pub mod lines;
pub mod strings;
pub mod table;

use crate::util::cast::{low32, u32_of, us64};
use crate::util::error::{Error, Result};
use crate::util::interrupt::Pace;

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

enum Value {
    Varint(u64),
    Fixed32([u8; 4]),
    Fixed64,
    Bytes(usize, usize),
}

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

    fn skip(&mut self, bytes: usize) -> Result<usize> {
        let start = self.at;
        match start.checked_add(bytes) {
            Some(end) if end <= self.end => {
                self.at = end;
                Ok(start)
            }
            _ => Err(self.fail("file-truncated", "a field runs past the end")),
        }
    }

    fn field(&mut self) -> Result<(u32, Value)> {
        let tag = self.varint()?;
        let number = tag >> 3;
        if number == 0 || number > 0x1FFF_FFFF {
            return Err(self.fail("file-corrupt", "a field has an impossible number"));
        }
        let value = match tag & 7 {
            0 => Value::Varint(self.varint()?),
            1 => {
                self.skip(8)?;
                Value::Fixed64
            }
            2 => {
                let length = us64(self.varint()?);
                let start = self.skip(length)?;
                Value::Bytes(start, start + length)
            }
            5 => {
                let start = self.skip(4)?;
                let bytes = &self.data[start..start + 4];
                Value::Fixed32([bytes[0], bytes[1], bytes[2], bytes[3]])
            }
            _ => return Err(self.fail("file-corrupt", "a field has an unknown wire type")),
        };
        Ok((low32(number), value))
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
            (number, Value::Bytes(from, to)) if number == field => record(data, from, to, &mut records)?,
            (number, _) => records.rest.push((number, start, reader.at, records.floats.len())),
        }
        // Each costs the caller an object of its own; a file made of them would cost many times its size.
        if records.rest.len() > MAX_OTHER || records.strays.len() > data.len() / 16 + MAX_OTHER {
            return Err(reader.fail("file-corrupt", "more unknown fields than a real file has"));
        }
    }
    Ok(records)
}

fn record(data: &[u8], from: usize, to: usize, records: &mut WireRecords) -> Result<()> {
    let mut reader = Reader { data, at: from, end: to };
    let (mut text, mut float, mut int) = ((from, from), 0.0, 0);
    while reader.at < reader.end {
        let start = reader.at;
        match reader.field()? {
            (1, Value::Bytes(from, to)) => text = (from, to),
            (2, Value::Fixed32(bytes)) => float = f32::from_le_bytes(bytes),
            (3, Value::Varint(value)) => int = u32::try_from(value).unwrap_or(u32::MAX),
            _ => records.strays.push((records.floats.len(), start, reader.at)),
        }
    }
    records.blob.extend_from_slice(&data[text.0..text.1]);
    records.offsets.push(u32_of(records.blob.len()));
    records.floats.push(float);
    records.ints.push(int);
    Ok(())
}
