//! The priority queue of pairs: a 4-ary heap.

/// A pair with its count when it was inserted or last updated.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    pub count: u64,
    /// Tie-break of equal counts, the smaller first.
    pub key: u64,
    pub pair: u32,
}

/// The heap. The caller supplies the order, which must be consistent.
#[derive(Default)]
pub struct Queue {
    entries: Vec<Entry>,
}

const BELOW: usize = 4;

impl Queue {
    pub fn clear(&mut self) {
        self.entries.clear();
    }

    pub fn top(&self) -> Option<&Entry> {
        self.entries.first()
    }

    pub fn push(&mut self, entry: Entry, goes_first: &impl Fn(&Entry, &Entry) -> bool) {
        let mut at = self.entries.len();
        self.entries.push(entry);
        while at > 0 {
            let above = (at - 1) / BELOW;
            if !goes_first(&entry, &self.entries[above]) {
                break;
            }
            self.entries[at] = self.entries[above];
            at = above;
        }
        self.entries[at] = entry;
    }

    pub fn pop(&mut self, goes_first: &impl Fn(&Entry, &Entry) -> bool) {
        let Some(last) = self.entries.pop() else { return };
        if !self.entries.is_empty() {
            self.sink(last, goes_first);
        }
    }

    /// Gives the top entry a smaller count or a larger key, and restores the heap order.
    pub fn lower_top(&mut self, count: u64, key: u64, goes_first: &impl Fn(&Entry, &Entry) -> bool) {
        let Some(&top) = self.entries.first() else { return };
        self.sink(Entry { count, key, ..top }, goes_first);
    }

    /// Sifts an entry down from the top.
    fn sink(&mut self, entry: Entry, goes_first: &impl Fn(&Entry, &Entry) -> bool) {
        let mut at = 0;
        loop {
            let from = at * BELOW + 1;
            let Some(below) = self.entries.get(from..(from + BELOW).min(self.entries.len())) else { break };
            let Some(mut best) = below.first() else { break };
            let mut place = from;
            for (offset, other) in below.iter().enumerate().skip(1) {
                if goes_first(other, best) {
                    best = other;
                    place = from + offset;
                }
            }
            if !goes_first(best, &entry) {
                break;
            }
            self.entries[at] = *best;
            at = place;
        }
        self.entries[at] = entry;
    }
}
