//! The precompiled character map from rules: what `charsmap` reads, and SentencePiece, llama.cpp and tokenizers too.
//!
//! Keys become a minimal automaton first: what may follow a beginning is kept once, however many beginnings it follows, and
//! the named rules have 225,000 keys and a map of a quarter of a megabyte for that reason. The automaton is laid out as a
//! double array in blocks of 256 units. The same rules give the same bytes in whatever order they come.

use std::collections::{BTreeMap, HashMap};

use super::charsmap::MAX_MATCHES;
use crate::cast::{u32_of, us};
use crate::error::{Error, Result};

/// Units of a block: the children of a node lie in one, since they differ from its base in a byte.
const BLOCK: usize = 256;
/// A leaf: no byte is equal to its label. One with the value 0 stands wherever nothing else does.
const LEAF: u32 = 1 << 31;
const HAS_LEAF: u32 = 1 << 8;
/// More could not be pointed to from everywhere.
const MAX_UNITS: usize = 1 << 21;
/// Bytes of all targets; a value has no room for more.
const MAX_TARGETS: usize = (1 << 31) - 1;
/// Blocks that are looked through for a place, the last ones.
const OPEN_BLOCKS: usize = 16;

/// The map of rules (what a text has, what it becomes); no rules make an empty one.
///
/// # Errors
/// `rule-invalid` for a rule that is empty, is no UTF-8, has a NUL, or contradicts another; `rule-limit` if keys, targets or the
/// number of keys that are the beginning of one key are beyond what a map can hold.
pub fn compile(rules: &[(&[u8], &[u8])]) -> Result<Vec<u8>> {
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
        automaton.add(key, places.get(target).copied().unwrap_or(0));
    }
    let root = automaton.finish();
    let units = Array::of(&automaton, root)?.units;
    let mut blob = u32_of(units.len() * 4).to_le_bytes().to_vec();
    blob.extend(units.iter().flat_map(|unit| unit.to_le_bytes()));
    blob.extend(targets);
    Ok(blob)
}

fn check(row: usize, key: &[u8], target: &[u8]) -> Result<()> {
    let fail = |what: &str| Err(Error::new("rule-invalid", format!("rule {row} {what}")).with("row", row));
    if key.is_empty() {
        return fail("has nothing to look for; give it at least one character");
    }
    if key.contains(&0) || target.contains(&0) {
        return fail("has a NUL character, which ends a text in a map; remove it");
    }
    if std::str::from_utf8(key).is_err() || std::str::from_utf8(target).is_err() {
        return fail("is not UTF-8; rules are about characters");
    }
    Ok(())
}

/// The rules by their keys, each once.
fn sorted<'a>(rules: &[(&'a [u8], &'a [u8])]) -> Result<Vec<(&'a [u8], &'a [u8])>> {
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

/// Readers look at so many matches only, the shortest first: a longer key would never be found.
fn check_beginnings(rules: &[(&[u8], &[u8])]) -> Result<()> {
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
fn joined_targets<'a>(rules: &[(&[u8], &'a [u8])]) -> Result<(Vec<u8>, BTreeMap<&'a [u8], u32>)> {
    let mut places: BTreeMap<&[u8], u32> = rules.iter().map(|rule| (rule.1, 0)).collect();
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

/// What may follow: the value of a key that ends here, and the bytes that lead on with the numbers of their nodes.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
struct Node {
    value: Option<u32>,
    edges: Vec<(u8, u32)>,
}

/// A minimal automaton, made from ascending keys: of the last key the nodes are open, all others are numbered.
#[derive(Default)]
struct Automaton {
    nodes: Vec<Node>,
    numbers: HashMap<Node, u32>,
    last: Vec<u8>,
    /// One more than `last` has bytes.
    open: Vec<Node>,
}

impl Automaton {
    fn add(&mut self, key: &[u8], value: u32) {
        let shared = key.iter().zip(&self.last).take_while(|(one, other)| one == other).count();
        self.close(shared);
        self.last.extend_from_slice(&key[shared..]);
        self.open.resize_with(key.len() + 1, Node::default);
        if let Some(node) = self.open.last_mut() {
            node.value = Some(value);
        }
    }

    /// Numbers the open nodes below a depth.
    fn close(&mut self, depth: usize) {
        while self.last.len() > depth {
            let node = self.open.pop().unwrap_or_default();
            let number = self.number(node);
            if let (Some(label), Some(parent)) = (self.last.pop(), self.open.last_mut()) {
                parent.edges.push((label, number));
            }
        }
    }

    fn number(&mut self, node: Node) -> u32 {
        if let Some(&number) = self.numbers.get(&node) {
            return number;
        }
        let number = u32_of(self.nodes.len());
        self.nodes.push(node.clone());
        self.numbers.insert(node, number);
        number
    }

    /// The number of the root.
    fn finish(&mut self) -> u32 {
        self.close(0);
        let root = self.open.pop().unwrap_or_default();
        self.number(root)
    }
}

/// The double array while it is laid out.
struct Array {
    units: Vec<u32>,
    taken: Vec<bool>,
    /// Whether some node's children lie around this place; no two nodes may share one.
    is_base: Vec<bool>,
    /// Free units of each block.
    free: Vec<usize>,
}

impl Array {
    /// Every node once: its children get their places, then each of them the same.
    fn of(automaton: &Automaton, root: u32) -> Result<Self> {
        let mut array = Self { units: Vec::new(), taken: Vec::new(), is_base: Vec::new(), free: Vec::new() };
        array.grow()?;
        // The root is at 0, and no base is: a NUL in a text would lead there.
        (array.taken[0], array.is_base[0], array.free[0]) = (true, true, BLOCK - 1);
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
        self.taken.resize(size, false);
        self.is_base.resize(size, false);
        self.free.push(BLOCK);
        Ok(())
    }

    /// A base from which all of a node's places are free; they are taken.
    fn place(&mut self, node: &Node) -> Result<u32> {
        let labels: Vec<usize> =
            node.value.map(|_| 0).into_iter().chain(node.edges.iter().map(|edge| usize::from(edge.0))).collect();
        let first_block = self.free.len().saturating_sub(OPEN_BLOCKS);
        let found = (first_block..self.free.len()).find_map(|block| self.base_in(block, &labels));
        let base = match found {
            Some(base) => base,
            None => {
                self.grow()?;
                (self.free.len() - 1) * BLOCK
            }
        };
        self.is_base[base] = true;
        self.free[base / BLOCK] -= labels.len();
        for label in labels {
            self.taken[base ^ label] = true;
        }
        Ok(u32_of(base))
    }

    fn base_in(&self, block: usize, labels: &[usize]) -> Option<usize> {
        if self.free[block] < labels.len() {
            return None;
        }
        let fits = |&base: &usize| !self.is_base[base] && labels.iter().all(|label| !self.taken[base ^ label]);
        (block * BLOCK..(block + 1) * BLOCK).find(fits)
    }
}

/// A node at a place whose children lie around a base.
const fn unit(index: u32, label: u32, base: u32) -> u32 {
    (index ^ base) << 10 | label
}
