//! Columns of Arrow by the C data interface (PyCapsule protocol): texts are read from their buffers, results handed out
//! without a copy.
//!
//! Unsafe where structures of the interface are taken from capsules, and where memory that NumPy owns becomes a buffer.
#![allow(unsafe_code)]

use std::ffi::CStr;
use std::panic::AssertUnwindSafe;
use std::ptr::NonNull;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::ffi::{from_ffi, to_ffi, FFI_ArrowArray, FFI_ArrowSchema};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::{Int16Type, Int32Type, Int64Type, Int8Type, UInt16Type, UInt32Type, UInt64Type, UInt8Type};
use arrow_array::{
    make_array, Array, ArrayRef, ArrowPrimitiveType, Int64Array, LargeListArray, LargeStringArray, PrimitiveArray,
    UInt32Array,
};
use arrow_buffer::{ArrowNativeType, BooleanBufferBuilder, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field};
use numpy::{PyArray1, PyArrayMethods, PyReadonlyArray1, PyUntypedArrayMethods};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};

use crate::error::fail;
use anypiece_core::Input;
use anypiece_guarded::guarded;

const SCHEMA: &CStr = c"arrow_schema";
const ARRAY: &CStr = c"arrow_array";
const STREAM: &CStr = c"arrow_array_stream";

fn refuse(message: impl std::fmt::Display) -> PyErr {
    fail("arrow-type", message.to_string())
}

/// Takes a structure of the interface out of its capsule, which keeps an empty one.
fn take<T>(capsule: &Bound<'_, PyAny>, name: &CStr, take: unsafe fn(*mut T) -> T) -> PyResult<T> {
    let pointer = capsule.cast::<PyCapsule>()?.pointer_checked(Some(name))?;
    // SAFETY: a capsule of this name points to this structure, and the producer leaves it to the consumer.
    Ok(unsafe { take(pointer.cast::<T>().as_ptr()) })
}

/// The chunks of an object that exports an array or a stream of arrays.
fn import(object: &Bound<'_, PyAny>) -> PyResult<Vec<ArrayRef>> {
    let py = object.py();
    if object.hasattr(intern!(py, "__arrow_c_stream__"))? {
        let capsule = object.call_method0(intern!(py, "__arrow_c_stream__"))?;
        return import_stream(take(&capsule, STREAM, FFI_ArrowArrayStream::from_raw)?);
    }
    let capsules = object.call_method0(intern!(py, "__arrow_c_array__"))?;
    let capsules = capsules.cast::<PyTuple>()?;
    let schema = take(&capsules.get_item(0)?, SCHEMA, FFI_ArrowSchema::from_raw)?;
    let array = take(&capsules.get_item(1)?, ARRAY, FFI_ArrowArray::from_raw)?;
    // SAFETY: the two belong together, by the protocol.
    let data = unsafe { from_ffi(array, &schema) }.map_err(refuse)?;
    Ok(vec![make_array(data)])
}

fn import_stream(mut stream: FFI_ArrowArrayStream) -> PyResult<Vec<ArrayRef>> {
    let (Some(get_schema), Some(get_next)) = (stream.get_schema, stream.get_next) else {
        return Err(refuse("the Arrow stream was consumed before; export it anew"));
    };
    let mut schema = FFI_ArrowSchema::empty();
    // SAFETY: the stream was not released, and the structure is empty.
    let status = unsafe { get_schema(&raw mut stream, &raw mut schema) };
    let mut chunks = Vec::new();
    loop {
        let mut array = FFI_ArrowArray::empty();
        // SAFETY: as above.
        if status != 0 || unsafe { get_next(&raw mut stream, &raw mut array) } != 0 {
            let message = stream.get_last_error.and_then(|last| {
                // SAFETY: the producer returns a string that lives until the next call, or null.
                NonNull::new(unsafe { last(&raw mut stream) }.cast_mut())
                    .map(|text| unsafe { CStr::from_ptr(text.as_ptr()) }.to_string_lossy().into_owned())
            });
            return Err(refuse(format!("the Arrow stream failed: {}", message.unwrap_or_default())));
        }
        if array.is_released() {
            return Ok(chunks);
        }
        // SAFETY: all arrays of a stream have its schema.
        chunks.push(make_array(unsafe { from_ffi(array, &schema) }.map_err(refuse)?));
    }
}

/// The only column of a table; other arrays as they are.
fn only_column(array: ArrayRef) -> PyResult<ArrayRef> {
    let Some(table) = array.as_struct_opt() else { return Ok(array) };
    match table.columns() {
        [column] => Ok(column.clone()),
        _ => Err(refuse(format!("a table has many columns; select one of {:?}", table.column_names()))),
    }
}

/// Pushes the bytes of each row; `None` for null.
fn push_texts<'a>(array: &'a dyn Array, texts: &mut Vec<Option<&'a [u8]>>) -> PyResult<()> {
    match array.data_type() {
        DataType::Utf8 => texts.extend(array.as_string::<i32>().iter().map(|text| text.map(str::as_bytes))),
        DataType::LargeUtf8 => texts.extend(array.as_string::<i64>().iter().map(|text| text.map(str::as_bytes))),
        DataType::Utf8View => texts.extend(array.as_string_view().iter().map(|text| text.map(str::as_bytes))),
        DataType::Binary => texts.extend(array.as_binary::<i32>().iter()),
        DataType::LargeBinary => texts.extend(array.as_binary::<i64>().iter()),
        DataType::BinaryView => texts.extend(array.as_binary_view().iter()),
        DataType::Null => texts.extend((0..array.len()).map(|_| None)),
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            let mut values = Vec::with_capacity(dictionary.values().len());
            push_texts(dictionary.values().as_ref(), &mut values)?;
            let keys = dictionary.keys();
            let rows = dictionary.normalized_keys().into_iter().enumerate();
            texts.extend(
                rows.map(|(row, key)| if keys.is_null(row) { None } else { values.get(key).copied().flatten() }),
            );
        }
        other => return Err(refuse(format!("a column of texts must be of strings or bytes, not {other}"))),
    }
    Ok(())
}

/// A column of texts: string, large_string, string_view, binary, or a dictionary of these.
#[pyclass(frozen, module = "anypiece._native")]
pub struct TextColumn {
    chunks: Vec<ArrayRef>,
}

impl TextColumn {
    /// The bytes of each row; empty for null.
    pub fn texts(&self) -> PyResult<Vec<&[u8]>> {
        Ok(self.rows()?.into_iter().map(Option::unwrap_or_default).collect())
    }

    /// The rows as input of the kernel.
    pub fn inputs(&self) -> PyResult<Vec<Input<'_>>> {
        Ok(self.rows()?.into_iter().map(|text| Input::Bytes(text.unwrap_or_default())).collect())
    }

    fn rows(&self) -> PyResult<Vec<Option<&[u8]>>> {
        let mut rows = Vec::with_capacity(self.chunks.iter().map(|chunk| chunk.len()).sum());
        self.chunks.iter().try_for_each(|chunk| push_texts(chunk.as_ref(), &mut rows))?;
        Ok(rows)
    }

    fn nulls(&self) -> PyResult<Option<NullBuffer>> {
        if self.null_count()? == 0 {
            return Ok(None);
        }
        Ok(Some(self.rows()?.iter().map(Option::is_some).collect()))
    }
}

#[guarded]
#[pymethods]
impl TextColumn {
    #[new]
    fn new(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let chunks: Vec<ArrayRef> = import(object)?.into_iter().map(only_column).collect::<PyResult<_>>()?;
        for chunk in &chunks {
            push_texts(chunk.slice(0, 0).as_ref(), &mut Vec::new())?;
        }
        Ok(Self { chunks })
    }

    fn __len__(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.len()).sum()
    }

    /// Number of rows that are null.
    #[getter]
    fn null_count(&self) -> PyResult<usize> {
        // Values of a dictionary may be null too.
        let is_plain = |chunk: &ArrayRef| !matches!(chunk.data_type(), DataType::Dictionary(..));
        if self.chunks.iter().all(is_plain) {
            return Ok(self.chunks.iter().map(|chunk| chunk.logical_null_count()).sum());
        }
        Ok(self.rows()?.iter().filter(|row| row.is_none()).count())
    }

    /// The texts as Python objects: `str`, or `bytes` where they are not UTF-8; `None` for null.
    fn to_list<'py>(&self, py: Python<'py>) -> PyResult<Vec<Option<Bound<'py, PyAny>>>> {
        let shown = |text: &[u8]| match std::str::from_utf8(text) {
            Ok(text) => pyo3::types::PyString::new(py, text).into_any(),
            Err(_) => pyo3::types::PyBytes::new(py, text).into_any(),
        };
        Ok(self.rows()?.into_iter().map(|row| row.map(shown)).collect())
    }
}

/// The values of a list's child as `u32`; and the indices of those that are null, negative or too large.
fn ids_of<T: ArrowPrimitiveType>(values: &PrimitiveArray<T>) -> (Vec<u32>, Vec<usize>) {
    let mut refused = Vec::new();
    let number = |(index, value): (usize, &T::Native)| {
        let id = value.to_usize().and_then(|value| u32::try_from(value).ok()).filter(|_| values.is_valid(index));
        id.unwrap_or_else(|| {
            refused.push(index);
            0
        })
    };
    (values.values().iter().enumerate().map(number).collect(), refused)
}

fn push_lists(array: &dyn Array, ids: &mut Vec<u32>, offsets: &mut Vec<i64>) -> PyResult<()> {
    let (child, ends): (ArrayRef, Vec<usize>) = match array.data_type() {
        DataType::List(_) => {
            let list = array.as_list::<i32>();
            (list.values().clone(), list.offsets().iter().map(|&end| usize::try_from(end).unwrap_or(0)).collect())
        }
        DataType::LargeList(_) => {
            let list = array.as_list::<i64>();
            (list.values().clone(), list.offsets().iter().map(|&end| usize::try_from(end).unwrap_or(0)).collect())
        }
        DataType::FixedSizeList(_, size) => {
            let (list, size) = (array.as_fixed_size_list(), usize::try_from(*size).unwrap_or(0));
            (list.values().clone(), (0..=list.len()).map(|row| row * size).collect())
        }
        other => return Err(refuse(format!("a column of ids must be of lists of integers, not {other}"))),
    };
    let (first, last) = (ends.first().copied().unwrap_or(0), ends.last().copied().unwrap_or(0));
    let values = child.slice(first, last - first);
    let (found, refused) = match values.data_type() {
        DataType::UInt8 => ids_of(values.as_primitive::<UInt8Type>()),
        DataType::UInt16 => ids_of(values.as_primitive::<UInt16Type>()),
        DataType::UInt32 => ids_of(values.as_primitive::<UInt32Type>()),
        DataType::UInt64 => ids_of(values.as_primitive::<UInt64Type>()),
        DataType::Int8 => ids_of(values.as_primitive::<Int8Type>()),
        DataType::Int16 => ids_of(values.as_primitive::<Int16Type>()),
        DataType::Int32 => ids_of(values.as_primitive::<Int32Type>()),
        DataType::Int64 => ids_of(values.as_primitive::<Int64Type>()),
        other => return Err(refuse(format!("a column of ids must be of lists of integers, not of {other}"))),
    };
    for (row, pair) in ends.windows(2).enumerate() {
        // The range of a null may hold anything.
        if array.is_valid(row) {
            let (start, end) = (pair[0] - first, pair[1] - first);
            if refused.get(refused.partition_point(|&index| index < start)).is_some_and(|&index| index < end) {
                return Err(refuse("an id is null, negative or above 2**32 - 1"));
            }
            ids.extend_from_slice(&found[start..end]);
        }
        offsets.push(i64::try_from(ids.len()).unwrap_or(i64::MAX));
    }
    Ok(())
}

/// The ids and offsets of a column of lists of integers, and which rows are not null (`None`: all).
type Lists<'py> = (Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<i64>>, Option<Vec<bool>>);

/// Reads a column of lists of integers.
#[guarded]
#[pyfunction]
pub fn arrow_lists<'py>(py: Python<'py>, object: &Bound<'py, PyAny>) -> PyResult<Lists<'py>> {
    let (mut ids, mut offsets, mut valid) = (Vec::new(), vec![0], Vec::new());
    for chunk in import(object)? {
        let column = only_column(chunk)?;
        push_lists(column.as_ref(), &mut ids, &mut offsets)?;
        valid.extend((0..column.len()).map(|row| column.is_valid(row)));
    }
    let valid = (!valid.iter().all(|&is| is)).then_some(valid);
    Ok((PyArray1::from_vec(py, ids), PyArray1::from_vec(py, offsets), valid))
}

/// A column that is handed out.
#[pyclass(frozen, module = "anypiece._native")]
pub struct ArrowColumn {
    array: ArrayRef,
}

/// Memory that NumPy owns, as a buffer without a copy.
fn shared<'py, T: numpy::Element + 'static>(array: &Bound<'py, PyArray1<T>>) -> PyResult<Buffer> {
    let view: PyReadonlyArray1<'py, T> = array.readonly();
    let values = view.as_slice()?;
    let (pointer, length) = (NonNull::from(values).cast::<u8>(), size_of_val(values));
    let owner = Arc::new(AssertUnwindSafe(array.clone().unbind()));
    // SAFETY: the array owns that memory, and the buffer keeps the array.
    Ok(unsafe { Buffer::from_custom_allocation(pointer, length, owner) })
}

fn nulls_of(column: Option<&TextColumn>, valid: Option<Vec<bool>>) -> PyResult<Option<NullBuffer>> {
    match (column, valid) {
        (Some(column), _) => column.nulls(),
        (None, Some(valid)) => {
            let mut bits = BooleanBufferBuilder::new(valid.len());
            bits.append_slice(&valid);
            Ok(Some(NullBuffer::new(bits.finish())))
        }
        (None, None) => Ok(None),
    }
}

#[guarded]
#[pymethods]
impl ArrowColumn {
    /// Lists of ids, `large_list<uint32>`, null where a row of `column` is.
    #[staticmethod]
    #[pyo3(signature = (ids, offsets, column = None))]
    fn lists(
        ids: &Bound<'_, PyArray1<u32>>,
        offsets: &Bound<'_, PyArray1<i64>>,
        column: Option<&TextColumn>,
    ) -> PyResult<Self> {
        let (size, rows) = (ids.len(), offsets.len().saturating_sub(1));
        let values = UInt32Array::new(ScalarBuffer::new(shared(ids)?, 0, size), None);
        let offsets = OffsetBuffer::new(ScalarBuffer::new(shared(offsets)?, 0, rows + 1));
        let field = Arc::new(Field::new("item", DataType::UInt32, false));
        let nulls = nulls_of(column, None)?;
        let lists = LargeListArray::try_new(field, offsets, Arc::new(values), nulls).map_err(refuse)?;
        Ok(Self { array: Arc::new(lists) })
    }

    /// Numbers, `int64`, null where a row of `column` is.
    #[staticmethod]
    #[pyo3(signature = (numbers, column = None))]
    fn numbers(numbers: &Bound<'_, PyArray1<i64>>, column: Option<&TextColumn>) -> PyResult<Self> {
        let values = ScalarBuffer::new(shared(numbers)?, 0, numbers.len());
        let numbers = Int64Array::try_new(values, nulls_of(column, None)?).map_err(refuse)?;
        Ok(Self { array: Arc::new(numbers) })
    }

    /// Texts, `large_string`, null where `valid` is false.
    #[staticmethod]
    #[pyo3(signature = (texts, valid = None))]
    fn texts(texts: Vec<pyo3::pybacked::PyBackedStr>, valid: Option<Vec<bool>>) -> PyResult<Self> {
        let plain = LargeStringArray::from_iter_values(texts.iter().map(|text| -> &str { text }));
        let (offsets, values, _) = plain.into_parts();
        let array = LargeStringArray::try_new(offsets, values, nulls_of(None, valid)?).map_err(refuse)?;
        Ok(Self { array: Arc::new(array) })
    }

    fn __len__(&self) -> usize {
        self.array.len()
    }

    fn __repr__(&self) -> String {
        format!(
            "<ArrowColumn of {} rows of {}, {} null>",
            self.array.len(),
            self.array.data_type(),
            self.array.null_count()
        )
    }

    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        // A request is a wish: a consumer casts what it gets.
        drop(requested_schema);
        let (array, schema) = to_ffi(&self.array.to_data()).map_err(refuse)?;
        Ok((PyCapsule::new_with_value(py, schema, SCHEMA)?, PyCapsule::new_with_value(py, array, ARRAY)?))
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(self.array.data_type()).map_err(refuse)?;
        PyCapsule::new_with_value(py, schema, SCHEMA)
    }
}
