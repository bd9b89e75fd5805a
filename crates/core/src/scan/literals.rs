//! Tells texts that contain one of some strings, such as the spellings of special tokens.

use crate::specials::finder::Finder;
use crate::util::cast::u32_of;
use crate::util::error::{Error, Result};

/// The strings, ready to be searched for.
pub struct Literals(Finder);

impl Literals {
    /// Of the strings, none is empty.
    pub fn new(strings: &[&[u8]]) -> Result<Self> {
        if strings.iter().any(|string| string.is_empty()) {
            return Err(Error::new("argument-value", "an empty string is in every text; leave it out"));
        }
        let mut keys: Vec<Vec<u8>> = strings.iter().map(|string| string.to_vec()).collect();
        keys.sort_unstable();
        keys.dedup();
        Ok(Self(Finder::build(keys.into_iter().enumerate().map(|(number, key)| (key, u32_of(number))).collect())?))
    }

    /// Whether a text contains one.
    pub fn is_in(&self, text: &[u8]) -> bool {
        self.0.next(text, 0, |_, _, _| true).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_are_found() -> Result<()> {
        let found = Literals::new(&[b"<s>", b"<s>", b"</s>"])?;
        assert!(found.is_in(b"a</s>"));
        assert!(!found.is_in(b"a<s</s"));
        assert!(!Literals::new(&[])?.is_in(b"a"));
        assert!(Literals::new(&[b""]).is_err());
        Ok(())
    }
}
