//! The normalizer: from raw text to normalized text.
//!
//! Normalized text is kept in the *inner form*: where spaces are escaped, U+2581 is written as the byte 0x20, which then
//! occurs nowhere else. That saves two of three bytes per space and makes most text a plain copy. [`outer`] gives back the
//! form that users see. [`Normalizer::step`] is the definition; `runs` copies what it would leave alone.

pub mod charsmap;
pub mod classes;
pub mod code_points;
pub(crate) mod forms;
pub(crate) mod normalized;
pub(crate) mod runs;
pub mod steps;

use crate::index::double_array::Trie;
use crate::normalize::charsmap::Charsmap;
use crate::normalize::classes::Classes;
use crate::normalize::code_points::CodePointTable;
pub use crate::normalize::forms::{outer, push_inner_form, replace, valid_character};
pub use crate::normalize::normalized::Normalized;
use crate::normalize::runs::Run;
use crate::spec::vocab::Kind;
use crate::spec::{Config, Spaces, Spec};
use crate::util::{u32_of, us, Column, Lazy, Result};

/// Maximum number of shielded-symbol matches considered, the shortest first.
pub const MAX_SHIELD_MATCHES: usize = 64;
const REPLACEMENT: &[u8] = "\u{FFFD}".as_bytes();
/// Readable bytes kept behind the text, for readers that look ahead.
pub const PADDING: usize = 128;

/// The rules.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct Rules {
    pub prefix: bool,
    pub suffix: bool,
    pub squeeze: bool,
    pub escape: bool,
    /// Marks are inserted before words.
    pub words: bool,
}

impl Rules {
    /// The rules of a Spec.
    pub const fn of(config: &Config) -> Self {
        Self {
            prefix: config.add_dummy_prefix && !config.whitespace_as_suffix,
            suffix: config.add_dummy_prefix && config.whitespace_as_suffix,
            squeeze: config.remove_extra_whitespaces,
            escape: config.escape_whitespaces,
            words: matches!(config.spaces, Spaces::Words),
        }
    }
}

/// The stage.
pub struct Normalizer {
    pub(crate) rules: Rules,
    charsmap: Column<u8>,
    /// Symbols that the map must not change, as spelled in raw text.
    pub(crate) shield: Trie,
    /// Whether shielding changes text. If not, it affects origins only: a symbol has one origin.
    shields_text: bool,
    pub(crate) classes: Classes,
    /// Whether the shield contains prefixes of symbols.
    prefixes: bool,
    /// Whether text is passed through unchanged, whatever its bytes.
    verbatim: bool,
    /// The shielded symbols, where the classes do not include them.
    symbols: Vec<Box<[u8]>>,
    /// The classes for a run that records origins, where they differ.
    origin_classes: Lazy<Classes>,
    /// Whether each key of the map has a target.
    is_sound: Lazy<bool>,
    /// The code-point table; built when a text arrives as code points.
    code_point_table: Lazy<Box<CodePointTable>>,
}

/// The state of a normalization that is done in parts.
#[derive(Clone, Copy, Debug, Default)]
pub struct State {
    started: bool,
    after_space: bool,
}

impl Normalizer {
    /// Compiles the stage from a validated Spec.
    pub fn build(spec: &Spec) -> Result<Self> {
        let shielded = shielded_symbols(spec);
        let keys: Vec<(&[u8], u32)> = shielded.iter().map(|symbol| (*symbol, 0)).collect();
        let shield = if keys.is_empty() { Trie::default() } else { Trie::build(&keys)? };
        let symbols = if shields_text(spec, &shielded) { &shielded[..] } else { &[] };
        let classes = Classes::build(Charsmap::new(&spec.charsmap), symbols, spec.config.escape_whitespaces);
        Ok(Self::from_parts(spec, Column::Owned(spec.charsmap.to_vec()), shield, classes))
    }

    /// Assembles a stage from its parts, which may be stored ones.
    pub fn from_parts(spec: &Spec, charsmap: Column<u8>, shield: Trie, classes: Classes) -> Self {
        let shielded = if shield.is_empty() { Vec::new() } else { shielded_symbols(spec) };
        let shields_text = shields_text(spec, &shielded);
        let symbols = shielded.into_iter().filter(|_| !shields_text).map(Box::from).collect();
        Self {
            rules: Rules::of(&spec.config),
            charsmap,
            shield,
            shields_text,
            classes,
            prefixes: spec.matches_unused(),
            verbatim: spec.has_byte_pieces(),
            symbols,
            origin_classes: Lazy::new(),
            is_sound: Lazy::new(),
            code_point_table: Lazy::new(),
        }
    }

    fn classes_for(&self, origins: bool) -> &Classes {
        if !origins || self.shields_text || self.shield.is_empty() {
            return &self.classes;
        }
        self.origin_classes.get(|| {
            let symbols: Vec<&[u8]> = self.symbols.iter().map(AsRef::as_ref).collect();
            Classes::build(Charsmap::new(&self.charsmap), &symbols, self.rules.escape)
        })
    }

    /// Whether every text stays as it is.
    pub const fn changes_nothing(&self) -> bool {
        self.verbatim && !self.rules.squeeze && !self.rules.suffix
    }

    /// The look-ahead in bytes after which the result at a position is final; `None` if only the end of the text makes
    /// it final. With origins, a shielded symbol is one chunk even if shielding changes no text.
    pub fn lookahead(&self, origins: bool) -> Option<usize> {
        if self.verbatim {
            return Some(1);
        }
        self.classes_for(origins).longest_key.map(|longest| longest.max(4))
    }

    /// Whether the result for a character never depends on text after its key. A damaged map can have a key without a
    /// target, which hides a shorter one.
    pub fn is_sound(&self) -> bool {
        *self.is_sound.get(|| Charsmap::new(&self.charsmap).is_none_or(|map| map.is_sound()))
    }

    /// Normalizes a whole text.
    pub fn normalize(&self, text: &[u8], origins: bool, out: &mut Normalized) {
        out.clear();
        let mut state = State::default();
        self.advance(text, 0, text.len(), &mut state, origins, 0, out);
        self.finish(text.len(), &state, origins, out);
    }

    /// Normalizes what begins in `text[from..stop]`, looking ahead to the end of `text`. Returns where it stopped, at or
    /// after `stop`. `offset` is added to origins.
    #[allow(clippy::too_many_arguments)]
    pub fn advance(
        &self,
        text: &[u8],
        from: usize,
        stop: usize,
        state: &mut State,
        origins: bool,
        offset: usize,
        out: &mut Normalized,
    ) -> usize {
        let mut at = from;
        if self.verbatim {
            state.started = true;
            out.copy(&text[from..stop], origins.then_some(offset + from));
            return stop;
        }
        if !state.started {
            at = self.begin(text, from, stop, origins, offset, out);
            if at >= stop {
                return at;
            }
            *state = State { started: true, after_space: self.rules.squeeze };
        }
        let run = Run { normalizer: self, text, stop, offset, after_space: state.after_space, out };
        let (end, after_space) = if origins { run.finish::<true>(at) } else { run.finish::<false>(at) };
        state.after_space = after_space;
        end
    }

    /// Begins a text: drops leading spaces, or with marks before words copies them, and writes the first mark. Returns
    /// where the first chunk is that does more. The origin of a mark before a word is the first of the spaces that it replaces.
    fn begin(
        &self,
        text: &[u8],
        from: usize,
        stop: usize,
        origins: bool,
        offset: usize,
        out: &mut Normalized,
    ) -> usize {
        let Rules { prefix, squeeze, words, .. } = self.rules;
        let (mut at, mut gap) = (from, None);
        while at < stop && (squeeze || words) {
            let (chunk, length) = self.step(text, at, origins);
            let is_blank = if words { chunk.iter().all(|&byte| byte == b' ') } else { chunk == b" " };
            if !is_blank {
                break;
            }
            if words && squeeze && !chunk.is_empty() {
                gap = gap.or(Some(at));
            } else if words {
                out.reserve(chunk.len());
                chunk.iter().for_each(|&byte| out.push(byte, offset + at, origins));
            }
            at += length;
        }
        if at < stop && (prefix || words && squeeze) {
            out.reserve(4);
            out.push(b' ', offset + gap.unwrap_or(at), origins);
        }
        at
    }

    /// Ends a text: trims trailing spaces, adds the suffix. `consumed` is the length of the original.
    pub fn finish(&self, consumed: usize, state: &State, origins: bool, out: &mut Normalized) {
        if !state.started && !self.rules.words {
            out.clear();
            if origins {
                out.origins.push(0);
            }
            out.pad();
            return;
        }
        let mut consumed = u32_of(consumed);
        // Of marks before words, only one without a word is trimmed, and none that the text spells.
        let (words, mut trims) = (self.rules.words, self.rules.squeeze && (state.after_space || !self.rules.words));
        while trims && out.len > 0 && out.bytes[out.len - 1] == b' ' {
            out.len -= 1;
            if origins {
                let last = out.origins.pop().unwrap_or(consumed);
                consumed = if words { consumed } else { last };
            }
            trims = !words;
        }
        if self.rules.suffix {
            out.reserve(4);
            out.push(b' ', us(consumed), origins);
        }
        if origins {
            out.origins.push(consumed);
        }
        out.pad();
    }

    /// One chunk at `at`: what it becomes (spaces not yet escaped) and how many bytes it takes. This is the definition.
    fn step<'a>(&'a self, text: &'a [u8], at: usize, origins: bool) -> (&'a [u8], usize) {
        let rest = &text[at..];
        if (origins || self.shields_text) && !self.shield.is_empty() {
            let most = if self.prefixes { usize::MAX } else { MAX_SHIELD_MATCHES };
            if let Some((length, _)) = self.shield.view().longest_prefix(rest, most) {
                return (&rest[..length], length);
            }
        }
        if let Some((length, target)) = Charsmap::new(&self.charsmap).and_then(|map| map.longest(rest)) {
            return (target, length);
        }
        match valid_character(rest) {
            Some(length) => (&rest[..length], length),
            None => (REPLACEMENT, 1),
        }
    }
}

/// The user-defined symbols that text can contain, or all their prefixes, sorted.
fn shielded_symbols(spec: &Spec) -> Vec<&[u8]> {
    let vocab = &spec.vocab;
    let added = spec.added_symbols();
    let ids = vocab.ids_of(Kind::UserDefined).filter(|id| !spec.matches_all() && !added.contains(id));
    let mut symbols: Vec<&[u8]> = ids.map(|id| vocab.piece(id)).collect();
    if spec.matches_unused() {
        symbols = symbols.iter().flat_map(|symbol| (1..=symbol.len()).map(|length| &symbol[..length])).collect();
    }
    symbols.sort_unstable();
    symbols.dedup();
    symbols
}

/// Whether shielding changes text. Without a map a shielded symbol is unchanged anyway, unless it contains spaces that
/// would be squeezed.
fn shields_text(spec: &Spec, symbols: &[&[u8]]) -> bool {
    let squeezed = || spec.config.remove_extra_whitespaces && symbols.iter().any(|symbol| symbol.contains(&b' '));
    !symbols.is_empty() && (!spec.charsmap.is_empty() || squeezed())
}
