//! What all patterns of a Spec may take together once they are compiled.
//!
//! The engine bounds one expression at a time, and a short one can be megabytes: `\w{250}` is 250 copies of a class of
//! thousands of ranges. So the size is worked out from the parsed expression, before anything is built.

use std::collections::BTreeMap;

use fancy_regex::Expr;
use regex_syntax::hir::{Class, HirKind};
use regex_syntax::utf8::Utf8Sequences;

/// All patterns of a Spec together may take so many bytes, as they are worked out here.
pub const MOST: usize = 16 << 20;
/// A pattern takes so many, whatever it is: mostly what its automaton remembers while it runs.
const PATTERN: usize = 1 << 16;
/// A node of the expression, or a character of a text in it.
const NODE: usize = 64;
/// A byte of one of the ranges that a class is made of.
const RANGE: usize = 16;

/// The room that is left, and the sizes of classes that were seen.
#[derive(Debug)]
pub struct Room {
    left: usize,
    classes: BTreeMap<(String, bool), usize>,
}

impl Default for Room {
    fn default() -> Self {
        Self { left: MOST, classes: BTreeMap::new() }
    }
}

impl Room {
    /// Takes the room of an expression in the engine's language; says why if that cannot be. What cannot be parsed takes none:
    /// the engine says why.
    pub fn take(&mut self, expression: &str) -> Result<(), String> {
        let Ok(tree) = Expr::parse_tree(expression) else { return Ok(()) };
        if tree.contains_subroutines {
            return Err("it calls a group".to_owned());
        }
        let size = self.size(&tree.expr).saturating_add(PATTERN);
        match self.left.checked_sub(size) {
            Some(left) => self.left = left,
            None => return Err(format!("all patterns together would take more than {} MiB", MOST >> 20)),
        }
        Ok(())
    }

    fn size(&mut self, expression: &Expr) -> usize {
        let own = match expression {
            Expr::Literal { val, casei } => val.len() * NODE * if *casei { 4 } else { 1 },
            Expr::Delegate { inner, casei } => self.class(inner, *casei),
            _ => NODE,
        };
        let times = match expression {
            Expr::Repeat { lo, hi: usize::MAX, .. } => (*lo).max(1),
            Expr::Repeat { hi, .. } => *hi,
            _ => 1,
        };
        let children = expression.children_iter().fold(0, |sum: usize, child| sum.saturating_add(self.size(child)));
        own.saturating_add(children.saturating_mul(times))
    }

    /// The size of a class: that of the sequences of bytes its characters are.
    fn class(&mut self, class: &str, casei: bool) -> usize {
        let key = (class.to_owned(), casei);
        if let Some(&known) = self.classes.get(&key) {
            return known;
        }
        let source = if casei { format!("(?i:{class})") } else { class.to_owned() };
        let ranges = match regex_syntax::parse(&source).map(regex_syntax::hir::Hir::into_kind) {
            Ok(HirKind::Class(Class::Unicode(class))) => {
                let sequences = class.ranges().iter().flat_map(|range| Utf8Sequences::new(range.start(), range.end()));
                sequences.map(|sequence| sequence.len()).sum()
            }
            _ => class.len(),
        };
        let size = NODE + RANGE * ranges;
        self.classes.insert(key, size);
        size
    }
}
