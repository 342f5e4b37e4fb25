//! Questions on the terminal.

use std::io::{self, BufRead, IsTerminal, Write};

use anyhow::{Result, bail};

use crate::output::{self, STRONG};

/// The value of an option, or the answer to a question in its place. A question is repeated until `read` accepts the
/// answer. Without a terminal, a missing option is an error.
pub(crate) fn option_or_ask<T>(
    given: Option<&str>,
    option: &str,
    question: &str,
    read: impl Fn(&str) -> Result<T>,
) -> Result<T> {
    if let Some(given) = given {
        return read(given);
    }
    if !io::stdin().is_terminal() {
        bail!("`{option}` is missing, and there is no terminal to ask on");
    }
    loop {
        write!(anstream::stderr(), "{STRONG}{question}:{STRONG:#} ")?;
        let mut line = String::new();
        if io::stdin().lock().read_line(&mut line)? == 0 {
            writeln!(io::stderr())?;
            bail!("nothing was entered for `{option}`");
        }
        match read(line.trim()) {
            Ok(value) => return Ok(value),
            Err(error) => output::error(&error),
        }
    }
}
