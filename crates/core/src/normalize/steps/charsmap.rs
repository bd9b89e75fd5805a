//! The character map as `tokenizers` applies it: to a whole grapheme of less than six bytes by the shortest key that it
//! begins with, if there is one; else to each character.

use unicode_segmentation::UnicodeSegmentation;

use crate::normalize::charsmap::Charsmap;
use crate::normalize::steps::Drafts;
use crate::util::allowance::Bounds;
use crate::util::{us, Lazy, Result};

/// Graphemes of fewer bytes are looked up whole.
const SHORT: usize = 6;
/// Code points per page.
const PAGE: usize = 256;
/// Pages of the Basic Multilingual Plane.
const PAGES: usize = 0x1_0000 / PAGE;

/// What is known of a character without its neighbours.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// A grapheme of its own, unless a `Joining` character follows; the map leaves it unchanged.
    Unchanged,
    /// As `Unchanged`, but changed by the map.
    Changed,
    /// It may form one grapheme with the character before or after it, or is outside of the pages.
    Joining,
}

impl Role {
    fn of(character: char, map: Charsmap<'_>) -> Self {
        let ends = |text: [char; 2]| text.iter().collect::<String>().graphemes(true).count() == 2;
        // Extending characters join the letter before them, prepended ones that behind, some of one kind each other.
        let is_alone = ends(['x', character]) && ends([character, 'x']) && ends([character; 2]);
        match map.shortest(character.encode_utf8(&mut [0; 4]).as_bytes()) {
            _ if !is_alone || character == '\r' => Self::Joining,
            None => Self::Unchanged,
            Some(_) => Self::Changed,
        }
    }
}

/// The roles of characters under a map.
pub struct Roles {
    ascii: [Role; 128],
    /// Computed when a character of the page is first seen.
    pages: Vec<Lazy<Box<[Role]>>>,
}

impl Roles {
    /// Looks up ASCII characters in the map; the others wait until they are asked for.
    pub fn of(map: &[u8]) -> Self {
        let role =
            |code: usize| char_of(code).zip(Charsmap::new(map)).map_or(Role::Joining, |(c, map)| Role::of(c, map));
        Self { ascii: std::array::from_fn(role), pages: (0..PAGES).map(|_| Lazy::new()).collect() }
    }

    #[inline(always)]
    fn role(&self, character: char, map: Charsmap<'_>) -> Role {
        let code = us(u32::from(character));
        let Some(page) = self.pages.get(code / PAGE) else { return Role::Joining };
        let first = code - code % PAGE;
        let make = || (first..first + PAGE).map(|code| char_of(code).map_or(Role::Joining, |c| Role::of(c, map)));
        page.get(|| make().collect())[code % PAGE]
    }

    /// The length of the longest prefix of `text` whose characters are unchanged, and the role of the character behind it.
    fn unchanged(&self, text: &str, map: Charsmap<'_>) -> (usize, Option<Role>) {
        let (bytes, mut at) = (text.as_bytes(), 0);
        while let Some(&byte) = bytes.get(at) {
            let (role, length) = match self.ascii.get(usize::from(byte)) {
                Some(&role) => (role, 1),
                None => match text[at..].chars().next() {
                    Some(character) => (self.role(character, map), character.len_utf8()),
                    None => break,
                },
            };
            if role != Role::Unchanged {
                return (at, Some(role));
            }
            at += length;
        }
        (at, None)
    }

    /// The first character of a text, if its role is `Changed` and it is a grapheme of its own.
    fn changed<'t>(&self, text: &'t str, role: Option<Role>, map: Charsmap<'_>) -> Option<&'t str> {
        let mut characters = text.chars();
        let first = characters.next().filter(|_| role == Some(Role::Changed))?;
        let is_alone = characters.next().is_none_or(|next| self.role(next, map) != Role::Joining);
        is_alone.then(|| &text[..first.len_utf8()])
    }
}

fn char_of(code: usize) -> Option<char> {
    u32::try_from(code).ok().and_then(char::from_u32)
}

/// Maps the text.
pub fn run(map: &[u8], roles: &Roles, drafts: &mut Drafts) -> Result<()> {
    let Some(map) = Charsmap::new(map) else { return Ok(()) };
    if roles.unchanged(&drafts.now.text, map).1.is_none() {
        return Ok(());
    }
    let mut changes = Changes::default();
    if !drafts.now.tracked {
        let text = std::mem::take(&mut drafts.now.text);
        let out = &mut drafts.next.text;
        out.clear();
        let done = each_part(map, roles, &text, &drafts.bounds, &mut |old, new| {
            out.push_str(new.unwrap_or(old));
            out.len()
        });
        std::mem::swap(&mut drafts.now.text, &mut drafts.next.text);
        drafts.next.text = text;
        return done;
    }
    each_part(map, roles, &drafts.now.text, &drafts.bounds, &mut |old, new| changes.push(old, new))?;
    if changes.changed {
        drafts.edit(|mut editor| changes.list.iter().for_each(|&(c, change)| editor.write(c, change)))?;
    }
    Ok(())
}

/// Calls `visit` with each part of a text that is mapped at once, or unchanged; it returns the number of bytes written
/// so far.
fn each_part<'t>(
    map: Charsmap<'t>,
    roles: &Roles,
    text: &'t str,
    bounds: &Bounds,
    visit: &mut impl FnMut(&'t str, Option<&'t str>) -> usize,
) -> Result<()> {
    let mut rest = text;
    while !rest.is_empty() {
        let (length, next) = roles.unchanged(rest, map);
        // The last character may form a grapheme with what follows.
        let held =
            if next == Some(Role::Joining) { rest[..length].chars().next_back().map_or(0, char::len_utf8) } else { 0 };
        if length > held {
            bounds.check(visit(&rest[..length - held], None))?;
            rest = &rest[length - held..];
            continue;
        }
        let grapheme = roles.changed(rest, next, map).or_else(|| rest.graphemes(true).next()).unwrap_or(rest);
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
