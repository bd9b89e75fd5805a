//! Bounds on how long a text may become in the stages, and on how much work the stages may do on it.
//!
//! A file that lists many steps, each harmless, could turn one letter into megabytes or minutes of work. So each text
//! has an allowance computed from its length; what exceeds it is an error before memory is allocated.

use crate::util::error::{Error, Result};

/// Factor by which a text may grow; any Unicode normalization form grows a character at most 11 times.
pub const GROWTH: usize = 64;
/// Bytes that a text may grow beyond `GROWTH`, enough to insert one text of the greatest length.
pub const SLACK: usize = 1024;
/// Bytes that all steps together may read, per byte of the text.
const WORK: usize = 512;
/// Bytes that all steps may read beyond `WORK`, for short texts.
const WORK_SLACK: usize = 1 << 14;
/// Fixed cost of a step, in bytes, besides those that it reads.
const STEP: usize = 16;

/// The allowance of one text.
#[derive(Debug, Clone, Copy, Default)]
pub struct Bounds {
    pub(crate) most: usize,
    work: usize,
}

impl Bounds {
    /// The allowance of a text of `length` bytes.
    pub const fn of(length: usize) -> Self {
        Self {
            most: length.saturating_mul(GROWTH).saturating_add(SLACK),
            work: length.saturating_mul(WORK).saturating_add(WORK_SLACK),
        }
    }

    /// Allows `most` bytes of text and unbounded work.
    pub const fn up_to(most: usize) -> Self {
        Self { most, work: usize::MAX }
    }

    /// Refuses a length beyond the bound.
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

    /// Charges a step that reads `bytes` bytes.
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

    /// Adds the allowance of `length` more bytes of a text that arrives in parts.
    pub fn grant(&mut self, length: usize) {
        self.most = self.most.saturating_add(length.saturating_mul(GROWTH));
        self.work = self.work.saturating_add(length.saturating_mul(WORK)).saturating_add(WORK_SLACK);
    }

    /// Subtracts the output length of one part of the text from the length left for the rest.
    pub fn take(&mut self, bytes: usize) {
        self.most = self.most.saturating_sub(bytes);
    }

    /// Continues with the work budget that `other` has left.
    pub fn go_on(&mut self, other: Self) {
        self.work = other.work;
    }
}
