//! Output of commands.

use std::io::{self, Write};

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
