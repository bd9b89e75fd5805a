//! One long text on many threads: parts that begin at cuts are segmented in parallel, then reconciled in order.
//!
//! A part does not know the running score it starts from. Units with a wide margin do not need it; the others, and the
//! windows close to a rebase, are redone here, from the actual score. The ids equal those of one thread.

use crate::segment::unigram::Unigram;
use crate::segment::Algorithm;
use crate::spec::stages::Splitter;
use crate::spec::vocab::Vocab;
use crate::units::engine::{Engine, Outcome, BEHIND};
use crate::units::key::WINDOW;
use crate::units::scratch::EngineScratch;
use crate::units::viterbi_state::{Deferred, Mark, Open};
use crate::units::Units;
use crate::util::join::join_all;
use crate::util::us;

/// Minimum bytes of a part that is worth a thread.
pub const MIN_PART: usize = 64 * 1024;
/// Margin, in bytes, for the interior scores of a unit.
const UNIT_REACH: usize = 64;

struct Part {
    end: usize,
    ids: Vec<u32>,
    unknown: bool,
    open: Open,
}

/// Segments a padded text of `len` bytes with the scratches given, one thread each; the ids end up in `scratches[0].ids`.
pub fn run(units: &Units, vocab: &Vocab, text: &[u8], len: usize, scratches: &mut [&mut EngineScratch]) -> Outcome {
    let engine = Engine::new(units, vocab, len);
    let threads = scratches.len().min(len / MIN_PART).max(1);
    if threads == 1 {
        return engine.run(text, 0..len, 0.0, usize::MAX, None, scratches[0]);
    }
    // Paths that restart in every chunk need no earlier score, and parts begin with chunks.
    let is_settled = units.segmenter.has_byte_paths();
    let bounds = match units.splitter {
        Some(splitter) => chunk_bounds(splitter, text, len, threads),
        None if is_settled => vec![0, len],
        None => part_bounds(&engine, text, len, threads),
    };
    let work = bounds.windows(2).zip(scratches.iter_mut()).map(|(pair, scratch)| {
        let (start, end, engine) = (pair[0], pair[1], &engine);
        move || {
            let mut open = Open::default();
            let left_open = (!is_settled).then_some(&mut open);
            let outcome = engine.run(text, start..end, 0.0, usize::MAX, left_open, scratch);
            Part { end, ids: scratch.ids[..outcome.count].to_vec(), unknown: outcome.unknown, open }
        }
    });
    let ((), parts) = join_all(|| (), work);
    let parts: Vec<Part> = parts.into_iter().map_while(Result::ok).collect();
    if parts.len() + 1 != bounds.len() {
        return engine.run(text, 0..len, 0.0, usize::MAX, None, scratches[0]);
    }
    let mut settling =
        Settling { engine: &engine, units, text, scratch: scratches[0], ids: Vec::new(), cell: 0.0, unknown: false };
    for part in &parts {
        settling.part(part);
    }
    let Settling { ids, unknown, .. } = settling;
    let count = ids.len();
    scratches[0].ids = ids;
    Outcome { count, unknown, running: crate::units::viterbi_state::ViterbiState::default() }
}

fn part_bounds(engine: &Engine<'_>, text: &[u8], len: usize, parts: usize) -> Vec<usize> {
    let mut bounds = vec![0];
    for part in 1..parts {
        let mut wanted = (len / parts * part).max(bounds[bounds.len() - 1]);
        while wanted < len && text[wanted] & 0xC0 == 0x80 {
            wanted += 1;
        }
        let cut = if wanted >= len { len } else { engine.unit_end(text, wanted, len) };
        if cut < len && cut > bounds[bounds.len() - 1] {
            bounds.push(cut);
        }
    }
    bounds.push(len);
    bounds
}

/// Chunk ends can only be found from the beginning.
fn chunk_bounds(splitter: Splitter, text: &[u8], len: usize, parts: usize) -> Vec<usize> {
    let mut ends = vec![0; WINDOW + BEHIND];
    let mut bounds = vec![0];
    let mut at = 0;
    while at < len {
        let found = splitter.chunks(text, at, len.min(at + WINDOW), len, &mut ends);
        at = us(ends[found - 1]);
        if at >= len / parts * bounds.len() && at < len && bounds.len() < parts {
            bounds.push(at);
        }
    }
    bounds.push(len);
    bounds
}

struct Settling<'a> {
    engine: &'a Engine<'a>,
    units: &'a Units,
    text: &'a [u8],
    scratch: &'a mut EngineScratch,
    ids: Vec<u32>,
    cell: f64,
    unknown: bool,
}

impl Settling<'_> {
    fn part(&mut self, part: &Part) {
        self.unknown |= part.unknown;
        let unigram = match &self.units.segmenter.algorithm {
            Algorithm::Unigram(unigram) if !unigram.has_byte_pieces => unigram,
            _ => {
                self.ids.extend_from_slice(&part.ids);
                return;
            }
        };
        let mut deferred = part.open.deferred.as_slice();
        for (index, mark) in part.open.marks.iter().enumerate() {
            let next = part.open.marks.get(index + 1).copied();
            let (text_end, ids_end) = next.map_or((part.end, part.ids.len()), |mark| (us(mark.text), us(mark.ids)));
            let inside = deferred.iter().take_while(|unit| us(unit.start) < text_end).count();
            let (mine, later) = deferred.split_at(inside);
            deferred = later;
            self.window(unigram, part, *mark, text_end, ids_end, mine);
        }
    }

    fn window(
        &mut self,
        unigram: &Unigram,
        part: &Part,
        mark: Mark,
        text_end: usize,
        ids_end: usize,
        deferred: &[Deferred],
    ) {
        let (before, cell) = (self.ids.len(), self.cell);
        if self.try_window(unigram, part, mark, ids_end, deferred).is_some() {
            return;
        }
        self.ids.truncate(before);
        let outcome = self.engine.run(self.text, us(mark.text)..text_end, cell, usize::MAX, None, self.scratch);
        let found = &self.scratch.ids[..outcome.count];
        self.ids.extend_from_slice(found);
        self.unknown |= outcome.unknown;
        self.cell = unigram.add(outcome.running.cell, &found[outcome.running.synced..]);
    }

    /// Accepts the part's ids if no score comes close to the limit; `None` if the window has to be redone.
    fn try_window(
        &mut self,
        unigram: &Unigram,
        part: &Part,
        mark: Mark,
        ids_end: usize,
        deferred: &[Deferred],
    ) -> Option<()> {
        let mut at = us(mark.ids);
        let mut cell = self.cell;
        for unit in deferred {
            cell = self.take(unigram, cell, &part.ids[at..us(unit.at)])?;
            at = us(unit.at);
            let bytes = us(unit.end - unit.start);
            if !unigram.holds(cell, unigram.reach(bytes)) {
                return None;
            }
            let EngineScratch { buffers, unit: ids, .. } = &mut *self.scratch;
            ids.clear();
            let text = &self.text[us(unit.start)..us(unit.end)];
            let (after, unknown) = self.units.segmenter.exact(text, cell, buffers, ids);
            self.ids.extend_from_slice(ids);
            self.unknown |= unknown;
            cell = after;
        }
        self.cell = self.take(unigram, cell, &part.ids[at..ids_end])?;
        Some(())
    }

    fn take(&mut self, unigram: &Unigram, cell: f64, ids: &[u32]) -> Option<f64> {
        let (after, farthest) = unigram.add_tracked(cell, ids);
        self.ids.extend_from_slice(ids);
        unigram.holds(farthest, unigram.reach(UNIT_REACH)).then_some(after)
    }
}
