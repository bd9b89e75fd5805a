//! The edges of pieces in the text. Of the pieces that begin at a position each is a prefix of the next longer one, so
//! a position stores only its longest, and a piece the next shorter one: see `Node::shorter`.

use std::collections::HashMap;

use foldhash::fast::FixedState;
use xxhash_rust::xxh3::xxh3_64;

use crate::training::team::Team;
use crate::training::text::Text;
use crate::training::unigram::model::{Model, NONE};
use crate::training::Progress;
use crate::util::{f64_count, f64_of, u32_of, us, Result};

/// Minimum positions of one task.
const TASK: usize = 1 << 14;
/// Number of spans between two reports.
const OFTEN: usize = 1 << 14;

/// A part of the text whose ends no piece spans, with its count.
#[derive(Debug, Clone, Copy)]
pub struct Span {
    pub start: u32,
    pub end: u32,
    pub count: u64,
}

/// The longest piece at each position. 4 bytes for each position and 16 for each span.
#[derive(Debug, Default)]
pub struct Edges {
    longest: Vec<u32>,
    spans: Vec<Span>,
    /// The first span of each task, and the end.
    tasks: Vec<usize>,
    /// The sum of the counts of all segments.
    weight: f64,
}

impl Edges {
    /// The edges of the pieces that the suffixes of `order` in `ranges` (left, width) begin with; sets the next shorter
    /// piece of each in the model.
    pub fn of(
        text: &Text,
        model: &mut Model,
        order: &[u32],
        ranges: &[(u32, u32)],
        now: Progress,
        team: &mut Team<'_>,
    ) -> Result<Self> {
        // By left end, of ties the widest first, then the shortest.
        let mut pieces: Vec<u32> = (0..model.len()).map(u32_of).filter(|&piece| ranges[us(piece)].1 > 0).collect();
        pieces.sort_unstable_by_key(|&piece| (ranges[us(piece)].0, model.nodes[us(piece)].length));
        let mut longest = vec![NONE; text.symbols().len()];
        let mut open: Vec<(u32, u32)> = Vec::new();
        let mut at = 0;
        for piece in pieces {
            let (left, width) = ranges[us(piece)];
            fill(&mut longest, order, &mut open, &mut at, left);
            model.nodes[us(piece)].shorter = open.last().map_or(NONE, |row| row.1);
            open.push((left + width, piece));
        }
        fill(&mut longest, order, &mut open, &mut at, u32_of(order.len()));
        let spans = (0..text.segments()).map(|index| {
            let segment = text.segment(index);
            Span { start: u32_of(segment.start), end: u32_of(segment.end), count: text.count(index) }
        });
        let mut edges = Self { longest, spans: spans.collect(), ..Self::default() };
        edges.weight = edges.spans.iter().map(|span| f64_count(span.count)).sum();
        edges.cut(text, model, now, team)?;
        Ok(edges)
    }

    /// Cuts spans at positions that no edge spans, deduplicates them, and divides them into tasks of about equal size.
    fn cut(&mut self, text: &Text, model: &Model, now: Progress, team: &mut Team<'_>) -> Result<()> {
        let mut known: HashMap<u64, u32, FixedState> = HashMap::default();
        let mut spans: Vec<Span> = Vec::with_capacity(self.spans.len());
        let spelled = |span: &Span| &text.symbols()[us(span.start)..us(span.end)];
        let mut add = |span: Span| {
            let hash = xxh3_64(bytemuck::cast_slice(spelled(&span)));
            let next = u32_of(spans.len());
            let found = &mut spans[..];
            match found.get_mut(us(*known.entry(hash).or_insert(next))) {
                // Different spans with equal hashes are both kept, the second one at each occurrence.
                Some(one) if spelled(one) == spelled(&span) => one.count = one.count.saturating_add(span.count),
                _ => spans.push(span),
            }
        };
        for (index, span) in self.spans.iter().enumerate() {
            if index % OFTEN == 0 {
                team.report(now)?;
            }
            let mut start = span.start;
            let mut reach = us(start);
            let places = us(span.start)..us(span.end);
            for (place, &piece) in places.clone().zip(&self.longest[places]) {
                if place == reach && place > us(start) {
                    add(Span { start, end: u32_of(place), count: span.count });
                    start = u32_of(place);
                }
                reach = reach.max(place + usize::from(model.nodes[us(piece)].length));
            }
            add(Span { start, ..*span });
        }
        self.spans = spans;
        self.tasks.clear();
        let mut places = TASK;
        for (index, span) in self.spans.iter().enumerate() {
            if places >= TASK {
                self.tasks.push(index);
                places = 0;
            }
            places += us(span.end - span.start);
        }
        self.tasks.push(self.spans.len());
        Ok(())
    }

    /// The longest piece at each of some positions.
    pub fn longest(&self, start: usize, length: usize) -> &[u32] {
        &self.longest[start..start + length]
    }

    /// The number of tasks.
    pub fn tasks(&self) -> usize {
        self.tasks.len() - 1
    }

    /// The spans of a task.
    pub fn task(&self, task: usize) -> &[Span] {
        &self.spans[self.tasks[task]..self.tasks[task + 1]]
    }

    /// The sum of the counts of all segments.
    pub fn weight(&self) -> f64 {
        self.weight
    }

    /// A power of 2 to scale expected counts by: no product exceeds 2^51, and no sum of them 2^62.
    pub fn unit(&self) -> f64 {
        let highest = self.spans.iter().map(|span| f64_count(span.count)).fold(1.0, f64::max);
        let sum: f64 = self.spans.iter().map(|span| f64_count(span.count) * f64_of(us(span.end - span.start))).sum();
        let mut unit = 1_099_511_627_776.0;
        while highest * unit >= 2_251_799_813_685_248.0 || sum * unit >= 4_611_686_018_427_387_904.0 {
            unit /= 2.0;
        }
        unit
    }

    /// Drops strings that are no longer pieces, and renumbers the model.
    pub fn compact(&mut self, text: &Text, model: &mut Model, now: Progress, team: &mut Team<'_>) -> Result<()> {
        if model.stale() == 0 {
            return Ok(());
        }
        let numbers = model.renumber();
        for piece in self.longest.iter_mut().filter(|piece| **piece != NONE) {
            *piece = numbers[us(*piece)];
        }
        self.cut(text, model, now, team)
    }
}

/// Sets for the suffixes from `at` up to `until` the innermost open piece, and closes the pieces that end there.
fn fill(longest: &mut [u32], order: &[u32], open: &mut Vec<(u32, u32)>, at: &mut u32, until: u32) {
    while let Some(&(end, piece)) = open.last() {
        for &place in &order[us(*at)..us(end.min(until))] {
            longest[us(place)] = piece;
        }
        *at = end.min(until);
        if end > until {
            return;
        }
        open.pop();
    }
    // Every suffix begins with a character, so there is no gap between two pieces.
    *at = until;
}
