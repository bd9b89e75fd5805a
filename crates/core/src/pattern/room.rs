//! The size budget of all compiled patterns of a Spec together.
//!
//! The engine bounds one expression at a time, and a short one can be megabytes: `\w{250}` is 250 copies of a class of
//! thousands of ranges. So the size is estimated from the parsed expression, before anything is built.

use std::collections::BTreeMap;

use fancy_regex::Expr;
use regex_syntax::hir::{Class, HirKind};
use regex_syntax::utf8::Utf8Sequences;

/// Estimated bytes that all patterns of a Spec together may take.
pub const MOST: usize = 16 << 20;
/// Bytes that any pattern takes, whatever it is: mostly the cache of its lazy DFA.
const PATTERN: usize = 1 << 16;
/// Bytes of a node of the expression, or of a literal character.
const NODE: usize = 64;
/// Bytes of each byte range that a character class compiles to.
const RANGE: usize = 16;

/// The budget left, and the sizes of classes seen so far.
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
    /// Charges an expression in the engine's syntax; says why if it does not fit. An expression that does not parse is
    /// not charged: the engine reports the error.
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

    /// The size of a class: that of the byte sequences of its characters in UTF-8.
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
