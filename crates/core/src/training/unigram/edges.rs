//! Where pieces lie in the text: for each place the pieces that begin there, found once and thinned as pieces go.

use std::ops::Range;

use crate::cast::{u32_of, u64_of, us};
use crate::error::{Error, Result};
use crate::training::text::Text;
use crate::training::unigram::model::Model;

/// Places that one task of a thread has at least.
const TASK: usize = 1 << 14;

/// A part of the text that no piece crosses the borders of, with its count.
#[derive(Debug, Clone, Copy)]
pub struct Span {
    pub start: u32,
    pub end: u32,
    pub count: u64,
}

/// The edges of all places on end, at each place the shorter ones first. 4 bytes for each place and 6 for each edge.
#[derive(Debug, Default)]
pub struct Edges {
    /// Where the edges of each place begin; one more for the end.
    offsets: Vec<u32>,
    pieces: Vec<u32>,
    lengths: Vec<u16>,
    spans: Vec<Span>,
    /// Where the spans of each task begin; one more for the end.
    tasks: Vec<usize>,
    /// The longest span.
    longest: usize,
}

impl Edges {
    /// The edges of pieces that begin at `places(piece)`.
    pub fn of<'p>(text: &Text, model: &Model, places: impl Fn(usize) -> &'p [u32]) -> Result<Self> {
        let mut by_length: Vec<u32> = (0..model.len()).map(u32_of).collect();
        by_length.sort_by_key(|&piece| model.lengths[us(piece)]);
        let total: usize = (0..model.len()).map(|piece| places(piece).len()).sum();
        if u32::try_from(total).is_err() {
            let message = format!(
                "the text has {total} places where seeds lie and may have 2^32; lower seed_sentencepiece_size or leave out \
                 rare words"
            );
            return Err(Error::new("words-table", message).with("matches", u64_of(total)));
        }
        // First the number of edges of each place, one further on, then where they begin, and while they are filled in where
        // the next one goes: in the end that is where those of the next place begin.
        let mut offsets = vec![0u32; text.symbols().len() + 2];
        for piece in 0..model.len() {
            for &place in places(piece) {
                offsets[us(place) + 2] += 1;
            }
        }
        for index in 2..offsets.len() {
            offsets[index] += offsets[index - 1];
        }
        let mut pieces = vec![0; total];
        let mut lengths = vec![0; total];
        for piece in by_length {
            for &place in places(us(piece)) {
                let next = &mut offsets[us(place) + 1];
                pieces[us(*next)] = piece;
                lengths[us(*next)] = model.lengths[us(piece)];
                *next += 1;
            }
        }
        offsets.pop();
        let mut edges = Self { offsets, pieces, lengths, ..Self::default() };
        edges.cut(text);
        Ok(edges)
    }

    /// Spans between the places that no edge crosses, and tasks of about equal size.
    fn cut(&mut self, text: &Text) {
        for index in 0..text.segments() {
            let segment = text.segment(index);
            let mut start = segment.start;
            let mut reach = start;
            for place in segment {
                if place == reach && place > start {
                    self.spans.push(Span { start: u32_of(start), end: u32_of(place), count: text.count(index) });
                    start = place;
                }
                let ends = self.lengths[self.at(place)].iter().map(|&length| place + usize::from(length));
                reach = ends.fold(reach, usize::max);
            }
            self.spans.push(Span { start: u32_of(start), end: u32_of(reach), count: text.count(index) });
        }
        let mut places = TASK;
        for (index, span) in self.spans.iter().enumerate() {
            let length = us(span.end - span.start);
            self.longest = self.longest.max(length);
            if places >= TASK {
                self.tasks.push(index);
                places = 0;
            }
            places += length;
        }
        self.tasks.push(self.spans.len());
    }

    /// How many edges there are.
    pub fn len(&self) -> usize {
        self.pieces.len()
    }

    /// The numbers of the edges that begin at a place.
    #[inline]
    pub fn at(&self, place: usize) -> Range<usize> {
        us(self.offsets[place])..us(self.offsets[place + 1])
    }

    /// The pieces of all edges.
    #[inline]
    pub fn pieces(&self) -> &[u32] {
        &self.pieces
    }

    /// The lengths of all edges.
    #[inline]
    pub fn lengths(&self) -> &[u16] {
        &self.lengths
    }

    /// How many tasks the spans make.
    pub fn tasks(&self) -> usize {
        self.tasks.len() - 1
    }

    /// The spans of a task.
    pub fn task(&self, task: usize) -> &[Span] {
        &self.spans[self.tasks[task]..self.tasks[task + 1]]
    }

    /// The length of the longest span.
    pub fn longest(&self) -> usize {
        self.longest
    }

    /// Removes the edges of strings that are no pieces any more, and their numbers from the model.
    pub fn compact(&mut self, model: &mut Model) {
        if model.stale() == 0 {
            return;
        }
        let numbers = model.renumber();
        let mut next = 0;
        let mut edge = 0;
        for place in 1..self.offsets.len() {
            let end = us(self.offsets[place]);
            while edge < end {
                if let Some(number) = numbers[us(self.pieces[edge])] {
                    self.pieces[next] = number;
                    self.lengths[next] = self.lengths[edge];
                    next += 1;
                }
                edge += 1;
            }
            self.offsets[place] = u32_of(next);
        }
        self.pieces.truncate(next);
        self.lengths.truncate(next);
    }
}
