//! Encoding of text given as code points: normalized, cut and looked up in one loop, without UTF-8.
//!
//! Python stores non-ASCII text as an array of code points. Converting it to UTF-8, normalizing a copy and decoding it
//! again would only serve to look up each character. Here a window of code points is read straight into the columns of
//! [`Characters`]; a unit's key is its two-byte code points, tagged so that it never equals a key of UTF-8. Units that
//! are not cached inline are written as UTF-8, one at a time, and take the ordinary path.

use std::ops::Range;

use bytemuck::cast_slice;

use crate::index::long_table;
use crate::index::table::{Key, MAX_KEY};
use crate::normalize::code_points::{CodePoint, CodePointTableView};
use crate::segment::unigram::bounded::MAX_SOLVED;
use crate::segment::{Algorithm, UNKNOWN, UNSETTLED};
use crate::units::char_ids::CharIds;
use crate::units::characters::code_points::{write_one, Tables, MARK, WINDOW};
use crate::units::characters::{Characters, ROOM};
use crate::units::engine::source::{UnitSource, Window};
use crate::units::engine::Run;
use crate::units::key::Unit;
use crate::units::scratch::EngineScratch;
use crate::units::Units;
use crate::util::utf8::encode_word;
use crate::util::{report, u32_of};

/// Longest unit in characters that fits a key.
const KEY_CHARACTERS: usize = MAX_KEY / 2;
/// Maximum bytes of a character of the basic plane.
const WIDEST: usize = 3;
/// Longest unit in characters that is cached, whatever their number of bytes.
const MAX_CHARACTERS: usize = MAX_SOLVED / WIDEST;
/// Readable bytes after a unit.
const PADDING: usize = 16;

/// A text given as code points, read window by window.
pub(crate) struct CodePoints<'a, T> {
    text: &'a [T],
    /// The next character.
    at: usize,
    /// The last two characters written.
    before: [u16; 2],
    code_point_table: CodePointTableView<'a>,
    char_ids: CharIds<'a>,
    /// Characters of the current window that belong to complete units.
    taken: usize,
    is_done: bool,
    /// Whether a character was not simple, or a unit longer than a window: then the text is left to UTF-8.
    pub(crate) is_refused: bool,
}

impl<'a, T: CodePoint> CodePoints<'a, T> {
    /// Begins a text: skips leading spaces that are dropped, and writes the prefix.
    pub(crate) fn new(
        text: &'a [T],
        code_point_table: CodePointTableView<'a>,
        char_ids: CharIds<'a>,
        window: &mut Characters,
    ) -> Self {
        let (before, taken) = ([MARK; 2], 0);
        let mut source =
            Self { text, at: 0, before, code_point_table, char_ids, taken, is_done: false, is_refused: false };
        window.count = 0;
        if code_point_table.squeeze {
            let is_space = |code: &T| code_point_table.of(code.number()) == MARK;
            source.at = text.iter().take_while(|code| is_space(code)).count();
        }
        if code_point_table.prefix && source.at < text.len() {
            source.write(window, MARK);
        }
        source
    }

    fn refuse(&mut self) -> Option<Window> {
        self.is_refused = true;
        None
    }

    /// Writes characters until the window is full or the text ends; false if a character's result is not simple.
    fn fill(&mut self, window: &mut Characters) -> bool {
        while self.at < self.text.len() && window.count < WINDOW {
            let tables = Tables {
                code_point_table: self.code_point_table.code_point_table,
                squeeze: self.code_point_table.squeeze,
                char_ids: self.char_ids,
            };
            self.at += tables.write(&self.text[self.at..], &mut self.before, window);
            let Some(code) = self.text.get(self.at).filter(|_| window.count < WINDOW) else { break };
            let before = self.at.checked_sub(1).map(|at| self.text[at].number());
            let code_point_table = self.code_point_table;
            if !code_point_table.each(code.number(), before, |code| self.write(window, code)) {
                return false;
            }
            self.at += 1;
        }
        true
    }

    fn write(&mut self, window: &mut Characters, code: u16) {
        if window.count < ROOM {
            write_one(&self.char_ids, &mut self.before, window, code);
            window.count += 1;
        }
    }
}

impl Units {
    /// Whether [`crate::units::engine::Engine::run_code_points`] is supported.
    pub fn reads_code_points(&self) -> bool {
        let is_simple = match &self.segmenter.algorithm {
            Algorithm::Unigram(unigram) => !unigram.has_byte_pieces,
            Algorithm::Bpe(bpe) => bpe.has_units() && !bpe.has_byte_pieces,
            _ => false,
        };
        is_simple && self.splitter.is_none() && !self.chunked && self.cuts.view().has_pairs()
    }
}

impl<T: CodePoint> UnitSource for CodePoints<'_, T> {
    const BATCHES: bool = false;

    #[inline(always)]
    fn next(&mut self, run: &mut Run<'_, '_>) -> Option<Window> {
        if self.is_done {
            return None;
        }
        report(WINDOW);
        let window = &mut *run.scratch.characters;
        window.keep_from(self.taken);
        if !self.fill(window) {
            return self.refuse();
        }
        self.is_done = self.at == self.text.len();
        if self.is_done && self.code_point_table.squeeze {
            window.count -= usize::from(window.codes[..window.count].last() == Some(&MARK));
        }
        if let Some(first) = window.begins.first_mut() {
            *first = 1;
        }
        // Whether the last character begins a unit depends on the one after it.
        self.taken = window.complete(self.is_done.then_some(0), 1);
        if self.taken == 0 && !self.is_done {
            return self.refuse();
        }
        Some(Window::Characters(self.taken, WIDEST * self.taken))
    }

    #[inline(always)]
    fn keys(&self, run: &Run<'_, '_>, count: usize, tells_apart: bool, units: &mut [Unit]) -> usize {
        let EngineScratch { characters, cache, .. } = &*run.scratch;
        let (table, mut found, mut some_are_long) = (cache.table.view(), 0, false);
        characters.each_unit(count, !tells_apart, |first, behind| {
            if let Some(unit) = units.get_mut(found) {
                let raw = cast_slice(&characters.codes)[2 * first..].first_chunk();
                let key = raw.map_or_else(Key::default, |raw| Key::short(raw, 2 * (behind - first))).other();
                let hash = key.hash();
                table.prefetch(hash);
                // The other fields are not read.
                (unit.key, unit.hash) = (key, hash);
                unit.set_characters(first, behind);
                some_are_long |= behind - first > KEY_CHARACTERS;
                found += 1;
            }
        });
        if some_are_long {
            for unit in units[..found].iter_mut().filter(|unit| unit.characters().len() > KEY_CHARACTERS) {
                let codes = &characters.codes[unit.characters()];
                (unit.key, unit.hash) = (Key::too_long().other(), long_table::hash(cast_slice(codes)));
                cache.wide.prefetch(unit.hash);
            }
        }
        found
    }

    #[inline(always)]
    fn miss(&self, run: &mut Run<'_, '_>, unit: &Unit) {
        run.code_point_unit(unit, true);
    }

    fn careful(&self, run: &mut Run<'_, '_>, unit: &Unit) {
        let is_safe = run.is_safe(WIDEST * unit.characters().len());
        run.code_point_unit(unit, is_safe);
    }
}

impl Run<'_, '_> {
    /// Processes a unit that is not cached inline; `is_safe` where cached results are valid independent of rounding.
    fn code_point_unit(&mut self, unit: &Unit, is_safe: bool) {
        let characters = unit.characters();
        let is_short = characters.len() <= MAX_CHARACTERS;
        let (count, flags) = if is_safe && is_short {
            match self.recall_characters(unit, characters.clone()) {
                Some(found) => found,
                None => self.solve_characters(unit, characters.clone()),
            }
        } else {
            (0, UNSETTLED)
        };
        self.flags |= flags & UNKNOWN;
        if self.is_cached_answer_valid(flags, WIDEST * characters.len()) {
            self.count += count;
        } else {
            self.as_bytes(characters, |run, len| match is_safe && !is_short {
                true => run.other(&Unit::load(run.text, 0, u32_of(len))),
                false => run.long_unit(0, len, true),
            });
        }
    }

    /// Looks a unit up in the cache and writes its ids; returns their number, not yet counted, and its flags.
    fn recall_characters(&mut self, unit: &Unit, characters: Range<usize>) -> Option<(usize, u32)> {
        let EngineScratch { cache, ids, characters: window, .. } = &mut *self.scratch;
        let (list, flags) = if unit.key.is_long() {
            cache.wide.find(cast_slice(&window.codes[characters]), unit.hash)?
        } else {
            let found = cache.table.view().find(unit.key, unit.hash)?;
            (found.list(&cache.table.more), found.flags())
        };
        ids[self.count..self.count + list.len()].copy_from_slice(list);
        Some((list.len(), flags))
    }

    /// Segments and caches a new unit; returns how many ids it has, which are written, and its flags.
    fn solve_characters(&mut self, unit: &Unit, characters: Range<usize>) -> (usize, u32) {
        let (mut ids, mut flags) = (std::mem::take(&mut self.scratch.unit), 0);
        ids.clear();
        self.as_bytes(characters.clone(), |run, len| {
            let buffers = &mut run.scratch.buffers;
            flags = run.engine.units.segmenter.solve_part(&run.text[..len], true, buffers, &mut ids).flags();
        });
        let EngineScratch { cache, characters: window, ids: all, .. } = &mut *self.scratch;
        cache.misses += 1;
        cache.insert_wide(unit, cast_slice(&window.codes[characters]), &ids, flags);
        let count = ids.len();
        all[self.count..self.count + count].copy_from_slice(&ids);
        self.scratch.unit = ids;
        (count, flags)
    }

    /// Calls `work` with an engine over some characters as UTF-8, and with the number of bytes.
    fn as_bytes(&mut self, characters: Range<usize>, work: impl FnOnce(&mut Run<'_, '_>, usize)) {
        let mut bytes = std::mem::take(&mut self.scratch.bytes);
        let (codes, mut len) = (&self.scratch.characters.codes[characters], 0);
        bytes.resize(bytes.len().max(WIDEST * codes.len() + PADDING), 0);
        for &code in codes {
            let (word, length) = encode_word(code);
            if let Some(place) = bytes[len..].first_chunk_mut() {
                *place = word.to_le_bytes();
            }
            len += length;
        }
        let mut run = Run::new(self.engine, &bytes, self.running, None, &mut *self.scratch);
        (run.count, run.flags) = (self.count, self.flags);
        work(&mut run, len);
        (self.running, self.count, self.flags) = (run.running, run.count, run.flags);
        self.scratch.bytes = bytes;
    }
}
