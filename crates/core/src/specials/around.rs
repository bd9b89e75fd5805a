//! White space and characters around a position of a text.

fn is_word(character: char) -> bool {
    regex_syntax::is_word_character(character)
}

pub(crate) fn is_word_before(text: &[u8], at: usize) -> bool {
    last_character(&text[..at]).is_some_and(is_word)
}

pub(crate) fn is_word_behind(text: &[u8], at: usize) -> bool {
    first_character(&text[at..]).is_some_and(is_word)
}

pub(crate) fn first_character(text: &[u8]) -> Option<char> {
    text[..text.len().min(4)].utf8_chunks().next()?.valid().chars().next()
}

pub(crate) fn last_character(text: &[u8]) -> Option<char> {
    let end = text[text.len().saturating_sub(4)..].utf8_chunks().last()?;
    end.valid().chars().next_back().filter(|_| end.invalid().is_empty())
}

/// The start of the white space before `at`.
pub(crate) fn white_before(text: &[u8], at: usize) -> usize {
    let mut start = at;
    while let Some(character) = last_character(&text[..start]).filter(|character| character.is_whitespace()) {
        start -= character.len_utf8();
    }
    start
}

/// The end of the white space after `at`.
pub(crate) fn white_behind(text: &[u8], at: usize) -> usize {
    let mut end = at;
    while let Some(character) = first_character(&text[end..]).filter(|character| character.is_whitespace()) {
        end += character.len_utf8();
    }
    end
}

fn is_c_space(byte: u8) -> bool {
    matches!(byte, b' ' | 9..=13)
}

/// Length of a text without trailing white space, by C's `isspace`.
pub(crate) fn trimmed_end(text: &[u8]) -> usize {
    text.iter().rposition(|&byte| !is_c_space(byte)).map_or(0, |last| last + 1)
}

/// Length of a text's leading white space, by C's `isspace`.
pub(crate) fn trimmed_start(text: &[u8]) -> usize {
    text.iter().position(|&byte| !is_c_space(byte)).unwrap_or(text.len())
}
