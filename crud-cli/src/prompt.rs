//! Questions on the terminal.
//!
//! An answer is a line that the terminal edits, without raw mode, in which a library such as inquire reads keys. Lines
//! that are typed ahead or pasted therefore answer the questions that follow. The end of the input is an error that
//! names the option. A command that is killed leaves the terminal as it was.

use std::io::{self, BufRead, IsTerminal, Write};

use anyhow::{Context, Result, bail};

use crate::output::{self, STRONG};

/// The value of an option, or the answer to a question in its place; an empty answer is the default. Without a terminal,
/// a missing option is the default.
pub(crate) fn option_or_default<T>(
    given: Option<&str>,
    question: &str,
    default: &str,
    read: impl Fn(&str) -> Result<T>,
) -> Result<T> {
    if given.is_some() || !io::stdin().is_terminal() {
        return read(given.unwrap_or(default));
    }
    let answer = |line: &str| read(if line.is_empty() { default } else { line });
    ask(&format!("{question} [{default}]"), answer)?.map_or_else(|| read(default), Ok)
}

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
    ask(question, read)?.with_context(|| format!("nothing was entered for `{option}`"))
}

/// The answer to a question, which is repeated until `read` accepts it; `None` at the end of the input.
fn ask<T>(question: &str, read: impl Fn(&str) -> Result<T>) -> Result<Option<T>> {
    loop {
        write!(anstream::stderr(), "{STRONG}{question}:{STRONG:#} ")?;
        let mut line = String::new();
        if io::stdin().lock().read_line(&mut line)? == 0 {
            writeln!(io::stderr())?;
            return Ok(None);
        }
        match read(line.trim()) {
            Ok(value) => return Ok(Some(value)),
            Err(error) => output::error(&error),
        }
    }
}

/// Reads an answer to a question of yes or no.
pub(crate) fn yes_or_no(answer: &str) -> Result<bool> {
    match answer.to_lowercase().as_str() {
        "y" | "yes" => Ok(true),
        "n" | "no" => Ok(false),
        _ => bail!("expected `yes` or `no`, found `{answer}`"),
    }
}

/// The answer to a question of yes or no, which is no at the end of the input. Without a terminal, a missing option is an
/// error.
pub(crate) fn required_answer(option: &str, question: &str) -> Result<bool> {
    if !io::stdin().is_terminal() {
        bail!("`{option}` is missing, and there is no terminal to ask on");
    }
    let answer = |line: &str| yes_or_no(if line.is_empty() { "no" } else { line });
    Ok(ask(&format!("{question} [no]"), answer)?.unwrap_or(false))
}
