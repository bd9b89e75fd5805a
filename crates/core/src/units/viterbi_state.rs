//! The running score of the reference's dynamic program, for units whose result depends on it.
//!
//! At a cut there is one cell, the sum of the scores emitted before. It is added up only on demand.

/// The state of the reference's dynamic program.
#[derive(Clone, Copy, Debug, Default)]
pub struct ViterbiState {
    /// Its cell after the first `synced` ids.
    pub cell: f64,
    /// Ids that the cell accounts for.
    pub synced: usize,
}

/// A unit left open because its running score was unknown.
#[derive(Clone, Copy, Debug)]
pub struct Deferred {
    /// Its start in the text.
    pub start: u32,
    /// Its end in the text.
    pub end: u32,
    /// The index at which its ids are inserted.
    pub at: u32,
}

/// The start of a window: in the text and in the ids.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    /// Place in the text.
    pub text: u32,
    /// Place in the ids.
    pub ids: u32,
}

/// What a run leaves open when it does not know the running score it starts from.
#[derive(Default)]
pub struct Open {
    /// Units to be segmented from the actual score.
    pub deferred: Vec<Deferred>,
    /// Beginnings of windows.
    pub marks: Vec<Mark>,
}
