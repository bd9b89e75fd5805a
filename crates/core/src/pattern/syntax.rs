//! Translates regular expressions from Oniguruma's syntax to that of `fancy-regex`.
//!
//! Only syntax with equal meaning in both, or that can be rewritten so, is accepted; the rest is refused by name. The
//! tests compare matches with the original engine, and the classes for every code point.

use std::iter::Peekable;
use std::str::Chars;

/// Categories of the same characters in both engines.
const CATEGORIES: &[&str] = &[
    "L", "N", "P", "S", "M", "Z", "Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "No", "Pc", "Pd", "Ps",
    "Pe", "Pi", "Pf", "Po", "Sm", "Sc", "Sk", "So", "Zs", "Zl", "Zp", "Cc", "Cf", "Co",
];
/// Scripts of the same characters in both engines.
const SCRIPTS: &[&str] = &[
    "Han",
    "Hiragana",
    "Katakana",
    "Hangul",
    "Latin",
    "Cyrillic",
    "Greek",
    "Arabic",
    "Hebrew",
    "Thai",
    "Devanagari",
    "Bengali",
    "Tamil",
    "Telugu",
];
/// Properties that match more characters under case-insensitivity in `fancy-regex`, but not in Oniguruma.
const CASED: &[&str] = &["L", "Lu", "Ll", "Lt", "M", "Mn", "Latin", "Greek"];
/// Letter sequences that a single character folds to, as ß to `ss`.
const FOLDED: &[&str] = &["ss", "st", "ff", "fi", "fl"];

/// Oniguruma's `\w`, without brackets: superscripts and fractions of Latin 1 are in it, joiners are not.
const WORD: &str = r"\w\x{B2}\x{B3}\x{B9}\x{BC}-\x{BE}&&[^\x{200C}\x{200D}]";
/// Oniguruma's `\w` within a class, where superscripts and fractions of Latin 1 are not in it.
const WORD_IN_CLASS: &str = r"\w&&[^\x{200C}\x{200D}]";

/// Maximum bytes of a pattern, and maximum nesting of groups and classes.
const MAX_LENGTH: usize = 1 << 16;
const MAX_DEPTH: usize = 64;

type Outcome<T> = Result<T, String>;

/// Refuses a pattern that is too long.
pub fn check_length(pattern: &str) -> Outcome<()> {
    if pattern.len() > MAX_LENGTH {
        return Err(format!("it is longer than {MAX_LENGTH} bytes"));
    }
    Ok(())
}

/// The pattern in the syntax of `fancy-regex`.
pub fn translate(pattern: &str) -> Outcome<String> {
    check_length(pattern)?;
    let rest = pattern.strip_prefix("(?i)").unwrap_or(pattern);
    let (out, any_case) = (pattern[..pattern.len() - rest.len()].to_owned(), rest != pattern);
    let mut translator = Translator { rest: rest.chars().peekable(), out, any_case, cases: vec![any_case], depth: 0 };
    translator.run()?;
    translator.check_case(pattern)?;
    Ok(translator.out)
}

/// A translated pattern with its categories restricted to the characters that had them in Unicode 15.1.
pub fn dated(translated: &str) -> String {
    let date = |pattern: String, name: &str| {
        pattern.replace(&format!("\\p{{{name}}}"), &format!("[\\p{{{name}}}&&\\p{{age=15.1}}]"))
    };
    ["L", "N", "P", "M", "S"].into_iter().fold(translated.to_owned(), date)
}

struct Translator<'p> {
    rest: Peekable<Chars<'p>>,
    out: String,
    /// Whether some part is case-insensitive.
    any_case: bool,
    /// Whether the current group is case-insensitive, below it those around it.
    cases: Vec<bool>,
    /// Depth of open groups and classes.
    depth: usize,
}

impl Translator<'_> {
    fn run(&mut self) -> Outcome<()> {
        while let Some(c) = self.rest.next() {
            match c {
                '\\' => self.escape(false)?,
                '[' => self.class()?,
                '(' => self.group()?,
                ')' => {
                    self.depth = self.depth.saturating_sub(1);
                    self.cases.pop();
                    self.out.push(')');
                }
                // Anchors match at every line, not only at the text's ends; but no line begins after a newline at the
                // end of the text.
                '^' => self.out.push_str(r"(?:\A|(?<=\n)(?!\z))"),
                '$' => self.out.push_str(r"(?=\n|\z)"),
                '*' | '+' | '?' => self.quantifier(c)?,
                '{' => self.interval()?,
                '}' | ']' => self.out.extend(['\\', c]),
                _ => self.out.push(c),
            }
        }
        Ok(())
    }

    fn in_any_case(&self) -> bool {
        self.cases.last().copied().unwrap_or(false)
    }

    fn next_is(&mut self, wanted: &[char]) -> bool {
        self.rest.peek().is_some_and(|next| wanted.contains(next))
    }

    fn quantifier(&mut self, first: char) -> Outcome<()> {
        self.out.push(first);
        if self.next_is(&['?', '+']) {
            self.out.extend(self.rest.next());
        }
        if self.next_is(&['*', '+', '?', '{']) {
            return Err("a quantifier of a quantifier".to_owned());
        }
        Ok(())
    }

    /// `{n}`, `{n,}`, `{n,m}` or `{,m}`; any other brace is itself.
    fn interval(&mut self) -> Outcome<()> {
        let ahead: String = self.rest.clone().take_while(|&c| c != '}').collect();
        let closed = self.rest.clone().any(|c| c == '}');
        let (low, high) = ahead.split_once(',').unwrap_or((&ahead, &ahead));
        let number = |text: &str| text.chars().all(|c| c.is_ascii_digit());
        if !closed || ahead.is_empty() || ahead == "," || !number(low) || !number(high) {
            self.out.push_str(r"\{");
            return Ok(());
        }
        let fixed = !ahead.contains(',');
        let low = if low.is_empty() { "0" } else { low };
        let (least, most) = (low.trim_start_matches('0'), high.trim_start_matches('0'));
        if !fixed && !high.is_empty() && (least.len(), least) > (most.len(), most) {
            return Err(format!("an interval of {low} to {high}, which is turned round and possessive"));
        }
        self.out.push('{');
        self.out.push_str(low);
        if !fixed {
            self.out.push(',');
            self.out.push_str(high);
        }
        self.out.push('}');
        self.rest.nth(ahead.chars().count());
        if self.next_is(&['+', '*', '{']) || fixed && self.next_is(&['?']) {
            return Err("a quantifier of a quantifier".to_owned());
        }
        if self.next_is(&['?']) {
            self.out.extend(self.rest.next());
        }
        Ok(())
    }

    fn open(&mut self, c: char) -> Outcome<()> {
        self.out.push(c);
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(format!("more than {MAX_DEPTH} groups and classes within one another"));
        }
        Ok(())
    }

    fn group(&mut self) -> Outcome<()> {
        self.open('(')?;
        let is_any = self.in_any_case();
        self.cases.push(is_any);
        if !self.next_is(&['?']) {
            return Ok(());
        }
        let ahead: String = self.rest.clone().take(4).collect();
        let openings = ["?:", "?=", "?!", "?>", "?<=", "?<!", "?i:", "?-i:"];
        let Some(opening) = openings.iter().find(|opening| ahead.starts_with(**opening)) else {
            return Err(format!("a group that begins with ({ahead:?}"));
        };
        self.any_case |= *opening == "?i:";
        if let (Some(case), "?i:" | "?-i:") = (self.cases.last_mut(), *opening) {
            *case = *opening == "?i:";
        }
        self.out.push_str(opening);
        self.rest.nth(opening.len() - 1);
        Ok(())
    }

    fn class(&mut self) -> Outcome<()> {
        self.open('[')?;
        if self.next_is(&['^']) {
            self.out.extend(self.rest.next());
        }
        if self.next_is(&[']', ':']) {
            return Err("a class that begins with ']' or ':'".to_owned());
        }
        while let Some(c) = self.rest.next() {
            match c {
                ']' => {
                    self.depth -= 1;
                    self.out.push(']');
                    return Ok(());
                }
                '\\' => self.escape(true)?,
                '[' => self.class()?,
                '&' | '-' | '~' if self.next_is(&[c]) => return Err(format!("{c}{c} within a class")),
                _ => self.out.push(c),
            }
        }
        Err("a class that does not end".to_owned())
    }

    fn escape(&mut self, in_class: bool) -> Outcome<()> {
        let Some(c) = self.rest.next() else { return Err("a backslash at its end".to_owned()) };
        match c {
            'p' | 'P' => self.property(c, in_class)?,
            's' | 'S' | 'd' | 'D' | 'h' | 'H' | 'n' | 'r' | 't' | 'f' | 'v' => self.out.extend(['\\', c]),
            'w' | 'W' => {
                let (negation, word) = (if c == 'W' { "^" } else { "" }, if in_class { WORD_IN_CLASS } else { WORD });
                self.out.push_str(&format!("[{negation}{word}]"));
            }
            'b' if !in_class => self.out.push_str(&format!("(?:(?<=[{WORD}])(?![{WORD}])|(?<![{WORD}])(?=[{WORD}]))")),
            'A' | 'z' if !in_class => self.out.extend(['\\', c]),
            'u' => self.code_point(4)?,
            'x' => self.hexadecimal()?,
            _ if c.is_ascii_punctuation() => self.out.extend(['\\', c]),
            _ if c.is_ascii_alphanumeric() => return Err(format!("\\{c}")),
            _ => self.out.push(c),
        }
        Ok(())
    }

    fn property(&mut self, kind: char, in_class: bool) -> Outcome<()> {
        let ahead: String = self.rest.clone().take_while(|&c| c != '}').collect();
        let Some(name) = ahead.strip_prefix('{') else { return Err(format!("\\{kind} without braces")) };
        let (name, negated) = name.strip_prefix('^').map_or((name, false), |name| (name, true));
        if !CATEGORIES.contains(&name) && !SCRIPTS.contains(&name) {
            return Err(format!("the property {name:?}"));
        }
        self.rest.nth(ahead.chars().count());
        let kind = if negated == (kind == 'P') { 'p' } else { 'P' };
        let is_cased = self.in_any_case() && CASED.contains(&name);
        if is_cased && in_class {
            return Err(format!("the property {name:?} in a class within (?i)"));
        }
        let written = format!("\\{kind}{{{name}}}");
        self.out.push_str(&if is_cased { format!("(?-i:{written})") } else { written });
        Ok(())
    }

    /// `\xHH` below 128 or `\x{H…}`.
    fn hexadecimal(&mut self) -> Outcome<()> {
        if self.next_is(&['{']) {
            self.rest.next();
            let digits: String = self.rest.clone().take_while(|&c| c != '}').collect();
            self.code_point(digits.len())?;
            self.rest.next();
            return Ok(());
        }
        if !self.next_is(&['0', '1', '2', '3', '4', '5', '6', '7']) {
            return Err("\\x of a byte that is no ASCII".to_owned());
        }
        self.code_point(2)
    }

    fn code_point(&mut self, length: usize) -> Outcome<()> {
        let digits: String = self.rest.by_ref().take(length).collect();
        let known = u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32);
        let (Some(_), true) = (known, digits.len() == length && length > 0) else {
            return Err(format!("the code point {digits:?}"));
        };
        self.out.push_str(&format!("\\x{{{digits}}}"));
        Ok(())
    }

    /// Refuses case-insensitive patterns in which one character may fold to two, which only one of the engines does.
    fn check_case(&self, pattern: &str) -> Outcome<()> {
        let lower = pattern.to_ascii_lowercase();
        if self.any_case && (!pattern.is_ascii() || FOLDED.iter().any(|pair| lower.contains(pair))) {
            return Err("(?i) with letters that one character can stand for several of".to_owned());
        }
        Ok(())
    }
}
