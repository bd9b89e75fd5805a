use std::path::{Path, PathBuf};

use crate::training::word_file::{load, Merge, Writer};
use crate::training::words::Words;

fn written(name: &str, rows: &[(&str, u64)]) -> PathBuf {
    written_in_order(name, rows, None)
}

fn written_in_order(name: &str, rows: &[(&str, u64)], order: Option<(&[u64], u64)>) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("anypiece-words-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join(name);
    let mut writer = Writer::create(&path, b"{}", order.map(|order| order.1)).unwrap();
    for (index, (word, count)) in rows.iter().enumerate() {
        writer.push(word.as_bytes(), *count, order.map_or(0, |order| order.0[index])).unwrap();
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
}

#[test]
fn merging_adds() {
    let paths = [written("m1", &[("a", 1), ("c", 2)]), written("m2", &[("a", 3), ("b", 4)]), written("m3", &[])];
    let paths: Vec<&Path> = paths.iter().map(PathBuf::as_path).collect();
    let mut found = Vec::new();
    let merge = Merge::open(&paths).unwrap();
    assert_eq!(merge.read(), None);
    merge
        .each(|word, count, first| {
            found.push((word.to_vec(), count, first));
            Ok(())
        })
        .unwrap();
    assert_eq!(found, [(b"a".to_vec(), 4, 0), (b"b".to_vec(), 4, 0), (b"c".to_vec(), 2, 0)]);
}

#[test]
fn merged_tables_are_read_one_after_the_other() {
    let one = written_in_order("o1", &[("b", 1), ("c", 2)], Some((&[2, 0], 3)));
    let two = written_in_order("o2", &[("a", 3), ("b", 4)], Some((&[5, 1], 7)));
    let (words, _) = load(&two, u64::MAX).unwrap();
    assert_eq!((words.firsts(), words.read()), (Some(&[5, 1][..]), Some(7)));
    let firsts = |paths: &[&Path]| {
        let (merge, mut firsts) = (Merge::open(paths).unwrap(), Vec::new());
        let read = merge.read();
        merge
            .each(|_, _, first| {
                firsts.push(first);
                Ok(())
            })
            .unwrap();
        (firsts, read)
    };
    assert_eq!(firsts(&[&one, &two]), (vec![8, 2, 0], Some(10)));
    assert_eq!(firsts(&[&two, &one]), (vec![5, 1, 7], Some(10)));
    let plain = written("o3", &[("b", 1)]);
    assert_eq!(firsts(&[&one, &plain]).1, None);
}

#[test]
fn places_that_are_none_are_refused() {
    let path = written("places", &[]);
    for (read, first) in [(1, 1), (0, 0)] {
        let mut writer = Writer::create(&path, b"", Some(read)).unwrap();
        assert!(writer.push(b"a", 1, first).is_err(), "{read:?} {first:?}");
    }
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
    let rows = [("anna", 1), ("annabel", 900), ("b", 3)];
    for order in [None, Some((&[300, 0, 1][..], 1000))] {
        assert_damage_is_noticed(&written_in_order("damaged", &rows, order));
    }
}

fn assert_damage_is_noticed(path: &Path) {
    let bytes = std::fs::read(path).unwrap();
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
    let mut writer = Writer::create(&path, b"", None).unwrap();
    writer.push(b"b", 1, 0).unwrap();
    assert!(writer.push(b"a", 1, 0).is_err());
    assert!(writer.push(b"b", 1, 0).is_err());
}
