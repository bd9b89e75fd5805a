//! A bounded cache from short byte strings to short lists of numbers: 32 bytes an entry, mostly one probe a look-up.
//!
//! Strings of up to 15 bytes are stored in the key, their length in its last byte; up to three numbers are stored in
//! the entry, longer lists in a side array. The table starts small and grows fourfold, up to a bound; from there an
//! entry that finds no free slot within [`PROBES`] evicts another. Losing an entry never changes a result.

use bytemuck::{Pod, Zeroable};

use crate::util::huge_page_vec::HugePageVec;
use crate::util::{low64, prefetch, u32_of, u64_of, us, us64};

/// Maximum probe distance, in slots.
pub const PROBES: usize = 8;
/// Longest string that fits a key, in bytes.
pub const MAX_KEY: usize = 15;
const INLINE: usize = 3;
/// Words copied per entry: the inline numbers and the word after them.
pub const ENTRY_WORDS: usize = INLINE + 1;
const MAX_LIST: usize = 255;
/// Set where an entry has flags or more than three numbers.
const OVERFLOW: u32 = 1 << 31;

/// A string and its numbers.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C, align(32))]
pub struct Entry {
    /// All zero = free.
    key: [u64; 2],
    /// The numbers, or (start in the side array, unused, unused). In the last word, bits 0–7: the number of numbers;
    /// 16–30: flags of the caller; 31: [`OVERFLOW`].
    list: [u32; ENTRY_WORDS],
}

/// A key for look-up.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Key {
    words: [u64; 2],
}

/// For each length the mask of the two words that hold the string, and its length in the last byte.
const MASKS: [[u64; 4]; MAX_KEY + 1] = masks();

const fn masks() -> [[u64; 4]; MAX_KEY + 1] {
    let mut masks = [[0; 4]; MAX_KEY + 1];
    let (mut len, mut last) = (1, 0);
    while len <= MAX_KEY {
        last += 1 << 56;
        let words = if len < 8 { [(1 << (8 * len)) - 1, 0] } else { [u64::MAX, (1 << (8 * (len - 8))) - 1] };
        masks[len] = [words[0], words[1], last, 0];
        len += 1;
    }
    masks
}

impl Key {
    /// The `len` bytes at `at`; 16 bytes must be readable there. A longer string gives a key that is never stored.
    #[inline(always)]
    pub fn load(bytes: &[u8], at: usize, len: usize) -> Self {
        match bytes.get(at..at + 16).and_then(<[u8]>::first_chunk) {
            Some(raw) if len <= MAX_KEY => Self::short(raw, len),
            _ => Self::too_long(),
        }
    }

    /// The key of all strings that are too long; it is never stored.
    pub fn too_long() -> Self {
        Self { words: [0, u64_of(MAX_KEY + 1) << 56] }
    }

    /// The first `len` modulo 16 of 16 bytes.
    #[inline(always)]
    pub fn short(raw: &[u8; 16], len: usize) -> Self {
        // In two halves that stay in registers: assembled in memory, the key would stall on store forwarding when it is
        // read as one.
        let word = |half: Option<&[u8; 8]>| half.map_or(0, |raw| u64::from_le_bytes(*raw));
        let [first, second, behind, _] = MASKS[len % (MAX_KEY + 1)];
        Self { words: [word(raw.first_chunk()) & first, word(raw.last_chunk()) & second | behind] }
    }

    /// The string's bytes, zeros, and its length in the last byte: more than [`MAX_KEY`] if the string is too long.
    pub fn bytes(self) -> [u8; 16] {
        (u128::from(self.words[0]) | u128::from(self.words[1]) << 64).to_le_bytes()
    }

    /// Whether all bytes of the string are ASCII; it must not be too long.
    pub const fn is_ascii(self) -> bool {
        (self.words[0] | self.words[1] & (u64::MAX >> 8)) & 0x8080_8080_8080_8080 == 0
    }

    /// The key that has these [`Key::bytes`].
    pub fn of_bytes(bytes: [u8; 16]) -> Self {
        let whole = u128::from_le_bytes(bytes);
        Self { words: [low64(whole), low64(whole >> 64)] }
    }

    /// The key of the string in a second namespace, disjoint from the first.
    pub const fn other(self) -> Self {
        Self { words: [self.words[0], self.words[1] | 1 << 63] }
    }

    /// Whether the string is too long to be a key.
    pub const fn is_long(self) -> bool {
        us64(self.words[1] >> 56 & 0x7F) > MAX_KEY
    }

    /// A hash whose high bits choose the slot.
    #[inline(always)]
    pub fn hash(self) -> u64 {
        (self.words[0] ^ self.words[1].rotate_left(29)).wrapping_mul(0x9E37_79B9_7F4A_7C15)
    }
}

/// The first slot of a hash in a table whose number of slots is a power of two with this shift.
pub const fn slot(hash: u64, shift: u32) -> usize {
    us64(hash >> shift)
}

/// The shift for a table of `slots` slots, a power of two above one.
pub const fn shift_of(slots: usize) -> u32 {
    64 - slots.trailing_zeros()
}

impl Entry {
    const fn meta(&self) -> u32 {
        self.list[INLINE]
    }

    /// The number of numbers.
    pub fn count(&self) -> usize {
        us(self.meta() & 0xFF)
    }

    /// The caller's flags.
    pub fn flags(&self) -> u32 {
        self.meta() >> 16 & 0x7FFF
    }

    /// The numbers of an entry without flags that has at most three.
    #[inline(always)]
    pub fn simple(&self) -> Option<&[u32; INLINE]> {
        self.copied()?.first_chunk()
    }

    /// The inline words including unspecified ones after the list, so that a fixed number of words is copied.
    #[inline(always)]
    pub fn copied(&self) -> Option<&[u32; ENTRY_WORDS]> {
        (self.meta() & OVERFLOW == 0).then_some(&self.list)
    }

    /// All numbers, given the side array of the table.
    #[inline]
    pub fn list<'a>(&'a self, more: &'a [u32]) -> &'a [u32] {
        let count = self.count();
        if count <= INLINE {
            &self.list[..count]
        } else {
            let start = us(self.list[0]);
            more.get(start..start + count).unwrap_or(&[])
        }
    }
}

/// A table, borrowed once per call.
#[derive(Clone, Copy)]
pub struct TableView<'a> {
    entries: &'a [Entry],
    shift: u32,
}

impl<'a> TableView<'a> {
    /// Prefetches the cache line that a hash leads to.
    #[inline(always)]
    pub fn prefetch(&self, hash: u64) {
        prefetch(self.entries, slot(hash, self.shift));
    }

    /// The entry of `key`.
    #[inline(always)]
    pub fn find(&self, key: Key, hash: u64) -> Option<&'a Entry> {
        let start = slot(hash, self.shift);
        let first = self.entries.get(start)?;
        if first.key == key.words {
            return Some(first);
        }
        // By its words: a key assembled in memory would stall on store forwarding.
        find_behind(self.entries, key.words[0], key.words[1], start)
    }
}

/// The entry of a key that is not in its first slot.
#[cold]
#[inline(never)]
fn find_behind(entries: &[Entry], first: u64, second: u64, start: usize) -> Option<&Entry> {
    for entry in entries.get(start..start + PROBES)? {
        if entry.key[0] == first && entry.key[1] == second {
            return Some(entry);
        }
        if entry.key[1] == 0 {
            return None;
        }
    }
    None
}

/// The table.
#[derive(Default)]
pub struct Table {
    entries: HugePageVec<Entry>,
    /// Numbers of the lists longer than three.
    pub(crate) more: Vec<u32>,
    filled: usize,
    /// Maximum number of slots.
    pub(crate) most: usize,
    shift: u32,
}

/// Slots of a new table.
const FIRST_SLOTS: usize = 4096;
/// Growth factor.
const GROWTH: usize = 4;

impl Table {
    /// A table that grows to at most `most` slots, rounded up to a power of two; 0 for one that takes nothing.
    pub fn new(most: usize) -> Self {
        let most = if most == 0 { 0 } else { most.max(PROBES).next_power_of_two() };
        let mut table = Self { most, shift: 63, ..Self::default() };
        if most > 0 {
            table.resize(most.min(FIRST_SLOTS));
        }
        table
    }

    fn resize(&mut self, slots: usize) {
        self.entries = HugePageVec::new(slots + PROBES);
        self.shift = shift_of(slots);
        self.filled = 0;
    }

    /// Number of slots in which a key can begin: a power of two, or 0.
    pub fn slots(&self) -> usize {
        self.entries.len().saturating_sub(PROBES)
    }

    /// Borrows it.
    pub fn view(&self) -> TableView<'_> {
        TableView { entries: &self.entries, shift: self.shift }
    }

    /// Whether it takes no further entry before it is cleared.
    pub fn is_full(&self) -> bool {
        self.is_crowded() && self.slots() == self.most || self.more.len() >= self.most.saturating_mul(2)
    }

    /// Whether the load exceeds five eighths of the slots.
    fn is_crowded(&self) -> bool {
        self.filled >= self.slots() / 8 * 5
    }

    /// Number of entries.
    pub const fn len(&self) -> usize {
        self.filled
    }

    /// Removes all entries, keeps the memory.
    pub fn clear(&mut self) {
        self.entries.fill(Zeroable::zeroed());
        self.more.clear();
        self.filled = 0;
    }

    /// Adds an entry; the key must not be present yet.
    pub fn insert(&mut self, key: Key, hash: u64, list: &[u32], flags: u32) {
        if key.words[1] == 0 || key.is_long() || list.len() > MAX_LIST || self.most == 0 {
            return;
        }
        if self.is_crowded() && self.slots() < self.most {
            self.grow();
        }
        // Number by number, so that the entry is assembled in registers: what is copied to memory in parts and read as
        // a whole stalls on store forwarding.
        let number = |index: usize| list.get(index).copied().unwrap_or(0);
        let complex = if list.len() > INLINE || flags != 0 { OVERFLOW } else { 0 };
        let mut inline = [number(0), number(1), number(2), u32_of(list.len()) | flags << 16 | complex];
        if list.len() > INLINE {
            inline[0] = u32_of(self.more.len());
            self.more.extend_from_slice(list);
        }
        self.place(Entry { key: key.words, list: inline }, hash);
    }

    /// Replaces the numbers of an entry that has three.
    pub fn replace(&mut self, key: Key, hash: u64, list: [u32; INLINE]) {
        let first = slot(hash, self.shift);
        let entries = self.entries.get_mut(first..first + PROBES).unwrap_or_default();
        let is_it = |entry: &&mut Entry| entry.key == key.words && entry.meta() == u32_of(INLINE);
        if let Some(entry) = entries.iter_mut().find(is_it) {
            entry.list[..INLINE].copy_from_slice(&list);
        }
    }

    fn free_slot(&self, hash: u64) -> Option<usize> {
        let first = slot(hash, self.shift);
        let entries = self.entries.get(first..first + PROBES)?;
        entries.iter().position(|entry| entry.key[1] == 0).map(|place| first + place)
    }

    /// Puts an entry into a free slot; where there is none, it evicts another.
    #[inline(always)]
    fn place(&mut self, entry: Entry, hash: u64) {
        let free = self.free_slot(hash);
        let chosen = free.unwrap_or_else(|| slot(hash, self.shift) + us64(hash) % PROBES);
        self.entries[chosen] = entry;
        self.filled += usize::from(free.is_some());
    }

    #[cold]
    fn grow(&mut self) {
        let slots = (self.slots() * GROWTH).min(self.most);
        let entries = std::mem::take(&mut self.entries);
        self.resize(slots);
        for &entry in entries.iter().filter(|entry| entry.key[1] != 0) {
            self.place(entry, Key { words: entry.key }.hash());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(text: &[u8]) -> Key {
        let mut padded = [0u8; 32];
        padded[..text.len()].copy_from_slice(text);
        Key::load(&padded, 0, text.len())
    }

    #[test]
    fn numbers_are_replaced_where_there_are_three() {
        let mut table = Table::new(64);
        insert(&mut table, b"one", &[1, 2, 3], 0);
        insert(&mut table, b"two", &[1, 2], 0);
        for text in [&b"one"[..], b"two", b"six"] {
            table.replace(key(text), key(text).hash(), [7, 8, 9]);
        }
        let found = |text: &[u8]| table.view().find(key(text), key(text).hash()).map(|found| found.list(&table.more));
        assert_eq!([found(b"one"), found(b"two"), found(b"six")], [Some(&[7, 8, 9][..]), Some(&[1, 2]), None]);
    }

    fn insert(table: &mut Table, text: &[u8], list: &[u32], flags: u32) {
        table.insert(key(text), key(text).hash(), list, flags);
    }

    fn find<'t>(table: &'t Table, text: &[u8]) -> Option<&'t Entry> {
        table.view().find(key(text), key(text).hash())
    }

    #[test]
    fn finds_lists_of_every_length() {
        let mut table = Table::new(64);
        insert(&mut table, b"a", &[7], 0);
        insert(&mut table, b"a\0", &[8, 9, 10], 1);
        insert(&mut table, b"0123456789abcde", &[1, 2, 3, 4, 5], 0);
        for (text, expected) in [(&b"a"[..], &[7][..]), (b"a\0", &[8, 9, 10]), (b"0123456789abcde", &[1, 2, 3, 4, 5])] {
            let found = find(&table, text);
            assert_eq!(found.map(|found| found.list(&table.more)), Some(expected));
        }
        assert!(find(&table, b"b").is_none());
    }

    #[test]
    fn grows_and_keeps_what_it_holds() {
        let mut table = Table::new(1 << 17);
        let mut texts = Vec::new();
        while !table.is_full() {
            let text = format!("{:x}", texts.len() * 7919);
            let number = u32_of(texts.len());
            insert(&mut table, text.as_bytes(), &[number, 1, 2, 3][..1 + texts.len() % 4], 0);
            texts.push(text);
        }
        assert_eq!(table.slots(), 1 << 17);
        let kept = texts.iter().zip(0u32..).filter(|(text, number)| {
            let list = find(&table, text.as_bytes()).map(|found| found.list(&table.more).to_vec());
            assert!(list.is_none() || list.as_deref() == Some(&[*number, 1, 2, 3][..1 + us(*number) % 4]));
            list.is_some()
        });
        let kept = kept.count();
        assert!(kept * 100 > texts.len() * 97, "{kept} of {}", texts.len());
    }

    #[test]
    fn a_key_has_the_bytes_and_their_number() {
        let bytes: [u8; 32] = std::array::from_fn(|at| 0xF0 - at.to_le_bytes()[0]);
        for at in 0..=16 {
            for len in 1..=MAX_KEY {
                let mut wanted = [0; 16];
                wanted[..len].copy_from_slice(&bytes[at..at + len]);
                wanted[15] = len.to_le_bytes()[0];
                let found = Key::load(&bytes, at, len);
                assert!(found.bytes() == wanted && !found.is_long() && found == Key::of_bytes(wanted));
            }
            assert!(Key::load(&bytes, at, 16).is_long() && Key::load(&bytes, at, 300).is_long());
        }
        assert!(Key::load(&bytes, 17, 3).is_long() && Key::load(&bytes, 40, 3).is_long());
    }

    #[test]
    fn ascii_is_told_from_the_bytes_alone() {
        for length in 1..=MAX_KEY {
            assert!(key(&vec![b'~'; length]).is_ascii() && key(&vec![b'~'; length]).other().is_ascii());
            for place in 0..length {
                let mut text = vec![b'~'; length];
                text[place] = 0x80;
                assert!(!key(&text).is_ascii());
            }
        }
    }

    #[test]
    fn a_table_without_slots_answers_nothing() {
        let mut table = Table::new(0);
        insert(&mut table, b"a", &[7], 0);
        assert!(table.len() == 0 && table.is_full());
        assert!(find(&table, b"a").is_none());
    }
}
