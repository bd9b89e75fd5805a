//! Fuses rules that remove or isolate single characters into one pass.

use crate::normalize::Normalized;
use crate::split::rules::find::Finder;
use crate::split::rules::{Behavior, Compiled};
use crate::unicode;
use crate::util::cast::u32_of;

/// The role of a character.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// It continues the chunk.
    Kept,
    /// It is a chunk of its own.
    Isolated,
    /// It is removed.
    Removed,
}

/// Which characters are removed, and which are isolated.
pub struct Simple {
    removed: u16,
    isolated: u16,
    ascii: [Fate; 128],
}

impl Simple {
    /// The rules as one, if they are all of this kind.
    pub fn of(rules: &[Compiled]) -> Option<Self> {
        let (mut removed, mut isolated) = (0, 0);
        for rule in rules {
            match rule {
                Compiled::Split(Finder::Class(flags), Behavior::Removed, false) => removed |= flags,
                Compiled::Split(Finder::Class(flags), Behavior::Isolated, false) => isolated |= flags,
                _ => return None,
            }
        }
        let ascii = std::array::from_fn(|code| {
            u8::try_from(code).map_or(Fate::Kept, |byte| fate(char::from(byte), removed, isolated))
        });
        Some(Self { removed, isolated, ascii })
    }

    /// Appends the chunks of a text.
    pub fn run(&self, text: &str, out: &mut Normalized) {
        out.reserve(text.len());
        let bytes = text.as_bytes();
        let (mut start, mut at) = (0, 0);
        while let Some(&byte) = bytes.get(at) {
            let (fate, length) = match self.ascii.get(usize::from(byte)) {
                Some(&fate) => (fate, 1),
                None => {
                    let c = text[at..].chars().next().unwrap_or(char::REPLACEMENT_CHARACTER);
                    (fate(c, self.removed, self.isolated), c.len_utf8())
                }
            };
            if fate != Fate::Kept {
                chunk(&bytes[start..at], out);
                start = at + length;
                if fate == Fate::Isolated {
                    chunk(&bytes[at..start], out);
                }
            }
            at += length;
        }
        chunk(&bytes[start..], out);
    }
}

fn fate(c: char, removed: u16, isolated: u16) -> Fate {
    match unicode::flags(c) {
        flags if flags & removed != 0 => Fate::Removed,
        flags if flags & isolated != 0 => Fate::Isolated,
        _ => Fate::Kept,
    }
}

/// Appends a non-empty chunk; there is room.
#[inline]
fn chunk(bytes: &[u8], out: &mut Normalized) {
    if !bytes.is_empty() {
        out.bytes[out.len..out.len + bytes.len()].copy_from_slice(bytes);
        out.len += bytes.len();
        out.chunks.push(u32_of(out.len));
    }
}
