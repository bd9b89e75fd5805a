//! The kernel's tokenizer as a Python class. Policy and documentation are in `tokenizer.py`.

use std::path::Path;
use std::sync::Arc;

use anypiece_core::batch;
use anypiece_core::spec::added::Added;
use anypiece_core::spec::vocab::Vocab;
use anypiece_core::store;
use anypiece_core::util::cast::{i64_of, us};
use anypiece_core::util::column::{Buffer, Column, Pod};
use anypiece_core::CharCounter;
use anypiece_core::Invalid;
use anypiece_core::Stored;
use anypiece_core::{outer, valid_character};
use anypiece_core::{Config, Scratch, Spec, Tokenizer as Kernel};
use anypiece_guarded::guarded;
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};

use crate::arrays::array;
use crate::error::{fail, raise};
use crate::numbers::list;
use crate::scratch_guard::{run, SHORT};
use crate::spans::{shown_rows, span_rows, ShownRows};
use crate::streams::{BatchStreamDecoder, StreamDecoder, StreamEncoder};
use crate::text::{ids as ids_of, is_long_ascii, lone_surrogate, Permitted, Text};

pub const CACHE_SLOTS: usize = 262_144;

type SpecColumns<'py> = (String, Bound<'py, PyDict>);
pub type Permission<'a, 'py> = Option<&'a Bound<'py, PyAny>>;
pub type FlatBatch<'py> = (Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<i64>>);
type ChunkRow<'py> = (Bound<'py, PyBytes>, usize, usize);

/// A compiled Spec.
#[pyclass(frozen, module = "anypiece._native")]
pub struct Tokenizer {
    kernel: Arc<Kernel>,
    extra: Vec<u8>,
}

impl Tokenizer {
    /// The compiled Spec.
    pub fn kernel(&self) -> &Arc<Kernel> {
        &self.kernel
    }

    /// Encodes, and passes the ids to `receive`, which holds the GIL and copies them once.
    fn encode_into<T>(
        &self,
        py: Python<'_>,
        text: &Bound<'_, PyAny>,
        threads: usize,
        permit: Permission<'_, '_>,
        receive: impl FnOnce(&[u32]) -> PyResult<T>,
    ) -> PyResult<T> {
        let permitted = Permitted::of(permit)?;
        let permit = permitted.view();
        let (mut receive, is_ascii) = (receive, is_long_ascii(text));
        if threads == 1 {
            match self.by_code_points(py, text, is_ascii, permit, receive) {
                Ok(done) => return done,
                Err(unused) => receive = unused,
            }
        }
        let text = Text::borrow_known(text, is_ascii)?;
        let text = text.bytes();
        if threads > 1 {
            return receive(&py.detach(|| self.kernel.encode_threaded(text, permit, threads)).map_err(raise)?);
        }
        let mut guard = self.checkout();
        let scratch = guard.scratch();
        receive(run(py, text.len() < SHORT, || self.kernel.encode(text, permit, scratch))?)
    }
}

/// A column of a Spec by its name; empty if it is absent.
fn column<T: Pod>(columns: &Bound<'_, PyDict>, name: &str) -> PyResult<Column<T>> {
    let Some(bytes) = columns.get_item(name)? else { return Ok(Column::default()) };
    Column::copy_of(bytes.cast::<PyBytes>()?.as_bytes())
        .ok_or_else(|| fail("spec-pieces", format!("the column {name} is no multiple of its values' size")))
}

#[guarded]
#[pymethods]
impl Tokenizer {
    #[new]
    #[pyo3(signature = (config, columns, cache_slots = CACHE_SLOTS))]
    fn new(py: Python<'_>, config: &str, columns: &Bound<'_, PyDict>, cache_slots: usize) -> PyResult<Self> {
        let (blob, offsets, kinds) =
            (column(columns, "blob")?, column(columns, "offsets")?, column::<u8>(columns, "kinds")?);
        let has_doubles = column::<u8>(columns, "scores")?.len() == 8 * kinds.len();
        let vocab = Arc::new(match has_doubles {
            true => Vocab::with_doubles(blob, offsets, column(columns, "scores")?, kinds),
            false => Vocab::new(blob, offsets, column(columns, "scores")?, kinds),
        });
        let added = Added {
            blob: column(columns, "added_blob")?,
            offsets: column(columns, "added_offsets")?,
            ids: column(columns, "added_ids")?,
            flags: column(columns, "added_flags")?,
        };
        let config = Config::from_json(config).map_err(raise)?;
        let (charsmap, denormalizer) = (column(columns, "charsmap")?, column(columns, "denormalizer")?);
        let merges = Arc::new(column(columns, "merges")?);
        let spec = Spec { config, vocab, merges, charsmap, denormalizer, added };
        let kernel = py.detach(|| Kernel::new(spec, cache_slots)).map_err(raise)?;
        Ok(Self { kernel: Arc::new(kernel), extra: Vec::new() })
    }

    /// Opens an `.anypiece` file.
    #[staticmethod]
    #[pyo3(signature = (path, mapped = false, verify = false, cache_slots = CACHE_SLOTS))]
    fn open(py: Python<'_>, path: &str, mapped: bool, verify: bool, cache_slots: usize) -> PyResult<Self> {
        let path = Path::new(path);
        let buffer = py.detach(|| if mapped { Buffer::map(path) } else { Buffer::read(path) })?;
        Self::from_buffer(py, buffer, verify, cache_slots)
    }

    /// Opens the bytes of an `.anypiece` file.
    #[staticmethod]
    #[pyo3(signature = (data, verify = false, cache_slots = CACHE_SLOTS))]
    fn from_bytes(py: Python<'_>, data: &[u8], verify: bool, cache_slots: usize) -> PyResult<Self> {
        Self::from_buffer(py, Buffer::copy_of(data), verify, cache_slots)
    }

    /// The tokenizer as an `.anypiece` file, with extra bytes of the caller.
    #[pyo3(signature = (extra = None))]
    fn store<'py>(&self, py: Python<'py>, extra: Option<&[u8]>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &py.detach(|| store::write(&self.kernel, extra.unwrap_or(&[]))))
    }

    /// The caller's extra bytes of the file this was opened from.
    #[getter]
    fn extra<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.extra)
    }

    /// Settings and columns: the arguments of the constructor. A file's Spec is checked only now: encoding does not
    /// need it.
    fn spec_columns<'py>(&self, py: Python<'py>) -> PyResult<SpecColumns<'py>> {
        let spec = self.kernel.spec();
        py.detach(|| Kernel::check(spec)).map_err(raise)?;
        let parts: [(&str, &[u8]); 11] = [
            ("blob", &spec.vocab.blob),
            ("offsets", spec.vocab.offsets.as_bytes()),
            ("scores", spec.vocab.score_bytes()),
            ("kinds", &spec.vocab.kinds),
            ("charsmap", &spec.charsmap),
            ("denormalizer", &spec.denormalizer),
            ("added_blob", &spec.added.blob),
            ("added_offsets", spec.added.offsets.as_bytes()),
            ("added_ids", spec.added.ids.as_bytes()),
            ("added_flags", &spec.added.flags),
            ("merges", spec.merges.as_bytes()),
        ];
        let columns = PyDict::new(py);
        for (name, part) in parts {
            columns.set_item(name, PyBytes::new(py, part))?;
        }
        Ok((spec.config.to_json(), columns))
    }

    #[getter]
    fn vocab_size(&self) -> usize {
        self.kernel.spec().vocab.len()
    }

    #[getter]
    fn unk_id(&self) -> Option<u32> {
        self.kernel.spec().unk_id()
    }

    /// The caller's replacement of a lone surrogate.
    #[getter]
    fn lone_surrogate(&self) -> &'static [u8] {
        lone_surrogate(&self.kernel)
    }

    fn id_to_piece(&self, id: u32) -> PyResult<String> {
        self.kernel.check_ids(&[id]).map_err(raise)?;
        Ok(String::from_utf8_lossy(self.kernel.spec().vocab.piece(id)).into_owned())
    }

    fn id_to_bytes<'py>(&self, py: Python<'py>, id: u32) -> PyResult<Bound<'py, PyBytes>> {
        self.kernel.check_ids(&[id]).map_err(raise)?;
        Ok(PyBytes::new(py, self.kernel.spec().vocab.piece(id)))
    }

    fn piece_to_id(&self, piece: &str) -> Option<u32> {
        self.kernel.spec().vocab.find(piece.as_bytes())
    }

    fn score(&self, id: u32) -> PyResult<f64> {
        self.kernel.check_ids(&[id]).map_err(raise)?;
        Ok(self.kernel.spec().vocab.score(id))
    }

    fn kind(&self, id: u32) -> PyResult<u8> {
        self.kernel.check_ids(&[id]).map_err(raise)?;
        Ok(self.kernel.spec().vocab.kinds[us(id)])
    }

    #[pyo3(signature = (text, threads = 1, permit = None))]
    fn encode<'py>(
        &self,
        py: Python<'py>,
        text: &Bound<'py, PyAny>,
        threads: usize,
        permit: Permission<'_, 'py>,
    ) -> PyResult<Bound<'py, PyList>> {
        self.encode_into(py, text, threads, permit, |ids| list(py, ids))
    }

    #[pyo3(signature = (text, threads = 1, permit = None))]
    fn encode_array<'py>(
        &self,
        py: Python<'py>,
        text: &Bound<'py, PyAny>,
        threads: usize,
        permit: Permission<'_, 'py>,
    ) -> PyResult<Bound<'py, PyArray1<u32>>> {
        self.encode_into(py, text, threads, permit, |ids| Ok(array(py, ids)))
    }

    #[pyo3(signature = (text, permit = None))]
    fn encode_reference(
        &self,
        py: Python<'_>,
        text: &Bound<'_, PyAny>,
        permit: Permission<'_, '_>,
    ) -> PyResult<Vec<u32>> {
        let text = Text::borrow(text)?;
        let text = text.bytes();
        let permitted = Permitted::of(permit)?;
        self.with_scratch(py, text.len(), |kernel, scratch| kernel.encode_reference(text, permitted.view(), scratch))
    }

    #[pyo3(signature = (texts, threads, permit = None))]
    fn encode_batch<'py>(
        &self,
        py: Python<'py>,
        texts: &Bound<'py, PyAny>,
        threads: usize,
        permit: Permission<'_, 'py>,
    ) -> PyResult<FlatBatch<'py>> {
        let permitted = Permitted::of(permit)?;
        let mut held = Vec::new();
        let texts = self.inputs(texts, permitted.view(), &mut held)?;
        let (ids, offsets) =
            py.detach(|| batch::encode(&self.kernel, &texts, permitted.view(), threads)).map_err(raise)?;
        Ok((ids.into_pyarray(py), offsets.into_pyarray(py)))
    }

    #[pyo3(signature = (text, chars, permit = None))]
    fn encode_spans<'py>(
        &self,
        py: Python<'py>,
        text: &Bound<'py, PyAny>,
        chars: bool,
        permit: Permission<'_, 'py>,
    ) -> PyResult<ShownRows<'py>> {
        let text = Text::borrow(text)?;
        let text = text.bytes();
        let permitted = Permitted::of(permit)?;
        let rows = self.with_scratch(py, text.len(), |kernel, scratch| {
            let rows = kernel.spans(text, permitted.view(), scratch)?;
            Ok(span_rows(kernel, text, rows, chars))
        })?;
        Ok(shown_rows(py, rows))
    }

    #[pyo3(signature = (text, limit = None, permit = None))]
    fn count(
        &self,
        py: Python<'_>,
        text: &Bound<'_, PyAny>,
        limit: Option<usize>,
        permit: Permission<'_, '_>,
    ) -> PyResult<usize> {
        let permitted = Permitted::of(permit)?;
        let permit = permitted.view();
        let is_ascii = is_long_ascii(text);
        if let (None, Ok(count)) = (limit, self.by_code_points(py, text, is_ascii, permit, <[u32]>::len)) {
            return Ok(count);
        }
        let text = Text::borrow_known(text, is_ascii)?;
        let text = text.bytes();
        let limit = limit.unwrap_or(usize::MAX);
        let found = self.with_scratch(py, text.len(), |kernel, scratch| kernel.count(text, permit, limit, scratch))?;
        Ok(found.min(limit.saturating_add(1)))
    }

    #[pyo3(signature = (texts, threads, permit = None))]
    fn count_batch<'py>(
        &self,
        py: Python<'py>,
        texts: &Bound<'py, PyAny>,
        threads: usize,
        permit: Permission<'_, 'py>,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let permitted = Permitted::of(permit)?;
        let mut held = Vec::new();
        let texts = self.inputs(texts, permitted.view(), &mut held)?;
        let counts = py.detach(|| batch::count(&self.kernel, &texts, permitted.view(), threads)).map_err(raise)?;
        Ok(counts.into_pyarray(py))
    }

    /// Length (characters of a `str`, bytes of `bytes`) of the longest prefix with at most `n` tokens of its own.
    fn truncate(&self, py: Python<'_>, text: &Bound<'_, PyAny>, n: usize) -> PyResult<usize> {
        let text = Text::borrow(text)?;
        let bytes = text.bytes();
        let end = self.with_scratch(py, bytes.len(), |kernel, scratch| kernel.truncate(bytes, n, scratch))?;
        Ok(match text {
            Text::Str(_) | Text::Encoded(_) => CharCounter::new(bytes).at(end),
            Text::Bytes(_) => end,
        })
    }

    fn normalize(&self, py: Python<'_>, text: &Bound<'_, PyAny>) -> PyResult<String> {
        let text = Text::borrow(text)?;
        let text = text.bytes();
        self.with_scratch(py, text.len(), |kernel, scratch| {
            kernel.normalize_into(text, false, scratch)?;
            Ok(outer_text(kernel, scratch))
        })
    }

    fn normalize_offsets<'py>(
        &self,
        py: Python<'py>,
        text: &Bound<'py, PyAny>,
        chars: bool,
    ) -> PyResult<(String, Bound<'py, PyArray1<i64>>)> {
        let text = Text::borrow(text)?;
        let text = text.bytes();
        let (shown, places) = self.with_scratch(py, text.len(), |kernel, scratch| {
            kernel.normalize_into(text, true, scratch)?;
            let mut counter = CharCounter::new(text);
            let inner = scratch.normalized.inner();
            // One position for each character of the shown text, and one for the end.
            let starts = character_starts(inner).chain([inner.len()]);
            let origin = |at: usize| scratch.normalized.origins.get(at).map_or(0, |&origin| us(origin));
            let places = starts.map(|at| i64_of(if chars { counter.at(origin(at)) } else { origin(at) })).collect();
            Ok((outer_text(kernel, scratch), places))
        })?;
        Ok((shown, Vec::<i64>::into_pyarray(places, py)))
    }

    /// The chunks of a text, cut by rules, with their spans in it: bytes, start, end.
    fn chunks<'py>(&self, py: Python<'py>, text: &Bound<'py, PyAny>, chars: bool) -> PyResult<Vec<ChunkRow<'py>>> {
        let text = Text::borrow(text)?;
        let text = text.bytes();
        let rows = self.with_scratch(py, text.len(), |kernel, scratch| {
            kernel.prepare_into(text, true, true, scratch)?;
            let (mut starts, mut ends) = (CharCounter::new(text), CharCounter::new(text));
            let normalized = &scratch.normalized;
            let row = |(start, end): (usize, usize)| {
                let bytes = normalized.inner()[start..end].to_vec();
                match (normalized.span(start, end), chars) {
                    ((start, end), true) => (bytes, starts.at(start), ends.at(end)),
                    ((start, end), false) => (bytes, start, end),
                }
            };
            Ok(kernel.chunks(scratch).into_iter().map(row).collect::<Vec<_>>())
        })?;
        Ok(rows.into_iter().map(|(bytes, start, end)| (PyBytes::new(py, &bytes), start, end)).collect())
    }

    /// The units of the normalized text, in characters: start, end, whether the result is valid independent of
    /// rounding.
    fn units(&self, py: Python<'_>, text: &Bound<'_, PyAny>) -> PyResult<Vec<(usize, usize, bool)>> {
        let text = Text::borrow(text)?;
        let text = text.bytes();
        self.with_scratch(py, text.len(), |kernel, scratch| {
            kernel.prepare_into(text, true, false, scratch)?;
            let units = kernel.units(scratch);
            let mut counter = CharCounter::new(scratch.normalized.inner());
            Ok(units.into_iter().map(|(start, end, settled)| (counter.at(start), counter.at(end), settled)).collect())
        })
    }

    #[pyo3(signature = (ids, errors = "replace"))]
    fn decode(&self, py: Python<'_>, ids: &Bound<'_, PyAny>, errors: &str) -> PyResult<String> {
        let invalid = match errors {
            "replace" => Invalid::Replace,
            "ignore" => Invalid::Ignore,
            "strict" => Invalid::Strict,
            _ => return Err(fail("argument-value", "errors must be \"replace\", \"ignore\" or \"strict\"")),
        };
        let ids = ids_of(ids)?;
        let text = py.detach(|| self.kernel.decode(&ids, invalid)).map_err(raise)?;
        String::from_utf8(text)
            .map_err(|_| fail("decode-invalid", "the pieces do not decode to UTF-8; use decode_bytes"))
    }

    fn decode_bytes<'py>(&self, py: Python<'py>, ids: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
        let ids = ids_of(ids)?;
        let bytes = py.detach(|| self.kernel.decode(&ids, Invalid::Keep)).map_err(raise)?;
        Ok(PyBytes::new(py, &bytes))
    }

    #[pyo3(signature = (permit = None))]
    fn stream_encoder(&self, permit: Permission<'_, '_>) -> PyResult<StreamEncoder> {
        Ok(StreamEncoder::new(Arc::clone(&self.kernel), Permitted::of(permit)?.view()))
    }

    fn stream_decoder(&self) -> StreamDecoder {
        StreamDecoder::new(Arc::clone(&self.kernel))
    }

    fn batch_stream_decoder(&self) -> BatchStreamDecoder {
        BatchStreamDecoder::new(Arc::clone(&self.kernel))
    }

    fn table_stats<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let stats = self.kernel.table_stats();
        let dict = PyDict::new(py);
        dict.set_item("cache_slots", stats.cache_slots)?;
        dict.set_item("cached", stats.cached)?;
        dict.set_item("misses", stats.misses)?;
        dict.set_item("evictions", stats.evictions)?;
        dict.set_item("by_characters", stats.by_characters)?;
        Ok(dict)
    }
}

impl Tokenizer {
    fn from_buffer(py: Python<'_>, buffer: Buffer, verify: bool, cache_slots: usize) -> PyResult<Self> {
        py.detach(|| {
            let stored = Stored::open(buffer)?;
            if verify {
                stored.verify()?;
            }
            let kernel = Arc::new(stored.tokenizer(cache_slots)?);
            Ok(Self { kernel, extra: stored.extra().to_vec() })
        })
        .map_err(raise)
    }
}

fn outer_text(kernel: &Kernel, scratch: &Scratch) -> String {
    let mut shown = Vec::new();
    outer(scratch.normalized.inner(), kernel.spec().config.escape_whitespaces, &mut shown);
    if let Ok(text) = std::str::from_utf8(&shown) {
        return text.to_owned();
    }
    let part = |start: usize| {
        valid_character(&shown[start..])
            .map_or("\u{FFFD}".into(), |length| String::from_utf8_lossy(&shown[start..start + length]))
    };
    character_starts(&shown).map(part).collect()
}

/// The starts of the characters of a text; an invalid byte is a character of its own.
fn character_starts(text: &[u8]) -> impl Iterator<Item = usize> + '_ {
    let next = |&at: &usize| Some(at + valid_character(&text[at..]).unwrap_or(1)).filter(|&next| next < text.len());
    std::iter::successors(Some(0).filter(|_| !text.is_empty()), next)
}
