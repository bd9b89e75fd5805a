//! Tries, tables and columns. They know bytes and numbers, nothing of tokens.

pub mod automaton;
pub mod column;
pub mod growing;
pub mod lanes;
pub mod lazy;
pub mod long_table;
pub mod names;
pub mod openings;
pub mod pages;
pub mod pairs;
pub mod prefetch;
pub mod table;
pub mod trie;
pub mod zeroed;
