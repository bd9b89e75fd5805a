//! The best path of a unit that is known by its characters: [`Unigram::solve`], with the first character of each piece in one step.

use crate::cast::{f32_count, low32, low8, u32_of, us};
use crate::index::trie::{Node, TrieView};
use crate::segment::unigram::{relax_pair, score_of, Pairs, Unigram, MAX_SOLVED, NO_PAIR, ROOM};

/// Characters of the basic plane.
const CHARACTERS: usize = 0x1_0000;
/// Longest unit in characters, whatever their number of bytes.
pub const MAX_CHARACTERS: usize = MAX_SOLVED / 3;

/// Where the trie stands behind each character of the basic plane; filled in as characters come.
#[derive(Default)]
pub struct Openings(Vec<u64>);

impl Openings {
    /// The node behind a character, if a piece begins with it.
    #[inline(always)]
    fn of(&mut self, trie: TrieView<'_>, code: u16) -> Option<Node> {
        let known = self.0.get(usize::from(code)).copied().unwrap_or(0);
        let node = if known == 0 { self.find(trie, code) } else { Node::from(known) };
        (!node.is_empty()).then_some(node)
    }

    #[cold]
    fn find(&mut self, trie: TrieView<'_>, code: u16) -> Node {
        self.0.resize(CHARACTERS, 0);
        let node = step(trie, trie.root(), code).unwrap_or_else(Node::empty);
        self.0[usize::from(code)] = node.bits();
        node
    }
}

/// The node one character further.
#[inline(always)]
fn step(trie: TrieView<'_>, node: Node, code: u16) -> Option<Node> {
    let code = u32::from(code);
    let last = 0x80 | low8(code & 0x3F);
    if code >= 0x800 {
        let node = trie.step(node, 0xE0 | low8(code >> 12))?;
        let node = trie.step(node, 0x80 | low8(code >> 6 & 0x3F))?;
        return trie.step(node, last);
    }
    if code >= 0x80 {
        return trie.step(trie.step(node, 0xC0 | low8(code >> 6))?, last);
    }
    trie.step(node, low8(code))
}

impl Unigram {
    /// The best path of a unit of at most [`MAX_CHARACTERS`] characters, as [`Unigram::solve`] finds it: pushes its ids and tells
    /// whether the answer is settled. `None` if a character has no piece of its own.
    pub fn solve_characters(
        &self,
        codes: &[u16],
        openings: &mut Openings,
        pairs: &mut Pairs,
        ids: &mut Vec<u32>,
    ) -> Option<bool> {
        let count = codes.len();
        if count > MAX_CHARACTERS {
            return None;
        }
        let trie = self.trie().view();
        let scores: &[f32] = &self.scores;
        let half = self.step() / 2.0;
        let Pairs(cells) = pairs;
        cells[..=count].fill(NO_PAIR);
        cells[0].best = 0.0;
        for (start, &code) in codes.iter().enumerate() {
            let here = cells[start % ROOM];
            let from = u64::from(u32_of(start)) << 32;
            let mut node = openings.of(trie, code)?;
            let id = node.value().filter(|&id| id != self.unk_id)?;
            relax_pair(&mut cells[(start + 1) % ROOM], here, score_of(scores, id) + half, from | u64::from(id));
            for (end, &code) in codes.iter().enumerate().skip(start + 1) {
                let Some(next) = step(trie, node, code) else { break };
                node = next;
                let Some(id) = node.value() else { continue };
                relax_pair(&mut cells[(end + 1) % ROOM], here, score_of(scores, id) + half, from | u64::from(id));
            }
        }
        let before = ids.len();
        let mut end = count;
        while end > 0 {
            let edge = cells[end % ROOM].edge;
            ids.push(low32(edge));
            end = us(low32(edge >> 32)).min(end - 1);
        }
        ids[before..].reverse();
        if ids[before..].contains(&self.unk_id) {
            ids.truncate(before);
            return None;
        }
        Some(self.is_settled(cells[count], f32_count(ids.len() - before)))
    }
}
