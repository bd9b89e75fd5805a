//! What every call from Python goes through: a panic becomes an error that callers know, and a signal ends work that is long.

use std::any::Any;
use std::cell::RefCell;
use std::panic::{catch_unwind, AssertUnwindSafe};

use anypiece_core::util::interrupt::{ask_by, Answer, CalledOff};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

use crate::error::NativeError;

thread_local! {
    /// What a signal raised, until the work that it ended is left.
    static RAISED: RefCell<Option<PyErr>> = const { RefCell::new(None) };
    /// Where the last panic of this thread was.
    static PLACE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Does the work of a call. The attribute `guarded` puts it around every function that Python can call.
pub fn guard<T>(work: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|thrown| Err(error_of(thrown.as_ref())))
}

/// Lets signals end long work, and keeps panics from writing to standard error, unless somebody looks for them: what they say is in
/// the error.
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

/// Whether a call is still wanted: runs the handlers of signals, which only the main thread can do.
fn ask() -> Answer {
    // Asking which thread this is runs Python too, and so may run a handler.
    let asked =
        |py: Python<'_>| if is_main(py)? { py.check_signals().map(|()| Answer::GoOn) } else { Ok(Answer::AskNoMore) };
    let raised = |error| {
        RAISED.with_borrow_mut(|raised| *raised = Some(error));
        Answer::CallOff
    };
    Python::try_attach(|py| asked(py).unwrap_or_else(raised)).unwrap_or(Answer::AskNoMore)
}

fn is_main(py: Python<'_>) -> PyResult<bool> {
    // It is not imported for this: where nobody has done so, there are no threads to tell apart.
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

/// Panics, to show what becomes of that, here or on a thread.
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
