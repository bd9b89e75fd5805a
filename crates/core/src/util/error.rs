//! One error type: a stable code, a message that names the remedy, and the facts it was made of.

use std::fmt;

/// What went wrong. `code` is stable and listed in the Python table of codes.
#[derive(Debug, Clone, PartialEq)]
pub struct Error {
    code: &'static str,
    message: String,
    facts: Vec<(&'static str, serde_json::Value)>,
}

/// The result of everything that can fail.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// An error with a code from the table and a message for a person.
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), facts: Vec::new() }
    }

    /// Adds a fact, so that a caller needs not parse the message.
    pub fn with(mut self, name: &'static str, value: impl Into<serde_json::Value>) -> Self {
        self.facts.push((name, value.into()));
        self
    }

    /// The stable code.
    pub const fn code(&self) -> &'static str {
        self.code
    }

    /// The message.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The facts as one JSON object.
    pub fn facts_json(&self) -> String {
        let object: serde_json::Map<String, serde_json::Value> =
            self.facts.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        serde_json::Value::Object(object).to_string()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.code, self.message)
    }
}

impl std::error::Error for Error {}
