//! The choice of the unit source for a text.

use std::ops::Range;

use crate::normalize::code_points::{CodePoint, CodePointTableView};
use crate::units::engine::{Engine, Outcome, Run};
use crate::units::scratch::EngineScratch;
use crate::units::source::code_points::CodePoints;
use crate::units::source::pretokenized::Pretokenized;
use crate::units::source::split::Split;
use crate::units::source::unsplit::Unsplit;
use crate::units::viterbi_state::{Open, ViterbiState};

impl Engine<'_> {
    /// Segments `text[range]`, which must begin and end at cuts, and be followed by [`crate::normalize::PADDING`]
    /// readable bytes. The ids are written to the beginning of `scratch.ids`, unknowns not yet fused. Stops early past
    /// `limit` ids.
    pub fn run(
        &self,
        text: &[u8],
        range: Range<usize>,
        cell: f64,
        limit: usize,
        open: Option<&mut Open>,
        scratch: &mut EngineScratch,
    ) -> Outcome {
        let mut run = Run::new(self, text, ViterbiState { cell, synced: 0 }, open, scratch);
        let Range { start: at, end } = range;
        match (self.chunks, self.units.splitter) {
            (Some(ends), _) if self.units.segmenter.has_byte_paths() => run.byte_chunks(ends, limit),
            (Some(ends), _) => run.drive(&mut Pretokenized::new(ends), limit),
            (None, splitter) if self.units.segmenter.has_byte_paths() => run.byte_text(splitter, at..end, limit),
            (None, Some(splitter)) => run.drive(&mut Split { splitter, at, end, wide: None }, limit),
            (None, None) => run.drive(&mut Unsplit { at, end }, limit),
        }
        run.outcome()
    }

    /// As [`Engine::run`] for a whole text that is not normalized yet; `None` if some character of it is not simple.
    pub fn run_code_points<T: CodePoint>(
        &self,
        text: &[T],
        code_point_table: CodePointTableView<'_>,
        scratch: &mut EngineScratch,
    ) -> Option<Outcome> {
        let char_ids = self.units.cuts.char_ids()?;
        let mut source = CodePoints::new(text, code_point_table, char_ids, &mut scratch.characters);
        let mut run = Run::new(self, &[], ViterbiState::default(), None, scratch);
        run.drive(&mut source, usize::MAX);
        (!source.is_refused).then(|| run.outcome())
    }
}
