//! Character classes of the normalizer: which characters it provably leaves unchanged, so that runs of them are copied.
//!
//! Derived from the character map and the shielded symbols when a Spec is compiled. The classes are conservative: a
//! character that is not known to be unchanged takes the slow step, which is the definition.

use bytemuck::cast_slice;

use crate::normalize::charsmap::Charsmap;
use crate::util::simd::{between, equal, places, Block};
use crate::util::{low8, us, Column};

/// No key begins with the character.
pub const UNCHANGED: u8 = 0;
/// A proper prefix of keys only; unchanged unless a character with [`LATER`] follows.
pub const STARTER: u8 = 1;
/// Take the slow step.
pub const SLOW: u8 = 2;
/// A key by itself: its image is known, unless a character with [`LATER`] follows.
pub const MAPPED: u8 = 3;
/// The bits of the four classes above.
pub const CLASS: u8 = 3;
/// Some key has the character in second or later position.
pub const LATER: u8 = 4;

/// First bytes of the characters from U+4000 to U+9FFF, nearly all of them Chinese.
pub const HAN: (u8, u8) = (0xE4, 0xE9);
const HAN_CHARACTERS: std::ops::Range<usize> = 0x4000..0xA000;

const BMP: usize = 0x1_0000;
const SPACE_MARK: usize = 0x2581;

/// Printable ASCII characters that may change while the others are still copied in blocks: those that open shielded symbols,
/// mostly `<` and `[`.
const MAX_UNLIKE: usize = 2;
/// DEL stands for no exception.
const NO_BYTE: u8 = 0x7F;

/// The classes of all characters.
pub struct Classes {
    /// One byte for each character of the basic plane.
    chars: Column<u8>,
    /// For each character of the basic plane with class [`MAPPED`]: where its image begins, `<< 8`, and its length.
    images: Column<u32>,
    /// The image of each ASCII byte, or 0 for the slow step. Valid only where no non-ASCII byte follows.
    ascii: [u8; 128],
    /// The bytes from space to tilde that do not stay themselves, then DEL; `None` if there are more.
    unlike: Option<[u8; MAX_UNLIKE]>,
    /// Every character whose first byte is one of [`HAN`] is left unchanged.
    han_is_unchanged: bool,
    /// Longest key in bytes; `None` if the trie has a cycle.
    pub(crate) longest_key: Option<usize>,
}

/// The classes, borrowed once per call.
#[derive(Clone, Copy)]
pub struct ClassView<'a> {
    /// Class and flags of each character of the basic plane.
    pub chars: &'a [u8; BMP],
    images: &'a [u32],
    /// See [`Classes`].
    pub ascii: &'a [u8; 128],
    /// See [`Classes`].
    unlike: Option<[u8; MAX_UNLIKE]>,
    /// See [`Classes`].
    pub han_is_unchanged: bool,
}

impl ClassView<'_> {
    /// Mask of the bytes of a block that are printable ASCII and stay themselves; 0 where most do not.
    #[inline(always)]
    pub fn unchanged_ascii(&self, block: &Block) -> u64 {
        let Some(unlike) = self.unlike else { return 0 };
        let some = unlike.iter().filter(|&&byte| byte != NO_BYTE);
        some.fold(between(block, b' ', b'~'), |unchanged, &byte| unchanged & !equal(block, byte))
    }

    /// Class and flags of a character of the basic plane.
    #[inline(always)]
    pub fn of(&self, character: u32) -> u8 {
        self.chars[us(character & 0xFFFF)]
    }

    /// Offset and length of the image of a [`MAPPED`] character among the targets.
    #[inline(always)]
    pub fn image(&self, character: u32) -> (usize, usize) {
        let packed = self.images.get(us(character)).copied().unwrap_or(0);
        (us(packed >> 8), us(packed & 0xFF))
    }
}

impl Classes {
    /// Derives the classes. Where spaces are escaped, a literal space mark changes its form and is never unchanged.
    pub fn build(charsmap: Option<Charsmap<'_>>, shielded: &[&[u8]], escape: bool) -> Self {
        let mut chars = vec![UNCHANGED; BMP];
        let mut longest_key = Some(0);
        let mut images = Column::default();
        if let Some(map) = charsmap {
            let children = map.children();
            let budget = 64 * children.len() + 65_536;
            longest_key = Walk { map, children, chars: &mut chars, budget }.run();
            if longest_key.is_none() {
                chars.fill(SLOW | LATER);
            }
            // A NUL can be matched by an empty unit of the trie, so it is never unchanged.
            chars[0] = SLOW | LATER;
            images = find_images(map, &mut chars).into();
        }
        if escape && chars[SPACE_MARK] & CLASS != MAPPED {
            chars[SPACE_MARK] = chars[SPACE_MARK] & !CLASS | SLOW;
        }
        chars[0xD800..0xE000].fill(SLOW | LATER);
        // Last, because a character that opens a shielded symbol is slow even if the map has an image for it.
        let ascii = ascii_images(charsmap, &mut chars, shielded);
        let longest_symbol = shielded.iter().map(|symbol| symbol.len()).max().unwrap_or(0);
        Self::new(chars.into(), images, ascii, longest_key.map(|longest| longest.max(longest_symbol)))
    }

    fn new(chars: Column<u8>, images: Column<u32>, ascii: [u8; 128], longest_key: Option<usize>) -> Self {
        let han_is_unchanged = chars[HAN_CHARACTERS].iter().all(|&class| class == UNCHANGED);
        Self { chars, images, ascii, unlike: unlike_bytes(&ascii), han_is_unchanged, longest_key }
    }

    /// Takes stored classes: the characters, then the ASCII row, then the length of the longest key.
    pub fn from_columns(chars: Column<u8>, images: Column<u32>, extra: &[u8]) -> Option<Self> {
        let (row, tail) = extra.split_first_chunk::<128>()?;
        let (longest, flag) = tail.split_first_chunk::<8>()?;
        let longest = u64::from_le_bytes(*longest);
        if chars.len() != BMP || flag.len() != 1 {
            return None;
        }
        let longest_key = (longest != u64::MAX).then(|| crate::util::cast::us64(longest));
        Some(Self::new(chars, images, *row, longest_key))
    }

    /// The columns for storing.
    pub fn to_columns(&self) -> (&[u8], &Column<u32>, Vec<u8>) {
        let longest = self.longest_key.map_or(u64::MAX, crate::util::cast::u64_of);
        let extra = [&self.ascii[..], cast_slice(&[longest.to_le()]), &[u8::from(self.unlike.is_some())]].concat();
        (&self.chars, &self.images, extra)
    }

    /// Borrows them.
    pub fn view(&self) -> ClassView<'_> {
        static SLOWEST: [u8; BMP] = [SLOW | LATER; BMP];
        ClassView {
            chars: self.chars.first_chunk().unwrap_or(&SLOWEST),
            images: &self.images,
            ascii: &self.ascii,
            unlike: self.unlike,
            han_is_unchanged: self.han_is_unchanged,
        }
    }
}

/// The printable bytes that a row of ASCII images changes, or `None` if they are many. The DEL that fills the array is not
/// printable.
fn unlike_bytes(ascii: &[u8; 128]) -> Option<[u8; MAX_UNLIKE]> {
    let mut found = [NO_BYTE; MAX_UNLIKE];
    let unlike = (0x20u8..0x7F).filter(|&byte| ascii[usize::from(byte)] != byte);
    unlike.enumerate().try_for_each(|(index, byte)| found.get_mut(index).map(|place| *place = byte))?;
    Some(found)
}

/// The image of each ASCII byte, see [`Classes`]. A character that opens a shielded symbol becomes slow.
fn ascii_images(charsmap: Option<Charsmap<'_>>, chars: &mut [u8], shielded: &[&[u8]]) -> [u8; 128] {
    let mut images = [0; 128];
    for (byte, image) in (0u8..).zip(&mut images) {
        *image = match (charsmap, chars[usize::from(byte)] & CLASS) {
            (_, UNCHANGED) => byte,
            (Some(map), class) => ascii_image(map, byte, class),
            (None, _) => 0,
        };
    }
    for symbol in shielded {
        let Some(&first) = symbol.first() else { continue };
        if first < 128 {
            let alone = shielded.iter().all(|other| other.first() != Some(&first) || other.len() == 1);
            images[usize::from(first)] = if alone { first } else { 0 };
        }
        if let Some(character) = std::str::from_utf8(symbol).ok().and_then(|text| text.chars().next()) {
            if let Some(class) = chars.get_mut(us(u32::from(character))) {
                *class = *class & !CLASS | SLOW;
            }
        }
    }
    images
}

/// Turns slow characters that are keys by themselves into mapped ones, and returns their images.
fn find_images(map: Charsmap<'_>, chars: &mut [u8]) -> Vec<u32> {
    let mut images = vec![0; BMP];
    for (character, class) in (0u32..).zip(chars.iter_mut()) {
        if *class & CLASS != SLOW || character < 0x80 {
            continue;
        }
        let mut buffer = [0; 4];
        let Some(text) = char::from_u32(character).map(|character| character.encode_utf8(&mut buffer)) else {
            continue;
        };
        let Some((length, place, size)) = map.longest_place(text.as_bytes()) else { continue };
        if let (true, Ok(place), Ok(size)) =
            (length == text.len() && place < 1 << 24, u32::try_from(place), u8::try_from(size))
        {
            images[us(character)] = place << 8 | u32::from(size);
            *class = *class & !CLASS | MAPPED;
        }
    }
    images
}

/// The image of an ASCII byte before another ASCII byte (or the end), or 0 if it takes more than a table.
fn ascii_image(map: Charsmap<'_>, byte: u8, class: u8) -> u8 {
    let Some((base, _)) = map.follow(map.root_base(), byte) else { return byte };
    if byte == 0 || (0u8..128).any(|next| map.follow(base, next).is_some()) {
        return 0;
    }
    match map.longest(&[byte]) {
        None if class == STARTER => byte,
        Some((1, [target])) if *target < 128 && *target != 0 => *target,
        _ => 0,
    }
}

struct Walk<'a, 'm> {
    map: Charsmap<'m>,
    children: Vec<[u64; 4]>,
    chars: &'a mut [u8],
    budget: usize,
}

impl Walk<'_, '_> {
    /// Visits every character of every key once; returns the length of the longest key, `None` if a key is no UTF-8 or
    /// the trie has a cycle.
    fn run(&mut self) -> Option<usize> {
        let (mut level, mut longest) = (vec![self.map.root_base()], 0);
        // A key has no more characters than the trie has units; a cycle would never end.
        for depth in 1..=64 {
            let mut next = Vec::new();
            for base in level {
                self.characters(base, depth == 1, &mut next)?;
            }
            if next.is_empty() {
                return Some(longest);
            }
            longest = 4 * depth;
            next.sort_unstable();
            next.dedup();
            level = next;
        }
        None
    }

    /// The bytes with a transition from a base, ascending.
    fn bytes_from(&self, base: u32) -> impl Iterator<Item = u8> {
        let words = self.children.get(us(base)).copied().unwrap_or_default();
        (0..).zip(words).flat_map(|(word, bits)| places(bits).map(move |bit| low8(word << 6 | bit)))
    }

    fn characters(&mut self, base: u32, first: bool, next: &mut Vec<u32>) -> Option<()> {
        for lead in self.bytes_from(base) {
            let (length, bits) = match lead {
                0x01..=0x7F => (1, u32::from(lead)),
                0xC2..=0xDF => (2, u32::from(lead & 0x1F)),
                0xE0..=0xEF => (3, u32::from(lead & 0x0F)),
                0xF0..=0xF4 => (4, u32::from(lead & 0x07)),
                _ => return None,
            };
            self.tail(self.map.follow(base, lead)?, length - 1, bits, first, next)?;
        }
        Some(())
    }

    fn tail(
        &mut self,
        (base, leaf): (u32, bool),
        left: u32,
        character: u32,
        first: bool,
        next: &mut Vec<u32>,
    ) -> Option<()> {
        self.budget = self.budget.checked_sub(1)?;
        if left == 0 {
            self.mark(character, leaf, first);
            next.push(base);
            return Some(());
        }
        if leaf {
            return None;
        }
        for byte in self.bytes_from(base) {
            let bits = (byte & 0xC0 == 0x80).then_some(u32::from(byte & 0x3F))?;
            self.tail(self.map.follow(base, byte)?, left - 1, character << 6 | bits, first, next)?;
        }
        Some(())
    }

    fn mark(&mut self, character: u32, leaf: bool, first: bool) {
        let Some(class) = self.chars.get_mut(us(character)) else { return };
        if first {
            *class = *class & !CLASS | if leaf { SLOW } else { STARTER };
        } else {
            *class |= LATER;
        }
    }
}
