//! Tries, tables and columns. They know bytes and numbers, nothing of tokens.

pub mod bitmap;
pub mod column;
pub mod long_table;
pub mod names;
pub mod prefetch;
pub mod table;
pub mod trie;
