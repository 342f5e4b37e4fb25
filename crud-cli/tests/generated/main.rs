//! Projects as `crud` generates them: they are formatted, pass clippy's pedantic lints and their own tests, and serve. The
//! examples of the book compile in one.
//!
//! Slow, but for the formatting: `CRUD_TEST_LONG=generated` compiles them, without the network, with the versions of this
//! workspace and into its target directory, which has some of what a project needs.

mod accounts;
mod guide;
mod library;
mod members;
mod pages;
mod parts;
mod project;
mod server;
mod shelf;
