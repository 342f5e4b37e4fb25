//! The `crud` command as the program that people run.

mod config;
mod generate;
mod help;
mod init;
#[cfg(unix)]
mod prompts;
mod support;
