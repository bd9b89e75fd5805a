//! `.anypiece`: a compiled tokenizer as one file that needs no compilation when it is read.
//!
//! Little-endian. Magic, version, number of sections, checksum of the header; then for each section its id, offset,
//! length and checksum; then the sections, each at a multiple of 64 bytes. Header and bounds are checked at every load,
//! the sections' checksums on request. Reading a section is memory-safe whatever its contents; only the checksum
//! detects damage.

use std::sync::Arc;

use bytemuck::{cast_slice, pod_collect_to_vec, pod_read_unaligned, Pod};
use xxhash_rust::xxh3::xxh3_64;

use crate::index::double_array::Trie;
use crate::index::pair_map::Pairs;
use crate::normalize::charsmap::Charsmap;
use crate::normalize::classes::Classes;
use crate::normalize::Normalizer;
use crate::segment::bpe::merge_list::Merges;
use crate::segment::bpe::Bpe;
use crate::segment::fallback::Fallback;
use crate::segment::greedy::Greedy;
use crate::segment::lookup::Lookup;
use crate::segment::plamo::Plamo;
use crate::segment::unigram::Unigram;
use crate::segment::word_level::WordLevel;
use crate::segment::wordpiece::Wordpiece;
use crate::segment::{Algorithm, Forms, Segmenter};
use crate::spec::added::Added;
use crate::spec::vocab::{Kind, Vocab};
use crate::spec::{Config, SegmenterKind, Spec};
use crate::tokenizer::Tokenizer;
use crate::units::bigrams::Bigrams;
use crate::units::boundary::Cuts;
use crate::units::char_ids::CharTable;
use crate::units::{cut_rule, has_pairs, Units};
use crate::util::column::{Buffer, Column};
use crate::util::{low32, u32_of, u64_of, us, us64, Error, Result};

/// The first eight bytes.
pub const MAGIC: &[u8; 8] = b"ANYPIECE";
/// The version written, and the newest that can be read.
pub const VERSION: u32 = 6;

const HEADER: usize = 24;
const ROW: usize = 32;
const ALIGN: usize = 64;

/// Sections by their number in the file; their order there is irrelevant.
#[derive(Clone, Copy)]
enum Section {
    Config = 1,
    Blob,
    Offsets,
    Scores,
    Kinds,
    Charsmap,
    Denormalizer,
    Trie,
    Frozen,
    Reserved,
    EdgeScores,
    ScoreBounds,
    CutsAscii,
    Bigrams,
    Classes,
    ClassesAscii,
    Shield,
    Extra,
    Images,
    CodePointMap,
    CharIds,
    AddedBlob,
    AddedOffsets,
    AddedIds,
    AddedFlags,
    Merges,
    MergePairs,
    MergedPieces,
    Couples,
    Threes,
}

impl Section {
    #[allow(clippy::as_conversions)]
    const fn id(self) -> u32 {
        self as u32
    }
}

/// Writes a tokenizer, with extra bytes of the caller.
pub fn write(tokenizer: &Tokenizer, extra: &[u8]) -> Vec<u8> {
    let spec = &tokenizer.spec;
    let config = spec.config.to_json().into_bytes();
    let (shield, classes) = (&tokenizer.normalizer.shield, &tokenizer.normalizer.classes);
    let (class_chars, images, class_ascii) = classes.to_columns();
    let Cuts { ascii, char_table, .. } = &tokenizer.units.cuts;
    let CharTable { pages, char_ids, neighbours, .. } = char_table;
    let bounds;
    let mut sections: Vec<(Section, &[u8])> = vec![
        (Section::Config, &config),
        (Section::Blob, &spec.vocab.blob),
        (Section::Offsets, spec.vocab.offsets.as_bytes()),
        (Section::Scores, spec.vocab.score_bytes()),
        (Section::Kinds, &spec.vocab.kinds),
        (Section::Charsmap, &spec.charsmap),
        (Section::Denormalizer, &spec.denormalizer),
        (Section::CutsAscii, ascii.as_bytes()),
        (Section::CodePointMap, pages.as_bytes()),
        (Section::CharIds, char_ids.as_bytes()),
        (Section::Bigrams, neighbours.pairs.as_bytes()),
        (Section::Couples, neighbours.bigrams.as_bytes()),
        (Section::Threes, neighbours.trigrams.as_bytes()),
        (Section::Classes, class_chars),
        (Section::ClassesAscii, &class_ascii),
        (Section::Images, images.as_bytes()),
        (Section::Shield, shield.nodes.as_bytes()),
        (Section::AddedBlob, &spec.added.blob),
        (Section::AddedOffsets, spec.added.offsets.as_bytes()),
        (Section::AddedIds, spec.added.ids.as_bytes()),
        (Section::AddedFlags, &spec.added.flags),
        (Section::Extra, extra),
        (Section::Merges, spec.merges.as_bytes()),
    ];
    match &tokenizer.units.segmenter.algorithm {
        Algorithm::Unigram(unigram) => {
            bounds = [unigram.unknown, unigram.largest];
            sections.push((Section::Trie, unigram.trie.nodes.as_bytes()));
            sections.push((Section::EdgeScores, unigram.scores.as_bytes()));
            sections.push((Section::ScoreBounds, cast_slice(&bounds)));
        }
        Algorithm::Bpe(bpe) => {
            sections.push((Section::Trie, bpe.trie.nodes.as_bytes()));
            sections.push((Section::Frozen, bpe.frozen.nodes.as_bytes()));
            sections.push((Section::Reserved, bpe.reserved.nodes.as_bytes()));
        }
        Algorithm::Merges(merges) => {
            sections.push((Section::Trie, merges.whole.nodes.as_bytes()));
            sections.push((Section::MergedPieces, merges.pieces.nodes.as_bytes()));
            sections.push((Section::MergePairs, merges.pairs.slots.as_bytes()));
        }
        Algorithm::Lookup(_) => {}
        Algorithm::Wordpiece(wordpiece) => sections.push((Section::Trie, wordpiece.trie.nodes.as_bytes())),
        Algorithm::WordLevel(words) => sections.push((Section::Trie, words.trie.nodes.as_bytes())),
        Algorithm::Greedy(greedy) => sections.push((Section::Trie, greedy.trie.nodes.as_bytes())),
        Algorithm::Plamo(plamo) => sections.push((Section::Trie, plamo.trie.nodes.as_bytes())),
    }
    assemble(&sections)
}

fn assemble(sections: &[(Section, &[u8])]) -> Vec<u8> {
    let mut rows: Vec<[u64; 4]> = Vec::new();
    let mut offset = (HEADER + ROW * sections.len()).next_multiple_of(ALIGN);
    for (section, bytes) in sections {
        rows.push([u64::from(section.id()), u64_of(offset), u64_of(bytes.len()), xxh3_64(bytes)]);
        offset = (offset + bytes.len()).next_multiple_of(ALIGN);
    }
    let rows: &[u8] = cast_slice(&rows);
    let mut out = Vec::with_capacity(offset);
    out.extend(MAGIC);
    out.extend(VERSION.to_le_bytes());
    out.extend(u32_of(sections.len()).to_le_bytes());
    out.extend(xxh3_64(rows).to_le_bytes());
    out.extend(rows);
    for (_, bytes) in sections {
        out.resize(out.len().next_multiple_of(ALIGN), 0);
        out.extend_from_slice(bytes);
    }
    out.resize(out.len().next_multiple_of(ALIGN), 0);
    out
}

/// A file whose header was checked.
pub struct Stored {
    owner: Arc<Buffer>,
    sections: Vec<(u32, usize, usize, u64)>,
}

fn corrupt(what: &str) -> Error {
    Error::new("file-corrupt", format!("the .anypiece file is damaged: {what}; write it again from its source"))
        .with("what", what)
}

impl Stored {
    /// Checks header and bounds.
    pub fn open(owner: Buffer) -> Result<Self> {
        let bytes = owner.bytes();
        let header = bytes
            .first_chunk::<HEADER>()
            .ok_or_else(|| Error::new("file-truncated", "the file ends within its header"))?;
        if &header[..8] != MAGIC {
            return Err(Error::new("format-unknown", "the file does not begin with ANYPIECE"));
        }
        let [_, _, version, count, low, high] = pod_read_unaligned::<[u32; 6]>(header);
        if version != VERSION {
            let message = format!(
                "the file has version {version}, this release reads {VERSION}; upgrade anypiece or write it again"
            );
            return Err(Error::new("file-version", message).with("version", version));
        }
        let rows = us(count)
            .checked_mul(ROW)
            .and_then(|length| bytes.get(HEADER..HEADER + length))
            .ok_or_else(|| Error::new("file-truncated", "the file ends within its section table"))?;
        let wanted = u64::from(low) | u64::from(high) << 32;
        if xxh3_64(rows) != wanted {
            return Err(corrupt("its section table does not match its checksum"));
        }
        let mut sections = Vec::new();
        for [id, offset, length, checksum] in pod_collect_to_vec::<u8, [u64; 4]>(rows) {
            let (offset, length) = (us64(offset), us64(length));
            if offset.checked_add(length).is_none_or(|end| end > bytes.len()) {
                return Err(Error::new("file-truncated", "a section runs past the end of the file"));
            }
            sections.push((low32(id), offset, length, checksum));
        }
        Ok(Self { owner: Arc::new(owner), sections })
    }

    /// Compares every section with its checksum.
    pub fn verify(&self) -> Result<()> {
        for &(id, offset, length, checksum) in &self.sections {
            if xxh3_64(&self.owner.bytes()[offset..offset + length]) != checksum {
                return Err(Error::new("checksum-mismatch", format!("section {id} of the .anypiece file is damaged"))
                    .with("section", id));
            }
        }
        Ok(())
    }

    /// The caller's bytes.
    pub fn extra(&self) -> &[u8] {
        match self.find(Section::Extra) {
            Some((offset, length)) => &self.owner.bytes()[offset..offset + length],
            None => &[],
        }
    }

    fn find(&self, section: Section) -> Option<(usize, usize)> {
        self.sections.iter().find(|row| row.0 == section.id()).map(|row| (row.1, row.2))
    }

    fn column<T: Pod>(&self, section: Section) -> Result<Column<T>> {
        let Some((offset, length)) = self.find(section) else { return Ok(Column::default()) };
        if length % size_of::<T>() != 0 {
            return Err(corrupt("a section has an odd length"));
        }
        Column::view(&self.owner, offset, length / size_of::<T>()).ok_or_else(|| corrupt("a section is not aligned"))
    }

    fn trie(&self, section: Section) -> Result<Trie> {
        Ok(Trie::from_nodes(self.column(section)?))
    }

    /// Assembles the tokenizer.
    pub fn tokenizer(&self, cache_slots: usize) -> Result<Tokenizer> {
        let config: Column<u8> = self.column(Section::Config)?;
        let config =
            Config::from_json(std::str::from_utf8(&config).map_err(|_| corrupt("its settings are not UTF-8"))?)?;
        let kinds: Column<u8> = self.column(Section::Kinds)?;
        let (blob, offsets) = (self.column(Section::Blob)?, self.column(Section::Offsets)?);
        let has_doubles = self.find(Section::Scores).is_some_and(|(_, length)| length == 8 * kinds.len());
        let vocab = Arc::new(match has_doubles {
            true => Vocab::with_doubles(blob, offsets, self.column(Section::Scores)?, kinds),
            false => Vocab::new(blob, offsets, self.column(Section::Scores)?, kinds),
        });
        let (charsmap, denormalizer) = (self.column(Section::Charsmap)?, self.column(Section::Denormalizer)?);
        let added = Added {
            blob: self.column(Section::AddedBlob)?,
            offsets: self.column(Section::AddedOffsets)?,
            ids: self.column(Section::AddedIds)?,
            flags: self.column(Section::AddedFlags)?,
        };
        let merges = Arc::new(self.column(Section::Merges)?);
        let spec = Spec { config, vocab, merges, charsmap, denormalizer, added };
        spec.check_columns()?;
        spec.added.check(spec.vocab.len())?;
        spec.check_stages()?;
        spec.check_special_ids()?;
        spec.check_decoder()?;
        if spec.vocab.kinds.iter().any(|&number| Kind::from_number(number).is_none()) {
            return Err(corrupt("a piece has a kind that does not exist"));
        }
        Charsmap::check(&spec.charsmap, "charsmap")?;
        Charsmap::check(&spec.denormalizer, "denormalizer")?;
        let normalizer = self.normalizer(&spec)?;
        let units = self.units(&spec)?;
        Tokenizer::from_parts(spec, normalizer, units, cache_slots)
    }

    fn normalizer(&self, spec: &Spec) -> Result<Normalizer> {
        let extra: Column<u8> = self.column(Section::ClassesAscii)?;
        let classes = Classes::from_columns(self.column(Section::Classes)?, self.column(Section::Images)?, &extra)
            .ok_or_else(|| corrupt("its classes are odd"))?;
        Ok(Normalizer::from_parts(spec, self.column(Section::Charsmap)?, self.trie(Section::Shield)?, classes))
    }

    fn units(&self, spec: &Spec) -> Result<Units> {
        let fallback = Fallback::build(spec);
        let trie = self.trie(Section::Trie)?;
        let algorithm = match spec.config.segmenter {
            SegmenterKind::Unigram => {
                let scores: Column<f32> = self.column(Section::EdgeScores)?;
                let bounds: Column<f32> = self.column(Section::ScoreBounds)?;
                let &[unknown, largest] = &bounds[..] else { return Err(corrupt("its scores have no bounds")) };
                if scores.len() != spec.vocab.len() {
                    return Err(corrupt("its scores do not fit the vocabulary"));
                }
                Algorithm::Unigram(Unigram::from_parts(trie, scores, [unknown, largest], spec, &fallback))
            }
            SegmenterKind::Bpe if spec.has_merges() => {
                let pairs = Pairs::from_slots(self.column(Section::MergePairs)?);
                Algorithm::Merges(Merges::from_parts(pairs, trie, self.trie(Section::MergedPieces)?, spec))
            }
            SegmenterKind::Bpe => {
                Algorithm::Bpe(Bpe::from_parts(trie, self.trie(Section::Frozen)?, self.trie(Section::Reserved)?, spec))
            }
            SegmenterKind::Char | SegmenterKind::Word => {
                Algorithm::Lookup(Lookup::build(spec, &Forms::of(spec, |kind| spec.matches(kind)))?)
            }
            SegmenterKind::Wordpiece => Algorithm::Wordpiece(Wordpiece::from_parts(trie, spec)),
            SegmenterKind::WordLevel => Algorithm::WordLevel(WordLevel::from_parts(trie, spec)),
            SegmenterKind::Greedy => Algorithm::Greedy(Greedy::from_parts(trie, spec)),
            SegmenterKind::Plamo => Algorithm::Plamo(Plamo::from_parts(trie, spec)),
        };
        let segmenter = Segmenter::new(algorithm, fallback);
        if !has_pairs(spec) {
            return Ok(Units::new(segmenter, &spec.config, Cuts::default()));
        }
        let (pages, char_ids) = (self.column(Section::CodePointMap)?, self.column(Section::CharIds)?);
        let sets = [self.column(Section::Bigrams)?, self.column(Section::Couples)?, self.column(Section::Threes)?];
        let cuts = Bigrams::from_columns(sets)
            .and_then(|neighbours| CharTable::from_columns(pages, char_ids, neighbours))
            .and_then(|char_table| {
                Cuts::from_columns(cut_rule(spec), self.column(Section::CutsAscii).ok()?, char_table)
            })
            .ok_or_else(|| corrupt("its cut points are odd"))?;
        Ok(Units::new(segmenter, &spec.config, cuts))
    }
}
