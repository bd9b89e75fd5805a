//! Where the reference's dynamic program stands in a text, for units whose answer depends on it.
//!
//! At a cut there is one cell, and it is the sum of what was emitted before. It is added up only when somebody asks.

/// Where the reference's dynamic program stands.
#[derive(Clone, Copy, Debug, Default)]
pub struct ViterbiState {
    /// Its cell after the first `synced` ids.
    pub cell: f64,
    /// Ids that the cell accounts for.
    pub synced: usize,
}

/// A unit left open because its cell was not known.
#[derive(Clone, Copy, Debug)]
pub struct Deferred {
    /// Its place in the text.
    pub start: u32,
    /// Its end in the text.
    pub end: u32,
    /// Where its ids belong.
    pub at: u32,
}

/// A place where a window began: in the text and in the ids.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    /// Place in the text.
    pub text: u32,
    /// Place in the ids.
    pub ids: u32,
}

/// What a run leaves open when it does not know the cell it starts from.
#[derive(Default)]
pub struct Open {
    /// Units to be settled.
    pub deferred: Vec<Deferred>,
    /// Beginnings of windows.
    pub marks: Vec<Mark>,
}
