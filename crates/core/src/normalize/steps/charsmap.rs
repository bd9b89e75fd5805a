//! The character map as `tokenizers` applies it: to a whole grapheme of less than six bytes by the shortest key that it
//! begins with, if there is one; else to each character.

use unicode_segmentation::UnicodeSegmentation;

use crate::normalize::charsmap::Charsmap;
use crate::normalize::steps::filters::ascii_end;
use crate::normalize::steps::Drafts;
use crate::util::allowance::Bounds;
use crate::util::Result;

/// Graphemes of fewer bytes are looked up whole.
const SHORT: usize = 6;

/// Which ASCII characters the map leaves unchanged.
pub struct UnchangedAscii([bool; 128]);

impl UnchangedAscii {
    /// Looks each one up in the map.
    pub fn of(map: &[u8]) -> Self {
        let map = Charsmap::new(map);
        // A CR may form one grapheme with the LF after it.
        let found = |byte: u8| byte != b'\r' && map.and_then(|map| map.shortest(&[byte])).is_none();
        Self(std::array::from_fn(|code| u8::try_from(code).is_ok_and(found)))
    }

    fn holds(&self, text: &str) -> bool {
        text.bytes().all(|byte| self.0.get(usize::from(byte)).copied().unwrap_or(false))
    }
}

/// Maps the text.
pub fn run(map: &[u8], unchanged: &UnchangedAscii, drafts: &mut Drafts) -> Result<()> {
    let Some(map) = Charsmap::new(map) else { return Ok(()) };
    if unchanged.holds(&drafts.now.text) {
        return Ok(());
    }
    let mut changes = Changes::default();
    if !drafts.now.tracked {
        let text = std::mem::take(&mut drafts.now.text);
        let out = &mut drafts.next.text;
        out.clear();
        let done = each_part(map, unchanged, &text, &drafts.bounds, &mut |old, new| {
            out.push_str(new.unwrap_or(old));
            out.len()
        });
        std::mem::swap(&mut drafts.now.text, &mut drafts.next.text);
        drafts.next.text = text;
        return done;
    }
    each_part(map, unchanged, &drafts.now.text, &drafts.bounds, &mut |old, new| changes.push(old, new))?;
    if changes.changed {
        drafts.edit(|mut editor| changes.list.iter().for_each(|&(c, change)| editor.write(c, change)))?;
    }
    Ok(())
}

/// Calls `visit` with each part of a text that is mapped at once, or unchanged; it returns the number of bytes written
/// so far.
fn each_part<'t>(
    map: Charsmap<'t>,
    unchanged: &UnchangedAscii,
    text: &'t str,
    bounds: &Bounds,
    visit: &mut impl FnMut(&'t str, Option<&'t str>) -> usize,
) -> Result<()> {
    let mut rest = text;
    // Number of bytes after the ASCII prefix of `rest`; recomputed only once that prefix is consumed.
    let mut behind = text.len() + 1;
    while !rest.is_empty() {
        if rest.len() < behind {
            behind = rest.len() - ascii_end(rest);
        }
        // No grapheme spans two ASCII characters, except CR LF.
        let ascii = rest.len() - behind;
        let whole = if behind == 0 { ascii } else { ascii.saturating_sub(1) };
        let run = rest[..whole].bytes().take_while(|&byte| unchanged.0[usize::from(byte)]).count();
        if run > 0 {
            bounds.check(visit(&rest[..run], None))?;
            rest = &rest[run..];
            continue;
        }
        let grapheme = rest.graphemes(true).next().unwrap_or(rest);
        rest = &rest[grapheme.len()..];
        if grapheme.len() < SHORT {
            if let Some(new) = map.shortest(grapheme.as_bytes()) {
                bounds.check(visit(grapheme, Some(new)))?;
                continue;
            }
        }
        for (place, c) in grapheme.char_indices() {
            let part = &grapheme[place..place + c.len_utf8()];
            bounds.check(visit(part, map.shortest(part.as_bytes())))?;
        }
    }
    Ok(())
}

/// The changes as the reference lists them: a part that grows adds at its end, one that shrinks removes after the last
/// character written so far, if there is one.
#[derive(Default)]
struct Changes {
    list: Vec<(char, isize)>,
    changed: bool,
}

impl Changes {
    fn push(&mut self, old: &str, new: Option<&str>) -> usize {
        self.changed |= new.is_some();
        let before = old.chars().count();
        let first = self.list.len();
        self.list.extend(new.unwrap_or(old).chars().map(|c| (c, 0)));
        let written = self.list.len() - first;
        if let Some(added) = self.list.get_mut(first + before..) {
            added.iter_mut().for_each(|(_, change)| *change = 1);
        } else if let (Some((_, change)), Ok(gone)) = (self.list.last_mut(), isize::try_from(before - written)) {
            *change -= gone;
        }
        self.list.len()
    }
}
