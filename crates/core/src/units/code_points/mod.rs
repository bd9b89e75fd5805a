//! Encoding of text given as code points: normalized, cut and looked up in one loop, without UTF-8.
//!
//! Python stores non-ASCII text as an array of code points. Converting it to UTF-8, normalizing a copy and decoding it
//! again would only serve to look up each character. Here a window of code points is read straight into the columns of
//! [`Characters`]; a unit's key is its two-byte code points, tagged so that it never equals a key of UTF-8. Units that
//! are not cached inline are written as UTF-8, one at a time, and take the ordinary path.

pub(crate) mod runs;

use std::ops::Range;

use bytemuck::cast_slice;

use crate::units::code_points::runs::Tables;

use crate::index::long_table;
use crate::index::table::{Key, MAX_KEY};
use crate::normalize::code_points::{CodePoint, CodePointTableView};
use crate::segment::unigram::characters::MAX_CHARACTERS;
use crate::segment::{Algorithm, Solved};
use crate::segment::{UNKNOWN, UNSETTLED};
use crate::units::char_ids::Letters;
use crate::units::characters::{Characters, ROOM};
use crate::units::engine::{Engine, Outcome, Run};
use crate::units::key::Unit;
use crate::units::non_ascii_window::SHORT_UNITS;
use crate::units::scratch::EngineScratch;
use crate::units::viterbi_state::ViterbiState;
use crate::units::Units;
use crate::util::cast::{low8, u16_of, u32_of};
use crate::util::interrupt::report;

/// Characters per window.
const WINDOW: usize = 512;
/// Longest unit in characters that fits a key.
const KEY_CHARACTERS: usize = MAX_KEY / 2;
/// Maximum bytes of a character of the basic plane.
const WIDEST: usize = 3;
/// Readable bytes after a unit.
const PADDING: usize = 16;
const MARK: u16 = 0x20;

/// The state of reading a text window by window.
struct Reader<'a, T> {
    text: &'a [T],
    /// The next character.
    at: usize,
    /// The last two characters written.
    before: [u16; 2],
    code_point_table: CodePointTableView<'a>,
    letters: Letters<'a>,
}

impl<T: CodePoint> Reader<'_, T> {
    /// Begins a text: skips leading spaces that are dropped, and writes the prefix.
    fn begin(&mut self, window: &mut Characters) {
        window.count = 0;
        if self.code_point_table.squeeze {
            let is_space = |code: &T| self.code_point_table.of(code.number()) == MARK;
            self.at = self.text.iter().take_while(|code| is_space(code)).count();
        }
        if self.code_point_table.prefix && self.at < self.text.len() {
            self.write(window, MARK);
        }
    }

    /// Writes characters until the window is full or the text ends; false if a character's result is not simple.
    fn fill(&mut self, window: &mut Characters) -> bool {
        while self.at < self.text.len() && window.count < WINDOW {
            let tables = Tables {
                code_point_table: self.code_point_table.code_point_table,
                squeeze: self.code_point_table.squeeze,
                letters: self.letters,
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

    #[inline]
    fn write(&mut self, window: &mut Characters, code: u16) {
        if window.count < ROOM {
            runs::write_one(&self.letters, &mut self.before, window, code);
            window.count += 1;
        }
    }
}

impl Units {
    /// Whether [`Engine::run_code_points`] is supported.
    pub fn reads_code_points(&self) -> bool {
        let is_simple = match &self.segmenter.algorithm {
            Algorithm::Unigram(unigram) => !unigram.has_byte_pieces(),
            Algorithm::Bpe(bpe) => bpe.has_units() && !bpe.has_byte_pieces(),
            _ => false,
        };
        is_simple && self.splitter.is_none() && !self.chunked && self.cuts.view().has_pairs()
    }
}

impl Engine<'_> {
    /// As [`Engine::run`] for a whole text that is not normalized yet; `None` if some character of it is not simple.
    pub fn run_code_points<T: CodePoint>(
        &self,
        text: &[T],
        code_point_table: CodePointTableView<'_>,
        scratch: &mut EngineScratch,
    ) -> Option<Outcome> {
        let letters = self.units.cuts.letters()?;
        let mut reader = Reader { text, at: 0, before: [MARK; 2], code_point_table, letters };
        let mut run = Run {
            engine: self,
            text: &[],
            scratch,
            running: ViterbiState::default(),
            count: 0,
            flags: 0,
            open: None,
            whole: false,
        };
        reader.begin(&mut run.scratch.characters);
        loop {
            report(WINDOW);
            let window = &mut *run.scratch.characters;
            if !reader.fill(window) {
                return None;
            }
            let is_end = reader.at == text.len();
            if is_end && code_point_table.squeeze {
                window.count -= usize::from(window.codes[..window.count].last() == Some(&MARK));
            }
            if let Some(first) = window.begins.first_mut() {
                *first = 1;
            }
            // Whether the last character begins a unit depends on the one after it.
            let complete = window.complete(is_end.then_some(0), 1);
            if complete == 0 && !is_end {
                // A unit as long as a window is left to [`Engine::run`].
                return None;
            }
            run.code_point_window(complete);
            if is_end {
                break;
            }
            run.scratch.characters.keep_from(complete);
        }
        let Run { running, count, flags, .. } = run;
        Some(Outcome { count, unknown: flags & UNKNOWN != 0, running })
    }
}

impl Run<'_, '_> {
    /// Processes the units of the first `count` characters of a window.
    fn code_point_window(&mut self, count: usize) {
        let tells_apart = WIDEST * count < SHORT_UNITS * self.scratch.characters.units(count);
        self.reserve(WIDEST * count);
        let is_safe = self.is_safe(WIDEST * count);
        let mut units = std::mem::take(&mut self.scratch.units);
        units.resize(ROOM, Unit::default());
        let (mut found, mut some_are_long) = (0, false);
        let EngineScratch { characters, cache, .. } = &*self.scratch;
        let table = cache.table.view();
        characters.each_unit(count, !(tells_apart && is_safe), |first, behind| {
            if let Some(place) = units.get_mut(found) {
                let len = behind - first;
                let raw = cast_slice(&characters.codes)[2 * first..].first_chunk();
                let key = raw.map_or_else(Key::default, |raw| Key::short(raw, 2 * len)).other();
                let hash = key.hash();
                table.prefetch(hash);
                // The other fields are not read.
                (place.key, place.hash, place.first, place.behind) = (key, hash, u16_of(first), u16_of(behind));
                some_are_long |= len > KEY_CHARACTERS;
                found += 1;
            }
        });
        if some_are_long {
            for unit in units[..found].iter_mut().filter(|unit| usize::from(unit.behind - unit.first) > KEY_CHARACTERS)
            {
                let codes = &characters.codes[usize::from(unit.first)..usize::from(unit.behind)];
                (unit.key, unit.hash) = (Key::too_long().other(), long_table::hash(cast_slice(codes)));
                cache.wide.prefetch(unit.hash);
            }
        }
        if is_safe {
            self.answer_code_points(&units[..found], count, tells_apart);
        } else {
            for unit in &units[..found] {
                let is_safe = self.is_safe(WIDEST * usize::from(unit.behind - unit.first));
                self.code_point_unit(unit, is_safe);
            }
        }
        self.scratch.units = units;
    }

    fn answer_code_points(&mut self, units: &[Unit], count: usize, tells_apart: bool) {
        let (mut rest, mut done) = (units, 0);
        loop {
            rest = if tells_apart { self.known::<true>(rest, &mut done) } else { self.known::<false>(rest, &mut done) };
            let Some((unit, later)) = rest.split_first() else { break };
            self.code_point_unit(unit, true);
            rest = later;
        }
        if tells_apart {
            let EngineScratch { characters, ids, .. } = &mut *self.scratch;
            self.count = crate::units::engine::singles(&characters.ids, done..count, ids, self.count);
        }
    }

    /// Processes a unit that is not cached inline; `is_safe` where cached results are valid independent of rounding.
    fn code_point_unit(&mut self, unit: &Unit, is_safe: bool) {
        let characters = usize::from(unit.first)..usize::from(unit.behind);
        let is_short = characters.len() <= MAX_CHARACTERS;
        let (count, flags) = if is_safe && is_short {
            match self.recall_characters(unit, characters.clone()) {
                Some(found) => found,
                None => self.insert_characters(unit, characters.clone()),
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
            (found.list(cache.table.more()), found.flags())
        };
        ids[self.count..self.count + list.len()].copy_from_slice(list);
        Some((list.len(), flags))
    }

    /// Segments and caches a new unit; returns how many ids it has, which are written, and its flags.
    fn insert_characters(&mut self, unit: &Unit, characters: Range<usize>) -> (usize, u32) {
        let EngineScratch { buffers, unit: ids, cache, openings, characters: window, .. } = &mut *self.scratch;
        ids.clear();
        cache.misses += 1;
        let solved = match &self.engine.units.segmenter.algorithm {
            Algorithm::Unigram(unigram) => {
                unigram.solve_characters(&window.codes[characters.clone()], openings, &mut buffers.pairs, ids)
            }
            _ => None,
        };
        let mut list = std::mem::take(ids);
        let mut flags = 0;
        match solved {
            Some(holds) => flags = Solved { holds, unknown: false }.flags(),
            None => self.as_bytes(characters.clone(), |run, len| {
                let buffers = &mut run.scratch.buffers;
                flags = run.engine.units.segmenter.solve_part(&run.text[..len], true, buffers, &mut list).flags();
            }),
        }
        let EngineScratch { cache, characters: window, ids, .. } = &mut *self.scratch;
        cache.insert_wide(unit, cast_slice(&window.codes[characters]), &list, flags);
        ids[self.count..self.count + list.len()].copy_from_slice(&list);
        let count = list.len();
        self.scratch.unit = list;
        (count, flags)
    }

    /// Calls `work` with an engine over some characters as UTF-8, and with the number of bytes.
    fn as_bytes(&mut self, characters: Range<usize>, work: impl FnOnce(&mut Run<'_, '_>, usize)) {
        let mut bytes = std::mem::take(&mut self.scratch.bytes);
        bytes.clear();
        for &code in &self.scratch.characters.codes[characters] {
            push_character(code, &mut bytes);
        }
        let len = bytes.len();
        bytes.extend([0; PADDING]);
        let mut run = Run {
            engine: self.engine,
            text: &bytes,
            scratch: &mut *self.scratch,
            running: self.running,
            count: self.count,
            flags: self.flags,
            open: None,
            whole: false,
        };
        work(&mut run, len);
        (self.running, self.count, self.flags) = (run.running, run.count, run.flags);
        self.scratch.bytes = bytes;
    }
}

/// Appends a character of the basic plane as UTF-8.
#[inline(always)]
fn push_character(code: u16, bytes: &mut Vec<u8>) {
    let [low, high] = [code & 0x3F, code >> 6].map(|bits| 0x80 | low8(u32::from(bits & 0x3F)));
    match code {
        0..0x80 => bytes.push(low8(code.into())),
        0x80..0x800 => bytes.extend([0xC0 | low8(u32::from(code >> 6)), low]),
        _ => bytes.extend([0xE0 | low8(u32::from(code >> 12)), high, low]),
    }
}
