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
    make_array, new_empty_array, Array, ArrayRef, ArrowPrimitiveType, Int64Array, LargeBinaryArray, LargeListArray,
    LargeStringArray, PrimitiveArray, UInt32Array,
};
use arrow_buffer::{BooleanBufferBuilder, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field};
use numpy::{PyArray1, PyArrayMethods, PyReadonlyArray1, PyUntypedArrayMethods};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};

use crate::error::fail;
use anypiece_core::util::cast::i64_of;
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
        return Err(refuse("The Arrow stream was consumed before. Pass the column itself, or export it anew."));
    };
    let mut schema = FFI_ArrowSchema::empty();
    // SAFETY: the stream was not released, and the structure is empty.
    let status = unsafe { get_schema(&raw mut stream, &raw mut schema) };
    let mut chunks: Vec<ArrayRef> = Vec::new();
    loop {
        let mut array = FFI_ArrowArray::empty();
        // SAFETY: as above.
        if status != 0 || unsafe { get_next(&raw mut stream, &raw mut array) } != 0 {
            let message = stream.get_last_error.and_then(|last| {
                // SAFETY: the producer returns a string that lives until the next call, or null.
                NonNull::new(unsafe { last(&raw mut stream) }.cast_mut())
                    .map(|text| unsafe { CStr::from_ptr(text.as_ptr()) }.to_string_lossy().into_owned())
            });
            return Err(refuse(format!("The Arrow stream failed: {}", message.unwrap_or_default())));
        }
        if array.is_released() {
            if chunks.is_empty() {
                // Of no chunks the type is looked at all the same.
                chunks.push(new_empty_array(&DataType::try_from(&schema).map_err(refuse)?));
            }
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
        [column] if table.null_count() == 0 => Ok(column.clone()),
        [_] => Err(refuse("This is a column of structs, some of them null. Pass its field as a column.")),
        columns => Err(refuse(format!(
            "A table of {} columns is no column. Select one of {:?}, such as table[\"text\"].",
            columns.len(),
            table.column_names()
        ))),
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
            if values.is_empty() {
                // All rows are null then, and their keys cannot be normalized.
                texts.extend((0..array.len()).map(|_| None));
                return Ok(());
            }
            let keys = dictionary.keys();
            let rows = dictionary.normalized_keys().into_iter().enumerate();
            texts.extend(
                rows.map(|(row, key)| if keys.is_null(row) { None } else { values.get(key).copied().flatten() }),
            );
        }
        other => {
            let message = "A column of texts must be of strings or bytes, not";
            return Err(refuse(format!("{message} {other}. Select another column, or cast it to strings.")));
        }
    }
    Ok(())
}

fn is_binary(found: &DataType) -> bool {
    match found {
        DataType::Dictionary(_, values) => is_binary(values),
        other => matches!(other, DataType::Binary | DataType::LargeBinary | DataType::BinaryView),
    }
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

    /// A column of bytes, null where `is_valid` is false.
    pub fn of_bytes(blob: Vec<u8>, offsets: Vec<i64>, is_valid: Option<NullBuffer>) -> PyResult<Self> {
        let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
        let array = LargeBinaryArray::try_new(offsets, Buffer::from_vec(blob), is_valid).map_err(refuse)?;
        Ok(Self { chunks: vec![Arc::new(array)] })
    }

    /// The bytes of each row; `None` for null.
    pub fn rows(&self) -> PyResult<Vec<Option<&[u8]>>> {
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

    /// The numbers of the rows that are not null.
    fn valid_rows<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let rows = self.rows()?.into_iter().enumerate().filter(|(_, row)| row.is_some());
        Ok(PyArray1::from_vec(py, rows.map(|(number, _)| i64_of(number)).collect()))
    }

    /// The texts as Python objects: `bytes` where they are bytes or not UTF-8, else `str`; `None` for null.
    fn to_list<'py>(&self, py: Python<'py>) -> PyResult<Vec<Option<Bound<'py, PyAny>>>> {
        let are_bytes = self.chunks.iter().any(|chunk| is_binary(chunk.data_type()));
        let shown = |text: &[u8]| match std::str::from_utf8(text) {
            Ok(text) if !are_bytes => pyo3::types::PyString::new(py, text).into_any(),
            _ => pyo3::types::PyBytes::new(py, text).into_any(),
        };
        Ok(self.rows()?.into_iter().map(|row| row.map(shown)).collect())
    }
}

/// What lists of integers hold, as it is gathered.
#[derive(Default)]
struct Gathered {
    ids: Vec<u32>,
    offsets: Vec<i64>,
    valid: Vec<bool>,
    /// The first number that is no `u32`; in its place, as in that of all others, is the largest `u32`.
    odd: Option<i128>,
}

impl Gathered {
    /// Adds the values of one list.
    fn push<T: ArrowPrimitiveType>(&mut self, values: &PrimitiveArray<T>, range: std::ops::Range<usize>) -> PyResult<()>
    where
        i128: From<T::Native>,
    {
        if values.null_count() > 0 && values.slice(range.start, range.len()).null_count() > 0 {
            let row = self.offsets.len() - 1;
            return Err(refuse(format!("The list in row {row} has an id that is null. Leave such ids out.")));
        }
        let numbers = values.values().get(range).unwrap_or_default();
        self.ids.extend(numbers.iter().map(|&number| {
            let number = i128::from(number);
            u32::try_from(number).unwrap_or_else(|_| {
                self.odd.get_or_insert(number);
                u32::MAX
            })
        }));
        Ok(())
    }
}

fn no_ids(found: &DataType) -> PyErr {
    let message = "A column of ids must be of lists of integers, not of";
    refuse(format!("{message} {found}. Select another column, or cast it to list<uint32>."))
}

fn push_lists(array: &dyn Array, out: &mut Gathered) -> PyResult<()> {
    let place = |end: i64| usize::try_from(end).unwrap_or(0);
    let (values, ends): (ArrayRef, Vec<usize>) = match array.data_type() {
        DataType::List(_) => {
            let list = array.as_list::<i32>();
            (list.values().clone(), list.offsets().iter().map(|&end| place(i64::from(end))).collect())
        }
        DataType::LargeList(_) => {
            let list = array.as_list::<i64>();
            (list.values().clone(), list.offsets().iter().map(|&end| place(end)).collect())
        }
        DataType::FixedSizeList(_, size) => {
            let (list, size) = (array.as_fixed_size_list(), place(i64::from(*size)));
            (list.values().clone(), (0..=list.len()).map(|row| row * size).collect())
        }
        other => return Err(no_ids(other)),
    };
    push_list(values.as_ref(), 0..0, out)?;
    for (row, pair) in ends.windows(2).enumerate() {
        // The range of a null may hold anything.
        if array.is_valid(row) {
            push_list(values.as_ref(), pair[0]..pair[1], out)?;
        }
        out.offsets.push(i64::try_from(out.ids.len()).unwrap_or(i64::MAX));
        out.valid.push(array.is_valid(row));
    }
    Ok(())
}

fn push_list(values: &dyn Array, range: std::ops::Range<usize>, out: &mut Gathered) -> PyResult<()> {
    match values.data_type() {
        DataType::UInt8 => out.push(values.as_primitive::<UInt8Type>(), range),
        DataType::UInt16 => out.push(values.as_primitive::<UInt16Type>(), range),
        DataType::UInt32 => out.push(values.as_primitive::<UInt32Type>(), range),
        DataType::UInt64 => out.push(values.as_primitive::<UInt64Type>(), range),
        DataType::Int8 => out.push(values.as_primitive::<Int8Type>(), range),
        DataType::Int16 => out.push(values.as_primitive::<Int16Type>(), range),
        DataType::Int32 => out.push(values.as_primitive::<Int32Type>(), range),
        DataType::Int64 => out.push(values.as_primitive::<Int64Type>(), range),
        // Empty lists are made without a type.
        DataType::Null if range.is_empty() => Ok(()),
        other => Err(no_ids(other)),
    }
}

/// The ids and offsets of a column of lists of integers, which rows are not null (`None`: all), and the first number that
/// is no `u32`.
type Lists<'py> = (Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<i64>>, Option<Vec<bool>>, Option<i128>);

/// Reads a column of lists of integers.
#[guarded]
#[pyfunction]
pub fn arrow_lists<'py>(py: Python<'py>, object: &Bound<'py, PyAny>) -> PyResult<Lists<'py>> {
    let mut out = Gathered { offsets: vec![0], ..Gathered::default() };
    for chunk in import(object)? {
        push_lists(only_column(chunk)?.as_ref(), &mut out)?;
    }
    let valid = (!out.valid.iter().all(|&is| is)).then_some(out.valid);
    Ok((PyArray1::from_vec(py, out.ids), PyArray1::from_vec(py, out.offsets), valid, out.odd))
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
