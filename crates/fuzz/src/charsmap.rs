//! Precompiled character maps from rules: a simple builder of the double array that `normalize::charsmap` reads.
//!
//! A map may then be patched unit by unit, which gives tries with shared nodes or cycles that still pass validation.

use std::collections::{BTreeMap, BTreeSet};

use anypiece_core::util::cast::{u32_of, us};

const BLOCK: usize = 256;
/// An unused unit: a leaf, so that no byte leads to it.
const FREE: u32 = 0x8000_0000;
const LEAF: u32 = 0x100;

/// A map as data.
#[derive(Clone, Default, Debug, PartialEq)]
pub struct Map {
    /// Keys and their targets.
    pub rules: Vec<(Vec<u8>, Vec<u8>)>,
    /// Units that are overwritten afterwards: index (wrapping around) and value.
    pub patches: Vec<(u32, u32)>,
}

impl Map {
    /// The blob; empty if there are no rules.
    pub fn blob(&self) -> Vec<u8> {
        if self.rules.is_empty() {
            return Vec::new();
        }
        // A value of 0 would look like a free unit.
        let (mut targets, mut values) = (vec![0], BTreeMap::new());
        for (key, target) in &self.rules {
            values.insert(key.as_slice(), u32_of(targets.len()));
            targets.extend_from_slice(target);
            targets.push(0);
        }
        let mut units = Units::build(&values);
        for &(place, value) in &self.patches {
            let place = us(place) % units.len();
            units[place] = value;
        }
        let mut blob = u32_of(units.len() * 4).to_le_bytes().to_vec();
        blob.extend(units.iter().flat_map(|unit| unit.to_le_bytes()));
        blob.extend(targets);
        blob
    }
}

struct Units<'a> {
    values: &'a BTreeMap<&'a [u8], u32>,
    units: Vec<u32>,
    bases: BTreeSet<usize>,
}

impl<'a> Units<'a> {
    fn build(values: &'a BTreeMap<&'a [u8], u32>) -> Vec<u32> {
        let mut units = vec![FREE; BLOCK];
        units[0] = 0;
        let mut array = Self { values, units, bases: BTreeSet::from([0]) };
        array.place(&[], 0);
        array.units
    }

    /// Finds a base for the node of `prefix` with room for its children, then recurses into them.
    fn place(&mut self, prefix: &[u8], index: usize) {
        let below = self.values.range(prefix..).map(|(key, _)| *key).take_while(|key| key.starts_with(prefix));
        let labels: BTreeSet<u8> = below.filter_map(|key| key.get(prefix.len()).copied()).collect();
        let value = self.values.get(prefix).copied();
        let base = self.base(&labels, value.is_some());
        self.units[index] |= u32_of(index ^ base) << 10 | if value.is_some() { LEAF } else { 0 };
        for &label in &labels {
            self.units[base ^ usize::from(label)] = u32::from(label);
        }
        if let Some(value) = value {
            self.units[base] = FREE | value;
        }
        for label in labels {
            self.place(&[prefix, &[label]].concat(), base ^ usize::from(label));
        }
    }

    fn base(&mut self, labels: &BTreeSet<u8>, leaf: bool) -> usize {
        let mut base = 1;
        while self.bases.contains(&base)
            || leaf && self.is_taken(base)
            || labels.iter().any(|&label| self.is_taken(base ^ usize::from(label)))
        {
            base += 1;
        }
        self.bases.insert(base);
        base
    }

    fn is_taken(&mut self, place: usize) -> bool {
        while place >= self.units.len() {
            self.units.extend([FREE; BLOCK]);
        }
        place == 0 || self.units[place] != FREE
    }
}

#[cfg(test)]
mod tests {
    use anypiece_core::Charsmap;

    use super::Map;

    #[test]
    fn a_built_map_answers_its_rules() {
        let rules = [("a", "xy"), ("ab", ""), ("\u{3042}", " "), ("b", "b")];
        let rules = rules.map(|(key, target)| (key.as_bytes().to_vec(), target.as_bytes().to_vec())).to_vec();
        let blob = Map { rules: rules.clone(), patches: Vec::new() }.blob();
        assert_eq!(Charsmap::check(&blob, "charsmap"), Ok(()));
        for (key, target) in rules {
            let found = Charsmap::new(&blob).and_then(|map| map.longest(&key));
            assert_eq!(found, Some((key.len(), target.as_slice())));
        }
    }
}
