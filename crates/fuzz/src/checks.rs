//! Invariants of every case: all paths give the ids of the reference path, tokens tile the text, decoding never fails,
//! and a damaged file is refused or works, whatever its output.

use anypiece_core::batch;
use anypiece_core::spec::vocab::Kind;
use anypiece_core::spec::SegmenterKind;
use anypiece_core::store;
use anypiece_core::util::column::Buffer;
use anypiece_core::Input;
use anypiece_core::Invalid;
use anypiece_core::Permit;
use anypiece_core::Stored;
use anypiece_core::StreamEncoder;
use anypiece_core::Token;
use anypiece_core::{outer, valid_character};
use anypiece_core::{Error, Scratch, Tokenizer};

use crate::case::Case;
use crate::damage::damaged;
use crate::guard::{guarded, Finding};
use crate::rng::Rng;

/// Maximum bytes of a text for which every prefix is tried.
const MAX_BRUTE: usize = 48;
/// Maximum bytes of a text that is truncated: where no single pass gives the counts of all prefixes, each is counted by
/// itself.
const MAX_TRUNCATED: usize = 3000;
/// Maximum bytes of a text for all damages of a case but the first.
const MAX_DAMAGED: usize = 1500;
/// Slots of unit caches: none, one that is cleared all the time, one that is not.
const SLOTS: [usize; 3] = [0, 16, 2048];

type Outcome = Result<(), String>;

/// The result of a case.
pub enum Verdict {
    /// Every check holds.
    Holds,
    /// The Spec was refused.
    Refused,
    /// A check fails.
    Fails(Finding),
}

/// Runs every check; stops at the first that fails.
pub fn run(case: &Case) -> Verdict {
    match run_all(case) {
        Ok(true) => Verdict::Holds,
        Ok(false) => Verdict::Refused,
        Err(finding) => Verdict::Fails(finding),
    }
}

fn run_all(case: &Case) -> Result<bool, Finding> {
    let Some(tokenizer) = guarded("build", || built(case))? else { return Ok(false) };
    let stored = guarded("store", || Ok(store::write(&tokenizer, b"extra")))?;
    let reopened = guarded("store", || reopened(&stored))?;
    for text in &case.texts {
        let ids = guarded("encode", || encoded(&tokenizer, text))?;
        for (name, check) in TEXT_CHECKS {
            guarded(name, || check(&tokenizer, text, &ids, &mut Rng::new(case.draws)))?;
        }
        guarded("store", || {
            same(&ids, fails(reopened.encode(text, Permit::Text, &mut Scratch::new(16)))?, "reopened")
        })?;
    }
    let borrowed: Vec<&[u8]> = case.texts.iter().map(Vec::as_slice).collect();
    guarded("batch", || batches(&tokenizer, &borrowed))?;
    for (index, edits) in case.damages.iter().enumerate() {
        let longest = if index == 0 { usize::MAX } else { MAX_DAMAGED };
        let texts: Vec<&[u8]> = case.texts.iter().map(|text| &text[..text.len().min(longest)]).collect();
        guarded("damage", || use_damaged(&damaged(&stored, edits), &texts, case))?;
    }
    Ok(true)
}

type TextCheck = fn(&Tokenizer, &[u8], &[u32], &mut Rng) -> Outcome;

const TEXT_CHECKS: [(&str, TextCheck); 7] = [
    ("threads", threads),
    ("count", counts),
    ("stream", streams),
    ("tokens", tokens_tile),
    ("units", units_tile),
    ("truncate", truncates),
    ("decode", decodes),
];

/// The tokenizer; `None` where the Spec is refused, as some are on purpose.
fn built(case: &Case) -> Result<Option<Tokenizer>, String> {
    match Tokenizer::new(case.spec(), case.learned) {
        Ok(tokenizer) => Ok(Some(tokenizer)),
        Err(error) if error.code().starts_with("spec-") && !error.message().is_empty() => Ok(None),
        Err(error) => Err(error.to_string()),
    }
}

fn reopened(stored: &[u8]) -> Result<Tokenizer, String> {
    let file = fails(Stored::open(Buffer::copy_of(stored)))?;
    fails(file.verify())?;
    let tokenizer = fails(file.tokenizer(16))?;
    if store::write(&tokenizer, file.extra()) != stored {
        return Err("what is written again differs".to_owned());
    }
    Ok(tokenizer)
}

/// The characters of a text; for invalid UTF-8 a text without ids.
fn characters(text: &[u8]) -> Vec<u32> {
    std::str::from_utf8(text).map_or_else(|_| vec![0xD800], |text| text.chars().map(u32::from).collect())
}

/// The ids by the reference path, after caches of all sizes gave the same, cold and warm.
fn encoded(tokenizer: &Tokenizer, text: &[u8]) -> Result<Vec<u32>, String> {
    let expected = fails(tokenizer.encode_reference(text, Permit::Text, &mut Scratch::new(0)))?;
    let characters = characters(text);
    for slots in SLOTS {
        let mut scratch = Scratch::new(slots);
        for pass in ["cold", "warm"] {
            let ids = fails(tokenizer.encode(text, Permit::Text, &mut scratch))?;
            same(&expected, ids, &format!("{pass}, {slots} slots"))?;
            if let Some(count) = tokenizer.encode_code_points(&characters, Permit::Text, &mut scratch) {
                same(&expected, &scratch.engine.ids[..count], &format!("{pass}, {slots} slots, as characters"))?;
            }
        }
    }
    Ok(expected)
}

fn threads(tokenizer: &Tokenizer, text: &[u8], ids: &[u32], _: &mut Rng) -> Outcome {
    for threads in [2, 3] {
        let found = fails(tokenizer.encode_threaded(text, Permit::Text, threads))?;
        same(ids, &found, &format!("{threads} threads"))?;
    }
    Ok(())
}

fn counts(tokenizer: &Tokenizer, text: &[u8], ids: &[u32], rng: &mut Rng) -> Outcome {
    let mut scratch = Scratch::new(16);
    let all = fails(tokenizer.count(text, Permit::Text, usize::MAX, &mut scratch))?;
    let limit = rng.below(ids.len() + 2);
    let some = fails(tokenizer.count(text, Permit::Text, limit, &mut scratch))?;
    let right = if ids.len() <= limit { some == ids.len() } else { some > limit };
    if all != ids.len() || !right {
        return Err(format!("{} ids, counted {all}, and {some} with limit {limit}", ids.len()));
    }
    Ok(())
}

fn streams(tokenizer: &Tokenizer, text: &[u8], ids: &[u32], rng: &mut Rng) -> Outcome {
    let mut scratch = Scratch::new(*rng.pick(&SLOTS));
    let mut stream = StreamEncoder::new(Permit::Text);
    let mut found = Vec::new();
    let mut sizes = Vec::new();
    for part in parts(text, rng) {
        sizes.push(part.len());
        found.extend(fails(stream.push(tokenizer, part, &mut scratch))?);
    }
    found.extend(fails(stream.finish(tokenizer, &mut scratch))?);
    sizes.truncate(40);
    same(ids, &found, &format!("parts of {sizes:?}"))
}

/// Parts of a text, some of them empty, with lengths around one drawn first.
fn parts<'t, T>(whole: &'t [T], rng: &mut Rng) -> Vec<&'t [T]> {
    let usual = if whole.len() > 5000 { 500 + rng.below(whole.len()) } else { 1 + rng.size(whole.len()) };
    let mut parts = Vec::new();
    let mut rest = whole;
    while !rest.is_empty() {
        let (part, after) = rest.split_at(rng.below(2 * usual).min(rest.len()));
        parts.push(part);
        rest = after;
    }
    parts
}

fn tokens_tile(tokenizer: &Tokenizer, text: &[u8], ids: &[u32], _: &mut Rng) -> Outcome {
    let mut scratch = Scratch::new(16);
    let tokens = fails(tokenizer.tokens(text, &mut scratch))?;
    same(ids, &tokens.iter().map(|token| token.id).collect::<Vec<_>>(), "tokens")?;
    let (mut inner, mut span) = (0, 0);
    for token in &tokens {
        if token.inner.0 != inner || token.inner.1 < inner {
            return Err(format!("{token:?} does not begin at {inner} of the normalized text"));
        }
        if token.span.0 < span || token.span.1 < token.span.0 || token.span.1 > text.len() {
            return Err(format!("{token:?} goes back before {span}, or past {}", text.len()));
        }
        (inner, span) = (token.inner.1, token.span.0);
        spelled(tokenizer, token, &scratch)?;
    }
    let length = scratch.normalized.inner().len();
    if inner != length {
        return Err(format!("tokens end at {inner} of {length}"));
    }
    Ok(())
}

/// The text of a token that is neither unknown nor a byte spells its piece.
fn spelled(tokenizer: &Tokenizer, token: &Token, scratch: &Scratch) -> Outcome {
    let spec = tokenizer.spec();
    if matches!(spec.vocab.kind(token.id), Kind::Unknown | Kind::Byte) {
        return Ok(());
    }
    let mut shown = Vec::new();
    outer(&scratch.normalized.inner()[token.inner.0..token.inner.1], spec.config.escape_whitespaces, &mut shown);
    let piece = spec.vocab.piece(token.id);
    let prefixes = [&spec.config.word_prefix, &spec.config.continuing_prefix];
    let is_prefixed = || prefixes.iter().any(|prefix| piece.strip_prefix(prefix.as_bytes()) == Some(&shown));
    if shown != piece && !(spec.config.segmenter == SegmenterKind::Wordpiece && is_prefixed()) {
        return Err(format!("{token:?} stands at {:?}", String::from_utf8_lossy(&shown)));
    }
    Ok(())
}

fn units_tile(tokenizer: &Tokenizer, text: &[u8], _: &[u32], _: &mut Rng) -> Outcome {
    let mut scratch = Scratch::new(0);
    fails(tokenizer.prepare_into(text, true, false, &mut scratch))?;
    let mut at = 0;
    for (start, end, _) in tokenizer.units(&mut scratch) {
        if start != at || end <= start {
            return Err(format!("unit {start}..{end} after {at}"));
        }
        at = end;
    }
    if at != scratch.normalized.inner().len() {
        return Err(format!("units end at {at} of {}", scratch.normalized.inner().len()));
    }
    Ok(())
}

/// Short texts against all prefixes, longer ones only against the next. An invalid byte is a character of its own.
fn truncates(tokenizer: &Tokenizer, text: &[u8], ids: &[u32], rng: &mut Rng) -> Outcome {
    if text.len() > MAX_TRUNCATED {
        return Ok(());
    }
    let mut scratch = Scratch::new(16);
    let wanted = rng.below(ids.len() + 1);
    let end = fails(tokenizer.truncate(text, wanted, &mut scratch))?;
    let mut count = |end: usize| fails(tokenizer.count(&text[..end], Permit::Text, usize::MAX, &mut scratch));
    if end > text.len() || end > 0 && count(end)? > wanted {
        return Err(format!("{end} bytes have more than {wanted} ids"));
    }
    let most = if text.len() > MAX_BRUTE { 1 } else { MAX_BRUTE };
    for longer in character_ends(text).filter(|&longer| longer > end).take(most) {
        if count(longer)? <= wanted {
            return Err(format!("{longer} bytes have no more than {wanted} ids either, and {end} were kept"));
        }
    }
    Ok(())
}

fn character_ends(text: &[u8]) -> impl Iterator<Item = usize> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = text.get(at..).filter(|rest| !rest.is_empty())?;
        at += valid_character(rest).unwrap_or(1);
        Some(at)
    })
}

fn decodes(tokenizer: &Tokenizer, _: &[u8], ids: &[u32], rng: &mut Rng) -> Outcome {
    let size = tokenizer.spec().vocab.len();
    let random: Vec<u32> = (0..rng.size(60)).map(|_| anypiece_core::util::cast::u32_of(rng.below(size))).collect();
    for ids in [ids, &random] {
        let whole = fails(tokenizer.decode(ids, Invalid::Replace))?;
        fails(tokenizer.decode(ids, Invalid::Ignore))?;
        fails(tokenizer.decode(ids, Invalid::Keep))?;
        let is_utf8 = std::str::from_utf8(&whole).is_ok();
        // A denormalizer may have keys that are parts of characters.
        if !is_utf8 && tokenizer.spec().denormalizer.is_empty() {
            return Err("decoded text is not UTF-8".to_owned());
        }
        let mut decoder = tokenizer.stream_decoder();
        let mut joined = Vec::new();
        for part in parts(ids, rng) {
            joined.extend(fails(decoder.push(tokenizer.spec(), part))?);
            if is_utf8 && std::str::from_utf8(&joined).is_err() {
                return Err("a stream gave half a character".to_owned());
            }
        }
        joined.extend(fails(decoder.finish(tokenizer.spec()))?);
        if joined != whole {
            return Err(format!("{ids:?} as a stream {}, at once {}", lossy(&joined), lossy(&whole)));
        }
    }
    Ok(())
}

fn batches(tokenizer: &Tokenizer, texts: &[&[u8]]) -> Outcome {
    let inputs: Vec<Input<'_>> = texts.iter().map(|text| Input::Bytes(text)).collect();
    let (flat, offsets) = fails(batch::encode(tokenizer, &inputs, Permit::Text, 2))?;
    let counts = fails(batch::count(tokenizer, &inputs, Permit::Text, 2))?;
    let mut joined = Vec::new();
    let mut ends = vec![0];
    for text in texts {
        joined.extend_from_slice(fails(tokenizer.encode(text, Permit::Text, &mut Scratch::new(0)))?);
        ends.push(anypiece_core::util::cast::i64_of(joined.len()));
    }
    same(&joined, &flat, "batch")?;
    if ends != offsets || ends.windows(2).map(|pair| pair[1] - pair[0]).ne(counts) {
        return Err(format!("offsets {offsets:?}, should be {ends:?}"));
    }
    Ok(())
}

/// Opens a damaged file and, if that succeeds, runs everything with it. Ids may be wrong; nothing may panic.
fn use_damaged(file: &[u8], texts: &[&[u8]], case: &Case) -> Outcome {
    let opened =
        Stored::open(Buffer::copy_of(file)).and_then(|file| Ok((file.verify().is_ok(), file.tokenizer(case.learned)?)));
    let (_, tokenizer) = match opened {
        Ok(opened) => opened,
        Err(error) if error.message().is_empty() => return Err("an error without a message".to_owned()),
        Err(_) => return Ok(()),
    };
    let mut rng = Rng::new(case.draws);
    for &text in texts {
        let mut scratch = Scratch::new(256);
        let ids = encoded(&tokenizer, text).unwrap_or_else(|_| vec![0, 1, 2]);
        let ids = tokenizer.check_ids(&ids).map_or_else(|_| vec![0], |()| ids);
        for (_, check) in TEXT_CHECKS {
            // The result is ignored here: only a panic counts.
            drop(check(&tokenizer, text, &ids, &mut rng));
        }
        drop(tokenizer.tokens(text, &mut scratch).map(|tokens| {
            let tiling = tokenizer.tiling(&scratch);
            tokens.iter().map(|token| tiling.piece(token).len()).sum::<usize>()
        }));
        let _ = tokenizer.spec().vocab.find(text);
    }
    drop(batches(&tokenizer, texts));
    let again = store::write(&tokenizer, b"");
    drop(Stored::open(Buffer::copy_of(&again)).and_then(|file| file.tokenizer(0)));
    Ok(())
}

fn fails<T>(result: Result<T, Error>) -> Result<T, String> {
    result.map_err(|error| error.to_string())
}

fn same(wanted: &[u32], found: &[u32], path: &str) -> Outcome {
    if wanted == found {
        return Ok(());
    }
    let at = wanted.iter().zip(found).take_while(|(wanted, found)| wanted == found).count();
    let near = |ids: &[u32]| ids[at.saturating_sub(2).min(ids.len())..(at + 4).min(ids.len())].to_vec();
    let (sizes, reference, other) = ((wanted.len(), found.len()), near(wanted), near(found));
    Err(format!("{path}: differs at id {at} of {sizes:?}: reference {reference:?}, found {other:?}"))
}

fn lossy(bytes: &[u8]) -> String {
    format!("{:?}", String::from_utf8_lossy(bytes))
}
