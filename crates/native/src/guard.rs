//! The guard of every call from Python: a panic becomes a typed error, and a signal cancels long work.

use std::any::Any;
use std::cell::RefCell;
use std::panic::{catch_unwind, AssertUnwindSafe};

use anypiece_core::util::interrupt::{ask_by, Answer, CalledOff};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

use crate::error::NativeError;

thread_local! {
    /// The exception that a signal handler raised, until the cancelled call returns it.
    static RAISED: RefCell<Option<PyErr>> = const { RefCell::new(None) };
    /// The location of the last panic of this thread.
    static PLACE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Runs a call. The attribute `guarded` wraps every function exposed to Python.
pub fn guard<T>(work: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|thrown| Err(error_of(thrown.as_ref())))
}

/// Enables cancellation by signals, and keeps panics from writing to standard error unless backtraces are enabled:
/// their message is in the error.
pub fn set_up() {
    ask_by(ask);
    if std::env::var_os("RUST_BACKTRACE").is_some() {
        return;
    }
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        PLACE.with_borrow_mut(|last| *last = place);
    }));
}

/// Whether a call is still wanted: runs signal handlers, which only the main thread can do.
fn ask() -> Answer {
    // Finding the current thread runs Python too, and so may run a handler.
    let polled =
        |py: Python<'_>| if is_main(py)? { py.check_signals().map(|()| Answer::GoOn) } else { Ok(Answer::AskNoMore) };
    let raised = |error| {
        RAISED.with_borrow_mut(|raised| *raised = Some(error));
        Answer::CallOff
    };
    Python::try_attach(|py| polled(py).unwrap_or_else(raised)).unwrap_or(Answer::AskNoMore)
}

fn is_main(py: Python<'_>) -> PyResult<bool> {
    // `threading` is not imported for this: if it is not loaded, there are no other threads.
    let Ok(threading) = py.import("sys")?.getattr("modules")?.get_item("threading") else { return Ok(true) };
    let main = threading.call_method0("main_thread")?.getattr("ident")?;
    threading.call_method0("get_ident")?.eq(main)
}

#[cold]
fn error_of(thrown: &(dyn Any + Send)) -> PyErr {
    if thrown.is::<CalledOff>() {
        return RAISED.take().unwrap_or_else(|| PyKeyboardInterrupt::new_err(()));
    }
    let what = match (thrown.downcast_ref::<&str>(), thrown.downcast_ref::<String>()) {
        (Some(what), _) => what,
        (_, Some(what)) => what.as_str(),
        _ => "a panic",
    };
    let message = format!(
        "Something went wrong inside AnyPiece: {what} ({}). If the tokenizer was read from an .anypiece file, check that with \
         `anypiece doctor`; otherwise please report it.",
        PLACE.take()
    );
    let code = "internal-error";
    Python::attach(|py| {
        let made =
            py.import("anypiece.errors").and_then(|errors| errors.getattr("InternalError")?.call1((code, &message)));
        made.map_or_else(|_| NativeError::new_err((code, message.clone(), "{}")), PyErr::from_value)
    })
}

/// Panics on purpose, here or on a thread, for tests.
#[anypiece_guarded::guarded]
#[pyfunction]
pub fn fail_inside(threaded: bool) -> PyResult<()> {
    #[allow(clippy::panic)]
    let fail = || std::panic::panic_any("this was asked for");
    if threaded {
        std::thread::scope(|scope| match scope.spawn(fail).join() {
            Ok(()) => Ok(()),
            Err(thrown) => std::panic::resume_unwind(thrown),
        })
    } else {
        fail();
        Ok(())
    }
}
