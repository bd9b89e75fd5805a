use std::path::{Path, PathBuf};

use super::{load, merged, Reader, Writer};
use crate::training::words::Words;

fn written(name: &str, rows: &[(&str, u64)]) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("anypiece-words-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join(name);
    let mut writer = Writer::create(&path, b"{}").unwrap();
    for (word, count) in rows {
        writer.push(word.as_bytes(), *count).unwrap();
    }
    writer.finish().unwrap();
    path
}

fn rows(words: &Words) -> Vec<(String, u64)> {
    words.iter().map(|(word, count)| (String::from_utf8(word.to_vec()).unwrap(), count)).collect()
}

#[test]
fn what_is_written_is_read() {
    let long = "x".repeat(100_000);
    let table = [("a", 1), ("ab", u64::MAX / 2), ("abc", 300), ("b", 128), (long.as_str(), 7), ("▁é", 127)];
    let path = written("one", &table);
    let (words, left) = load(&path, u64::MAX).unwrap();
    assert_eq!(rows(&words), table.map(|(word, count)| (word.to_owned(), count)).to_vec());
    assert_eq!((left.least, left.words, left.count), (1, 0, 0));
    assert_eq!(Reader::open(&path).unwrap().header(), b"{}");
}

#[test]
fn merging_adds() {
    let paths = [written("m1", &[("a", 1), ("c", 2)]), written("m2", &[("a", 3), ("b", 4)]), written("m3", &[])];
    let paths: Vec<&Path> = paths.iter().map(PathBuf::as_path).collect();
    let mut found = Vec::new();
    merged(&paths, |word, count| {
        found.push((word.to_vec(), count));
        Ok(())
    })
    .unwrap();
    assert_eq!(found, [(b"a".to_vec(), 4), (b"b".to_vec(), 4), (b"c".to_vec(), 2)]);
}

#[test]
fn the_rarest_are_left_out_where_all_do_not_fit() {
    let path = written("rare", &[("aa", 1), ("bb", 5), ("cc", 1), ("dd", 2)]);
    let (words, left) = load(&path, 40).unwrap();
    assert_eq!(rows(&words), [("bb".to_owned(), 5), ("dd".to_owned(), 2)]);
    assert_eq!((left.least, left.words, left.count), (2, 2, 2));
}

#[test]
fn every_damaged_byte_and_every_cut_is_noticed() {
    let path = written("damaged", &[("anna", 1), ("annabel", 900), ("b", 3)]);
    let bytes = std::fs::read(&path).unwrap();
    let other = path.with_extension("other");
    for at in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 0x55;
        std::fs::write(&other, &changed).unwrap();
        assert!(load(&other, u64::MAX).is_err(), "byte {at}");
        std::fs::write(&other, &bytes[..at]).unwrap();
        assert!(load(&other, u64::MAX).is_err(), "cut at {at}");
    }
    std::fs::write(&other, [bytes, vec![0]].concat()).unwrap();
    assert!(load(&other, u64::MAX).is_err());
}

#[test]
fn words_out_of_order_are_refused() {
    let path = written("order", &[]);
    let mut writer = Writer::create(&path, b"").unwrap();
    writer.push(b"b", 1).unwrap();
    assert!(writer.push(b"a", 1).is_err());
    assert!(writer.push(b"b", 1).is_err());
}
