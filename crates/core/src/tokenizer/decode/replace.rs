//! Streaming replacement of a text in tokens that arrive in parts (Knuth–Morris–Pratt).
//!
//! A search interrupted by the end of a part holds back its partial match, and nothing else. In a chain of replacements
//! each would hold back a partial match that the one before will never complete: the first of two spaces, say. So a
//! stage reports how its output can continue, and the next one passes on what matches none of these continuations.

use std::sync::Arc;

use crate::tokenizer::decode::flow::{Flow, Part};

/// Possible continuations of the text, each as far as it is known; `None` if any is possible.
pub type Ahead = Option<Vec<Vec<u8>>>;

/// Maximum bytes considered of each continuation.
const KNOWN: usize = 16;
/// Maximum number of continuations; beyond it any is assumed.
const WAYS: usize = 32;

/// A pattern, its replacement, and its failure function.
struct Rule {
    pattern: Vec<u8>,
    content: Vec<u8>,
    /// The replacement in the first token.
    first: Vec<u8>,
    /// Failure function: by the number of matched bytes, the length of the longest border.
    retry: Vec<usize>,
    /// By the number of matched bytes, the minimum number of bytes that are released if the match fails, now or later.
    least: Vec<usize>,
}

impl Rule {
    /// Matches one more byte and returns the new match length. Bytes that are no match, or the replacement, go to
    /// `out`.
    fn advance(&self, mut found: usize, byte: u8, content: &[u8], out: &mut Vec<u8>) -> usize {
        while byte != self.pattern[found] {
            if found == 0 {
                out.push(byte);
                return 0;
            }
            found = self.release(found, out);
        }
        if found + 1 < self.pattern.len() {
            return found + 1;
        }
        out.extend_from_slice(content);
        0
    }

    /// Releases the bytes of a failed match of length `found`.
    fn release(&self, found: usize, out: &mut Vec<u8>) -> usize {
        let next = self.retry[found];
        out.extend_from_slice(&self.pattern[..found - next]);
        next
    }
}

/// A step of the kind `replace`, or another step of that effect.
#[derive(Clone)]
pub struct Replace {
    rule: Arc<Rule>,
    /// Length of the partial match that the text ends with. It is held back.
    found: usize,
    is_first: bool,
}

impl Replace {
    /// Replaces in every token.
    pub fn new(pattern: &str, content: &str) -> Self {
        Self::with_first(pattern, content, content)
    }

    /// Replaces with different content in the first token.
    pub fn with_first(pattern: &str, content: &str, first: &str) -> Self {
        let pattern = pattern.as_bytes().to_vec();
        let mut retry = vec![0; pattern.len() + 1];
        let mut length = 0;
        for index in 1..pattern.len() {
            while length > 0 && pattern[index] != pattern[length] {
                length = retry[length];
            }
            length += usize::from(pattern[index] == pattern[length]);
            retry[index + 1] = length;
        }
        let mut least = vec![usize::MAX; retry.len()];
        for found in (1..pattern.len()).rev() {
            least[found] = least[found + 1].min(found - retry[found]);
        }
        let rule = Rule { pattern, content: content.into(), first: first.into(), retry, least };
        Self { rule: Arc::new(rule), found: 0, is_first: true }
    }

    fn content(&self) -> &[u8] {
        if self.is_first {
            &self.rule.first
        } else {
            &self.rule.content
        }
    }

    /// Takes a part of a token.
    pub fn push(&mut self, (part, ended): Part<'_>, out: &mut Flow) {
        let pattern = &self.rule.pattern;
        let mut rest = part;
        while let Some((&byte, behind)) = rest.split_first() {
            if self.found == 0 && byte != pattern[0] {
                let next = rest.iter().position(|byte| byte == &pattern[0]).unwrap_or(rest.len());
                out.push(&rest[..next]);
                rest = &rest[next..];
                continue;
            }
            if let Some(after) = rest.strip_prefix(&pattern[..]).filter(|_| self.found == 0) {
                out.push(self.content());
                rest = after;
                continue;
            }
            self.found = self.rule.advance(self.found, byte, self.content(), &mut out.text);
            if out.is_over() {
                return;
            }
            rest = behind;
        }
        if ended {
            out.push(&pattern[..std::mem::take(&mut self.found)]);
            out.end();
            self.is_first = false;
        }
    }

    /// Releases what cannot become a match whatever comes next, and returns the possible continuations of the output.
    pub fn settle(&mut self, ahead: Ahead, out: &mut Flow) -> Ahead {
        let rule = self.rule.as_ref();
        if let Some(ways) = &ahead {
            let goes_on = |found: usize, way: &[u8]| {
                let wanted = &rule.pattern[found..];
                wanted.starts_with(way) || way.starts_with(wanted)
            };
            while self.found > 0 && !ways.iter().any(|way| goes_on(self.found, way)) {
                self.found = rule.release(self.found, &mut out.text);
            }
        }
        let ways = match ahead {
            None if self.found == 0 => return None,
            None => vec![Vec::new()],
            Some(ways) => ways,
        };
        let mut next = Vec::with_capacity(ways.len() + 1);
        for way in &ways {
            let (mut text, mut found) = (Vec::new(), self.found);
            for &byte in way {
                found = rule.advance(found, byte, self.content(), &mut text);
            }
            if found > 0 {
                next.push([&text, self.content()].concat());
                text.extend_from_slice(&rule.pattern[..rule.least[found].min(KNOWN)]);
            }
            next.push(text);
        }
        next.iter_mut().for_each(|way| way.truncate(KNOWN));
        next.sort_unstable();
        next.dedup();
        Some(next).filter(|next| next.len() <= WAYS)
    }
}
