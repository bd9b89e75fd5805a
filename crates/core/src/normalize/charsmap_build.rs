//! Builds the precompiled character map from rules, in the format of SentencePiece, llama.cpp and tokenizers.
//!
//! Keys are first compiled to a minimal automaton (DAWG) that shares equal suffixes: thanks to it the named rules,
//! 225,000 keys, take a quarter of a megabyte. The automaton is laid out as a double array in blocks of 256 units. The
//! output does not depend on the order of the rules.

use std::collections::{BTreeMap, HashMap};

use crate::normalize::charsmap::MAX_MATCHES;
use crate::util::cast::{low8, u32_of, us};
use crate::util::error::{Error, Result};

/// Units of a block: the children of a node share one, since they differ from its base in a byte.
const BLOCK: usize = 256;
/// A leaf: no byte equals its label. One with the value 0 fills every unused unit.
const LEAF: u32 = 1 << 31;
const HAS_LEAF: u32 = 1 << 8;
/// Maximum number of units that an offset can address from anywhere.
const MAX_UNITS: usize = 1 << 21;
/// Maximum bytes of all targets that a value can address.
const MAX_TARGETS: usize = (1 << 31) - 1;
/// Number of last blocks that are searched for a free place.
const OPEN_BLOCKS: usize = 16;

/// A text, and its replacement.
pub type Rule<'a> = (&'a [u8], &'a [u8]);
/// Where each target begins.
type Places<'a> = BTreeMap<&'a [u8], u32>;

/// The map of rules; no rules make an empty one.
///
/// # Errors
/// `rule-invalid` for a rule that is empty, is no UTF-8, has a NUL, or contradicts another; `rule-limit` if keys, targets or the
/// number of keys that are the beginning of one key are beyond what a map can hold.
pub fn compile(rules: &[Rule<'_>]) -> Result<Vec<u8>> {
    for (row, rule) in rules.iter().enumerate() {
        check(row, rule.0, rule.1)?;
    }
    let rules = sorted(rules)?;
    if rules.is_empty() {
        return Ok(Vec::new());
    }
    check_beginnings(&rules)?;
    let (targets, places) = joined_targets(&rules)?;
    let mut automaton = Automaton::default();
    for (key, target) in &rules {
        automaton.add(key, places.get(target).copied().unwrap_or(0))?;
    }
    let root = automaton.finish()?;
    let units = Array::of(&automaton, root)?.units;
    let mut blob = u32_of(units.len() * 4).to_le_bytes().to_vec();
    blob.extend(units.iter().flat_map(|unit| unit.to_le_bytes()));
    blob.extend(targets);
    Ok(blob)
}

fn check(row: usize, key: &[u8], target: &[u8]) -> Result<()> {
    let what = if key.is_empty() {
        "has nothing to look for; give it at least one character"
    } else if key.contains(&0) || target.contains(&0) {
        "has a NUL character, which ends a text in a map; remove it"
    } else if std::str::from_utf8(key).is_err() || std::str::from_utf8(target).is_err() {
        "is not UTF-8; rules are about characters"
    } else {
        return Ok(());
    };
    Err(Error::new("rule-invalid", format!("rule {row} {what}")).with("row", row))
}

/// The rules by their keys, each once.
fn sorted<'a>(rules: &[Rule<'a>]) -> Result<Vec<Rule<'a>>> {
    let mut order: Vec<usize> = (0..rules.len()).collect();
    order.sort_unstable_by_key(|&row| (rules[row].0, row));
    let twice = order.windows(2).find(|pair| {
        let (one, other) = (rules[pair[0]], rules[pair[1]]);
        one.0 == other.0 && one.1 != other.1
    });
    if let Some(&[one, other]) = twice {
        let key = String::from_utf8_lossy(rules[one].0);
        let message = format!("rules {one} and {other} give {key:?} two targets; keep one of them");
        return Err(Error::new("rule-invalid", message).with("row", other).with("other", one));
    }
    let mut found: Vec<_> = order.into_iter().map(|row| rules[row]).collect();
    found.dedup();
    Ok(found)
}

/// Readers consider only `MAX_MATCHES` matches, the shortest first: a longer key would never be found.
fn check_beginnings(rules: &[Rule<'_>]) -> Result<()> {
    let mut open: Vec<&[u8]> = Vec::new();
    for (key, _) in rules {
        while open.last().is_some_and(|before| !key.starts_with(before)) {
            open.pop();
        }
        open.push(key);
        if open.len() >= MAX_MATCHES {
            let key = String::from_utf8_lossy(key);
            let most = MAX_MATCHES - 1;
            let message = format!("more than {most} rules begin {key:?} one within the other; leave some of them out");
            return Err(Error::new("rule-limit", message).with("limit", most));
        }
    }
    Ok(())
}

/// The targets, each once and ended by NUL, and where each begins.
fn joined_targets<'a>(rules: &[Rule<'a>]) -> Result<(Vec<u8>, Places<'a>)> {
    let mut places: Places<'_> = rules.iter().map(|rule| (rule.1, 0)).collect();
    let size = places.keys().map(|target| target.len() + 1).sum::<usize>();
    if size > MAX_TARGETS {
        return Err(too_large("targets", size, MAX_TARGETS));
    }
    let mut joined = Vec::with_capacity(size);
    for (target, place) in &mut places {
        *place = u32_of(joined.len());
        joined.extend_from_slice(target);
        joined.push(0);
    }
    Ok((joined, places))
}

fn too_large(what: &str, size: usize, limit: usize) -> Error {
    let message = format!("the {what} of a character map take {size} and may take {limit}; use fewer rules");
    Error::new("rule-limit", message).with("size", size).with("limit", limit)
}

/// The value of a key that ends here, and the transitions with the numbers of their nodes.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
struct Node {
    value: Option<u32>,
    edges: Vec<(u8, u32)>,
}

/// A minimal automaton, built from ascending keys: the nodes of the last key are open, all others are frozen and
/// numbered.
#[derive(Default)]
struct Automaton {
    nodes: Vec<Node>,
    numbers: HashMap<Node, u32>,
    /// Units that the numbered nodes will take.
    units: usize,
    last: Vec<u8>,
    /// One more than `last` has bytes.
    open: Vec<Node>,
}

impl Automaton {
    fn add(&mut self, key: &[u8], value: u32) -> Result<()> {
        let shared = key.iter().zip(&self.last).take_while(|(one, other)| one == other).count();
        self.close(shared)?;
        self.last.extend_from_slice(&key[shared..]);
        self.open.resize_with(key.len() + 1, Node::default);
        if let Some(node) = self.open.last_mut() {
            node.value = Some(value);
        }
        Ok(())
    }

    /// Freezes the open nodes below a depth.
    fn close(&mut self, depth: usize) -> Result<()> {
        while self.last.len() > depth {
            let node = self.open.pop().unwrap_or_default();
            let number = self.number(node)?;
            if let (Some(label), Some(parent)) = (self.last.pop(), self.open.last_mut()) {
                parent.edges.push((label, number));
            }
        }
        Ok(())
    }

    fn number(&mut self, node: Node) -> Result<u32> {
        if let Some(&number) = self.numbers.get(&node) {
            return Ok(number);
        }
        self.units += node.edges.len() + usize::from(node.value.is_some());
        if self.units > MAX_UNITS {
            return Err(too_large("units", self.units, MAX_UNITS));
        }
        let number = u32_of(self.nodes.len());
        self.nodes.push(node.clone());
        self.numbers.insert(node, number);
        Ok(number)
    }

    /// The number of the root.
    fn finish(&mut self) -> Result<u32> {
        self.close(0)?;
        let root = self.open.pop().unwrap_or_default();
        self.number(root)
    }
}

/// The double array under construction.
#[derive(Default)]
struct Array {
    units: Vec<u32>,
    /// Of each block: which units are free.
    free: Vec<Bits>,
    /// Which places are not the base of a node; no two may share one.
    unused: Vec<Bits>,
}

impl Array {
    /// Lays out every node once: places its children, then recurses into them.
    fn of(automaton: &Automaton, root: u32) -> Result<Self> {
        let mut array = Self::default();
        array.grow()?;
        // The root is at 0, and no base is: a NUL in a text would lead there.
        clear(&mut array.free[0], 0);
        clear(&mut array.unused[0], 0);
        let mut bases = vec![0; automaton.nodes.len()];
        let base = array.place(&automaton.nodes[us(root)])?;
        (bases[us(root)], array.units[0]) = (base, unit(0, 0, base));
        let mut waiting = vec![root];
        while let Some(number) = waiting.pop() {
            let (node, base) = (&automaton.nodes[us(number)], bases[us(number)]);
            if let Some(value) = node.value {
                array.units[us(base)] = LEAF | value;
            }
            for &(label, child) in &node.edges {
                if bases[us(child)] == 0 {
                    bases[us(child)] = array.place(&automaton.nodes[us(child)])?;
                    waiting.push(child);
                }
                let index = base ^ u32::from(label);
                let leaf = if automaton.nodes[us(child)].value.is_some() { HAS_LEAF } else { 0 };
                array.units[us(index)] = unit(index, u32::from(label) | leaf, bases[us(child)]);
            }
        }
        Ok(array)
    }

    fn grow(&mut self) -> Result<()> {
        let size = self.units.len() + BLOCK;
        if size > MAX_UNITS {
            return Err(too_large("units", size, MAX_UNITS));
        }
        self.units.resize(size, LEAF);
        self.free.push([u64::MAX; 4]);
        self.unused.push([u64::MAX; 4]);
        Ok(())
    }

    /// Finds and claims a base from which all slots of a node's children are free.
    fn place(&mut self, node: &Node) -> Result<u32> {
        let labels: Vec<u8> = node.value.map(|_| 0).into_iter().chain(node.edges.iter().map(|edge| edge.0)).collect();
        let first = self.free.len().saturating_sub(OPEN_BLOCKS);
        let mut found = (first..self.free.len()).find_map(|block| Some((block, self.base_in(block, &labels)?)));
        if found.is_none() {
            self.grow()?;
            found = Some((self.free.len() - 1, 0));
        }
        let (block, base) = found.unwrap_or_default();
        clear(&mut self.unused[block], base);
        for label in labels {
            clear(&mut self.free[block], base ^ label);
        }
        Ok(u32_of(block * BLOCK) | u32::from(base))
    }

    /// The lowest base in a block.
    fn base_in(&self, block: usize, labels: &[u8]) -> Option<u8> {
        let mut bases = self.unused[block];
        for &label in labels {
            let free = permuted(self.free[block], label);
            bases = std::array::from_fn(|word| bases[word] & free[word]);
            if bases == [0; 4] {
                return None;
            }
        }
        let word = bases.iter().position(|&word| word != 0)?;
        Some(low8(u32_of(word) << 6 | bases[word].trailing_zeros()))
    }
}

/// One bit for each unit of a block.
type Bits = [u64; 4];

fn clear(bits: &mut Bits, place: u8) {
    bits[usize::from(place >> 6)] &= !(1 << (place & 63));
}

/// Bit `i` of the result is bit `i ^ label` of `bits`.
fn permuted(bits: Bits, label: u8) -> Bits {
    const LOW: [u64; 6] = [
        0x5555_5555_5555_5555,
        0x3333_3333_3333_3333,
        0x0F0F_0F0F_0F0F_0F0F,
        0x00FF_00FF_00FF_00FF,
        0x0000_FFFF_0000_FFFF,
        0x0000_0000_FFFF_FFFF,
    ];
    std::array::from_fn(|word| {
        let mut bits = bits[word ^ usize::from(label >> 6)];
        for (power, low) in LOW.into_iter().enumerate().filter(|(power, _)| label >> power & 1 == 1) {
            bits = (bits & low) << (1 << power) | bits >> (1 << power) & low;
        }
        bits
    })
}

/// A node at `index` whose children are at `base`.
const fn unit(index: u32, label: u32, base: u32) -> u32 {
    (index ^ base) << 10 | label
}

#[cfg(test)]
mod tests {
    use crate::normalize::charsmap::Charsmap;
    use crate::normalize::charsmap_build::{compile, permuted, MAX_UNITS};

    type Rules = Vec<(Vec<u8>, Vec<u8>)>;

    fn compiled(rules: &Rules) -> crate::util::error::Result<Vec<u8>> {
        compile(&rules.iter().map(|(key, target)| (key.as_slice(), target.as_slice())).collect::<Vec<_>>())
    }

    /// Keys over few letters, so that many are prefixes of others and share suffixes.
    fn made(count: u64) -> Rules {
        let mut rules: std::collections::BTreeMap<Vec<u8>, Vec<u8>> = std::collections::BTreeMap::new();
        for number in 0..count {
            let mixed = number.wrapping_mul(0x9E37_79B9_7F4A_7C15).to_le_bytes();
            let key: Vec<u8> = mixed[..1 + usize::from(mixed[7] % 7)].iter().map(|byte| b'a' + byte % 5).collect();
            rules.insert(key, mixed[6..6 + usize::from(mixed[5] % 2)].iter().map(|byte| byte % 127 + 1).collect());
        }
        rules.into_iter().collect()
    }

    #[test]
    fn the_reader_finds_every_key() {
        for count in [1, 2, 10, 100, 5000] {
            let rules = made(count);
            let blob = compiled(&rules).unwrap_or_default();
            assert_eq!(Charsmap::check(&blob, "charsmap"), Ok(()));
            let map = Charsmap::new(&blob);
            assert!(map.is_some_and(|map| map.is_sound()));
            for (key, target) in &rules {
                let longest = map.and_then(|map| map.longest(key));
                assert_eq!(longest, Some((key.len(), target.as_slice())));
                let none = map.and_then(|map| map.longest(&[b"z", key.as_slice()].concat()));
                assert_eq!(none, None);
            }
            let backwards: Rules = rules.into_iter().rev().collect();
            assert_eq!(compiled(&backwards), Ok(blob));
        }
    }

    #[test]
    fn too_many_units_are_refused_before_they_are_laid_out() {
        let rules: Rules =
            (0..MAX_UNITS / 4).map(|n| (format!("{n:08}{n}").into_bytes(), n.to_string().into())).collect();
        assert_eq!(compiled(&rules).map_err(|error| error.code()), Err("rule-limit"));
    }

    #[test]
    fn bits_are_permuted() {
        let bits = [0x8421_0000_FFFF_1234, 7, u64::MAX << 9, 0xDEAD_BEEF];
        let bit = |bits: [u64; 4], place: u8| bits[usize::from(place >> 6)] >> (place & 63) & 1;
        for label in 0..=255 {
            let moved = permuted(bits, label);
            assert!((0..=255).all(|place| bit(moved, place) == bit(bits, place ^ label)), "{label}");
        }
    }
}
