//! Random texts: concatenated pieces, runs, spaces, invalid UTF-8; mostly short, occasionally long.

use crate::case::Case;
use crate::make::CHARACTERS;
use crate::rng::Rng;

/// The building blocks of a case's texts.
pub struct Soup {
    pieces: Vec<Vec<u8>>,
    characters: Vec<Vec<u8>>,
    /// Length of the longest piece. A run of a long piece's character takes its length for each position, as in the
    /// reference: such texts stay short.
    longest: usize,
}

/// Minimum bytes of a long piece.
const LONG_PIECE: usize = 100;

const BAD: &[&[u8]] = &[
    b"\xFF",
    b"\x80",
    b"\xBF",
    b"\xC0\x80",
    b"\xC3",
    b"\xE2",
    b"\xE2\x96",
    b"\xED\xA0\x80",
    b"\xF0\x9F\x98",
    b"\xF4\x90\x80\x80",
    b"\xE0\x80\x80",
    b"\xF8\x88\x80\x80\x80",
    b"\xE2\x28\xA1",
    b"\0",
];

impl Soup {
    /// Pieces and keys of the case, and its alphabet.
    pub fn new(case: &Case, alphabet: &[&str]) -> Self {
        let keys = case.charsmap.rules.iter().map(|(key, _)| key.clone());
        let mut pieces: Vec<Vec<u8>> = case.pieces.iter().map(|piece| piece.bytes.clone()).chain(keys).collect();
        pieces.push(b"<0x41>".to_vec());
        let longest = if pieces.iter().any(|piece| piece.len() > LONG_PIECE) { 10_000 } else { 300_000 };
        Self { pieces, characters: alphabet.iter().map(|character| character.as_bytes().to_vec()).collect(), longest }
    }
}

/// One text.
pub fn text(rng: &mut Rng, soup: &Soup) -> Vec<u8> {
    let length = match rng.below(1000) {
        0..=29 => 0,
        30..=599 => rng.below(12),
        600..=849 => rng.below(80),
        850..=949 => rng.below(1200),
        950..=992 => rng.below(6000),
        _ => (60_000 + rng.below(240_000)).min(soup.longest),
    };
    let recipe = rng.below(RECIPES);
    let mut out = Vec::with_capacity(length);
    let mut stalls = 0;
    while out.len() < length && stalls < 100 {
        let before = out.len();
        let recipe = if rng.percent(85) { recipe } else { rng.below(RECIPES) };
        add(rng, soup, recipe, length - before, &mut out);
        stalls += usize::from(out.len() == before);
    }
    if rng.percent(15) && length < 10_000 {
        break_some(rng, &mut out);
    }
    out
}

const RECIPES: usize = 9;

fn add(rng: &mut Rng, soup: &Soup, recipe: usize, room: usize, out: &mut Vec<u8>) {
    match recipe {
        0 => out.extend_from_slice(rng.pick(&soup.pieces).as_slice()),
        1 => out.extend(spaced(rng.pick(&soup.pieces).as_slice())),
        2 | 3 => out.extend_from_slice(rng.pick(&soup.characters).as_slice()),
        4 => add_run(rng, soup, room, out),
        5 => out.extend(vec![b' '; 1 + rng.size(room.min(40))]),
        6 => out.extend_from_slice(rng.pick(CHARACTERS).as_bytes()),
        7 => out.extend_from_slice(rng.pick::<&[u8]>(BAD)),
        _ => again(rng, room, out),
    }
    if rng.percent(12) {
        out.push(b' ');
    }
}

fn add_run(rng: &mut Rng, soup: &Soup, room: usize, out: &mut Vec<u8>) {
    let unit = if rng.percent(50) { rng.pick(&soup.pieces) } else { rng.pick(&soup.characters) };
    let times = 1 + rng.size(room / unit.len().max(1));
    out.extend(unit.repeat(times));
}

/// Repeats part of the text, so that units recur.
fn again(rng: &mut Rng, room: usize, out: &mut Vec<u8>) {
    let from = rng.below(out.len());
    let length = rng.below(room + 1).min(out.len() - from);
    out.extend_from_within(from..from + length);
}

fn spaced(piece: &[u8]) -> Vec<u8> {
    String::from_utf8_lossy(piece).replace('\u{2581}', " ").into_bytes()
}

fn break_some(rng: &mut Rng, out: &mut Vec<u8>) {
    for _ in 0..1 + rng.size(5) {
        let at = rng.below(out.len() + 1);
        let end = (at + rng.below(3)).min(out.len());
        let fresh: Vec<u8> = (0..rng.below(3)).map(|_| rng.byte()).collect();
        out.splice(at..end, fresh);
    }
}
