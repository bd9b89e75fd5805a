//! The best path of a unit that is known by its characters: [`Unigram::solve`], with the first character of each piece in one step.

use crate::index::double_array::{Node, TrieView};
use crate::segment::unigram::bounded::{relax_pair, Pair, Pairs, Validity, ID_BITS, MAX_SOLVED, NO_PAIR, ROOM};
use crate::segment::unigram::{score_of, Unigram};
use crate::util::cast::{low8, u32_of};

/// Characters of the basic plane.
const CHARACTERS: usize = 0x1_0000;
/// Longest unit in characters, whatever their number of bytes.
pub const MAX_CHARACTERS: usize = MAX_SOLVED / 3;

/// Where the trie stands behind each character of the basic plane; filled in as characters come.
#[derive(Default)]
pub struct RootTransitions(Vec<u64>);

impl RootTransitions {
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
    /// The best path of a unit of at most [`MAX_CHARACTERS`] characters, as [`Unigram::solve`] finds it: its ids, for which
    /// `ids` is empty, and where the answer holds; if nowhere, there are none. `None` if a character has no piece of its own.
    pub fn solve_characters(
        &self,
        codes: &[u16],
        root_transitions: &mut RootTransitions,
        pairs: &mut Pairs,
        ids: &mut Vec<u32>,
    ) -> Option<Validity> {
        if codes.len() > MAX_CHARACTERS {
            return None;
        }
        if self.solve_characters_at(Validity::Always, codes, root_transitions, pairs, ids)? {
            return Some(Validity::Always);
        }
        self.solve_characters_near(codes, root_transitions, pairs, ids)
    }

    #[cold]
    fn solve_characters_near(
        &self,
        codes: &[u16],
        root_transitions: &mut RootTransitions,
        pairs: &mut Pairs,
        ids: &mut Vec<u32>,
    ) -> Option<Validity> {
        ids.clear();
        if self.has_near() && self.solve_characters_at(Validity::SmallScores, codes, root_transitions, pairs, ids)? {
            return Some(Validity::SmallScores);
        }
        ids.clear();
        Some(Validity::Never)
    }

    /// The best path, and whether it wins wherever it shall hold.
    #[inline(always)]
    fn solve_characters_at(
        &self,
        holds: Validity,
        codes: &[u16],
        root_transitions: &mut RootTransitions,
        pairs: &mut Pairs,
        ids: &mut Vec<u32>,
    ) -> Option<bool> {
        let count = codes.len();
        let Pairs(cells) = pairs;
        self.fill_characters(codes, root_transitions, holds, cells)?;
        let mut end = count;
        while end > 0 {
            let (start, id) = cells[end % ROOM].edge();
            ids.push(id);
            end = start.min(end - 1);
        }
        ids.reverse();
        if ids.contains(&self.unk_id) {
            ids.clear();
            return None;
        }
        Some(self.wins(holds, cells[count], count, ids.len()))
    }

    /// Relaxes every edge, as [`Unigram::solve`] does.
    #[inline(always)]
    fn fill_characters(
        &self,
        codes: &[u16],
        root_transitions: &mut RootTransitions,
        holds: Validity,
        cells: &mut [Pair; ROOM],
    ) -> Option<()> {
        let trie = self.trie().view();
        let scores: &[f32] = &self.scores;
        let half = self.step(holds) / 2.0;
        cells[..=codes.len()].fill(NO_PAIR);
        cells[0].best = 0.0;
        for (start, &code) in codes.iter().enumerate() {
            let [here, next, behind @ ..] = &mut cells[start % ROOM..] else { break };
            let (here, from) = (*here, u32_of(start) << ID_BITS);
            let mut node = root_transitions.of(trie, code)?;
            let id = node.value().filter(|&id| id != self.unk_id)?;
            relax_pair(next, here, score_of(scores, id) + half, from | id);
            for (cell, &code) in behind.iter_mut().zip(&codes[start + 1..]) {
                let Some(next) = step(trie, node, code) else { break };
                node = next;
                let Some(id) = node.value() else { continue };
                relax_pair(cell, here, score_of(scores, id) + half, from | id);
            }
        }
        Some(())
    }
}
