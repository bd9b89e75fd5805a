//! Tries, tables and columns. They know bytes and numbers, nothing of tokens.

pub mod aho_corasick;
pub mod code_point_map;
pub mod double_array;
pub mod long_table;
pub mod pair_map;
pub mod probing;
pub mod root_pairs;
pub mod string_index;
pub mod table;
