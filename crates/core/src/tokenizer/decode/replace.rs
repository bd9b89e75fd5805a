//! A text that becomes another one, in tokens that arrive in parts.
//!
//! A search that was interrupted by the end of a part holds back what it has found, and nothing else. Where many replacements follow
//! each other, each would hold back something that the one before will never complete: the first of two spaces, say. So a stage
//! says in which ways its text can go on, and the next one passes on what matches none of them.

use std::sync::Arc;

use crate::tokenizer::decode::flow::{Flow, Part};

/// The ways in which text may go on, each as far as it is known; `None` if in any way.
pub type Ahead = Option<Vec<Vec<u8>>>;

/// So much of each way is looked at.
const KNOWN: usize = 16;
/// Beyond so many ways it may be any.
const WAYS: usize = 32;

/// A text, what it becomes, and where a search goes on after a mismatch.
struct Rule {
    pattern: Vec<u8>,
    content: Vec<u8>,
    /// In the first token.
    first: Vec<u8>,
    /// Of so many bytes that were found, how many are the beginning of the next try.
    retry: Vec<usize>,
    /// Of so many bytes, how many come out at least if the try fails, now or later.
    least: Vec<usize>,
}

impl Rule {
    /// One byte more: how much is found then. What is no match, or the content, goes to `out`.
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

    /// Gives up the try that has found so much.
    fn release(&self, found: usize, out: &mut Vec<u8>) -> usize {
        let next = self.retry[found];
        out.extend_from_slice(&self.pattern[..found - next]);
        next
    }
}

/// A step of the kind `replace`, or another one that does such a thing.
#[derive(Clone)]
pub struct Replace {
    rule: Arc<Rule>,
    /// How much of the pattern the text ends with. It is not passed on.
    found: usize,
    is_first: bool,
}

impl Replace {
    /// Replaces in every token.
    pub fn new(pattern: &str, content: &str) -> Self {
        Self::with_first(pattern, content, content)
    }

    /// Replaces in the first token by something of its own.
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

    /// Passes on what is no match whatever comes next, and says how text can go on from here.
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
