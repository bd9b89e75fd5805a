//! Lattices and sampling. Policy and documentation are in `lattice.py` and `sampling.py`.

use std::sync::Arc;

use anypiece_core::batch;
use anypiece_core::util::cast::{u32_of, us};
use anypiece_core::util::rng::Seed;
use anypiece_core::BestIds;
use anypiece_core::CharCounter;
use anypiece_core::Draw;
use anypiece_core::Method;
use anypiece_core::Sums;
use anypiece_core::TextLattice;
use anypiece_core::Tokenizer as Kernel;
use anypiece_guarded::guarded;
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyFloat, PyInt, PyList};

use crate::arrays::{array, joined};
use crate::arrow::TextColumn;
use crate::error::{fail, raise};
use crate::scratch_guard::{run, SHORT};
use crate::spans::{shown_rows, span_rows, ShownRows};
use crate::text::{hold, Held, Permitted, Text};
use crate::tokenizer::{FlatBatch, Permission, Tokenizer};

type Columns<'py> = [Bound<'py, PyArray1<u32>>; 5];
type Ids<'py> = Bound<'py, PyArray1<u32>>;
type Offsets<'py> = Bound<'py, PyArray1<i64>>;
type BestColumns<'py> = (Ids<'py>, usize, Ids<'py>, Offsets<'py>);
/// Seed, epoch and index.
type Key = (u64, u64, u64);

fn seed_of((seed, epoch, index): Key) -> Seed {
    Seed { seed, epoch, index }
}

fn draw_of(method: &str, value: f64, nbest: usize) -> PyResult<Draw> {
    match method {
        "dropout" => Ok(Draw::Dropout(value)),
        "nbest" => Ok(Draw::Best(nbest, value)),
        _ => Ok(Draw::Path(method_of(method)?, value)),
    }
}

fn method_of(method: &str) -> PyResult<Method> {
    match method {
        "lattice" => Ok(Method::Lattice),
        "viterbi" => Ok(Method::Viterbi),
        "reservoir" => Ok(Method::Reservoir),
        _ => Err(fail("argument-value", "method must be \"lattice\", \"viterbi\" or \"reservoir\"")),
    }
}

/// Samples the ids of a text.
#[guarded]
#[pyfunction]
#[pyo3(signature = (tokenizer, text, method, value, key, permit = None, nbest = 1))]
#[allow(clippy::too_many_arguments)]
pub fn sample<'py>(
    py: Python<'py>,
    tokenizer: &Tokenizer,
    text: &Bound<'py, PyAny>,
    method: &str,
    value: f64,
    key: Key,
    permit: Permission<'_, 'py>,
    nbest: usize,
) -> PyResult<Bound<'py, PyArray1<u32>>> {
    let (text, permitted, draw) = (Text::borrow(text)?, Permitted::of(permit)?, draw_of(method, value, nbest)?);
    let (text, permit, seed) = (text.bytes(), permitted.view(), seed_of(key));
    let mut guard = tokenizer.checkout();
    let scratch = guard.scratch();
    let ids = run(py, text.len().saturating_mul(nbest) < SHORT, || {
        tokenizer.kernel().sample(text, permit, draw, seed, scratch)
    })?;
    Ok(array(py, ids))
}

/// The fast path of sampling, with arguments as they came: refuses those that need conversion.
#[guarded]
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub fn sample_ordinary<'py>(
    py: Python<'py>,
    tokenizer: &Tokenizer,
    text: &Bound<'py, PyAny>,
    method: &str,
    value: &Bound<'py, PyAny>,
    seed: &Bound<'py, PyAny>,
    epoch: &Bound<'py, PyAny>,
    index: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyArray1<u32>>> {
    let number = |number: &Bound<'py, PyAny>| number.cast_exact::<PyInt>().map_err(PyErr::from)?.extract::<u64>();
    let value = match value.cast_exact::<PyFloat>() {
        Ok(value) => value.value(),
        Err(_) => value.cast_exact::<PyInt>()?.extract()?,
    };
    if method == "nbest" || !(0.0..=1.0).contains(&value) {
        return Err(fail("argument-value", "this call needs to be looked at"));
    }
    sample(py, tokenizer, text, method, value, (number(seed)?, number(epoch)?, number(index)?), None, 1)
}

/// Samples the ids of many texts; the index of the key is that of the first.
#[guarded]
#[pyfunction]
#[pyo3(signature = (tokenizer, texts, method, value, key, threads, permit = None, nbest = 1))]
#[allow(clippy::too_many_arguments)]
pub fn sample_batch<'py>(
    py: Python<'py>,
    tokenizer: &Tokenizer,
    texts: &Bound<'py, PyAny>,
    method: &str,
    value: f64,
    key: Key,
    threads: usize,
    permit: Permission<'_, 'py>,
    nbest: usize,
) -> PyResult<FlatBatch<'py>> {
    let (permitted, draw) = (Permitted::of(permit)?, draw_of(method, value, nbest)?);
    let column = texts.cast::<TextColumn>().ok();
    let held = if column.is_none() { hold(texts)? } else { Vec::new() };
    let texts = match column {
        Some(column) => column.get().texts()?,
        None => held.iter().map(Held::bytes).collect(),
    };
    let (ids, offsets) = py
        .detach(|| batch::sample(tokenizer.kernel(), &texts, permitted.view(), draw, seed_of(key), threads))
        .map_err(raise)?;
    Ok((ids.into_pyarray(py), offsets.into_pyarray(py)))
}

/// Samples the tokens of a text, with their spans.
#[guarded]
#[pyfunction]
#[pyo3(signature = (tokenizer, text, method, value, key, chars, permit = None, nbest = 1))]
#[allow(clippy::too_many_arguments)]
pub fn sample_spans<'py>(
    py: Python<'py>,
    tokenizer: &Tokenizer,
    text: &Bound<'py, PyAny>,
    method: &str,
    value: f64,
    key: Key,
    chars: bool,
    permit: Permission<'_, 'py>,
    nbest: usize,
) -> PyResult<ShownRows<'py>> {
    let (text, permitted, draw) = (Text::borrow(text)?, Permitted::of(permit)?, draw_of(method, value, nbest)?);
    let text = text.bytes();
    let rows = tokenizer.with_scratch(py, text.len().saturating_mul(nbest), |kernel, scratch| {
        let rows = kernel.sample_spans(text, permitted.view(), draw, seed_of(key), scratch)?;
        Ok(span_rows(kernel, text, rows, chars))
    })?;
    Ok(shown_rows(py, rows))
}

/// The lattice of a text.
#[guarded]
#[pyfunction]
#[pyo3(signature = (tokenizer, text, chars, permit = None))]
pub fn lattice(
    py: Python<'_>,
    tokenizer: &Tokenizer,
    text: &Bound<'_, PyAny>,
    chars: bool,
    permit: Permission<'_, '_>,
) -> PyResult<Lattice> {
    let (text, permitted) = (Text::borrow(text)?, Permitted::of(permit)?);
    let text = text.bytes();
    let inner = tokenizer.with_scratch(py, text.len(), |kernel, scratch| {
        let mut made = kernel.lattice(text, permitted.view(), scratch)?;
        if chars {
            let (mut counter, bytes) = (CharCounter::new(text), kernel.spec().has_byte_pieces());
            // A byte piece that ends within a character extends to its end.
            let mut place = |at: usize| match bytes {
                true => (u32_of(counter.at(at)), u32_of(counter.at_or_after(at))),
                false => (u32_of(counter.at(at)), u32_of(counter.at(at))),
            };
            let places: Vec<(u32, u32)> = (0..=text.len()).map(&mut place).collect();
            for (start, end) in &mut made.sources {
                (*start, *end) = (places[us(*start)].0, places[us(*end)].1);
            }
        }
        Ok(made)
    })?;
    Ok(Lattice { kernel: Arc::clone(tokenizer.kernel()), inner })
}

/// Scores of the k-best paths of a text; their ids, and where those of each begin. `None` where the lattice is needed.
#[guarded]
#[pyfunction]
#[pyo3(signature = (tokenizer, text, n, permit = None))]
pub fn nbest<'py>(
    py: Python<'py>,
    tokenizer: &Tokenizer,
    text: &Bound<'py, PyAny>,
    n: usize,
    permit: Permission<'_, 'py>,
) -> PyResult<Option<(Ids<'py>, usize)>> {
    let (text, permitted) = (Text::borrow(text)?, Permitted::of(permit)?);
    let text = text.bytes();
    let mut guard = tokenizer.checkout();
    let (kernel, permit, scratch) = (tokenizer.kernel(), permitted.view(), guard.scratch());
    let found = run(py, text.len() < SHORT, || kernel.nbest(text, permit, n, scratch))?;
    Ok(found.map(|best| (joined(py, best.words()), best.scores.len())))
}

/// A lattice with its text.
#[pyclass(frozen, module = "anypiece._native")]
pub struct Lattice {
    kernel: Arc<Kernel>,
    inner: TextLattice,
}

#[guarded]
#[pymethods]
impl Lattice {
    /// For each edge: start, end, id, and its span in the text.
    fn columns<'py>(&self, py: Python<'py>) -> Columns<'py> {
        let edges = &self.inner.lattice.edges;
        let sources = &self.inner.sources;
        let columns: [Vec<u32>; 5] = py.detach(|| {
            [
                edges.iter().map(|edge| edge.start).collect(),
                edges.iter().map(|edge| edge.end).collect(),
                edges.iter().map(|edge| self.kernel.edge_id(&self.inner, edge)).collect(),
                edges.iter().map(|edge| sources[us(edge.start)].0).collect(),
                edges.iter().map(|edge| sources[us(edge.end)].1).collect(),
            ]
        });
        columns.map(|column| column.into_pyarray(py))
    }

    fn scores<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.inner.lattice.edges.iter().map(|edge| edge.score).collect::<Vec<_>>().into_pyarray(py)
    }

    fn widths<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u32>> {
        py.detach(|| self.kernel.widths(&self.inner)).into_pyarray(py)
    }

    fn bounds<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u32>> {
        self.inner.lattice.bounds.to_vec().into_pyarray(py)
    }

    /// The normalized text.
    fn normalized<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.inner.inner)
    }

    fn best(&self, py: Python<'_>) -> Vec<u32> {
        py.detach(|| self.kernel.best_path(&self.inner))
    }

    fn score(&self, path: Vec<u32>) -> PyResult<f64> {
        self.check(&path)?;
        Ok(self.inner.lattice.score(&path))
    }

    fn ids<'py>(&self, py: Python<'py>, path: Vec<u32>) -> PyResult<Bound<'py, PyList>> {
        self.check(&path)?;
        PyList::new(py, py.detach(|| self.kernel.path_ids(&self.inner, &path)))
    }

    /// The score of each id of a path.
    fn token_scores(&self, py: Python<'_>, path: Vec<u32>) -> PyResult<Vec<f64>> {
        self.check(&path)?;
        Ok(py.detach(|| self.kernel.path_scores(&self.inner, &path)))
    }

    /// Scores of the k-best paths; their ids, and where those of each begin; their edges, and where those begin.
    fn nbest<'py>(&self, py: Python<'py>, n: usize) -> PyResult<BestColumns<'py>> {
        let found = py.detach(|| {
            let best = self.inner.nbest(n)?;
            let ids = self.kernel.ids_of_best(&self.inner, &best);
            Ok((best, ids))
        });
        let (best, (ids, offsets)) = found.map_err(raise)?;
        Ok((
            joined(py, BestIds { scores: &best.scores, ids: &ids, offsets: &offsets }.words()),
            best.scores.len(),
            best.edges.into_pyarray(py),
            best.offsets.into_pyarray(py),
        ))
    }

    fn log_partition(&self, py: Python<'_>, alpha: f64) -> f64 {
        py.detach(|| Sums::new(&self.inner.lattice, alpha).partition())
    }

    fn entropy(&self, py: Python<'_>, alpha: f64) -> f64 {
        py.detach(|| Sums::new(&self.inner.lattice, alpha).entropy(&self.inner.lattice))
    }

    fn marginals<'py>(&self, py: Python<'py>, alpha: f64) -> Bound<'py, PyArray1<f64>> {
        let lattice = &self.inner.lattice;
        py.detach(|| Sums::new(lattice, alpha).marginals(lattice)).into_pyarray(py)
    }

    fn sample(&self, py: Python<'_>, method: &str, alpha: f64, key: Key) -> PyResult<(Vec<u32>, f64)> {
        let method = method_of(method)?;
        Ok(py.detach(|| self.inner.sample(method, alpha, seed_of(key))))
    }

    /// Paths sampled without replacement: edges, log-probability, log-probability of inclusion.
    fn without_replacement(
        &self,
        py: Python<'_>,
        k: usize,
        alpha: f64,
        key: Key,
        without: Option<Vec<u32>>,
    ) -> PyResult<Vec<(Vec<u32>, f64, f64)>> {
        let mut numbers = seed_of(key).numbers(u64::MAX, 0);
        let drawn = py
            .detach(|| self.inner.lattice.without_replacement(k, alpha, without.as_deref(), &mut numbers))
            .map_err(raise)?;
        Ok(drawn.into_iter().map(|path| (path.path, path.log_probability, path.log_inclusion)).collect())
    }

    fn __len__(&self) -> usize {
        self.inner.lattice.edges.len()
    }
}

impl Lattice {
    fn check(&self, path: &[u32]) -> PyResult<()> {
        let edges = self.inner.lattice.edges.len();
        match path.iter().all(|&edge| us(edge) < edges) {
            true => Ok(()),
            false => Err(fail("argument-value", "a path has the numbers of edges of this lattice")),
        }
    }
}
