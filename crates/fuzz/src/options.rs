//! The command line.

/// The text of `--help`.
pub const USAGE: &str =
    "anypiece-fuzz [--seed N] [--seconds N] [--first CASE] [--trace] [--keep FOLDER] [--replay FILE]";

/// The options of a run.
pub struct Options {
    /// The seed that determines all cases.
    pub seed: u64,
    /// The duration of the run in seconds.
    pub seconds: u64,
    /// The number of the first case.
    pub first: u64,
    /// Whether to print each case's number, to find one that aborts the process.
    pub trace: bool,
    /// The folder for findings.
    pub keep: String,
    /// A file of findings to run instead.
    pub replay: Option<String>,
}

impl Options {
    /// From the arguments, or the error in them.
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
