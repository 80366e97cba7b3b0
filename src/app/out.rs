//! All that the program writes for whoever started it: lines on standard output, the view that is drawn in the terminal, and
//! messages on standard error, which stay readable while the view is drawn.
//!
//! Standard output may be closed (`stackhand replay … | head`) or full. Then nothing panics: the error goes up to
//! [`super::cli`], past all that must happen on the way, and ends the program quietly or with one sentence.

use super::terminal;
use indicatif::ProgressBar;
use std::borrow::Cow;
use std::fmt::Display;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

/// A message waits for the view this many turns; whoever draws may be stuck, and the thread that holds relays must not be.
const TURNS_MAX: usize = 200;

/// What stands in the terminal. All that is written to standard output holds it meanwhile.
static VIEW: Mutex<View> = Mutex::new(View { drawn: Drawn::Nothing, last_message: String::new() });
/// Something was written past the view: it cannot be drawn over any more.
static DISTURBED: AtomicBool = AtomicBool::new(false);
/// That standard output is full was said.
static TOLD: AtomicBool = AtomicBool::new(false);

/// Standard output takes no more.
#[derive(Debug, thiserror::Error)]
#[error("cannot write to standard output; make room there, or send it somewhere else")]
struct Unwritten(#[source] io::Error);

/// What is drawn.
enum Drawn {
    Nothing,
    /// This many rows on standard output, the cursor behind the last.
    Rows(usize),
    /// A bar on standard error.
    Bar(ProgressBar),
}

struct View {
    drawn: Drawn,
    /// The last message, without colours.
    last_message: String,
}

/// A line on standard output.
macro_rules! say {
    ($($words:tt)*) => { $crate::app::out::line(format_args!($($words)*)) };
}
pub(super) use say;

/// A line on standard output.
///
/// # Errors
/// When it is closed or full.
pub fn line(text: impl Display) -> io::Result<()> {
    let mut view = view();
    let text = format!("{text}\n");
    view.aside(|| put_line(&mut io::stdout(), text.as_bytes())).map_err(unwritten)
}

/// Draws this over what was drawn before; as many rows as there are lines in it.
///
/// # Errors
/// When standard output is closed or full.
pub fn draw(text: &str, is_new: bool) -> io::Result<()> {
    let mut view = view();
    let is_disturbed = DISTURBED.swap(false, Ordering::Relaxed);
    let mut all = if is_new || is_disturbed { String::from("\r") } else { view.to_top() };
    all.push_str(&text.replace('\n', "\x1b[K\n"));
    all.push_str("\x1b[K\x1b[J");
    view.drawn = Drawn::Rows(text.lines().count());
    put(&mut io::stdout().lock(), all.as_bytes()).map_err(unwritten)
}

/// This bar is drawn from now on.
pub fn draw_bar(bar: &ProgressBar) {
    view().drawn = Drawn::Bar(bar.clone());
}

/// This bar is drawn no more, and gone from the terminal.
pub fn end_bar(bar: &ProgressBar) {
    let mut view = view();
    if matches!(view.drawn, Drawn::Bar(_)) {
        view.drawn = Drawn::Nothing;
    }
    bar.finish_and_clear();
}

/// Nothing is drawn over any more; the cursor stands below what was.
///
/// # Errors
/// When standard output is closed or full.
pub fn end_drawing() -> io::Result<()> {
    match std::mem::replace(&mut view().drawn, Drawn::Nothing) {
        Drawn::Rows(_) => put(&mut io::stdout().lock(), b"\n").map_err(unwritten),
        Drawn::Bar(bar) => {
            bar.finish_and_clear();
            Ok(())
        }
        Drawn::Nothing => Ok(()),
    }
}

/// The last message that was written, on one line.
pub fn last_message() -> String {
    view().last_message.clone()
}

/// A line on standard error for whoever waits: what is being done.
pub fn note(text: impl Display) {
    message(format!("{text}\n").as_bytes());
}

/// Says that standard output is full, once; the work itself goes on.
pub fn tell_unwritten(error: &io::Error) {
    if !TOLD.swap(true, Ordering::Relaxed) {
        let cause = error.get_ref().and_then(|inner| inner.source()).map(|cause| format!(" ({cause})"));
        tracing::error!("{error}{}; nothing more is shown there", cause.unwrap_or_default());
    }
}

/// Whether whoever read standard output has seen enough.
pub fn is_closed(error: &io::Error) -> bool {
    error.kind() == ErrorKind::BrokenPipe && is_unwritten(error)
}

/// The program's last words on standard error, unless they were said.
pub fn complain(error: &anyhow::Error) {
    let is_about_output = error.chain().any(|e| e.downcast_ref::<io::Error>().is_some_and(is_unwritten));
    if !(is_about_output && TOLD.load(Ordering::Relaxed)) {
        note(format_args!("stackhand: {error:#}"));
    }
}

/// Messages on standard error, for the log. They never fail: nobody could be told.
pub struct Messages;

impl Write for Messages {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        message(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn message(bytes: &[u8]) {
    for _ in 0..TURNS_MAX {
        match VIEW.try_lock() {
            Ok(mut view) => return view.message(bytes),
            Err(TryLockError::Poisoned(view)) => return view.into_inner().message(bytes),
            Err(TryLockError::WouldBlock) => std::thread::yield_now(),
        }
    }
    DISTURBED.store(true, Ordering::Relaxed);
    put_message(bytes);
}

impl View {
    /// From behind the last row to the first one's beginning.
    fn to_top(&self) -> String {
        match self.drawn {
            Drawn::Rows(rows) if rows > 1 => format!("\r\x1b[{}A", rows - 1),
            _ => "\r".into(),
        }
    }

    fn message(&mut self, bytes: &[u8]) {
        let text = plain(&String::from_utf8_lossy(bytes));
        self.last_message = if terminal::is_unicode() { text } else { terminal::in_ascii(&text) };
        if io::stderr().is_terminal() {
            self.aside(|| put_message(bytes));
        } else {
            put_message(bytes);
        }
    }

    /// Writes something else into the terminal: what is drawn is taken away before, and drawn again below it.
    fn aside<T>(&mut self, write: impl FnOnce() -> T) -> T {
        match &self.drawn {
            Drawn::Nothing => write(),
            Drawn::Bar(bar) => bar.suspend(write),
            Drawn::Rows(_) => {
                let erase = self.to_top() + "\x1b[J";
                self.drawn = Drawn::Nothing;
                // Where that fails the drawing fails, too, and tells.
                let _ = put(&mut io::stdout().lock(), erase.as_bytes());
                write()
            }
        }
    }
}

fn view() -> MutexGuard<'static, View> {
    VIEW.lock().unwrap_or_else(PoisonError::into_inner)
}

fn put_message(bytes: &[u8]) {
    let _ = put_line(&mut io::stderr(), bytes);
}

/// Writes a text; to a terminal in the characters that it shows.
fn put_line(out: &mut (impl Write + IsTerminal), bytes: &[u8]) -> io::Result<()> {
    let is_shown = bytes.is_ascii() || terminal::is_unicode() || !out.is_terminal();
    let bytes = match is_shown {
        true => Cow::Borrowed(bytes),
        false => Cow::Owned(terminal::in_ascii(&String::from_utf8_lossy(bytes)).into_bytes()),
    };
    put(out, &bytes)
}

fn put(out: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    out.write_all(bytes).and_then(|()| out.flush())
}

fn unwritten(error: io::Error) -> io::Error {
    io::Error::new(error.kind(), Unwritten(error))
}

/// What is said when nobody reads standard output any more.
#[cfg(test)]
pub fn closed() -> io::Error {
    unwritten(io::Error::from(ErrorKind::BrokenPipe))
}

fn is_unwritten(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<Unwritten>())
}

/// The text on one line, without colours.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    let mut is_code = false;
    for c in text.chars() {
        match (c, is_code) {
            ('\x1b', _) => is_code = true,
            (_, true) => is_code = !c.is_ascii_alphabetic(),
            _ => plain.push(c),
        }
    }
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_standard_output_that_was_closed_ends_quietly() {
        let pipe = || io::Error::from(ErrorKind::BrokenPipe);
        assert!(is_closed(&unwritten(pipe())));
        // Some other pipe: a board, a program that was started.
        assert!(!is_closed(&pipe()));
        assert!(!is_closed(&unwritten(io::Error::from(ErrorKind::StorageFull))));
    }

    #[test]
    fn a_message_is_kept_without_its_colours() {
        assert_eq!(plain("\x1b[33m WARN\x1b[0m a wire\nis off \n"), "WARN a wire is off");
    }
}
