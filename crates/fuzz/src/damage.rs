//! Damage to a stored tokenizer, as data: edits by section, with the table's checksum recomputed so that they pass it.

use anypiece_core::util::cast::{u64_of, us, us64};
use anypiece_core::Config;
use serde_json::{json, Value};
use xxhash_rust::xxh3::xxh3_64;

use crate::case::{hidden, shown};
use crate::make;
use crate::rng::Rng;

const HEADER: usize = 24;
const ROW: usize = 32;
const ALIGN: usize = 64;
const CONFIG: u32 = 1;
/// Highest number of a section.
const SECTIONS: usize = 22;

/// One change. Positions wrap around at the end of their section or file.
#[derive(Clone, Debug, PartialEq)]
pub enum Edit {
    /// Bytes of a section, overwritten.
    Set(u32, usize, Vec<u8>),
    /// A byte of a section, some bits flipped.
    Flip(u32, usize, u8),
    /// A whole section, put elsewhere with other bytes.
    Replace(u32, Vec<u8>),
    /// A word of a section's row in the table (0 id, 1 offset, 2 length, 3 checksum), overwritten.
    Row(u32, usize, u64),
    /// A byte of the header, overwritten; its checksum is left wrong.
    Header(usize, u8),
    /// The end of the file, cut off.
    Cut(usize),
}

impl Edit {
    /// As a row of JSON.
    pub fn to_json(&self) -> Value {
        match self {
            Self::Set(section, at, bytes) => json!(["set", section, at, shown(bytes)]),
            Self::Flip(section, at, mask) => json!(["flip", section, at, mask]),
            Self::Replace(section, bytes) => json!(["replace", section, shown(bytes)]),
            Self::Row(section, word, value) => json!(["row", section, word, value]),
            Self::Header(at, byte) => json!(["header", at, byte]),
            Self::Cut(keep) => json!(["cut", keep]),
        }
    }

    /// The inverse of `to_json`.
    pub fn from_json(value: &Value) -> Option<Self> {
        let number = |index: usize| value[index].as_u64();
        let size = |index: usize| usize::try_from(number(index)?).ok();
        let byte = |index: usize| u8::try_from(number(index)?).ok();
        let section = || u32::try_from(number(1)?).ok();
        match value[0].as_str()? {
            "set" => Some(Self::Set(section()?, size(2)?, hidden(&value[3])?)),
            "flip" => Some(Self::Flip(section()?, size(2)?, byte(3)?)),
            "replace" => Some(Self::Replace(section()?, hidden(&value[2])?)),
            "row" => Some(Self::Row(section()?, size(2)?, number(3)?)),
            "header" => Some(Self::Header(size(1)?, byte(2)?)),
            "cut" => Some(Self::Cut(size(1)?)),
            _ => None,
        }
    }

    fn apply(&self, file: &mut Vec<u8>) {
        match self {
            Self::Set(section, at, bytes) => {
                let Some((start, length)) = place_of(file, *section) else { return };
                let from = start + at % length.max(1);
                let size = bytes.len().min((start + length).saturating_sub(from));
                file[from..from + size].copy_from_slice(&bytes[..size]);
            }
            Self::Flip(section, at, mask) => {
                if let Some((start, length @ 1..)) = place_of(file, *section) {
                    file[start + at % length] ^= mask;
                }
            }
            Self::Replace(section, bytes) => {
                file.resize(file.len().next_multiple_of(ALIGN), 0);
                let start = u64_of(file.len());
                set_row(file, *section, 1, start);
                set_row(file, *section, 2, u64_of(bytes.len()));
                file.extend_from_slice(bytes);
            }
            Self::Row(section, word, value) => set_row(file, *section, *word, *value),
            Self::Header(..) | Self::Cut(_) => {}
        }
    }

    /// Applies the edits that must follow the recomputation of the checksum.
    fn apply_last(&self, file: &mut Vec<u8>) {
        match self {
            Self::Header(at, byte) if file.len() >= HEADER => file[at % HEADER] = *byte,
            Self::Cut(keep) => file.truncate(keep % file.len().max(1)),
            _ => {}
        }
    }
}

/// A copy of a stored tokenizer with the edits made.
pub fn damaged(stored: &[u8], edits: &[Edit]) -> Vec<u8> {
    let mut file = stored.to_vec();
    for edit in edits {
        edit.apply(&mut file);
    }
    let table = HEADER..HEADER + rows(&file) * ROW;
    let checksum = file.get(table).map(xxh3_64);
    if let Some(checksum) = checksum {
        file[16..HEADER].copy_from_slice(&checksum.to_le_bytes());
    }
    for edit in edits {
        edit.apply_last(&mut file);
    }
    file
}

fn rows(file: &[u8]) -> usize {
    let count = file.get(12..16).map_or(0, |bytes| us(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])));
    count.min(file.len().saturating_sub(HEADER) / ROW)
}

/// The start of a section's row.
fn row_of(file: &[u8], section: u32) -> Option<usize> {
    (0..rows(file)).map(|row| HEADER + row * ROW).find(|&at| file[at..at + 4] == section.to_le_bytes())
}

fn word(file: &[u8], at: usize) -> u64 {
    file[at..at + 8].iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte))
}

/// Start and length of a section, if it lies inside the file.
fn place_of(file: &[u8], section: u32) -> Option<(usize, usize)> {
    let row = row_of(file, section)?;
    let (start, length) = (us64(word(file, row + 8)), us64(word(file, row + 16)));
    (start.checked_add(length)? <= file.len()).then_some((start, length))
}

fn set_row(file: &mut [u8], section: u32, index: usize, value: u64) {
    if let Some(row) = row_of(file, section) {
        let at = row + 8 * (index % 4);
        file[at..at + 8].copy_from_slice(&value.to_le_bytes());
    }
}

/// Some edits. Most change few bytes: heavily damaged files are refused at once.
pub fn draw(rng: &mut Rng, config: &Config) -> Vec<Edit> {
    let count = 1 + rng.size(12);
    (0..count).map(|_| draw_one(rng, config)).collect()
}

fn draw_one(rng: &mut Rng, config: &Config) -> Edit {
    let section = section(rng);
    let at = if rng.percent(40) { rng.below(64) } else { rng.below(1 << 20) };
    match rng.below(100) {
        0..=39 => Edit::Flip(section, at, 1 << rng.below(8)),
        40..=74 => Edit::Set(section, at & !3, interesting(rng)),
        75..=79 => Edit::Set(section, at, random_bytes(rng, 64)),
        80..=86 => Edit::Replace(CONFIG, other_config(rng, config)),
        87..=91 => Edit::Replace(section, random_bytes(rng, 600)),
        92..=95 => Edit::Row(section, rng.below(4), row_value(rng)),
        96..=97 => Edit::Header(rng.below(HEADER), rng.byte()),
        _ => Edit::Cut(rng.below(1 << 20)),
    }
}

fn section(rng: &mut Rng) -> u32 {
    anypiece_core::util::cast::u32_of(1 + rng.below(SECTIONS))
}

fn interesting(rng: &mut Rng) -> Vec<u8> {
    let small = rng.word() % 300;
    let words =
        [0, 1, 0xFF, 0x7FFF_FFFF, 0x8000_0000, u32::MAX, 0x7F80_0000, 0xFF80_0000, 0x7FC0_0000, small, rng.word()];
    let one = *rng.pick(&words);
    let times = 1 + rng.size(6);
    one.to_le_bytes().repeat(times)
}

fn random_bytes(rng: &mut Rng, most: usize) -> Vec<u8> {
    let length = rng.size(most);
    let length = if rng.percent(50) { length.next_multiple_of(8) } else { length };
    let zero = rng.percent(30);
    (0..length).map(|_| if zero { 0 } else { rng.byte() }).collect()
}

fn row_value(rng: &mut Rng) -> u64 {
    let near = [0, 1, 3, 4, 8, 24, 63, 64, 128, 1024, u64::MAX, u64::MAX - 63, 1 << 32, 1 << 63];
    match rng.below(3) {
        0 => *rng.pick(&near),
        1 => u64_of(rng.below(1 << 14)) * 64,
        _ => u64_of(rng.below(1 << 12)),
    }
}

/// Settings that do not match the other sections.
fn other_config(rng: &mut Rng, config: &Config) -> Vec<u8> {
    let mut other = config.clone();
    make::change_config(rng, &mut other);
    other.to_json().into_bytes()
}
