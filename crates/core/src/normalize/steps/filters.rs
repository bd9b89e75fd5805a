//! Steps that map one character at a time.

use crate::normalize::steps::{Drafts, Editor};
use crate::unicode;
use crate::unicode::{CASED, MARK, NONSPACING, UNCLEAN, WHITE};
use crate::util::Result;

/// The length of a text's ASCII prefix.
pub fn ascii_end(text: &str) -> usize {
    const BLOCK: usize = 16;
    let bytes = text.as_bytes();
    let mut at = 0;
    while bytes.get(at).is_some_and(u8::is_ascii) {
        at += match bytes[at..].first_chunk::<BLOCK>() {
            Some(block) if block.is_ascii() => BLOCK,
            _ => 1,
        };
    }
    at
}

/// Rewrites the characters that are `wanted`; the others are copied.
fn rewrite(
    drafts: &mut Drafts,
    wanted: impl Fn(char) -> bool,
    mut write: impl FnMut(char, &mut Editor<'_>),
) -> Result<()> {
    if !drafts.now.text.contains(&wanted) {
        return Ok(());
    }
    drafts.edit(|mut editor| {
        while let Some(place) = editor.rest().find(&wanted) {
            editor.keep(place);
            let Some(c) = editor.rest().chars().next() else { break };
            write(c, &mut editor);
            editor.skip(c.len_utf8());
        }
        editor.finish();
    })
}

/// Removes the characters that are `unwanted`.
fn remove(drafts: &mut Drafts, unwanted: impl Fn(char) -> bool) -> Result<()> {
    rewrite(drafts, unwanted, |_, _| {})
}

/// Replaces each `wanted` character by `to`.
fn map(drafts: &mut Drafts, wanted: impl Fn(char) -> bool, to: &str) -> Result<()> {
    rewrite(drafts, wanted, |_, editor| editor.put(to, Some(editor.at())))
}

/// Lowercases the text.
pub fn lowercase(drafts: &mut Drafts) -> Result<()> {
    if drafts.now.text.is_ascii() {
        drafts.now.text.make_ascii_lowercase();
        return Ok(());
    }
    let mut buffer = String::new();
    rewrite(
        drafts,
        |c| if c.is_ascii() { c.is_ascii_uppercase() } else { unicode::is(c, CASED) },
        |c, editor| {
            buffer.clear();
            buffer.extend(c.to_lowercase());
            editor.put(&buffer, Some(editor.at()));
        },
    )
}

/// Removes white space at the ends.
pub fn strip(left: bool, right: bool, drafts: &mut Drafts) -> Result<()> {
    let white = |c: char| unicode::is(c, WHITE);
    let text = drafts.now.text.as_str();
    let kept = if left { text.trim_start_matches(white) } else { text };
    let start = text.len() - kept.len();
    let length = if right { kept.trim_end_matches(white).len() } else { kept.len() };
    if start > 0 || length < kept.len() {
        drafts.edit(|mut editor| {
            editor.skip(start);
            editor.keep(length);
        })?;
    }
    Ok(())
}

/// Removes combining marks.
pub fn strip_accents(drafts: &mut Drafts) -> Result<()> {
    remove(drafts, |c| !c.is_ascii() && unicode::is(c, MARK))
}

/// Removes nonspacing marks.
pub fn strip_nonspacing(drafts: &mut Drafts) -> Result<()> {
    remove(drafts, |c| !c.is_ascii() && unicode::is(c, NONSPACING))
}

/// Removes control characters; any white space becomes a space.
pub fn clean(drafts: &mut Drafts) -> Result<()> {
    remove(drafts, |c| !matches!(c, ' '..='~') && unicode::is(c, UNCLEAN))?;
    map(drafts, |c| c != ' ' && !matches!(c, '!'..='~') && unicode::is(c, WHITE), " ")
}

/// A space on both sides of every Chinese character.
pub fn chinese(drafts: &mut Drafts) -> Result<()> {
    rewrite(drafts, is_chinese, |c, editor| {
        let at = editor.at();
        editor.put(" ", Some(at));
        editor.put(c.encode_utf8(&mut [0; 4]), Some(at));
        editor.put(" ", Some(at));
    })
}

/// Whether BERT takes a character for Chinese.
pub const fn is_chinese(c: char) -> bool {
    matches!(c,
        '\u{4E00}'..='\u{9FFF}'
        | '\u{3400}'..='\u{4DBF}'
        | '\u{20000}'..='\u{2A6DF}'
        | '\u{2A700}'..='\u{2B73F}'
        | '\u{2B740}'..='\u{2B81F}'
        | '\u{2B920}'..='\u{2CEAF}'
        | '\u{F900}'..='\u{FAFF}'
        | '\u{2F800}'..='\u{2FA1F}')
}

/// Removes control characters; some white space and zero-width characters become a space.
pub fn nmt(drafts: &mut Drafts) -> Result<()> {
    remove(drafts, |c| matches!(c, '\u{1}'..='\u{8}' | '\u{B}' | '\u{E}'..='\u{1F}' | '\u{7F}' | '\u{8F}' | '\u{9F}'))?;
    let blank = |c: char| {
        matches!(
            c,
            '\t' | '\n' | '\u{C}' | '\r' | '\u{1680}' | '\u{200B}'
                ..='\u{200F}' | '\u{2028}' | '\u{2029}' | '\u{2581}' | '\u{FEFF}' | '\u{FFFD}'
        )
    };
    map(drafts, blank, " ")
}

/// Inserts a text at the beginning, with the origin of the first character.
pub fn prepend(text: &str, drafts: &mut Drafts) -> Result<()> {
    let Some(first) = drafts.now.text.chars().next() else { return Ok(()) };
    drafts.edit(|mut editor| {
        editor.put(text, Some(0));
        if text.is_empty() {
            // The reference treats the first character as the inserted one, which has no origin.
            editor.put(first.encode_utf8(&mut [0; 4]), None);
            editor.skip(first.len_utf8());
        }
        editor.finish();
    })
}
