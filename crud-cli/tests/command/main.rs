//! The `crud` command as a program.

mod config;
mod generate;
mod help;
mod init;
#[cfg(unix)]
mod prompts;
mod support;
