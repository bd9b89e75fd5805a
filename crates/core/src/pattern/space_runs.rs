//! Expressions that end in `|\s+(?!\S)|\s+`, run without the look-ahead.
//!
//! GPT-2's expression and most of its successors leave the last space of a run to the following word. The look-ahead
//! forces the whole expression onto the backtracking engine, which takes a step for each space of a run. Here `…|\s+`
//! runs on automata, and where its match is a run of white space, the last character is given back as the look-ahead
//! would.

use fancy_regex::{Expr, Regex};

/// Endings of such expressions; some have a single `\s` last, which matches the same.
const ENDINGS: [&str; 2] = [r"\s+(?!\S)|\s+", r"\s+(?!\S)|\s"];

/// Distinguishes matches of the last two alternatives from those of the others.
pub struct SpaceRuns {
    /// The alternatives before them.
    others: Option<Regex>,
}

/// The alternatives before the last two, and the expression without look-ahead, where it is of this kind.
pub fn rewritten(expression: &str) -> Option<(&str, String)> {
    let before = ENDINGS.iter().find_map(|ending| expression.strip_suffix(ending))?;
    let others = if before.is_empty() { before } else { before.strip_suffix('|')? };
    // Flags such as `U` would change what the spaces match.
    if !others.split("(?").skip(1).all(has_plain_flags) {
        return None;
    }
    // What can be parsed by itself holds no open group or class.
    let tree = Expr::parse_tree(others).ok()?;
    is_regular(&tree.expr).then(|| (others, format!(r"{before}\s+")))
}

/// Whether a group, given from behind its `(?` on, has no flag but `i`, `m` and `s`, which leave white space as it is.
fn has_plain_flags(group: &str) -> bool {
    let flags = group.trim_start_matches(['i', 'm', 's']);
    flags.starts_with([':', ')'])
}

/// Whether a match depends on nothing but the text that it matches.
fn is_regular(expression: &Expr) -> bool {
    match expression {
        Expr::Empty | Expr::Any { .. } | Expr::Literal { .. } | Expr::Delegate { .. } => true,
        Expr::Concat(_) | Expr::Alt(_) | Expr::Group(_) | Expr::Repeat { .. } => {
            expression.children_iter().all(is_regular)
        }
        _ => false,
    }
}

impl SpaceRuns {
    /// With the alternatives before the last two, if there are any.
    pub const fn new(others: Option<Regex>) -> Self {
        Self { others }
    }

    /// Where the match of the whole expression ends that without look-ahead is `text[start..end]`.
    pub fn end(&self, text: &str, start: usize, end: usize) -> usize {
        let matched = &text[start..end];
        match matched.chars().next_back() {
            Some(last) if last.is_whitespace() && last.len_utf8() < matched.len() => {
                self.end_of_run(text, start, end, last.len_utf8())
            }
            _ => end,
        }
    }

    fn end_of_run(&self, text: &str, start: usize, end: usize, last: usize) -> usize {
        // A run that goes on, or that ends the text, is matched whole in any case.
        let is_followed = text[end..].chars().next().is_some_and(|next| !next.is_whitespace());
        if !is_followed || !text[start..end].chars().all(char::is_whitespace) {
            return end;
        }
        // None of the others looks beyond its match, so the text after the run does not affect them.
        let is_other = |others: &Regex| match others.find_from_pos(&text[..end], start) {
            Ok(found) => found.is_some_and(|found| found.start() == start),
            Err(_) => false,
        };
        if self.others.as_ref().is_some_and(is_other) {
            return end;
        }
        end - last
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::pattern::{Pattern, Room};

    const EXPRESSIONS: [&str; 7] = [
        r"'s|'t| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
        r"[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        r"\s+(?!\S)|\s+",
        r"\s+(?!\S)|\s",
        r"\s{3}|a|\s+(?!\S)|\s+",
        r"(?:\n|a\s)+|\s+(?!\S)|\s",
        r"(?i:'S)|\t\t+|\s+(?!\S)|\s+",
    ];

    fn matches(regex: &Regex, text: &str) -> Vec<(usize, usize)> {
        regex.find_iter(text).map(|found| found.unwrap()).map(|found| (found.start(), found.end())).collect()
    }

    #[test]
    fn matches_are_those_of_the_whole_expression() {
        let alphabet = [" ", " ", "\n", "\t", "\u{3000}", "a", "é", "1", ".", "'s", "\r", "語"];
        let mut state = 11u64;
        for expression in EXPRESSIONS {
            assert!(rewritten(expression).is_some(), "{expression}");
            let whole = Regex::new(expression).unwrap();
            let here = Pattern::Own(expression.to_owned()).compile(&mut Room::default()).unwrap();
            for length in (0..400).map(|round| round % 40) {
                let mut text = String::new();
                for _ in 0..length {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    text.push_str(alphabet[usize::from(state.to_be_bytes()[0]) % alphabet.len()]);
                }
                let mut stretches = Vec::new();
                here.stretches(&text, &mut stretches).unwrap();
                let found: Vec<_> =
                    stretches.iter().filter(|one| one.matched).map(|one| (one.start, one.end)).collect();
                assert_eq!(found, matches(&whole, &text), "{expression} {text:?}");
            }
        }
    }

    #[test]
    fn other_expressions_stay_as_they_are() {
        for expression in [
            r"a|(?:b|\s+(?!\S)|\s+)",
            r"(a|\s+(?!\S)|\s+",
            r"[|\s+(?!\S)|\s+",
            r"\ba|\s+(?!\S)|\s+",
            r"a$|\s+(?!\S)|\s+",
            r"a++|\s+(?!\S)|\s+",
            r"(?=a)|\s+(?!\S)|\s+",
            r"(a)\1|\s+(?!\S)|\s+",
            r"b\s+(?!\S)|\s+",
            r"a|\s+",
            r"(?U)a|\s+(?!\S)|\s+",
            r"(?x)a|\s+(?!\S)|\s+",
            r"(?-i)a|\s+(?!\S)|\s+",
            r"a\|\s+(?!\S)|\s+",
        ] {
            assert!(rewritten(expression).is_none(), "{expression}");
        }
    }
}
