//! Output: results on standard output, errors and questions on standard error.

use std::io::{self, Write};

use anyhow::{Context, Result};
use clap::builder::styling::{AnsiColor, Style};

pub(crate) const ADDED: Style = AnsiColor::Green.on_default();
pub(crate) const REMOVED: Style = AnsiColor::Red.on_default();
pub(crate) const STRONG: Style = Style::new().bold();
const ERROR: Style = AnsiColor::Red.on_default().bold();

/// Prints a result, without colours where it is not a terminal. A closed output is not an error.
pub(crate) fn print(text: &str) -> Result<()> {
    match anstream::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error).context("cannot write the output"),
        _ => Ok(()),
    }
}

/// Prints an error with its causes, as one sentence.
pub(crate) fn error(error: &anyhow::Error) {
    // Where standard error is closed, the exit code still reports the error.
    writeln!(anstream::stderr(), "{ERROR}error:{ERROR:#} {error:#}").ok();
}
