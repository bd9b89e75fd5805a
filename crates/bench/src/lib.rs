//! The inputs of the kernel's benchmarks: stored tokenizers, each with a text.

use std::error::Error;
use std::path::{Path, PathBuf};

use anypiece_core::util::column::Buffer;
use anypiece_core::{Stored, Tokenizer};

/// The environment variable that names the folder of inputs, which `python -m benchmarks.kernel` writes.
pub const FOLDER: &str = "ANYPIECE_BENCH_INPUTS";
/// Slots of the unit cache, as in the Python package.
pub const CACHE_SLOTS: usize = 1 << 18;

/// A tokenizer with a text of its kind.
pub struct Case {
    /// The stem of the two files.
    pub name: String,
    /// The stored tokenizer.
    pub tokenizer: Tokenizer,
    /// The documents of the text, about 2 kB each.
    pub documents: Vec<Vec<u8>>,
}

impl Case {
    /// Opens `name.anypiece` and `name.txt`, whose documents are separated by NUL.
    fn open(path: &Path) -> Result<Self, Box<dyn Error>> {
        let tokenizer = Stored::open(Buffer::read(path)?)?.tokenizer(CACHE_SLOTS)?;
        let text = Buffer::read(&path.with_extension("txt"))?;
        let documents = text.bytes().split(|&byte| byte == 0).map(<[u8]>::to_vec).collect();
        let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        Ok(Self { name, tokenizer, documents })
    }

    /// All cases of the folder, by name.
    pub fn all() -> Result<Vec<Self>, Box<dyn Error>> {
        let folder = std::env::var_os(FOLDER).map(PathBuf::from).unwrap_or_default();
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let is_stored = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "anypiece");
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_stored).collect();
        paths.sort();
        paths.iter().map(|path| Self::open(path)).collect()
    }

    /// The number of bytes of all documents.
    pub fn bytes(&self) -> u64 {
        self.documents.iter().map(|document| u64::try_from(document.len()).unwrap_or(0)).sum()
    }
}
