//! The command line.

/// What `--help` says.
pub const USAGE: &str =
    "anypiece-fuzz [--seed N] [--seconds N] [--first CASE] [--trace] [--keep FOLDER] [--replay FILE]";

/// What a run was asked to do.
pub struct Options {
    /// Everything follows from it.
    pub seed: u64,
    /// How long to run.
    pub seconds: u64,
    /// The number of the first case.
    pub first: u64,
    /// Whether to say each case's number, to find one that ends the process.
    pub trace: bool,
    /// Where findings are kept.
    pub keep: String,
    /// A file of findings to run instead.
    pub replay: Option<String>,
}

impl Options {
    /// From the arguments, or what is wrong with them.
    pub fn parse(arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let keep = ".cache/fuzz".to_owned();
        let mut options = Self { seed: 1, seconds: 300, first: 0, trace: false, keep, replay: None };
        let mut arguments = arguments.flat_map(|argument| match argument.split_once('=') {
            Some((name, value)) if name.starts_with("--") => vec![name.to_owned(), value.to_owned()],
            _ => vec![argument],
        });
        while let Some(name) = arguments.next() {
            let mut value = || arguments.next().ok_or(format!("{name} needs a value"));
            let number = |value: String| value.parse::<u64>().map_err(|_| format!("{value:?} is not a whole number"));
            match name.as_str() {
                "--seed" => options.seed = number(value()?)?,
                "--seconds" => options.seconds = number(value()?)?,
                "--first" => options.first = number(value()?)?,
                "--trace" => options.trace = true,
                "--keep" => options.keep = value()?,
                "--replay" => options.replay = Some(value()?),
                _ => return Err(format!("there is no option {name}")),
            }
        }
        Ok(options)
    }
}
