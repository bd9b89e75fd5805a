//! The four Unicode normalization forms.
//!
//! A character that is inert for a form is unchanged and does not interact with those before it; so only the range from
//! the character before a non-inert one to the next inert one is processed.

use unicode_normalization_alignments::UnicodeNormalization;

use crate::normalize::steps::filters::ascii_end;
use crate::normalize::steps::{newer, Drafts, Editor};
use crate::unicode;
use crate::util::Result;

/// Which form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Canonical composition.
    Nfc,
    /// Canonical composition by the tables of Unicode 14.
    Nfc14,
    /// Canonical decomposition.
    Nfd,
    /// Compatibility composition.
    Nfkc,
    /// Compatibility decomposition.
    Nfkd,
}

impl Form {
    const fn inert(self) -> u16 {
        match self {
            Self::Nfc | Self::Nfc14 => unicode::NFC,
            Self::Nfd => unicode::NFD,
            Self::Nfkc => unicode::NFKC,
            Self::Nfkd => unicode::NFKD,
        }
    }
}

/// Applies a form to the text.
pub fn run(form: Form, drafts: &mut Drafts) -> Result<()> {
    if next_active(form, &drafts.now.text).is_none() {
        return Ok(());
    }
    drafts.edit(|mut editor| {
        while let Some(active) = next_active(form, editor.rest()) {
            let rest = editor.rest();
            let start = rest[..active].char_indices().next_back().map_or(0, |(place, _)| place);
            let inert = |&(_, c): &(usize, char)| unicode::is(c, form.inert());
            let end = rest[active..].char_indices().skip(1).find(inert).map_or(rest.len(), |(place, _)| active + place);
            editor.keep(start);
            rewrite(form, &rest[start..end], &mut editor);
        }
        editor.finish();
    })
}

/// The position of the first character that is not inert.
fn next_active(form: Form, text: &str) -> Option<usize> {
    let mut at = 0;
    loop {
        at += ascii_end(&text[at..]);
        let rest = &text[at..];
        let c = rest.chars().next()?;
        if !unicode::is(c, form.inert()) {
            return Some(at);
        }
        at += c.len_utf8();
    }
}

fn rewrite(form: Form, text: &str, editor: &mut Editor<'_>) {
    match form {
        Form::Nfc14 if newer::has_newer(text) => newer::write(text, editor),
        Form::Nfc | Form::Nfc14 => text.nfc().for_each(|(c, change)| editor.write(c, change)),
        Form::Nfd => text.nfd().for_each(|(c, change)| editor.write(c, change)),
        Form::Nfkc => text.nfkc().for_each(|(c, change)| editor.write(c, change)),
        Form::Nfkd => text.nfkd().for_each(|(c, change)| editor.write(c, change)),
    }
}
