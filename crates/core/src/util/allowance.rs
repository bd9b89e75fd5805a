//! What the stages of a file may make of a text, and how much they may work on it.
//!
//! A file that lists many steps, each harmless, could make megabytes or minutes of one letter. So each text has an allowance
//! that follows from its length; what goes beyond it is an error before memory is asked for.

use crate::util::error::{Error, Result};

/// A text may become so many times as long: a character of it becomes 11 times as long at most by any form of Unicode.
pub const GROWTH: usize = 64;
/// And so many bytes longer, which lets one text of the longest kind be put in.
pub const SLACK: usize = 1024;
/// All steps together may read so many times the length of the text.
const WORK: usize = 512;
/// And so many bytes more, for short texts.
const WORK_SLACK: usize = 1 << 14;
/// A step counts as so many bytes besides those that it reads.
const STEP: usize = 16;

/// The allowance of one text.
#[derive(Debug, Clone, Copy, Default)]
pub struct Bounds {
    most: usize,
    work: usize,
}

impl Bounds {
    /// What a text of so many bytes is allowed.
    pub const fn of(length: usize) -> Self {
        Self {
            most: length.saturating_mul(GROWTH).saturating_add(SLACK),
            work: length.saturating_mul(WORK).saturating_add(WORK_SLACK),
        }
    }

    /// Up to so many bytes, with any amount of work.
    pub const fn up_to(most: usize) -> Self {
        Self { most, work: usize::MAX }
    }

    /// How long the text may become.
    pub const fn most(&self) -> usize {
        self.most
    }

    /// Refuses a length.
    #[inline]
    pub fn check(&self, bytes: usize) -> Result<()> {
        if bytes <= self.most {
            return Ok(());
        }
        Err(self.too_long())
    }

    /// The error for a text that would become too long.
    #[cold]
    pub fn too_long(&self) -> Error {
        let message = format!(
            "the steps of this file would make a text more than {GROWTH} times as long, and {SLACK} bytes; mend them"
        );
        Error::new("stage-limit", message).with("most", self.most)
    }

    /// Counts a step that reads so many bytes.
    pub fn spend(&mut self, bytes: usize) -> Result<()> {
        if let Some(left) = self.work.checked_sub(bytes.saturating_add(STEP)) {
            self.work = left;
            return Ok(());
        }
        let message = format!(
            "the steps of this file would read a text more than {WORK} times, as it is or as they make it; list fewer"
        );
        Err(Error::new("stage-limit", message).with("work", WORK))
    }

    /// Adds what so many more bytes of a text that arrives in parts are allowed.
    pub fn grant(&mut self, length: usize) {
        self.most = self.most.saturating_add(length.saturating_mul(GROWTH));
        self.work = self.work.saturating_add(length.saturating_mul(WORK)).saturating_add(WORK_SLACK);
    }

    /// Takes what a part of the text became off the length that the rest of it may become.
    pub fn take(&mut self, bytes: usize) {
        self.most = self.most.saturating_sub(bytes);
    }

    /// Goes on with the work that another has left.
    pub fn go_on(&mut self, other: Self) {
        self.work = other.work;
    }
}
