//! Normalization as a list of named steps, each of which rewrites the output of the one before it.
//!
//! The steps and the ranges they report are those of `tokenizers`. Text that a step leaves unchanged is copied in
//! blocks.

pub(crate) mod charsmap;
pub(crate) mod draft;
pub(crate) mod filters;
pub(crate) mod forms;
pub(crate) mod local;
pub(crate) mod marks_table;
pub(crate) mod newer;
pub(crate) mod words;

pub use crate::normalize::steps::draft::{Draft, Editor, Span};
pub use crate::normalize::steps::filters::is_chinese;
use crate::normalize::steps::forms::Form;
use crate::pattern::{Matcher, Room, Stretch};
use crate::spec::stages::Step;
use crate::spec::{setting_error, Spec};
use crate::util::allowance::Bounds;
use crate::util::{Column, Result};

/// Maximum bytes of a text that a step inserts.
pub const MAX_CONTENT: usize = 1024;

/// The steps of a Spec, compiled.
#[derive(Default)]
pub struct Steps {
    steps: Vec<Compiled>,
    charsmap: Column<u8>,
}

pub(crate) enum Compiled {
    Local(Box<local::Local>),
    Form(Form),
    /// Maps each character by itself.
    Filter(fn(&mut Drafts) -> Result<()>),
    Strip(bool, bool),
    Replace(Matcher, String),
    Prepend(String),
    Charsmap(charsmap::Roles),
    Words(words::Words),
}

/// Two buffers that the steps write to alternately, and matches.
#[derive(Default)]
pub struct Drafts {
    /// The current text.
    pub now: Draft,
    /// The output of the current step.
    pub next: Draft,
    /// Matches of a pattern.
    pub stretches: Vec<Stretch>,
    /// Drafts of parts of a text.
    inner: Option<Box<Drafts>>,
    /// The bounds on length and work.
    pub bounds: Bounds,
}

impl Drafts {
    /// Begins with a text; see [`Draft::begin`].
    pub fn begin(&mut self, text: &[u8], tracked: bool) {
        self.bounds = Bounds::of(text.len());
        self.now.begin(text, tracked);
    }

    /// Lets `write` make the next text from the current one, unless that becomes too long.
    pub fn edit(&mut self, write: impl FnOnce(Editor<'_>)) -> Result<()> {
        write(Editor::new(&self.now, &mut self.next, self.bounds.most));
        if self.next.is_short {
            return Err(self.bounds.too_long());
        }
        std::mem::swap(&mut self.now, &mut self.next);
        Ok(())
    }
}

impl Steps {
    /// Compiles the steps of a Spec whose character map was checked.
    pub fn build(spec: &Spec, room: &mut Room) -> Result<Self> {
        let mut steps = Vec::new();
        for step in &spec.config.normalizer {
            compile(step, &spec.charsmap, room, &mut steps)?;
        }
        let used = steps.iter().any(|step| matches!(step, Compiled::Charsmap(_)));
        let charsmap = if used { Column::Owned(spec.charsmap.to_vec()) } else { Column::default() };
        Ok(Self { steps: local::joined(steps), charsmap })
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Whether they only compose: every part of a text that they leave unchanged is unchanged by itself.
    pub fn only_compose(&self) -> bool {
        matches!(&self.steps[..], [Compiled::Form(Form::Nfc | Form::Nfc14 | Form::Nfkc)])
    }

    /// Rewrites `drafts.now`.
    pub fn run(&self, drafts: &mut Drafts) -> Result<()> {
        self.run_all(&self.steps, drafts)
    }

    fn run_all(&self, steps: &[Compiled], drafts: &mut Drafts) -> Result<()> {
        for step in steps {
            drafts.bounds.spend(drafts.now.text.len())?;
            match step {
                Compiled::Local(local) if drafts.now.tracked => self.run_all(&local.steps, drafts)?,
                Compiled::Local(local) => local.run(drafts, |drafts| self.run_all(&local.steps, drafts))?,
                Compiled::Form(form) => forms::run(*form, drafts)?,
                Compiled::Filter(filter) => filter(drafts)?,
                Compiled::Strip(left, right) => filters::strip(*left, *right, drafts)?,
                Compiled::Replace(matcher, content) => replace(matcher, content, drafts)?,
                Compiled::Prepend(text) => filters::prepend(text, drafts)?,
                Compiled::Charsmap(roles) => charsmap::run(&self.charsmap, roles, drafts)?,
                Compiled::Words(words) => words.run(drafts)?,
            }
        }
        Ok(())
    }
}

fn compile(step: &Step, map: &[u8], room: &mut Room, steps: &mut Vec<Compiled>) -> Result<()> {
    steps.push(match step {
        Step::Nfc {} => Compiled::Form(Form::Nfc),
        Step::Nfc14 {} => Compiled::Form(Form::Nfc14),
        Step::Nfd {} => Compiled::Form(Form::Nfd),
        Step::Nfkc {} => Compiled::Form(Form::Nfkc),
        Step::Nfkd {} => Compiled::Form(Form::Nfkd),
        Step::Lowercase {} => Compiled::Filter(filters::lowercase),
        Step::Strip { left, right } => Compiled::Strip(*left, *right),
        Step::StripAccents {} => Compiled::Filter(filters::strip_accents),
        Step::Replace { pattern, content } => Compiled::Replace(pattern.compile(room)?, checked(content)?),
        Step::Prepend { text } => Compiled::Prepend(checked(text)?),
        Step::Charsmap {} => Compiled::Charsmap(charsmap::Roles::of(map)),
        Step::Nmt {} => Compiled::Filter(filters::nmt),
        Step::Words { lowercase, strip_accents } => Compiled::Words(words::Words::new(*lowercase, *strip_accents)),
        Step::Bert { clean_text, handle_chinese_chars, strip_accents, lowercase } => {
            let strips = strip_accents.unwrap_or(*lowercase);
            steps.extend(clean_text.then_some(Compiled::Filter(filters::clean)));
            steps.extend(handle_chinese_chars.then_some(Compiled::Filter(filters::chinese)));
            steps.extend(strips.then_some(Compiled::Form(Form::Nfd)));
            steps.extend(strips.then_some(Compiled::Filter(filters::strip_nonspacing)));
            steps.extend(lowercase.then_some(Compiled::Filter(filters::lowercase)));
            return Ok(());
        }
    });
    Ok(())
}

fn checked(content: &str) -> Result<String> {
    if content.len() <= MAX_CONTENT {
        return Ok(content.to_owned());
    }
    let what = format!("has a step that puts in more than {MAX_CONTENT} bytes; shorten that text");
    Err(setting_error("normalizer", &what))
}

/// Replaces every match; the replacement has the origin of the last byte of the match.
pub fn replace(matcher: &Matcher, content: &str, drafts: &mut Drafts) -> Result<()> {
    let mut stretches = std::mem::take(&mut drafts.stretches);
    stretches.clear();
    matcher.stretches(&drafts.now.text, &mut stretches)?;
    if stretches.iter().any(|stretch| stretch.matched) {
        drafts.edit(|mut editor| {
            for stretch in stretches.iter().filter(|stretch| stretch.matched) {
                editor.keep_to(stretch.start);
                editor.put(content, stretch.end.checked_sub(1));
                editor.skip(stretch.end - stretch.start);
            }
            editor.finish();
        })?;
    }
    drafts.stretches = stretches;
    Ok(())
}
