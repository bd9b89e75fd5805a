//! Every scanner against its regular expression in the engine that tiktoken uses.

use crate::spec::stages::Splitter;
use crate::split::classes::{character, class_of, LETTER, LOWER, NEWLINE, NUMBER, SPACE, UPPER};
use crate::util::{low8, u32_of, us};
use fancy_regex::Regex;

const GPT2: &str = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s";
const CL100K: &str = concat!(
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+",
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
);
const LLAMA3: &str = concat!(
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*",
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
);
const QWEN2: &str = concat!(
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*",
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
);
const O200K: &str = concat!(
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
);

const TEKKEN: &str = concat!(
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+",
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*",
    r"|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
);
const GPT2_OLD: &str = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+";
const LLAMA3_OLD: &str = concat!(
    r"'[sStTmMdD]|'[rR][eE]|'[vV][eE]|'[lL][lL]|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}",
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
);
const QWEN2_OLD: &str = concat!(
    r"'[sStTmMdD]|'[rR][eE]|'[vV][eE]|'[lL][lL]|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}",
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
);

fn pattern(splitter: Splitter) -> Regex {
    let pattern = match splitter {
        Splitter::Gpt2 => GPT2,
        Splitter::Cl100k => CL100K,
        Splitter::Llama3 => LLAMA3,
        Splitter::Qwen2 => QWEN2,
        Splitter::O200k => O200K,
        Splitter::Tekken => TEKKEN,
        Splitter::Starcoder => r"[\p{N}\x{11DE0}-\x{11DE9}\x{16FF4}-\x{16FF6}]",
        Splitter::DeepseekV3 => r"\p{N}{1,3}",
        Splitter::Gpt2Old => GPT2_OLD,
        Splitter::Llama3Old => LLAMA3_OLD,
        Splitter::Qwen2Old => QWEN2_OLD,
        Splitter::Lines => r"[^\n]*\n+|[^\n]+",
    };
    let dated = |name: &str, pattern: String| {
        pattern.replace(&format!("\\p{{{name}}}"), &format!("[\\p{{{name}}}&&\\p{{age=15.1}}]"))
    };
    if matches!(splitter, Splitter::Gpt2Old | Splitter::Llama3Old | Splitter::Qwen2Old) {
        return regex(&dated("N", dated("L", pattern.to_owned())));
    }
    regex(pattern)
}

fn regex(pattern: &str) -> Regex {
    let made = Regex::new(pattern);
    assert!(made.is_ok(), "{pattern}");
    made.unwrap_or_else(|_| unreachable!())
}

const DEEPSEEK_V3: &str = concat!(
    r"[!\x22#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+",
    r"| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
);

/// Patterns that cut the output of the first one, in order.
fn later(splitter: Splitter) -> Vec<Regex> {
    match splitter {
        Splitter::Starcoder => vec![regex(GPT2_OLD)],
        Splitter::DeepseekV3 => vec![regex("[一-龥぀-ゟ゠-ヿ]+"), regex(DEEPSEEK_V3)],
        _ => Vec::new(),
    }
}

/// The ends of the matches and of the ranges between them, which later patterns cut again.
fn cut_again(first: &Regex, later: &[Regex], text: &str) -> Vec<u32> {
    let mut ends: Vec<usize> = vec![text.len()];
    for pattern in std::iter::once(first).chain(later) {
        let mut finer = Vec::new();
        let mut start = 0;
        for end in ends {
            for found in pattern.find_iter(&text[start..end]).flatten() {
                finer.extend([start + found.start(), start + found.end()]);
            }
            finer.push(end);
            start = end;
        }
        finer.dedup();
        ends = finer.into_iter().filter(|&end| end > 0).collect();
    }
    ends.into_iter().map(u32_of).collect()
}

/// The ends of the matches, which cover the text.
fn expected(regex: &Regex, later: &[Regex], text: &str) -> Vec<u32> {
    if !later.is_empty() {
        return cut_again(regex, later, text);
    }
    let mut before = 0;
    let ends = regex.find_iter(text).map(|found| {
        let range = found.map_or(0..0, |found| found.range());
        assert_eq!(range.start, before, "a gap in {text:?}");
        before = range.end;
        u32_of(range.end)
    });
    let ends: Vec<u32> = ends.collect();
    assert_eq!(us(ends.last().copied().unwrap_or(0)), text.len());
    ends
}

fn chunks(splitter: Splitter, text: &[u8], from: usize, stop: usize, end: usize) -> Vec<u32> {
    let mut ends = vec![0; stop - from + 64];
    let count = splitter.chunks(text, from, stop, end, &mut ends);
    ends.truncate(count);
    ends
}

fn all_chunks(splitter: Splitter, text: &[u8]) -> Vec<u32> {
    chunks(splitter, text, 0, text.len(), text.len())
}

/// Chunk by chunk, without blocks.
fn single_chunks(splitter: Splitter, text: &[u8]) -> Vec<u32> {
    let (mut ends, mut at) = (Vec::new(), 0);
    while at < text.len() {
        at = splitter.chunk_end(text, at, text.len());
        ends.push(u32_of(at));
    }
    ends
}

struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        us(crate::util::cast::low32(self.0 >> 33)) % bound
    }

    fn pick<'a>(&mut self, some: &[&'a str]) -> &'a str {
        some[self.below(some.len())]
    }

    fn text(&mut self, some: &[&str], length: usize) -> String {
        (0..length).map(|_| self.pick(some)).collect()
    }
}

/// Fragments of text that exercise every alternative of every pattern.
#[rustfmt::skip]
const NASTY: &[&str] = &[
    "a", "b", "s", "e", "l", "A", "Z", "S", "T", "word", "Word", "WORD", "iPhone", "0", "1", "22", "333", "4444",
    "'", "'s", "'S", "'t", "'T", "'re", "'RE", "'Re", "'ve", "'vE", "'m", "'M", "'ll", "'Ll", "'lL", "'d",
    "'D", "'ſ", "ſ", "’s",
    "K", "'r", "'v", "'l", ".", ",", "!", "?", "/", "//", "-", "_", "(", "\"", "#", "+=", "\u{1}", "\u{7F}", "\0",
    " ", " ", " ", "  ", "    ", "\n", "\n", "\r", "\r\n", "\t", "\u{B}", "\u{C}", "\u{1C}",
    "\u{A0}", "\u{3000}", "\u{85}", "\u{2028}", "\u{2003}", "\u{1680}", "\u{202F}", "\u{180E}",
    "\u{301}", "\u{308}", "\u{20DD}", "\u{903}", "\u{FE0F}", "\u{1F3FB}", "é", "É", "ß", "ẞ", "İ", "ı", "ж",
    "Ж", "с", "Ѐ", "ѡ", "Ѣ",
    "ǅ", "ᾈ", "ʰ", "ª", "ˆ", "々", "ー", "א", "ب", "中", "文字", "，", "。", "ไ", "ก็", "ที่", "한", "껀", "ꯍ", "휀",
    "䷀", "一", "ぁ", "ん", "カ", "゙", "゛", "・", "゠", "鿿", "ꀀ", "हि", "क्ष", "ა", "Ა",
    "😀", "👩\u{200D}💻", "½", "Ⅷ", "²", "٣", "９", "〇", "\u{200D}", "\u{200B}", "\u{FEFF}", "\u{378}", "\u{E000}",
    "\u{1C89}", "\u{A7DA}", "\u{105C0}", "\u{10D41}", "\u{897}",
    "\u{10FFFF}", "\u{1D400}", "\u{1D7CE}", "𐐀", "𐐨", "𠀀", "€", "—", "…",
];
/// Smaller alphabets, so that rare neighbours are more frequent: letters and contractions; white space and punctuation.
#[rustfmt::skip]
const LETTERS: &[&str] = &[
    "a", "A", "B", "ª", "中", "\u{301}", "ǅ", "'", "'s", "'ll", "'LL", "s", "l", "L", "ſ", "é", "É", " ", "!",
    "1", "\n",
];
const SPACES: &[&str] = &[" ", " ", " ", "\n", "\r", "\t", "\u{A0}", "/", "!", "a", "1", "\u{301}", "\u{85}", "中"];
const DIGITS: &[&str] = &["0", "1", "2", "3", "4", "9", "½", "９", " ", "a", ".", "\n"];
const ENGLISH: &[&str] =
    &["the", " ", " ", " ", "House", "of", ", ", ".", "\n", "don't", "(", "1984", "I'LL", "caf", "é"];

fn texts(seed: u64, count: usize) -> impl Iterator<Item = String> {
    let mut random = Random(seed);
    (0..count).map(move |round| {
        let some = [NASTY, LETTERS, NASTY, SPACES, NASTY, DIGITS, ENGLISH][round % 7];
        let length = random.below([4, 12, 40, 200][round % 4] + 1);
        random.text(some, length)
    })
}

#[test]
fn every_scanner_is_its_pattern() {
    for splitter in Splitter::ALL {
        let (regex, later) = (pattern(splitter), later(splitter));
        for text in texts(1, 24_000) {
            let wanted = expected(&regex, &later, &text);
            let bytes = text.as_bytes();
            assert_eq!(all_chunks(splitter, bytes), wanted, "{:?} {text:?}", splitter);
            assert_eq!(single_chunks(splitter, bytes), wanted, "{:?} {text:?}", splitter);
        }
    }
}

#[test]
fn every_character_is_what_the_patterns_say() {
    let regexes = Splitter::ALL.map(|splitter| (splitter, pattern(splitter), later(splitter)));
    let mut before = Vec::new();
    for code in (0..0x11_0000).step_by(64) {
        // Long ranges of one class are sampled once; another test checks the classes.
        let classes: Vec<u8> = (code..code + 64).map(class_of::<false>).collect();
        if std::mem::replace(&mut before, classes) == before {
            continue;
        }
        let characters = (code..code + 64).filter_map(char::from_u32);
        let text: String = characters.map(|c| format!("a{c}\n {c}b\n{c}{c}1\n'{c}")).collect();
        for (splitter, regex, later) in &regexes {
            let wanted = expected(regex, later, &text);
            assert_eq!(all_chunks(*splitter, text.as_bytes()), wanted, "{:?} {code:x}", splitter);
        }
    }
}

/// The ranges that `blocks` treats as one class.
#[test]
fn stretches_are_of_one_class() {
    let stretches = [
        (0x4E00..0xA000, LETTER | UPPER | LOWER),
        (0xB000..0xD000, LETTER | UPPER | LOWER),
        (0x3041..0x3097, LETTER | UPPER | LOWER),
        (0x30A1..0x30FB, LETTER | UPPER | LOWER),
        (0x30FC..0x3100, LETTER | UPPER | LOWER),
        (0x400..0x430, LETTER | UPPER),
        (0x430..0x460, LETTER | LOWER),
    ];
    for (mut codes, class) in stretches {
        assert!(codes.all(|code| class_of::<false>(code) == class));
    }
}

/// They differ in white space at the end of the text.
#[test]
fn llama3_is_not_cl100k() {
    let (cl100k, llama3) = (Splitter::Cl100k, Splitter::Llama3);
    assert_eq!(all_chunks(cl100k, b"a\n  "), [1, 4]);
    assert_eq!(all_chunks(llama3, b"a\n  "), [1, 2, 4]);
    for text in texts(2, 10_000) {
        let text = format!("{text}.");
        assert_eq!(all_chunks(cl100k, text.as_bytes()), all_chunks(llama3, text.as_bytes()), "{text:?}");
    }
}

/// A stray byte is cut like a control character, which has one byte too.
#[test]
fn stray_bytes_are_signs() {
    let mut random = Random(3);
    for text in texts(3, 4_000) {
        let mut bytes = text.into_bytes();
        for _ in 0..random.below(8) {
            if !bytes.is_empty() {
                let at = random.below(bytes.len());
                bytes[at] = low8(u32_of(random.below(256)));
            }
        }
        let mut clean = String::new();
        for part in bytes.utf8_chunks() {
            clean.push_str(part.valid());
            clean.extend(part.invalid().iter().map(|_| '\u{1}'));
        }
        for splitter in Splitter::ALL {
            let wanted = single_chunks(splitter, clean.as_bytes());
            assert_eq!(all_chunks(splitter, &bytes), wanted, "{:?} {bytes:x?}", splitter);
            assert_eq!(single_chunks(splitter, &bytes), wanted, "{:?} {bytes:x?}", splitter);
        }
    }
}

#[test]
fn a_part_is_cut_like_the_whole() {
    let mut random = Random(4);
    for text in texts(4, 3_000) {
        let mut padded = text.clone().into_bytes();
        padded.extend_from_slice(b"'s \n a1!\xCC\x81");
        padded.resize(padded.len() + 128, 0);
        for splitter in Splitter::ALL {
            let whole = single_chunks(splitter, text.as_bytes());
            let mut at = 0;
            let mut found = Vec::new();
            while at < text.len() {
                let stop = (at + 1 + random.below(30)).min(text.len());
                let part = chunks(splitter, &padded, at, stop, text.len());
                assert!(part[..part.len() - 1].iter().all(|&end| us(end) < stop));
                found.extend(part);
                at = found.last().map_or(0, |&end| us(end));
                assert!(at >= stop);
            }
            assert_eq!(found, whole, "{:?} {text:?}", splitter);
        }
    }
}

#[test]
fn too_little_room_is_no_harm() {
    let mut ends = [0; 80];
    assert_eq!(Splitter::Gpt2.chunks(b"a b c", 0, 5, 5, &mut ends[..3]), 0);
    assert_eq!(Splitter::Gpt2.chunks(b"a b c", 7, 9, 5, &mut ends), 0);
    assert_eq!(Splitter::Gpt2.chunks(b"", 0, 0, 0, &mut []), 0);
    assert_eq!(Splitter::Gpt2.chunk_end(b"a", 3, 9), 1);
}

#[test]
fn what_is_settled_stays() {
    #[rustfmt::skip]
    let more = [
        "a", "A", "s", "S", "l", "e", "'", "'s", "'ll", "1", "!", " ", "\n", " x", "  x", " \n", "\nx",
        "/", "\u{301}", "ª", "ªA", "Aa",
        "中", "\u{A0}", "\u{A0}x", "ſ", "ll x", "½",
    ];
    let tails: [&[u8]; 6] = [b"\x80", b"\xBF", b"\xB8\xAD", b"\x80\x80", b"\xA0\x80x", b"\xFF"];
    let mut settled = 0;
    for text in texts(5, 1_500) {
        let text: String = text.chars().take(24).collect();
        let bytes = text.as_bytes();
        for end in 0..=bytes.len() {
            let prefix = &bytes[..end];
            let longer = more.iter().map(|more| more.as_bytes()).chain(tails).chain([&bytes[end..]]);
            let longer: Vec<Vec<u8>> = longer.map(|more| [prefix, more].concat()).collect();
            for splitter in Splitter::ALL {
                let now = single_chunks(splitter, prefix);
                let Some(last) = now.iter().rposition(|&at| splitter.is_settled(bytes, us(at), end)) else { continue };
                settled += 1;
                for later in &longer {
                    let later = single_chunks(splitter, later);
                    assert_eq!(later.get(..=last), now.get(..=last), "{:?} {prefix:x?}", splitter);
                }
            }
        }
    }
    assert!(settled > 10_000);
}

#[test]
fn enough_text_settles() {
    for splitter in Splitter::ALL.into_iter().filter(|&splitter| splitter != Splitter::Lines) {
        let text = "One two\n\n  three, don't 1234567 ABC中DEF. ".repeat(3);
        let ends = single_chunks(splitter, text.as_bytes());
        for &at in &ends {
            assert_eq!(splitter.is_settled(text.as_bytes(), us(at), text.len()), us(at) + 3 <= text.len(), "{at}");
        }
        assert!(!splitter.is_settled(b"a  ", 1, 3));
        assert!(!splitter.is_settled(b"a \n    ", 3, 7));
        assert!(splitter.is_settled(b"", 0, 0));
    }
}

/// Counts how often the scanners examine a character: a bounded number of times on any text.
#[test]
fn time_is_linear() {
    #[rustfmt::skip]
    let parts = [
        " ", "\n", " \n", "   \n   \n", "\u{A0}", "\u{3000}\n", "\t \r\n", "a", "A", "aA", "ªA", "Aª", "中",
        "\u{301}", "!\u{301}", "'", "'s", "'l",
        "!", "!\n", "/\n", "1", "½", " '", "\u{FFFD}", "A\u{301}", "\u{301}A", " A", "!A",
    ];
    for part in parts {
        for tail in ["", "x", "A", "中", "!", " ", "\n"] {
            let mut text = part.repeat(20_000).into_bytes();
            text.extend_from_slice(tail.as_bytes());
            for splitter in Splitter::ALL {
                let before = crate::split::classes::LOOKS.get();
                let count = all_chunks(splitter, &text).len();
                let looks = crate::split::classes::LOOKS.get() - before;
                assert!(looks <= 5 * text.len() + 10, "{:?} {part:?} {looks}", splitter);
                assert!(count <= text.len());
            }
        }
    }
}

#[test]
fn names_are_those_of_the_documents() {
    let names = [
        "gpt2",
        "cl100k",
        "llama3",
        "qwen2",
        "o200k",
        "tekken",
        "starcoder",
        "deepseek-v3",
        "gpt2-15.1",
        "llama3-15.1",
        "qwen2-15.1",
        "lines",
    ];
    assert_eq!(serde_json::to_value(Splitter::ALL).ok(), Some(serde_json::json!(names)));
    assert_eq!(serde_json::from_value::<Vec<Splitter>>(serde_json::json!(names)).ok(), Some(Splitter::ALL.to_vec()));
    assert!(serde_json::from_str::<Splitter>("\"r50k\"").is_err());
}

/// The class of every code point in the engine.
fn engine_classes() -> Vec<u8> {
    let all: String = (0..0x11_0000).filter_map(char::from_u32).collect();
    let mut classes = vec![0; 0x11_0000];
    let patterns = [
        (LETTER, r"\p{L}"),
        (NUMBER, r"\p{N}"),
        (SPACE, r"\s"),
        (UPPER, r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]"),
        (LOWER, r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"),
        (NEWLINE, r"[\r\n]"),
    ];
    for (class, pattern) in patterns {
        for found in regex(&format!("{pattern}+")).find_iter(&all).flatten() {
            for c in found.as_str().chars() {
                classes[us(u32::from(c))] |= class;
            }
        }
    }
    classes
}

/// The source text of `classes_table.rs`.
fn table(classes: &[u8]) -> String {
    let mut distinct: Vec<&[u8]> = Vec::new();
    let mut pages = Vec::new();
    for page in classes.chunks(256) {
        let known = distinct.iter().position(|&other| other == page).unwrap_or(distinct.len());
        if known == distinct.len() {
            distinct.push(page);
        }
        pages.push(known.to_string());
    }
    let mut out = String::from(TABLE_HEAD);
    out += &format!("#[rustfmt::skip]\npub static PAGES: [u8; {}] = [\n", pages.len());
    for row in pages.chunks(24) {
        out += &format!("    {},\n", row.join(", "));
    }
    out += "];\n\n/// The classes of 256 code points each: the low six bits of each byte.\n";
    out += &format!("#[rustfmt::skip]\npub static CLASSES: [[u8; 256]; {}] = [\n", distinct.len());
    for page in distinct {
        out += "    *b\"";
        for row in page.chunks(64) {
            let row: String = row.iter().map(|&class| char::from(0x40 | class)).collect();
            out += &format!("\\\n       {row}");
        }
        out += "\",\n";
    }
    out + "];\n"
}

const TABLE_HEAD: &str = "\
//! Classes of characters by code point: Unicode 16.0.0, as in regex-syntax 0.8.11, which fancy-regex 0.19.0 uses.
//!
//! Written by the test `the_table_is_what_the_engine_says` with `ANYPIECE_WRITE_TABLES=1`; see `classes` for the bits.

/// Which of [`CLASSES`] the code points `256 * i..256 * (i + 1)` have.
";

#[test]
fn the_table_is_what_the_engine_says() -> std::io::Result<()> {
    let classes = engine_classes();
    if std::env::var_os("ANYPIECE_WRITE_TABLES").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/split/classes_table.rs");
        return std::fs::write(path, table(&classes));
    }
    assert_eq!(table(&classes), include_str!("classes_table.rs"));
    for (code, &class) in (0..).zip(&classes) {
        assert_eq!(class_of::<false>(code), class, "{code:x}");
        if let Some(c) = char::from_u32(code) {
            let found = character::<false>(c.to_string().as_bytes(), 0);
            assert_eq!((found.class, found.length), (class, c.len_utf8()), "{code:x}");
        }
    }
    assert_eq!(class_of::<false>(0x11_0000), 0);
    Ok(())
}

#[test]
fn newer_characters_are_what_the_engine_says() {
    let newer = regex(r"\A[[\p{L}\p{N}\p{M}]&&[^\p{age=15.1}]]\z");
    for (code, c) in (0..0x11_0000).filter_map(|code| Some((code, char::from_u32(code)?))) {
        let is_newer = newer.is_match(c.encode_utf8(&mut [0; 4])).unwrap_or(false);
        let expected = if is_newer { 0 } else { class_of::<false>(code) };
        assert_eq!(class_of::<true>(code), expected, "{code:x}");
    }
}
