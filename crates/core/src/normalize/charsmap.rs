//! The precompiled character map: leftmost-longest look-up straight from the blob.
//!
//! The blob is `trie length (u32)
//! double array of u32 units
//! NUL-terminated targets`. A value is a target's offset. The walk is that of the library that wrote the trie, unit by
//! unit, so that a NUL byte or a damaged unit behaves alike.

use crate::util::{us, Error, Result};

/// Maximum number of matches considered, the shortest first.
pub(crate) const MAX_MATCHES: usize = 32;

/// Longest target in bytes; those of Unicode's normalization forms have at most 33.
const MAX_TARGET: usize = 256;

#[derive(Clone, Copy)]
struct Unit(u32);

impl Unit {
    const fn has_leaf(self) -> bool {
        self.0 >> 8 & 1 == 1
    }
    const fn value(self) -> u32 {
        self.0 & 0x7FFF_FFFF
    }
    const fn label(self) -> u32 {
        self.0 & 0x8000_00FF
    }
    const fn offset(self) -> u32 {
        (self.0 >> 10) << ((self.0 & (1 << 9)) >> 6)
    }
}

/// The map, borrowed from its blob.
#[derive(Clone, Copy)]
pub struct Charsmap<'a> {
    units: &'a [u8],
    targets: &'a [u8],
}

/// Whether no target is too long. From the start of one the last NUL within `MAX_TARGET` is searched: those between are
/// shorter, and the next one begins after it.
fn all_are_short(mut targets: &[u8]) -> bool {
    while !targets.is_empty() {
        let reach = &targets[..targets.len().min(MAX_TARGET + 1)];
        match reach.iter().rposition(|&byte| byte == 0) {
            Some(last) => targets = &targets[last + 1..],
            None => return false,
        }
    }
    true
}

impl<'a> Charsmap<'a> {
    /// Splits the blob; `None` for an empty or damaged one.
    pub fn new(blob: &'a [u8]) -> Option<Self> {
        let (head, rest) = blob.split_first_chunk::<4>()?;
        let size = us(u32::from_le_bytes(*head));
        if size >= rest.len() || size < 1024 || size % 1024 != 0 {
            return None;
        }
        let (units, targets) = rest.split_at(size);
        Some(Self { units, targets })
    }

    /// Refuses a damaged blob. An empty one is the identity.
    pub fn check(blob: &[u8], name: &'static str) -> Result<()> {
        if blob.is_empty() {
            return Ok(());
        }
        let fail =
            |what: &str| Error::new("spec-charsmap", format!("the {name} is damaged: {what}")).with("field", name);
        let map = Charsmap::new(blob).ok_or_else(|| fail("its trie size is wrong"))?;
        if map.targets.last() != Some(&0) {
            return Err(fail("its targets do not end with NUL"));
        }
        if std::str::from_utf8(map.targets).is_err() {
            return Err(fail("its targets are not UTF-8"));
        }
        if !all_are_short(map.targets) {
            return Err(fail(&format!("a target has more than {MAX_TARGET} bytes")));
        }
        let count = map.count(); // a multiple of 256, so that all units next to one that is within are within
        let root = map.unit(0).unwrap_or(Unit(0));
        if root.label() != 0 || root.has_leaf() || root.offset() == 0 || root.offset() | 0xFF >= count {
            return Err(fail("its root is wrong"));
        }
        let is_start = |place: u32| map.targets.get(us(place)).is_some_and(|&byte| byte & 0xC0 != 0x80);
        for (index, unit) in (0..count).zip(map.units.chunks_exact(4).filter_map(<[u8]>::first_chunk)).skip(1) {
            let unit = Unit(u32::from_le_bytes(*unit));
            if unit.label() > 0xFF {
                if !is_start(unit.value()) {
                    return Err(fail("a value points outside the targets"));
                }
            } else if index ^ unit.offset() >= count {
                return Err(fail("a unit points outside the trie"));
            }
        }
        Ok(())
    }

    /// Whether each key has a target.
    pub fn is_sound(&self) -> bool {
        (0..self.count()).filter_map(|index| self.unit(index).map(|unit| (index, unit))).all(|(index, unit)| {
            let leads_on = unit.label() <= 0xFF && unit.has_leaf();
            let value = || self.unit(index ^ unit.offset()).map_or(usize::MAX, |leaf| us(leaf.value()));
            !leads_on || value() < self.targets.len()
        })
    }

    fn count(&self) -> u32 {
        crate::util::cast::u32_of(self.units.len() / 4)
    }

    #[inline(always)]
    fn unit(&self, index: u32) -> Option<Unit> {
        let start = us(index) * 4;
        let bytes = self.units.get(start..start + 4)?;
        Some(Unit(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])))
    }

    /// The longest key that `text` begins with: its length and its target.
    pub fn longest(&self, text: &[u8]) -> Option<(usize, &'a [u8])> {
        let (length, place, size) = self.longest_place(text)?;
        Some((length, self.image(place, size)))
    }

    /// The longest key that `text` begins with: its length, and offset and size of its target.
    pub fn longest_place(&self, text: &[u8]) -> Option<(usize, usize, usize)> {
        let (length, base, _) = self.walk(text).filter(|step| step.2).take(MAX_MATCHES).last()?;
        let (place, size) = self.target(base)?;
        Some((length, place, size))
    }

    /// Whether `text` is a proper prefix of some key.
    pub fn leads_on(&self, text: &[u8]) -> bool {
        let (mut length, mut base, mut matches) = (0, self.root_base(), 0);
        for (read, next, is_key) in self.walk(text) {
            (length, base) = (read, next);
            matches += usize::from(is_key);
        }
        // NUL is no byte of a key: its slot holds the value.
        length == text.len() && matches < MAX_MATCHES && (1..=0xFF).any(|byte| self.follow(base, byte).is_some())
    }

    /// The target of the shortest key that `text` begins with. A NUL ends the text.
    pub fn shortest(&self, text: &[u8]) -> Option<&'a str> {
        let text = text.split(|&byte| byte == 0).next()?;
        let (_, base, _) = self.walk(text).find(|step| step.2)?;
        let (place, size) = self.target(base)?;
        std::str::from_utf8(self.image(place, size)).ok()
    }

    /// A range of the targets; empty if it is out of bounds.
    pub fn image(&self, place: usize, size: usize) -> &'a [u8] {
        self.targets.get(place..place + size).unwrap_or(&[])
    }

    /// Offset and size of the target of the key that ends at a base.
    #[inline(always)]
    fn target(&self, base: u32) -> Option<(usize, usize)> {
        let place = us(self.unit(base)?.value());
        let size = self.targets.get(place..)?.iter().position(|&byte| byte == 0)?;
        Some((place, size))
    }

    /// Follows a text from the root as far as keys go. For each byte: the number of bytes read, the base behind it, and
    /// whether a key ends there.
    #[inline(always)]
    fn walk<'t>(&'t self, text: &'t [u8]) -> impl Iterator<Item = (usize, u32, bool)> + 't {
        let mut base = self.root_base();
        (1..).zip(text).map_while(move |(read, &byte)| {
            let (next, is_key) = self.follow(base, byte)?;
            base = next;
            Some((read, next, is_key))
        })
    }

    /// For each base the set of bytes with a transition (NUL excluded), in one pass over the units.
    pub fn children(&self) -> Vec<[u64; 4]> {
        let count = self.count();
        let mut children = vec![[0u64; 4]; us(count)];
        for index in 1..count {
            let label = self.unit(index).unwrap_or(Unit(0)).label();
            if (1..=0xFF).contains(&label) {
                let base = us(index ^ label);
                children[base][us(label >> 6)] |= 1 << (label & 63);
            }
        }
        children
    }

    /// The base that the walk starts from.
    pub fn root_base(&self) -> u32 {
        self.unit(0).map_or(0, Unit::offset)
    }

    /// From a base over a byte: the next base, and whether a key ends there.
    #[inline(always)]
    pub fn follow(&self, base: u32, byte: u8) -> Option<(u32, bool)> {
        let index = base ^ u32::from(byte);
        let unit = self.unit(index)?;
        (unit.label() == u32::from(byte)).then_some((index ^ unit.offset(), unit.has_leaf()))
    }
}
