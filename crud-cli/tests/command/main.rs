//! The `crud` command as a program.

#[cfg(unix)]
mod api;
mod config;
mod destroy;
#[cfg(unix)]
mod dev;
#[cfg(unix)]
mod from_database;
mod generate;
mod help;
mod init;
mod parts;
#[cfg(unix)]
mod prompts;
mod support;
