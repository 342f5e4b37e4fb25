//! The `crud` command as a program.

mod config;
#[cfg(unix)]
mod from_database;
mod generate;
mod help;
mod init;
#[cfg(unix)]
mod prompts;
mod support;
