//! One case as data: a Spec, texts, and damages to the stored form. It can be written as a row of JSON and read again.
//!
//! A row says everything, so it stays replayable when the generators change.

use std::sync::Arc;

use anypiece_core::spec::added::Added;
use anypiece_core::spec::vocab::Vocab;
use anypiece_core::util::cast::u32_of;
use anypiece_core::{Config, Spec};
use serde_json::{json, Value};

use crate::charsmap::Map;
use crate::damage::Edit;

/// A vocabulary entry; the 256 byte pieces are not listed.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Its score.
    pub score: f32,
    /// Its kind's number.
    pub kind: u8,
}

/// Everything that the checks depend on.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// The settings.
    pub config: Config,
    /// The pieces except those of kind byte.
    pub pieces: Vec<Piece>,
    /// The id of the first byte piece, if the settings have byte pieces.
    pub bytes_at: usize,
    /// The normalizer's map.
    pub charsmap: Map,
    /// The denormalizer's map.
    pub denormalizer: Map,
    /// Slots of the unit cache.
    pub learned: usize,
    /// The texts to encode.
    pub texts: Vec<Vec<u8>>,
    /// Sets of edits to the stored form, each applied to a fresh copy.
    pub damages: Vec<Vec<Edit>>,
    /// Seed of the checks' own random choices: chunkings and ids.
    pub draws: u64,
}

impl Case {
    /// The Spec, not validated.
    pub fn spec(&self) -> Spec {
        let (mut blob, mut offsets) = (Vec::new(), vec![0]);
        let (mut scores, mut kinds) = (Vec::new(), Vec::new());
        for piece in self.all_pieces() {
            blob.extend_from_slice(&piece.bytes);
            offsets.push(u32_of(blob.len()));
            scores.push(piece.score);
            kinds.push(piece.kind);
        }
        let vocab = Arc::new(Vocab::new(blob.into(), offsets.into(), scores.into(), kinds.into()));
        let (charsmap, denormalizer) = (self.charsmap.blob().into(), self.denormalizer.blob().into());
        let (merges, added) = (Arc::default(), Added::default());
        Spec { config: self.config.clone(), vocab, merges, charsmap, denormalizer, added }
    }

    fn all_pieces(&self) -> Vec<Piece> {
        let mut all = self.pieces.clone();
        if self.config.byte_fallback {
            let bytes =
                (0..=255u8).map(|byte| Piece { bytes: format!("<0x{byte:02X}>").into_bytes(), score: 0.0, kind: 6 });
            let at = self.bytes_at.min(all.len());
            all.splice(at..at, bytes);
        }
        all
    }

    /// A row of JSON, with the finding.
    pub fn to_json(&self, check: &str, what: &str) -> Value {
        let pieces = self.pieces.iter().map(|piece| json!([shown(&piece.bytes), f64::from(piece.score), piece.kind]));
        let damages = self.damages.iter().map(|edits| edits.iter().map(Edit::to_json).collect::<Vec<_>>());
        json!({
            "fuzzer": "kernel", "check": check, "what": what,
            "config": serde_json::from_str::<Value>(&self.config.to_json()).unwrap_or_default(),
            "pieces": pieces.collect::<Vec<_>>(), "bytes_at": self.bytes_at,
            "charsmap": map_to_json(&self.charsmap), "denormalizer": map_to_json(&self.denormalizer),
            "learned": self.learned, "texts": self.texts.iter().map(|text| runs(text)).collect::<Vec<_>>(),
            "damages": damages.collect::<Vec<_>>(), "draws": self.draws,
        })
    }

    /// The case of a row, or the name of a field that cannot be read.
    pub fn from_json(row: &Value) -> Result<Self, &'static str> {
        let list = |name: &'static str| row[name].as_array().ok_or(name);
        let size = |name: &'static str| row[name].as_u64().and_then(|value| usize::try_from(value).ok()).ok_or(name);
        Ok(Self {
            config: Config::from_json(&row["config"].to_string()).map_err(|_| "config")?,
            pieces: list("pieces")?.iter().map(piece_of).collect::<Option<_>>().ok_or("pieces")?,
            bytes_at: size("bytes_at")?,
            charsmap: map_of(&row["charsmap"]).ok_or("charsmap")?,
            denormalizer: map_of(&row["denormalizer"]).ok_or("denormalizer")?,
            learned: size("learned")?,
            texts: list("texts")?.iter().map(text_of).collect::<Option<_>>().ok_or("texts")?,
            damages: list("damages")?.iter().map(edits_of).collect::<Option<_>>().ok_or("damages")?,
            draws: row["draws"].as_u64().ok_or("draws")?,
        })
    }
}

/// Text as itself, other bytes as `hex:…`.
pub fn shown(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) if !text.starts_with("hex:") => text.to_owned(),
        _ => bytes.iter().fold(String::from("hex:"), |out, byte| format!("{out}{byte:02x}")),
    }
}

/// The inverse of `shown`.
pub fn hidden(value: &Value) -> Option<Vec<u8>> {
    let text = value.as_str()?;
    let Some(digits) = text.strip_prefix("hex:") else { return Some(text.as_bytes().to_vec()) };
    if digits.len() % 2 != 0 || !digits.is_ascii() {
        return None;
    }
    (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(&digits[at..at + 2], 16).ok()).collect()
}

/// A text as `[part, times]` pairs, so that a long run is a short row.
fn runs(text: &[u8]) -> Value {
    let mut parts: Vec<(Vec<u8>, usize)> = Vec::new();
    let mut single: Vec<u8> = Vec::new();
    for unit in units(text) {
        match parts.last_mut() {
            Some((last, times)) if single.is_empty() && last == unit => *times += 1,
            _ if single.ends_with(&unit.repeat(3)) => {
                single.truncate(single.len() - 3 * unit.len());
                push_part(&mut parts, &mut single);
                parts.push((unit.to_vec(), 4));
            }
            _ => single.extend_from_slice(unit),
        }
    }
    push_part(&mut parts, &mut single);
    json!(parts.iter().map(|(part, times)| json!([shown(part), times])).collect::<Vec<_>>())
}

fn push_part(parts: &mut Vec<(Vec<u8>, usize)>, single: &mut Vec<u8>) {
    if !single.is_empty() {
        parts.push((std::mem::take(single), 1));
    }
}

/// Characters where the bytes are UTF-8, else single bytes.
fn units(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let length = anypiece_core::valid_character(rest).unwrap_or(1).min(rest.len());
        let (unit, after) = rest.split_at(length);
        rest = after;
        (!unit.is_empty()).then_some(unit)
    })
}

fn text_of(value: &Value) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    for part in value.as_array()? {
        let times = usize::try_from(part[1].as_u64()?).ok()?;
        text.extend(hidden(&part[0])?.repeat(times));
    }
    Some(text)
}

#[allow(clippy::as_conversions)] // Rounding to float: the row holds a float's value as a double.
fn piece_of(value: &Value) -> Option<Piece> {
    let kind = u8::try_from(value[2].as_u64()?).ok()?;
    Some(Piece { bytes: hidden(&value[0])?, score: value[1].as_f64()? as f32, kind })
}

fn edits_of(value: &Value) -> Option<Vec<Edit>> {
    value.as_array()?.iter().map(Edit::from_json).collect()
}

fn map_to_json(map: &Map) -> Value {
    let rules = map.rules.iter().map(|(key, target)| json!([shown(key), shown(target)]));
    json!({"rules": rules.collect::<Vec<_>>(), "patches": map.patches})
}

fn map_of(value: &Value) -> Option<Map> {
    let word = |value: &Value| u32::try_from(value.as_u64()?).ok();
    let rules = value["rules"].as_array()?.iter();
    let patches = value["patches"].as_array()?.iter();
    Some(Map {
        rules: rules.map(|rule| Some((hidden(&rule[0])?, hidden(&rule[1])?))).collect::<Option<_>>()?,
        patches: patches.map(|patch| Some((word(&patch[0])?, word(&patch[1])?))).collect::<Option<_>>()?,
    })
}

#[cfg(test)]
mod tests {
    use crate::make;
    use crate::rng::Rng;

    use super::Case;

    #[test]
    fn rows_hold_the_whole_case() {
        for number in 0..200 {
            let case = make::case(&mut Rng::of_case(7, number));
            let row = case.to_json("check", "what").to_string();
            let read = serde_json::from_str(&row).ok().and_then(|row| Case::from_json(&row).ok());
            assert!(read == Some(case), "case {number}");
        }
    }
}
