//! Output of commands.

use std::io::{self, IsTerminal, Write};

use crate::storage::error::{Error, Result};

/// Prints a line to standard output; a closed pipe is not an error.
pub(super) fn print(text: &str) -> Result<()> {
    match writeln!(io::stdout(), "{text}") {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Error::Setup(format!("cannot write to standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// # Errors
/// [`Error::Setup`] with this text.
pub(super) fn setup<T>(text: impl Into<String>) -> Result<T> {
    Err(Error::Setup(text.into()))
}

/// Prints the progress of a command to a terminal, in the place of the last one. A plain line, not a progress bar of a
/// crate, which every service would have to compile.
pub(super) fn progress(text: &str) {
    if io::stderr().is_terminal() {
        eprint!("\r\u{1b}[K{text}");
        // A closed terminal is not an error.
        drop(io::stderr().flush());
    }
}

/// Ends the line of the progress.
pub(super) fn end_progress() {
    if io::stderr().is_terminal() {
        eprintln!();
    }
}

/// The share of a total in percent.
pub(super) const fn percent(done: u64, total: u64) -> u64 {
    match done.saturating_mul(100).checked_div(total) {
        Some(percent) if percent < 100 => percent,
        _ => 100,
    }
}

#[cfg(test)]
mod tests {
    use super::percent;

    #[test]
    fn a_share_is_between_0_and_100_percent() {
        let shares = [(0, 3), (1, 3), (3, 3), (4, 3), (0, 0)].map(|(done, total)| percent(done, total));
        assert_eq!(shares, [0, 33, 100, 100, 100]);
    }
}
